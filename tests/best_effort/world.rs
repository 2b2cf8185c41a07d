//! Several instances of a host over one store, in a time of their own: each step is the next thing that happens.

use crate::common::{SCOPE, THREAD, input, setup};
use crate::kv::{Dice, Kv, Lag};
use crate::reading::Reading;
use lastword::Millis;
use lastword::driver::recorded;
use lastword::executor::Approvals;
use lastword::input::RunInput;
use lastword::provider::replay::{self, Recording};
use lastword::run::{
    Action, Guarantee, Input, ModelCall, Reply, Request, Run, Setup, StoreOp, StoreReply, Thread, ThreadAction,
    ThreadInput, Traits,
};
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

pub const LEASE: Millis = 30_000;
/// The chunks of one response, each with the pause before it.
pub type Response = VecDeque<(Millis, Vec<u8>)>;

/// A store that compares, and that many instances share.
pub const COMPARES: Traits = Traits {
    claim: Guarantee::Atomic,
    outcome: Guarantee::Atomic,
    min_interval: 0,
    staleness: 0,
    ..Traits::WORKERS_KV
};

/// A model that answers for so long, in so many pieces.
pub fn slow(length: Millis, pieces: u64) -> Box<dyn Fn(ModelCall) -> Response> {
    Box::new(move |_| {
        let piece = |text: &str, end: &str| {
            format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{text}\"}}{end}}}]}}\n\n")
                .into_bytes()
        };
        let mut response: Response = (0..pieces).map(|n| (length / pieces, piece(&format!("w{n} "), ""))).collect();
        response.push_back((0, piece("end", ",\"finish_reason\":\"stop\"")));
        response.push_back((0, b"data: [DONE]\n\n".to_vec()));
        response
    })
}

/// What happens at a moment.
pub enum Event {
    Post(usize, Request, Rc<RunInput>),
    Tell(usize, String, Input),
    Delete(usize, Request, Option<String>),
    Perform(usize, Option<String>, StoreOp),
    Answer(usize, Option<String>, StoreReply),
    Poll(usize),
    Crash(usize),
}

struct Live {
    run: Run,
    stream: Option<(ModelCall, Response)>,
    tools: BTreeMap<String, usize>,
}

/// One instance.
struct Instance {
    thread: Thread,
    runs: BTreeMap<String, Live>,
    nonce: u64,
    /// Raised by a crash: what was under way for the instance before is lost.
    life: u64,
}

pub struct World {
    pub now: Millis,
    pub kv: Kv,
    pub traits: Traits,
    /// How long an operation's way to the store is at most, and back.
    pub leg: Millis,
    pub dice: Dice,
    pub replies: Vec<(usize, Request, Reply)>,
    /// Which instance has begun which run, and when.
    pub begun: Vec<(usize, String, Millis)>,
    /// How many tools have run.
    pub tools: usize,
    pub readings: Vec<Reading>,
    /// The model's responses by call, from 1.
    pub model: Box<dyn Fn(ModelCall) -> Response>,
    /// Readers look after runs whose writer can't be alive any more.
    pub recovers: bool,
    /// Whoever is answered gets a reader.
    pub reads: bool,
    recording: &'static Recording,
    asked: BTreeMap<Request, String>,
    instances: Vec<Instance>,
    queue: BTreeMap<(Millis, u64), (Event, u64)>,
    order: u64,
}

impl World {
    pub fn new(instances: usize, traits: Traits, lag: Lag, seed: u64) -> Self {
        let recording = replay::find("narrated-refund").unwrap();
        let mut world = World {
            now: 1_700_000_000_000,
            kv: Kv::new(lag, seed ^ 0x5EED),
            traits,
            leg: 200,
            dice: Dice(seed),
            replies: Vec::new(),
            begun: Vec::new(),
            tools: 0,
            readings: Vec::new(),
            model: Box::new(|_| VecDeque::new()),
            recovers: true,
            reads: true,
            recording,
            asked: BTreeMap::new(),
            instances: Vec::new(),
            queue: BTreeMap::new(),
            order: 0,
        };
        world.plays("narrated-refund");
        world.instances = (0..instances).map(|_| world.instance(0)).collect();
        world
    }

    /// The model plays this recording.
    pub fn plays(&mut self, name: &str) {
        let recording = replay::find(name).unwrap();
        self.recording = recording;
        self.model = Box::new(move |call| {
            let chunks = recording.response(call).into_iter().flatten();
            chunks.map(|chunk| (chunk.after_ms, chunk.bytes.to_vec())).collect()
        });
    }

    fn instance(&self, life: u64) -> Instance {
        let thread = Thread::new(SCOPE, THREAD, LEASE, self.traits);
        Instance { thread, runs: BTreeMap::new(), nonce: 0, life }
    }

    pub fn at(&mut self, after: Millis, event: Event) {
        let life = event.instance().map_or(0, |at| self.instances[at].life);
        self.order += 1;
        self.queue.insert((self.now + after, self.order), (event, life));
    }

    /// An input for what the model plays.
    pub fn input(&self, run: &str) -> Rc<RunInput> {
        let tools: Vec<&str> = self.recording.client_tools().iter().map(String::as_str).collect();
        input(run, &tools)
    }

    pub fn post(&mut self, after: Millis, instance: usize, request: Request) {
        let input = self.input("run-1");
        self.at(after, Event::Post(instance, request, input));
    }

    /// The instance is lost, and another takes its place.
    pub fn crash(&mut self, at: usize) {
        self.kv.forget(at);
        self.instances[at] = self.instance(self.instances[at].life + 1);
    }

    /// Goes on until nothing is left to do, or until then.
    pub fn go(&mut self, until: Millis) {
        let mut steps = 0;
        while self.step(until) {
            steps += 1;
            assert!(steps < 1_000_000, "it comes to an end");
        }
    }

    /// The next thing that happens. False if nothing does until then.
    pub fn step(&mut self, until: Millis) -> bool {
        let runs = |at: usize, instance: &Instance| {
            let runs = instance.runs.iter().filter_map(|(id, live)| Some((live.run.deadline()?, at, Some(id.clone()))));
            runs.chain(instance.thread.deadline().map(|due| (due, at, None))).min()
        };
        let due = self.instances.iter().enumerate().filter_map(|(at, instance)| runs(at, instance)).min();
        let next = self.queue.first_key_value().map(|(key, _)| key.0);
        let Some(at) = [next, due.as_ref().map(|due| due.0)].into_iter().flatten().min() else { return false };
        if at > until {
            self.now = until;
            return false;
        }
        self.now = self.now.max(at);
        match due {
            Some((due, at, run)) if next.is_none_or(|next| due < next) => match run {
                Some(run) => self.tell(at, &run, Input::Tick),
                None => self.tell_thread(at, ThreadInput::Tick),
            },
            _ => {
                let Some((_, (event, life))) = self.queue.pop_first() else { return false };
                if event.instance().is_none_or(|at| self.instances[at].life == life) {
                    self.happens(event);
                }
            }
        }
        true
    }

    fn happens(&mut self, event: Event) {
        match event {
            Event::Post(at, request, input) => {
                self.asked.insert(request, input.run.clone());
                self.tell_thread(at, ThreadInput::Post { request, input });
            }
            Event::Tell(at, run, input) => self.tell(at, &run, input),
            Event::Delete(at, request, run) => self.tell_thread(at, ThreadInput::Delete { request, run }),
            Event::Perform(at, who, op) => {
                if let Some(more) = self.kv.late() {
                    return self.at(more, Event::Perform(at, who, op));
                }
                let (reply, more) = self.kv.perform(self.now, at, op);
                let back = self.dice.roll(self.leg + 1) + more;
                self.at(back, Event::Answer(at, who, reply));
            }
            Event::Answer(at, Some(run), reply) => self.tell(at, &run, Input::Store(reply)),
            Event::Answer(at, None, reply) => self.tell_thread(at, ThreadInput::Store(reply)),
            Event::Poll(at) => self.poll(at),
            Event::Crash(at) => self.crash(at),
        }
    }

    fn poll(&mut self, at: usize) {
        let (kv, now) = (&mut self.kv, self.now);
        let reading = &mut self.readings[at];
        reading.poll(kv, now);
        let lost = reading.recover_at(self.traits).filter(|at| *at <= now && self.recovers);
        let (instance, run, over) = (reading.instance, reading.run.clone(), reading.over());
        if lost.is_some() {
            self.tell(instance, &run, Input::Recover { request: 0 });
        }
        if !over {
            self.at(1_000, Event::Poll(at));
        }
    }

    /// A reader of the run in an instance, which reads as that instance does.
    pub fn read(&mut self, instance: usize, run: &str) -> usize {
        self.readings.push(Reading::new(instance, run));
        let at = self.readings.len() - 1;
        self.at(0, Event::Poll(at));
        at
    }

    fn store(&mut self, at: usize, who: Option<String>, op: StoreOp) {
        let way = self.dice.roll(self.leg + 1);
        self.at(way, Event::Perform(at, who, op));
    }

    fn tell_thread(&mut self, at: usize, input: ThreadInput) {
        for action in self.instances[at].thread.step(self.now, input) {
            match action {
                ThreadAction::Store(op) => self.store(at, None, op),
                ThreadAction::Admit { request, input, answers, lost } => {
                    self.tell(at, &input.run.clone(), Input::Post { request, input, answers, lost });
                }
                ThreadAction::Reply(request, reply) => {
                    let run = self.asked.get(&request).cloned().unwrap_or_default();
                    self.reply(at, &run, request, reply);
                }
                ThreadAction::Recover { run } => self.tell(at, &run, Input::Recover { request: 0 }),
                ThreadAction::SetAlarm(_) | ThreadAction::Gone { .. } | ThreadAction::Cleared => {}
            }
        }
    }

    fn reply(&mut self, at: usize, run: &str, request: Request, reply: Reply) {
        if request > 0 && self.reads && matches!(reply, Reply::Started | Reply::Join) {
            self.read(at, run);
        }
        self.replies.push((at, request, reply));
    }

    fn tell(&mut self, at: usize, id: &str, input: Input) {
        if !self.instances[at].runs.contains_key(id) {
            if input.request().is_none() {
                return;
            }
            let setup = self.setup(at, id);
            let live = Live { run: Run::new(setup), stream: None, tools: BTreeMap::new() };
            self.instances[at].runs.insert(id.to_owned(), live);
        }
        let Some(live) = self.instances[at].runs.get_mut(id) else { return };
        for action in live.run.step(self.now, input) {
            self.act(at, id, action);
        }
    }

    fn setup(&mut self, at: usize, id: &str) -> Setup {
        self.instances[at].nonce += 1;
        let Instance { nonce, life, .. } = self.instances[at];
        Setup {
            run: id.into(),
            nonce,
            traits: self.traits,
            lease: LEASE,
            format: self.recording.format(),
            approvals: Approvals::of(self.recording),
            client_calls: false,
            deltas_apart: false,
            ..setup(&format!("i{at}x{life}"))
        }
    }

    fn act(&mut self, at: usize, id: &str, action: Action) {
        let live = self.instances[at].runs.get_mut(id);
        match action {
            Action::Store(op) => self.store(at, Some(id.to_owned()), op),
            Action::CallModel { call, .. } => {
                if call == 1 {
                    self.begun.push((at, id.to_owned(), self.now));
                }
                let response = (self.model)(call);
                live.unwrap().stream = Some((call, response));
            }
            Action::Read(call) => {
                let Some((open, response)) = &mut live.unwrap().stream else { return };
                assert_eq!(*open, call);
                let (after, input) = match response.pop_front() {
                    Some((after, bytes)) => (after, Input::Bytes(call, bytes)),
                    None => (0, Input::Eof(call)),
                };
                self.at(after, Event::Tell(at, id.to_owned(), input));
            }
            Action::Abort(_) => live.unwrap().stream = None,
            Action::CallTool(call) => {
                self.tools += 1;
                let nth = live.unwrap().tools.entry(call.name.clone()).or_default();
                *nth += 1;
                let result = recorded(self.recording, &call.name, *nth - 1);
                self.at(50, Event::Tell(at, id.to_owned(), Input::ToolDone(call.id, result)));
            }
            Action::Reply(request, reply) => {
                self.reply(at, id, request, reply);
                self.tell_thread(at, ThreadInput::Settled { run: id.to_owned() });
            }
            Action::Done => {
                self.instances[at].runs.remove(id);
                self.tell_thread(at, ThreadInput::Done { run: id.to_owned() });
            }
            Action::SetAlarm(_) | Action::Wake { .. } | Action::Log(_) => {}
        }
    }
}

impl Event {
    fn instance(&self) -> Option<usize> {
        match self {
            Event::Post(at, ..)
            | Event::Tell(at, ..)
            | Event::Delete(at, ..)
            | Event::Answer(at, ..)
            | Event::Crash(at) => Some(*at),
            // What was sent to the store arrives, whatever becomes of the sender; a reader is a client of its own.
            Event::Perform(..) | Event::Poll(_) => None,
        }
    }
}
