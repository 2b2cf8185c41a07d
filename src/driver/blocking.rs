//! The native, blocking driver: one thread's runs, one step at a time.

use crate::Millis;
use crate::executor::ToolResult;
use crate::input::{Call, RunInput};
use crate::run::{
    Action, Input, LogLine, ModelCall, Reply, Request, Run, Setup, StoreOp, StoreReply, Thread, ThreadAction,
    ThreadInput,
};
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

/// What reading a model call's stream gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Chunk {
    /// Bytes.
    Bytes(Vec<u8>),
    /// The stream is over.
    Eof,
    /// There was no stream but this HTTP status.
    Refused(u16),
    /// Nobody answered.
    Unreachable,
    /// Nothing came by the time given.
    NotYet,
}

/// What the driver needs of its host. Every call may block.
pub trait Host {
    /// The time, in milliseconds since the Unix epoch.
    fn now(&mut self) -> Millis;
    /// Returns when it is that time.
    fn wait_until(&mut self, at: Millis);
    /// Performs one operation of the store.
    fn store(&mut self, op: StoreOp) -> StoreReply;
    /// Sends a request to the model.
    fn call_model(&mut self, run: &str, call: ModelCall, body: Vec<u8>);
    /// Waits for one more chunk, but not past `until`.
    fn read(&mut self, run: &str, call: ModelCall, until: Option<Millis>) -> Chunk;
    /// Lets go of a model call's stream.
    fn abort(&mut self, run: &str, call: ModelCall);
    /// Runs a tool.
    fn call_tool(&mut self, run: &str, call: &Call) -> ToolResult;
    /// Readers may find something new.
    fn wake(&mut self, run: &str, revision: u64, ended: bool);
    /// Sets the thread's one alarm.
    fn set_alarm(&mut self, at: Option<Millis>);
    /// Answers a request.
    fn reply(&mut self, request: Request, reply: Reply);
    /// Writes a line to the log.
    fn log(&mut self, line: LogLine);
}

enum Next {
    Thread(ThreadInput),
    Run(String, Input),
}

impl Next {
    /// True for a request to that run: it goes to a machine of its own if there is none.
    fn asks(&self, id: &str) -> bool {
        matches!(self, Next::Run(run, input) if run == id && input.request().is_some())
    }
}

/// Drives the runs of one thread.
pub struct Blocking<H> {
    /// The host.
    pub host: H,
    thread: Thread,
    setup: Setup,
    nonce: u64,
    runs: BTreeMap<String, Run>,
    reads: BTreeMap<String, ModelCall>,
    inbox: VecDeque<Next>,
}

impl<H: Host> Blocking<H> {
    /// A driver of the setup's thread. Each run is made with this setup, under its own id.
    pub fn new(host: H, setup: Setup, thread: Thread) -> Self {
        Blocking {
            host,
            thread,
            setup,
            nonce: 0,
            runs: BTreeMap::new(),
            reads: BTreeMap::new(),
            inbox: VecDeque::new(),
        }
    }

    /// A client asks for a run.
    pub fn post(&mut self, request: Request, input: Rc<RunInput>) {
        self.inbox.push_back(Next::Thread(ThreadInput::Post { request, input }));
    }

    /// A client deletes a run, or all of the thread's.
    pub fn delete(&mut self, request: Request, run: Option<&str>) {
        let run = run.map(str::to_owned);
        self.inbox.push_back(Next::Thread(ThreadInput::Delete { request, run }));
    }

    /// Tells a run's machine something; it is made if there is none.
    pub fn tell(&mut self, run: &str, input: Input) {
        self.inbox.push_back(Next::Run(run.to_owned(), input));
    }

    /// The alarm has gone off.
    pub fn alarm(&mut self) {
        self.inbox.push_back(Next::Thread(ThreadInput::AlarmFired));
    }

    /// Goes on until nothing is left to do.
    pub fn drive(&mut self) {
        while self.turn() {}
    }

    /// One input, or, where there is none, the next chunk or the nearest deadline. False if nothing is left.
    pub fn turn(&mut self) -> bool {
        match self.inbox.pop_front() {
            Some(Next::Thread(input)) => self.step_thread(input),
            Some(Next::Run(run, input)) => self.step(&run, input),
            None => return self.wait(),
        }
        true
    }

    fn wait(&mut self) -> bool {
        let runs = self.runs.iter().filter_map(|(id, run)| Some((run.deadline()?, Some(id.clone()))));
        let deadline = runs.chain(self.thread.deadline().map(|at| (at, None))).min();
        if let Some((run, call)) = self.reads.pop_first() {
            let input = match self.host.read(&run, call, deadline.as_ref().map(|(at, _)| *at)) {
                Chunk::Bytes(bytes) => Input::Bytes(call, bytes),
                Chunk::Eof => Input::Eof(call),
                Chunk::Refused(status) => Input::Refused(call, status),
                Chunk::Unreachable => Input::Unreachable(call),
                Chunk::NotYet => {
                    self.reads.insert(run, call);
                    return self.tick(deadline);
                }
            };
            self.tell(&run, input);
            return true;
        }
        self.tick(deadline)
    }

    /// Waits for the nearest deadline: a run's, or the thread's.
    fn tick(&mut self, deadline: Option<(Millis, Option<String>)>) -> bool {
        let Some((at, run)) = deadline else { return false };
        self.host.wait_until(at);
        match run {
            Some(run) => self.tell(&run, Input::Tick),
            None => self.tell_thread(ThreadInput::Tick),
        }
        true
    }

    fn step(&mut self, id: &str, input: Input) {
        if !self.runs.contains_key(id) && input.request().is_none() {
            return;
        }
        let now = self.host.now();
        let run = self.runs.entry(id.to_owned()).or_insert_with(|| {
            self.nonce += 1;
            Run::new(Setup { run: id.to_owned(), nonce: self.nonce, ..self.setup.clone() })
        });
        for action in run.step(now, input) {
            self.act(id, action);
        }
    }

    fn act(&mut self, id: &str, action: Action) {
        match action {
            Action::Store(op) => {
                let reply = self.host.store(op);
                self.tell(id, Input::Store(reply));
            }
            Action::CallModel { call, body } => self.host.call_model(id, call, body),
            Action::Read(call) => {
                self.reads.insert(id.to_owned(), call);
            }
            Action::Abort(call) => {
                self.reads.remove(id);
                self.host.abort(id, call);
            }
            Action::CallTool(call) => {
                let result = self.host.call_tool(id, &call);
                self.tell(id, Input::ToolDone(call.id, result));
            }
            // At once: what comes next may need it to be set.
            Action::SetAlarm(at) => self.step_thread(ThreadInput::Alarm { run: id.to_owned(), at }),
            Action::Wake { revision, ended } => self.host.wake(id, revision, ended),
            Action::Reply(request, reply) => {
                self.host.reply(request, reply);
                self.tell_thread(ThreadInput::Settled { run: id.to_owned() });
            }
            Action::Log(line) => self.host.log(line),
            Action::Done => {
                self.runs.remove(id);
                if !self.inbox.iter().any(|next| next.asks(id)) {
                    self.step_thread(ThreadInput::Done { run: id.to_owned() });
                }
            }
        }
    }

    fn step_thread(&mut self, input: ThreadInput) {
        let now = self.host.now();
        let actions = self.thread.step(now, input);
        actions.into_iter().for_each(|action| self.act_for_thread(action));
    }

    fn act_for_thread(&mut self, action: ThreadAction) {
        match action {
            ThreadAction::Store(op) => {
                let reply = self.host.store(op);
                self.tell_thread(ThreadInput::Store(reply));
            }
            ThreadAction::Admit { request, input, answers, lost } => {
                self.tell(&input.run.clone(), Input::Post { request, input, answers, lost });
            }
            ThreadAction::Reply(request, reply) => self.host.reply(request, reply),
            ThreadAction::Recover { run } => self.tell(&run, Input::Recover { request: 0 }),
            ThreadAction::SetAlarm(at) => self.host.set_alarm(at),
            ThreadAction::Gone { run } => self.host.wake(&run, u64::MAX, true),
            ThreadAction::Cleared => {}
        }
    }

    fn tell_thread(&mut self, input: ThreadInput) {
        self.inbox.push_back(Next::Thread(input));
    }
}
