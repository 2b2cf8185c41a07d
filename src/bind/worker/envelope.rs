//! What the front hands to the object that owns the thread.

use super::platform::{self, Env, internal};
use crate::Millis;
use crate::error::{Error, ErrorKind};
use crate::event::View;
use crate::json::{self, Json, Object};
use crate::profile::Profile;
use crate::run::ThreadKeys;
use crate::stored::{Stored, field, stored};
use crate::wire::{Context, Wire, canonical};
use serde_json::Value;
use web_sys::Response;

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
    /// Read the thread's events across its runs, until `until` at the latest.
    Follow { since: String, view: View, types: Option<Vec<String>>, until: Option<Millis> },
    /// A run's record.
    Record { run: String },
    /// A run's head as it is stored.
    Head { run: String },
    /// Stop a run.
    Cancel { run: String },
    /// Delete a run, or all of the thread's.
    Delete { run: Option<String> },
}

stored!(Envelope { scope, thread, call });

impl Envelope {
    /// The envelope as JSON text.
    pub fn encode(&self) -> String {
        json::text(self)
    }

    /// Hands it to the object that owns the thread.
    pub async fn forward(&self, env: &Env) -> Result<Response, Error> {
        let name = ThreadKeys::new(&self.scope, &self.thread).active();
        let body = self.encode();
        platform::ask(env, "THREADS", &name, "POST", Some(body.as_bytes())).await.map_err(internal)
    }

    /// What the stream that it opens is to say, on its own wire, if the object that writes it is lost; and
    /// the types of the frames after which it has nothing to say any more.
    pub fn broken(&self) -> Option<(String, String)> {
        let error = ErrorKind::StreamInterrupted.into();
        let profile = Profile::new("", None, 0);
        let failure = |wire: Wire, run: &str| {
            let frame = wire.failure(&Context { run, thread: &self.thread, profile: &profile }, &error);
            Some((frame.data, wire.ends().join(",")))
        };
        match &self.call {
            Call::Start { run, .. } | Call::Join { run, .. } => failure(Wire::AgUi, run),
            Call::Events { run, .. } => failure(Wire::Canonical, run),
            Call::Follow { .. } => {
                Some((canonical::stream_end(&self.thread, &error), canonical::STREAM_END.to_owned()))
            }
            Call::Record { .. } | Call::Head { .. } | Call::Cancel { .. } | Call::Delete { .. } => None,
        }
    }
}

impl Call {
    /// The run that it is about; empty for all of a thread.
    pub fn run(&self) -> &str {
        match self {
            Call::Start { run, .. }
            | Call::Join { run, .. }
            | Call::Events { run, .. }
            | Call::Record { run }
            | Call::Head { run }
            | Call::Cancel { run } => run,
            Call::Delete { run } => run.as_deref().unwrap_or_default(),
            Call::Follow { .. } => "",
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
            Call::Follow { since, view, types, until } => {
                call.fields(&[("ask", &"follow"), ("since", since), ("view", view), ("types", types), ("until", until)])
            }
            Call::Record { run } => call.fields(&[("ask", &"record"), ("run", run)]),
            Call::Head { run } => call.fields(&[("ask", &"head"), ("run", run)]),
            Call::Cancel { run } => call.fields(&[("ask", &"cancel"), ("run", run)]),
            Call::Delete { run } => call.fields(&[("ask", &"delete"), ("run", run)]),
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
            "follow" => Call::Follow {
                since: field(fields, "since")?,
                view: field(fields, "view")?,
                types: field(fields, "types")?,
                until: field(fields, "until")?,
            },
            "record" => Call::Record { run: run()? },
            "head" => Call::Head { run: run()? },
            "cancel" => Call::Cancel { run: run()? },
            "delete" => Call::Delete { run: field(fields, "run")? },
            _ => return None,
        })
    }
}
