//! Fifty clients that ask for the same run in the same moment.

use crate::common::{driver, input, reader};
use crate::kv::Lag;
use crate::reading::{check, standing};
use crate::world::World;
use lastword::driver::pull;
use lastword::event::View;
use lastword::run::{Cursor, Need, Reply, Status, Traits};
use lastword::wire::Wire;

const FAR: u64 = 2_000_000_000_000;
const CROWD: usize = 50;

/// Fifty instances, each asked by one client.
fn crowd(lag: Lag) -> World {
    let mut world = World::new(CROWD, Traits::WORKERS_KV, lag, 1);
    (0..CROWD).for_each(|at| world.post(0, at, at as u32 + 1));
    world.go(FAR);
    world
}

fn count(world: &World, is: impl Fn(&Reply) -> bool) -> usize {
    world.replies.iter().filter(|(_, request, reply)| *request > 0 && is(reply)).count()
}

#[test]
fn in_memory_one_execution_and_fifty_equal_transcripts() {
    for spread in 0..4 {
        let mut driver = driver("narrated-refund");
        for request in 1..=CROWD as u32 {
            driver.post(request, input("run-1", &[]));
            (0..spread).for_each(|_| _ = driver.turn());
        }
        driver.drive();
        let replies = &driver.host.replies;
        assert_eq!(replies.iter().filter(|(_, reply)| *reply == Reply::Started).count(), 1);
        assert_eq!(replies.iter().filter(|(_, reply)| *reply == Reply::Join).count(), CROWD - 1);
        assert_eq!(driver.host.bodies.len(), 3, "one execution's calls");
        let transcripts: Vec<_> = (0..CROWD)
            .map(|_| {
                let mut frames = Vec::new();
                let mut reader = reader(View::Customer, Wire::AgUi, Some(Cursor::START));
                assert_eq!(pull(&driver.host.store, &mut reader, &mut frames), Need::End);
                frames
            })
            .collect();
        assert!(transcripts.iter().all(|frames| !frames.is_empty() && *frames == transcripts[0]));
    }
}

#[test]
fn on_a_key_value_store_that_shows_each_claim_one_execution_and_fifty_equal_transcripts() {
    let world = crowd(Lag::None);
    assert_eq!((world.begun.len(), count(&world, |reply| *reply == Reply::Started)), (1, 1));
    assert_eq!(count(&world, |reply| *reply == Reply::Join), CROWD - 1);
    assert!(world.kv.refused > 0, "they write too fast for it");
    assert_eq!(world.readings.len(), CROWD);
    let first = &world.readings[0];
    assert!(world.readings.iter().all(|reading| reading.ended && reading.frames == first.frames));
    check(&world, "run-1");
}

#[test]
fn on_one_that_shows_nobody_anything_for_a_minute_each_is_answered_and_one_outcome_stands() {
    let world = crowd(Lag::Others(60_000));
    let begun = world.begun.len();
    let away = count(&world, |reply| matches!(reply, Reply::Refused(error) if error.code() == "store_unavailable"));
    let joined = count(&world, |reply| *reply == Reply::Join);
    assert_eq!(begun + away + joined, CROWD, "each has begun it, joined it, or was sent away by the fast writes");
    assert!(begun > 1, "not once: {begun} executions");
    assert_eq!(standing(&world, "run-1").status, Status::Succeeded);
    check(&world, "run-1");
}
