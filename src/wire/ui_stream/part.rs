//! The parts of the stream: one frame each, the type first, nothing that version 5 of the client does not know.

use crate::json::{self, Json, Object};
use crate::sse::Frame;
use crate::wire::pieces::Around;
use serde_json::Value;

/// The stream's end mark.
pub(super) const DONE: &str = "[DONE]";

/// A text or a reasoning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    Reasoning,
}

/// A call, as its parts name it.
#[derive(Clone, Copy)]
pub(super) struct Call<'a> {
    pub id: &'a str,
    pub name: &'a str,
    /// The client is not to run it.
    pub ours: bool,
    /// The client knows the tool by its name alone.
    pub dynamic: bool,
}

pub(super) fn part(kind: &str, fill: impl FnOnce(&mut Object<'_>)) -> Frame {
    Frame::new(line(kind, fill))
}

fn line(kind: &str, fill: impl FnOnce(&mut Object<'_>)) -> String {
    json::object(|object| {
        object.field("type", &kind);
        fill(object);
    })
}

pub(super) fn plain(kind: &str) -> Frame {
    part(kind, |_| {})
}

pub(super) fn done() -> Frame {
    Frame::new(DONE)
}

pub(super) fn error(text: &str) -> Frame {
    part("error", |part| {
        part.field("errorText", &text);
    })
}

impl Kind {
    fn types(self) -> [&'static str; 3] {
        match self {
            Kind::Text => ["text-start", "text-delta", "text-end"],
            Kind::Reasoning => ["reasoning-start", "reasoning-delta", "reasoning-end"],
        }
    }

    pub(super) fn start(self, id: &str) -> Frame {
        let [start, ..] = self.types();
        part(start, |part| {
            part.field("id", &id);
        })
    }

    pub(super) fn deltas(self, around: &mut Around, id: &str, text: &str, out: &mut Vec<Frame>) {
        let [_, delta, _] = self.types();
        let line = |piece: &str| {
            line(delta, |part| {
                part.fields(&[("id", &id), ("delta", &piece)]);
            })
        };
        deltas(around, (delta, id), text, line, out);
    }

    pub(super) fn end(self, id: &str) -> Frame {
        let [.., end] = self.types();
        part(end, |part| {
            part.field("id", &id);
        })
    }
}

impl Call<'_> {
    pub(super) fn start(self) -> Frame {
        part("tool-input-start", |part| {
            self.named(part);
            self.marked(part);
        })
    }

    pub(super) fn available(self, input: &Value) -> Frame {
        part("tool-input-available", |part| {
            self.named(part);
            part.field("input", &input);
            self.marked(part);
        })
    }

    /// The arguments are no JSON: the model is to be told so, and nothing can be run.
    pub(super) fn unreadable(self, arguments: &str) -> Frame {
        part("tool-input-error", |part| {
            self.named(part);
            part.field("input", &arguments);
            self.marked(part);
            part.field("errorText", &"The arguments of this call are not valid JSON. It was not made.");
        })
    }

    /// The client is told nothing of dynamic tools where the parts before have said it.
    pub(super) fn output(self, output: &Value) -> Frame {
        part("tool-output-available", |part| {
            part.fields(&[("toolCallId", &self.id), ("output", &output)]);
            self.marked(part);
        })
    }

    pub(super) fn failed(self, text: &str) -> Frame {
        part("tool-output-error", |part| {
            part.fields(&[("toolCallId", &self.id), ("errorText", &text)]);
            self.marked(part);
        })
    }

    pub(super) fn asks(self, approval: &str, reason: Option<&str>) -> Frame {
        part("tool-approval-request", |part| {
            part.fields(&[("approvalId", &approval), ("toolCallId", &self.id), ("reason", &reason)]);
        })
    }

    fn named(self, part: &mut Object<'_>) {
        part.fields(&[("toolCallId", &self.id), ("toolName", &self.name)]);
    }

    fn marked(self, part: &mut Object<'_>) {
        part.flag("providerExecuted", self.ours).flag("dynamic", self.dynamic);
    }
}

pub(super) fn arguments(around: &mut Around, call: &str, text: &str, out: &mut Vec<Frame>) {
    let kind = "tool-input-delta";
    let line = |piece: &str| {
        line(kind, |part| {
            part.fields(&[("toolCallId", &call), ("inputTextDelta", &piece)]);
        })
    };
    deltas(around, (kind, call), text, line, out);
}

/// Public narration: the client hands it out and does not keep it.
pub(super) fn narration(around: &mut Around, message: &str, text: &str, out: &mut Vec<Frame>) {
    let kind = "data-intermediate";
    let line = |piece: &str| {
        line(kind, |part| {
            part.object("data", |data| {
                data.fields(&[("message", &message), ("text", &piece)]);
            });
            part.field("transient", &true);
        })
    };
    deltas(around, (kind, message), text, line, out);
}

pub(super) fn working(step: u32) -> Frame {
    part("data-working", |part| {
        part.object("data", |data| {
            data.field("step", &step);
        });
        part.field("transient", &true);
    })
}

pub(super) fn metadata(part: &mut Object<'_>, fill: impl FnOnce(&mut Object<'_>)) {
    part.object("messageMetadata", fill);
}

fn deltas(
    around: &mut Around,
    of: (&'static str, &str),
    text: &str,
    line: impl Fn(&str) -> String,
    out: &mut Vec<Frame>,
) {
    if !text.is_empty() {
        around.frames(of, text, line, |data| out.push(Frame::new(data)));
    }
}

/// The arguments as the client has them: an object where nothing was written; none where it is no JSON.
pub(super) fn input(arguments: &str) -> Option<Value> {
    match arguments.trim() {
        "" => Some(Value::Object(Default::default())),
        arguments => json::read::read(arguments.as_bytes()).ok(),
    }
}

/// The text of a value: itself where it is one.
pub(super) fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        value => json::text(value as &dyn Json),
    }
}
