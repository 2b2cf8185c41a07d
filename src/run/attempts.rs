//! How often a model call that failed is made again, and when.

use crate::Millis;
use crate::error::ErrorKind;

/// The pause before the first new attempt; each one after doubles it.
const FIRST_PAUSE: Millis = 250;
/// The longest pause.
const LONGEST_PAUSE: Millis = 4_000;

/// The attempts at one model call.
pub(super) struct Attempts {
    most: u32,
    failed: u32,
    due: Option<Millis>,
}

impl Attempts {
    /// Attempts at calls that are each made again at most `most` times.
    pub(super) fn new(most: u32) -> Self {
        Attempts { most, failed: 0, due: None }
    }

    /// Another call begins.
    pub(super) fn begin(&mut self) {
        self.failed = 0;
        self.due = None;
    }

    /// An attempt failed so. True if another is made, which then is due after a pause.
    pub(super) fn again(&mut self, now: Millis, kind: ErrorKind) -> bool {
        let again = is_passing(kind) && self.failed < self.most;
        if again {
            self.due = Some(now + FIRST_PAUSE.saturating_mul(1 << self.failed.min(8)).min(LONGEST_PAUSE));
            self.failed += 1;
        }
        again
    }

    /// When the next attempt is due, if one is.
    pub(super) fn due(&self) -> Option<Millis> {
        self.due
    }

    /// True once, when the next attempt is due.
    pub(super) fn is_due(&mut self, now: Millis) -> bool {
        self.due.take_if(|due| *due <= now).is_some()
    }
}

/// True for what may go well another time: the provider was away, broke off or was slow. What it
/// refuses, filters or can't spell it would again.
fn is_passing(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::UpstreamUnavailable | ErrorKind::UpstreamTimeout)
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;

    #[test]
    fn the_pause_doubles_up_to_its_longest_and_each_call_begins_anew() {
        let mut attempts = Attempts::new(7);
        for call in 0..2 {
            attempts.begin();
            for pause in [250, 500, 1_000, 2_000, 4_000, 4_000, 4_000] {
                assert!(attempts.again(10, ErrorKind::UpstreamTimeout), "{call}");
                assert_eq!(attempts.due(), Some(10 + pause));
                assert!(!attempts.is_due(9 + pause));
                assert!(attempts.is_due(10 + pause) && !attempts.is_due(u64::MAX), "once");
            }
            assert!(!attempts.again(10, ErrorKind::UpstreamTimeout));
            assert_eq!(attempts.due(), None);
        }
    }

    #[test]
    fn only_what_may_pass_is_tried_again() {
        let again: Vec<_> =
            ErrorKind::ALL.iter().filter(|kind| Attempts::new(1).again(0, **kind)).map(|kind| kind.code()).collect();
        assert_eq!(again, ["upstream_unavailable", "upstream_timeout"]);
    }
}
