//! Plays a recording through a run, and reads what its readers are sent.

use crate::common::{RUN, SCOPE, THREAD, driver_of, input, setup, setup_of};
use crate::recordings::Quirk;
use lastword::driver::{Chunk, Host, Simulated, collect};
use lastword::event::View;
use lastword::executor::ToolResult;
use lastword::input::{Call, Protocol};
use lastword::profile::Profile;
use lastword::provider::replay::Recording;
use lastword::run::{
    Cursor, LogLine, MemoryStore, ModelCall, Need, Reader, Reply, Request, RunKeys, Setup, StoreOp, StoreReply,
    ThreadKeys,
};
use lastword::sse::Frame;
use lastword::wire::{Document, Form, Wire};

/// The model's name as clients are told it.
pub const MODEL: &str = "house-model";

/// A moment that is easy to know again, in milliseconds since the epoch.
pub const CREATED: u64 = 1_796_000_000_000;

/// How many bytes come at once.
const CHUNK: usize = 48;

/// Nothing is public, and what the wire has no word for is a failure.
pub fn terms() -> Profile {
    Profile::new(MODEL, Some(Protocol::V1), CREATED)
}

/// A run of one response, over and in its store.
pub fn quirk(quirk: &Quirk) -> MemoryStore {
    let host = Upstream { quirk, store: MemoryStore::new(), now: CREATED, calls: 0, at: 0, ended: 0 };
    let setup = Setup { format: quirk.format, options: quirk.options, profile: terms(), ..setup("instance-1") };
    let mut driver = driver_of(host, setup);
    let tools: Vec<&str> = quirk.called.iter().map(String::as_str).collect();
    driver.post(1, input(RUN, &tools));
    driver.drive();
    assert_eq!(driver.host.ended, 1, "{}", quirk.name);
    driver.host.store
}

/// A run of an embedded recording, on these terms.
pub fn embedded(recording: &'static Recording, profile: Profile) -> MemoryStore {
    let setup = Setup { profile, ..setup_of(recording) };
    let mut driver = driver_of(Simulated::new(recording, 1), setup);
    let tools: Vec<&str> = recording.client_tools().iter().map(String::as_str).collect();
    driver.post(1, input(RUN, &tools));
    driver.drive();
    driver.host.store
}

fn keys() -> RunKeys {
    ThreadKeys::new(SCOPE, THREAD).run(RUN)
}

/// All that a reader of a stream is sent.
pub fn stream(store: &MemoryStore, view: View, wire: Wire) -> Vec<Frame> {
    let reader = match wire {
        Wire::Canonical | Wire::AgUi => Reader::new(keys(), view, wire, Some(Cursor::START)),
        _ => Reader::folding(keys(), wire, Form::Stream, true, 0),
    };
    let (frames, need) = collect(store, reader);
    assert_eq!(need, Need::End, "{}", wire.name());
    frames
}

/// The whole answer of a wire that has one.
pub fn document(store: &MemoryStore, wire: Wire) -> Document {
    let (frames, need) = collect(store, Reader::folding(keys(), wire, Form::Whole, true, 0));
    let Need::Document(document) = need else { panic!("{}: {need:?}", wire.name()) };
    assert!(frames.is_empty());
    document
}

/// A provider that gives one recording, in pieces.
struct Upstream<'q> {
    quirk: &'q Quirk,
    store: MemoryStore,
    now: u64,
    /// How many calls were made, and how far the last one has come.
    calls: usize,
    at: usize,
    ended: usize,
}

impl Host for Upstream<'_> {
    fn now(&mut self) -> u64 {
        self.now
    }

    fn wait_until(&mut self, at: u64) {
        self.now = self.now.max(at);
    }

    fn store(&mut self, op: StoreOp) -> StoreReply {
        self.store.perform(op)
    }

    fn call_model(&mut self, _run: &str, _call: ModelCall, _body: Vec<u8>) {
        self.calls += 1;
        self.at = 0;
    }

    fn read(&mut self, _run: &str, _call: ModelCall, until: Option<u64>) -> Chunk {
        let pace = 3;
        if until.is_some_and(|at| at < self.now + pace) {
            return Chunk::NotYet;
        }
        self.now += pace;
        let bytes = match (self.calls, &self.quirk.next) {
            (1, _) => &self.quirk.bytes,
            (2, Some(next)) => next,
            _ => panic!("{}: call {}", self.quirk.name, self.calls),
        };
        let rest = bytes.get(self.at..).unwrap_or_default();
        let piece = &rest[..rest.len().min(CHUNK)];
        self.at += piece.len();
        if piece.is_empty() { Chunk::Eof } else { Chunk::Bytes(piece.to_vec()) }
    }

    fn abort(&mut self, _run: &str, _call: ModelCall) {}

    fn call_tool(&mut self, _run: &str, call: &Call) -> ToolResult {
        panic!("{}: every function is the client's, and so is {}", self.quirk.name, call.name)
    }

    fn wake(&mut self, _run: &str, _revision: u64, ended: bool) {
        self.ended += usize::from(ended);
    }

    fn set_alarm(&mut self, _at: Option<u64>) {}

    fn reply(&mut self, _request: Request, reply: Reply) {
        assert!(!matches!(reply, Reply::Refused(_)), "{}: {reply:?}", self.quirk.name);
    }

    fn log(&mut self, _line: LogLine) {}
}
