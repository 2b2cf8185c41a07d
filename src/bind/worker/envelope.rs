//! What the front hands to the object that owns the thread.

use crate::event::View;
use crate::json::{self, Json, Object};
use crate::stored::{Stored, field, stored};
use serde_json::Value;

/// One request to a thread, already admitted by its token.
pub struct Envelope {
    /// Where the caller's runs are kept: [`Caller::namespace`](crate::http::Caller::namespace).
    pub scope: String,
    /// The thread's id.
    pub thread: String,
    /// What is asked.
    pub call: Call,
}

/// What is asked of a thread. Cursors are as the client sent them, and valid.
pub enum Call {
    /// Start the run of this id that this body asks for, or join it.
    Start { run: String, body: String, after: Option<String> },
    /// Join a run on AG-UI.
    Join { run: String, after: Option<String> },
    /// Read a run's events on the canonical wire.
    Events { run: String, after: Option<String>, view: View, types: Option<Vec<String>> },
    /// A run's record.
    Record { run: String },
    /// Stop a run.
    Cancel { run: String },
}

stored!(Envelope { scope, thread, call });

impl Envelope {
    /// The envelope as JSON text.
    pub fn encode(&self) -> String {
        json::text(self)
    }
}

impl Call {
    /// The run that it is about.
    pub fn run(&self) -> &str {
        match self {
            Call::Start { run, .. }
            | Call::Join { run, .. }
            | Call::Events { run, .. }
            | Call::Record { run }
            | Call::Cancel { run } => run,
        }
    }
}

impl Json for Call {
    fn write(&self, out: &mut String) {
        let mut call = Object::begin(out);
        match self {
            Call::Start { run, body, after } => {
                call.fields(&[("ask", &"start"), ("run", run), ("body", body), ("after", after)])
            }
            Call::Join { run, after } => call.fields(&[("ask", &"join"), ("run", run), ("after", after)]),
            Call::Events { run, after, view, types } => {
                call.fields(&[("ask", &"events"), ("run", run), ("after", after), ("view", view), ("types", types)])
            }
            Call::Record { run } => call.fields(&[("ask", &"record"), ("run", run)]),
            Call::Cancel { run } => call.fields(&[("ask", &"cancel"), ("run", run)]),
        };
        call.end();
    }
}

impl Stored for Call {
    fn read(value: &Value) -> Option<Self> {
        let fields = value.as_object()?;
        let run = || field(fields, "run");
        let after = || field(fields, "after");
        Some(match fields.get("ask")?.as_str()? {
            "start" => Call::Start { run: run()?, body: field(fields, "body")?, after: after()? },
            "join" => Call::Join { run: run()?, after: after()? },
            "events" => Call::Events {
                run: run()?,
                after: after()?,
                view: field(fields, "view")?,
                types: field(fields, "types")?,
            },
            "record" => Call::Record { run: run()? },
            "cancel" => Call::Cancel { run: run()? },
            _ => return None,
        })
    }
}
