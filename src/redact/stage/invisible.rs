//! Characters that nobody sees.
