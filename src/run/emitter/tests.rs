use super::*;
use crate::event::{ToolOutcome, View};
use crate::input::Call;
use crate::redact::PassThrough;
use crate::run::fixture::{answer, claim, commit, started};
use crate::run::memory::MemoryStore;
use crate::run::reader::Need;
use crate::run::store::{Expect, Head, Traits};
use crate::sse::Frame;
use crate::turn::TurnOutput;
use std::rc::Rc;

const DO: Traits = Traits::DURABLE_OBJECT;

fn delta(text: &str) -> Plain {
    Plain::IntermediateDelta { message: "m".into(), delta: text.into(), cuts: Vec::new() }
}

/// Everything the operator can read, in order.
fn frames(emitter: &Emitter, store: &MemoryStore) -> Vec<Frame> {
    let reader = emitter.replay(View::Operator, Wire::Canonical, Some(Cursor::START));
    let (frames, need) = crate::driver::collect(store, reader);
    assert!(matches!(need, Need::End | Need::Wait(_)));
    frames
}

/// The types of those.
fn told(emitter: &Emitter, store: &MemoryStore) -> Vec<String> {
    let name =
        |data: &str| serde_json::from_str::<serde_json::Value>(data).unwrap()["type"].as_str().unwrap().to_owned();
    frames(emitter, store).iter().map(|frame| name(&frame.data)).collect()
}

#[test]
fn the_claim_is_event_one_and_nothing_is_seen_before_its_acknowledgement() {
    let (mut emitter, mut store) = (started(DO), MemoryStore::new());
    emitter.seal(2, false);
    assert_eq!(emitter.record().sequence, 0);
    let Some(StoreOp::Save { parts, head: Some(head) }) = emitter.poll() else { panic!("no save") };
    assert_eq!((parts.len(), &head.expect), (2, &Expect::Absent), "the input and the first segment");
    assert_eq!(emitter.poll(), None, "one operation at a time");
    let reply = store.perform(StoreOp::Save { parts, head: Some(head) });
    assert!(matches!(emitter.replied(3, reply), Progress::Committed(_)));
    assert_eq!((emitter.record().sequence, emitter.record().revision), (1, 1));
    assert_eq!(told(&emitter, &store), ["task_started"]);
}

#[test]
fn without_a_batch_the_parts_go_one_by_one_and_the_head_last() {
    let mut emitter = started(Traits { batch: false, ..DO });
    let mut store = MemoryStore::new();
    emitter.seal(2, false);
    let mut heads = Vec::new();
    while let Some(op) = emitter.poll() {
        let StoreOp::Save { parts, head } = &op else { panic!("{op:?}") };
        assert_eq!(parts.len() + usize::from(head.is_some()), 1);
        heads.push(head.is_some());
        let reply = store.perform(op);
        emitter.replied(2, reply);
    }
    assert_eq!(heads, [false, false, true]);
    assert_eq!(emitter.record().sequence, 1);
}

#[test]
fn the_answer_and_its_outcome_are_one_commit_after_all_that_is_open() {
    let (mut emitter, mut store) = (started(DO), MemoryStore::new());
    commit(&mut emitter, &mut store);
    emitter.write(Plain::ToolStart { call: "c".into(), name: "look".into() }).unwrap();
    commit(&mut emitter, &mut store);
    emitter.write(Plain::IntermediateStart { message: "m".into() }).unwrap();
    emitter.write(delta("x")).unwrap();
    emitter.succeed(answer("Yes."), Totals::default()).unwrap();
    let before = told(&emitter, &store).len();
    commit(&mut emitter, &mut store);
    assert_eq!(
        told(&emitter, &store)[before..],
        [
            "intermediate_start",
            "intermediate",
            "intermediate_end",
            "tool_end",
            "content_start",
            "content",
            "content_end",
            "task_completed"
        ]
    );
    assert_eq!((emitter.record().status, emitter.record().revision), (Status::Succeeded, 3));
    assert!(emitter.record().open.is_empty());
}

#[test]
fn the_first_end_stands_and_a_second_writes_nothing() {
    let (mut emitter, mut store) = (started(DO), MemoryStore::new());
    commit(&mut emitter, &mut store);
    emitter.cancel(Totals::default()).unwrap();
    let failure = Failure { code: "x".into(), message: "x".into(), reference: "x".into() };
    assert_eq!(emitter.fail(failure.clone(), Totals::default()).unwrap_err().code(), "run_ended");
    assert_eq!(emitter.succeed(answer("late"), Totals::default()).unwrap_err().code(), "run_ended");
    assert_eq!(emitter.write(delta("late")).unwrap_err().code(), "run_ended");
    commit(&mut emitter, &mut store);
    assert_eq!(emitter.fail(failure, Totals::default()).unwrap_err().code(), "run_ended");
    assert_eq!(told(&emitter, &store), ["task_started", "task_cancelled"]);
}

#[test]
fn a_failure_lists_tools_that_have_not_ended() {
    let (mut emitter, mut store) = (started(DO), MemoryStore::new());
    for call in ["a", "b"] {
        emitter.write(Plain::ToolStart { call: call.into(), name: "pay".into() }).unwrap();
    }
    emitter.write(Plain::ToolEnd { call: "a".into(), outcome: ToolOutcome::Ok }).unwrap();
    let failure = Failure { code: "worker_lost".into(), message: "m".into(), reference: "r".into() };
    emitter.fail(failure.clone(), Totals::default()).unwrap();
    commit(&mut emitter, &mut store);
    assert_eq!(emitter.record().failure, Some(failure));
    let reader = emitter.replay(View::Customer, Wire::Canonical, Some(Cursor::START));
    let (frames, _) = crate::driver::collect(&store, reader);
    let last: serde_json::Value = serde_json::from_str(&frames.last().unwrap().data).unwrap();
    assert_eq!(last["unknown"], serde_json::json!(["b"]));
}

#[test]
fn client_calls_leave_with_the_end_and_share_one_parent() {
    let (mut emitter, mut store) = (started(DO), MemoryStore::new());
    let mut turn = TurnOutput::new("r", Rc::new(PassThrough), Default::default());
    let call = |id: &str| Call { id: id.into(), name: "confirm".into(), arguments: "x".repeat(PIECE + 1) };
    let calls = turn.hand_over(vec![call("a"), call("b")]).unwrap();
    emitter.hand_over(calls, Totals::default()).unwrap();
    commit(&mut emitter, &mut store);
    let one = ["tool_call", "tool_call_args", "tool_call_args", "tool_call_end"];
    assert_eq!(told(&emitter, &store)[1..], [&one[..], &one[..], &["task_completed"]].concat());
}

#[test]
fn neighbouring_deltas_of_one_message_merge_until_they_are_sealed() {
    let (mut emitter, mut store) = (started(DO), MemoryStore::new());
    emitter.write(Plain::IntermediateStart { message: "m".into() }).unwrap();
    for _ in 0..100 {
        emitter.write(delta("ab")).unwrap();
    }
    emitter.write(Plain::IntermediateDelta { message: "other".into(), delta: "c".into(), cuts: Vec::new() }).unwrap();
    commit(&mut emitter, &mut store);
    assert_eq!(emitter.record().sequence, 4);
    emitter.write(delta(&"x".repeat(PIECE))).unwrap();
    emitter.write(delta("y")).unwrap();
    commit(&mut emitter, &mut store);
    assert_eq!(emitter.record().sequence, 6, "no event is larger than a piece");
}

#[test]
fn deltas_that_are_kept_apart_stay_as_many_frames() {
    let (emitter, mut store) = (started(DO), MemoryStore::new());
    let mut emitter = emitter.keeping_deltas(true);
    emitter.write(Plain::IntermediateStart { message: "m".into() }).unwrap();
    for _ in 0..3 {
        emitter.write(delta("ab")).unwrap();
    }
    commit(&mut emitter, &mut store);
    assert_eq!(emitter.record().sequence, 3);
    let frames = frames(&emitter, &store);
    let deltas: Vec<_> = frames.iter().filter(|frame| frame.data.contains(r#""delta":"ab""#)).collect();
    let ids: Vec<_> = deltas.iter().map(|frame| frame.id.as_deref().unwrap()).collect();
    assert_eq!(ids, ["3.1", "3.2", "3"], "the last one of an event has its bare number");
    for _ in 0..2_000 {
        emitter.write(delta("a")).unwrap();
    }
    commit(&mut emitter, &mut store);
    assert_eq!(emitter.record().sequence, 5, "an event has a bound on its cuts");
}

#[test]
fn an_adopted_record_is_written_under_a_token_of_its_own() {
    let (mut first, mut store) = (started(DO), MemoryStore::new());
    commit(&mut first, &mut store);
    let StoreReply::Found(bytes, version) = store.perform(StoreOp::Load(claim("w1", DO).keys.head())) else { panic!() };
    let mut second = Emitter::adopt(claim("w2", DO), RunRecord::decode(&bytes).unwrap(), version);
    second.cancel(Totals::default()).unwrap();
    commit(&mut second, &mut store);
    assert_eq!(told(&second, &store), ["task_started", "task_cancelled"]);
    assert!(store.keys().any(|key| key.contains("/w1/")) && store.keys().any(|key| key.contains("/w2/")));
    // The first writer comes back: what stands is the other's record.
    first.write(Plain::AttemptReset { ordinal: 1 }).unwrap();
    let Progress::Lost(Some(record)) = commit(&mut first, &mut store) else { panic!("not lost") };
    assert_eq!(record.status, Status::Cancelled);
    assert_eq!(told(&second, &store), ["task_started", "task_cancelled"]);
}

/// What a store may do with the save of an end, and what must then stand.
#[test]
fn an_uncertain_end_is_settled_by_reading_again() {
    for (written, expected) in [(true, Status::Succeeded), (false, Status::Succeeded)] {
        let (mut emitter, mut store) = (started(DO), MemoryStore::new());
        commit(&mut emitter, &mut store);
        emitter.succeed(answer("Yes."), Totals::default()).unwrap();
        emitter.seal(9, false);
        let save = emitter.poll().unwrap();
        if written {
            store.perform(save.clone());
        }
        assert_eq!(emitter.replied(9, StoreReply::Uncertain), Progress::None);
        let reread = emitter.poll().unwrap();
        assert!(matches!(reread, StoreOp::Load(_)), "neither claims nor repeats before it knows");
        let found = store.perform(reread);
        match emitter.replied(9, found) {
            Progress::Committed(_) => assert!(written),
            Progress::RetryAt(_) => {
                assert!(!written);
                assert_eq!(emitter.poll(), None, "waits");
                emitter.retry();
                assert_eq!(emitter.poll().as_ref(), Some(&save), "the same bytes under the same expectation");
                let saved = store.perform(save);
                assert!(matches!(emitter.replied(9, saved), Progress::Committed(_)));
            }
            other => panic!("{other:?}"),
        }
        assert_eq!(emitter.record().status, expected);
    }
}

#[test]
fn a_store_that_stays_away_ends_the_writer_without_a_terminal() {
    let (mut emitter, mut store) = (started(DO), MemoryStore::new());
    commit(&mut emitter, &mut store);
    emitter.succeed(answer("Yes."), Totals::default()).unwrap();
    emitter.seal(9, false);
    let mut tries = 0;
    loop {
        assert!(emitter.poll().is_some());
        tries += 1;
        match emitter.replied(9, StoreReply::Unavailable) {
            Progress::RetryAt(at) => assert!(at > 9),
            Progress::GaveUp => break,
            other => panic!("{other:?}"),
        }
        emitter.retry();
    }
    assert_eq!(tries, 11);
    assert_eq!(told(&emitter, &store), ["task_started"]);
}

/// A turn whose answer streams early, and what it has said so far is committed.
fn early(emitter: &mut Emitter, store: &mut MemoryStore) -> TurnOutput {
    use crate::signal::{Phase, Role, Signal};
    let rule = crate::turn::Rule { early: true, ..Default::default() };
    let mut turn = TurnOutput::new("r", Rc::new(PassThrough), &[]).rule(rule);
    turn.signal(Signal::ResponseStart { model: None });
    turn.signal(Signal::ItemStart { role: Role::Assistant, phase: Phase::FinalAnswer });
    turn.signal(Signal::Text("It is ".into()));
    turn.signal(Signal::Text("42.".into()));
    turn.take_early().into_iter().for_each(|step| emitter.write_early(step).unwrap());
    commit(emitter, store);
    assert_eq!(told(emitter, store), ["task_started", "content_start", "content"], "its deltas have merged");
    assert_eq!(emitter.record().open.answer(), Some("r-a"));
    turn
}

#[test]
fn an_early_answer_is_closed_by_success_and_never_repeated() {
    let (mut emitter, mut store) = (started(DO), MemoryStore::new());
    let mut turn = early(&mut emitter, &mut store);
    turn.signal(crate::signal::Signal::ResponseEnd(crate::signal::Stop::Complete));
    emitter.succeed(turn.publish(None).unwrap(), Totals::default()).unwrap();
    commit(&mut emitter, &mut store);
    assert_eq!(told(&emitter, &store)[3..], ["content_end", "task_completed"]);
    assert_eq!(emitter.record().withdrawn, None);
}

#[test]
fn an_early_answer_is_withdrawn_before_any_terminal_but_its_own() {
    let failure = || Failure { code: "x".into(), message: "x".into(), reference: "x".into() };
    for terminal in ["task_failed", "task_cancelled", "task_completed"] {
        let (mut emitter, mut store) = (started(DO), MemoryStore::new());
        early(&mut emitter, &mut store);
        let ended = match terminal {
            "task_failed" => emitter.fail(failure(), Totals::default()),
            "task_cancelled" => emitter.cancel(Totals::default()),
            _ => emitter.succeed(answer(""), Totals::default()),
        };
        ended.unwrap();
        commit(&mut emitter, &mut store);
        assert_eq!(told(&emitter, &store)[3..], ["content_end", "content_withdrawn", terminal]);
        assert_eq!(emitter.record().withdrawn.as_deref(), Some("r-a"));
    }
}

#[test]
fn an_early_answer_whose_writer_is_gone_is_withdrawn_by_whoever_ends_the_run() {
    let (mut first, mut store) = (started(DO), MemoryStore::new());
    early(&mut first, &mut store);
    let StoreReply::Found(bytes, version) = store.perform(StoreOp::Load(claim("w1", DO).keys.head())) else { panic!() };
    let mut second = Emitter::adopt(claim("w2", DO), RunRecord::decode(&bytes).unwrap(), version);
    let failure = Failure { code: "worker_lost".into(), message: "m".into(), reference: "r".into() };
    second.fail(failure, Totals::default()).unwrap();
    commit(&mut second, &mut store);
    assert_eq!(told(&second, &store)[3..], ["content_end", "content_withdrawn", "task_failed"]);
    let StoreReply::Found(bytes, _) = store.perform(StoreOp::Load(claim("w2", DO).keys.head())) else { panic!() };
    assert_eq!(RunRecord::decode(&bytes).unwrap().withdrawn.as_deref(), Some("r-a"));
}

#[test]
fn nothing_streams_early_behind_an_end() {
    let (mut emitter, mut store) = (started(DO), MemoryStore::new());
    let mut turn = early(&mut emitter, &mut store);
    emitter.cancel(Totals::default()).unwrap();
    turn.signal(crate::signal::Signal::Text(" More.".into()));
    let step = turn.take_early().remove(0);
    assert_eq!(emitter.write_early(step).unwrap_err().code(), "run_ended");
}

#[test]
fn a_state_weighs_as_much_as_it_says() {
    let mut emitter = started(DO);
    let before = emitter.pending_bytes();
    emitter.write(Plain::State { snapshot: "x".repeat(1 << 20).into() }).unwrap();
    assert!(emitter.pending_bytes() > before + (1 << 20));
}

#[test]
fn the_head_stays_small_whatever_a_provider_says() {
    use crate::event::{Interrupt, ModelUsage};
    use crate::signal::Usage;
    let (mut emitter, mut store) = (started(DO), MemoryStore::new());
    let mut totals = Totals::default();
    for at in 0..3_000 {
        emitter.write(Plain::AttemptReset { ordinal: 1 }).unwrap();
        commit(&mut emitter, &mut store);
        let most = Some(u64::MAX);
        let [input, output, total, reasoning, cached_input, cache_write] = [most; 6];
        let tokens = Usage { input, output, total, reasoning, cached_input, cache_write };
        crate::run::usage::count(&mut totals.usage, &ModelUsage { model: Some(format!("{at:0256}")), tokens });
    }
    let size = |emitter: &Emitter| emitter.record().encode().len();
    for unit in ["\"", "\u{1}", "x"] {
        let mut turn = TurnOutput::new("r", Rc::new(PassThrough), &[]);
        turn.signal(crate::signal::Signal::ResponseStart { model: None });
        for index in 0..64 {
            let id = format!("{}{index:02}", unit.repeat(62));
            turn.signal(crate::signal::Signal::CallStart { index, id, name: String::new() });
        }
        let decision = turn.signal(crate::signal::Signal::ResponseEnd(crate::signal::Stop::Complete));
        let Some(crate::turn::Decision::Calls(said)) = decision else { panic!("{decision:?}") };
        for call in &said.calls {
            emitter.write(Plain::ToolStart { call: call.id.clone(), name: "n".repeat(256) }).unwrap();
        }
        for message in ["m1", "m2", "m3"] {
            emitter.write(Plain::ThinkingStart { message: message.repeat(32), public: true }).unwrap();
        }
        commit(&mut emitter, &mut store);
        assert_eq!(emitter.record().open.closing().len(), 67);
        assert!(size(&emitter) < 16 << 10, "{unit:?}: {}", size(&emitter));
        for call in said.calls {
            emitter.write(Plain::ToolEnd { call: call.id, outcome: ToolOutcome::Ok }).unwrap();
        }
        for message in ["m1", "m2", "m3"] {
            emitter.write(Plain::ThinkingEnd { message: message.repeat(32), public: true }).unwrap();
        }
    }
    let interrupt = |at| Interrupt {
        id: format!("{}-i{at}", "r".repeat(64)),
        reason: Interrupt::TOOL_CALL.into(),
        message: None,
        call: None,
        response_schema: None,
        expires_at: Some(Millis::MAX),
        metadata: None,
    };
    let mut executor = crate::executor::Executor::new(
        Rc::new(crate::run::fixture::input("r")),
        crate::provider::Format::ChatCompletions,
        "m",
        1,
    );
    let waiting = executor.wait_for((0..64).map(interrupt).collect(), 1).unwrap();
    emitter.interrupt(waiting, totals).unwrap();
    commit(&mut emitter, &mut store);
    assert_eq!(emitter.record().status, Status::Interrupted);
    assert!(size(&emitter) < 16 << 10, "{}", size(&emitter));
}

#[test]
fn a_head_that_a_newer_version_has_written_meanwhile_is_said_to_be_and_stays() {
    let (mut emitter, mut store) = (started(DO), MemoryStore::new());
    commit(&mut emitter, &mut store);
    let key = claim("w1", DO).keys.head();
    let newer = br#"{"v":99}"#.to_vec();
    let head = Head { key: key.clone(), value: newer.clone(), expect: Expect::Any };
    store.perform(StoreOp::Save { parts: vec![], head: Some(head) });
    emitter.cancel(Totals::default()).unwrap();
    let Progress::Unreadable(error) = commit(&mut emitter, &mut store) else { panic!() };
    assert_eq!((error.code(), store.value(&key)), ("record_too_new", Some(newer.as_slice())));
    assert!(!emitter.is_busy() && emitter.poll().is_none());
}
