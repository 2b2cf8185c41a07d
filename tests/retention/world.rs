//! A thread with five runs, and another that is nobody's business; a store that fails once, or is lost with its host.

use crate::common::host::forward;
use crate::common::{SCOPE, THREAD, setup_of};
use lastword::driver::{Blocking, Host, Simulated};
use lastword::input::RunInput;
use lastword::provider::replay::{self, Recording};
use lastword::run::{
    IndexEntry, Keep, MemoryStore, Reply, RunRecord, Setup, Status, StoreOp, StoreReply, Thread, ThreadKeys, Traits,
    index_key,
};
use lastword::wire::agui::{Limits, parse};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::rc::Rc;

pub const LEASE: u64 = 30_000;
pub const HOUR: u64 = 3_600_000;
/// Begun an hour apart. Every other one answers what the one before has asked; the last one's question is open.
pub const RUNS: [&str; 5] = ["run-1", "run-2", "run-3", "run-4", "run-5"];
pub const OTHER: &str = "thread-2";

/// What becomes of one operation of the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    Unavailable,
    UncertainNotWritten,
    UncertainWritten,
    CrashBefore,
    CrashAfter,
}

pub const FAULTS: [Fault; 5] =
    [Fault::Unavailable, Fault::UncertainNotWritten, Fault::UncertainWritten, Fault::CrashBefore, Fault::CrashAfter];

/// A host whose store fails at one operation.
pub struct Faulty {
    pub inner: Simulated,
    pub plan: Option<(usize, Fault)>,
    pub ops: usize,
    /// The writes and deletions among the operations.
    pub writes: usize,
    /// The largest number of keys that one operation has listed or deleted.
    pub widest: usize,
    pub crashed: bool,
}

impl Faulty {
    fn writes(op: &StoreOp) -> bool {
        matches!(op, StoreOp::Save { .. } | StoreOp::Delete(_))
    }
}

impl Host for Faulty {
    forward!(now wait_until call_model read abort call_tool wake reply log);

    fn set_alarm(&mut self, at: Option<u64>) {
        if !self.crashed {
            self.inner.set_alarm(at);
        }
    }

    fn store(&mut self, op: StoreOp) -> StoreReply {
        if self.crashed {
            return StoreReply::Unavailable;
        }
        self.ops += 1;
        self.writes += usize::from(Self::writes(&op));
        if let StoreOp::Delete(keys) = &op {
            self.widest = self.widest.max(keys.len());
        }
        let written = Self::writes(&op);
        let fault = self.plan.filter(|(at, _)| *at == self.ops).map(|(_, fault)| fault);
        match fault {
            None => {
                let reply = self.inner.store(op);
                if written {
                    assert_readable(&self.inner.store);
                }
                reply
            }
            Some(Fault::Unavailable) => StoreReply::Unavailable,
            Some(Fault::UncertainNotWritten) if written => StoreReply::Uncertain,
            Some(Fault::UncertainWritten) if written => {
                self.inner.store(op);
                assert_readable(&self.inner.store);
                StoreReply::Uncertain
            }
            // What only reads is unavailable or it is not.
            Some(Fault::UncertainNotWritten | Fault::UncertainWritten) => StoreReply::Unavailable,
            Some(fault) => {
                if fault == Fault::CrashAfter {
                    self.inner.store(op);
                    assert_readable(&self.inner.store);
                }
                self.crashed = true;
                StoreReply::Unavailable
            }
        }
    }
}

pub type Driver = Blocking<Faulty>;

/// The host as a new instance finds it.
pub fn instance(store: MemoryStore, now: u64, alarm: Option<u64>, keep: Keep) -> Driver {
    instance_of(store, now, alarm, keep, THREAD)
}

fn instance_of(store: MemoryStore, now: u64, alarm: Option<u64>, keep: Keep, thread: &str) -> Driver {
    let recording = recording();
    let mut inner = Simulated::new(recording, 1);
    (inner.store, inner.now, inner.alarm) = (store, now, alarm);
    let host = Faulty { inner, plan: None, ops: 0, writes: 0, widest: 0, crashed: false };
    let setup = Setup { thread: thread.to_owned(), instance: format!("i{now}"), ..setup_of(recording) };
    Blocking::new(host, setup, Thread::new(SCOPE, thread, LEASE, Traits::DURABLE_OBJECT).keeping(keep))
}

fn recording() -> &'static Recording {
    replay::find("approval").unwrap()
}

pub fn asked(thread: &str, run: &str, answers: &Value) -> Rc<RunInput> {
    let mut body = json!({
        "threadId": thread, "runId": run, "protocolVersion": "1.0", "state": {}, "context": [], "tools": [],
        "forwardedProps": {}, "messages": [{"id": "u1", "role": "user", "content": "Where is my refund?"}],
    });
    if *answers != json!([]) {
        body["resume"] = answers.clone();
    }
    Rc::new(parse(body.to_string().as_bytes(), &Limits::default()).unwrap())
}

pub fn yes(run: &str) -> Value {
    json!([{"interruptId": format!("{run}-i1"), "status": "resolved", "payload": {"approved": true}}])
}

/// Posts an input and plays on until nothing is left to do.
pub fn post(driver: &mut Driver, input: Rc<RunInput>) -> Reply {
    driver.post(7, input);
    driver.drive();
    driver.host.inner.replies.iter().rfind(|(request, _)| *request == 7).unwrap().1.clone()
}

/// Deletes a run, or all; what the client is told, if it is told anything.
pub fn delete(driver: &mut Driver, run: Option<&str>) -> Option<Reply> {
    driver.host.inner.replies.clear();
    driver.delete(8, run);
    driver.drive();
    driver.host.inner.replies.iter().rfind(|(request, _)| *request == 8).map(|(_, reply)| reply.clone())
}

/// The store with both threads, and the time.
pub fn world() -> (MemoryStore, u64) {
    let mut driver = instance(MemoryStore::new(), 1_700_000_000_000, None, Keep::default());
    for (at, run) in RUNS.iter().enumerate() {
        driver.host.inner.now += HOUR;
        let answers = if at % 2 == 1 { yes(RUNS[at - 1]) } else { json!([]) };
        assert_eq!(post(&mut driver, asked(THREAD, run, &answers)), Reply::Started, "{run}");
        let waits = head(&driver.host.inner.store, THREAD, run).unwrap().status == Status::Interrupted;
        assert_eq!(waits, at % 2 == 0, "{run}");
    }
    let (store, now) = (driver.host.inner.store.clone(), driver.host.inner.now);
    let mut other = instance_of(store, now, None, Keep::default(), OTHER);
    assert_eq!(post(&mut other, asked(OTHER, "other-1", &json!([]))), Reply::Started);
    (other.host.inner.store.clone(), now)
}

pub fn head(store: &MemoryStore, thread: &str, run: &str) -> Option<RunRecord> {
    store.value(&ThreadKeys::new(SCOPE, thread).run(run).head()).map(|head| RunRecord::decode(head).unwrap())
}

pub fn is_tombstone(store: &MemoryStore, run: &str) -> bool {
    let entry = store.value(&index_key(SCOPE, run)).map(|entry| IndexEntry::decode(entry).unwrap());
    entry.is_some_and(|entry| entry.deleted_at.is_some() && entry.run.is_empty() && entry.thread.is_empty())
}

/// The thread's entry.
pub fn active(store: &MemoryStore) -> Value {
    serde_json::from_slice(store.value(&ThreadKeys::new(SCOPE, THREAD).active()).unwrap()).unwrap()
}

/// Everything under these keys, except what begins so.
pub fn but(store: &MemoryStore, prefixes: &[String]) -> BTreeMap<String, Vec<u8>> {
    let keys = store.keys().filter(|key| !prefixes.iter().any(|prefix| key.starts_with(prefix)));
    keys.map(|key| (key.to_owned(), store.value(key).unwrap().to_vec())).collect()
}

/// Whoever names a run finds it whole, or finds that it was deleted.
fn assert_readable(store: &MemoryStore) {
    for (thread, run) in RUNS.map(|run| (THREAD, run)).into_iter().chain([(OTHER, "other-1")]) {
        if store.value(&index_key(SCOPE, run)).is_none() || is_tombstone(store, run) {
            continue;
        }
        let stored = store.value(&ThreadKeys::new(SCOPE, thread).run(run).head()).map(RunRecord::decode);
        let Some(Ok(record)) = stored else {
            if stored.is_some() {
                continue;
            }
            assert!(store.keys().all(|key| !key.contains(&format!("/{run}/"))), "{run} was begun and has no head");
            continue;
        };
        let keys = ThreadKeys::new(SCOPE, thread).run(run);
        for writer in &record.writers {
            for segment in 0..writer.segments {
                assert!(store.value(&keys.segment(&writer.token, segment)).is_some(), "{run} misses {segment}");
            }
        }
    }
}
