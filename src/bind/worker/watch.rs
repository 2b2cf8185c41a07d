//! Who watches which run, and up to which revision it is known. A level, not an edge: a reader
//! names the revision that it has seen, so a wake between its read and its wait is not lost.

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

/// The watches of a thread's runs.
#[derive(Default)]
pub struct Watches(RefCell<Vec<(String, Watch)>>);

impl Watches {
    /// Resolves once the run's revision is newer than that.
    pub async fn newer(&self, run: &str, revision: u64) {
        let news = self.change(run, |watch| {
            if watch.revision > revision {
                return None;
            }
            watch.waiting.retain(|waiting| !waiting.is_canceled());
            let (sender, receiver) = oneshot::channel();
            watch.waiting.push(sender);
            Some(receiver)
        });
        if let Some(news) = news {
            let _ = news.await;
        }
    }

    /// The run's head has this revision.
    pub fn wake(&self, run: &str, revision: u64) {
        self.change(run, |watch| {
            watch.revision = watch.revision.max(revision);
            for waiting in watch.waiting.drain(..) {
                let _ = waiting.send(());
            }
        });
    }

    /// A reader has come; what the run is to be told.
    pub fn attached(&self, run: &str, view: View) -> Input {
        self.count(run, view, |count| count + 1)
    }

    /// A reader has gone; what the run is to be told.
    pub fn detached(&self, run: &str, view: View) -> Input {
        self.count(run, view, |count| count.saturating_sub(1))
    }

    /// How many readers a run has, as it is to be told.
    pub fn readers(&self, run: &str) -> Input {
        self.change(run, |watch| watch.readers())
    }

    /// The run's machine is done: what nobody reads is forgotten.
    pub fn over(&self, run: &str) {
        self.0.borrow_mut().retain(|(id, watch)| id != run || watch.customer + watch.operator > 0);
    }

    fn count(&self, run: &str, view: View, by: impl Fn(usize) -> usize) -> Input {
        self.change(run, |watch| {
            match view {
                View::Customer => watch.customer = by(watch.customer),
                View::Operator => watch.operator = by(watch.operator),
            }
            watch.readers()
        })
    }

    /// Changes the run's watch, which is made if there is none.
    fn change<T>(&self, run: &str, change: impl FnOnce(&mut Watch) -> T) -> T {
        let mut watches = self.0.borrow_mut();
        let known = watches.iter().position(|(id, _)| id == run).map(|at| watches.swap_remove(at));
        let (id, mut watch) = known.unwrap_or_else(|| (run.to_owned(), Watch::default()));
        let changed = change(&mut watch);
        watches.push((id, watch));
        changed
    }
}

impl Watch {
    fn readers(&self) -> Input {
        Input::Readers { customer: self.customer, operator: self.operator }
    }
}
