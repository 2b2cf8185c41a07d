//! The state of a run: what the client sent, until the run says another; whoever joins is sent the newest that stands.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use common::agent::{Bounded, Says, keys, lines};
use common::{RUN, THREAD, agent, value};
use lastword::driver::pull;
use lastword::event::{Event, Plain, View};
use lastword::input::RunInput;
use lastword::run::{
    Cursor, Expect, Head, MemoryStore, ModelCall, Need, Reader, RunRecord, Status, StoreOp, Traits, decode_segment,
};
use lastword::sse::Frame;
use lastword::wire::Wire;
use lastword::wire::agui::{Limits, parse};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::rc::Rc;

fn asked(state: Option<Value>) -> Rc<RunInput> {
    let mut body = json!({"threadId": THREAD, "runId": RUN, "protocolVersion": "1.0", "messages": []});
    state.into_iter().for_each(|state| body["state"] = state);
    Rc::new(parse(body.to_string().as_bytes(), &Limits::default()).unwrap())
}

/// A state of so many bytes.
fn state(at: usize, bytes: usize) -> Value {
    json!({"at": at, "text": "\u{1}é".repeat(bytes / 3), "null": null})
}

/// States small and large, with narration between them, so that a state may be the last event or not.
const SIZES: [usize; 6] = [0, 16_500, 10, 17_000, 18_000, 0];

fn says(_: ModelCall) -> Says {
    let mut said = vec![r#"{"type":"response_start"}"#.to_owned()];
    for (at, bytes) in (1..).zip(SIZES) {
        said.push(json!({"type": "state", "snapshot": state(at, bytes)}).to_string());
        said.extend(
            [r#"{"type":"item_start"}"#, r#"{"type":"text","delta":"Hm."}"#, r#"{"type":"item_end"}"#]
                .map(str::to_owned),
        );
    }
    said.push(r#"{"type":"response_end"}"#.to_owned());
    lines(said)
}

/// The run's head as it was when it had come to that event.
fn come(store: &mut MemoryStore, sequence: Option<u64>, whole: &RunRecord) {
    let early = |sequence| RunRecord { status: Status::Started, sequence, revision: sequence, ..whole.clone() };
    let head = sequence.map_or_else(|| RunRecord { revision: u64::MAX, ..whole.clone() }, early);
    let head = Head { key: keys().head(), value: head.encode(), expect: Expect::Any };
    store.perform(StoreOp::Save { parts: Vec::new(), head: Some(head) });
}

fn joining() -> Reader {
    Reader::new(keys(), View::Customer, Wire::AgUi, None)
}

fn snapshots(frames: &[Frame]) -> Vec<Value> {
    let states = frames.iter().map(value).filter(|frame| frame["type"] == "STATE_SNAPSHOT");
    states.map(|frame| frame["snapshot"].clone()).collect()
}

/// Where the run said which state, by sequence number.
fn said(store: &MemoryStore, whole: &RunRecord) -> BTreeMap<u64, Value> {
    let mut said = BTreeMap::new();
    for key in store.keys().filter(|key| key.contains("/journal/")) {
        for event in decode_segment(store.value(key).unwrap()).unwrap() {
            let event = match event.pieces() {
                None => event,
                Some(pieces) => {
                    let piece = |at| store.value(&keys().event(&whole.writer, event.seq(), at)).unwrap().to_vec();
                    event.joined(&(0..pieces).flat_map(piece).collect::<Vec<u8>>()).unwrap()
                }
            };
            if let Some(Event::Plain(Plain::State { snapshot })) = event.event() {
                said.insert(event.seq(), snapshot.clone());
            }
        }
    }
    said
}

#[test]
fn whoever_joins_is_sent_the_newest_state_at_that_moment_and_then_those_that_follow() {
    for (input, max_value) in [(None, 4 << 10), (Some(json!({})), 1 << 20), (Some(state(0, 30_000)), 64 << 10)] {
        let traits = Traits { max_value, min_interval: 0, ..Traits::DURABLE_OBJECT };
        let (mut store, whole) = each_alone(traits, asked(input.clone()));
        let said = said(&store, &whole);
        assert_eq!(said.len(), SIZES.len());
        // A head never ends inside a segment.
        let segments = store.keys().filter(|key| key.contains("/journal/")).map(|key| store.value(key).unwrap());
        let ends: Vec<u64> = segments.map(|bytes| decode_segment(bytes).unwrap().last().unwrap().seq()).collect();
        assert!(ends.len() > 12, "{ends:?}");
        for cut in ends[..ends.len() - 1].iter().copied().map(Some).chain([None]) {
            come(&mut store, cut, &whole);
            let (mut reader, mut frames) = (joining(), Vec::new());
            pull(&store, &mut reader, &mut frames);
            let upto = cut.unwrap_or(whole.sequence);
            let newest = said.range(..=upto).next_back().map(|(_, state)| state.clone()).or(input.clone());
            assert_eq!(snapshots(&frames), newest.into_iter().collect::<Vec<_>>(), "{max_value} {cut:?}");
            let prelude = frames.len();
            come(&mut store, None, &whole);
            assert_eq!(pull(&store, &mut reader, &mut frames), Need::End);
            let rest: Vec<_> = said.range(upto + 1..).map(|(_, state)| state.clone()).collect();
            assert_eq!(snapshots(&frames[prelude..]), rest, "{max_value} {cut:?}");
        }
    }
}

/// Plays the agent with a commit behind each event.
fn each_alone(traits: Traits, input: Rc<RunInput>) -> (MemoryStore, RunRecord) {
    let mut driver = agent::agent(Bounded::new(traits.max_value), traits, says);
    // Somebody watches, and a chunk takes longer than a watched event may wait.
    driver.host.pace = 40;
    driver.post(1, input);
    while driver.host.store.inner.value(&keys().head()).is_none() {
        assert!(driver.turn());
    }
    driver.tell(RUN, lastword::run::Input::Readers { customer: 1, operator: 1 });
    driver.drive();
    let store = driver.host.store.inner;
    let whole = RunRecord::decode(store.value(&keys().head()).unwrap()).unwrap();
    assert_eq!(whole.status, Status::Succeeded);
    (store, whole)
}

/// Large states lie beside the journal: of all of them one is loaded.
#[test]
fn who_joins_late_loads_one_state_of_many() {
    fn says(_: ModelCall) -> Says {
        let mut at = 0;
        Box::new(move || {
            at += 1;
            match at {
                ..=300 => {
                    Some(format!("data: {}\n\n", json!({"type": "state", "snapshot": state(at, 16_500)})).into_bytes())
                }
                301 => Some(b"data: {\"type\":\"response_end\"}\n\n".to_vec()),
                _ => None,
            }
        })
    }
    let store = agent::play(MemoryStore::new(), Traits::DURABLE_OBJECT, says, asked(None));
    let large = store.keys().filter(|key| key.contains("/public/event/")).count();
    assert_eq!(large, 300);
    let (mut reader, mut loads, mut states) = (joining(), 0, Vec::new());
    loop {
        match reader.next() {
            Need::Load(key) => {
                loads += usize::from(key.contains("/public/event/"));
                reader.loaded(&key, store.value(&key));
            }
            Need::Frames(frames) => states.extend(snapshots(&frames)),
            other => break assert_eq!(other, Need::End),
        }
    }
    assert_eq!((loads, states), (1, vec![state(300, 16_500)]));
    // Who reads from the start is sent every one of them.
    let mut frames = Vec::new();
    let mut reader = Reader::new(keys(), View::Customer, Wire::AgUi, Some(Cursor::START));
    assert_eq!(pull(&store, &mut reader, &mut frames), Need::End);
    assert_eq!(snapshots(&frames), (1..=300).map(|at| state(at, 16_500)).collect::<Vec<_>>());
}
