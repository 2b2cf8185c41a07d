//! A run that takes down each instance which is about to begin it: it is ended, and not tried for ever.

use crate::plain::Plain;
use crate::scenario::{Ask, START, Scenario};
use crate::store::record_of;
use lastword::driver::{Blocking, Chunk, Host};
use lastword::executor::ToolResult;
use lastword::input::Call;
use lastword::run::{Input, LogLine, MemoryStore, ModelCall, Reply, Request, RunRecord, Status, StoreOp, StoreReply};

/// A host that is lost before the head of a run that begins is written; one that has ended already is.
struct Doomed {
    inner: Plain,
    dead: bool,
}

impl Host for Doomed {
    fn now(&mut self) -> u64 {
        self.inner.now()
    }
    fn wait_until(&mut self, at: u64) {
        self.inner.wait_until(at);
    }
    fn store(&mut self, op: StoreOp) -> StoreReply {
        if let StoreOp::Save { head: Some(head), .. } = &op {
            let begins = RunRecord::decode(&head.value).is_ok_and(|record| record.status == Status::Started);
            self.dead |= head.key.ends_with("/head") && begins;
        }
        if self.dead { StoreReply::Unavailable } else { self.inner.store(op) }
    }
    fn call_model(&mut self, run: &str, call: ModelCall, body: Vec<u8>) {
        self.inner.call_model(run, call, body);
    }
    fn read(&mut self, run: &str, call: ModelCall, until: Option<u64>) -> Chunk {
        self.inner.read(run, call, until)
    }
    fn abort(&mut self, run: &str, call: ModelCall) {
        self.inner.abort(run, call);
    }
    fn call_tool(&mut self, run: &str, call: &Call) -> ToolResult {
        self.inner.call_tool(run, call)
    }
    fn wake(&mut self, run: &str, revision: u64, ended: bool) {
        self.inner.wake(run, revision, ended);
    }
    fn set_alarm(&mut self, at: Option<u64>) {
        self.inner.set_alarm(at);
    }
    fn reply(&mut self, request: Request, reply: Reply) {
        self.inner.reply(request, reply);
    }
    fn log(&mut self, _: LogLine) {}
}

/// Instance after instance is asked for the run, twice each, until one lives: how many were lost, and that one.
fn instances(scenario: &Scenario) -> (usize, Plain) {
    let Some((_, Ask::Post(input))) = scenario.asks.first().cloned() else { panic!("no POST") };
    let (mut store, mut now) = (scenario.store.clone(), START);
    for lost in 0..9 {
        let host = Doomed { inner: Plain::new(scenario.script, store, now), dead: false };
        let mut driver = Blocking::new(host, scenario.setup(&format!("i{lost}")), scenario.thread());
        driver.post(1, input.clone());
        driver.post(2, input.clone());
        while !driver.host.dead && driver.turn() {}
        let Blocking { host: Doomed { inner, dead }, .. } = driver;
        if !dead {
            return (lost, inner);
        }
        (store, now) = (inner.store, inner.now + 60_000);
    }
    panic!("{}: it is tried for ever", scenario.name);
}

#[test]
fn a_run_that_takes_down_each_instance_before_it_begins_is_ended_at_the_third() {
    for scenario in [Scenario::runs(), Scenario::resumes()].concat() {
        let (lost, host) = instances(&scenario);
        assert_eq!(lost, 2, "{}", scenario.name);
        let record = record_of(&host.store, scenario.run).unwrap();
        assert_eq!(record.failure.unwrap().code, "worker_lost", "{}", scenario.name);
        assert_eq!((host.models.len(), host.tools.len()), (0, 0), "never executed");
        assert!(matches!(host.replies[..], [(1, Reply::Started), (2, Reply::Join | Reply::Ended(Status::Failed))]));
        assert_eq!(host.alarm, None);
        // The thread goes on, and whoever sends it again is told the same.
        let mut driver = scenario.driver_of("after", host.store, host.now);
        driver.post(1, scenario.another("run-z", None));
        if let Some((_, Ask::Post(input))) = scenario.asks.first() {
            driver.post(2, input.clone());
        }
        driver.tell(scenario.run, Input::Recover { request: 3 });
        driver.drive();
        driver.host.replies.sort_by_key(|(request, _)| *request);
        assert_eq!(driver.host.replies, [(1, Reply::Started), (2, Reply::Join), (3, Reply::Join)], "{}", scenario.name);
        assert_eq!(record_of(&driver.host.store, scenario.run).unwrap().revision, 1, "and nothing is written again");
    }
}

#[test]
fn a_run_whose_claims_are_refused_and_take_nobody_down_is_begun_however_often_it_is_sent() {
    let scenario = Scenario::runs().remove(0);
    let Some((_, Ask::Post(input))) = scenario.asks.first().cloned() else { panic!("no POST") };
    let host = Doomed { inner: Plain::new(scenario.script, MemoryStore::new(), START), dead: false };
    let mut driver = Blocking::new(host, scenario.setup("i1"), scenario.thread());
    for request in 0..6 {
        driver.post(request, input.clone());
        driver.drive();
        let refused = |reply: &Reply| matches!(reply, Reply::Refused(error) if error.code() == "store_unavailable");
        assert!(driver.host.inner.replies.pop().is_some_and(|(known, reply)| known == request && refused(&reply)));
        driver.host.dead = false;
    }
    let Blocking { host, .. } = driver;
    let mut after = scenario.driver_of("i2", host.inner.store, host.inner.now);
    after.post(9, input);
    after.drive();
    assert_eq!(after.host.replies, [(9, Reply::Started)]);
    assert_eq!(record_of(&after.host.store, scenario.run).unwrap().status, Status::Succeeded);
}
