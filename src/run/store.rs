//! The contract of a store, as values: what the machines ask and what a store may answer.
//!
//! A driver performs a [`StoreOp`] and feeds back a [`StoreReply`]. An exception from a save is
//! [`StoreReply::Uncertain`], unless the adapter says plainly that nothing was written.

use crate::Millis;
use crate::stored::{readable, stored, stored_names};

/// The store's own token for a value's version; opaque.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Version(pub String);

/// What a save of the head expects to find.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expect {
    /// Nothing under the key.
    Absent,
    /// That version.
    Version(Version),
    /// Whatever is there.
    Any,
}

/// An immutable value under a key that nobody else writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The key.
    pub key: String,
    /// The value.
    pub value: Vec<u8>,
}

/// Where a value stands that is cut into parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartPointer {
    /// Whose part it is.
    pub writer: String,
    /// In how many pieces.
    pub pieces: u32,
}

/// The one value that decides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// The key.
    pub key: String,
    /// The value.
    pub value: Vec<u8>,
    /// What must be there for the save to happen.
    pub expect: Expect,
}

/// One operation. A machine has one outstanding at a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreOp {
    /// Reads one value.
    Load(String),
    /// Writes the parts in order and the head last, under its expectation. Where the store has
    /// [`Traits::batch`] it does so in one transaction; else a machine asks for one value at a time.
    Save {
        /// Written whatever is there: they are idempotent.
        parts: Vec<Part>,
        /// Written last; absent while only parts are written.
        head: Option<Head>,
    },
    /// Lists keys with a prefix, in order, after a key. For retention and run lists, never for a reader.
    List {
        /// The prefix.
        prefix: String,
        /// Only keys greater than this.
        after: Option<String>,
        /// At most so many.
        limit: usize,
    },
    /// Removes values; a missing one is no error.
    Delete(Vec<String>),
}

impl StoreOp {
    /// A key that says where the operation belongs: all its keys are of one place.
    pub fn key(&self) -> Option<&str> {
        match self {
            StoreOp::Load(key) => Some(key),
            StoreOp::Save { head: Some(head), .. } => Some(&head.key),
            StoreOp::Save { parts, head: None } => parts.first().map(|part| part.key.as_str()),
            StoreOp::List { prefix, .. } => Some(prefix),
            StoreOp::Delete(keys) => keys.first().map(String::as_str),
        }
    }
}

/// What a store answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreReply {
    /// The value and its version.
    Found(Vec<u8>, Version),
    /// There is nothing under the key.
    Missing,
    /// The save is durable. The version is the head's; empty where only parts were written.
    Saved(Version),
    /// The expectation did not hold; nothing of the head was written.
    Conflict,
    /// Surely not written, or not readable now.
    Unavailable,
    /// Nobody knows whether it was written.
    Uncertain,
    /// The keys, in order.
    Listed(Vec<String>),
    /// They are gone.
    Deleted,
}

/// How firm a promise is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guarantee {
    /// By a compare-and-set on a store that serialises.
    Atomic,
    /// By re-reading; a race may still slip through, and the record says so.
    BestEffort,
}

/// Who may write a run's head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// One live instance by construction.
    Exclusive,
    /// Anyone; a lease tells the dead from the slow.
    Shared,
}

/// What a store honestly is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Traits {
    /// Of "a run executes at most once".
    pub claim: Guarantee,
    /// Of "the first outcome stands".
    pub outcome: Guarantee,
    /// Who may write.
    pub owner: Owner,
    /// Parts and head are saved in one transaction.
    pub batch: bool,
    /// The largest value, in bytes. Whatever is larger is cut into parts, but a head: a store takes at least 16 KiB.
    pub max_value: usize,
    /// The least time between two writes of one head.
    pub min_interval: Millis,
    /// How old a read may be.
    pub staleness: Millis,
}

stored!(PartPointer { writer, pieces });
stored_names!(Owner { Exclusive = "exclusive", Shared = "shared" });
readable!(Traits { claim, outcome, owner, batch, max_value, min_interval, staleness });
stored_names!(Guarantee { Atomic = "atomic", BestEffort = "best_effort" });

impl Traits {
    /// A Durable Object's SQLite: one instance, one transaction and one sync, rows up to 2 MB.
    pub const DURABLE_OBJECT: Traits = Traits {
        claim: Guarantee::Atomic,
        outcome: Guarantee::Atomic,
        owner: Owner::Exclusive,
        batch: true,
        max_value: 1 << 20,
        min_interval: 0,
        staleness: 0,
    };

    /// Workers KV: no compare-and-set, reads up to a minute old, one write a second to a key.
    pub const WORKERS_KV: Traits = Traits {
        claim: Guarantee::BestEffort,
        outcome: Guarantee::BestEffort,
        owner: Owner::Shared,
        batch: false,
        max_value: 4 << 20,
        min_interval: 1_000,
        staleness: 60_000,
    };

    /// What a store is taken for that does not say: nothing is promised.
    pub const WEAKEST: Traits = Traits { max_value: 64 << 10, ..Traits::WORKERS_KV };

    /// The memory of one process.
    pub const MEMORY: Traits = Traits { max_value: 16 << 20, ..Traits::DURABLE_OBJECT };
}
