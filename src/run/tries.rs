//! How often one step is tried that the store has not done, and after which pauses.

use crate::Millis;

/// How often a step is tried before it is given up.
const TRIES: u32 = 9;
/// How often a run tries to save what it has come to: some ten seconds, for there is nobody to ask it again.
const SAVES: u32 = 11;
/// How often a value is read for a reader, who can come again: well before a run gives up.
const READS: u32 = 6;
/// The pause before the second try, in milliseconds; each one after doubles it.
const FIRST_PAUSE: Millis = 10;

/// The tries of one step that have failed, and how many may.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tries {
    failed: u32,
    most: u32,
}

impl Default for Tries {
    fn default() -> Self {
        Tries { failed: 0, most: TRIES }
    }
}

impl Tries {
    /// Those of what a run saves.
    pub fn of_save() -> Self {
        Tries { failed: 0, most: SAVES }
    }

    /// Those of a value that somebody only reads.
    pub fn of_reader() -> Self {
        Tries { failed: 0, most: READS }
    }

    /// One more has failed: when the next is due, or nothing if that was the last.
    pub fn again(&mut self, now: Millis) -> Option<Millis> {
        self.failed += 1;
        (self.failed < self.most).then(|| now + (FIRST_PAUSE << (self.failed - 1)))
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;

    #[test]
    fn the_pause_doubles_and_the_tries_end() {
        let mut tries = Tries::default();
        for pause in [10, 20, 40, 80, 160, 320, 640, 1280] {
            assert_eq!(tries.again(5), Some(5 + pause));
        }
        assert_eq!((tries.again(5), tries.again(5)), (None, None));
        for (mut tries, most) in [(Tries::of_reader(), 6), (Tries::of_save(), 11)] {
            assert_eq!((0..20).filter(|_| tries.again(5).is_some()).count(), most - 1);
        }
    }
}
