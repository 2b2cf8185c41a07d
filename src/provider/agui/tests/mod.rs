//! The recordings of each row of the table, and what no recording can show.

mod bounds;
mod patches;
mod request;

crate::provider::quirks::quirks!(crate::provider::Format::AgUi, "agui", 30);
