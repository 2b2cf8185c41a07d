//! What a client deletes, and what a thread is after that.

use crate::common::{SCOPE, THREAD};
use crate::world::*;
use lastword::driver::Host;
use lastword::error::ErrorKind;
use lastword::event::View;
use lastword::run::{Follow, Keep, Need, Position, Reply, Since, Status, StoreOp, StoreReply, ThreadKeys};
use lastword::sse::Frame;
use serde_json::json;

const FOREVER: Keep = Keep { runs: None, private: None };

fn refused(kind: ErrorKind) -> Option<Reply> {
    Some(Reply::Refused(kind.into()))
}

fn code(reply: &Reply) -> &'static str {
    match reply {
        Reply::Refused(error) => error.code(),
        other => panic!("{other:?}"),
    }
}

/// Everything that whoever follows the thread is sent now, and whether it then waits.
fn followed(driver: &Driver, since: Since) -> (Vec<Frame>, Need) {
    let mut follow = Follow::new(SCOPE, THREAD, View::Customer, since);
    let mut frames = Vec::new();
    for _ in 0..1_000 {
        match follow.next() {
            Need::Load(key) => follow.loaded(&key, driver.host.inner.store.value(&key)),
            Need::Frames(some) => frames.extend(some),
            other => return (frames, other),
        }
    }
    panic!("it reads without end");
}

fn ordinals(frames: &[Frame]) -> Vec<String> {
    let mut ordinals: Vec<String> =
        frames.iter().filter_map(|frame| frame.id.as_ref()?.split_once('-').map(|(o, _)| o.to_owned())).collect();
    ordinals.dedup();
    ordinals
}

#[test]
fn what_has_not_ended_is_not_deleted() {
    let (store, now) = world();
    let mut driver = instance(store, now, None, FOREVER);
    driver.post(1, asked(THREAD, "run-6", &yes("run-5")));
    while head(&driver.host.inner.store, THREAD, "run-6").is_none() {
        assert!(driver.turn());
    }
    for run in [Some("run-6"), Some("run-5"), None] {
        driver.host.inner.replies.clear();
        driver.delete(9, run);
        while !driver.host.inner.replies.iter().any(|(request, _)| *request == 9) {
            assert!(driver.turn());
        }
        assert_eq!(driver.host.inner.replies.last().unwrap().1, refused(ErrorKind::RunActive).unwrap(), "{run:?}");
    }
    driver.drive();
    assert_eq!(head(&driver.host.inner.store, THREAD, "run-6").unwrap().status, Status::Succeeded);
    assert_eq!(delete(&mut driver, Some("run-6")), Some(Reply::Deleted));
}

#[test]
fn another_run_may_be_deleted_while_one_is_at_work_and_nothing_else_goes_meanwhile() {
    let (store, now) = world();
    let keep = Keep { runs: Some(HOUR), private: None };
    let mut driver = instance(store, now + 10 * HOUR, None, keep);
    driver.post(1, asked(THREAD, "run-6", &yes("run-5")));
    while head(&driver.host.inner.store, THREAD, "run-6").is_none() {
        assert!(driver.turn());
    }
    driver.delete(9, Some("run-2"));
    while !driver.host.inner.replies.iter().any(|(request, _)| *request == 9) {
        assert!(driver.turn());
        if head(&driver.host.inner.store, THREAD, "run-6").unwrap().status == Status::Started {
            assert!(head(&driver.host.inner.store, THREAD, "run-1").is_some(), "it is kept too long already");
        }
    }
    assert!(is_tombstone(&driver.host.inner.store, "run-2"));
    driver.drive();
    assert_eq!(head(&driver.host.inner.store, THREAD, "run-6").unwrap().status, Status::Succeeded);
    let left = RUNS.iter().filter(|run| head(&driver.host.inner.store, THREAD, run).is_some());
    assert_eq!(left.count(), 0, "once it has ended they go");
    assert_eq!(
        driver.host.inner.alarm,
        Some(head(&driver.host.inner.store, THREAD, "run-6").unwrap().times.ended_at.unwrap() + HOUR)
    );
}

#[test]
fn a_run_whose_worker_was_lost_is_sealed_and_then_deleted() {
    for whole in [false, true] {
        let (store, now) = world();
        let mut lost = instance(store, now, None, FOREVER);
        lost.post(1, asked(THREAD, "run-6", &yes("run-5")));
        while head(&lost.host.inner.store, THREAD, "run-6").is_none() {
            assert!(lost.turn());
        }
        let mut driver = instance(lost.host.inner.store.clone(), now + 1, Some(now + LEASE), FOREVER);
        let run = if whole { None } else { Some("run-6") };
        assert_eq!(delete(&mut driver, run), Some(Reply::Deleted));
        assert!(is_tombstone(&driver.host.inner.store, "run-6"));
        assert_eq!(driver.host.inner.alarm, None);
        assert!(!driver.host.inner.logs.is_empty(), "that it was lost is in the log");
    }
}

#[test]
fn what_is_gone_is_never_executed_again_and_its_ordinal_never_given_again() {
    let (store, now) = world();
    for runs in [vec!["run-5"], vec!["run-4", "run-5"], vec![]] {
        let mut driver = instance(store.clone(), now, None, FOREVER);
        let whole = runs.is_empty();
        for run in &runs {
            assert_eq!(delete(&mut driver, Some(run)), Some(Reply::Deleted));
        }
        if whole {
            assert_eq!(delete(&mut driver, None), Some(Reply::Deleted));
            assert_eq!(delete(&mut driver, None), Some(Reply::Deleted), "again");
        }
        for run in if whole { RUNS.to_vec() } else { runs.clone() } {
            assert_eq!(code(&post(&mut driver, asked(THREAD, run, &json!([])))), "run_deleted");
            assert_eq!(code(&post(&mut driver, asked(THREAD, run, &yes("run-1")))), "run_deleted");
        }
        assert_eq!(delete(&mut driver, Some("never")), refused(ErrorKind::UnknownRun));
        assert_eq!(post(&mut driver, asked(THREAD, "run-6", &json!([]))), Reply::Started);
        assert_eq!(active(&driver.host.inner.store)["ordinal"], 6);
        let (frames, need) = followed(&driver, Since::After(Position::START));
        assert!(matches!(need, Need::Wait(_)), "{need:?}");
        let expected: &[&str] = match (whole, runs.len()) {
            (true, _) => &["6"],
            (_, 1) => &["1", "2", "3", "4", "6"],
            _ => &["1", "2", "3", "6"],
        };
        assert_eq!(ordinals(&frames), expected);
    }
}

#[test]
fn whoever_follows_passes_over_what_is_gone_and_waits_behind_it() {
    let (store, now) = world();
    let every: Vec<Vec<&str>> = (0..32)
        .map(|set| RUNS.iter().enumerate().filter(|(at, _)| set & (1 << at) != 0).map(|(_, run)| *run).collect())
        .collect();
    for gone in every {
        let mut driver = instance(store.clone(), now, None, FOREVER);
        for run in &gone {
            assert_eq!(delete(&mut driver, Some(run)), Some(Reply::Deleted), "{gone:?}");
        }
        let left: Vec<String> = RUNS
            .iter()
            .enumerate()
            .filter(|(_, run)| !gone.contains(run))
            .map(|(at, _)| (at + 1).to_string())
            .collect();
        for since in 1..=5_u32 {
            let at = Since::parse(&format!("{since}-0")).unwrap();
            let (frames, need) = followed(&driver, at);
            assert!(matches!(need, Need::Wait(_)), "{gone:?} {since} {need:?}");
            let behind: Vec<&String> = left.iter().filter(|ordinal| ordinal.parse::<u32>().unwrap() >= since).collect();
            assert_eq!(ordinals(&frames).iter().collect::<Vec<_>>(), behind, "{gone:?} {since}");
        }
        let (frames, need) = followed(&driver, Since::Latest);
        assert!(frames.is_empty() && matches!(need, Need::Wait(_)), "{gone:?} {need:?}");
        let (_, need) = followed(&driver, Since::parse("7-0").unwrap());
        assert!(matches!(need, Need::Fail(..)), "the thread never came that far");
    }
}

#[test]
fn a_follower_that_waits_goes_on_with_the_next_run() {
    let (store, now) = world();
    let mut driver = instance(store, now, None, FOREVER);
    for since in [Since::Latest, Since::After(Position::START)] {
        let mut follow = Follow::new(SCOPE, THREAD, View::Customer, since);
        let read = |follow: &mut Follow, driver: &Driver| {
            let mut frames = Vec::new();
            loop {
                match follow.next() {
                    Need::Load(key) => follow.loaded(&key, driver.host.inner.store.value(&key)),
                    Need::Frames(some) => frames.extend(some),
                    Need::Wait(_) => return ordinals(&frames),
                    other => panic!("{other:?}"),
                }
            }
        };
        read(&mut follow, &driver);
        assert_eq!(delete(&mut driver, None), Some(Reply::Deleted));
        follow.wake(1);
        assert!(read(&mut follow, &driver).is_empty());
        let next = active(&driver.host.inner.store)["ordinal"].as_u64().unwrap() + 1;
        let run = format!("run-{}", next + 4);
        assert_eq!(post(&mut driver, asked(THREAD, &run, &json!([]))), Reply::Started);
        follow.wake(2);
        assert_eq!(read(&mut follow, &driver), [next.to_string()]);
    }
}

#[test]
fn a_question_whose_turn_is_gone_is_answered_no_more_and_the_thread_goes_on() {
    let (store, now) = world();
    let keep = Keep { runs: None, private: Some(HOUR) };
    let mut driver = instance(store, now + 2 * HOUR, None, keep);
    driver.alarm();
    driver.drive();
    let store = driver.host.inner.store.clone();
    assert_eq!(head(&store, THREAD, "run-5").unwrap().status, Status::Interrupted);
    let late = post(&mut driver, asked(THREAD, "run-6", &yes("run-5")));
    assert_eq!(code(&late), "interrupt_expired");
    assert_eq!(but(&driver.host.inner.store, &[]), but(&store, &[]), "a refusal changes nothing");
    assert_eq!(post(&mut driver, asked(THREAD, "run-7", &json!([]))), Reply::Started);
    assert_eq!(active(&driver.host.inner.store)["ordinal"], 6);
    // The question itself is still there to be read.
    assert!(ordinals(&followed(&driver, Since::After(Position::START)).0).contains(&"5".to_owned()));
}

#[test]
fn an_answer_that_never_began_finds_that_the_turn_is_gone() {
    let (store, now) = world();
    let mut lost = instance(store, now, None, FOREVER);
    lost.post(1, asked(THREAD, "run-6", &yes("run-5")));
    while active(&lost.host.inner.store)["run"] != "run-6" {
        assert!(lost.turn());
    }
    let keep = Keep { runs: None, private: Some(HOUR) };
    let mut driver = instance(lost.host.inner.store.clone(), now + 2 * HOUR, None, keep);
    driver.alarm();
    driver.drive();
    assert_eq!(code(&post(&mut driver, asked(THREAD, "run-6", &yes("run-5")))), "interrupt_expired");
    assert_eq!(post(&mut driver, asked(THREAD, "run-7", &json!([]))), Reply::Started);
}

#[test]
fn what_goes_is_looked_at_once_and_what_stays_hardly_at_all() {
    let (store, ended) = world();
    let keep = Keep { runs: Some(100 * HOUR), private: None };
    let mut driver = instance(store, ended, None, keep);
    for at in 6..40 {
        let run = format!("run-{at}");
        let answers = yes(&format!("run-{}", at - 1));
        let answers = if at % 2 == 0 { answers } else { json!([]) };
        assert_eq!(post(&mut driver, asked(THREAD, &run, &answers)), Reply::Started);
    }
    let mut driver = instance(driver.host.inner.store.clone(), ended + HOUR, None, keep);
    driver.alarm();
    driver.drive();
    assert!(driver.host.ops <= 6, "{}", driver.host.ops);
    assert_eq!(driver.host.writes, 0);
}

#[test]
fn a_run_of_many_parts_goes_in_batches() {
    let (store, now) = world();
    let mut driver = instance(store, now, None, FOREVER);
    for number in 0..1_000 {
        let key = ThreadKeys::new(SCOPE, THREAD).run("run-2").segment("w", number);
        let part = lastword::run::Part { key, value: vec![1] };
        let saved = driver.host.inner.store(StoreOp::Save { parts: vec![part], head: None });
        assert!(matches!(saved, StoreReply::Saved(_)));
    }
    assert_eq!(delete(&mut driver, Some("run-2")), Some(Reply::Deleted));
    assert!(driver.host.widest <= 64 && driver.host.ops < 60, "{} {}", driver.host.widest, driver.host.ops);
    assert!(head(&driver.host.inner.store, THREAD, "run-2").is_none());
}

#[test]
fn a_record_that_cannot_be_read_goes_with_the_next_one_and_a_newer_one_stays() {
    for (version, gone) in [(1, 5), (99, 1)] {
        let (store, now) = world();
        let keep = Keep { runs: Some(HOUR), private: None };
        let mut driver = instance(store, now + 10 * HOUR, None, keep);
        damage(&mut driver, ThreadKeys::new(SCOPE, THREAD).run("run-2").head(), version);
        driver.alarm();
        driver.drive();
        let store = &driver.host.inner.store;
        assert_eq!(RUNS.iter().filter(|run| is_tombstone(store, run)).count(), gone);
        assert_eq!(driver.host.inner.alarm, None);
    }
}

/// What stands under that key is of that version, and of no form that this one knows.
fn damage(driver: &mut Driver, key: String, version: u32) {
    let value = json!({"v": version, "status": "?"}).to_string().into_bytes();
    let head = lastword::run::Head { key, value, expect: lastword::run::Expect::Any };
    let saved = driver.host.inner.store.perform(StoreOp::Save { parts: vec![], head: Some(head) });
    assert!(matches!(saved, StoreReply::Saved(_)));
}

#[test]
fn a_record_that_cannot_be_read_is_deleted_and_a_newer_one_is_left_to_whoever_knows_it() {
    for run in ["run-2", "run-5"] {
        for asked in [Some(run), None] {
            let (store, now) = world();
            let mut driver = instance(store, now, None, FOREVER);
            let key = ThreadKeys::new(SCOPE, THREAD).run(run).head();
            damage(&mut driver, key.clone(), 99);
            if asked.is_some() || run == "run-5" {
                assert_eq!(delete(&mut driver, asked), refused(ErrorKind::RecordTooNew), "{run}");
                assert!(driver.host.inner.store.value(&key).is_some());
            }
            damage(&mut driver, key.clone(), 1);
            assert_eq!(delete(&mut driver, asked), Some(Reply::Deleted), "{run}");
            assert!(is_tombstone(&driver.host.inner.store, run) && driver.host.inner.store.value(&key).is_none());
            assert_eq!(driver.host.inner.alarm, None);
        }
    }
}

#[test]
fn a_thread_whose_entry_cannot_be_read_is_looked_at_once_a_day_and_no_more() {
    let (store, now) = world();
    let keep = Keep { runs: Some(HOUR), private: None };
    let mut driver = instance(store, now + 10 * HOUR, None, keep);
    damage(&mut driver, ThreadKeys::new(SCOPE, THREAD).active(), 99);
    for days in 1..4 {
        driver.alarm();
        driver.drive();
        assert_eq!(driver.host.inner.alarm, Some(now + 10 * HOUR + days * 24 * HOUR));
        driver.host.inner.now += 24 * HOUR;
    }
}

#[test]
fn a_time_that_is_changed_holds_from_the_next_alarm_or_run_on() {
    let hours = |runs: u64| Keep { runs: Some(runs * HOUR), private: None };
    let gone = |driver: &Driver| RUNS.iter().filter(|run| is_tombstone(&driver.host.inner.store, run)).count();
    let (store, now) = world();
    // Shortened, and found by the alarm of before; lengthened, and that alarm finds nothing to do but to come again.
    for (keep, expected) in [(hours(2), 5), (hours(100), 0)] {
        let mut driver = instance(store.clone(), now + 10 * HOUR, None, keep);
        driver.alarm();
        driver.drive();
        assert_eq!((gone(&driver), driver.host.inner.alarm.is_some()), (expected, expected == 0));
    }
    // Nothing was to go, so there is no alarm: the next run finds what is over.
    let mut driver = instance(store, now + 10 * HOUR, None, hours(2));
    assert_eq!(post(&mut driver, asked(THREAD, "run-6", &yes("run-5"))), Reply::Started);
    assert_eq!(gone(&driver), 5);
    assert_eq!(driver.host.inner.alarm, Some(driver.host.inner.now + 2 * HOUR));
    // A clock that goes back lets nothing go too soon.
    let inner = driver.host.inner;
    let mut driver = instance(inner.store, inner.now - 5 * HOUR, None, hours(2));
    driver.alarm();
    driver.drive();
    assert_eq!(gone(&driver), 5);
    assert_eq!(driver.host.inner.alarm, Some(inner.now + 2 * HOUR));
}

#[test]
fn a_follower_goes_on_behind_a_run_that_is_deleted_while_it_reads_it() {
    let (store, now) = world();
    let mut after = instance(store.clone(), now, None, FOREVER);
    assert_eq!(delete(&mut after, Some(RUNS[1])), Some(Reply::Deleted));
    let (whole, _) = followed(&after, Since::After(Position::START));
    for gone in 1.. {
        let mut follow = Follow::new(SCOPE, THREAD, View::Customer, Since::After(Position::START));
        let (mut frames, mut loads, mut waits) = (Vec::new(), 0, 0);
        while waits < 3 {
            match follow.next() {
                Need::Load(key) => {
                    loads += 1;
                    let store = if loads < gone { &store } else { &after.host.inner.store };
                    follow.loaded(&key, store.value(&key));
                }
                Need::Frames(some) => frames.extend(some),
                Need::Wait(level) => {
                    waits += 1;
                    follow.wake(level + 1);
                }
                other => panic!("{gone}: {other:?}"),
            }
        }
        let is_gone = |frame: &Frame| frame.id.as_deref().is_some_and(|id| id.starts_with("2-"));
        let left: Vec<Frame> = frames.iter().filter(|frame| !is_gone(frame)).cloned().collect();
        assert_eq!(left, whole, "{gone}");
        if gone > loads {
            break;
        }
    }
}
