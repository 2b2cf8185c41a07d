//! The run: its machines, its record, its journal, and the contract of the store that holds them.
//!
//! Two halves meet at the journal and nowhere else: [`Run`] writes it, a [`Reader`] reads it.
//! [`Thread`] holds the rules that span a thread's runs, [`Follow`] reads them all.

mod attempts;
mod besteffort;
mod claim;
mod echo;
mod elsewhere;
mod emitter;
#[cfg(all(test, not(target_arch = "wasm32")))]
pub(crate) mod fixture;
mod flight;
mod follow;
mod index;
mod interrupts;
mod journal;
mod keys;
mod list;
mod locate;
mod machine;
mod memory;
mod outside;
mod pace;
mod protocol;
mod pump;
mod reader;
mod record;
mod removal;
mod resuming;
mod retention;
mod sanitize;
mod scope;
mod shown;
mod store;
mod thread;
mod tries;
mod usage;
mod work;

pub use echo::decode as decode_echo;
pub use emitter::{Claim, Emitter, Totals};
pub use flight::Progress;
pub use follow::{Follow, Position, Since, ends};
pub use index::{IndexEntry, newest_run};
pub use interrupts::{Interrupted, OpenInterrupt};
pub use journal::{Committed, decode as decode_segment, decode_plain, encode_event};
pub use keys::{Place, RunKeys, ThreadKeys, index as index_key, is_head, list as list_prefix, place};
pub use list::{HeadPlace, Listing, Wanted};
pub use machine::Run;
pub use memory::MemoryStore;
pub use pace::Pace;
pub use protocol::{Action, Input, Limits, ModelCall, Reply, Request, Setup};
pub use reader::{Cursor, Need, Reader};
pub use record::{Mark, Promise, RunRecord, Status, Times, Writer};
pub use retention::{Goal, Keep, Sweep, Swept};
pub use sanitize::{LogLine, failure};
pub use scope::{OpenScopes, Scope, ScopeKind};
pub use store::{Expect, Guarantee, Head, Owner, Part, PartPointer, StoreOp, StoreReply, Traits, Version};
pub use thread::{Thread, ThreadAction, ThreadInput};
pub use tries::Tries;
pub use usage::count as count_usage;
