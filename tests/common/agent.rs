//! A host whose provider is an agent of the test's own that speaks signals, over any store, with nothing kept that
//! a test does not ask for.
#![allow(dead_code)]

use super::{RUN, SCOPE, driver_of, setup};
use lastword::driver::{Blocking, Chunk, Host};
use lastword::executor::{Approvals, ToolResult};
use lastword::input::{Call, RunInput};
use lastword::provider::Format;
use lastword::run::{
    Limits, LogLine, MemoryStore, ModelCall, Reply, Request, RunKeys, Setup, StoreOp, StoreReply, ThreadKeys, Traits,
};
use lastword::turn::Rule;
use std::collections::BTreeMap;
use std::rc::Rc;

/// A store that a test looks into.
pub trait Store {
    fn perform(&mut self, op: StoreOp) -> StoreReply;
}

impl Store for MemoryStore {
    fn perform(&mut self, op: StoreOp) -> StoreReply {
        MemoryStore::perform(self, op)
    }
}

/// A store in memory that takes no value above its bound, as it says.
#[derive(Default)]
pub struct Bounded {
    pub inner: MemoryStore,
    pub max: usize,
    /// The largest head of a run, the largest part, and how many were saved.
    pub head: usize,
    pub part: usize,
    pub saved: usize,
}

impl Bounded {
    pub fn new(max: usize) -> Self {
        Bounded { max, ..Bounded::default() }
    }
}

impl Store for Bounded {
    fn perform(&mut self, op: StoreOp) -> StoreReply {
        if let StoreOp::Save { parts, head } = &op {
            for part in parts {
                assert!(part.value.len() <= self.max, "{} has {} bytes", part.key, part.value.len());
                self.part = self.part.max(part.value.len());
            }
            if let Some(head) = head {
                assert!(head.value.len() <= self.max, "{} has {} bytes", head.key, head.value.len());
                self.head = self.head.max(head.value.len());
            }
            self.saved += parts.len() + usize::from(head.is_some());
        }
        self.inner.perform(op)
    }
}

/// What an agent says in one response: a chunk at a time, until there is none.
pub type Says = Box<dyn FnMut() -> Option<Vec<u8>>>;

/// The host.
pub struct Agent<S> {
    pub store: S,
    pub now: u64,
    pub refused: usize,
    pub ended: usize,
    /// What each response says, by its ordinal in the run.
    pub says: fn(ModelCall) -> Says,
    pub tool: fn(&Call) -> ToolResult,
    /// How long a chunk takes.
    pub pace: u64,
    /// What went to the log.
    pub logged: Vec<LogLine>,
    live: BTreeMap<ModelCall, Says>,
}

impl<S: Store> Agent<S> {
    pub fn new(store: S, says: fn(ModelCall) -> Says) -> Self {
        let tool = |_: &Call| ToolResult { ok: true, content: String::new() };
        Agent {
            store,
            now: 1_700_000_000_000,
            refused: 0,
            ended: 0,
            says,
            tool,
            pace: 1,
            logged: Vec::new(),
            live: BTreeMap::new(),
        }
    }
}

impl<S: Store> Host for Agent<S> {
    fn now(&mut self) -> u64 {
        self.now
    }

    fn wait_until(&mut self, at: u64) {
        self.now = self.now.max(at);
    }

    fn store(&mut self, op: StoreOp) -> StoreReply {
        self.store.perform(op)
    }

    fn call_model(&mut self, _run: &str, call: ModelCall, _body: Vec<u8>) {
        self.live.insert(call, (self.says)(call));
    }

    fn read(&mut self, _run: &str, call: ModelCall, until: Option<u64>) -> Chunk {
        if until.is_some_and(|at| at < self.now + self.pace) {
            return Chunk::NotYet;
        }
        self.now += self.pace;
        match self.live.get_mut(&call).and_then(|says| says()) {
            Some(bytes) => Chunk::Bytes(bytes),
            None => Chunk::Eof,
        }
    }

    fn abort(&mut self, _run: &str, call: ModelCall) {
        self.live.remove(&call);
    }

    fn call_tool(&mut self, _run: &str, call: &Call) -> ToolResult {
        (self.tool)(call)
    }

    fn wake(&mut self, _run: &str, _revision: u64, ended: bool) {
        self.ended += usize::from(ended);
        if ended {
            self.live.clear();
        }
    }

    fn set_alarm(&mut self, _at: Option<u64>) {}

    fn reply(&mut self, _request: Request, reply: Reply) {
        self.refused += usize::from(matches!(reply, Reply::Refused(_)));
    }

    fn log(&mut self, line: LogLine) {
        self.logged.push(line);
    }
}

/// A driver of runs whose agent speaks signals, over a store with these traits.
pub fn agent<S: Store>(store: S, traits: Traits, says: fn(ModelCall) -> Says) -> Blocking<Agent<S>> {
    let limits = Limits { run: u64::MAX / 4, ..Limits::default() };
    let approvals = Approvals { tools: vec!["pay".into()], within: Some(60_000) };
    let setup =
        Setup { format: Format::Signals, traits, limits, approvals, rule: Rule::default(), ..setup("instance-1") };
    driver_of(Agent::new(store, says), setup)
}

/// Plays one run of an agent to its end.
pub fn play<S: Store>(store: S, traits: Traits, says: fn(ModelCall) -> Says, input: Rc<RunInput>) -> S {
    let mut driver = agent(store, traits, says);
    driver.post(1, input);
    driver.drive();
    assert_eq!((driver.host.refused, driver.host.ended), (0, 1));
    driver.host.store
}

/// Lines of signals as an agent's response, a chunk each.
pub fn lines(lines: Vec<String>) -> Says {
    let mut lines = lines.into_iter();
    Box::new(move || lines.next().map(|line| format!("data: {line}\n\n").into_bytes()))
}

pub fn keys() -> RunKeys {
    ThreadKeys::new(SCOPE, super::THREAD).run(RUN)
}
