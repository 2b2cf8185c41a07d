//! Arbitrary events, and arbitrary runs that obey the emitter's order.

use lastword::event::{Completion, Event, Failure, Interrupt, ModelUsage, Plain, Sealed, Timing, ToolOutcome};
use lastword::input::Protocol;
use lastword::profile::Profile;
use lastword::signal::{Stop, Usage};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use serde_json::Value;

/// Text of every kind of character, sometimes too long for one frame.
fn text() -> impl Strategy<Value = String> {
    let long = "[\\x00-\\x1f\"é]{3,6}".prop_map(|unit| unit.repeat(12_000));
    prop_oneof![8 => "\\PC{0,12}", 4 => any::<String>(), 1 => long]
}

fn id() -> impl Strategy<Value = String> {
    prop_oneof![4 => "[a-z0-9.]{1,8}", 1 => any::<String>()]
}

pub fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            vec((any::<String>(), inner), 0..4).prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn model_usage() -> impl Strategy<Value = ModelUsage> {
    let count = || option::of(any::<u64>());
    let counts = (count(), count(), count(), count(), count(), count());
    (option::of(id()), counts).prop_map(|(model, (input, output, total, reasoning, cached_input, cache_write))| {
        ModelUsage { model, tokens: Usage { input, output, total, reasoning, cached_input, cache_write } }
    })
}

fn usage() -> impl Strategy<Value = Vec<ModelUsage>> {
    vec(model_usage(), 0..3)
}

fn plain() -> impl Strategy<Value = Plain> {
    let stop = prop_oneof![Just(Stop::Complete), Just(Stop::Length), Just(Stop::ContentFilter), Just(Stop::Pause)];
    let outcome = prop_oneof![Just(ToolOutcome::Ok), Just(ToolOutcome::Error), Just(ToolOutcome::Unknown)];
    prop_oneof![
        id().prop_map(|message| Plain::IntermediateStart { message }),
        (id(), text(), vec(0..40u32, 0..4)).prop_map(|(message, delta, cuts)| Plain::IntermediateDelta {
            message,
            delta,
            cuts
        }),
        id().prop_map(|message| Plain::IntermediateEnd { message }),
        (id(), any::<bool>()).prop_map(|(message, answer)| Plain::Decided { message, answer }),
        id().prop_map(|message| Plain::NarrationStart { message }),
        (id(), text()).prop_map(|(message, delta)| Plain::NarrationDelta { message, delta }),
        id().prop_map(|message| Plain::NarrationEnd { message }),
        (id(), any::<bool>()).prop_map(|(message, public)| Plain::ThinkingStart { message, public }),
        (id(), any::<bool>(), text()).prop_map(|(message, public, delta)| Plain::ThinkingDelta {
            message,
            public,
            delta
        }),
        (id(), any::<bool>()).prop_map(|(message, public)| Plain::ThinkingEnd { message, public }),
        (id(), id()).prop_map(|(call, name)| Plain::ToolStart { call, name }),
        (id(), text()).prop_map(|(call, delta)| Plain::ToolArgs { call, delta }),
        (id(), text()).prop_map(|(call, delta)| Plain::ToolOutput { call, delta }),
        (id(), outcome.clone()).prop_map(|(call, outcome)| Plain::ToolEnd { call, outcome }),
        (id(), id(), id()).prop_map(|(call, name, parent)| Plain::ShownCallStart { call, name, parent }),
        (id(), text()).prop_map(|(call, delta)| Plain::ShownCallArgs { call, delta }),
        id().prop_map(|call| Plain::ShownCallEnd { call }),
        (id(), id(), text(), outcome).prop_map(|(call, message, content, outcome)| Plain::ShownCallResult {
            call,
            message,
            content,
            outcome
        }),
        (id(), any::<u32>()).prop_map(|(message, step)| Plain::Working { message, step }),
        (any::<u32>(), stop, model_usage()).prop_map(|(ordinal, stop, usage)| Plain::ResponseEnded {
            ordinal,
            stop,
            usage
        }),
        any::<u32>().prop_map(|ordinal| Plain::AttemptReset { ordinal }),
        json().prop_map(|snapshot| Plain::State { snapshot }),
    ]
}

fn terminal() -> impl Strategy<Value = Sealed> {
    let interrupt = (id(), id(), option::of(text()), option::of(id()))
        .prop_map(|(id, reason, message, call)| Interrupt { id, reason, message, call, ..Interrupt::default() });
    let completion = (any::<bool>(), any::<bool>(), vec(id(), 0..3), usage(), option::of(any::<u64>()));
    let completion = completion.prop_map(|(truncated, fallback, pending, usage, ttft_ms)| Completion {
        truncated,
        fallback,
        pending,
        usage,
        timing: Timing { ttft_ms, answer_ms: None, total_ms: 7 },
    });
    let failure = (id(), text(), id()).prop_map(|(code, message, reference)| Failure { code, message, reference });
    prop_oneof![
        completion.prop_map(Sealed::Completed),
        (vec(interrupt, 1..3), usage()).prop_map(|(interrupts, usage)| Sealed::Interrupted { interrupts, usage }),
        usage().prop_map(|usage| Sealed::Cancelled { usage }),
        (failure, vec(id(), 0..3), usage()).prop_map(|(failure, unknown, usage)| Sealed::Failed {
            failure,
            unknown,
            usage
        }),
    ]
}

fn sealed() -> impl Strategy<Value = Sealed> {
    prop_oneof![
        1 => Just(Sealed::Started {}),
        1 => (id(), any::<bool>()).prop_map(|(message, refusal)| Sealed::AnswerStart { message, refusal }),
        2 => (id(), any::<bool>(), text())
            .prop_map(|(message, refusal, delta)| Sealed::AnswerDelta { message, refusal, delta }),
        1 => id().prop_map(|message| Sealed::AnswerEnd { message }),
        1 => (id(), id(), id()).prop_map(|(call, name, parent)| Sealed::CallStart { call, name, parent }),
        2 => (id(), text()).prop_map(|(call, delta)| Sealed::CallArgs { call, delta }),
        1 => id().prop_map(|call| Sealed::CallEnd { call }),
        4 => terminal(),
    ]
}

/// Any terms that a run may have been started under.
pub fn profile() -> impl Strategy<Value = Profile> {
    let protocol = prop_oneof![Just(None), Just(Some(Protocol::V1)), Just(Some(Protocol { major: 1, minor: 7 }))];
    (any::<[bool; 4]>(), protocol, text()).prop_map(|(public, protocol, model)| {
        let [public_intermediate, public_thinking, public_tools, public_working] = public;
        let model: String = model.chars().take(200).collect();
        Profile {
            public_intermediate,
            public_thinking,
            public_tools,
            public_working,
            ..Profile::new(&model, protocol, 7)
        }
    })
}

/// The id of a run or a thread: as long as a request may have it, of any characters.
pub fn long_id() -> impl Strategy<Value = String> {
    prop_oneof![2 => id(), 1 => "[\\x00-\\x1f\"é]".prop_map(|unit| unit.repeat(4_096 / unit.len()))]
}

/// Any event at all.
pub fn event() -> impl Strategy<Value = Event> {
    prop_oneof![plain().prop_map(Event::from), sealed().prop_map(Event::from)]
}

/// The kinds of scope that a run may have.
#[derive(Clone, Copy, Debug)]
enum Scope {
    Held,
    Narration,
    Thinking(bool),
    Answer,
    Call,
    /// A call of ours that is shown, with its result behind it.
    Shown,
}

impl Scope {
    fn events(self, id: String, pieces: Vec<String>) -> Vec<Event> {
        let name = || "pick".to_owned();
        let message = || id.clone();
        let (start, end): (Event, Event) = match self {
            Scope::Held => (
                Plain::IntermediateStart { message: message() }.into(),
                Plain::IntermediateEnd { message: message() }.into(),
            ),
            Scope::Narration => {
                (Plain::NarrationStart { message: message() }.into(), Plain::NarrationEnd { message: message() }.into())
            }
            Scope::Thinking(public) => (
                Plain::ThinkingStart { message: message(), public }.into(),
                Plain::ThinkingEnd { message: message(), public }.into(),
            ),
            Scope::Answer => (
                Sealed::AnswerStart { message: message(), refusal: false }.into(),
                Sealed::AnswerEnd { message: message() }.into(),
            ),
            Scope::Call => (
                Sealed::CallStart { call: message(), name: name(), parent: "calls".into() }.into(),
                Sealed::CallEnd { call: message() }.into(),
            ),
            Scope::Shown => (
                Plain::ShownCallStart { call: message(), name: name(), parent: "shown".into() }.into(),
                Plain::ShownCallEnd { call: message() }.into(),
            ),
        };
        let piece = |delta: String| -> Event {
            match self {
                Scope::Held => Plain::IntermediateDelta { message: message(), delta, cuts: Vec::new() }.into(),
                Scope::Narration => Plain::NarrationDelta { message: message(), delta }.into(),
                Scope::Thinking(public) => Plain::ThinkingDelta { message: message(), public, delta }.into(),
                Scope::Answer => Sealed::AnswerDelta { message: message(), refusal: false, delta }.into(),
                Scope::Call => Sealed::CallArgs { call: message(), delta }.into(),
                Scope::Shown => Plain::ShownCallArgs { call: message(), delta }.into(),
            }
        };
        let result = || Plain::ShownCallResult {
            call: message(),
            message: format!("{id}.r"),
            content: name(),
            outcome: ToolOutcome::Ok,
        };
        let result = matches!(self, Scope::Shown).then(|| result().into());
        std::iter::once(start).chain(pieces.into_iter().map(piece)).chain([end]).chain(result).collect()
    }
}

fn scope() -> impl Strategy<Value = Scope> {
    prop_oneof![
        Just(Scope::Held),
        Just(Scope::Narration),
        any::<bool>().prop_map(Scope::Thinking),
        Just(Scope::Answer),
        Just(Scope::Call),
        Just(Scope::Shown),
    ]
}

/// A run: started, scopes and states that may overlap, a terminal with every scope closed.
pub fn run() -> impl Strategy<Value = Vec<Event>> {
    let piece = prop_oneof![6 => "\\PC{0,6}", 1 => Just("long \"é\" ".repeat(8_000))];
    let scopes = vec((scope(), vec(piece, 0..4)), 0..6);
    let picks = vec((any::<prop::sample::Index>(), option::weighted(0.1, json())), 0..60);
    (scopes, picks, terminal(), any::<bool>()).prop_map(|(scopes, picks, terminal, works)| {
        let mut queues: Vec<_> = scopes
            .into_iter()
            .enumerate()
            .map(|(index, (scope, pieces))| scope.events(format!("s{index}"), pieces).into_iter())
            .collect();
        let mut run = vec![Event::from(Sealed::Started {})];
        let working = |step| Event::from(Plain::Working { message: "w".into(), step });
        run.extend(works.then(|| working(1)));
        for (pick, state) in picks {
            run.extend(state.map(|snapshot| Event::from(Plain::State { snapshot })));
            if works && run.len().is_multiple_of(5) {
                run.push(working(run.len() as u32));
            }
            if !queues.is_empty() {
                run.extend(pick.get_mut(&mut queues).next());
            }
        }
        run.extend(queues.into_iter().flatten());
        run.push(terminal.into());
        run
    })
}
