//! A host whose clock is simulated: it plays a recording over the store in memory, with no waiting.
//! The tests' own, natively and in a browser.

use super::blocking::{Chunk, Host};
use super::tools::recorded;
use crate::Millis;
use crate::executor::ToolResult;
use crate::input::Call;
use crate::provider::replay::{Playback, Recording};
use crate::run::{LogLine, MemoryStore, ModelCall, Need, Reader, Reply, Request, StoreOp, StoreReply};
use crate::sse::Frame;
use std::collections::BTreeMap;
use std::iter::Peekable;

/// Plays one recording.
pub struct Simulated {
    /// The store.
    pub store: MemoryStore,
    /// The time.
    pub now: Millis,
    /// Every answer to a request.
    pub replies: Vec<(Request, Reply)>,
    /// Every line of the log.
    pub logs: Vec<LogLine>,
    /// Every wake: revision and whether the run had ended.
    pub wakes: Vec<(u64, bool)>,
    /// The bodies that the model was sent.
    pub bodies: Vec<Vec<u8>>,
    /// The tools that ran.
    pub tools: Vec<Call>,
    /// Chunks read from the model.
    pub reads: usize,
    /// The alarm.
    pub alarm: Option<Millis>,
    recording: &'static Recording,
    first: u32,
    open: BTreeMap<ModelCall, Peekable<Playback>>,
    named: BTreeMap<String, usize>,
}

impl Simulated {
    /// A host that plays this recording, beginning with the response of that ordinal.
    pub fn new(recording: &'static Recording, first: u32) -> Self {
        Simulated {
            store: MemoryStore::new(),
            now: 1_700_000_000_000,
            replies: Vec::new(),
            logs: Vec::new(),
            wakes: Vec::new(),
            bodies: Vec::new(),
            tools: Vec::new(),
            reads: 0,
            alarm: None,
            recording,
            first,
            open: BTreeMap::new(),
            named: BTreeMap::new(),
        }
    }
}

impl Host for Simulated {
    fn now(&mut self) -> Millis {
        self.now
    }

    fn wait_until(&mut self, at: Millis) {
        self.now = self.now.max(at);
    }

    fn store(&mut self, op: StoreOp) -> StoreReply {
        self.store.perform(op)
    }

    fn call_model(&mut self, _run: &str, call: ModelCall, body: Vec<u8>) {
        self.bodies.push(body);
        if let Some(playback) = self.recording.response(self.first + call - 1) {
            self.open.insert(call, playback.peekable());
        }
    }

    fn read(&mut self, _run: &str, call: ModelCall, until: Option<Millis>) -> Chunk {
        let Some(playback) = self.open.get_mut(&call) else { return Chunk::Unreachable };
        match playback.peek() {
            Some(chunk) if until.is_some_and(|at| at < self.now + chunk.after_ms) => Chunk::NotYet,
            Some(chunk) => {
                let (after_ms, bytes) = (chunk.after_ms, chunk.bytes.to_vec());
                playback.next();
                self.reads += 1;
                self.now += after_ms;
                Chunk::Bytes(bytes)
            }
            None => Chunk::Eof,
        }
    }

    fn abort(&mut self, _run: &str, call: ModelCall) {
        self.open.remove(&call);
    }

    fn call_tool(&mut self, _run: &str, call: &Call) -> ToolResult {
        self.tools.push(call.clone());
        let nth = self.named.entry(call.name.clone()).or_default();
        *nth += 1;
        recorded(self.recording, &call.name, *nth - 1)
    }

    fn wake(&mut self, _run: &str, revision: u64, ended: bool) {
        self.wakes.push((revision, ended));
    }

    fn set_alarm(&mut self, at: Option<Millis>) {
        self.alarm = at;
    }

    fn reply(&mut self, request: Request, reply: Reply) {
        self.replies.push((request, reply));
    }

    fn log(&mut self, line: LogLine) {
        self.logs.push(line);
    }
}

/// The reading half of a driver: everything that the reader can have now, and what it then wants.
pub fn pull(store: &MemoryStore, reader: &mut Reader, out: &mut Vec<Frame>) -> Need {
    reader.wake();
    loop {
        match reader.next() {
            Need::Load(key) => reader.loaded(&key, store.value(&key)),
            Need::Frames(frames) => out.extend(frames),
            other => return other,
        }
    }
}

/// Everything that the reader can have now.
pub fn collect(store: &MemoryStore, mut reader: Reader) -> (Vec<Frame>, Need) {
    let mut frames = Vec::new();
    let need = pull(store, &mut reader, &mut frames);
    (frames, need)
}
