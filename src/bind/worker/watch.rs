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
        let mut news = None;
        self.change(run, &mut |watch| {
            if watch.revision <= revision {
                watch.waiting.retain(|waiting| !waiting.is_canceled());
                let (sender, receiver) = oneshot::channel();
                watch.waiting.push(sender);
                news = Some(receiver);
            }
        });
        if let Some(news) = news {
            let _ = news.await;
        }
    }

    /// The run's head has this revision.
    pub fn wake(&self, run: &str, revision: u64) {
        self.change(run, &mut |watch| {
            watch.revision = watch.revision.max(revision);
            for waiting in watch.waiting.drain(..) {
                let _ = waiting.send(());
            }
        });
    }

    /// A reader has come; what the run is to be told.
    pub fn attached(&self, run: &str, view: View) -> Input {
        self.change(run, &mut |watch| *watch.count(view) += 1)
    }

    /// A reader has gone; what the run is to be told.
    pub fn detached(&self, run: &str, view: View) -> Input {
        self.change(run, &mut |watch| *watch.count(view) = watch.count(view).saturating_sub(1))
    }

    /// How many readers a run has, as it is to be told.
    pub fn readers(&self, run: &str) -> Input {
        self.change(run, &mut |_| {})
    }

    /// The run's machine is done: what nobody reads is forgotten.
    pub fn over(&self, run: &str) {
        self.0.borrow_mut().retain(|(id, watch)| id != run || watch.customer + watch.operator > 0);
    }

    /// Changes the run's watch, which is made if there is none. Gives what the run is to be told of it.
    fn change(&self, run: &str, change: &mut dyn FnMut(&mut Watch)) -> Input {
        let mut watches = self.0.borrow_mut();
        let known = watches.iter().position(|(id, _)| id == run).map(|at| watches.swap_remove(at));
        let (id, mut watch) = known.unwrap_or_else(|| (run.to_owned(), Watch::default()));
        change(&mut watch);
        let readers = Input::Readers { customer: watch.customer, operator: watch.operator };
        watches.push((id, watch));
        readers
    }
}

impl Watch {
    fn count(&mut self, view: View) -> &mut usize {
        match view {
            View::Customer => &mut self.customer,
            View::Operator => &mut self.operator,
        }
    }
}
