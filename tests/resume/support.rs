//! A thread with runs that wait, answers to them, and what came of it.

use crate::common::{SCOPE, THREAD, driver, setup, thread, value};
use lastword::driver::{Blocking, Simulated, collect};
use lastword::event::View;
use lastword::executor::Approvals;
use lastword::input::RunInput;
use lastword::provider::replay;
use lastword::run::{Cursor, MemoryStore, Need, Reader, Reply, RunRecord, Setup, Status, ThreadKeys};
use lastword::sse::Frame;
use lastword::wire::Wire;
use lastword::wire::agui::{Limits, parse};
use serde_json::{Value, json};
use std::rc::Rc;

pub type Driver = Blocking<Simulated>;

/// The question, once more or in a new run, with these answers and these further messages.
pub fn resume(run: &str, answers: Value, more: &[Value]) -> Rc<RunInput> {
    let mut messages = vec![json!({"id": "u1", "role": "user", "content": "Where is my refund?"})];
    messages.extend_from_slice(more);
    let mut body = json!({
        "threadId": THREAD, "runId": run, "protocolVersion": "1.0", "state": {}, "context": [],
        "forwardedProps": {}, "messages": messages, "resume": answers,
        "tools": [{"name": "pick_depot", "description": "The client's."}],
    });
    if answers == json!([]) {
        body.as_object_mut().unwrap().remove("resume");
    }
    Rc::new(parse(body.to_string().as_bytes(), &Limits::default()).unwrap())
}

pub fn asked(run: &str) -> Rc<RunInput> {
    resume(run, json!([]), &[])
}

pub fn yes(id: &str) -> Value {
    json!({"interruptId": id, "status": "resolved", "payload": {"approved": true}})
}

pub fn no(id: &str) -> Value {
    json!({"interruptId": id, "status": "resolved", "payload": {"approved": false}})
}

pub fn given_up(id: &str) -> Value {
    json!({"interruptId": id, "status": "cancelled"})
}

/// A thread whose first run has ended interrupted.
pub fn interrupted(recording: &str) -> Driver {
    let mut driver = driver(recording);
    driver.post(1, asked("run-1"));
    driver.drive();
    assert_eq!(record(&driver.host.store, "run-1").unwrap().status, Status::Interrupted);
    driver
}

/// Posts an input and plays on until nothing is left to do.
pub fn post(driver: &mut Driver, request: u32, input: Rc<RunInput>) -> Reply {
    driver.post(request, input);
    driver.drive();
    driver.host.replies.iter().rfind(|(known, _)| *known == request).unwrap().1.clone()
}

/// A refusal's code and detail, and that it has changed nothing.
pub fn refused(driver: &mut Driver, input: Rc<RunInput>) -> (&'static str, String) {
    let before: Vec<_> = entries(&driver.host.store);
    let reply = post(driver, 90, input);
    let Reply::Refused(error) = reply else { panic!("{reply:?}") };
    assert_eq!(entries(&driver.host.store), before, "a refusal changes nothing");
    (error.code(), error.detail().unwrap_or_default().to_owned())
}

pub fn entries(store: &MemoryStore) -> Vec<(String, Vec<u8>)> {
    store.keys().map(|key| (key.to_owned(), store.value(key).unwrap().to_vec())).collect()
}

pub fn record(store: &MemoryStore, run: &str) -> Option<RunRecord> {
    RunRecord::decode(store.value(&ThreadKeys::new(SCOPE, THREAD).run(run).head())?).ok()
}

pub fn read(store: &MemoryStore, run: &str, view: View, wire: Wire, cursor: Option<Cursor>) -> Vec<Frame> {
    let reader = Reader::new(ThreadKeys::new(SCOPE, THREAD).run(run), view, wire, cursor);
    let (frames, need) = collect(store, reader);
    assert_eq!(need, Need::End, "{run}");
    frames
}

pub fn agui(store: &MemoryStore, run: &str) -> Vec<Frame> {
    read(store, run, View::Customer, Wire::AgUi, Some(Cursor::START))
}

pub fn last(frames: &[Frame]) -> Value {
    value(frames.last().unwrap())
}

/// The roles and texts that the model was sent behind the question.
pub fn told(body: &[u8]) -> Vec<(String, String)> {
    let body: Value = serde_json::from_slice(body).unwrap();
    let said = |message: &Value| {
        let ids = message["tool_calls"].as_array().into_iter().flatten().map(|call| call["id"].as_str().unwrap());
        let calls: Vec<&str> = ids.collect();
        let text = message["content"].as_str().unwrap_or("");
        let text = if calls.is_empty() { text.to_owned() } else { calls.join(" ") };
        (message["role"].as_str().unwrap().to_owned(), text)
    };
    body["messages"].as_array().unwrap().iter().skip(1).map(said).collect()
}

/// The store is all that survives; a new instance comes to it.
pub fn reborn(store: MemoryStore, recording: &str, first: u32) -> Driver {
    let recording = replay::find(recording).unwrap();
    let mut host = Simulated::new(recording, first);
    host.store = store;
    Blocking::new(host, Setup { approvals: Approvals::of(recording), ..setup("i2") }, thread())
}
