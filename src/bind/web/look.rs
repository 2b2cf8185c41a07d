//! When a reader looks again by itself, where nobody tells it of news.

use crate::Millis;

/// Soon behind news, and then ever less often; each look costs a read.
const PAUSE: (Millis, Millis) = (1_000, 10_000);
/// The same where a read tells what stands now.
const FRESH: (Millis, Millis) = (50, 1_000);

/// What a reader of a store keeps in mind whose reads may be old.
pub struct Looks {
    pause: Millis,
    pauses: (Millis, Millis),
    /// What was waited behind last.
    seen: Option<u64>,
    /// How old a read may be.
    staleness: Millis,
    opened: Millis,
    /// Since when a head was not there, or did not stand.
    missing: Option<Millis>,
}

impl Looks {
    /// Of a reader that was opened now.
    pub fn new(now: Millis, staleness: Millis) -> Self {
        let pauses = if staleness == 0 { FRESH } else { PAUSE };
        Looks { pause: pauses.0, pauses, seen: None, staleness, opened: now, missing: None }
    }

    /// There were news.
    pub fn news(&mut self) {
        self.pause = self.pauses.0;
    }

    /// Waits for what comes behind this. True the first time: what then is told of news is worth a look.
    pub fn behind(&mut self, seen: u64) -> bool {
        let first = self.seen.replace(seen) != Some(seen);
        if first {
            self.news();
        }
        first
    }

    /// How long to wait before the next look.
    pub fn pause(&self) -> Millis {
        self.pause
    }

    /// It has looked.
    pub fn looked(&mut self) {
        self.pause = (self.pause * 2).min(self.pauses.1);
    }

    /// A head was there and stood, or not. True if that says nothing yet: it is to be asked for again, after a pause.
    pub fn head(&mut self, now: Millis, stands: bool) -> bool {
        if stands {
            self.missing = None;
            return false;
        }
        let since = *self.missing.get_or_insert(now);
        now < since.saturating_add(self.staleness)
    }

    /// The pause before a read: only what was not there is not asked for at once.
    pub fn before_load(&mut self) -> Millis {
        if self.missing.is_none() {
            return 0;
        }
        let pause = self.pause;
        self.looked();
        pause
    }

    /// True while what was read may be from before what the client knows already.
    pub fn may_be_behind(&self, now: Millis) -> bool {
        now < self.opened.saturating_add(self.staleness)
    }
}
