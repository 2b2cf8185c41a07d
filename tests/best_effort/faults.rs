//! Each operation of the store, of a run, a join, a cancel from elsewhere, an answered interrupt and a run whose
//! host ends, goes wrong once in each way it can, or takes an instance with it. Whatever happens: one execution,
//! one end, no reader that was told what no record held, and whoever asks again is answered.
//!
//! A run and an answered interrupt where nothing is compared meet each blow at each operation; for the rest it is
//! every other, by turns. `LASTWORD_FAULTS=all` plays all 1,872 cases.

use crate::common::THREAD;
use crate::kv::{Fault, Lag};
use crate::reading::{check, standing};
use crate::world::{COMPARES, Event, LEASE, World, slow};
use lastword::input::RunInput;
use lastword::run::{Input, Reply, Status, Traits};
use lastword::wire::agui::{Limits, parse};
use serde_json::{Value, json};
use std::rc::Rc;

const FAR: u64 = 2_000_000_000_000;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Story {
    Run,
    Join,
    Cancel,
    Resume,
    HostEnds,
}

/// What happens at the operation of that number.
#[derive(Clone, Copy, Debug)]
enum Blow {
    Fault(Fault),
    /// The instance is lost before, or after, it was performed.
    Crash(usize, bool),
}

fn resume(run: &str, answers: Value) -> Rc<RunInput> {
    let mut body = json!({
        "threadId": THREAD, "runId": run, "protocolVersion": "1.0", "state": {}, "context": [], "forwardedProps": {},
        "messages": [{"id": "u1", "role": "user", "content": "Where is my refund?"}], "resume": answers, "tools": [],
    });
    if body["resume"] == json!([]) {
        body.as_object_mut().unwrap().remove("resume");
    }
    Rc::new(parse(body.to_string().as_bytes(), &Limits::default()).unwrap())
}

/// The run that the story is of, and its input.
fn input(story: Story, world: &World) -> (&'static str, Rc<RunInput>) {
    let yes = json!([{"interruptId": "run-1-i1", "status": "resolved", "payload": {"approved": true}}]);
    match story {
        Story::Resume => ("run-2", resume("run-2", yes)),
        _ => ("run-1", world.input("run-1")),
    }
}

/// Plays the story, with the blow at that operation. How many operations there were, and what it was.
fn play(story: Story, traits: Traits, blow: Option<(usize, Blow)>) -> (usize, World) {
    let mut world = World::new(2, traits, Lag::None, 7);
    (world.leg, world.kv.compares, world.kv.limited) = (0, traits.staleness == 0, traits.min_interval > 0);
    if story == Story::Resume {
        world.plays("approval");
        world.at(0, Event::Post(0, 1, resume("run-1", json!([]))));
        world.go(FAR);
        assert_eq!(standing(&world, "run-1").status, Status::Interrupted);
        (world.kv.count, world.begun, world.now) = (0, Vec::new(), world.now + 100_000);
    }
    if matches!(story, Story::Cancel | Story::HostEnds) {
        world.model = slow(20_000, 8);
    }
    let (run, input) = input(story, &world);
    world.kv.fault = blow.and_then(|(at, blow)| match blow {
        Blow::Fault(fault) => Some((at, fault)),
        Blow::Crash(_, before) => before.then_some((at, Fault::Dropped)),
    });
    let poster = usize::from(story == Story::Resume);
    world.at(0, Event::Post(poster, 2, input.clone()));
    match story {
        Story::Join => world.at(4_000, Event::Tell(1, run.into(), Input::Recover { request: 3 })),
        Story::Cancel => world.at(4_000, Event::Tell(1, run.into(), Input::Cancel { request: 3 })),
        Story::HostEnds => {
            let at = world.now + 7_500;
            world.at(4_000, Event::Tell(poster, run.into(), Input::HostEnds { at }));
        }
        Story::Run | Story::Resume => {}
    }
    while world.step(FAR) {
        if let Some((at, Blow::Crash(instance, _))) = blow
            && world.kv.count == at
        {
            world.crash(instance);
            break;
        }
    }
    world.go(FAR);
    let count = world.kv.count;
    // Much later the client asks once more, elsewhere.
    world.now += 200_000;
    world.at(0, Event::Post(1 - poster, 9, input));
    world.go(FAR);
    world.now += 200_000;
    world.read(poster, run);
    world.go(FAR);
    (count, world)
}

fn assert_kept(story: Story, blow: Option<(usize, Blow)>, world: &World) {
    let case = format!("{story:?} {blow:?}");
    let run = if story == Story::Resume { "run-2" } else { "run-1" };
    // A turn that is gone on with makes no first call; its tools run once.
    let executions = if story == Story::Resume { world.tools } else { world.begun.len() };
    assert!(executions <= 1, "{case}: {executions}");
    let record = standing(world, run);
    assert!(record.is_ended(), "{case}");
    let lost = record.failure.as_ref().is_some_and(|failure| failure.code == "worker_lost");
    assert!(!lost || blow.is_some() || story == Story::HostEnds, "{case}");
    let cancelled = record.status == Status::Cancelled;
    assert!(!cancelled || story == Story::Cancel, "{case}");
    check(world, run);
    assert!(world.readings.last().unwrap().ended, "{case}");
    let last = world.replies.iter().find(|(_, request, _)| *request == 9).unwrap_or_else(|| panic!("{case}"));
    assert!(matches!(last.2, Reply::Join | Reply::Started), "{case}: {last:?}");
    let crashed = matches!(blow, Some((_, Blow::Crash(..))));
    let answered = |request| world.replies.iter().any(|(_, known, _)| *known == request);
    assert!(crashed || answered(2), "{case}");
    assert!(crashed || answered(3) || !matches!(story, Story::Join | Story::Cancel), "{case}");
}

pub fn all() -> bool {
    std::env::var("LASTWORD_FAULTS").is_ok_and(|faults| faults == "all")
}

/// False for the loss of an instance that has no part in the story.
fn strikes(story: Story, blow: Blow) -> bool {
    match (story, blow) {
        (Story::Run | Story::HostEnds, Blow::Crash(at, _)) => at == 0,
        (Story::Resume, Blow::Crash(at, _)) => at == 1,
        _ => true,
    }
}

/// The blows at the operations of all stories on that kind of store: how many cases.
fn exhaust(traits: Traits) -> usize {
    let faults = [Fault::Unavailable, Fault::Dropped, Fault::Unheard, Fault::Slow(5_000), Fault::Slow(LEASE + 10_000)];
    let faults = faults.map(Blow::Fault);
    let old = (traits.staleness > 0).then_some(Blow::Fault(Fault::Old));
    let crashes = [(0, true), (0, false), (1, true), (1, false)].map(|(at, before)| Blow::Crash(at, before));
    let blows: Vec<Blow> = faults.into_iter().chain(old).chain(crashes).collect();
    let mut cases = 0;
    for story in [Story::Run, Story::Join, Story::Cancel, Story::Resume, Story::HostEnds] {
        let (count, world) = play(story, traits, None);
        assert_kept(story, None, &world);
        let run = input(story, &world).0;
        let status = |record: lastword::run::RunRecord| (record.status, record.failure.map(|failure| failure.code));
        let expected = match story {
            Story::Cancel => (Status::Cancelled, None),
            Story::HostEnds => (Status::Failed, Some("worker_lost".to_owned())),
            Story::Run | Story::Join | Story::Resume => (Status::Succeeded, None),
        };
        assert_eq!(status(standing(&world, run)), expected, "{story:?}");
        let cancelled = world.replies.iter().any(|(_, _, reply)| *reply == Reply::Ended(Status::Cancelled));
        assert_eq!(cancelled, story == Story::Cancel, "whoever cancels elsewhere sees it");
        assert!(count > 10);
        let whole = all() || traits.staleness > 0 && matches!(story, Story::Run | Story::Resume);
        let each = (1..=count).flat_map(|at| blows.iter().enumerate().map(move |(nth, blow)| (at, nth, *blow)));
        for (at, _, blow) in each.filter(|(at, nth, blow)| (whole || (at + nth) % 2 == 0) && strikes(story, *blow)) {
            let (_, world) = play(story, traits, Some((at, blow)));
            assert_kept(story, Some((at, blow)), &world);
            cases += 1;
        }
    }
    println!("{cases} cases");
    cases
}

#[test]
fn one_fault_anywhere_on_a_store_that_cannot_compare() {
    let cases = exhaust(Traits::WORKERS_KV);
    assert!(cases > if all() { 1_150 } else { 750 }, "{cases}");
}

#[test]
fn one_fault_anywhere_on_a_shared_store_that_compares() {
    let cases = exhaust(COMPARES);
    assert!(cases > if all() { 650 } else { 300 }, "{cases}");
}
