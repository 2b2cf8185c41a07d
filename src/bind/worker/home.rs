//! Where a thread lives: in an object that owns it, or in one request over Workers KV.

use super::host::Host;
use super::index;
use super::kv::Kv;
use super::platform::{self, Env};
use super::store::Table;
use crate::Millis;
use crate::run::{Place, StoreOp, StoreReply, place};
use std::rc::Rc;

/// How often a run in a request asks whether its host ends.
const WATCH: Millis = 2_000;

/// A thread's store, and what keeps its work going.
pub enum Home {
    /// A Durable Object's table; the index is kept by other objects.
    Object(Rc<Table>, Env),
    /// Workers KV, in a request.
    Request(Kv, Host),
}

impl Home {
    /// Performs an operation of a machine.
    pub async fn perform(&self, op: StoreOp) -> StoreReply {
        match self {
            Home::Object(table, env) => match op.key().map(place) {
                Some(Place::Index | Place::List) => index::perform(env, op).await,
                _ => table.perform(op).await,
            },
            Home::Request(kv, _) => kv.perform(op).await,
        }
    }

    /// Reads a value that is durable, for a reader.
    pub async fn read(&self, key: &str) -> StoreReply {
        match self {
            Home::Object(table, _) => table.read(key).await,
            Home::Request(kv, _) => kv.read(key).await,
        }
    }

    /// Keeps whose thread this is, for an alarm that finds the object asleep. A request has no alarm.
    pub fn remember_owner(&self, scope: &str, thread: &str) {
        if let Home::Object(table, _) = self {
            table.remember_owner(scope, thread);
        }
    }

    /// Forgets it: no run is left that an alarm might be for.
    pub fn forget_owner(&self) {
        if let Home::Object(table, _) = self {
            table.forget_owner();
        }
    }

    /// Sets the thread's alarm, or calls it off. In a request nothing goes off: a reader that comes later looks
    /// after what is left.
    pub async fn set_alarm(&self, at: Option<Millis>) {
        if let Home::Object(table, _) = self {
            table.set_alarm(at).await;
        }
    }

    /// Lets a run's work go on by itself.
    pub fn spawn(&self, work: impl Future<Output = ()> + 'static) {
        match self {
            Home::Object(..) => platform::spawn(work),
            Home::Request(_, host) => {
                // Where the platform takes nothing more, the work goes on as long as its request does.
                let _ = host.keep(work);
            }
        }
    }

    /// A run's machine is done.
    pub fn over(&self) {
        if let Home::Request(kv, _) = self {
            kv.over();
        }
    }

    /// How long a run's machine may wait before it is asked whether its host ends.
    pub fn watch(&self) -> Millis {
        match self {
            Home::Object(..) => Millis::MAX,
            Home::Request(..) => WATCH,
        }
    }

    /// When the host ends, once that is known: at once where it takes no more operations.
    pub fn ends(&self) -> Option<Millis> {
        let Home::Request(kv, host) = self else { return None };
        if kv.is_spent() { Some(0) } else { host.ends() }
    }

    /// True once the platform is about to take no more operations, and it takes one to read that key.
    pub fn is_spent(&self, key: &str) -> bool {
        matches!(self, Home::Request(kv, _) if kv.is_spent() && !kv.remembers(key))
    }

    /// True where others may write what is read here, and nobody tells of it.
    pub fn is_request(&self) -> bool {
        matches!(self, Home::Request(..))
    }
}
