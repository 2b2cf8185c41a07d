//! How often one step is tried that the store has not done, and after which pauses.

use crate::Millis;

/// How often a step is tried before it is given up.
const TRIES: u32 = 9;
/// The pause before the second try, in milliseconds; each one after doubles it.
const FIRST_PAUSE: Millis = 10;

/// The tries of one step that have failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tries(u32);

impl Tries {
    /// One more has failed: when the next is due, or nothing if that was the last.
    pub fn again(&mut self, now: Millis) -> Option<Millis> {
        self.0 += 1;
        (self.0 < TRIES).then(|| now + (FIRST_PAUSE << (self.0 - 1)))
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
    }
}
