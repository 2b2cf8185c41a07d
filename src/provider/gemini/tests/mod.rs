//! The recordings of each row of the table in [`super::decode`], and what no recording can show.

mod bodies;
mod bounds;
mod request;

crate::provider::quirks::quirks!(crate::provider::Format::Gemini, "gemini", 65);
