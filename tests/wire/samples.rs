//! One of every event, and a run that has most of them.

use lastword::Error;
use lastword::event::{Completion, Event, Failure, Interrupt, ModelUsage, Plain, Sealed, Timing, ToolOutcome};
use lastword::input::{Echo, Protocol};
use lastword::profile::Profile;
use lastword::signal::{Stop, Usage};
use lastword::sse::Frame;
use lastword::wire::{Context, Serializer};
use serde_json::json;

/// A moment that is easy to know again.
pub const AT: u64 = 1_796_000_000_000;

/// A profile of a client that declared 1.0.
pub fn modern() -> Profile {
    Profile::new("house-model", Some(Protocol::V1), AT)
}

/// A profile of a client that declared nothing.
pub fn older() -> Profile {
    Profile::new("house-model", None, AT)
}

/// The frames that a fold gives for its next event.
pub fn frames_of(fold: &mut dyn Serializer, cx: &Context<'_>, at: u64, event: &Event) -> Result<Vec<Frame>, Error> {
    let mut frames = Vec::new();
    fold.frames(cx, at, event, &mut frames)?;
    Ok(frames)
}

/// The context of a run under the profile.
pub fn context(profile: &Profile) -> Context<'_> {
    Context { run: "run-1", thread: "thread-1", profile }
}

/// A client's messages and state.
pub fn echo() -> Echo {
    let messages = vec![
        json!({"id": "u1", "role": "user", "content": "Where is my parcel?"}),
        json!({"id": "a1", "role": "assistant", "content": "Which one?"}),
        json!({"id": "u2", "role": "user", "content": [{"type": "text", "text": "The \"red\" one\n"}]}),
    ];
    Echo { messages, state: Some(json!({"cart": [1, null]})), request: None }
}

pub fn usage() -> Vec<ModelUsage> {
    let tokens =
        Usage { input: Some(120), output: Some(30), total: Some(150), cached_input: Some(64), ..Usage::default() };
    vec![ModelUsage { model: Some("vendor-model-2031".into()), tokens }, ModelUsage::default()]
}

fn completion(pending: &[&str]) -> Completion {
    Completion {
        pending: pending.iter().map(|id| (*id).to_owned()).collect(),
        usage: usage(),
        timing: Timing { ttft_ms: Some(90), answer_ms: None, total_ms: 1_200 },
        ..Completion::default()
    }
}

fn interrupts() -> Vec<Interrupt> {
    let full = Interrupt {
        id: "i1".into(),
        reason: "tool_call".into(),
        message: Some("May I refund 20 €?".into()),
        call: Some("c1".into()),
        response_schema: Some(json!({"type": "object"})),
        expires_at: Some(1_700_000_100_000),
        metadata: Some(json!({"tool": "refund"})),
    };
    let bare = Interrupt { id: "i2".into(), reason: "input_required".into(), ..Interrupt::default() };
    vec![full, bare]
}

fn result(call: &str, outcome: ToolOutcome) -> Plain {
    Plain::ShownCallResult { call: call.into(), message: format!("r-{call}"), content: "found".into(), outcome }
}

/// At least one event of every kind, in both spellings where a kind has two.
pub fn every_event() -> Vec<Event> {
    let plain = [
        Plain::IntermediateStart { message: "h1".into() },
        Plain::IntermediateDelta { message: "h1".into(), delta: "Let me \"look\"\n".into(), cuts: Vec::new() },
        Plain::IntermediateEnd { message: "h1".into() },
        Plain::Decided { message: "h1".into(), answer: false },
        Plain::NarrationStart { message: "n1".into() },
        Plain::NarrationDelta { message: "n1".into(), delta: "Looking.".into() },
        Plain::NarrationEnd { message: "n1".into() },
        Plain::ThinkingStart { message: "k1".into(), public: false },
        Plain::ThinkingDelta { message: "k1".into(), public: false, delta: "Hm.".into() },
        Plain::ThinkingEnd { message: "k1".into(), public: false },
        Plain::ThinkingStart { message: "k2".into(), public: true },
        Plain::ThinkingDelta { message: "k2".into(), public: true, delta: "Aha.".into() },
        Plain::ThinkingEnd { message: "k2".into(), public: true },
        Plain::ToolStart { call: "o1".into(), name: "lookup".into() },
        Plain::ToolArgs { call: "o1".into(), delta: "{\"id\":1}".into() },
        Plain::ToolOutput { call: "o1".into(), delta: "found".into() },
        Plain::ToolEnd { call: "o1".into(), outcome: ToolOutcome::Ok },
        Plain::ToolEnd { call: "o1".into(), outcome: ToolOutcome::Error },
        Plain::ToolEnd { call: "o1".into(), outcome: ToolOutcome::Unknown },
        Plain::ShownCallStart { call: "o1".into(), name: "lookup".into(), parent: "run-1-u1".into() },
        Plain::ShownCallArgs { call: "o1".into(), delta: "{\"id\":1}".into() },
        Plain::ShownCallEnd { call: "o1".into() },
        result("o1", ToolOutcome::Ok),
        result("o1", ToolOutcome::Unknown),
        Plain::Working { message: "w".into(), step: 2 },
        Plain::ResponseEnded { ordinal: 1, stop: Stop::Complete, usage: usage().remove(0) },
        Plain::ResponseEnded { ordinal: 2, stop: Stop::Length, usage: ModelUsage::default() },
        Plain::AttemptReset { ordinal: 2 },
        Plain::State { snapshot: json!({"step": 2, "note": null}) },
        Plain::State { snapshot: json!(null) },
    ];
    let failure = |reference: &str| Failure {
        code: "upstream_unavailable".into(),
        message: "The model's provider is not available.".into(),
        reference: reference.into(),
    };
    let sealed = [
        Sealed::Started {},
        Sealed::AnswerStart { message: "a2".into(), refusal: false },
        Sealed::AnswerDelta { message: "a2".into(), refusal: false, delta: "It is in Porto.".into() },
        Sealed::AnswerEnd { message: "a2".into() },
        Sealed::AnswerStart { message: "a3".into(), refusal: true },
        Sealed::AnswerDelta { message: "a3".into(), refusal: true, delta: "I can't say.".into() },
        Sealed::AnswerWithdrawn { message: "a3".into() },
        Sealed::CallStart { call: "c1".into(), name: "pick".into(), parent: "p1".into() },
        Sealed::CallArgs { call: "c1".into(), delta: "{\"n\":1}".into() },
        Sealed::CallEnd { call: "c1".into() },
        Sealed::Completed(completion(&[])),
        Sealed::Completed(Completion { truncated: true, fallback: true, ..completion(&["c1", "c2"]) }),
        Sealed::Completed(Completion::default()),
        Sealed::Interrupted { interrupts: interrupts(), usage: usage() },
        Sealed::Cancelled { usage: usage() },
        Sealed::Failed { failure: failure("ref-7"), unknown: vec!["o1".into()], usage: usage() },
        Sealed::Failed { failure: failure(""), unknown: Vec::new(), usage: Vec::new() },
    ];
    sealed.into_iter().map(Event::from).chain(plain.into_iter().map(Event::from)).collect()
}

/// The kind's name. A new kind does not compile until it is named here, and does not pass until
/// [`every_event`] has one.
pub fn kind(event: &Event) -> &'static str {
    match event {
        Event::Plain(plain) => match plain {
            Plain::IntermediateStart { .. } => "intermediate start",
            Plain::IntermediateDelta { .. } => "intermediate delta",
            Plain::IntermediateEnd { .. } => "intermediate end",
            Plain::Decided { .. } => "decided",
            Plain::NarrationStart { .. } => "narration start",
            Plain::NarrationDelta { .. } => "narration delta",
            Plain::NarrationEnd { .. } => "narration end",
            Plain::ThinkingStart { .. } => "thinking start",
            Plain::ThinkingDelta { .. } => "thinking delta",
            Plain::ThinkingEnd { .. } => "thinking end",
            Plain::ToolStart { .. } => "tool start",
            Plain::ToolArgs { .. } => "tool args",
            Plain::ToolOutput { .. } => "tool output",
            Plain::ToolEnd { .. } => "tool end",
            Plain::ShownCallStart { .. } => "shown call start",
            Plain::ShownCallArgs { .. } => "shown call args",
            Plain::ShownCallEnd { .. } => "shown call end",
            Plain::ShownCallResult { .. } => "shown call result",
            Plain::Working { .. } => "working",
            Plain::ResponseEnded { .. } => "response ended",
            Plain::AttemptReset { .. } => "attempt reset",
            Plain::State { .. } => "state",
        },
        Event::Sealed(sealed) => match sealed {
            Sealed::Started {} => "started",
            Sealed::AnswerStart { .. } => "answer start",
            Sealed::AnswerDelta { .. } => "answer delta",
            Sealed::AnswerEnd { .. } => "answer end",
            Sealed::AnswerWithdrawn { .. } => "answer withdrawn",
            Sealed::CallStart { .. } => "call start",
            Sealed::CallArgs { .. } => "call args",
            Sealed::CallEnd { .. } => "call end",
            Sealed::Completed(_) => "completed",
            Sealed::Interrupted { .. } => "interrupted",
            Sealed::Cancelled { .. } => "cancelled",
            Sealed::Failed { .. } => "failed",
        },
    }
}

/// How many kinds [`kind`] knows.
pub const KINDS: usize = 34;

/// A run that says it works, with a public narration, a tool of ours, two that are shown, public thinking, a state, an answer and two calls
/// for the client that are open at once.
pub fn sample_run() -> Vec<Event> {
    let plain = |event: Plain| Event::from(event);
    let call = |call: &str| Sealed::CallStart { call: call.into(), name: "pick".into(), parent: "p1".into() };
    let args = |call: &str, delta: &str| Sealed::CallArgs { call: call.into(), delta: delta.into() };
    let shown =
        |call: &str| Plain::ShownCallStart { call: call.into(), name: "weather".into(), parent: "run-1-u1".into() };
    let mut run = vec![Sealed::Started {}.into()];
    run.extend([
        plain(Plain::Working { message: "w".into(), step: 1 }),
        plain(Plain::IntermediateStart { message: "h1".into() }),
        plain(Plain::IntermediateDelta { message: "h1".into(), delta: "Held words".into(), cuts: Vec::new() }),
        plain(Plain::IntermediateEnd { message: "h1".into() }),
        plain(Plain::Decided { message: "h1".into(), answer: false }),
        plain(Plain::NarrationStart { message: "n1".into() }),
        plain(Plain::NarrationDelta { message: "n1".into(), delta: "Let me ".into() }),
        plain(Plain::NarrationDelta { message: "n1".into(), delta: "look.".into() }),
        plain(Plain::NarrationEnd { message: "n1".into() }),
        plain(Plain::ToolStart { call: "o1".into(), name: "lookup".into() }),
        plain(Plain::ToolEnd { call: "o1".into(), outcome: ToolOutcome::Ok }),
        plain(shown("o2")),
        plain(Plain::ShownCallArgs { call: "o2".into(), delta: "{\"city\":".into() }),
        plain(shown("o3")),
        plain(Plain::ShownCallArgs { call: "o2".into(), delta: "1}".into() }),
        plain(Plain::ShownCallEnd { call: "o2".into() }),
        plain(Plain::ShownCallEnd { call: "o3".into() }),
        plain(Plain::Working { message: "w".into(), step: 2 }),
        plain(result("o3", ToolOutcome::Error)),
        plain(result("o2", ToolOutcome::Ok)),
        plain(Plain::ThinkingStart { message: "k1".into(), public: true }),
        plain(Plain::ThinkingDelta { message: "k1".into(), public: true, delta: "Porto…".into() }),
        plain(Plain::State { snapshot: json!({"step": 2}) }),
        plain(Plain::ThinkingEnd { message: "k1".into(), public: true }),
    ]);
    let sealed = [
        Sealed::AnswerStart { message: "a2".into(), refusal: false },
        Sealed::AnswerDelta { message: "a2".into(), refusal: false, delta: "In \"Porto\",".into() },
        Sealed::AnswerDelta { message: "a2".into(), refusal: false, delta: " now.".into() },
        Sealed::AnswerEnd { message: "a2".into() },
        call("c1"),
        args("c1", "{\"n\""),
        call("c2"),
        args("c1", ":1}"),
        Sealed::CallEnd { call: "c1".into() },
        args("c2", "{}"),
        Sealed::CallEnd { call: "c2".into() },
        Sealed::Completed(completion(&["c1", "c2"])),
    ];
    run.extend(sealed.into_iter().map(Event::from));
    run
}
