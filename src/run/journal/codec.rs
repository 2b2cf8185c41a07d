//! The stored form of events: `{v, type, audience, data}`. It is written down here by hand, since it
//! must stand whatever becomes of the types: an event's name and fields are those of the format.

use crate::event::{Event, Plain, Sealed};
use crate::stored::{Stored, field};
use serde_json::{Map, Value};

type Fields = Map<String, Value>;

/// An event's name and data.
pub(super) fn encode(event: &Event) -> (&'static str, Value) {
    match event {
        Event::Plain(plain) => encode_plain(plain),
        Event::Sealed(sealed) => encode_sealed(sealed),
    }
}

/// Reads an event. `Ok(None)` for a name that this version does not know; an error for a known one
/// whose data is of another form.
pub(super) fn decode(name: &str, data: &Value) -> Result<Option<Event>, ()> {
    let empty = Fields::new();
    let data = data.as_object().unwrap_or(&empty);
    match decode_plain(name, data) {
        Read::Event(plain) => Ok(Some(Event::Plain(plain))),
        Read::Broken => Err(()),
        Read::Unknown => match decode_sealed(name, data) {
            Read::Event(sealed) => Ok(Some(Event::Sealed(sealed))),
            Read::Broken => Err(()),
            Read::Unknown => Ok(None),
        },
    }
}

fn encode_plain(plain: &Plain) -> (&'static str, Value) {
    match plain {
        Plain::IntermediateStart { message } => ("intermediate_start", data(&[("message", message)])),
        Plain::IntermediateDelta { message, delta } => ("intermediate_delta", piece(message, delta)),
        Plain::IntermediateEnd { message } => ("intermediate_end", data(&[("message", message)])),
        Plain::Decided { message, answer } => ("decided", flagged(data(&[("message", message)]), "answer", *answer)),
        Plain::NarrationStart { message } => ("narration_start", data(&[("message", message)])),
        Plain::NarrationDelta { message, delta } => ("narration_delta", piece(message, delta)),
        Plain::NarrationEnd { message } => ("narration_end", data(&[("message", message)])),
        Plain::ThinkingStart { message, public } => {
            ("thinking_start", flagged(data(&[("message", message)]), "public", *public))
        }
        Plain::ThinkingDelta { message, public, delta } => {
            ("thinking_delta", flagged(piece(message, delta), "public", *public))
        }
        Plain::ThinkingEnd { message, public } => {
            ("thinking_end", flagged(data(&[("message", message)]), "public", *public))
        }
        Plain::ToolStart { call, name } => ("tool_start", data(&[("call", call), ("name", name)])),
        Plain::ToolArgs { call, delta } => ("tool_args", data(&[("call", call), ("delta", delta)])),
        Plain::ToolOutput { call, delta } => ("tool_output", data(&[("call", call), ("delta", delta)])),
        Plain::ToolEnd { call, outcome } => ("tool_end", data(&[("call", call), ("outcome", outcome.name())])),
        Plain::ResponseEnded { ordinal, stop, usage } => {
            let stop = data(&[("stop", stop.name())]);
            ("response_ended", with(with(stop, "ordinal", (*ordinal).into()), "usage", value(usage)))
        }
        Plain::AttemptReset { ordinal } => ("attempt_reset", with(data(&[]), "ordinal", (*ordinal).into())),
        Plain::State { snapshot } => ("state", with(data(&[]), "snapshot", snapshot.clone())),
    }
}

fn encode_sealed(sealed: &Sealed) -> (&'static str, Value) {
    match sealed {
        Sealed::Started {} => ("started", data(&[])),
        Sealed::AnswerStart { message, refusal } => {
            ("answer_start", flagged(data(&[("message", message)]), "refusal", *refusal))
        }
        Sealed::AnswerDelta { message, refusal, delta } => {
            ("answer_delta", flagged(piece(message, delta), "refusal", *refusal))
        }
        Sealed::AnswerEnd { message } => ("answer_end", data(&[("message", message)])),
        Sealed::CallStart { call, name, parent } => {
            ("call_start", data(&[("call", call), ("name", name), ("parent", parent)]))
        }
        Sealed::CallArgs { call, delta } => ("call_args", data(&[("call", call), ("delta", delta)])),
        Sealed::CallEnd { call } => ("call_end", data(&[("call", call)])),
        Sealed::Completed(completion) => ("completed", value(completion)),
        Sealed::Interrupted { interrupts, usage } => {
            ("interrupted", with(with(data(&[]), "interrupts", value(interrupts)), "usage", value(usage)))
        }
        Sealed::Cancelled { usage } => ("cancelled", with(data(&[]), "usage", value(usage))),
        Sealed::Failed { failure, unknown, usage } => {
            let failed = with(with(data(&[]), "failure", value(failure)), "unknown", value(unknown));
            ("failed", with(failed, "usage", value(usage)))
        }
    }
}

enum Read<T> {
    Event(T),
    Broken,
    Unknown,
}

fn decode_plain(name: &str, data: &Fields) -> Read<Plain> {
    let read = || -> Option<Option<Plain>> {
        Some(Some(match name {
            "intermediate_start" => Plain::IntermediateStart { message: get(data, "message")? },
            "intermediate_delta" => {
                Plain::IntermediateDelta { message: get(data, "message")?, delta: get(data, "delta")? }
            }
            "intermediate_end" => Plain::IntermediateEnd { message: get(data, "message")? },
            "decided" => Plain::Decided { message: get(data, "message")?, answer: get(data, "answer")? },
            "narration_start" => Plain::NarrationStart { message: get(data, "message")? },
            "narration_delta" => Plain::NarrationDelta { message: get(data, "message")?, delta: get(data, "delta")? },
            "narration_end" => Plain::NarrationEnd { message: get(data, "message")? },
            "thinking_start" => Plain::ThinkingStart { message: get(data, "message")?, public: get(data, "public")? },
            "thinking_delta" => Plain::ThinkingDelta {
                message: get(data, "message")?,
                public: get(data, "public")?,
                delta: get(data, "delta")?,
            },
            "thinking_end" => Plain::ThinkingEnd { message: get(data, "message")?, public: get(data, "public")? },
            "tool_start" => Plain::ToolStart { call: get(data, "call")?, name: get(data, "name")? },
            "tool_args" => Plain::ToolArgs { call: get(data, "call")?, delta: get(data, "delta")? },
            "tool_output" => Plain::ToolOutput { call: get(data, "call")?, delta: get(data, "delta")? },
            "tool_end" => Plain::ToolEnd { call: get(data, "call")?, outcome: get(data, "outcome")? },
            "response_ended" => Plain::ResponseEnded {
                ordinal: get(data, "ordinal")?,
                stop: get(data, "stop")?,
                usage: get(data, "usage")?,
            },
            "attempt_reset" => Plain::AttemptReset { ordinal: get(data, "ordinal")? },
            "state" => Plain::State { snapshot: get(data, "snapshot")? },
            _ => return Some(None),
        }))
    };
    read_of(read())
}

fn decode_sealed(name: &str, data: &Fields) -> Read<Sealed> {
    let read = || -> Option<Option<Sealed>> {
        Some(Some(match name {
            "started" => Sealed::Started {},
            "answer_start" => Sealed::AnswerStart { message: get(data, "message")?, refusal: get(data, "refusal")? },
            "answer_delta" => Sealed::AnswerDelta {
                message: get(data, "message")?,
                refusal: get(data, "refusal")?,
                delta: get(data, "delta")?,
            },
            "answer_end" => Sealed::AnswerEnd { message: get(data, "message")? },
            "call_start" => {
                Sealed::CallStart { call: get(data, "call")?, name: get(data, "name")?, parent: get(data, "parent")? }
            }
            "call_args" => Sealed::CallArgs { call: get(data, "call")?, delta: get(data, "delta")? },
            "call_end" => Sealed::CallEnd { call: get(data, "call")? },
            "completed" => Sealed::Completed(Stored::read(&Value::Object(data.clone()))?),
            "interrupted" => Sealed::Interrupted { interrupts: get(data, "interrupts")?, usage: get(data, "usage")? },
            "cancelled" => Sealed::Cancelled { usage: get(data, "usage")? },
            "failed" => Sealed::Failed {
                failure: get(data, "failure")?,
                unknown: get(data, "unknown")?,
                usage: get(data, "usage")?,
            },
            _ => return Some(None),
        }))
    };
    read_of(read())
}

fn read_of<T>(read: Option<Option<T>>) -> Read<T> {
    match read {
        Some(Some(event)) => Read::Event(event),
        Some(None) => Read::Unknown,
        None => Read::Broken,
    }
}

fn get<T: Stored>(data: &Fields, name: &str) -> Option<T> {
    field(data, name)
}

fn data(texts: &[(&str, &str)]) -> Value {
    let mut fields = Fields::new();
    for (name, text) in texts {
        fields.insert((*name).to_owned(), Value::String((*text).to_owned()));
    }
    Value::Object(fields)
}

fn piece(message: &str, delta: &str) -> Value {
    data(&[("message", message), ("delta", delta)])
}

fn flagged(object: Value, name: &str, flag: bool) -> Value {
    with(object, name, flag.into())
}

fn with(mut object: Value, name: &str, value: Value) -> Value {
    if let Some(fields) = object.as_object_mut() {
        fields.insert(name.to_owned(), value);
    }
    object
}

fn value<T: serde::Serialize>(of: T) -> Value {
    serde_json::to_value(of).unwrap_or_default()
}
