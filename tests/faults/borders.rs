//! One thing that goes wrong, at each place where it can.

use crate::check::Count;
use crate::fault::{After, Fault, Op, Plan};
use crate::scenario::{STORES, Scenario, all};

/// Every operation with every fault that it can have.
fn faults(scenario: &Scenario, count: &mut Count) {
    let sound = scenario.sound();
    let Some(played) = count.play(scenario, &sound, &Plan::default()) else { return };
    for (number, op) in played.world.ops.iter().enumerate() {
        for fault in Fault::of(op) {
            count.play(scenario, &sound, &Plan::fault(number, fault));
        }
    }
}

/// At every turn the run is cancelled, or its readers go.
fn turns(scenario: &Scenario, count: &mut Count) {
    let sound = scenario.sound();
    for turn in 0..=sound.turns {
        count.play(scenario, &sound, &Plan { cancel: Some(turn), ..Plan::default() });
        count.play(scenario, &sound, &Plan { deserted: Some(turn), ..Plan::default() });
    }
}

/// At every call of the host, before it is done, its instance is lost, whoever comes to the next one.
fn deaths(scenario: &Scenario, count: &mut Count) {
    let sound = scenario.sound();
    for (at, after) in (0..sound.calls).flat_map(|at| afters().iter().map(move |after| (at, *after))) {
        count.play(scenario, &sound, &Plan { deaths: vec![at], after, ..Plan::default() });
    }
}

/// So is the next one, at every call of its own.
fn deaths_in_pairs(scenario: &Scenario, count: &mut Count) {
    let sound = scenario.sound();
    for (at, after) in (0..sound.calls).flat_map(|at| afters().iter().map(move |after| (at, *after))) {
        for next in 0.. {
            let plan = Plan { deaths: vec![at, next], after, ..Plan::default() };
            let Some(played) = count.play(scenario, &sound, &plan) else { break };
            if played.instances < 3 {
                break;
            }
        }
    }
}

/// Two operations with a fault each.
fn faults_in_pairs(scenario: &Scenario, count: &mut Count) {
    let sound = scenario.sound();
    let Some(played) = count.play(scenario, &sound, &Plan::default()) else { return };
    let of = |op: &Op| -> Vec<(Fault, usize)> { Fault::of(op).into_iter().filter(Fault::is_common).collect() };
    for (first, op) in played.world.ops.iter().enumerate() {
        for fault in of(op) {
            let plan = Plan::fault(first, fault);
            let Some(once) = count.play(scenario, &sound, &plan) else { continue };
            let next = once.world.ops.iter().enumerate().skip(first + fault.1);
            for (second, op) in next {
                for fault in of(op) {
                    count.play(scenario, &sound, &plan.and(second, fault));
                }
            }
        }
    }
}

/// A fault at each operation, and a cancel before the turn that asks for it, or an instance that is lost some
/// calls later.
fn faults_and_more(scenario: &Scenario, count: &mut Count) {
    let sound = scenario.sound();
    let Some(played) = count.play(scenario, &sound, &Plan::default()) else { return };
    for (number, op) in played.world.ops.iter().enumerate() {
        for fault in Fault::of(op).into_iter().filter(Fault::is_common) {
            let plan = Plan::fault(number, fault);
            count.play(scenario, &sound, &Plan { cancel: Some(op.turn), ..plan.clone() });
            count.play(scenario, &sound, &Plan { cancel: Some(op.turn + 1), ..plan.clone() });
            for death in [1, 3, 6].map(|later| number + later) {
                count.play(scenario, &sound, &Plan { deaths: vec![death], ..plan.clone() });
            }
        }
    }
}

/// Who comes to an instance after one that was lost.
fn afters() -> &'static [After] {
    if all() { &[After::Again, After::Heartbeat, After::Alarm, After::Other] } else { &[After::Again, After::Alarm] }
}

/// Plays each scenario over one object, and over the other stores too where all are played, or it is the first.
fn over_stores(scenarios: &[Scenario]) -> Count {
    let mut count = Count::default();
    for (at, scenario) in scenarios.iter().enumerate() {
        let stores = if all() || at == 0 { &STORES[..] } else { &STORES[..1] };
        for store in stores {
            faults(&scenario.over(*store), &mut count);
        }
    }
    count
}

fn each(scenarios: &[Scenario], play: impl Fn(&Scenario, &mut Count)) -> Count {
    let mut count = Count::default();
    scenarios.iter().for_each(|scenario| play(scenario, &mut count));
    count
}

/// The runs and the resumes; where not all are played, only the first of each if that is enough.
fn scenarios(few: bool) -> Vec<Scenario> {
    let (mut runs, mut resumes) = (Scenario::runs(), Scenario::resumes());
    if few && !all() {
        runs.truncate(1);
        resumes.truncate(1);
    }
    [runs, resumes].concat()
}

#[test]
fn every_operation_of_a_run_with_every_fault() {
    over_stores(&Scenario::runs()).assert(1744, 4931);
}

#[test]
fn every_operation_of_a_join_with_every_fault() {
    over_stores(&Scenario::joins()).assert(915, 10_265);
}

#[test]
fn every_operation_of_a_resume_with_every_fault() {
    over_stores(&Scenario::resumes()).assert(1465, 7086);
}

#[test]
fn a_cancel_and_readers_that_go_at_every_turn() {
    each(&scenarios(false), turns).assert(498, 886);
}

#[test]
fn an_instance_that_is_lost_at_every_call_of_its_host() {
    each(&scenarios(false), deaths).assert(462, 1380);
}

#[test]
fn two_instances_that_are_lost_one_after_the_other() {
    each(&scenarios(true), deaths_in_pairs).assert(791, 21_167);
}

#[test]
fn two_operations_with_a_fault_each() {
    each(&scenarios(true), faults_in_pairs).assert(2222, 23_267);
}

#[test]
fn a_fault_beside_a_cancel_or_a_lost_instance() {
    each(&scenarios(true), faults_and_more).assert(467, 3794);
}
