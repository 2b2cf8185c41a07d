//! AG-UI 1.0.
