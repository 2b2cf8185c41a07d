//! What is played: a store, who asks what and when, and what the host is.

use crate::common::{SCOPE, THREAD, setup};
use crate::plain::{ASKS, CLIENT, CUT, EARLY, NARRATED, Plain, SHORT, Script, TOOLS};
use lastword::driver::Blocking;
use lastword::executor::Approvals;
use lastword::input::RunInput;
use lastword::provider::Format;
use lastword::run::{MemoryStore, Owner, Setup, Thread, Traits};
use lastword::turn::Rule;
use lastword::wire::agui::{Limits, parse};
use serde_json::{Value, json};
use std::rc::Rc;

/// What somebody asks for.
#[derive(Clone)]
pub enum Ask {
    Post(Rc<RunInput>),
    Read(&'static str),
    Cancel(&'static str),
}

#[derive(Clone)]
pub struct Scenario {
    pub name: String,
    pub script: Script,
    pub store: MemoryStore,
    pub traits: Traits,
    /// Before which turn, and what.
    pub asks: Vec<(usize, Ask)>,
    /// The run that all is about.
    pub run: &'static str,
    /// Everything is shown to customers.
    pub shown: bool,
    pub early: bool,
}

/// A store that does one thing at a time, parts first.
pub const UNBATCHED: Traits = Traits { batch: false, ..Traits::DURABLE_OBJECT };
/// A store that many instances share, as with a server of its own.
pub const SHARED: Traits = Traits { owner: Owner::Shared, ..Traits::DURABLE_OBJECT };
pub const STORES: [(&str, Traits); 3] =
    [("one object", Traits::DURABLE_OBJECT), ("one by one", UNBATCHED), ("shared", SHARED)];

/// True if every scenario is played over every store.
pub fn all() -> bool {
    std::env::var("LASTWORD_FAULTS").is_ok_and(|faults| faults == "all")
}

/// An input of the thread: what is asked, and what is answered.
pub fn input(run: &str, asks: &str, answers: Value) -> Rc<RunInput> {
    let tools = json!([{"name": "pick", "description": "The client's."}]);
    let mut body = json!({
        "threadId": THREAD, "runId": run, "protocolVersion": "1.0", "state": {}, "tools": tools, "context": [],
        "forwardedProps": {}, "messages": [{"id": "u1", "role": "user", "content": asks}],
    });
    if answers != json!([]) {
        body["resume"] = answers;
    }
    Rc::new(parse(body.to_string().as_bytes(), &Limits::default()).unwrap())
}

/// When all begins.
pub const START: u64 = 1_700_000_000_000;
const QUESTION: &str = "Where is my refund?";

fn yes(run: &str) -> Value {
    json!([{"interruptId": format!("{run}-i1"), "status": "resolved", "payload": {"approved": true}}])
}

impl Scenario {
    /// One run, which somebody asks for once.
    fn run(name: &str, script: Script) -> Self {
        Scenario {
            name: name.into(),
            script,
            store: MemoryStore::new(),
            traits: Traits::DURABLE_OBJECT,
            asks: vec![(0, Ask::Post(input("run-1", QUESTION, json!([]))))],
            run: "run-1",
            shown: false,
            early: false,
        }
    }

    fn asks(mut self, turn: usize, ask: Ask) -> Self {
        self.asks.push((turn, ask));
        self.asks.sort_by_key(|(turn, _)| *turn);
        self
    }

    fn named(mut self, name: &str) -> Self {
        self.name = name.into();
        self
    }

    pub fn over(&self, (name, traits): (&str, Traits)) -> Self {
        Scenario { name: format!("{}, {name}", self.name), traits, ..self.clone() }
    }

    /// The runs, alone.
    pub fn runs() -> Vec<Self> {
        let shown = |name, script| Scenario { shown: true, ..Scenario::run(name, script) };
        let early = |name, script| Scenario { early: true, ..shown(name, script) };
        vec![
            Scenario::run("an answer", SHORT),
            Scenario::run("tools", TOOLS),
            Scenario::run("an interrupt", ASKS),
            Scenario::run("a client's tool", CLIENT),
            shown("narration and tools, all shown", NARRATED),
            early("an early answer", EARLY),
            early("an early answer that is cut", CUT),
        ]
    }

    /// Others come to a run while it begins, while it is at work, and once it is over.
    pub fn joins() -> Vec<Self> {
        let mut joins = Vec::new();
        let moments = if all() { &[0, 4, 9, 14, 60][..] } else { &[9] };
        for &moment in moments {
            let post = |run: &str, asks: &str| Ask::Post(input(run, asks, json!([])));
            let name = |what: &str| format!("{what} at {moment}");
            let run = || Scenario::run("", SHORT);
            joins.extend([
                run().asks(moment, post("run-1", QUESTION)).named(&name("a POST sent again")),
                run().asks(moment, Ask::Read("run-1")).named(&name("a reader")),
                run()
                    .asks(moment, post("run-1", "Something else"))
                    .asks(moment + 1, post("run-2", QUESTION))
                    .named(&name("another input and another run")),
            ]);
        }
        joins
    }

    /// The answer to an interrupt, sent again, and another run that answers it too.
    pub fn resumes() -> Vec<Self> {
        let asked = Scenario::run("", ASKS);
        let mut first = asked.driver_of("i0", MemoryStore::new(), START);
        let Some((_, Ask::Post(question))) = asked.asks.first().cloned() else { panic!("no POST") };
        first.post(1, question);
        first.drive();
        let answers = |run: &str| Ask::Post(input(run, QUESTION, yes("run-1")));
        let resumed = Scenario { store: first.host.store, asks: vec![], run: "run-2", ..asked };
        let resumed = resumed.asks(0, answers("run-2"));
        let mut resumes = vec![resumed.clone().named("a resume")];
        let moments = if all() { &[3, 11, 60][..] } else { &[11] };
        for &moment in moments {
            let name = |what: &str| format!("{what} at {moment}");
            resumes.extend([
                resumed.clone().asks(moment, answers("run-2")).named(&name("a resume sent again")),
                resumed
                    .clone()
                    .asks(moment, answers("run-3"))
                    .asks(moment + 1, Ask::Read("run-2"))
                    .named(&name("another resume and a reader")),
            ]);
        }
        resumes
    }

    pub fn setup(&self, instance: &str) -> Setup {
        let mut setup = setup(instance);
        setup.profile.public_intermediate = self.shown;
        setup.profile.public_thinking = self.shown;
        setup.profile.public_tools = self.shown;
        setup.profile.public_working = self.shown;
        let rule = Rule { early: self.early, ..Rule::default() };
        let approvals = Approvals { tools: vec!["pay".into()], within: None };
        Setup { rule, approvals, format: Format::Signals, traits: self.traits, ..setup }
    }

    pub fn thread(&self) -> Thread {
        Thread::new(SCOPE, THREAD, 30_000, self.traits)
    }

    /// An instance of a sound host.
    /// True if other instances may write too.
    pub fn is_shared(&self) -> bool {
        self.traits.owner == Owner::Shared
    }

    pub fn driver_of(&self, instance: &str, store: MemoryStore, now: u64) -> Blocking<Plain> {
        let host = Plain::new(self.script, store, now);
        Blocking::new(host, self.setup(instance), self.thread())
    }

    /// The question in another run, with the answers to what this one may wait for.
    pub fn another(&self, run: &str, answers: Option<&str>) -> Rc<RunInput> {
        input(run, QUESTION, answers.map_or(json!([]), yes))
    }
}
