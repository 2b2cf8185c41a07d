//! Who watches which run, and up to which revision it is known. A level, not an edge: a reader
//! names the revision that it has seen, so a wake between its read and its wait is not lost. Who follows
//! the thread watches whichever run is at work; its level counts the wakes of all.

use crate::event::View;
use crate::run::Input;
use futures_channel::oneshot;
use std::cell::RefCell;

#[derive(Default)]
struct Watch {
    revision: u64,
    waiting: Vec<oneshot::Sender<()>>,
    customer: usize,
    operator: usize,
}

/// The watches of a thread and of its runs.
#[derive(Default)]
pub struct Watches {
    runs: RefCell<Vec<(String, Watch)>>,
    thread: RefCell<Watch>,
}

impl Watches {
    /// Resolves once the run's revision is newer than that.
    pub fn newer(&self, run: &str, revision: u64) -> oneshot::Receiver<()> {
        let (sender, news) = oneshot::channel();
        let mut sender = Some(sender);
        self.change(run, &mut |watch| watch.wait(revision, sender.take()));
        news
    }

    /// The thread's level.
    pub fn level(&self) -> u64 {
        self.thread.borrow().revision
    }

    /// Resolves once the thread's level is higher than that.
    pub fn higher(&self, level: u64) -> oneshot::Receiver<()> {
        let (sender, news) = oneshot::channel();
        self.thread.borrow_mut().wait(level, Some(sender));
        news
    }

    /// The run's head has this revision.
    pub fn wake(&self, run: &str, revision: u64) {
        self.change(run, &mut |watch| watch.wake(revision));
        let level = self.level() + 1;
        self.thread.borrow_mut().wake(level);
    }

    /// A reader has come; what the run is to be told.
    pub fn attached(&self, run: &str, view: View) -> Input {
        self.change(run, &mut |watch| *watch.count(view) += 1)
    }

    /// A reader has gone; what the run is to be told.
    pub fn detached(&self, run: &str, view: View) -> Input {
        self.change(run, &mut |watch| *watch.count(view) = watch.count(view).saturating_sub(1))
    }

    /// Somebody follows the thread, or does so no longer.
    pub fn followed(&self, view: View, follows: bool) {
        let mut thread = self.thread.borrow_mut();
        let count = thread.count(view);
        *count = if follows { *count + 1 } else { count.saturating_sub(1) };
    }

    /// How many readers a run has, as it is to be told.
    pub fn readers(&self, run: &str) -> Input {
        self.change(run, &mut |_| {})
    }

    /// The run's machine is done: what nobody reads is forgotten.
    pub fn over(&self, run: &str) {
        self.runs.borrow_mut().retain(|(id, watch)| id != run || watch.customer + watch.operator > 0);
    }

    /// Changes the run's watch, which is made if there is none. Gives what the run is to be told of it.
    fn change(&self, run: &str, change: &mut dyn FnMut(&mut Watch)) -> Input {
        let mut watches = self.runs.borrow_mut();
        let known = watches.iter().position(|(id, _)| id == run).map(|at| watches.swap_remove(at));
        let (id, mut watch) = known.unwrap_or_else(|| (run.to_owned(), Watch::default()));
        change(&mut watch);
        let thread = self.thread.borrow();
        let (customer, operator) = (watch.customer + thread.customer, watch.operator + thread.operator);
        let readers = Input::Readers { customer, operator };
        watches.push((id, watch));
        readers
    }
}

impl Watch {
    /// Wakes whoever waits for a revision newer than that. Dropped, the sender wakes at once.
    fn wait(&mut self, revision: u64, waits: Option<oneshot::Sender<()>>) {
        if self.revision <= revision {
            self.waiting.retain(|waiting| !waiting.is_canceled());
            self.waiting.extend(waits);
        }
    }

    fn wake(&mut self, revision: u64) {
        self.revision = self.revision.max(revision);
        for waiting in self.waiting.drain(..) {
            let _ = waiting.send(());
        }
    }

    fn count(&mut self, view: View) -> &mut usize {
        match view {
            View::Customer => &mut self.customer,
            View::Operator => &mut self.operator,
        }
    }
}
