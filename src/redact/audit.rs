//! What a filter has found, without values: counts and spans.
