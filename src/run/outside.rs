//! What a run's machine knows of what is outside it: another instance that holds the run, and its own end to come.

use super::tries::Tries;
use crate::Millis;

/// The run of another instance that is to be cancelled.
pub(super) struct Elsewhere {
    pub fingerprint: String,
    pub asked: bool,
    pub until: Millis,
    pub pause: Millis,
    pub tries: Tries,
}

/// What a run knows of its own end that nothing of its turn says.
#[derive(Default)]
pub(super) struct Ends {
    /// When its host ends.
    pub host: Option<Millis>,
    /// When its thread had admitted it here.
    pub admitted: Option<Millis>,
    /// When it was looked last whether it is to be cancelled.
    pub looked: Option<Millis>,
    /// That look is under way.
    pub looking: bool,
}
