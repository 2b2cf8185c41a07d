//! The driver on promises: performs the machines' actions and feeds back what came of them.

use super::home::Home;
use super::inbox::Inbox;
use super::look::Looks;
use super::model::{Means, Upstream};
use super::own::{Own, Owns};
use super::platform::{self, Clock, instance, now, sleep, spawn};
use super::setup::{Tape, Writer, setup};
use super::tools;
use super::waiters::Waiters;
use super::watch::Watches;
use crate::Millis;
use crate::event::View;
use crate::http::{Config, Provider};
use crate::input::RunInput;
use crate::run::{
    Action, Input, Place, Reply, Request, Run, StoreOp, StoreReply, Thread, ThreadAction, ThreadInput, Tries, place,
};
use futures_channel::oneshot;
use futures_util::future::{Either, select};
use std::cell::{Cell, RefCell};
use std::pin::pin;
use std::rc::Rc;

/// A run whose machine lives here.
struct Live {
    inbox: Rc<Inbox>,
    upstream: Option<Upstream>,
    recording: Option<Tape>,
    /// The model's name, as the provider is asked for it.
    model: String,
    /// What calls it.
    means: Means,
    provider: Provider,
    /// Dropped, they tell that the machine is done.
    over: Vec<oneshot::Sender<()>>,
    /// How often each tool has run.
    tools: Vec<(String, usize)>,
}

/// Drives the runs of one thread.
pub struct ThreadDriver {
    config: Config,
    scope: String,
    thread: String,
    instance: String,
    home: Rc<dyn Home>,
    means: Means,
    owns: Owns,
    machine: RefCell<Thread>,
    runs: RefCell<Vec<(String, Live)>>,
    watches: Watches,
    waiters: Waiters,
    nonces: Cell<u64>,
    /// When the thread is to be told that it is time, for which a timer runs.
    due: Cell<Option<Millis>>,
    /// When the alarm goes off, where it is a timer.
    alarm: Cell<Option<Millis>>,
}

impl ThreadDriver {
    /// The driver of a thread.
    pub fn new(home: Rc<dyn Home>, means: Means, config: Config, scope: &str, thread: &str) -> Rc<Self> {
        Rc::new(ThreadDriver {
            machine: RefCell::new(Thread::new(scope, thread, config.lease, config.traits).keeping(config.keep)),
            config,
            scope: scope.to_owned(),
            thread: thread.to_owned(),
            instance: instance(),
            home,
            means,
            owns: Owns::default(),
            runs: RefCell::default(),
            watches: Watches::default(),
            waiters: Waiters::default(),
            nonces: Cell::new(0),
            due: Cell::new(None),
            alarm: Cell::new(None),
        })
    }

    /// How a reader that comes now looks for news, where nobody tells it of them.
    pub fn looks(&self) -> Option<Looks> {
        self.home.is_shared().then(|| Looks::new(now(), self.config.traits.staleness))
    }

    /// Where the thread lives.
    pub fn home(&self) -> &dyn Home {
        &*self.home
    }

    /// The configuration.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// A client asks for a run. The reply comes later, or never where the run's machine is lost.
    pub fn post(self: &Rc<Self>, input: Rc<RunInput>) -> oneshot::Receiver<Reply> {
        let (request, reply) = self.waiters.request();
        self.tell_thread(ThreadInput::Post { request, input });
        reply
    }

    /// The run is there already: nothing of what it brought is needed.
    pub fn forget_own(&self, run: &str) {
        self.owns.take(run);
    }

    /// Resolves once no machine drives the run here.
    pub async fn over(&self, run: &str) {
        let over = self.runs.borrow_mut().iter_mut().find(|(id, _)| id == run).map(|(_, live)| {
            let (sender, over) = oneshot::channel();
            live.over.push(sender);
            over
        });
        if let Some(over) = over {
            let _ = over.await;
        }
    }

    /// The same for a run that brings its own upstream. Nothing of that is used where the run is there already.
    pub fn post_own(self: &Rc<Self>, input: Rc<RunInput>, own: Own) -> oneshot::Receiver<Reply> {
        self.owns.bring(&input.run, own);
        self.post(input)
    }

    /// Somebody asks a run's machine something; it is made if there is none. The reply is as of
    /// [`ThreadDriver::post`].
    pub fn ask(self: &Rc<Self>, run: &str, input: impl FnOnce(Request) -> Input) -> oneshot::Receiver<Reply> {
        let (request, reply) = self.waiters.request();
        self.tell(run, input(request));
        reply
    }

    /// A client deletes a run, or all of the thread's. The reply is as of [`ThreadDriver::post`].
    pub fn delete(self: &Rc<Self>, run: Option<String>) -> oneshot::Receiver<Reply> {
        let (request, reply) = self.waiters.request();
        self.tell_thread(ThreadInput::Delete { request, run });
        reply
    }

    /// The alarm has gone off.
    pub fn alarm(self: &Rc<Self>) {
        self.tell_thread(ThreadInput::AlarmFired);
    }

    /// Reads a value that is durable, some times over while the store is away.
    pub async fn load(&self, key: &str) -> StoreReply {
        platform::again(Tries::of_reader(), &|| Box::pin(self.home.read(key))).await
    }

    /// Who watches what here.
    pub fn watches(&self) -> &Watches {
        &self.watches
    }

    /// True if the run's machine lives here.
    pub fn drives(&self, run: &str) -> bool {
        self.runs.borrow().iter().any(|(id, _)| id == run)
    }

    /// Somebody waits for more of a run: one that no machine drives here may have lost its worker.
    pub fn awaited(self: &Rc<Self>, run: &str) {
        if !self.drives(run) {
            self.tell(run, Input::Recover { request: 0 });
        }
    }

    /// Somebody waits for what the thread says next.
    pub fn thread_awaited(self: &Rc<Self>) {
        self.tell_thread(ThreadInput::Awaited);
    }

    /// Somebody follows the thread, or does so no longer: the runs at work have one reader more, or less.
    pub fn followed(self: &Rc<Self>, view: View, follows: bool) {
        self.watches.followed(view, follows);
        for (run, live) in self.runs.borrow().iter() {
            live.inbox.push(self.watches.readers(run));
        }
    }

    /// A reader has come.
    pub fn attached(self: &Rc<Self>, run: &str, view: View) {
        let readers = self.watches.attached(run, view);
        self.tell(run, readers);
    }

    /// A reader has gone.
    pub fn detached(self: &Rc<Self>, run: &str, view: View) {
        let readers = self.watches.detached(run, view);
        self.tell(run, readers);
        if !self.drives(run) {
            self.watches.over(run);
        }
    }

    fn tell(self: &Rc<Self>, run: &str, input: Input) {
        if let Some((_, live)) = self.runs.borrow().iter().find(|(id, _)| id == run) {
            return live.inbox.push(input);
        }
        let Some(request) = input.request() else { return };
        let own = Some(&input).filter(|input| matches!(input, Input::Post { .. })).and_then(|_| self.owns.take(run));
        let config = own.as_ref().map_or(&self.config, |own| &own.config);
        self.nonces.set(self.nonces.get() + 1);
        let (scope, thread, instance, nonce) = (&self.scope, &self.thread, &self.instance, self.nonces.get());
        let writer = Writer { scope, thread, instance, nonce };
        let (setup, recording) = match setup(config, &writer, run, &input) {
            Ok(made) => made,
            Err(error) => {
                self.waiters.reply(request, Reply::Refused(error));
                return self.tell_thread(ThreadInput::Done { run: run.to_owned() });
            }
        };
        let inbox = Rc::new(Inbox::default());
        inbox.push(input);
        inbox.push(self.watches.readers(run));
        let model = setup.model.clone();
        let provider = config.provider.clone();
        let means = own.map_or_else(|| self.means.clone(), |own| Means { given: Some(own.given), ai: None });
        let tools = Vec::new();
        let live =
            Live { inbox: inbox.clone(), upstream: None, recording, model, means, provider, over: Vec::new(), tools };
        self.runs.borrow_mut().push((run.to_owned(), live));
        self.home.spawn(Box::pin(self.clone().drive(run.to_owned(), Run::new(setup), inbox)));
    }

    /// One machine's loop, until it is done. Requests that come after go to a machine of their own.
    async fn drive(self: Rc<Self>, id: String, mut run: Run, inbox: Rc<Inbox>) {
        let mut ends = None;
        let clock = Clock::new();
        while !run.is_done() {
            let span = run.deadline().map_or(u64::from(u32::MAX) / 4, |at| at.saturating_sub(now()));
            let input = match select(pin!(inbox.next()), pin!(clock.sleep(span.min(self.home.watch())))).await {
                Either::Left((input, _)) => input,
                Either::Right(_) => Input::Tick,
            };
            let mut actions = run.step(now(), input);
            if ends != self.home.ends() {
                ends = self.home.ends();
                actions.extend(ends.into_iter().flat_map(|at| run.step(now(), Input::HostEnds { at })));
            }
            for action in actions {
                self.act(&id, action);
            }
        }
        self.runs.borrow_mut().retain(|(run, _)| *run != id);
        self.home.over();
        self.watches.over(&id);
        while let Some(input) = inbox.pop() {
            self.tell(&id, input);
        }
        if !self.drives(&id) {
            self.tell_thread(ThreadInput::Done { run: id });
        }
    }

    fn act(self: &Rc<Self>, id: &str, action: Action) {
        match action {
            Action::Store(op) => self.spawn(id, |driver| async move { Input::Store(driver.home.perform(op).await) }),
            Action::CallModel { call, body } => self.with(id, |live| {
                live.upstream =
                    Some(Upstream::new(call, body, &live.provider, &live.model, &live.means, live.recording, id));
            }),
            Action::Read(call) => self.read(id, call),
            Action::Abort(call) => self.with(id, |live| {
                if let Some(upstream) = live.upstream.take_if(|upstream| upstream.call == call) {
                    upstream.abort();
                }
            }),
            Action::CallTool(call) => {
                let mut result = None;
                self.with(id, |live| result = Some(tools::run(live.recording.map(|(r, _)| r), &mut live.tools, &call)));
                if let Some(result) = result {
                    self.tell(id, Input::ToolDone(call.id, result));
                }
            }
            Action::SetAlarm(at) => self.tell_thread(ThreadInput::Alarm { run: id.to_owned(), at }),
            Action::Wake { revision, .. } => self.watches.wake(id, revision),
            Action::Reply(request, reply) => {
                self.waiters.reply(request, reply);
                self.tell_thread(ThreadInput::Settled { run: id.to_owned() });
            }
            Action::Log(line) => platform::log(&line),
            Action::Done => {}
        }
    }

    fn read(self: &Rc<Self>, id: &str, call: u32) {
        let mut stream = None;
        self.with(id, |live| stream = live.upstream.as_mut().and_then(|upstream| upstream.stream.take()));
        let Some(stream) = stream else { return };
        let run = id.to_owned();
        self.spawn(id, move |driver| async move {
            let (stream, input) = stream.next(call).await;
            driver.with(&run, |live| {
                if let Some(upstream) = live.upstream.as_mut().filter(|upstream| upstream.call == call) {
                    upstream.stream = Some(stream);
                }
            });
            input
        });
    }

    fn tell_thread(self: &Rc<Self>, input: ThreadInput) {
        let actions = self.machine.borrow_mut().step(now(), input);
        for action in actions {
            self.act_for_thread(action);
        }
        self.await_deadline();
    }

    /// Comes back to the thread when it wants it, by one timer a deadline.
    fn await_deadline(self: &Rc<Self>) {
        let due = self.machine.borrow().deadline();
        if due == self.due.replace(due) {
            return;
        }
        let Some(at) = due else { return };
        let driver = self.clone();
        spawn(async move {
            sleep(at.saturating_sub(now())).await;
            if driver.due.get() == Some(at) {
                driver.due.set(None);
                driver.tell_thread(ThreadInput::Tick);
            }
        });
    }

    /// The alarm is a timer of this process, which goes on or ends whatever timers there are.
    fn set_timer(self: &Rc<Self>, at: Option<Millis>) {
        self.alarm.set(at);
        let Some(at) = at else { return };
        let driver = Rc::downgrade(self);
        spawn(async move {
            platform::doze(at.saturating_sub(now())).await;
            if let Some(driver) = driver.upgrade().filter(|driver| driver.alarm.get() == Some(at)) {
                driver.alarm();
            }
        });
    }

    fn act_for_thread(self: &Rc<Self>, action: ThreadAction) {
        match action {
            ThreadAction::Store(op) => {
                // For an alarm that finds the object asleep. Whoever only reads, or is refused, leaves nothing behind.
                if matches!(op, StoreOp::Save { .. }) && op.key().map(place) == Some(Place::Thread) {
                    self.home.remember_owner(&self.scope, &self.thread);
                }
                let driver = self.clone();
                spawn(async move {
                    let reply = driver.home.perform(op).await;
                    driver.tell_thread(ThreadInput::Store(reply));
                });
            }
            ThreadAction::Admit { request, input, answers, lost } => {
                self.tell(&input.run.clone(), Input::Post { request, input, answers, lost });
            }
            ThreadAction::Reply(request, reply) => self.waiters.reply(request, reply),
            ThreadAction::Recover { run } => self.tell(&run, Input::Recover { request: 0 }),
            ThreadAction::Gone { run } => self.watches.wake(&run, u64::MAX),
            ThreadAction::Cleared => self.home.forget_owner(),
            ThreadAction::SetAlarm(at) if self.home.has_timers() => self.set_timer(at),
            ThreadAction::SetAlarm(at) => {
                let driver = self.clone();
                spawn(async move {
                    driver.home.set_alarm(at).await;
                });
            }
        }
    }

    fn spawn<F: Future<Output = Input> + 'static>(self: &Rc<Self>, id: &str, work: impl FnOnce(Rc<Self>) -> F) {
        let (driver, id, work) = (self.clone(), id.to_owned(), work(self.clone()));
        spawn(async move {
            let input = work.await;
            driver.tell(&id, input);
        });
    }

    fn with(&self, id: &str, change: impl FnOnce(&mut Live)) {
        if let Some((_, live)) = self.runs.borrow_mut().iter_mut().find(|(run, _)| run == id) {
            change(live);
        }
    }
}
