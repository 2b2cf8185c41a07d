//! Leases, looks for a cancel, a thread's claims and the cost of a long run, where another instance may be there.

use crate::common::input;
use crate::faults::all;
use crate::kv::{Fault, Lag};
use crate::reading::{check, keys, standing};
use crate::world::{COMPARES, Event, LEASE, World, slow};
use lastword::Millis;
use lastword::run::{Input, Reply, RunRecord, Status, Traits};

const FAR: u64 = 2_000_000_000_000;
const KV: Traits = Traits::WORKERS_KV;

fn world(traits: Traits) -> World {
    let mut world = World::new(3, traits, Lag::None, 3);
    (world.leg, world.kv.compares, world.kv.limited) = (0, traits.staleness == 0, traits.min_interval > 0);
    world
}

fn post(world: &mut World, after: Millis, at: usize, request: u32, run: &str) {
    world.at(after, Event::Post(at, request, input(run, &[])));
}

fn reply(world: &World, request: u32) -> Option<&Reply> {
    world.replies.iter().find(|(_, known, _)| *known == request).map(|(_, _, reply)| reply)
}

fn code(world: &World, request: u32) -> Option<&'static str> {
    match reply(world, request) {
        Some(Reply::Refused(error)) => Some(error.code()),
        _ => None,
    }
}

#[test]
fn a_silent_run_renews_its_lease_whatever_one_operation_does() {
    let mut cases = 0;
    for traits in [KV, COMPARES] {
        let silent = |fault| {
            let mut world = world(traits);
            world.model = slow(110_000, 2);
            world.kv.fault = fault;
            world.post(0, 0, 1);
            world.go(FAR);
            world
        };
        let count = silent(None).kv.count;
        for at in 1..=count {
            for fault in [Fault::Slow(9_000), Fault::Late(9_000), Fault::Unavailable, Fault::Dropped, Fault::Unheard] {
                let world = silent(Some((at, fault)));
                let heads: Vec<_> = world.kv.timed(&keys("run-1").head()).collect();
                for pair in heads.windows(2) {
                    let lease = RunRecord::decode(pair[0].1).unwrap().lease;
                    assert!(pair[1].0 < lease, "{fault:?} at {at}: a lease that ran out is never renewed too late");
                }
                assert!(heads.len() > 8, "{fault:?} at {at} of {count}: {} {:?}", heads.len(), world.replies);
                assert_eq!(standing(&world, "run-1").status, Status::Succeeded, "{fault:?} at {at}");
                cases += 1;
            }
        }
    }
    assert!(cases > 300, "{cases}");
}

#[test]
fn a_lost_run_frees_its_thread_once_its_lease_is_over_and_no_read_can_be_older() {
    for traits in [KV, COMPARES] {
        let mut world = world(traits);
        world.model = slow(50_000, 50);
        post(&mut world, 0, 0, 1, "run-1");
        world.at(20_000, Event::Crash(0));
        world.reads = false;
        post(&mut world, 25_000, 1, 2, "run-2");
        world.go(FAR);
        assert_eq!(code(&world, 2), Some("thread_busy"));
        let over = standing(&world, "run-1").lease + traits.staleness;
        world.now = over - 5_000;
        post(&mut world, 0, 1, 3, "run-2");
        world.go(FAR);
        assert_eq!(code(&world, 3), Some("thread_busy"), "its writer may live");
        world.now = over + 1;
        post(&mut world, 0, 1, 4, "run-2");
        world.go(FAR);
        assert_eq!(reply(&world, 4), Some(&Reply::Started));
        assert_eq!(standing(&world, "run-1").failure.unwrap().code, "worker_lost");
        assert_eq!(standing(&world, "run-2").status, Status::Succeeded);
    }
}

#[test]
fn a_run_without_a_head_keeps_its_thread_as_long_as_it_may_begin() {
    let mut cases = 0;
    for traits in [KV, COMPARES] {
        // The first is lost, or waits, at each operation before it begins; the second comes at any time.
        for at in 1..=12 {
            let lates = (0..5).step_by(if all() { 1 } else { 2 });
            for (late, after) in lates.flat_map(|late| (0..8).map(move |after| (late * 3_600, after * 14_000 + 50))) {
                // Where the store can't compare, two that can't see each other's entries may both begin.
                if traits == KV && after <= late + 3_000 {
                    continue;
                }
                let mut world = world(traits);
                world.kv.fault = Some((at, Fault::Late(late)));
                world.model = slow(10_000, 5);
                (world.recovers, world.reads) = (false, false);
                post(&mut world, 0, 0, 1, "run-1");
                post(&mut world, after, 1, 2, "run-2");
                world.go(FAR);
                let begun: Vec<_> = world.begun.iter().map(|(_, run, at)| (run.as_str(), *at)).collect();
                if let [(first, _), (_, second)] = begun[..] {
                    let ended = standing(&world, first).times.ended_at.unwrap();
                    assert!(ended <= second, "two at once: {at}, late by {late}, {after}");
                }
                assert!(!begun.is_empty());
                cases += 1;
            }
        }
    }
    assert!(cases > if all() { 800 } else { 450 }, "{cases}");
}

#[test]
fn a_run_that_was_lost_before_its_head_lets_another_in_once_it_can_no_longer_begin() {
    for traits in [KV, COMPARES] {
        let mut world = world(traits);
        post(&mut world, 0, 0, 1, "run-1");
        while world.kv.history(&keys("run-1").head()).next().is_none() && world.kv.count < 5 {
            assert!(world.step(FAR));
        }
        world.crash(0);
        post(&mut world, 1_000, 1, 2, "run-2");
        post(&mut world, LEASE + traits.staleness + 10_000, 1, 3, "run-2");
        world.go(FAR);
        assert_eq!(code(&world, 2), Some("thread_busy"));
        assert_eq!(reply(&world, 3), Some(&Reply::Started));
        assert_eq!(world.begun.len(), 1);
    }
}

#[test]
fn whoever_cancels_a_run_that_is_lost_elsewhere_is_told_what_is_known() {
    for traits in [KV, COMPARES] {
        let mut world = world(traits);
        world.model = slow(50_000, 50);
        world.reads = false;
        post(&mut world, 0, 0, 1, "run-1");
        world.at(20_000, Event::Crash(0));
        world.at(21_000, Event::Tell(1, "run-1".into(), Input::Cancel { request: 2 }));
        world.at(22_000, Event::Tell(1, "run-1".into(), Input::Recover { request: 3 }));
        world.at(200_000, Event::Tell(1, "run-1".into(), Input::Cancel { request: 4 }));
        world.at(300_000, Event::Tell(2, "run-2".into(), Input::Cancel { request: 5 }));
        world.go(FAR);
        assert_eq!(reply(&world, 2), Some(&Reply::CancelAsked));
        assert_eq!(reply(&world, 3), Some(&Reply::Join), "whoever reads is not kept waiting");
        assert_eq!(reply(&world, 4), Some(&Reply::Ended(Status::Failed)));
        match traits.staleness {
            0 => assert_eq!(reply(&world, 5), Some(&Reply::Unknown)),
            _ => assert_eq!(code(&world, 5), Some("maybe_stale")),
        }
        assert!(world.kv.value(&keys("run-2").cancel()).is_none(), "nothing is written for a run that is not there");
    }
}

#[test]
fn a_run_whose_host_ends_has_sealed_itself_before() {
    for after in (500..20_000).step_by(700) {
        let mut world = world(KV);
        world.model = slow(60_000, 120);
        world.post(0, 0, 1);
        let at = world.now + after + 10_000;
        world.at(after, Event::Tell(0, "run-1".into(), Input::HostEnds { at }));
        world.go(at);
        let record = standing(&world, "run-1");
        assert_eq!(record.failure.as_ref().map(|failure| failure.code.as_str()), Some("worker_lost"), "{after}");
        world.go(FAR);
        assert!(world.readings.iter().all(|reading| reading.ended));
        check(&world, "run-1");
    }
}

#[test]
fn a_run_of_a_quarter_of_an_hour_stays_within_a_thousand_operations() {
    let mut world = world(KV);
    world.model = slow(890_000, 8_900);
    world.reads = false;
    world.at(3_000, Event::Tell(0, "run-1".into(), Input::Readers { customer: 1, operator: 0 }));
    world.post(0, 0, 1);
    world.go(FAR);
    assert_eq!(standing(&world, "run-1").status, Status::Succeeded);
    let commits = world.kv.history(&keys("run-1").head()).count();
    let operations = world.kv.ops[&0];
    // A reader in the same request that is woken loads the head and a part each time.
    assert!(operations + 2 * commits < 1_000, "{operations} operations, {commits} commits");
    assert!(commits > 100, "and is not silent for long: {commits}");
    let writes: Vec<Millis> = world.kv.timed(&keys("run-1").head()).map(|(at, _)| at).collect();
    assert!(writes.windows(2).all(|pair| pair[1] - pair[0] >= KV.min_interval));
    assert_eq!(world.kv.refused, 0);
}

#[test]
fn an_end_that_a_later_claim_has_hidden_stands_again() {
    let mut world = world(KV);
    world.post(0, 0, 1);
    world.go(FAR);
    let ended = standing(&world, "run-1");
    assert_eq!(ended.status, Status::Succeeded);
    // Another instance sees nothing of it, claims the run and is lost.
    world.kv.lag = Lag::Others(60_000);
    world.post(1_500, 1, 2);
    while standing(&world, "run-1") == ended {
        assert!(world.step(FAR));
    }
    world.crash(1);
    assert_eq!(standing(&world, "run-1").status, Status::Started);
    world.now += 200_000;
    world.read(2, "run-1");
    world.go(FAR);
    assert_eq!(standing(&world, "run-1"), ended);
    assert!(world.readings.iter().all(|reading| reading.ended && reading.frames == world.readings[0].frames));
    assert_eq!(world.begun.len(), 1);
}
