//! What the room's own tests share.

use super::emitter::{Claim, Emitter};
use super::flight::Progress;
use super::keys::ThreadKeys;
use super::memory::MemoryStore;
use super::store::Traits;
use crate::input::{Echo, RunInput};
use crate::profile::Profile;
use crate::redact::PassThrough;
use crate::signal::{Phase, Role, Signal, Stop};
use crate::turn::{Published, TurnOutput};
use serde_json::json;
use std::rc::Rc;

pub fn input(run: &str) -> RunInput {
    RunInput {
        thread: "t".into(),
        run: run.into(),
        messages: vec![],
        tools: vec![],
        context: vec![],
        resume: vec![],
        model: None,
        settings: Default::default(),
        echo: Echo { messages: vec![json!({"id": "u1", "role": "user", "content": "Hi"})], ..Echo::default() },
        fingerprint: "f".into(),
        protocol: None,
        exactly_once: false,
    }
}

pub fn claim(writer: &str, traits: Traits) -> Claim {
    let keys = ThreadKeys::new("s", "t").run("r");
    Claim { keys, scope: "s".into(), writer: writer.into(), traits, lease: 30_000 }
}

pub fn started(traits: Traits) -> Emitter {
    Emitter::start(claim("w1", traits), &input("r"), Profile::new("m", None, 0), 1)
}

/// Seals and saves until the commit is through.
pub fn commit(emitter: &mut Emitter, store: &mut MemoryStore) -> Progress {
    emitter.seal(2, false);
    while let Some(op) = emitter.poll() {
        let reply = store.perform(op);
        match emitter.replied(2, reply) {
            Progress::None => {}
            other => return other,
        }
    }
    Progress::None
}

pub fn answer(text: &str) -> Published {
    let mut turn = TurnOutput::new("r", Rc::new(PassThrough), &[]);
    turn.signal(Signal::ResponseStart { model: None });
    turn.signal(Signal::ItemStart { role: Role::Assistant, phase: Phase::Unmarked });
    turn.signal(Signal::Text(text.into()));
    turn.signal(Signal::ResponseEnd(Stop::Complete));
    turn.publish(None).unwrap()
}
