//! The checks, by numbers that are known and by what lies next to them.
