//! Plays recordings of the project's own making.
