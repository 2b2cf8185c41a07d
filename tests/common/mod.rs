//! What the integration tests share: an input, a setup, a client that reads AG-UI.
#![allow(dead_code)]

pub mod agent;
pub mod host;
pub mod matrix;

use lastword::driver::{Blocking, Host, Simulated, collect};
use lastword::event::View;
use lastword::executor::Approvals;
use lastword::input::RunInput;
use lastword::profile::Profile;
use lastword::provider::replay::Recording;
use lastword::provider::{Format, replay};
use lastword::redact::PassThrough;
use lastword::run::{
    Cursor, Follow, Limits, MemoryStore, Need, Position, Reader, RunRecord, Setup, Since, Thread, ThreadKeys, Traits,
};
use lastword::sse::Frame;
use lastword::turn::Rule;
use lastword::wire::Wire;
use lastword::wire::agui::{Limits as InputLimits, parse};
use serde_json::{Value, json};
use std::rc::Rc;

pub const SCOPE: &str = "acme";
pub const THREAD: &str = "thread-1";
pub const RUN: &str = "run-1";

/// An input of an agent that holds two earlier turns.
pub fn input(run: &str, tools: &[&str]) -> Rc<RunInput> {
    input_of(run, "And where is my refund?", tools)
}

pub fn input_of(run: &str, asks: &str, tools: &[&str]) -> Rc<RunInput> {
    let tools: Vec<Value> = tools.iter().map(|name| json!({"name": name, "description": "The client's."})).collect();
    let body = json!({
        "threadId": THREAD, "runId": run, "protocolVersion": "1.0", "state": {}, "tools": tools, "context": [],
        "forwardedProps": {},
        "messages": [
            {"id": "u1", "role": "user", "content": "Hi"}, {"id": "a1", "role": "assistant", "content": "Hello!"},
            {"id": "u2", "role": "user", "content": "A question"}, {"id": "a2", "role": "assistant", "content": "Yes?"},
            {"id": "u3", "role": "user", "content": asks},
        ],
    });
    Rc::new(parse(body.to_string().as_bytes(), &InputLimits::default()).unwrap())
}

pub fn setup(instance: &str) -> Setup {
    Setup {
        scope: SCOPE.into(),
        thread: THREAD.into(),
        run: RUN.into(),
        instance: instance.into(),
        nonce: 0,
        traits: Traits::DURABLE_OBJECT,
        lease: 30_000,
        rule: Rule::default(),
        limits: Limits::default(),
        format: Format::ChatCompletions,
        approvals: Approvals::default(),
        client_calls: false,
        deltas_apart: false,
        options: Default::default(),
        model: "m".into(),
        profile: Profile::new("m", Some(lastword::input::Protocol::V1), 0),
        redactor: Rc::new(PassThrough),
    }
}

pub fn thread() -> Thread {
    Thread::new(SCOPE, THREAD, 30_000, Traits::DURABLE_OBJECT)
}

pub fn driver(recording: &str) -> Blocking<Simulated> {
    let recording = replay::find(recording).unwrap();
    driver_of(Simulated::new(recording, 1), setup_of(recording))
}

/// A driver of a host, under a setup of one's own.
pub fn driver_of<H: Host>(host: H, setup: Setup) -> Blocking<H> {
    Blocking::new(host, setup, thread())
}

/// The setup of a run that plays this recording.
pub fn setup_of(recording: &Recording) -> Setup {
    Setup { format: recording.format(), approvals: Approvals::of(recording), ..setup("i1") }
}

/// Plays a recording to its end.
pub fn played(recording: &str) -> Blocking<Simulated> {
    let tools: Vec<&str> = replay::find(recording).unwrap().client_tools().iter().map(String::as_str).collect();
    let mut driver = driver(recording);
    driver.post(1, input(RUN, &tools));
    driver.drive();
    driver
}

pub fn reader(view: View, wire: Wire, cursor: Option<Cursor>) -> Reader {
    Reader::new(ThreadKeys::new(SCOPE, THREAD).run(RUN), view, wire, cursor)
}

/// All frames of a view from the start; the stream must have ended.
pub fn all(host: &Simulated, view: View, wire: Wire) -> Vec<Frame> {
    let (frames, need) = collect(&host.store, reader(view, wire, Some(Cursor::START)));
    assert_eq!(need, Need::End);
    frames
}

pub fn record(host: &Simulated) -> RunRecord {
    RunRecord::decode(host.store.value(&ThreadKeys::new(SCOPE, THREAD).run(RUN).head()).unwrap()).unwrap()
}

/// The runs that a reader of the thread is told of, in order.
pub fn followed(store: &MemoryStore) -> Vec<String> {
    let mut follow = Follow::new(SCOPE, THREAD, View::Operator, Since::After(Position::START));
    let mut runs: Vec<String> = Vec::new();
    loop {
        match follow.next() {
            Need::Load(key) => follow.loaded(&key, store.value(&key)),
            Need::Frames(frames) => {
                for frame in frames {
                    let (_, run) = frame.data.rsplit_once("\"run\":\"").unwrap();
                    let run = run.split('"').next().unwrap();
                    if runs.last().is_none_or(|last| last != run) {
                        runs.push(run.to_owned());
                    }
                }
            }
            Need::Wait(_) => return runs,
            other => panic!("{other:?}"),
        }
    }
}

pub fn value(frame: &Frame) -> Value {
    serde_json::from_str(&frame.data).unwrap()
}

pub fn types(frames: &[Frame]) -> Vec<String> {
    frames.iter().map(|frame| value(frame)["type"].as_str().unwrap().to_owned()).collect()
}

pub fn bytes(frames: &[Frame]) -> String {
    frames.iter().map(|frame| String::from_utf8(frame.to_bytes().unwrap()).unwrap()).collect()
}

/// The answer's text on AG-UI.
pub fn answer(frames: &[Frame]) -> Option<String> {
    let values: Vec<Value> = frames.iter().map(value).collect();
    let text = |value: &Value| value["delta"].as_str().unwrap().to_owned();
    let started = values.iter().any(|value| value["type"] == "TEXT_MESSAGE_START");
    started.then(|| values.iter().filter(|value| value["type"] == "TEXT_MESSAGE_CONTENT").map(text).collect())
}
