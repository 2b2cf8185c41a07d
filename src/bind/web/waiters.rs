//! Who waits for a machine's reply.

use crate::run::{Reply, Request};
use futures_channel::oneshot;
use std::cell::{Cell, RefCell};

/// Requests that have no reply yet.
#[derive(Default)]
pub struct Waiters {
    waiting: RefCell<Vec<(Request, oneshot::Sender<Reply>)>>,
    last: Cell<Request>,
}

impl Waiters {
    /// A new request, and its reply, which comes later, or never where its machine is lost.
    pub fn request(&self) -> (Request, oneshot::Receiver<Reply>) {
        let request = self.last.get().wrapping_add(1).max(1);
        self.last.set(request);
        let (sender, receiver) = oneshot::channel();
        self.waiting.borrow_mut().push((request, sender));
        (request, receiver)
    }

    /// The reply to a request.
    pub fn reply(&self, request: Request, reply: Reply) {
        let mut waiting = self.waiting.borrow_mut();
        if let Some(at) = waiting.iter().position(|(id, _)| *id == request) {
            let _ = waiting.swap_remove(at).1.send(reply);
        }
    }
}
