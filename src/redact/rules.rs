//! The built-in rules.
