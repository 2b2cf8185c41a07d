//! What an emitter is made with, and what it is told of a run's end.

use crate::Millis;
use crate::event::{ModelUsage, Timing};
use crate::run::keys::RunKeys;
use crate::run::store::Traits;

/// Who a run belongs to and who writes it.
#[derive(Clone, Debug)]
pub struct Claim {
    /// Where its keys are.
    pub keys: RunKeys,
    /// Its scope.
    pub scope: String,
    /// The token of this writer; never reused.
    pub writer: String,
    /// What the store is.
    pub traits: Traits,
    /// How long a writer is taken to live after its last save.
    pub lease: Millis,
}

/// What a terminal tells of the whole run.
#[derive(Clone, Debug, Default)]
pub struct Totals {
    /// What it cost, one entry a model.
    pub usage: Vec<ModelUsage>,
    /// How long it took.
    pub timing: Timing,
}
