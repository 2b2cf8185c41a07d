//! Settings that are taken, and those that are not.
