//! Memory and work of very long runs and threads: what is in use is bounded, and the work is linear. Nothing here
//! measures time.
#![cfg(all(not(target_arch = "wasm32"), unix))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

#[path = "../common/mod.rs"]
mod common;

mod counted;
mod disk;

use common::agent::{Says, agent, keys};
use common::{RUN, SCOPE, THREAD, input};
use counted::{aside, live, peak};
use disk::Disk;
use lastword::event::View;
use lastword::input::RunInput;
use lastword::run::{Cursor, Follow, Input, ModelCall, Need, Position, Reader, RunRecord, Since, Status, Traits};
use lastword::wire::Wire;
use std::rc::Rc;

const EVENTS: u64 = 1_000_000;
const RUNS: u32 = 10_000;
const LINES: u64 = 500;
const MIB: isize = 1 << 20;

/// States, as many to a chunk as a provider would send at once, and a last word.
fn states(_: ModelCall) -> Says {
    let mut said = 0;
    Box::new(move || {
        if said > EVENTS {
            return None;
        }
        let mut chunk = String::new();
        for _ in 0..LINES {
            chunk += "data: {\"type\":\"state\",\"snapshot\":7}\n\n";
        }
        said += LINES;
        if said > EVENTS {
            chunk = "data: {\"type\":\"response_end\"}\n\n".to_owned();
        }
        Some(chunk.into_bytes())
    })
}

/// What a reader has asked for and been given.
#[derive(Debug, Default, PartialEq)]
struct Given {
    loads: usize,
    frames: u64,
    ended: bool,
}

fn read(store: &Disk, mut reader: Reader) -> Given {
    let mut given = Given::default();
    loop {
        match reader.next() {
            Need::Load(key) => {
                given.loads += 1;
                reader.loaded(&key, store.load(&key).as_deref());
            }
            Need::Frames(frames) => given.frames += frames.len() as u64,
            Need::End => return Given { ended: true, ..given },
            other => panic!("{other:?}"),
        }
    }
}

/// One test, so that nothing else allocates meanwhile.
#[test]
fn memory_is_bounded_and_work_is_linear() {
    let store = a_run_of_a_million_events();
    a_reader_behind_by_all_of_it(&store);
    one_who_joins_it(&store);
    aside(|| drop(store));
    let store = ten_thousand_runs_of_a_thread();
    one_who_follows_them(&store);
}

fn a_run_of_a_million_events() -> Disk {
    let mut driver = agent(Disk::new(), Traits::DURABLE_OBJECT, states);
    driver.post(1, input(RUN, &[]));
    let before = live();
    peak();
    let mut early = None;
    while driver.turn() {
        if early.is_none() && driver.host.store.segments > 100 {
            early = Some(peak() - before);
        }
    }
    let (early, whole) = (early.unwrap(), peak() - before);
    let record = record(&driver.host.store);
    assert_eq!((record.status, record.sequence > EVENTS), (Status::Succeeded, true));
    println!("writer: {whole} bytes at most, {} segments", driver.host.store.segments);
    assert!(whole < 2 * MIB, "{whole}");
    assert!(whole < early + MIB / 16, "it does not grow with the run: {early} {whole}");
    driver.host.store
}

fn a_reader_behind_by_all_of_it(store: &Disk) {
    peak();
    let before = live();
    let given = read(store, Reader::new(keys(), View::Operator, Wire::Canonical, Some(Cursor::START)));
    let most = peak() - before;
    println!("reader: {most} bytes at most, {} loads, {} frames", given.loads, given.frames);
    assert!(most < 4 * MIB, "one segment at a time: {most}");
    assert_eq!((given.frames, given.ended), (record(store).sequence, true));
    assert!(given.loads <= store.segments + 4, "each segment once: {given:?}");
}

/// Of all the states it is sent the newest alone, and it holds no more.
fn one_who_joins_it(store: &Disk) {
    let whole = record(store);
    let mut most = Vec::new();
    for part in [20, 5] {
        // The run as it was when it had come so far.
        let mark = whole.marks.iter().find(|mark| mark.first > EVENTS / part).unwrap();
        let sequence = mark.first - 1;
        let head = RunRecord { status: Status::Started, sequence, ..whole.clone() }.encode();
        peak();
        let before = live();
        let mut reader = Reader::new(keys(), View::Customer, Wire::AgUi, None);
        let (mut loads, mut frames) = (0, Vec::new());
        loop {
            match reader.next() {
                Need::Load(key) if key == keys().head() => reader.loaded(&key, Some(&head)),
                Need::Load(key) => {
                    loads += 1;
                    reader.loaded(&key, store.load(&key).as_deref());
                }
                Need::Frames(more) => frames.extend(more),
                other => break assert_eq!(other, Need::Wait(whole.revision)),
            }
        }
        most.push(peak() - before);
        assert_eq!((frames.len(), frames[2].id.clone()), (3, Some(sequence.to_string())), "run, state, messages");
        assert!(loads <= mark.segment as usize + 8, "{loads} loads of {} segments", mark.segment);
    }
    println!("joining: {most:?} bytes at most");
    assert!(most[1] < 4 * MIB && most[1] < most[0] + MIB / 16, "{most:?}");
}

fn ten_thousand_runs_of_a_thread() -> Disk {
    let mut driver = agent(Disk::new(), Traits::DURABLE_OBJECT, |_| {
        let mut said =
            Some(b"data: {\"type\":\"text\",\"delta\":\"Yes.\"}\n\ndata: {\"type\":\"response_end\"}\n\n".to_vec());
        Box::new(move || said.take())
    });
    let input = input(RUN, &[]);
    let before = live();
    let mut levels = Vec::with_capacity(10);
    peak();
    for at in 1..=RUNS {
        let run = format!("run-{at}");
        driver.post(at, Rc::new(RunInput { run: run.clone(), ..(*input).clone() }));
        driver.tell(&run, Input::Readers { customer: 1, operator: 0 });
        driver.drive();
        if at % (RUNS / 10) == 0 {
            levels.push((live() - before, peak() - before));
        }
    }
    assert_eq!((driver.host.refused, driver.host.ended), (0, RUNS as usize));
    println!("10,000 runs: {levels:?} bytes in use, and at most");
    let (first, last) = (levels[0], *levels.last().unwrap());
    assert!(last.0 < first.0 + 4096 && last.1 < first.1 + MIB / 16, "{levels:?}");
    driver.host.store
}

fn one_who_follows_them(store: &Disk) {
    let mut follow = Follow::new(SCOPE, THREAD, View::Operator, Since::After(Position::START));
    let (mut loads, mut ends) = (0, 0);
    peak();
    let before = live();
    loop {
        match follow.next() {
            Need::Load(key) => {
                loads += 1;
                follow.loaded(&key, store.load(&key).as_deref());
            }
            Need::Frames(frames) => {
                ends += frames.iter().filter(|frame| frame.data.starts_with("{\"type\":\"task_completed\"")).count();
            }
            other => break assert_eq!(other, Need::Wait(0)),
        }
    }
    let most = peak() - before;
    println!("follower: {most} bytes at most, {loads} loads");
    assert_eq!(ends, RUNS as usize);
    assert!(most < MIB / 16, "one run at a time: {most}");
    assert!(loads <= RUNS as usize * 6, "{loads}");
}

fn record(store: &Disk) -> RunRecord {
    RunRecord::decode(&store.load(&keys().head()).unwrap()).unwrap()
}
