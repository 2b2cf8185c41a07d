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
        let receiver = {
            let mut watches = self.0.borrow_mut();
            let watch = entry(&mut watches, run);
            if watch.revision > revision {
                return;
            }
            watch.waiting.retain(|waiting| !waiting.is_canceled());
            let (sender, receiver) = oneshot::channel();
            watch.waiting.push(sender);
            receiver
        };
        let _ = receiver.await;
    }

    /// The run's head has this revision.
    pub fn wake(&self, run: &str, revision: u64) {
        let mut watches = self.0.borrow_mut();
        let watch = entry(&mut watches, run);
        watch.revision = watch.revision.max(revision);
        for waiting in watch.waiting.drain(..) {
            let _ = waiting.send(());
        }
    }

    /// A reader has come; what the run is to be told.
    pub fn attached(&self, run: &str, view: View) -> Input {
        self.change(run, view, |count| count + 1)
    }

    /// A reader has gone; what the run is to be told.
    pub fn detached(&self, run: &str, view: View) -> Input {
        self.change(run, view, |count| count.saturating_sub(1))
    }

    /// How many readers a run has.
    pub fn readers(&self, run: &str) -> Input {
        let watches = self.0.borrow();
        let (customer, operator) =
            watches.iter().find(|(id, _)| id == run).map_or((0, 0), |(_, watch)| (watch.customer, watch.operator));
        Input::Readers { customer, operator }
    }

    /// The run's machine is done: what nobody reads is forgotten.
    pub fn over(&self, run: &str) {
        self.0.borrow_mut().retain(|(id, watch)| id != run || watch.customer + watch.operator > 0);
    }

    fn change(&self, run: &str, view: View, by: impl Fn(usize) -> usize) -> Input {
        let mut watches = self.0.borrow_mut();
        let watch = entry(&mut watches, run);
        let count = match view {
            View::Customer => &mut watch.customer,
            View::Operator => &mut watch.operator,
        };
        *count = by(*count);
        Input::Readers { customer: watch.customer, operator: watch.operator }
    }
}

fn entry<'a>(watches: &'a mut Vec<(String, Watch)>, run: &str) -> &'a mut Watch {
    let at = watches.iter().position(|(id, _)| id == run).unwrap_or(watches.len());
    if at == watches.len() {
        watches.push((run.to_owned(), Watch::default()));
    }
    &mut watches[at].1
}
