//! No value is larger than the store takes, whatever a run says; and what is read does not depend on it.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use common::agent::{Bounded, Says, Store, keys, lines};
use common::host::forward;
use common::{RUN, THREAD, agent, bytes, driver_of, input, setup_of};
use lastword::driver::{Host, Simulated, collect};
use lastword::event::View;
use lastword::executor::ToolResult;
use lastword::input::RunInput;
use lastword::provider::replay;
use lastword::run::{
    Cursor, Input, MemoryStore, ModelCall, Need, Reader, RunRecord, Setup, Status, StoreOp, StoreReply, Traits,
};
use lastword::wire::Wire;
use lastword::wire::agui::{Limits, parse};
use serde_json::json;
use std::rc::Rc;

const SIZES: [usize; 3] = [4 << 10, 64 << 10, 1 << 20];
const HEAD: usize = 16 << 10;

fn traits(max_value: usize) -> Traits {
    Traits { max_value, batch: max_value > 64 << 10, ..Traits::DURABLE_OBJECT }
}

/// All that every kind of reader is sent, joined or from the start.
fn all_frames(store: &MemoryStore) -> String {
    let mut all = String::new();
    for (view, wire) in
        [(View::Customer, Wire::AgUi), (View::Customer, Wire::Canonical), (View::Operator, Wire::Canonical)]
    {
        for cursor in [None, Some(Cursor::START)] {
            let (frames, need) = collect(store, Reader::new(keys(), view, wire, cursor));
            assert_eq!(need, Need::End);
            all += &bytes(&frames);
        }
    }
    all
}

struct Checked {
    inner: Simulated,
    store: Bounded,
}

impl Host for Checked {
    forward!(now wait_until call_model read abort call_tool wake set_alarm reply log);

    fn store(&mut self, op: StoreOp) -> StoreReply {
        self.store.perform(op)
    }
}

#[test]
fn every_recording_keeps_to_the_stores_largest_value() {
    for name in replay::names() {
        let recording = replay::find(name).unwrap();
        let tools: Vec<&str> = recording.client_tools().iter().map(String::as_str).collect();
        let mut read = Vec::new();
        for max in SIZES {
            let host = Checked { inner: Simulated::new(recording, 1), store: Bounded::new(max) };
            let mut driver = driver_of(host, Setup { traits: traits(max), ..setup_of(recording) });
            driver.post(1, input(RUN, &tools));
            driver.tell(RUN, Input::Readers { customer: 1, operator: 1 });
            driver.drive();
            assert!(driver.host.store.head <= HEAD.min(max), "{name} {}", driver.host.store.head);
            read.push(all_frames(&driver.host.store.inner));
        }
        assert!(read[0] == read[1] && read[1] == read[2], "{name}");
    }
}

fn one(line: &str) -> String {
    line.to_owned()
}

/// Large states, a tool whose arguments and output are large and all escapes, and a large answer.
fn large(call: ModelCall) -> Says {
    let state = |at: usize| format!(r#"{{"type":"state","snapshot":{{"at":{at},"text":"{}"}}}}"#, "s".repeat(900_000));
    let escapes = "\\u0001".repeat(30_000);
    lines(match call {
        1 => vec![
            one(r#"{"type":"response_start"}"#),
            state(1),
            state(2),
            one(r#"{"type":"call_start","index":0,"id":"c1","name":"look"}"#),
            format!(r#"{{"type":"call_args","index":0,"delta":"{escapes}"}}"#),
            one(r#"{"type":"response_end"}"#),
        ],
        _ => vec![
            one(r#"{"type":"response_start"}"#),
            one(r#"{"type":"item_start"}"#),
            format!(r#"{{"type":"text","delta":"{escapes}"}}"#),
            one(r#"{"type":"item_end"}"#),
            one(r#"{"type":"state","snapshot":[1]}"#),
            one(r#"{"type":"response_end"}"#),
        ],
    })
}

/// As many questions as there may be where a head may be as large as it ever is, and fewer; their arguments are all
/// escapes.
fn asks(_: ModelCall) -> Says {
    ask(64)
}

fn asks_little(_: ModelCall) -> Says {
    ask(24)
}

fn ask(questions: usize) -> Says {
    let mut said = vec![one(r#"{"type":"response_start"}"#)];
    for at in 0..questions {
        said.push(format!(r#"{{"type":"call_start","index":{at},"id":"call-{at}","name":"pay"}}"#));
        said.push(format!(r#"{{"type":"call_args","index":{at},"delta":"{}"}}"#, "\\u0001".repeat(2_000)));
    }
    said.push(one(r#"{"type":"response_end"}"#));
    lines(said)
}

fn asked() -> Rc<RunInput> {
    let body = json!({
        "threadId": THREAD, "runId": RUN, "protocolVersion": "1.0", "state": {"text": "\u{1}".repeat(50_000)},
        "messages": [{"id": "u1", "role": "user", "content": "x".repeat(300_000)}],
    });
    Rc::new(parse(body.to_string().as_bytes(), &Limits::default()).unwrap())
}

fn played(max: usize, says: fn(ModelCall) -> Says) -> Bounded {
    let mut driver = agent::agent(Bounded::new(max), traits(max), says);
    driver.host.tool = |_| ToolResult { ok: true, content: "\u{1}".repeat(100_000) };
    driver.post(1, asked());
    driver.drive();
    driver.host.store
}

#[test]
fn what_is_larger_stands_in_pieces() {
    type Agent = fn(ModelCall) -> Says;
    for (says, sizes, status) in [
        (large as Agent, SIZES, Status::Succeeded),
        (asks_little, SIZES, Status::Interrupted),
        (asks, [HEAD, 64 << 10, 1 << 20], Status::Interrupted),
    ] {
        let mut read = Vec::new();
        for max in sizes {
            let store = played(max, says);
            let record = RunRecord::decode(store.inner.value(&keys().head()).unwrap()).unwrap();
            assert_eq!(record.status, status);
            assert!(store.inner.keys().any(|key| key.contains("/public/event/")), "{max}");
            read.push(all_frames(&store.inner));
        }
        assert!(read[0] == read[1] && read[1] == read[2]);
        assert!(read[0].len() > 20_000);
    }
}

/// Of a segment no event takes more than its share: what is larger stands beside it.
#[test]
fn a_segment_has_a_bound_of_its_own() {
    let store = played(4 << 20, large);
    let sizes =
        store.inner.keys().filter(|key| key.contains("/journal/")).map(|key| store.inner.value(key).unwrap().len());
    assert!(sizes.max().unwrap() <= 256 << 10);
    assert!(store.inner.keys().filter(|key| key.contains("/public/event/")).count() >= 3);
}

/// A customer's reader does not load what is the operator's.
#[test]
fn what_a_view_does_not_see_is_not_loaded() {
    let store = played(4 << 10, large).inner;
    let loads = |view, wire, cursor| {
        let (mut reader, mut pieces) = (Reader::new(keys(), view, wire, cursor), 0);
        loop {
            match reader.next() {
                Need::Load(key) => {
                    pieces += usize::from(key.contains("/public/event/"));
                    reader.loaded(&key, store.value(&key));
                }
                Need::Frames(_) => {}
                other => break assert_eq!(other, Need::End),
            }
        }
        pieces
    };
    let all = store.keys().filter(|key| key.contains("/public/event/")).count();
    let operator = loads(View::Operator, Wire::Canonical, Some(Cursor::START));
    let customer = loads(View::Customer, Wire::Canonical, Some(Cursor::START));
    // Who joins is sent the newest state alone, which here is a small one.
    let joining = loads(View::Customer, Wire::AgUi, None);
    assert_eq!(operator, all);
    assert!(customer < operator && joining + 400 < customer, "{customer} {operator} {joining}");
}
