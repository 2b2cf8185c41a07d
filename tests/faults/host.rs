//! A host on which things go wrong as planned, and which notes what promises are about.

use crate::fault::{Fault, Op, Plan, Rival};
use crate::plain::{Player, result};
use crate::scenario::{Ask, START, Scenario};
use crate::store::{Kept, head_of};
use lastword::driver::{Blocking, Chunk, Host, pull};
use lastword::event::View;
use lastword::executor::ToolResult;
use lastword::input::Call;
use lastword::run::{Cursor, Input, LogLine, ModelCall, Reader, Reply, Request, StoreOp, StoreReply, ThreadKeys};
use lastword::sse::Frame;
use lastword::wire::Wire;

use crate::common::{SCOPE, THREAD};

/// Somebody who reads a run from its start, live.
pub struct Watcher {
    pub view: View,
    pub wire: Wire,
    pub reader: Reader,
    pub seen: Vec<Frame>,
}

pub const WATCHED: [(View, Wire); 3] =
    [(View::Customer, Wire::AgUi), (View::Customer, Wire::Canonical), (View::Operator, Wire::Canonical)];

pub fn reader(run: &str, view: View, wire: Wire, cursor: Option<Cursor>) -> Reader {
    Reader::new(ThreadKeys::new(SCOPE, THREAD).run(run), view, wire, cursor)
}

impl Watcher {
    pub fn new(run: &str, (view, wire): (View, Wire)) -> Self {
        Watcher { view, wire, reader: reader(run, view, wire, Some(Cursor::START)), seen: vec![] }
    }
}

/// A call of the model or of a tool: whose, and which.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Called {
    pub run: String,
    pub name: String,
    pub instance: String,
}

/// All that outlives an instance.
pub struct World {
    pub scenario: Scenario,
    pub plan: Plan,
    pub kept: Kept,
    pub now: u64,
    pub alarm: Option<u64>,
    /// The alarm that has gone off, and how often the host had been called by then.
    pub firing: Option<(u64, usize)>,
    /// The turn that is played.
    pub turn: usize,
    /// Each operation of the store that was asked for.
    pub ops: Vec<Op>,
    pub replies: Vec<(Request, Reply)>,
    pub models: Vec<Called>,
    pub tools: Vec<Called>,
    pub watchers: Vec<Watcher>,
    /// Readers look at what there is.
    pub watched: bool,
    /// How often a head had moved when they looked last.
    looked: Option<usize>,
}

/// One instance.
pub struct Faulty {
    pub world: World,
    player: Player,
    instance: String,
    /// How often this instance's host was called.
    pub calls: usize,
    /// The call over which it is lost, counted from 0.
    pub dies_at: Option<usize>,
}

impl World {
    pub fn new(scenario: &Scenario, plan: Plan) -> Self {
        World {
            scenario: scenario.clone(),
            kept: Kept::new(scenario.store.clone()),
            plan,
            now: START,
            alarm: None,
            firing: None,
            turn: 0,
            ops: vec![],
            replies: vec![],
            models: vec![],
            tools: vec![],
            watchers: WATCHED.map(|watched| Watcher::new(scenario.run, watched)).into(),
            watched: true,
            looked: None,
        }
    }

    /// What the readers can have now.
    pub fn look(&mut self) {
        let moved = self.looked.replace(self.kept.moves) != Some(self.kept.moves);
        if moved && self.watched && self.kept.store.value(&head_of(self.scenario.run)).is_some() {
            for watcher in &mut self.watchers {
                pull(&self.kept.store, &mut watcher.reader, &mut watcher.seen);
            }
        }
    }

    fn perform(&mut self, op: StoreOp) -> StoreReply {
        let saves = matches!(&op, StoreOp::Save { head: Some(head), .. } if head.key == head_of(self.scenario.run));
        let reply = self.kept.perform(op);
        if saves {
            self.look();
        }
        reply
    }

    fn faulty(&mut self, op: StoreOp) -> StoreReply {
        let number = self.ops.len();
        self.ops.push(Op::of(self.turn, &op));
        for late in self.kept.due(number) {
            self.perform(late);
        }
        let load = matches!(op, StoreOp::Load(_));
        match self.plan.at(number) {
            None => self.perform(op),
            Some(Fault::Away) => StoreReply::Unavailable,
            Some(Fault::Lost | Fault::Written | Fault::Late(_) | Fault::Denied) if load => StoreReply::Unavailable,
            Some(Fault::Lost) => StoreReply::Uncertain,
            Some(Fault::Written) => {
                self.perform(op);
                StoreReply::Uncertain
            }
            Some(Fault::Late(later)) => {
                self.kept.late.push((number + 1 + later, op));
                StoreReply::Uncertain
            }
            Some(Fault::Denied) => StoreReply::Conflict,
            Some(Fault::Slow(by)) => {
                let reply = self.perform(op);
                self.now += by;
                reply
            }
            Some(Fault::Stale(back)) => self.kept.stale(op, back),
            Some(Fault::Gone) if load => StoreReply::Missing,
            Some(Fault::Gone) => self.perform(op),
            Some(Fault::Rival(rival)) => {
                self.rival(rival);
                self.perform(op)
            }
        }
    }

    /// Another instance, whose host is sound, comes in between and plays all that it can.
    fn rival(&mut self, rival: Rival) {
        let mut driver = self.scenario.driver_of("rival", std::mem::take(&mut self.kept.store), self.now);
        let run = self.scenario.run;
        match rival {
            Rival::Same => {
                if let Some((_, Ask::Post(input))) = self.scenario.asks.first() {
                    driver.post(1, input.clone());
                }
            }
            Rival::Seal => driver.tell(run, Input::Recover { request: 1 }),
            Rival::Other => driver.post(1, self.scenario.another("run-9", None)),
            Rival::Cancel => driver.tell(run, Input::Cancel { request: 1 }),
        }
        driver.drive();
        let Blocking { host, .. } = driver;
        self.now = host.now;
        let called = |run: String, name: String| Called { run, name, instance: "rival".into() };
        self.models.extend(host.models.into_iter().map(|run| called(run, String::new())));
        self.tools.extend(host.tools.into_iter().map(|(run, call)| called(run, call)));
        self.kept.store = host.store;
        self.kept.noted();
        self.look();
    }
}

impl Faulty {
    pub fn new(world: World, number: usize) -> Self {
        let player = Player::new(world.scenario.script);
        let dies_at = world.plan.deaths.get(number).copied();
        Faulty { world, player, instance: format!("i{}", number + 1), calls: 0, dies_at }
    }

    /// True if the instance is lost: nothing that it asks for is done any more.
    pub fn is_dead(&self) -> bool {
        self.dies_at.is_some_and(|at| self.calls > at)
    }

    /// Counts a call; true if it is never done.
    fn call(&mut self) -> bool {
        self.calls += 1;
        self.is_dead()
    }

    fn called(&self, run: &str, name: &str) -> Called {
        Called { run: run.into(), name: name.into(), instance: self.instance.clone() }
    }
}

impl Host for Faulty {
    fn now(&mut self) -> u64 {
        self.world.now
    }

    fn wait_until(&mut self, at: u64) {
        self.world.now = self.world.now.max(at);
    }

    fn store(&mut self, op: StoreOp) -> StoreReply {
        if self.call() { StoreReply::Unavailable } else { self.world.faulty(op) }
    }

    fn call_model(&mut self, run: &str, call: ModelCall, _: Vec<u8>) {
        if !self.call() {
            let called = self.called(run, "");
            self.world.models.push(called);
            self.player.call(run, call);
        }
    }

    fn read(&mut self, run: &str, call: ModelCall, until: Option<u64>) -> Chunk {
        if self.call() {
            return Chunk::NotYet;
        }
        self.player.read(run, call, &mut self.world.now, until)
    }

    fn abort(&mut self, run: &str, call: ModelCall) {
        self.player.abort(run, call);
    }

    fn call_tool(&mut self, run: &str, call: &Call) -> ToolResult {
        if !self.call() {
            let called = self.called(run, &call.id);
            self.world.tools.push(called);
        }
        result(call)
    }

    fn wake(&mut self, _: &str, _: u64, _: bool) {
        if !self.call() {
            self.world.look();
        }
    }

    fn set_alarm(&mut self, at: Option<u64>) {
        if !self.call() {
            self.world.alarm = at;
            self.world.firing = None;
        }
    }

    fn reply(&mut self, request: Request, reply: Reply) {
        if !self.call() {
            self.world.replies.push((request, reply));
        }
    }

    fn log(&mut self, _: LogLine) {}
}
