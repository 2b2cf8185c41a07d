//! Every recording with every end, and what each of its readers is sent.
#![allow(dead_code)]

use super::host::forward;
use super::{RUN, SCOPE, THREAD, driver_of, reader, setup_of, value};
use lastword::driver::{Blocking, Chunk, Host, Simulated, collect, pull};
use lastword::event::View;
use lastword::input::{Protocol, RunInput};
use lastword::profile::Profile;
use lastword::provider::replay;
use lastword::run::{
    Cursor, Expect, Head, Input, Limits, MemoryStore, ModelCall, Need, RunRecord, Setup, Status, StoreOp, ThreadKeys,
    Traits,
};
use lastword::sse::Frame;
use lastword::turn::Rule;
use lastword::wire::Wire;
use lastword::wire::agui::{Limits as InputLimits, parse};
use serde_json::{Value, json};
use std::rc::Rc;

/// How a run of a recording ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// As it was recorded.
    Recorded,
    /// Its provider dies as late as it can.
    Failed,
    /// It is cancelled before the last chunk.
    Cancelled,
}

pub const ENDS: [End; 3] = [End::Recorded, End::Failed, End::Cancelled];

/// Who started the run, and what is public in it.
#[derive(Clone, Copy, Debug)]
pub struct Terms {
    /// The client declared 1.0.
    pub declared: bool,
    /// Everything is public that can be, and what is marked as the final answer streams early.
    pub public: bool,
}

pub const TERMS: [Terms; 4] = [
    Terms { declared: true, public: false },
    Terms { declared: false, public: false },
    Terms { declared: true, public: true },
    Terms { declared: false, public: true },
];

/// Enough for every recording but the one that goes on for ever.
const STEPS: u32 = 4;

impl Terms {
    pub fn profile(self) -> Profile {
        Profile {
            public_intermediate: self.public,
            public_thinking: self.public,
            public_tools: self.public,
            public_working: self.public,
            ..Profile::new("house-model", self.declared.then_some(Protocol::V1), 0)
        }
    }
}

/// What the client of a recording sends.
pub fn body(recording: &str) -> Value {
    let tools = replay::find(recording).unwrap().client_tools();
    let tools: Vec<Value> = tools.iter().map(|name| json!({"name": name, "description": "The client's."})).collect();
    json!({
        "threadId": THREAD, "runId": RUN, "protocolVersion": "1.0", "tools": tools, "context": [], "forwardedProps": {},
        "state": {"cart": [1, "two"], "note": ""},
        "messages": [
            {"id": "u1", "role": "user", "content": "Hi"},
            {"id": "a1", "role": "assistant", "content": "Hello!"},
            {"id": "u2", "role": "user", "content": "A \"question\"\n🦀"},
        ],
    })
}

fn input(recording: &str) -> Rc<RunInput> {
    Rc::new(parse(body(recording).to_string().as_bytes(), &InputLimits::default()).unwrap())
}

/// A recording's run, over and in its store. Each event is a segment of its own, so that a head may end at any.
pub fn play(recording: &str, end: End, terms: Terms) -> MemoryStore {
    let whole = run(recording, terms, usize::MAX, false);
    let reads = whole.host.inner.reads;
    match end {
        End::Recorded => whole.host.inner.store,
        End::Cancelled => run(recording, terms, reads.saturating_sub(1), true).host.inner.store,
        // Behind its finish a response has chunks that it can do without.
        End::Failed => {
            let mut cut = (0..reads).rev().map(|chunks| run(recording, terms, chunks, false).host.inner.store);
            cut.find(|store| record(store).status == Status::Failed).unwrap()
        }
    }
}

/// A recording's run once for each chunk after which its provider may die.
pub fn deaths(recording: &str, terms: Terms) -> impl Iterator<Item = MemoryStore> {
    let reads = run(recording, terms, usize::MAX, false).host.inner.reads;
    (0..reads).map(move |chunks| run(recording, terms, chunks, false).host.inner.store)
}

fn run(recording: &str, terms: Terms, chunks: usize, cancel: bool) -> Blocking<Dying> {
    // No two events fit in a value that has no room beside a segment's envelope.
    let traits = Traits { max_value: 96, ..Traits::DURABLE_OBJECT };
    let recorded = replay::find(recording).unwrap();
    let rule = Rule { early: terms.public, ..Rule::default() };
    let limits = Limits { steps: STEPS, ..Limits::default() };
    let setup = Setup { profile: terms.profile(), traits, rule, limits, ..setup_of(recorded) };
    let dies_at = if cancel { usize::MAX } else { chunks };
    let mut driver = driver_of(Dying { inner: Simulated::new(recorded, 1), dies_at }, setup);
    driver.post(1, input(recording));
    let mut watched = false;
    let mut cancelled = false;
    while driver.turn() {
        if !watched && !driver.host.inner.replies.is_empty() {
            driver.tell(RUN, Input::Readers { customer: 1, operator: 0 });
            watched = true;
        }
        if cancel && !cancelled && driver.host.inner.reads >= chunks && watched {
            driver.tell(RUN, Input::Cancel { request: 2 });
            cancelled = true;
        }
    }
    driver
}

/// The store's record of the run.
pub fn record(store: &MemoryStore) -> RunRecord {
    RunRecord::decode(store.value(&head_key()).unwrap()).unwrap()
}

/// All that the client which began the run is sent.
pub fn live(store: &MemoryStore) -> Vec<Frame> {
    let (frames, need) = collect(store, reader(View::Customer, Wire::AgUi, Some(Cursor::START)));
    assert_eq!(need, Need::End);
    frames
}

/// The sequence numbers of the events that a customer is sent, but for the terminal.
pub fn cuts(live: &[Frame]) -> Vec<u64> {
    let mut cuts: Vec<u64> = live.iter().map(sequence).collect();
    cuts.dedup();
    cuts.pop();
    cuts
}

/// The number of the event that a frame is of.
pub fn sequence(frame: &Frame) -> u64 {
    frame.id.as_ref().unwrap().split('.').next().unwrap().parse().unwrap()
}

/// What a reader is sent that joins when the run has come to this event, and stays to its end.
pub fn joined(store: &MemoryStore, cut: u64) -> Vec<Frame> {
    let whole = record(store);
    let early = RunRecord { status: Status::Started, sequence: cut, revision: whole.revision - 1, ..whole.clone() };
    let mut then = store.clone();
    put(&mut then, &early);
    let mut reader = reader(View::Customer, Wire::AgUi, None);
    let mut frames = Vec::new();
    assert!(matches!(pull(&then, &mut reader, &mut frames), Need::Wait(_)));
    assert_eq!(frames.last().unwrap().id, Some(cut.to_string()), "the prelude ends with its cut");
    put(&mut then, &whole);
    assert_eq!(pull(&then, &mut reader, &mut frames), Need::End);
    frames
}

/// What a reader is sent that joins after the end.
pub fn late(store: &MemoryStore) -> Vec<Frame> {
    let (frames, need) = collect(store, reader(View::Customer, Wire::AgUi, None));
    assert_eq!(need, Need::End);
    frames
}

fn put(store: &mut MemoryStore, record: &RunRecord) {
    let head = Head { key: head_key(), value: record.encode(), expect: Expect::Any };
    store.perform(StoreOp::Save { parts: Vec::new(), head: Some(head) });
}

fn head_key() -> String {
    ThreadKeys::new(SCOPE, THREAD).run(RUN).head()
}

/// The type of the terminal, and its code if it has one.
pub fn terminal(frames: &[Frame]) -> (String, Option<String>) {
    let last = value(frames.last().unwrap());
    let text = |key: &str| last[key].as_str().map(str::to_owned);
    (text("type").unwrap(), text("code"))
}

/// A host whose provider dies after so many chunks.
pub struct Dying {
    pub inner: Simulated,
    pub dies_at: usize,
}

impl Host for Dying {
    forward!(now wait_until store call_model abort call_tool wake set_alarm reply log);

    fn read(&mut self, run: &str, call: ModelCall, until: Option<u64>) -> Chunk {
        if self.inner.reads >= self.dies_at { Chunk::Eof } else { self.inner.read(run, call, until) }
    }
}
