//! The canonical wire: the event itself, as `{"type":…, <its data, flat>, "meta":{…}}`.
//!
//! `type` is first and `meta` last; an absent value has no key, and no value is null (only inside a
//! host's state, where null is data). Held text and public narration share their types: the public
//! kind says `"public":true`.

use super::{Context, pieces};
use crate::event::{Event, ModelUsage, Plain, Sealed};
use crate::json::{self, Json, Object};
use crate::{Error, Millis};

/// The frames of one committed event.
pub(super) fn frames(cx: &Context<'_>, seq: u64, at: Millis, event: &Event) -> Vec<String> {
    let frame = |delta: &str| {
        json::object(|frame| {
            match event {
                Event::Plain(plain) => write_plain(plain, delta, frame),
                Event::Sealed(sealed) => write_sealed(cx.profile.model.as_str(), sealed, delta, frame),
            }
            write_meta(cx.run, cx.thread, Some((seq, at)), frame);
        })
    };
    match event.delta() {
        Some(text) if event.cuts().is_empty() => pieces::delta_frames(text, frame),
        Some(text) => pieces::cut_frames(text, event.cuts(), frame),
        None => vec![frame("")],
    }
}

/// The reader's own failure.
pub(super) fn failure(cx: &Context<'_>, error: &Error) -> String {
    failure_of(cx.run, cx.thread, error)
}

/// The same in a thread's stream, which then goes on behind that run.
pub fn failure_of(run: &str, thread: &str, error: &Error) -> String {
    json::object(|frame| {
        frame.fields(&[("type", &"error"), ("code", &error.code()), ("message", &error.message())]);
        write_meta(run, thread, None, frame);
    })
}

/// The type of the last frame of a thread's continuous stream.
pub const STREAM_END: &str = "stream_end";

/// The last frame of a thread's continuous stream, which has no end of its own: why it stops.
pub fn stream_end(thread: &str, error: &Error) -> String {
    json::object(|frame| {
        frame.fields(&[("type", &STREAM_END), ("code", &error.code()), ("message", &error.message())]);
        frame.object("meta", |meta| {
            meta.field("thread", &thread);
        });
    })
}

/// The number and the time are those of an event; the reader's failure has none.
fn write_meta(run: &str, thread: &str, place: Option<(u64, Millis)>, frame: &mut Object<'_>) {
    frame.object("meta", |meta| {
        meta.fields(&[("run", &run), ("thread", &thread)]);
        if let Some((seq, at)) = place {
            meta.fields(&[("seq", &seq), ("at", &at)]);
        }
    });
}

/// `delta` is the piece of the event's text that this frame carries.
fn write_plain(plain: &Plain, delta: &str, frame: &mut Object<'_>) {
    let delta = &delta;
    match plain {
        Plain::IntermediateStart { message } => text(frame, "intermediate_start", message, None, false),
        Plain::IntermediateDelta { message, .. } => text(frame, "intermediate", message, Some(delta), false),
        Plain::IntermediateEnd { message } => text(frame, "intermediate_end", message, None, false),
        Plain::NarrationStart { message } => text(frame, "intermediate_start", message, None, true),
        Plain::NarrationDelta { message, .. } => text(frame, "intermediate", message, Some(delta), true),
        Plain::NarrationEnd { message } => text(frame, "intermediate_end", message, None, true),
        Plain::ThinkingStart { message, public } => text(frame, "thinking_start", message, None, *public),
        Plain::ThinkingDelta { message, public, .. } => text(frame, "thinking", message, Some(delta), *public),
        Plain::ThinkingEnd { message, public } => text(frame, "thinking_end", message, None, *public),
        Plain::Decided { message, answer } => put(frame, "decided", &[("message", message), ("answer", answer)]),
        Plain::ToolStart { call, name } => put(frame, "tool_start", &[("call", call), ("name", name)]),
        Plain::ToolArgs { call, .. } => put(frame, "tool_args", &[("call", call), ("delta", delta)]),
        Plain::ToolOutput { call, .. } => put(frame, "tool_output", &[("call", call), ("delta", delta)]),
        Plain::ToolEnd { call, outcome } => put(frame, "tool_end", &[("call", call), ("outcome", outcome)]),
        Plain::ShownCallStart { call, name, parent } => {
            shown(frame, "tool_start", &[("call", call), ("name", name), ("parent", parent)]);
        }
        Plain::ShownCallArgs { call, .. } => shown(frame, "tool_args", &[("call", call), ("delta", delta)]),
        Plain::ShownCallEnd { call } => shown(frame, "tool_args_end", &[("call", call)]),
        Plain::ShownCallResult { call, message, content, outcome } => {
            let data: [(&str, &dyn Json); 4] =
                [("call", call), ("message", message), ("content", content), ("outcome", outcome)];
            shown(frame, "tool_result", &data);
        }
        Plain::Working { message, step } => shown(frame, "working", &[("message", message), ("step", step)]),
        Plain::ResponseEnded { ordinal, stop, usage } => {
            let usage = Usage { model: usage.model.as_deref(), cost: usage };
            put(frame, "response_ended", &[("ordinal", ordinal), ("stop", stop), ("usage", &usage)]);
        }
        Plain::AttemptReset { ordinal } => put(frame, "attempt_reset", &[("ordinal", ordinal)]),
        Plain::State { snapshot } => put(frame, "state", &[("snapshot", snapshot)]),
    }
}

/// `model` is the name that clients are told; the provider's own stays with the operator's events.
fn write_sealed(model: &str, sealed: &Sealed, delta: &str, frame: &mut Object<'_>) {
    match sealed {
        Sealed::Started {} => put(frame, "task_started", &[]),
        Sealed::AnswerStart { message, refusal } => {
            text(frame, "content_start", message, None, false);
            frame.flag("refusal", *refusal);
        }
        Sealed::AnswerDelta { message, refusal, .. } => {
            text(frame, "content", message, Some(delta), false);
            frame.flag("refusal", *refusal);
        }
        Sealed::AnswerEnd { message } => text(frame, "content_end", message, None, false),
        Sealed::AnswerWithdrawn { message } => put(frame, "content_withdrawn", &[("message", message)]),
        Sealed::CallStart { call, name, parent } => {
            put(frame, "tool_call", &[("call", call), ("name", name), ("parent", parent)]);
        }
        Sealed::CallArgs { call, .. } => put(frame, "tool_call_args", &[("call", call), ("delta", &delta)]),
        Sealed::CallEnd { call } => put(frame, "tool_call_end", &[("call", call)]),
        Sealed::Completed(completion) => {
            put(frame, "task_completed", &[]);
            frame.flag("truncated", completion.truncated).flag("fallback", completion.fallback);
            frame.list("pending", &completion.pending);
            write_usage(model, &completion.usage, frame);
            frame.field("timing", &completion.timing);
        }
        Sealed::Interrupted { interrupts, usage } => {
            put(frame, "approval_requested", &[("interrupts", interrupts)]);
            write_usage(model, usage, frame);
        }
        Sealed::Cancelled { usage } => {
            put(frame, "task_cancelled", &[]);
            write_usage(model, usage, frame);
        }
        Sealed::Failed { failure, unknown, usage } => {
            let (code, message) = (&failure.code, &failure.message);
            put(frame, "task_failed", &[("code", code), ("message", message), ("reference", &failure.reference)]);
            frame.field("unknown", unknown);
            write_usage(model, usage, frame);
        }
    }
}

fn put(frame: &mut Object<'_>, kind: &str, data: &[(&str, &dyn Json)]) {
    frame.field("type", &kind).fields(data);
}

/// What only a customer is sent, by option.
fn shown(frame: &mut Object<'_>, kind: &str, data: &[(&str, &dyn Json)]) {
    put(frame, kind, data);
    frame.flag("public", true);
}

/// The start of a text, a piece of it, or its end.
fn text(frame: &mut Object<'_>, kind: &str, message: &str, delta: Option<&str>, public: bool) {
    put(frame, kind, &[("message", &message), ("delta", &delta)]);
    frame.flag("public", public);
}

/// One entry a model whose provider counted anything, under the model's name that clients are told.
pub(crate) fn write_usage(model: &str, costs: &[ModelUsage], frame: &mut Object<'_>) {
    let model = Some(model).filter(|name| !name.is_empty());
    let counted = costs.iter().filter(|cost| cost.tokens != Default::default());
    let usage: Vec<_> = counted.map(|cost| Usage { model, cost }).collect();
    frame.list("usage", &usage);
}

/// The tokens of one model.
struct Usage<'a> {
    model: Option<&'a str>,
    cost: &'a ModelUsage,
}

impl Json for Usage<'_> {
    fn write(&self, out: &mut String) {
        let tokens = &self.cost.tokens;
        let mut usage = Object::begin(out);
        usage.fields(&[
            ("model", &self.model),
            ("input_tokens", &tokens.input),
            ("output_tokens", &tokens.output),
            ("total_tokens", &tokens.total),
            ("reasoning_tokens", &tokens.reasoning),
            ("cached_input_tokens", &tokens.cached_input),
            ("cache_write_tokens", &tokens.cache_write),
        ]);
        usage.end();
    }
}
