//! What a client deletes where reads and lists may be old and a key takes one write a second.

use crate::common::{SCOPE, THREAD, input};
use crate::kv::{Fault, Lag};
use crate::reading::{keys, standing};
use crate::world::{Event, LEASE, World, slow};
use lastword::run::{Reply, Status, Traits, index_key};

const KV: Traits = Traits::WORKERS_KV;
const FAR: u64 = 2_000_000_000_000;

/// Two runs of a thread that have ended, and then some minutes.
fn world() -> World {
    let mut world = World::new(3, KV, Lag::None, 5);
    (world.leg, world.reads) = (0, false);
    world.plays("empty-answer");
    for (request, run) in [(1, "run-1"), (2, "run-2")] {
        world.at(0, Event::Post(0, request, input(run, &[])));
        world.go(FAR);
        assert_eq!(standing(&world, run).status, Status::Succeeded);
        world.now += 200_000;
    }
    world
}

fn delete(world: &mut World, instance: usize, run: Option<&str>) -> Reply {
    let request = 100 + world.replies.len() as u32;
    world.at(0, Event::Delete(instance, request, run.map(str::to_owned)));
    world.go(FAR);
    let reply = world.replies.iter().find(|(_, known, _)| *known == request);
    reply.unwrap_or_else(|| panic!("it is answered")).2.clone()
}

fn code(reply: &Reply) -> &'static str {
    match reply {
        Reply::Refused(error) => error.code(),
        other => panic!("{other:?}"),
    }
}

/// Nothing of the run is left but that it was deleted.
fn assert_gone(world: &World, run: &str) {
    let entry = world.kv.value(&index_key(SCOPE, run)).unwrap();
    assert!(String::from_utf8_lossy(entry).contains("\"deleted_at\":"), "{run} has a tombstone");
    let of_run: Vec<&str> = world.kv.keys().into_iter().filter(|key| key.starts_with(&keys(run).all())).collect();
    assert_eq!(of_run, Vec::<&str>::new());
    assert!(!world.kv.keys().iter().any(|key| key.contains("/!list/") && key.ends_with(&format!("-{run}"))));
    assert_eq!(world.kv.hasty, Vec::<String>::new(), "no key is written twice within a second");
}

#[test]
fn a_run_and_a_thread_go_whole_and_are_never_begun_again() {
    for lag in [Lag::None, Lag::Others(60_000)] {
        for (run, gone) in [(Some("run-1"), &["run-1"][..]), (Some("run-2"), &["run-2"]), (None, &["run-1", "run-2"])] {
            let mut world = world();
            world.kv.lag = lag;
            assert_eq!(delete(&mut world, 1, run), Reply::Deleted, "{lag:?} {run:?}");
            gone.iter().for_each(|run| assert_gone(&world, run));
            let begun = world.begun.len();
            world.now += 100_000;
            for (at, run) in gone.iter().enumerate() {
                world.at(0, Event::Post(2, 50 + at as u32, input(run, &[])));
                world.go(FAR);
                assert_eq!(code(&world.replies.last().unwrap().2), "run_deleted");
            }
            world.now += 100_000;
            world.at(0, Event::Post(2, 60, input("run-3", &[])));
            world.go(FAR);
            assert_eq!(standing(&world, "run-3").status, Status::Succeeded, "the thread goes on");
            assert_eq!(world.begun.len(), begun + 1);
        }
    }
}

#[test]
fn one_fault_anywhere_is_gone_over() {
    for run in [Some("run-1"), None] {
        let mut count = 0;
        for at in 0.. {
            for fault in [Fault::Unavailable, Fault::Dropped, Fault::Unheard] {
                let mut world = world();
                (world.kv.count, world.kv.fault) = (0, Some((at, fault)));
                assert_eq!(delete(&mut world, 1, run), Reply::Deleted, "{fault:?} at {at}");
                count = count.max(world.kv.count);
                assert_gone(&world, "run-1");
            }
            if at > count {
                break;
            }
        }
        assert!(count > 8, "{count}");
    }
}

#[test]
fn what_is_not_seen_is_not_deleted() {
    let mut world = World::new(3, KV, Lag::Others(60_000), 5);
    (world.leg, world.reads, world.recovers) = (0, false, false);
    world.model = slow(20_000, 20);
    world.at(0, Event::Post(0, 1, input("run-1", &[])));
    while world.kv.history(&format!("1/{SCOPE}/{THREAD}/!active")).count() == 0 {
        assert!(world.step(FAR));
    }
    // Nothing is to be seen elsewhere: nobody knows that there is nothing.
    let request = |world: &mut World, at: usize, request: u32, run: Option<&str>| {
        world.at(0, Event::Delete(at, request, run.map(str::to_owned)));
        while !world.replies.iter().any(|(_, known, _)| *known == request) {
            assert!(world.step(FAR));
        }
        code(&world.replies.last().unwrap().2)
    };
    // The driver tells of it as `maybe_stale`.
    assert_eq!(request(&mut world, 1, 2, None), "unknown_run");
    assert_eq!(request(&mut world, 1, 3, Some("run-1")), "unknown_run");
    // The entry is to be seen, and no head: it may have begun.
    world.kv.lag = Lag::None;
    assert_eq!(request(&mut world, 2, 4, None), "run_active");
    world.go(FAR);
    assert_eq!(standing(&world, "run-1").status, Status::Succeeded);
    assert_eq!(world.begun.len(), 1);
}

#[test]
fn a_run_whose_writer_is_lost_is_sealed_and_goes() {
    let mut world = World::new(3, KV, Lag::None, 5);
    (world.leg, world.reads, world.recovers) = (0, false, false);
    world.model = slow(50_000, 50);
    world.at(0, Event::Post(0, 1, input("run-1", &[])));
    world.at(20_000, Event::Crash(0));
    world.go(FAR);
    assert_eq!(code(&delete(&mut world, 1, Some("run-1"))), "run_active", "it may live");
    world.now += LEASE + KV.staleness;
    assert_eq!(delete(&mut world, 1, Some("run-1")), Reply::Deleted);
    assert_gone(&world, "run-1");
}
