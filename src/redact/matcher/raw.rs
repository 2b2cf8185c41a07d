//! The text that was read, as far back as it is still needed.

/// How much may be kept in vain before it is moved out: so each byte is moved less than once in the mean.
const SLACK: usize = 4096;

/// The end of a text.
#[derive(Debug, Default)]
pub(super) struct Raw {
    text: String,
    /// Where it begins in the whole.
    base: u64,
}

impl Raw {
    /// Adds what comes next.
    pub(super) fn add(&mut self, piece: &str) {
        self.text.push_str(piece);
    }

    /// What stands from one place of the whole to another; empty if that is not kept, or cuts a character.
    pub(super) fn get(&self, from: u64, to: u64) -> &str {
        if from < self.base {
            return "";
        }
        self.text.get(self.index(from)..self.index(to)).unwrap_or_default()
    }

    /// All that is kept, and where it begins in the whole.
    pub(super) fn bytes(&self) -> (&[u8], u64) {
        (self.text.as_bytes(), self.base)
    }

    /// Nothing before this place is needed any more.
    pub(super) fn forget(&mut self, before: u64) {
        let cut = self.index(before).min(self.text.len());
        if cut < SLACK || cut < self.text.len() / 2 {
            return;
        }
        let cut = self.text.floor_char_boundary(cut);
        self.text.drain(..cut);
        self.base += cut as u64;
    }

    /// Begins anew.
    pub(super) fn clear(&mut self) {
        self.text.clear();
        self.base = 0;
    }

    fn index(&self, at: u64) -> usize {
        usize::try_from(at.saturating_sub(self.base)).unwrap_or(usize::MAX)
    }
}
