//! A host that plays a script, and looks through the eyes of readers before and after every save.

use crate::common::host::forward;
use crate::common::{reader, record};
use crate::script::Script;
use lastword::driver::{Chunk, Host, Simulated, pull};
use lastword::event::View;
use lastword::executor::ToolResult;
use lastword::input::Call;
use lastword::provider::replay;
use lastword::redact::{Channel, Filter, Redactor};
use lastword::run::{Cursor, ModelCall, Need, Reader, StoreOp, StoreReply};
use lastword::sse::Frame;
use lastword::wire::Wire;
use std::collections::VecDeque;

/// What readers attach with.
pub const EYES: [(View, Wire); 3] =
    [(View::Customer, Wire::AgUi), (View::Customer, Wire::Canonical), (View::Operator, Wire::Canonical)];

/// A reader, and what it has been sent.
pub struct Eye {
    pub view: View,
    pub wire: Wire,
    pub reader: Reader,
    pub frames: Vec<Frame>,
}

/// Plays a script over the store in memory.
pub struct Scripted {
    pub inner: Simulated,
    pub eyes: Vec<Eye>,
    /// False while the readers are away.
    pub attached: bool,
    /// The newest event that the store has acknowledged.
    acknowledged: u64,
    pub violations: Vec<String>,
    responses: Vec<VecDeque<Vec<u8>>>,
}

impl Scripted {
    pub fn new(script: &Script) -> Self {
        let eye =
            |(view, wire)| Eye { view, wire, reader: reader(view, wire, Some(Cursor::START)), frames: Vec::new() };
        Scripted {
            // The store, the clock and the log are the simulated host's; its recording is never played.
            inner: Simulated::new(replay::find("empty-answer").unwrap(), 1),
            eyes: EYES.map(eye).into(),
            attached: true,
            acknowledged: 0,
            violations: Vec::new(),
            responses: script.chunks().into_iter().map(VecDeque::from).collect(),
        }
    }

    /// The readers leave, and forget all but the cursor of the last frame that had one.
    pub fn leave(&mut self) {
        self.attached = false;
        for eye in &mut self.eyes {
            let at = eye.frames.iter().rposition(|frame| frame.id.is_some());
            eye.frames.truncate(at.map_or(0, |at| at + 1));
            let cursor = at.map_or(Cursor::START, |at| Cursor::parse(eye.frames[at].id.as_deref().unwrap()).unwrap());
            eye.reader = reader(eye.view, eye.wire, Some(cursor));
        }
    }

    /// Whatever the readers can have now; nothing of it may be newer than what was acknowledged.
    pub fn look(&mut self) {
        if self.acknowledged == 0 || !self.attached {
            return;
        }
        for eye in &mut self.eyes {
            let need = pull(&self.inner.store, &mut eye.reader, &mut eye.frames);
            let seen = eye.frames.iter().rev().find_map(|frame| frame.id.as_deref());
            let seen = seen.map_or(0, |id| id.split('.').next().unwrap().parse().unwrap());
            if seen > self.acknowledged {
                self.violations.push(format!("{seen} seen, {} acknowledged", self.acknowledged));
            }
            if need == Need::End && !record(&self.inner).is_ended() {
                self.violations.push("an end without an outcome".to_owned());
            }
        }
    }
}

impl Host for Scripted {
    forward!(now wait_until wake set_alarm reply log);

    fn store(&mut self, op: StoreOp) -> StoreReply {
        let head = matches!(&op, StoreOp::Save { head: Some(head), .. } if head.key.ends_with("/head"));
        if !head {
            return self.inner.store(op);
        }
        self.look();
        let reply = self.inner.store(op);
        if matches!(reply, StoreReply::Saved(_)) {
            self.acknowledged = record(&self.inner).sequence;
        }
        self.look();
        reply
    }
    fn call_model(&mut self, _run: &str, _call: ModelCall, body: Vec<u8>) {
        self.inner.bodies.push(body);
    }
    fn read(&mut self, _run: &str, call: ModelCall, until: Option<u64>) -> Chunk {
        let Some(chunks) = self.responses.get_mut(call as usize - 1) else { return Chunk::Unreachable };
        let at = self.inner.now + 4;
        if until.is_some_and(|until| until < at) {
            return Chunk::NotYet;
        }
        self.inner.now = at;
        chunks.pop_front().map_or(Chunk::Eof, Chunk::Bytes)
    }
    fn abort(&mut self, _run: &str, _call: ModelCall) {}
    fn call_tool(&mut self, _run: &str, call: &Call) -> ToolResult {
        if !record(&self.inner).open.tools().contains(&call.id) {
            self.violations.push(format!("{} runs though the journal does not name it", call.id));
        }
        self.inner.tools.push(call.clone());
        ToolResult { ok: true, content: "result-of-ours".to_owned() }
    }
}

/// Lets everything pass, but holds the last character of each text back until more comes.
struct Tail(String);

impl Filter for Tail {
    fn push(&mut self, text: &str) -> String {
        self.0.push_str(text);
        let last = self.0.pop().map(String::from).unwrap_or_default();
        std::mem::replace(&mut self.0, last)
    }
    fn flush(&mut self) -> String {
        std::mem::take(&mut self.0)
    }
    fn reset(&mut self) {
        self.0.clear();
    }
}

/// Makes filters that hold a character back.
pub struct Tails;

impl Redactor for Tails {
    fn filter(&self, _: Channel) -> Box<dyn Filter> {
        Box::new(Tail(String::new()))
    }
}
