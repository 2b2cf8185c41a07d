//! Terminal escapes.
