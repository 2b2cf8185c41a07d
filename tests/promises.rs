//! The promises of a run, over the blocking driver: order, once, cancel, recovery, limits.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use common::host::forward;
use common::{all, answer, driver, input, input_of, played, reader, record, setup, setup_of, thread, types, value};
use lastword::driver::{Blocking, Host, Simulated, collect, pull};
use lastword::event::View;
use lastword::executor::ToolResult;
use lastword::input::Call;
use lastword::provider::replay;
use lastword::run::{Cursor, Input, Need, Reader, Reply, Status, StoreOp, StoreReply};
use lastword::sse::Frame;
use lastword::wire::Wire;

/// A host that notes what readers can see before and after every save, and may lose one.
struct Ordered {
    inner: Simulated,
    readers: Vec<(Reader, Vec<Frame>)>,
    /// For each save: the newest event that was acknowledged before it, and what was seen by then.
    acknowledged: u64,
    violations: Vec<String>,
    refuse_from: Option<usize>,
    saves: usize,
}

impl Ordered {
    fn new(recording: &str) -> Self {
        let views =
            [(View::Customer, Wire::AgUi), (View::Customer, Wire::Canonical), (View::Operator, Wire::Canonical)];
        let readers = views.map(|(view, wire)| (reader(view, wire, Some(Cursor::START)), Vec::new()));
        let inner = Simulated::new(replay::find(recording).unwrap(), 1);
        Ordered { inner, readers: readers.into(), acknowledged: 0, violations: vec![], refuse_from: None, saves: 0 }
    }

    fn look(&mut self) {
        for (reader, frames) in &mut self.readers {
            if self.acknowledged == 0 {
                continue;
            }
            pull(&self.inner.store, reader, frames);
            let seen = frames
                .last()
                .map_or(0, |frame| frame.id.as_deref().unwrap().split('.').next().unwrap().parse().unwrap());
            if seen > self.acknowledged {
                self.violations.push(format!("{seen} seen, {} acknowledged", self.acknowledged));
            }
        }
    }
}

impl Host for Ordered {
    forward!(wait_until call_model read abort wake set_alarm reply log);

    fn now(&mut self) -> u64 {
        self.look();
        self.inner.now()
    }
    fn store(&mut self, op: StoreOp) -> StoreReply {
        let head = matches!(&op, StoreOp::Save { head: Some(head), .. } if head.key.ends_with("/head"));
        if head {
            self.saves += 1;
            if self.refuse_from.is_some_and(|from| self.saves >= from) {
                return StoreReply::Unavailable;
            }
        }
        self.look();
        let reply = self.inner.store(op);
        if head && matches!(reply, StoreReply::Saved(_)) {
            self.acknowledged = record(&self.inner).sequence;
        }
        reply
    }
    fn call_tool(&mut self, run: &str, call: &Call) -> ToolResult {
        let open = record(&self.inner).open.tools();
        if !open.contains(&call.id) {
            self.violations.push(format!("{} runs though the journal does not name it", call.id));
        }
        self.inner.call_tool(run, call)
    }
}

/// After so many turns the run's machine exists.
const CLAIMED: usize = 12;

/// Lets readers of both views attach once the run's machine exists.
fn watch<H: Host>(driver: &mut Blocking<H>) {
    for _ in 0..CLAIMED {
        driver.turn();
    }
    driver.tell("run-1", Input::Readers { customer: 1, operator: 1 });
}

#[test]
fn nothing_is_seen_before_its_acknowledgement() {
    for name in replay::names() {
        let tools: Vec<&str> = replay::find(name).unwrap().client_tools().iter().map(String::as_str).collect();
        let mut driver = Blocking::new(Ordered::new(name), setup_of(replay::find(name).unwrap()), thread());
        driver.post(1, input("run-1", &tools));
        watch(&mut driver);
        driver.drive();
        driver.host.look();
        assert_eq!(driver.host.violations, Vec::<String>::new(), "{name}");
        for (reader, frames) in &mut driver.host.readers {
            assert_eq!(reader.next(), Need::End, "{name}");
            assert!(!frames.is_empty());
        }
    }
}

#[test]
fn a_store_that_goes_away_at_any_save_lets_no_answer_and_no_terminal_out() {
    let saves = {
        let mut driver = Blocking::new(Ordered::new("narrated-refund"), setup("i1"), thread());
        driver.post(1, input("run-1", &[]));
        driver.drive();
        driver.host.saves
    };
    assert!(saves >= 4, "claim, two tools, end: {saves}");
    for from in 1..=saves {
        let mut driver = Blocking::new(Ordered::new("narrated-refund"), setup("i1"), thread());
        driver.host.refuse_from = Some(from);
        driver.post(1, input("run-1", &[]));
        driver.drive();
        driver.host.look();
        assert_eq!(driver.host.violations, Vec::<String>::new());
        let seen: String = driver.host.readers.iter().flat_map(|(_, frames)| frames).map(|f| f.data.clone()).collect();
        for never in ["TEXT_MESSAGE", "\"content", "RUN_FINISHED", "RUN_ERROR", "task_completed", "task_failed"] {
            assert!(!seen.contains(never), "{never} though save {from} failed");
        }
        assert_eq!(driver.host.inner.logs.last().unwrap().code, "store_unavailable");
        if from == 1 {
            assert!(
                matches!(&driver.host.inner.replies[..], [(1, Reply::Refused(error))] if error.code() == "store_unavailable")
            );
        } else {
            assert!(driver.host.inner.alarm.is_some(), "recovery is asked for");
        }
    }
}

#[test]
fn the_same_run_twice_executes_once_and_another_input_conflicts() {
    let mut driver = driver("narrated-refund");
    driver.post(1, input("run-1", &[]));
    driver.post(2, input("run-1", &[]));
    driver.post(3, input_of("run-1", "Something else", &[]));
    driver.drive();
    driver.post(4, input("run-1", &[]));
    driver.post(5, input_of("run-1", "Something else", &[]));
    driver.drive();
    let replies = |request| driver.host.replies.iter().find(|(known, _)| *known == request).unwrap().1.clone();
    assert_eq!((replies(1), replies(2), replies(4)), (Reply::Started, Reply::Join, Reply::Join));
    for request in [3, 5] {
        assert!(matches!(replies(request), Reply::Refused(error) if error.code() == "run_conflict"));
    }
    assert_eq!(driver.host.bodies.len(), 3, "one execution of three model calls");
}

#[test]
fn a_second_run_waits_its_turn() {
    let mut driver = driver("narrated-refund");
    driver.post(1, input("run-1", &[]));
    for _ in 0..40 {
        driver.turn();
    }
    driver.post(2, input("run-2", &[]));
    driver.drive();
    driver.post(3, input("run-2", &[]));
    driver.drive();
    let refused = &driver.host.replies.iter().find(|(request, _)| *request == 2).unwrap().1;
    assert!(matches!(refused, Reply::Refused(error) if error.code() == "thread_busy"), "{refused:?}");
    assert!(driver.host.replies.contains(&(3, Reply::Started)));
}

#[test]
fn a_cancel_at_any_moment_ends_as_cancelled_or_as_what_already_stood() {
    let mut ends = std::collections::BTreeMap::new();
    for moment in 0..400 {
        let mut driver = driver("narrated-refund");
        driver.post(1, input("run-1", &[]));
        if !(0..moment).all(|_| driver.turn()) {
            break;
        }
        driver.tell("run-1", Input::Cancel { request: 7 });
        let reads = driver.host.reads;
        driver.drive();
        let reply = driver.host.replies.iter().find(|(request, _)| *request == 7).map(|(_, reply)| reply.clone());
        let Some(Reply::Ended(status)) = reply else {
            assert_eq!(reply, Some(Reply::Unknown), "only before there is a run: {moment}");
            continue;
        };
        assert_eq!(record(&driver.host).status, status);
        let frames = all(&driver.host, View::Customer, Wire::AgUi);
        if status == Status::Cancelled {
            assert!(driver.host.reads <= reads + 1, "reads on after the cancel at {moment}");
            assert_eq!(value(frames.last().unwrap())["outcome"]["type"], "cancelled");
            assert_eq!(answer(&frames), None);
        } else {
            assert_eq!(answer(&frames).as_deref(), replay::find("narrated-refund").unwrap().answer());
        }
        *ends.entry(status.name()).or_insert(0) += 1;
    }
    assert!(ends["cancelled"] > 50 && ends["succeeded"] > 0, "{ends:?}");
}

/// The store is all that survives; a new instance comes to it.
fn reborn(store: lastword::run::MemoryStore, recording: &str) -> Blocking<Simulated> {
    let mut host = Simulated::new(replay::find(recording).unwrap(), 1);
    host.store = store;
    Blocking::new(host, setup("i2"), thread())
}

#[test]
fn a_crash_at_any_moment_ends_in_one_outcome_and_never_in_a_second_execution() {
    let mut lost = 0;
    for moment in 0.. {
        let mut first = driver("narrated-refund");
        first.post(1, input("run-1", &[]));
        let mut operator = reader(View::Operator, Wire::Canonical, Some(Cursor::START));
        let mut seen = Vec::new();
        let mut over = false;
        for turn in 0..moment {
            if turn == CLAIMED {
                first.tell("run-1", Input::Readers { customer: 0, operator: 1 });
            }
            over |= !first.turn();
            if first.host.store.keys().any(|key| key.ends_with("/head")) {
                pull(&first.host.store, &mut operator, &mut seen);
            }
        }
        if over {
            break;
        }
        let claimed = first.host.store.keys().any(|key| key.ends_with("/head"));
        let mut second = reborn(first.host.store.clone(), "narrated-refund");
        second.post(2, input("run-1", &[]));
        second.drive();
        let record = record(&second.host);
        assert!(record.is_ended(), "{moment}");
        let after = all(&second.host, View::Operator, Wire::Canonical);
        assert_eq!(after[..seen.len()], seen[..], "what a reader saw stays: {moment}");
        if claimed {
            assert_eq!(second.host.bodies.len(), 0, "never executed again: {moment}");
            if let Some(failure) = &record.failure {
                assert_eq!(failure.code, "worker_lost");
                lost += 1;
                let last = value(after.last().unwrap());
                let ran: Vec<&str> = first.host.tools.iter().map(|call| call.id.as_str()).collect();
                let ended: Vec<String> = after
                    .iter()
                    .map(value)
                    .filter(|event| event["type"] == "tool_end" && event["outcome"] != "unknown")
                    .map(|event| event["call"].as_str().unwrap().to_owned())
                    .collect();
                for call in ran.into_iter().filter(|call| !ended.iter().any(|ended| ended == call)) {
                    let unknown = last["unknown"].as_array().unwrap();
                    assert!(unknown.iter().any(|known| known == call), "{call} ran with an effect that nobody names");
                }
            }
        }
    }
    assert!(lost > 50, "{lost}");
}

#[test]
fn whoever_finds_a_lost_run_is_answered_once_its_end_stands() {
    let mut first = driver("narrated-refund");
    first.post(1, input("run-1", &[]));
    (0..60).for_each(|_| assert!(first.turn()));
    let mut second = reborn(first.host.store.clone(), "narrated-refund");
    second.tell("run-1", Input::Recover { request: 2 });
    second.post(3, input_of("run-1", "Something else", &[]));
    while !second.host.replies.iter().any(|(request, _)| *request == 2) {
        assert!(second.turn());
    }
    assert_eq!(record(&second.host).status, Status::Failed, "when the answer comes");
    assert!(second.host.replies.contains(&(2, Reply::Ended(Status::Failed))));
    second.drive();
    let conflict = second.host.replies.iter().find(|(request, _)| *request == 3).unwrap();
    assert!(matches!(&conflict.1, Reply::Refused(error) if error.code() == "run_conflict"));
}

#[test]
fn an_alarm_alone_ends_a_run_whose_worker_is_gone() {
    let mut first = driver("narrated-refund");
    first.post(1, input("run-1", &[]));
    for _ in 0..60 {
        first.turn();
    }
    assert!(first.host.alarm.is_some());
    let mut second = reborn(first.host.store.clone(), "narrated-refund");
    second.alarm();
    second.drive();
    assert_eq!(record(&second.host).failure.unwrap().code, "worker_lost");
}

#[test]
fn joining_at_every_moment_gives_the_same_transcript() {
    for (name, tools) in [("narrated-refund", &[][..]), ("client-tools-parallel", &["read_location", "read_calendar"])]
    {
        let whole = types(&all(&played(name).host, View::Customer, Wire::AgUi));
        for moment in 0.. {
            let mut driver = driver(name);
            driver.post(1, input("run-1", tools));
            if !(0..moment).all(|_| driver.turn()) {
                break;
            }
            if !driver.host.store.keys().any(|key| key.ends_with("/head")) {
                continue;
            }
            let mut joined = reader(View::Customer, Wire::AgUi, None);
            let mut frames = Vec::new();
            pull(&driver.host.store, &mut joined, &mut frames);
            driver.drive();
            assert_eq!(pull(&driver.host.store, &mut joined, &mut frames), Need::End);
            let types = types(&frames);
            assert_eq!(types[..3], ["RUN_STARTED", "STATE_SNAPSHOT", "MESSAGES_SNAPSHOT"], "{moment}");
            assert_eq!(types.last(), whole.last());
            let prelude: Vec<_> = frames.iter().take_while(|frame| frame.id.is_none()).collect();
            assert_eq!(prelude.len(), 2, "only the prelude's last frame has an id: {moment}");
            let snapshot = value(&frames[2]);
            let messages = snapshot["messages"].as_array().unwrap();
            let ids: Vec<_> = messages.iter().take(5).map(|message| message["id"].as_str().unwrap()).collect();
            assert_eq!(ids, ["u1", "a1", "u2", "a2", "u3"], "the earlier turns are still there");
        }
        // After the end the snapshot holds the answer, and the terminal is still a frame of its own.
        let (frames, need) = collect(&played(name).host.store, reader(View::Customer, Wire::AgUi, None));
        assert_eq!((frames.len(), need), (4, Need::End));
        assert_eq!(value(&frames[2])["messages"].as_array().unwrap().len(), 6);
    }
}

#[test]
fn a_run_that_nobody_watches_costs_a_handful_of_saves() {
    let mut watched = driver("long-answer");
    watched.post(1, input("run-1", &[]));
    watch(&mut watched);
    watched.drive();
    let (watched, alone) = (record(&watched.host), record(&played("long-answer").host));
    assert!(watched.revision > 300, "{}", watched.revision);
    assert!(alone.revision < 40, "{}", alone.revision);
    let text = |record: &lastword::run::RunRecord| record.status;
    assert_eq!((text(&watched), text(&alone)), (Status::Succeeded, Status::Succeeded));
}
