//! The looks for a thread's entry that was saved where the store can't compare.

use crate::Millis;

/// Since when it is looked for, and how often it was not to be seen.
#[derive(Default)]
pub(super) struct Looks {
    pub since: Option<Millis>,
    pub missed: u32,
}
