//! The publishing rule.
