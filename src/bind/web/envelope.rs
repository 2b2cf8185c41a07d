//! What the front hands to the object that owns the thread.

use crate::Millis;
use crate::error::{Error, ErrorKind};
use crate::event::View;
use crate::json::{self, Json, Object};
use crate::profile::Profile;
use crate::sse::Frame;
use crate::stored::{Stored, field, stored};
use crate::wire::{Context, Form, Wire, canonical};
use serde_json::Value;

/// One request to a thread, already admitted by its token.
pub struct Envelope {
    /// Where the caller's runs are kept: [`Caller::namespace`](crate::http::Caller::namespace).
    pub scope: String,
    /// The thread's id.
    pub thread: String,
    /// The request's path: an error has the form that its clients read.
    pub path: String,
    /// What is asked.
    pub call: Call,
}

/// What is asked of a thread. Cursors are as the client sent them, and valid.
pub enum Call {
    /// Start the run of this id that this body asks for on this wire, or join it.
    Start { run: String, wire: Wire, compact: bool, body: String, after: Option<String> },
    /// Read a run on a wire that needs memory, behind so many frames.
    Read { run: String, wire: Wire, form: Form, had: u64 },
    /// What a run was given, a page of it.
    Input { run: String, ascending: bool, after: Option<String>, limit: u32 },
    /// The newest run's stream, if it is at work.
    Resume,
    /// The messages so far.
    Messages,
    /// Stop the newest run.
    Stop,
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
    /// Stop a run, and say on that wire how it stands then.
    Cancel { run: String, wire: Wire },
    /// Delete a run, or all of the thread's.
    Delete { run: Option<String> },
}

stored!(Envelope { scope, thread, path, call });

impl Envelope {
    /// The envelope as JSON text.
    pub fn encode(&self) -> String {
        json::text(self)
    }

    /// What the answer that it opens is to say, on its own wire, if the object that writes it is lost; and
    /// the types of the frames after which it has nothing to say any more, nothing where it is no stream. `form` is how
    /// a client that begins a run wants its answer.
    pub fn broken(&self, form: Form) -> Option<(String, String)> {
        let error: Error = ErrorKind::StreamInterrupted.into();
        let profile = Profile::new("", None, 0);
        let failure = |wire: Wire, run: &str, form: Form| {
            let frame = wire.failure(&Context { run, thread: &self.thread, profile: &profile }, &error);
            match form {
                Form::Stream => Some((text(frame), wire.ends().join(","))),
                Form::Whole | Form::Now => Some((frame.data, String::new())),
            }
        };
        match &self.call {
            Call::Start { run, wire, .. } => failure(*wire, run, form),
            Call::Read { run, wire, form, .. } => failure(*wire, run, *form),
            Call::Join { run, .. } => failure(Wire::AgUi, run, Form::Stream),
            Call::Resume => failure(Wire::UiStream, "", Form::Stream),
            Call::Events { run, .. } => failure(Wire::Canonical, run, Form::Stream),
            Call::Follow { .. } => {
                let end = Frame::new(canonical::stream_end(&self.thread, &error));
                Some((text(end), canonical::STREAM_END.to_owned()))
            }
            _ => None,
        }
    }
}

fn text(frame: Frame) -> String {
    frame.to_bytes().ok().and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_default()
}

impl Call {
    /// The run that it is about; empty for all of a thread.
    pub fn run(&self) -> &str {
        match self {
            Call::Start { run, .. }
            | Call::Join { run, .. }
            | Call::Events { run, .. }
            | Call::Read { run, .. }
            | Call::Input { run, .. }
            | Call::Record { run }
            | Call::Head { run }
            | Call::Cancel { run, .. } => run,
            Call::Delete { run } => run.as_deref().unwrap_or_default(),
            Call::Follow { .. } | Call::Resume | Call::Messages | Call::Stop => "",
        }
    }
}

impl Json for Call {
    fn write(&self, out: &mut String) {
        let mut call = Object::begin(out);
        match self {
            Call::Start { run, wire, compact, body, after } => call
                .fields(&[("ask", &"start"), ("run", run), ("wire", wire), ("compact", compact)])
                .fields(&[("body", body), ("after", after)]),
            Call::Read { run, wire, form, had } => {
                call.fields(&[("ask", &"read"), ("run", run), ("wire", wire), ("form", form), ("had", had)])
            }
            Call::Input { run, ascending, after, limit } => call
                .fields(&[("ask", &"input"), ("run", run), ("ascending", ascending)])
                .fields(&[("after", after), ("limit", limit)]),
            Call::Resume => call.field("ask", &"resume"),
            Call::Messages => call.field("ask", &"messages"),
            Call::Stop => call.field("ask", &"stop"),
            Call::Join { run, after } => call.fields(&[("ask", &"join"), ("run", run), ("after", after)]),
            Call::Events { run, after, view, types } => {
                call.fields(&[("ask", &"events"), ("run", run), ("after", after), ("view", view), ("types", types)])
            }
            Call::Follow { since, view, types, until } => {
                call.fields(&[("ask", &"follow"), ("since", since), ("view", view), ("types", types), ("until", until)])
            }
            Call::Record { run } => call.fields(&[("ask", &"record"), ("run", run)]),
            Call::Head { run } => call.fields(&[("ask", &"head"), ("run", run)]),
            Call::Cancel { run, wire } => call.fields(&[("ask", &"cancel"), ("run", run), ("wire", wire)]),
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
            "start" => Call::Start {
                run: run()?,
                wire: field(fields, "wire")?,
                compact: field(fields, "compact")?,
                body: field(fields, "body")?,
                after: after()?,
            },
            "read" => Call::Read {
                run: run()?,
                wire: field(fields, "wire")?,
                form: field(fields, "form")?,
                had: field(fields, "had")?,
            },
            "input" => Call::Input {
                run: run()?,
                ascending: field(fields, "ascending")?,
                after: after()?,
                limit: field(fields, "limit")?,
            },
            "resume" => Call::Resume,
            "messages" => Call::Messages,
            "stop" => Call::Stop,
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
            "cancel" => Call::Cancel { run: run()?, wire: field(fields, "wire")? },
            "delete" => Call::Delete { run: field(fields, "run")? },
            _ => return None,
        })
    }
}
