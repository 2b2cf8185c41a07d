//! The canonical wire: the event itself, as `{"type":…, <its data, flat>, "meta":{…}}`.
//!
//! `type` is first and `meta` last; an absent value has no key, and no value is null (only inside a
//! host's state, where null is data). Held text and public narration share their types: the public
//! kind says `"public":true`.

use super::{Context, json};
use crate::event::{Completion, Event, Interrupt, ModelUsage, Plain, Sealed, Timing, ToolOutcome};
use crate::signal::Stop;
use crate::{Error, Millis};
use serde::Serialize;
use serde_json::Value;

/// The frames of one committed event.
pub(super) fn frames(cx: &Context<'_>, seq: u64, at: Millis, event: &Event) -> Result<Vec<String>, Error> {
    let meta = Meta { run: cx.run, thread: cx.thread, seq: Some(seq), at: Some(at) };
    let body = match event {
        Event::Plain(plain) => plain_body(plain),
        Event::Sealed(sealed) => sealed_body(cx.profile.model.as_str(), sealed),
    };
    let mut frame = Frame { body, meta };
    let Some(text) = frame.body.delta().map(|delta| *delta) else {
        return Ok(vec![json::line(&frame)?]);
    };
    json::delta_frames(text, |part| {
        frame.body.delta().into_iter().for_each(|delta| *delta = part);
        json::line(&frame)
    })
}

/// The reader's own failure.
pub(super) fn failure(cx: &Context<'_>, error: &Error) -> String {
    let body = Body::Error { code: error.code(), message: &error.message() };
    let meta = Meta { run: cx.run, thread: cx.thread, seq: None, at: None };
    json::line(&Frame { body, meta }).unwrap_or_else(|_| r#"{"type":"error","code":"internal"}"#.to_owned())
}

#[derive(Serialize)]
struct Frame<'a> {
    #[serde(flatten)]
    body: Body<'a>,
    meta: Meta<'a>,
}

#[derive(Serialize)]
struct Meta<'a> {
    run: &'a str,
    thread: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    seq: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<Millis>,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Body<'a> {
    TaskStarted {},
    IntermediateStart(Text<'a>),
    Intermediate(Text<'a>),
    IntermediateEnd(Text<'a>),
    ThinkingStart(Text<'a>),
    Thinking(Text<'a>),
    ThinkingEnd(Text<'a>),
    Decided {
        message: &'a str,
        answer: bool,
    },
    ContentStart(Text<'a>),
    Content(Text<'a>),
    ContentEnd(Text<'a>),
    ToolStart {
        call: &'a str,
        name: &'a str,
    },
    ToolArgs(CallDelta<'a>),
    ToolOutput(CallDelta<'a>),
    ToolEnd {
        call: &'a str,
        outcome: &'static str,
    },
    ToolCall {
        call: &'a str,
        name: &'a str,
        parent: &'a str,
    },
    ToolCallArgs(CallDelta<'a>),
    ToolCallEnd {
        call: &'a str,
    },
    ResponseEnded {
        ordinal: u32,
        stop: &'static str,
        usage: Usage<'a>,
    },
    AttemptReset {
        ordinal: u32,
    },
    State {
        snapshot: &'a Value,
    },
    ApprovalRequested {
        interrupts: Vec<Asked<'a>>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        usage: Vec<Usage<'a>>,
    },
    TaskCompleted(Completed<'a>),
    TaskCancelled {
        #[serde(skip_serializing_if = "Vec::is_empty")]
        usage: Vec<Usage<'a>>,
    },
    TaskFailed(Failed<'a>),
    Error {
        code: &'a str,
        message: &'a str,
    },
}

/// The start of a text, a piece of it, or its end.
#[derive(Serialize)]
struct Text<'a> {
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    delta: Option<&'a str>,
    #[serde(skip_serializing_if = "is_false")]
    public: bool,
    #[serde(skip_serializing_if = "is_false")]
    refusal: bool,
}

/// A piece of a call's arguments or output.
#[derive(Serialize)]
struct CallDelta<'a> {
    call: &'a str,
    delta: &'a str,
}

#[derive(Serialize)]
struct Completed<'a> {
    #[serde(skip_serializing_if = "is_false")]
    truncated: bool,
    #[serde(skip_serializing_if = "is_false")]
    fallback: bool,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    pending: &'a [String],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    usage: Vec<Usage<'a>>,
    timing: Times,
}

#[derive(Serialize)]
struct Failed<'a> {
    code: &'a str,
    message: &'a str,
    reference: &'a str,
    unknown: &'a [String],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    usage: Vec<Usage<'a>>,
}

#[derive(Serialize)]
struct Asked<'a> {
    id: &'a str,
    reason: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    call: Option<&'a str>,
}

#[derive(Serialize)]
struct Times {
    #[serde(skip_serializing_if = "Option::is_none")]
    ttft_ms: Option<Millis>,
    total_ms: Millis,
}

#[derive(Serialize)]
struct Usage<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    input_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    total_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cached_input_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_write_tokens: Option<u64>,
}

impl<'a> Body<'a> {
    /// The text of a body that may be cut into several.
    fn delta(&mut self) -> Option<&mut &'a str> {
        match self {
            Body::Intermediate(text) | Body::Thinking(text) | Body::Content(text) => text.delta.as_mut(),
            Body::ToolArgs(call) | Body::ToolOutput(call) | Body::ToolCallArgs(call) => Some(&mut call.delta),
            _ => None,
        }
    }
}

fn is_false(value: &bool) -> bool {
    !value
}

fn plain_body(plain: &Plain) -> Body<'_> {
    match plain {
        Plain::IntermediateStart { message } => Body::IntermediateStart(scope(message, false)),
        Plain::IntermediateDelta { message, delta: text } => Body::Intermediate(piece(message, text, false)),
        Plain::IntermediateEnd { message } => Body::IntermediateEnd(scope(message, false)),
        Plain::NarrationStart { message } => Body::IntermediateStart(scope(message, true)),
        Plain::NarrationDelta { message, delta: text } => Body::Intermediate(piece(message, text, true)),
        Plain::NarrationEnd { message } => Body::IntermediateEnd(scope(message, true)),
        Plain::ThinkingStart { message, public } => Body::ThinkingStart(scope(message, *public)),
        Plain::ThinkingDelta { message, public, delta: text } => Body::Thinking(piece(message, text, *public)),
        Plain::ThinkingEnd { message, public } => Body::ThinkingEnd(scope(message, *public)),
        Plain::Decided { message, answer } => Body::Decided { message, answer: *answer },
        Plain::ToolStart { call, name } => Body::ToolStart { call, name },
        Plain::ToolArgs { call, delta } => Body::ToolArgs(CallDelta { call, delta }),
        Plain::ToolOutput { call, delta } => Body::ToolOutput(CallDelta { call, delta }),
        Plain::ToolEnd { call, outcome } => Body::ToolEnd { call, outcome: outcome_name(*outcome) },
        Plain::ResponseEnded { ordinal, stop, usage: cost } => {
            let usage = usage(cost, cost.model.as_deref());
            Body::ResponseEnded { ordinal: *ordinal, stop: stop_name(*stop), usage }
        }
        Plain::AttemptReset { ordinal } => Body::AttemptReset { ordinal: *ordinal },
        Plain::State { snapshot } => Body::State { snapshot },
    }
}

/// `model` is the name that clients are told; the provider's own stays with the operator's events.
fn sealed_body<'a>(model: &'a str, sealed: &'a Sealed) -> Body<'a> {
    match sealed {
        Sealed::Started {} => Body::TaskStarted {},
        Sealed::AnswerStart { message, refusal } => {
            Body::ContentStart(Text { refusal: *refusal, ..scope(message, false) })
        }
        Sealed::AnswerDelta { message, refusal, delta } => {
            Body::Content(Text { refusal: *refusal, ..piece(message, delta, false) })
        }
        Sealed::AnswerEnd { message } => Body::ContentEnd(scope(message, false)),
        Sealed::CallStart { call, name, parent } => Body::ToolCall { call, name, parent },
        Sealed::CallArgs { call, delta } => Body::ToolCallArgs(CallDelta { call, delta }),
        Sealed::CallEnd { call } => Body::ToolCallEnd { call },
        Sealed::Completed(completion) => Body::TaskCompleted(completed(model, completion)),
        Sealed::Interrupted { interrupts, usage } => {
            let interrupts = interrupts.iter().map(asked).collect();
            Body::ApprovalRequested { interrupts, usage: usages(model, usage) }
        }
        Sealed::Cancelled { usage } => Body::TaskCancelled { usage: usages(model, usage) },
        Sealed::Failed { failure, unknown, usage } => Body::TaskFailed(Failed {
            code: &failure.code,
            message: &failure.message,
            reference: &failure.reference,
            unknown,
            usage: usages(model, usage),
        }),
    }
}

fn scope(message: &str, public: bool) -> Text<'_> {
    Text { message, delta: None, public, refusal: false }
}

fn piece<'a>(message: &'a str, delta: &'a str, public: bool) -> Text<'a> {
    Text { delta: Some(delta), ..scope(message, public) }
}

fn completed<'a>(model: &'a str, completion: &'a Completion) -> Completed<'a> {
    let Timing { ttft_ms, total_ms } = completion.timing;
    Completed {
        truncated: completion.truncated,
        fallback: completion.fallback,
        pending: &completion.pending,
        usage: usages(model, &completion.usage),
        timing: Times { ttft_ms, total_ms },
    }
}

fn asked(interrupt: &Interrupt) -> Asked<'_> {
    Asked {
        id: &interrupt.id,
        reason: &interrupt.reason,
        message: interrupt.message.as_deref(),
        call: interrupt.call.as_deref(),
    }
}

/// One entry a model whose provider counted anything.
fn usages<'a>(model: &'a str, costs: &[ModelUsage]) -> Vec<Usage<'a>> {
    let model = Some(model).filter(|name| !name.is_empty());
    costs.iter().filter(|cost| cost.tokens != Default::default()).map(|cost| usage(cost, model)).collect()
}

fn usage<'a>(cost: &ModelUsage, model: Option<&'a str>) -> Usage<'a> {
    let tokens = &cost.tokens;
    Usage {
        model,
        input_tokens: tokens.input,
        output_tokens: tokens.output,
        total_tokens: tokens.total,
        reasoning_tokens: tokens.reasoning,
        cached_input_tokens: tokens.cached_input,
        cache_write_tokens: tokens.cache_write,
    }
}

fn stop_name(stop: Stop) -> &'static str {
    match stop {
        Stop::Complete => "complete",
        Stop::Length => "length",
        Stop::ContentFilter => "content_filter",
        Stop::Pause => "pause",
    }
}

fn outcome_name(outcome: ToolOutcome) -> &'static str {
    match outcome {
        ToolOutcome::Ok => "ok",
        ToolOutcome::Error => "error",
        ToolOutcome::Unknown => "unknown",
    }
}
