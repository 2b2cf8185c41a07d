//! The continuous stream of a thread, over whole runs on the blocking driver.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use common::{SCOPE, THREAD, bytes, driver, input, types};
use lastword::driver::{Blocking, Simulated, collect};
use lastword::event::View;
use lastword::run::{Cursor, Follow, Input, Need, Position, Reader, Reply, RunRecord, Since, Status, ThreadKeys};
use lastword::sse::Frame;
use lastword::wire::Wire;

const START: Since = Since::After(Position::START);

fn follow(view: View, since: Since) -> Follow {
    Follow::new(SCOPE, THREAD, view, since)
}

/// Everything that there is to read now; it then waits.
fn read(driver: &Blocking<Simulated>, mut follow: Follow, level: u64) -> (Follow, Vec<Frame>) {
    let mut frames = Vec::new();
    follow.wake(level);
    loop {
        match follow.next() {
            Need::Load(key) => follow.loaded(&key, driver.host.store.value(&key)),
            Need::Frames(more) => frames.extend(more),
            Need::Wait(seen) if seen == level => return (follow, frames),
            other => panic!("{other:?}"),
        }
    }
}

/// A run that succeeds, one that is cancelled half-way, and one more.
fn three() -> Blocking<Simulated> {
    let mut driver = driver("narrated-refund");
    for (request, run) in (1..).zip(["one", "two", "three"]) {
        driver.post(request, input(run, &[]));
        if run == "two" {
            assert!((0..40).all(|_| driver.turn()));
            driver.tell(run, Input::Cancel { request: 9 });
        }
        driver.drive();
    }
    assert!(driver.host.replies.contains(&(9, Reply::Ended(Status::Cancelled))));
    driver
}

#[test]
fn a_thread_is_read_as_its_runs_one_after_the_other() {
    let driver = three();
    for view in [View::Operator, View::Customer] {
        let (_, frames) = read(&driver, follow(view, START), 1);
        let mut whole = Vec::new();
        for (ordinal, run) in (1..).zip(["one", "two", "three"]) {
            let keys = ThreadKeys::new(SCOPE, THREAD).run(run);
            let reader = Reader::new(keys, view, Wire::Canonical, Some(Cursor::START));
            let (own, need) = collect(&driver.host.store, reader);
            assert_eq!(need, Need::End);
            let id = |frame: &Frame| frame.id.as_ref().map(|id| format!("{ordinal}-{id}"));
            whole.extend(own.into_iter().map(|frame| Frame { id: id(&frame), ..frame }));
        }
        assert_eq!(bytes(&frames), bytes(&whole));
        let ends: Vec<String> = types(&frames).into_iter().filter(|kind| kind.starts_with("task_")).collect();
        let [started, done] = ["task_started", "task_completed"];
        assert_eq!(ends, [started, done, started, "task_cancelled", started, done]);
    }
}

#[test]
fn it_lets_no_answer_out_before_its_outcome_stands() {
    let mut driver = driver("narrated-refund");
    driver.post(1, input("one", &[]));
    let (mut reader, mut seen, mut level) = (follow(View::Customer, START), Vec::new(), 0);
    while driver.turn() {
        level += 1;
        let (same, frames) = read(&driver, reader, level);
        reader = same;
        seen.extend(frames);
        let head = driver.host.store.value(&ThreadKeys::new(SCOPE, THREAD).run("one").head());
        let ended = head.is_some_and(|head| RunRecord::decode(head).unwrap().is_ended());
        assert!(ended || seen.len() <= 1, "{:?}", types(&seen));
    }
    assert_eq!(seen, read(&driver, follow(View::Customer, START), level).1);
    assert_eq!(types(&seen).last().map(String::as_str), Some("task_completed"));
}

#[test]
fn a_new_wakes_level_is_all_that_a_reader_needs_to_know() {
    let mut driver = driver("narrated-refund");
    let (mut reader, mut seen) = (follow(View::Operator, START), Vec::new());
    for (request, run) in (1..).zip(["one", "two"]) {
        driver.post(request, input(run, &[]));
        while driver.turn() {
            // As a host does: it reads only where there was a wake since it last looked.
            let level = driver.host.wakes.len() as u64;
            if reader.next() != Need::Wait(level) {
                let (same, frames) = read(&driver, reader, level);
                reader = same;
                seen.extend(frames);
            }
        }
    }
    assert_eq!(bytes(&seen), bytes(&read(&driver, follow(View::Operator, START), 0).1));
}
