//! The stored form of events: `{v, type, audience, data}`. It is written down here by hand, since it
//! must stand whatever becomes of the types: an event's name and fields are those of the format.

use crate::event::{Event, Plain, Sealed};
use crate::json::{Json, Object};
use crate::stored::Stored;
use serde_json::Value;

/// Writes an event's name and data into its stored form.
pub(super) fn encode(event: &Event, stored: &mut Object<'_>) {
    match event {
        Event::Plain(plain) => encode_plain(plain, stored),
        Event::Sealed(sealed) => encode_sealed(sealed, stored),
    }
}

/// Reads an event. `Ok(None)` for a name that this version does not know; an error for a known one
/// whose data is of another form.
pub(super) fn decode(name: &str, data: &Value) -> Result<Option<Event>, ()> {
    let plain = decode_plain(name, data)?.map(Event::Plain);
    if plain.is_some() { Ok(plain) } else { Ok(decode_sealed(name, data)?.map(Event::Sealed)) }
}

fn encode_plain(plain: &Plain, stored: &mut Object<'_>) {
    match plain {
        Plain::IntermediateStart { message } => put(stored, "intermediate_start", &[("message", message)]),
        Plain::IntermediateDelta { message, delta, cuts } => {
            let cuts = Some(cuts.as_slice()).filter(|cuts| !cuts.is_empty());
            put(stored, "intermediate_delta", &[("message", message), ("cuts", &cuts), ("delta", delta)]);
        }
        Plain::IntermediateEnd { message } => put(stored, "intermediate_end", &[("message", message)]),
        Plain::Decided { message, answer } => put(stored, "decided", &[("message", message), ("answer", answer)]),
        Plain::NarrationStart { message } => put(stored, "narration_start", &[("message", message)]),
        Plain::NarrationDelta { message, delta } => {
            put(stored, "narration_delta", &[("message", message), ("delta", delta)]);
        }
        Plain::NarrationEnd { message } => put(stored, "narration_end", &[("message", message)]),
        Plain::ThinkingStart { message, public } => {
            put(stored, "thinking_start", &[("message", message), ("public", public)]);
        }
        Plain::ThinkingDelta { message, public, delta } => {
            put(stored, "thinking_delta", &[("message", message), ("public", public), ("delta", delta)]);
        }
        Plain::ThinkingEnd { message, public } => {
            put(stored, "thinking_end", &[("message", message), ("public", public)]);
        }
        Plain::ToolStart { call, name } => put(stored, "tool_start", &[("call", call), ("name", name)]),
        Plain::ToolArgs { call, delta } => put(stored, "tool_args", &[("call", call), ("delta", delta)]),
        Plain::ToolOutput { call, delta } => put(stored, "tool_output", &[("call", call), ("delta", delta)]),
        Plain::ToolEnd { call, outcome } => put(stored, "tool_end", &[("call", call), ("outcome", outcome)]),
        Plain::ShownCallStart { call, name, parent } => {
            put(stored, "shown_call_start", &[("call", call), ("name", name), ("parent", parent)]);
        }
        Plain::ShownCallArgs { call, delta } => put(stored, "shown_call_args", &[("call", call), ("delta", delta)]),
        Plain::ShownCallEnd { call } => put(stored, "shown_call_end", &[("call", call)]),
        Plain::ShownCallResult { call, message, content, outcome } => {
            let data: &[(&str, &dyn Json)] =
                &[("call", call), ("message", message), ("content", content), ("outcome", outcome)];
            put(stored, "shown_call_result", data);
        }
        Plain::Working { message, step } => put(stored, "working", &[("message", message), ("step", step)]),
        Plain::ResponseEnded { ordinal, stop, usage } => {
            put(stored, "response_ended", &[("ordinal", ordinal), ("stop", stop), ("usage", usage)]);
        }
        Plain::AttemptReset { ordinal } => put(stored, "attempt_reset", &[("ordinal", ordinal)]),
        Plain::State { snapshot } => put(stored, "state", &[("snapshot", snapshot)]),
    }
}

fn encode_sealed(sealed: &Sealed, stored: &mut Object<'_>) {
    match sealed {
        Sealed::Started {} => put(stored, "started", &[]),
        Sealed::AnswerStart { message, refusal } => {
            put(stored, "answer_start", &[("message", message), ("refusal", refusal)]);
        }
        Sealed::AnswerDelta { message, refusal, delta } => {
            put(stored, "answer_delta", &[("message", message), ("refusal", refusal), ("delta", delta)]);
        }
        Sealed::AnswerEnd { message } => put(stored, "answer_end", &[("message", message)]),
        Sealed::AnswerWithdrawn { message } => put(stored, "answer_withdrawn", &[("message", message)]),
        Sealed::CallStart { call, name, parent } => {
            put(stored, "call_start", &[("call", call), ("name", name), ("parent", parent)]);
        }
        Sealed::CallArgs { call, delta } => put(stored, "call_args", &[("call", call), ("delta", delta)]),
        Sealed::CallEnd { call } => put(stored, "call_end", &[("call", call)]),
        Sealed::Completed(completion) => {
            stored.fields(&[("type", &"completed"), ("data", completion)]);
        }
        Sealed::Interrupted { interrupts, usage } => {
            put(stored, "interrupted", &[("interrupts", interrupts), ("usage", usage)]);
        }
        Sealed::Cancelled { usage } => put(stored, "cancelled", &[("usage", usage)]),
        Sealed::Failed { failure, unknown, usage } => {
            put(stored, "failed", &[("failure", failure), ("unknown", unknown), ("usage", usage)]);
        }
    }
}

/// Writes an event's name and its data.
fn put(stored: &mut Object<'_>, name: &str, data: &[(&str, &dyn Json)]) {
    stored.field("type", &name).object("data", |object| {
        object.fields(data);
    });
}

fn decode_plain(name: &str, data: &Value) -> Result<Option<Plain>, ()> {
    Ok(Some(match name {
        "intermediate_start" => Plain::IntermediateStart { message: get(data, "message")? },
        "intermediate_delta" => Plain::IntermediateDelta {
            message: get(data, "message")?,
            delta: get(data, "delta")?,
            cuts: get(data, "cuts")?,
        },
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
        "shown_call_start" => {
            Plain::ShownCallStart { call: get(data, "call")?, name: get(data, "name")?, parent: get(data, "parent")? }
        }
        "shown_call_args" => Plain::ShownCallArgs { call: get(data, "call")?, delta: get(data, "delta")? },
        "shown_call_end" => Plain::ShownCallEnd { call: get(data, "call")? },
        "shown_call_result" => Plain::ShownCallResult {
            call: get(data, "call")?,
            message: get(data, "message")?,
            content: get(data, "content")?,
            outcome: get(data, "outcome")?,
        },
        "working" => Plain::Working { message: get(data, "message")?, step: get(data, "step")? },
        "response_ended" => Plain::ResponseEnded {
            ordinal: get(data, "ordinal")?,
            stop: get(data, "stop")?,
            usage: get(data, "usage")?,
        },
        "attempt_reset" => Plain::AttemptReset { ordinal: get(data, "ordinal")? },
        "state" => Plain::State { snapshot: get(data, "snapshot")? },
        _ => return Ok(None),
    }))
}

fn decode_sealed(name: &str, data: &Value) -> Result<Option<Sealed>, ()> {
    Ok(Some(match name {
        "started" => Sealed::Started {},
        "answer_start" => Sealed::AnswerStart { message: get(data, "message")?, refusal: get(data, "refusal")? },
        "answer_delta" => Sealed::AnswerDelta {
            message: get(data, "message")?,
            refusal: get(data, "refusal")?,
            delta: get(data, "delta")?,
        },
        "answer_end" => Sealed::AnswerEnd { message: get(data, "message")? },
        "answer_withdrawn" => Sealed::AnswerWithdrawn { message: get(data, "message")? },
        "call_start" => {
            Sealed::CallStart { call: get(data, "call")?, name: get(data, "name")?, parent: get(data, "parent")? }
        }
        "call_args" => Sealed::CallArgs { call: get(data, "call")?, delta: get(data, "delta")? },
        "call_end" => Sealed::CallEnd { call: get(data, "call")? },
        "completed" => Sealed::Completed(Stored::read(data).ok_or(())?),
        "interrupted" => Sealed::Interrupted { interrupts: get(data, "interrupts")?, usage: get(data, "usage")? },
        "cancelled" => Sealed::Cancelled { usage: get(data, "usage")? },
        "failed" => Sealed::Failed {
            failure: get(data, "failure")?,
            unknown: get(data, "unknown")?,
            usage: get(data, "usage")?,
        },
        _ => return Ok(None),
    }))
}

fn get<T: Stored>(data: &Value, name: &str) -> Result<T, ()> {
    T::read(data.get(name).unwrap_or(&Value::Null)).ok_or(())
}
