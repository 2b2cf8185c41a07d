//! Racers for one run, in any interleaving.
//!
//! What holds: every record that ever stands is whole, with one end; a reader is sent the beginning of what one
//! record tells and never goes back; claims that see each other begin one execution, those that don't at most
//! one each; once they do see each other one goes on and never none; in the end an outcome stands.
//! What does not: that there was one execution, that the first outcome stands, that no reader is cut off.

use crate::faults::all;
use crate::kv::Lag;
use crate::reading::{Reading, check, keys, standing};
use crate::world::{COMPARES, Event, World, slow};
use lastword::run::{Reply, RunRecord, Status, Traits};
use proptest::prelude::*;
use std::collections::BTreeSet;

const KV: Traits = Traits::WORKERS_KV;
const FAR: u64 = 2_000_000_000_000;

fn started(world: &World) -> usize {
    world.replies.iter().filter(|(_, _, reply)| *reply == Reply::Started).count()
}

/// Once somebody has looked after it, whoever comes is sent the whole of what stands, and it has ended.
fn stands(world: &mut World) {
    for _ in 0..3 {
        world.now += 200_000;
        world.read(0, "run-1");
        world.go(FAR);
    }
    world.now += 200_000;
    let record = standing(world, "run-1");
    assert!(record.is_ended());
    let mut late = Reading::new(99, "run-1");
    late.poll(&mut world.kv, world.now);
    assert!(late.ended, "{:?}", late.failed);
    world.readings.push(late);
    check(world, "run-1");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(80) })]

    #[test]
    fn racers_that_see_each_other_begin_one_execution(
        seed in any::<u64>(), racers in 2usize..6, spread in 0u64..3_000, limited in any::<bool>(),
    ) {
        let mut world = World::new(racers, KV, Lag::None, seed);
        world.kv.limited = limited;
        for racer in 0..racers {
            let after = world.dice.roll(spread + 1);
            world.post(after, racer, racer as u32 + 1);
        }
        world.go(FAR);
        prop_assert_eq!((world.begun.len(), started(&world), world.replies.len()), (1, 1, racers));
        prop_assert_eq!(standing(&world, "run-1").status, Status::Succeeded);
        prop_assert!(world.readings.iter().all(|reading| reading.ended));
        stands(&mut world);
    }

    #[test]
    fn racers_on_a_store_that_compares_begin_one_execution(
        seed in any::<u64>(), racers in 2usize..6, spread in 0u64..2_000, uncertain in 0u64..30,
    ) {
        let mut world = World::new(racers, COMPARES, Lag::None, seed);
        (world.kv.compares, world.kv.limited, world.kv.uncertain) = (true, false, uncertain);
        for racer in 0..racers {
            let after = world.dice.roll(spread + 1);
            world.post(after, racer, racer as u32 + 1);
        }
        world.go(FAR);
        prop_assert!(world.begun.len() <= 1);
        prop_assert!(started(&world) <= 1);
        if world.begun.len() == 1 {
            stands(&mut world);
        }
    }

    #[test]
    fn whatever_is_read_each_racer_begins_at_most_once_and_an_outcome_stands(
        seed in any::<u64>(), racers in 1usize..5, spread in 0u64..90_000, uncertain in 0u64..20,
        old in 0u64..60_001, crash in proptest::option::of(0u64..20_000), joins in 0usize..3, own in any::<bool>(),
    ) {
        let lag = if own { Lag::Others(old) } else { Lag::Random(old) };
        let mut world = World::new(racers + 2, KV, lag, seed);
        world.kv.uncertain = uncertain;
        for racer in 0..racers {
            let after = world.dice.roll(spread + 1);
            world.post(after, racer, racer as u32 + 1);
        }
        for join in 0..joins {
            let input = lastword::run::Input::Recover { request: 90 + join as u32 };
            world.at(join as u64 * 40_000, Event::Tell(racers + join % 2, "run-1".into(), input));
        }
        if let Some(after) = crash {
            world.at(after, Event::Crash(0));
        }
        world.go(FAR);
        prop_assert!(world.begun.len() <= racers);
        prop_assert!(world.begun.iter().all(|(instance, ..)| *instance < racers), "no join begins a run");
        let who: BTreeSet<usize> = world.begun.iter().map(|(instance, ..)| *instance).collect();
        prop_assert_eq!(who.len(), world.begun.len(), "each at most once");
        for (_, request, reply) in &world.replies {
            let unseen = matches!(reply, Reply::Refused(error) if error.code() == "maybe_stale");
            let away = matches!(reply, Reply::Refused(error) if error.code() == "store_unavailable");
            let fine = matches!(reply, Reply::Started | Reply::Join | Reply::Ended(_));
            prop_assert!(fine || unseen || away || *request == 0, "{reply:?}");
        }
        if world.kv.value(&keys("run-1").head()).is_some() {
            stands(&mut world);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(10) })]

    #[test]
    fn of_racers_that_see_each_other_late_one_goes_on(
        seed in any::<u64>(), racers in 2usize..5, spread in 0u64..30_000, old in 0u64..25_000,
    ) {
        let mut world = World::new(racers, KV, Lag::Random(old), seed);
        // The run takes longer than it takes to see each other, which is shorter than a lease.
        world.model = slow(200_000, 400);
        for racer in 0..racers {
            let after = world.dice.roll(spread + 1);
            world.post(after, racer, racer as u32 + 1);
        }
        world.go(FAR);
        prop_assert!(world.begun.len() <= racers);
        let heads: Vec<RunRecord> =
            world.kv.history(&keys("run-1").head()).map(|head| RunRecord::decode(head).unwrap()).collect();
        let claim = |record: &RunRecord| (record.times.started_at, record.writers[0].token.clone());
        let ended: BTreeSet<_> = heads.iter().filter(|head| head.is_ended()).map(claim).collect();
        prop_assert_eq!(ended.len(), 1, "{:?}", ended);
        prop_assert_eq!(standing(&world, "run-1").status, Status::Succeeded);
        stands(&mut world);
    }
}

#[test]
fn racers_whose_reads_are_as_old_as_may_be_seldom_stop_each_other() {
    let worlds = if all() { 50 } else { 25 };
    let (mut done, mut begun) = (0, 0);
    for seed in 0..worlds {
        let mut world = World::new(2, KV, Lag::Random(60_000), seed);
        world.model = slow(200_000, 40);
        world.post(0, 0, 1);
        world.post(seed * 30_000 / worlds, 1, 2);
        world.go(FAR);
        let record = standing(&world, "run-1");
        done += usize::from(record.status == Status::Succeeded);
        begun += world.begun.len();
        stands(&mut world);
    }
    let few = |count: usize, tenths: u64| count as u64 * 10 <= worlds * tenths;
    assert!(!few(done, 8) && few(begun, 13), "of {worlds} {done} were done, in {begun} executions");
}

#[test]
fn an_instance_that_does_not_see_its_own_end_writes_no_sooner_again() {
    let mut sealed = 0;
    for seed in 0..400 {
        let mut world = World::new(1, KV, Lag::Random(2_200), seed);
        world.post(0, 0, 1);
        world.at(3_400, Event::Crash(0));
        world.go(FAR);
        if world.kv.value(&keys("run-1").head()).is_some() {
            stands(&mut world);
            sealed += 1;
        }
    }
    assert!(sealed > 200, "{sealed}");
}
