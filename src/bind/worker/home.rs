//! Where a thread of the Worker lives: in an object that owns it, or in one request over Workers KV.

use super::index;
use super::kv::Kv;
use super::store::Table;
use crate::Millis;
use crate::bind::web::home::{Home, Soon};
use crate::bind::web::host::Host;
use crate::bind::web::platform::{self, Env};
use crate::run::{Place, StoreOp, StoreReply, place};
use std::rc::Rc;

/// How often a run in a request asks whether its host ends.
const WATCH: Millis = 2_000;

/// A Durable Object's table; the index is kept by other objects.
pub struct Object(pub Rc<Table>, pub Env);

impl Home for Object {
    fn perform(&self, op: StoreOp) -> Soon<'_, StoreReply> {
        Box::pin(async move {
            match op.key().map(place) {
                Some(Place::Index | Place::List) => index::perform(&self.1, op).await,
                _ => self.0.perform(op).await,
            }
        })
    }

    fn read<'a>(&'a self, key: &'a str) -> Soon<'a, StoreReply> {
        Box::pin(self.0.read(key))
    }

    fn remember_owner(&self, scope: &str, thread: &str) {
        self.0.remember_owner(scope, thread);
    }

    fn forget_owner(&self) {
        self.0.forget_owner();
    }

    fn set_alarm(&self, at: Option<Millis>) -> Soon<'_, ()> {
        Box::pin(async move {
            self.0.set_alarm(at).await;
        })
    }

    fn spawn(&self, work: Soon<'static, ()>) {
        platform::spawn(work);
    }

    fn is_shared(&self) -> bool {
        false
    }
}

/// Workers KV, in a request. It has no alarm.
pub struct InRequest(pub Kv, pub Host);

impl Home for InRequest {
    fn perform(&self, op: StoreOp) -> Soon<'_, StoreReply> {
        Box::pin(self.0.perform(op))
    }

    fn read<'a>(&'a self, key: &'a str) -> Soon<'a, StoreReply> {
        Box::pin(self.0.read(key))
    }

    fn spawn(&self, work: Soon<'static, ()>) {
        // Where the platform takes nothing more, the work goes on as long as its request does.
        let _ = self.1.keep(work);
    }

    fn over(&self) {
        self.0.over();
    }

    fn watch(&self) -> Millis {
        WATCH
    }

    fn ends(&self) -> Option<Millis> {
        if self.0.is_spent() { Some(0) } else { self.1.ends() }
    }

    fn is_spent(&self, key: &str) -> bool {
        self.0.is_spent() && !self.0.remembers(key)
    }

    fn is_shared(&self) -> bool {
        true
    }
}
