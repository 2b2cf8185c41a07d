//! Where a thread lives: its store, and what keeps its work going. Each binding has its own.

use crate::Millis;
use crate::run::{StoreOp, StoreReply};
use std::future::ready;
use std::pin::Pin;

/// What comes later. It is boxed, so that all of a kind are of one type: each further one costs code.
pub type Soon<'a, T> = Pin<Box<dyn Future<Output = T> + 'a>>;

/// A thread's store, and what keeps its work going.
pub trait Home {
    /// Performs an operation of a machine.
    fn perform(&self, op: StoreOp) -> Soon<'_, StoreReply>;

    /// Reads a value that is durable, for a reader.
    fn read<'a>(&'a self, key: &'a str) -> Soon<'a, StoreReply>;

    /// Keeps whose thread this is, for an alarm that finds its owner asleep.
    fn remember_owner(&self, _scope: &str, _thread: &str) {}

    /// Forgets it: no run is left that an alarm might be for.
    fn forget_owner(&self) {}

    /// Sets the thread's alarm, or calls it off. Where nothing goes off, a reader that comes later looks after what
    /// is left.
    fn set_alarm(&self, _at: Option<Millis>) -> Soon<'_, ()> {
        Box::pin(ready(()))
    }

    /// True where alarms are timers of this process, which the thread's driver sets itself.
    fn has_timers(&self) -> bool {
        false
    }

    /// Lets a run's work go on by itself.
    fn spawn(&self, work: Soon<'static, ()>);

    /// A run's machine is done.
    fn over(&self) {}

    /// How long a run's machine may wait before it is asked whether its host ends.
    fn watch(&self) -> Millis {
        Millis::MAX
    }

    /// When the host ends, once that is known: at once where it takes no more operations.
    fn ends(&self) -> Option<Millis> {
        None
    }

    /// True once the platform is about to take no more operations, and it takes one to read that key.
    fn is_spent(&self, _key: &str) -> bool {
        false
    }

    /// True where others may write what is read here, and nobody tells of it.
    fn is_shared(&self) -> bool;
}
