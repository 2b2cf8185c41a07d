//! What a run costs its store: commits and rows, counted on a clock of the test's own.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use common::{input, setup};
use lastword::run::{Action, Input, MemoryStore, Reply, Run, RunRecord, Setup, Status, StoreOp, Traits};
use std::collections::VecDeque;

/// How many deltas the model sends.
const DELTAS: u64 = 2_000;

/// What a run has asked for.
#[derive(Default, Debug, PartialEq, Clone)]
struct Cost {
    /// Saves: each is one transaction and one sync.
    commits: u64,
    /// Values written.
    rows: u64,
    /// How often the alarm was set, and called off.
    alarms: (u64, u64),
    /// Milliseconds, by the run's own clock.
    span: u64,
}

/// A run whose model sends a delta every `gap` ms, read by so many customers and operators.
fn played(gap: u64, readers: (usize, usize), change: impl FnOnce(&mut Setup)) -> Cost {
    let mut setup = setup("i1");
    change(&mut setup);
    let (mut run, mut store, mut cost) = (Run::new(setup), MemoryStore::new(), Cost::default());
    let mut now = 1_000;
    let mut inputs = VecDeque::from([
        Input::Post { request: 1, input: input(common::RUN, &[]), answers: None, lost: false },
        Input::Readers { customer: readers.0, operator: readers.1 },
    ]);
    let (mut sent, mut read) = (0, None);
    while !run.is_done() {
        let next = inputs.pop_front();
        let (due, deadline) = (read.map(|(_, at)| at), run.deadline());
        let input = match next {
            Some(input) => input,
            None if deadline.is_some_and(|at| due.is_none_or(|due| at < due)) => {
                now = now.max(deadline.unwrap());
                Input::Tick
            }
            None => {
                let (call, at) = read.take().expect("a run that waits for nothing");
                now = now.max(at);
                sent += 1;
                Input::Bytes(call, chunk(sent))
            }
        };
        for action in run.step(now, input) {
            match action {
                Action::Store(op) => {
                    if let StoreOp::Save { parts, head } = &op {
                        cost.commits += 1;
                        cost.rows += parts.len() as u64 + u64::from(head.is_some());
                        assert!(cost.alarms.0 > 0, "what is claimed has its alarm");
                    }
                    inputs.push_back(Input::Store(store.perform(op)));
                }
                Action::Read(call) => read = Some((call, now + gap)),
                Action::SetAlarm(Some(_)) => cost.alarms.0 += 1,
                Action::SetAlarm(None) => cost.alarms.1 += 1,
                Action::Reply(_, reply) => assert_eq!(reply, Reply::Started),
                _ => {}
            }
        }
    }
    let record = RunRecord::decode(store.value(&common::setup("i1").keys().head()).unwrap()).unwrap();
    assert_eq!(record.status, Status::Succeeded);
    cost.span = record.times.ended_at.unwrap() - record.times.started_at;
    cost
}

/// The n-th chunk of the model's response: a delta, or behind them all its end.
fn chunk(nth: u64) -> Vec<u8> {
    let choice = match nth {
        1..=DELTAS => r#"{"index":0,"delta":{"content":"word "}}"#,
        _ => r#"{"index":0,"delta":{},"finish_reason":"stop"}"#,
    };
    let end = if nth > DELTAS { "data: [DONE]\n\n" } else { "" };
    format!("data: {{\"choices\":[{choice}]}}\n\n{end}").into_bytes()
}

#[test]
fn two_thousand_deltas_that_nobody_watches_are_a_handful_of_commits() {
    let quick = played(0, (0, 0), |_| {});
    assert_eq!((quick.commits, quick.rows, quick.alarms), (2, 5, (1, 1)), "the claim and the end");
    let slow = played(5, (0, 0), |_| {});
    assert!(slow.span >= 10_000);
    assert!(slow.commits <= 2 + slow.span / 1_000, "one a second: {slow:?}");
    assert_eq!(slow.rows, 1 + 2 * slow.commits, "the input once, then a segment and the head a commit");
}

#[test]
fn an_operator_costs_one_commit_an_interval_at_most() {
    for gap in [1, 5, 20] {
        let watched = played(gap, (0, 1), |_| {});
        let most = 2 + watched.span / 30;
        assert!(watched.commits <= most && watched.commits > most / 2, "{gap}: {watched:?}");
        assert_eq!(played(gap, (3, 7), |_| {}), watched, "however many read");
    }
}

#[test]
fn a_customer_costs_nothing_more_before_there_is_something_to_see() {
    for gap in [0, 5] {
        let alone = played(gap, (0, 0), |_| {});
        assert_eq!(played(gap, (1, 0), |_| {}), alone, "narration is not his");
        let public = played(gap, (1, 0), |setup| setup.profile.public_intermediate = true);
        assert_eq!(public.commits, alone.commits, "public narration is shown once its response is decided");
    }
}

#[test]
fn a_store_that_bears_one_write_a_second_gets_no_more() {
    let traits = Traits { min_interval: 1_000, ..Traits::DURABLE_OBJECT };
    let watched = played(5, (1, 1), |setup| setup.traits = traits);
    assert!(watched.commits <= 2 + watched.span / 1_000, "{watched:?}");
}
