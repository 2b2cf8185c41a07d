//! What the front hands to the object that owns the thread.

use crate::event::View;
use serde::{Deserialize, Serialize};

/// One request to a thread, already admitted by its token.
#[derive(Debug, Serialize, Deserialize)]
pub struct Envelope {
    /// The caller's scope.
    pub scope: String,
    /// The thread's id.
    pub thread: String,
    /// What is asked.
    pub call: Call,
}

/// What is asked of a thread. Cursors are as the client sent them, and valid.
#[derive(Debug, Serialize, Deserialize)]
pub enum Call {
    /// Start the run that this body asks for, or join it.
    Start { body: String, after: Option<String> },
    /// Join a run on AG-UI.
    Join { run: String, after: Option<String> },
    /// Read a run's events on the canonical wire.
    Events { run: String, after: Option<String>, view: View, types: Option<Vec<String>> },
    /// A run's record.
    Record { run: String },
    /// Stop a run.
    Cancel { run: String },
}
