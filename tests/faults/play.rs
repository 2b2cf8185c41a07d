//! Plays one case: the scenario, with what is planned to go wrong, until nothing is left to do.

use crate::fault::{After, Plan};
use crate::host::{Faulty, World};
use crate::scenario::{Ask, Scenario};
use crate::store::record_of;
use lastword::driver::Blocking;
use lastword::run::{Input, Reply, Request};

/// The most turns of a case, and the most alarms after it.
const TURNS: usize = 4_000;
const ALARMS: usize = 40;

/// A case that was played.
pub struct Played {
    pub world: World,
    /// Each request that was asked of an instance which lived on to answer it.
    pub asked: Vec<Request>,
    /// How often the last instance's host was called.
    pub calls: usize,
    pub turns: usize,
    pub instances: usize,
    /// What went on for ever.
    pub broken: Vec<String>,
}

struct Case {
    driver: Blocking<Faulty>,
    instances: usize,
    asked: Vec<(Request, Ask)>,
    next: Request,
    /// For each instance: it was told of its readers.
    told: bool,
}

impl Case {
    fn new(scenario: &Scenario, plan: Plan) -> Self {
        let host = Faulty::new(World::new(scenario, plan), 0);
        let driver = Blocking::new(host, scenario.setup("i1"), scenario.thread());
        Case { driver, instances: 1, asked: vec![], next: 1, told: false }
    }

    fn world(&mut self) -> &mut World {
        &mut self.driver.host.world
    }

    fn ask(&mut self, ask: Ask) {
        let request = self.next;
        self.next += 1;
        match &ask {
            Ask::Post(input) => self.driver.post(request, input.clone()),
            Ask::Read(run) => self.driver.tell(run, Input::Recover { request }),
            Ask::Cancel(run) => self.driver.tell(run, Input::Cancel { request }),
        }
        self.asked.push((request, ask));
    }

    /// One turn of the instance. A lost one is followed by the next. False if nothing was left to do.
    fn turn(&mut self) -> bool {
        let (now, alarm) = (self.world().now, self.world().alarm);
        if alarm.is_some_and(|at| at <= now) {
            self.world().alarm = None;
            let calls = self.driver.host.calls;
            self.world().firing = alarm.map(|at| (at, calls));
            self.driver.alarm();
        }
        let (run, watched) = (self.world().scenario.run, self.world().watched);
        let begun = |(_, reply): &(Request, Reply)| matches!(reply, Reply::Started | Reply::Join);
        if watched && !self.told && self.world().replies.iter().any(begun) {
            self.told = true;
            self.driver.tell(run, Input::Readers { customer: 1, operator: 1 });
        }
        let went = self.driver.turn();
        if self.driver.host.is_dead() {
            self.reborn();
            return true;
        }
        went
    }

    fn reborn(self: &mut Case) {
        let scenario = self.world().scenario.clone();
        let fresh = Faulty::new(World::new(&scenario, Plan::default()), 0);
        let fresh = Blocking::new(fresh, scenario.setup("none"), scenario.thread());
        let Blocking { host, .. } = std::mem::replace(&mut self.driver, fresh);
        let lost_at = host.dies_at;
        let instance = format!("i{}", self.instances + 1);
        let host = Faulty::new(host.world, self.instances);
        self.driver = Blocking::new(host, scenario.setup(&instance), scenario.thread());
        self.instances += 1;
        self.told = false;
        let asked: Vec<Ask> = std::mem::take(&mut self.asked).into_iter().map(|(_, ask)| ask).collect();
        self.world().replies.clear();
        // The platform repeats an alarm whose instance has done nothing at all for it, and no other.
        if let Some((at, _)) = self.world().firing.take().filter(|(_, calls)| lost_at.is_some_and(|at| at <= *calls)) {
            self.world().alarm = Some(at);
        }
        match self.world().plan.after {
            After::Again => asked.into_iter().for_each(|ask| self.ask(ask)),
            After::Heartbeat => self.ask(Ask::Read(scenario.run)),
            After::Alarm => {}
            After::Other => self.ask(Ask::Post(scenario.another("run-8", None))),
        }
    }

    /// Asks what is planned, and plays on until all is quiet.
    fn play(&mut self) -> usize {
        let mut asks = self.world().scenario.asks.clone().into_iter().peekable();
        let (cancel, deserted) = (self.world().plan.cancel, self.world().plan.deserted);
        for turn in 0..TURNS {
            self.world().turn = turn;
            while let Some((_, ask)) = asks.next_if(|(at, _)| *at <= turn) {
                self.ask(ask);
            }
            let run = self.world().scenario.run;
            if cancel == Some(turn) {
                self.ask(Ask::Cancel(run));
            }
            if deserted == Some(turn) {
                self.world().watched = false;
                self.driver.tell(run, Input::Readers { customer: 0, operator: 0 });
            }
            if !self.turn() && asks.peek().is_none() && cancel.is_none_or(|at| at <= turn) {
                return turn;
            }
        }
        TURNS
    }

    /// Lets the alarm go off for as long as one is set; false if it is set for ever.
    fn settle(&mut self) -> bool {
        for _ in 0..ALARMS {
            let Some(at) = self.world().alarm else { return true };
            self.world().now = self.world().now.max(at);
            for _ in 0..TURNS {
                if !self.turn() {
                    break;
                }
            }
        }
        false
    }
}

/// Plays a case.
pub fn play(scenario: &Scenario, plan: Plan) -> Played {
    let heartbeat = plan.after == After::Heartbeat && !plan.deaths.is_empty();
    let mut case = Case::new(scenario, plan);
    let mut broken = Vec::new();
    let turns = case.play();
    if turns == TURNS {
        broken.push("it never comes to rest".to_owned());
    }
    // Whoever waits finds the seal by then, without any alarm, where nobody else can hold the run.
    let exclusive = scenario.traits.owner == lastword::run::Owner::Exclusive;
    if heartbeat && exclusive && record_of(&case.world().kept.store, scenario.run).is_some_and(|r| !r.is_ended()) {
        broken.push("a heartbeat did not seal it".to_owned());
    }
    if !case.settle() {
        broken.push("the alarm is set for ever".to_owned());
    }
    let late: Vec<_> = case.world().kept.due(usize::MAX);
    for op in late {
        case.world().kept.perform(op);
    }
    let asked = case.asked.iter().map(|(request, _)| *request).collect();
    let calls = case.driver.host.calls;
    let instances = case.instances;
    let Blocking { host, .. } = case.driver;
    Played { world: host.world, asked, calls, turns, instances, broken }
}
