//! When a silent stream must be given a byte.

use crate::Millis;

/// The silence, in milliseconds, after which a heartbeat is due by default. The strictest proxies
/// met in the field cut an idle stream at 30 to 60 s.
pub const HEARTBEAT_MS: Millis = 15_000;

/// Measures silence on the wire: what counts is the last byte written to this client, never how
/// busy the run is inside.
///
/// A stream that has not written a byte yet is due at once, so that its headers and first byte do
/// not wait for the provider. The caller writes [`PING`](super::PING) when it is due and then says
/// so with [`wrote`](Heartbeat::wrote), as after every other write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heartbeat {
    interval: Millis,
    last: Option<Millis>,
}

impl Heartbeat {
    /// A heartbeat after every `interval` milliseconds of silence; 0 counts as 1.
    pub fn new(interval: Millis) -> Self {
        Heartbeat { interval: interval.max(1), last: None }
    }

    /// At least one byte was written to the client at this moment.
    pub fn wrote(&mut self, now: Millis) {
        self.last = Some(now);
    }

    /// The moment at which a heartbeat is due unless something is written before; 0 if nothing has
    /// been written yet.
    pub fn deadline(&self) -> Millis {
        self.last.map_or(0, |last| last.saturating_add(self.interval))
    }

    /// True if a heartbeat must be written now.
    ///
    /// A clock that went back behind the last write makes it due too: the length of the silence is
    /// not known then, and a heartbeat too many harms nobody.
    pub fn due(&self, now: Millis) -> bool {
        self.wait(now) == 0
    }

    /// How many milliseconds from now it is due: 0 for at once, never more than the interval.
    pub fn wait(&self, now: Millis) -> Millis {
        match self.last {
            Some(last) if now >= last => self.deadline().saturating_sub(now),
            _ => 0,
        }
    }
}

impl Default for Heartbeat {
    fn default() -> Self {
        Heartbeat::new(HEARTBEAT_MS)
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;

    #[test]
    fn the_first_byte_is_due_at_once() {
        let heartbeat = Heartbeat::default();
        assert!(heartbeat.due(0));
        assert!(heartbeat.due(1_700_000_000_000));
        assert_eq!(heartbeat.deadline(), 0);
    }

    #[test]
    fn silence_counts_from_the_last_byte() {
        let mut heartbeat = Heartbeat::default();
        heartbeat.wrote(1_000);
        assert_eq!(heartbeat.deadline(), 16_000);
        assert!(!heartbeat.due(15_999));
        assert!(heartbeat.due(16_000));
        heartbeat.wrote(15_999);
        assert!(!heartbeat.due(16_000), "a write resets the silence");
        assert_eq!(heartbeat.wait(16_000), 14_999);
    }

    #[test]
    fn a_ping_is_a_write() {
        let mut heartbeat = Heartbeat::new(10);
        let mut pings = 0;
        for now in 0..100 {
            if heartbeat.due(now) {
                pings += 1;
                heartbeat.wrote(now);
            }
        }
        assert_eq!(pings, 10);
    }

    #[test]
    fn a_clock_that_goes_back_makes_no_long_silence() {
        let mut heartbeat = Heartbeat::new(10);
        heartbeat.wrote(1_000_000);
        assert!(heartbeat.due(5));
        heartbeat.wrote(5);
        assert_eq!(heartbeat.wait(5), 10);
    }

    #[test]
    fn extremes_neither_overflow_nor_spin() {
        let mut heartbeat = Heartbeat::new(Millis::MAX);
        heartbeat.wrote(Millis::MAX - 1);
        assert_eq!(heartbeat.deadline(), Millis::MAX);
        let mut none = Heartbeat::new(0);
        none.wrote(5);
        assert!(!none.due(5));
    }
}
