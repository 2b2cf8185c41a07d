//! Every operation of the store that a sweep makes, failing in every way.

use crate::common::{SCOPE, THREAD};
use crate::world::*;
use lastword::error::ErrorKind;
use lastword::run::{Keep, MemoryStore, Reply, ThreadKeys, index_key, list_prefix};
use serde_json::json;
use std::collections::BTreeSet;

/// What is swept: how long is kept, what is deleted, and which runs are then gone.
struct Case {
    name: &'static str,
    keep: Keep,
    deletes: Option<Option<&'static str>>,
    gone: &'static [&'static str],
    /// Runs whose private parts are gone.
    cleared: &'static [&'static str],
}

const NOTHING: Keep = Keep { runs: None, private: None };

const CASES: &[Case] = &[
    Case { name: "all is over", keep: hours(Some(1), None), deletes: None, gone: &RUNS, cleared: &[] },
    Case {
        name: "some is over",
        keep: hours(Some(12), None),
        deletes: None,
        gone: &["run-1", "run-2", "run-3"],
        cleared: &[],
    },
    Case {
        name: "what is private is over",
        keep: hours(None, Some(12)),
        deletes: None,
        gone: &[],
        cleared: &["run-1", "run-3"],
    },
    Case {
        name: "all that is private is over",
        keep: hours(None, Some(1)),
        deletes: None,
        gone: &[],
        cleared: &["run-1", "run-3", "run-5"],
    },
    Case {
        name: "both are over",
        keep: hours(Some(12), Some(10)),
        deletes: None,
        gone: &["run-1", "run-2", "run-3"],
        cleared: &["run-5"],
    },
    Case { name: "a run in the middle", keep: NOTHING, deletes: Some(Some("run-3")), gone: &["run-3"], cleared: &[] },
    Case {
        name: "the first run",
        keep: hours(Some(100), None),
        deletes: Some(Some("run-1")),
        gone: &["run-1"],
        cleared: &[],
    },
    Case { name: "the last run", keep: NOTHING, deletes: Some(Some("run-5")), gone: &["run-5"], cleared: &[] },
    Case { name: "the thread", keep: NOTHING, deletes: Some(None), gone: &RUNS, cleared: &[] },
];

/// A time in hours. The sweeps come half an hour before ten hours are over since the last run.
const fn hours(runs: Option<u64>, private: Option<u64>) -> Keep {
    Keep { runs: millis(runs), private: millis(private) }
}

const fn millis(hours: Option<u64>) -> Option<u64> {
    match hours {
        Some(hours) => Some(hours * HOUR),
        None => None,
    }
}

/// Begins the sweep as a new instance, with a store that fails so.
fn begun(case: &Case, store: &MemoryStore, now: u64, plan: Option<(usize, Fault)>) -> (Driver, Option<Reply>) {
    let alarm = case.deletes.is_none().then_some(now);
    let mut driver = instance(store.clone(), now, alarm, case.keep);
    driver.host.plan = plan;
    let reply = match case.deletes {
        Some(run) => delete(&mut driver, run),
        None => {
            driver.host.inner.alarm = None;
            driver.alarm();
            driver.drive();
            None
        }
    };
    (driver, reply)
}

/// Goes on until the alarm wants nothing that is over by now; who was told nothing, or of a store that is away, asks again.
fn finished(case: &Case, driver: Driver, mut reply: Option<Reply>, now: u64) -> Driver {
    let mut driver = due(driver, case.keep, now);
    for _ in 0..3 {
        if case.deletes.is_none() || reply == Some(Reply::Deleted) {
            break;
        }
        // A front knows a tombstone and asks no further.
        if case.gone.iter().all(|run| is_tombstone(&driver.host.inner.store, run)) {
            break;
        }
        reply = delete(&mut driver, case.deletes.unwrap());
        driver = due(driver, case.keep, now);
    }
    driver
}

/// Lets alarms go off that are set for the next few leases.
fn due(mut driver: Driver, keep: Keep, now: u64) -> Driver {
    for _ in 0..20 {
        if driver.host.crashed {
            let inner = driver.host.inner;
            driver = instance(inner.store, inner.now, inner.alarm, keep);
        }
        driver.host.plan = None;
        match driver.host.inner.alarm {
            Some(at) if at < now + HOUR => {
                driver.host.inner.alarm = None;
                driver.host.inner.now = driver.host.inner.now.max(at);
                driver.alarm();
                driver.drive();
            }
            _ => return driver,
        }
    }
    panic!("the alarm never stops");
}

fn assert_swept(case: &Case, driver: &Driver, before: &MemoryStore, what: &str) {
    let store = &driver.host.inner.store;
    let thread = ThreadKeys::new(SCOPE, THREAD);
    let listed: Vec<&str> = store.keys().filter(|key| key.starts_with(&list_prefix(SCOPE))).collect();
    let mut touched: Vec<String> = vec![thread.active(), thread.pasts(), list_prefix(SCOPE)];
    for run in RUNS {
        let gone = case.gone.contains(&run);
        let keys: BTreeSet<&str> = store.keys().filter(|key| key.starts_with(&thread.run(run).all())).collect();
        assert_eq!(keys.is_empty(), gone, "{what}: {run} {keys:?}");
        assert_eq!(is_tombstone(store, run), gone, "{what}: {run}");
        assert_eq!(listed.iter().any(|key| key.ends_with(run)), !gone, "{what}: {run}");
        let private = keys.iter().any(|key| key.starts_with(&thread.run(run).private()));
        let had = before.keys().any(|key| key.starts_with(&thread.run(run).private()));
        assert_eq!(private, had && !gone && !case.cleared.contains(&run), "{what}: {run}");
        if gone {
            touched.extend([thread.run(run).all(), index_key(SCOPE, run)]);
        } else if case.cleared.contains(&run) {
            touched.push(thread.run(run).private());
        }
    }
    assert_eq!(but(store, &touched), but(before, &touched), "{what}: nothing else is touched");
    let kept = &active(store)["kept"];
    assert_eq!(kept["removing"], json!(null), "{what}");
    assert_ne!(kept["unfinished"], true, "{what}");
    let pasts = store.keys().filter(|key| key.starts_with(&thread.pasts())).count();
    let expected = match case.name {
        "all is over" | "the thread" => 0,
        "some is over" | "both are over" => 1,
        "the first run" => 3,
        _ => 4,
    };
    assert_eq!(pasts, expected, "{what}");
    assert_eq!(active(store)["ordinal"], 5, "{what}: the ordinal stays taken");
}

/// The alarm is for what goes next, or there is none.
fn assert_alarm(case: &Case, driver: &Driver, what: &str) {
    let store = &driver.host.inner.store;
    let ended = |run: &str| head(store, THREAD, run).and_then(|head| head.times.ended_at);
    let next = |span: Option<u64>, over: &dyn Fn(&str) -> bool| {
        let left = RUNS.iter().filter(|run| !case.gone.contains(run) && !over(run));
        span.and_then(|span| left.filter_map(|run| ended(run)).map(|at| at + span).min())
    };
    let runs = next(case.keep.runs, &|_| false);
    let now = driver.host.inner.now;
    let private =
        next(case.keep.private, &|run| ended(run).is_some_and(|at| at + case.keep.private.unwrap_or(0) <= now));
    assert_eq!(driver.host.inner.alarm, runs.into_iter().chain(private).min(), "{what}");
}

#[test]
fn a_sweep_is_gone_on_with_after_any_fault_of_any_operation() {
    let (store, ended) = world();
    let now = ended + 10 * HOUR - HOUR / 2;
    let mut tried = 0;
    for case in CASES {
        let (whole, reply) = begun(case, &store, now, None);
        let ops = whole.host.ops;
        let whole = finished(case, whole, reply, now);
        assert_swept(case, &whole, &store, case.name);
        assert_alarm(case, &whole, case.name);
        assert!(whole.host.widest <= 100);
        for at in 1..=ops {
            for fault in FAULTS {
                let what = format!("{}: {fault:?} at {at} of {ops}", case.name);
                let (driver, reply) = begun(case, &store, now, Some((at, fault)));
                if case.deletes.is_some() && !driver.host.crashed {
                    let away = Reply::Refused(ErrorKind::StoreUnavailable.into());
                    assert!(reply == Some(Reply::Deleted) || reply == Some(away), "{what}: {reply:?}");
                }
                let driver = finished(case, driver, reply, now);
                assert_swept(case, &driver, &store, &what);
                assert_alarm(case, &driver, &what);
                tried += 1;
            }
        }
    }
    println!("{tried} cases");
    assert!(tried > 1_000, "{tried}");
}

#[test]
fn two_faults_in_one_sweep_are_gone_on_with_too() {
    let (store, ended) = world();
    let now = ended + 10 * HOUR - HOUR / 2;
    let case = &CASES[8];
    let (whole, _) = begun(case, &store, now, None);
    let ops = whole.host.ops;
    let mut tried = 0;
    for first in (1..=ops).step_by(3) {
        for second in 1..=12 {
            let (driver, _) = begun(case, &store, now, Some((first, Fault::CrashAfter)));
            let inner = driver.host.inner;
            let mut driver = instance(inner.store, inner.now + LEASE, None, case.keep);
            driver.host.plan = Some((second, Fault::CrashBefore));
            driver.alarm();
            driver.drive();
            let alarm = Some(driver.host.inner.now);
            driver.host.inner.alarm = driver.host.inner.alarm.or(alarm.filter(|_| driver.host.crashed));
            let driver = finished(case, driver, None, now);
            assert_swept(case, &driver, &store, &format!("{first} {second}"));
            tried += 1;
        }
    }
    assert!(tried > 100, "{tried}");
}

/// What each run was asked for with.
fn answers(run: &str) -> serde_json::Value {
    let at = RUNS.iter().position(|known| *known == run).unwrap();
    if at % 2 == 1 { yes(RUNS[at - 1]) } else { json!([]) }
}

#[test]
fn nobody_who_comes_into_a_sweep_that_a_fault_has_stopped_executes_a_run_once_more() {
    let (store, ended) = world();
    let now = ended + 10 * HOUR - HOUR / 2;
    let mut tried = 0;
    for case in CASES {
        let (whole, _) = begun(case, &store, now, None);
        for at in 1..=whole.host.ops {
            for fault in [Fault::CrashBefore, Fault::CrashAfter] {
                let (driver, _) = begun(case, &store, now, Some((at, fault)));
                let inner = driver.host.inner;
                for (number, run) in RUNS.iter().enumerate() {
                    let what = format!("{}: {fault:?} at {at}, then {run}", case.name);
                    let mut driver = instance(inner.store.clone(), inner.now, inner.alarm, case.keep);
                    let reply = post(&mut driver, asked(THREAD, run, &answers(run)));
                    let deleted = Reply::Refused(ErrorKind::RunDeleted.into());
                    let is_there = head(&inner.store, THREAD, run).is_some();
                    match is_tombstone(&inner.store, run) {
                        true => assert_eq!(reply, deleted, "{what}"),
                        false => assert!(is_there && (reply == Reply::Join || reply == deleted), "{what}: {reply:?}"),
                    }
                    assert!(driver.host.inner.bodies.is_empty(), "{what}: no model was called");
                    tried += 1;
                    if at % RUNS.len() == number {
                        let driver = finished(case, driver, None, now);
                        assert_swept(case, &driver, &store, &what);
                    }
                }
            }
        }
    }
    assert!(tried > 1_000, "{tried}");
}

#[test]
fn a_new_run_that_comes_into_a_sweep_that_a_fault_has_stopped_stays() {
    let (store, ended) = world();
    let now = ended + 10 * HOUR - HOUR / 2;
    for case in CASES.iter().filter(|case| case.gone.contains(&"run-5") || case.cleared.contains(&"run-5")) {
        let (whole, _) = begun(case, &store, now, None);
        for at in 1..=whole.host.ops {
            for fault in [Fault::CrashBefore, Fault::CrashAfter] {
                let what = format!("{}: {fault:?} at {at}", case.name);
                let (driver, _) = begun(case, &store, now, Some((at, fault)));
                let inner = driver.host.inner;
                let mut driver = instance(inner.store, inner.now, inner.alarm, case.keep);
                let started = post(&mut driver, asked(THREAD, "run-6", &json!([]))) == Reply::Started;
                let ordinal = active(&driver.host.inner.store)["ordinal"].clone();
                assert_eq!(ordinal, 5 + u32::from(started), "{what}");
                let driver = finished(case, due(driver, case.keep, now), None, now);
                assert_eq!(head(&driver.host.inner.store, THREAD, "run-6").is_some(), started, "{what}");
                for run in case.gone.iter().filter(|_| case.deletes.is_none()) {
                    assert!(is_tombstone(&driver.host.inner.store, run), "{what}: {run}");
                    assert!(head(&driver.host.inner.store, THREAD, run).is_none(), "{what}: {run}");
                }
                if started {
                    assert_eq!(active(&driver.host.inner.store)["run"], "run-6", "{what}");
                }
            }
        }
    }
}
