//! The wires: one serializer a client format (committed events to frames) and one request parser each.

pub mod agui;
pub mod canonical;

/// The canonical wire's name in a profile.
pub const CANONICAL: &str = "canonical";
/// The AG-UI wire's name in a profile.
pub const AG_UI: &str = "ag-ui";
