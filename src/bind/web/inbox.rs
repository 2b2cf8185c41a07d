//! What a machine's own loop waits for.

use crate::run::Input;
use futures_channel::oneshot;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;

/// What a run's machine is still to be told.
#[derive(Default)]
pub struct Inbox {
    inputs: RefCell<VecDeque<Input>>,
    waiting: Cell<Option<oneshot::Sender<()>>>,
}

impl Inbox {
    /// One more thing.
    pub fn push(&self, input: Input) {
        self.inputs.borrow_mut().push_back(input);
        if let Some(waiting) = self.waiting.take() {
            let _ = waiting.send(());
        }
    }

    /// The next thing, if there is one.
    pub fn pop(&self) -> Option<Input> {
        self.inputs.borrow_mut().pop_front()
    }

    /// The next thing, once there is one.
    pub async fn next(&self) -> Input {
        loop {
            if let Some(input) = self.pop() {
                return input;
            }
            let (waiting, news) = oneshot::channel();
            self.waiting.set(Some(waiting));
            let _ = news.await;
        }
    }
}
