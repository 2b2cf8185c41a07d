//! A thread whose runs happen step by step, and what a reader of it must get.

use super::super::*;
use crate::event::Plain;
use crate::input::RunInput;
use crate::profile::Profile;
use crate::run::emitter::{Claim, Emitter, Totals};
use crate::run::fixture::{self, answer, commit};
use crate::run::memory::MemoryStore;
use crate::run::sanitize;
use crate::run::store::Traits;
use crate::run::thread::{Thread, ThreadAction, ThreadInput};
use std::collections::VecDeque;
use std::rc::Rc;

/// How a run ends.
#[derive(Clone, Copy, Debug)]
pub enum End {
    Answer,
    Fail,
    Cancel,
    /// Claimed, but its worker is gone before it has a head; it is asked for again after the next run.
    NoHead,
}

/// One step of what happens to the thread.
#[derive(Clone, Debug)]
pub enum Op {
    Claim(String),
    Abandon(String),
    Start(String),
    Write(usize),
    Commit,
    End(End),
}

/// A thread, its store, and the run that is at work.
pub struct World {
    pub store: MemoryStore,
    pub thread: Thread,
    pub emitter: Option<Emitter>,
    /// Raised by every commit, as a host does.
    pub level: u64,
    /// The runs that have a head, in the order of their claims.
    pub begun: Vec<String>,
    pub claims: u32,
    /// The store operation of a claim before which the instance is lost.
    pub crash: Option<u32>,
}

pub fn input(run: &str) -> Rc<RunInput> {
    Rc::new(fixture::input(run))
}

pub fn fresh_thread() -> Thread {
    Thread::new("s", "t", 30_000, Traits::DURABLE_OBJECT)
}

impl World {
    pub fn new() -> Self {
        let (store, thread) = (MemoryStore::new(), fresh_thread());
        World { store, thread, emitter: None, level: 0, begun: Vec::new(), claims: 0, crash: None }
    }

    pub fn act(&mut self, op: Op) {
        match op {
            Op::Claim(run) => self.claim(&run),
            Op::Abandon(run) => {
                self.thread.step(1, ThreadInput::Done { run });
            }
            Op::Start(run) => {
                let keys = ThreadKeys::new("s", "t").run(&run);
                let claim = Claim { keys, ..fixture::claim(&format!("w{}", self.begun.len()), Traits::MEMORY) };
                self.emitter = Some(Emitter::start(claim, &input(&run), Profile::new("m", None, 0), 1));
                self.begun.push(run);
                self.commit();
            }
            Op::Write(n) => {
                let (Some(emitter), message) = (&mut self.emitter, format!("m{n}")) else { return };
                emitter.write(Plain::IntermediateStart { message: message.clone() }).unwrap();
                let delta = format!("{message} {}", "x".repeat(n * 7));
                emitter.write(Plain::IntermediateDelta { message: message.clone(), delta, cuts: Vec::new() }).unwrap();
                emitter.write(Plain::IntermediateEnd { message }).unwrap();
            }
            Op::Commit => self.commit(),
            Op::End(end) => self.end(end),
        }
    }

    pub fn end(&mut self, end: End) {
        let emitter = self.emitter.as_mut().unwrap();
        match end {
            End::Answer => emitter.succeed(answer("Yes."), Totals::default()),
            End::Cancel => emitter.cancel(Totals::default()),
            _ => emitter.fail(sanitize::failure(ErrorKind::RunTimeout, "r", "w"), Totals::default()),
        }
        .unwrap();
        self.commit();
        self.thread.step(1, ThreadInput::Done { run: self.begun.last().unwrap().clone() });
    }

    pub fn commit(&mut self) {
        commit(self.emitter.as_mut().unwrap(), &mut self.store);
        self.level += 1;
    }

    /// Claims until the run is admitted, by a new instance where one was lost in between.
    pub fn claim(&mut self, run: &str) {
        let post = || ThreadInput::Post { request: 1, input: input(run) };
        let mut actions: VecDeque<ThreadAction> = self.thread.step(1, post()).into();
        loop {
            match actions.pop_front() {
                Some(ThreadAction::Store(op)) => {
                    self.claims += 1;
                    if self.crash == Some(self.claims) {
                        self.thread = fresh_thread();
                        actions = self.thread.step(1, post()).into();
                        continue;
                    }
                    let reply = self.store.perform(op);
                    actions.extend(self.thread.step(1, ThreadInput::Store(reply)));
                }
                Some(ThreadAction::Admit { .. }) => {
                    self.thread.step(1, ThreadInput::Settled { run: run.into() });
                    return;
                }
                other => panic!("{other:?}"),
            }
        }
    }

    /// What a reader of the thread must get: each run's own stream, one after the other.
    pub fn whole(&self, view: View) -> Vec<Frame> {
        let mut all = Vec::new();
        for (run, ordinal) in self.begun.iter().zip(1..) {
            let keys = ThreadKeys::new("s", "t").run(run);
            let reader = Reader::new(keys, view, Wire::Canonical, Some(Cursor::START));
            let (frames, _) = crate::driver::collect(&self.store, reader);
            let id = |frame: &Frame| frame.id.as_ref().map(|id| format!("{ordinal}-{id}"));
            all.extend(frames.into_iter().map(|frame| Frame { id: id(&frame), ..frame }));
        }
        all
    }

    pub fn read(&self, view: View, since: Since) -> Vec<Frame> {
        let mut frames = Vec::new();
        let need = pull(self, &mut follow(view, since), &mut frames);
        assert!(matches!(need, Need::Wait(_)), "{need:?}");
        frames
    }
}

pub fn follow(view: View, since: Since) -> Follow {
    Follow::new("s", "t", view, since)
}

pub const START: Since = Since::After(Position::START);

/// The reading half of a driver: it wakes the reader only where something is newer than what it saw.
pub fn pull(world: &World, follow: &mut Follow, out: &mut Vec<Frame>) -> Need {
    loop {
        match follow.next() {
            Need::Load(key) => follow.loaded(&key, world.store.value(&key)),
            Need::Frames(frames) => out.extend(frames),
            Need::Wait(level) if level < world.level => follow.wake(world.level),
            other => return other,
        }
    }
}

/// The steps of a thread with these runs: how many events each has, and how it ends.
pub fn script(runs: &[(usize, End)]) -> Vec<Op> {
    let mut ops = Vec::new();
    let mut again: Vec<String> = Vec::new();
    for (n, (events, end)) in runs.iter().enumerate() {
        let run = format!("r{n}");
        ops.push(Op::Claim(run.clone()));
        if let End::NoHead = end {
            ops.push(Op::Abandon(run.clone()));
            again.push(run);
            continue;
        }
        let whole = |run: String, ops: &mut Vec<Op>| {
            ops.push(Op::Start(run));
            for event in 0..*events {
                ops.push(Op::Write(event));
                ops.push(Op::Commit);
            }
            ops.push(Op::End(*end));
        };
        whole(run, &mut ops);
        if let Some(late) = again.pop() {
            ops.push(Op::Claim(late.clone()));
            whole(late, &mut ops);
        }
    }
    ops
}

pub fn played(runs: &[(usize, End)]) -> World {
    let mut world = World::new();
    script(runs).into_iter().for_each(|op| world.act(op));
    world
}

/// Runs of every end, one of them claimed twice.
pub fn sample() -> World {
    played(&[(2, End::Answer), (1, End::Fail), (0, End::NoHead), (3, End::Cancel), (0, End::Answer)])
}
