//! The stored threads.

use crate::common::{SCOPE, THREAD, input_of, setup, thread};
use lastword::driver::{Blocking, Simulated, collect};
use lastword::event::View;
use lastword::executor::Approvals;
use lastword::input::RunInput;
use lastword::provider::replay::{self, Recording};
use lastword::run::{
    Cursor, Follow, MemoryStore, Need, Part, Position, Reader, Reply, RunKeys, RunRecord, Setup, Since, StoreOp,
    ThreadKeys,
};
use lastword::sse::Frame;
use lastword::wire::Wire;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::rc::Rc;

pub type Driver = Blocking<Simulated>;

/// What readers come with: their names in the fixtures are those of the stored format.
pub const EYES: [(View, Wire); 3] =
    [(View::Customer, Wire::AgUi), (View::Customer, Wire::Canonical), (View::Operator, Wire::Canonical)];

/// One stored thread.
pub struct Fixture {
    pub name: String,
    pub path: PathBuf,
    pub store: MemoryStore,
    /// What was read: `{run, view, wire, joins, frames}`.
    pub rows: Vec<Value>,
    /// What was read of the thread; null where its code could not follow one.
    pub thread: Value,
}

pub fn folder(version: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/stored").join(version)
}

pub fn fixtures() -> Vec<Fixture> {
    let mut all = Vec::new();
    for version in ["v1-early", "v1", "v2", "v2-wires"] {
        let mut files: Vec<_> = std::fs::read_dir(folder(version)).unwrap().map(|file| file.unwrap().path()).collect();
        files.sort();
        all.extend(files.iter().map(|path| fixture(path)));
    }
    assert!(all.len() >= 15, "{}", all.len());
    all
}

pub fn fixture(path: &Path) -> Fixture {
    let stored: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let mut store = MemoryStore::new();
    for (key, value) in stored["values"].as_object().unwrap() {
        put(&mut store, key, value.as_str().unwrap().as_bytes());
    }
    let version = path.parent().unwrap().file_name().unwrap().to_str().unwrap();
    Fixture {
        name: format!("{version}/{}", path.file_stem().unwrap().to_str().unwrap()),
        path: path.to_owned(),
        store,
        rows: stored["frames"].as_array().unwrap().clone(),
        thread: stored["thread"].clone(),
    }
}

pub fn put(store: &mut MemoryStore, key: &str, value: &[u8]) {
    let part = Part { key: key.to_owned(), value: value.to_vec() };
    store.perform(StoreOp::Save { parts: vec![part], head: None });
}

impl Fixture {
    /// The runs of it, in the order in which they are read.
    pub fn runs(&self) -> Vec<String> {
        let mut runs: Vec<String> = self.rows.iter().map(|row| row["run"].as_str().unwrap().to_owned()).collect();
        runs.dedup();
        runs
    }

    /// The recording that its runs played.
    pub fn recording(&self) -> &'static Recording {
        let name = self.name.split('/').next_back().unwrap();
        replay::find(name).unwrap_or_else(|| replay::find("narrated-refund").unwrap())
    }

    /// A new instance comes to the store, which is all that has survived.
    pub fn driver(&self) -> Driver {
        let mut host = Simulated::new(self.recording(), 1);
        host.store = self.store.clone();
        let recording = self.recording();
        let setup = Setup { format: recording.format(), approvals: Approvals::of(recording), ..setup("i2") };
        Blocking::new(host, setup, thread())
    }

    /// The input with which its first run was asked for.
    pub fn input(&self, run: &str) -> Rc<RunInput> {
        let tools: Vec<&str> = self.recording().client_tools().iter().map(String::as_str).collect();
        input_of(run, "And where is my refund?", &tools)
    }

    /// The same in a new run, with these answers.
    pub fn resume(&self, run: &str, answers: Value) -> Rc<RunInput> {
        let mut input = (*self.input(run)).clone();
        let body = json!({"threadId": THREAD, "runId": run, "messages": [], "resume": answers});
        let asked = lastword::wire::agui::parse(body.to_string().as_bytes(), &Default::default()).unwrap();
        (input.resume, input.fingerprint) = (asked.resume, asked.fingerprint);
        Rc::new(input)
    }
}

pub fn keys(run: &str) -> RunKeys {
    ThreadKeys::new(SCOPE, THREAD).run(run)
}

pub fn record(store: &MemoryStore, run: &str) -> RunRecord {
    RunRecord::decode_under(store.value(&keys(run).head()).unwrap(), &keys(run)).unwrap()
}

/// Everything that there is for a reader, and what it then wants.
pub fn read(store: &MemoryStore, run: &str, (view, wire): (View, Wire), joins: bool) -> (Vec<Frame>, Need) {
    collect(store, Reader::new(keys(run), view, wire, (!joins).then_some(Cursor::START)))
}

/// Everything that there is of the thread, and what its reader then wants.
pub fn follow(store: &MemoryStore, view: View) -> (Vec<Frame>, Need) {
    let mut follow = Follow::new(SCOPE, THREAD, view, Since::After(Position::START));
    follow.wake(1);
    let mut frames = Vec::new();
    loop {
        match follow.next() {
            Need::Load(key) => follow.loaded(&key, store.value(&key)),
            Need::Frames(more) => frames.extend(more),
            other => return (frames, other),
        }
    }
}

pub fn rows(frames: &[Frame]) -> Value {
    frames.iter().map(|frame| json!([frame.id, frame.data])).collect()
}

/// Posts an input and plays on until nothing is left to do.
pub fn post(driver: &mut Driver, input: Rc<RunInput>) -> Reply {
    let request = 70 + driver.host.replies.len() as u32;
    driver.post(request, input);
    driver.drive();
    reply(driver, request)
}

pub fn reply(driver: &Driver, request: u32) -> Reply {
    driver.host.replies.iter().rfind(|(known, _)| *known == request).unwrap().1.clone()
}
