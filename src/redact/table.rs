//! The form in which compiled automata are carried.
