//! The bounds of one response.

use super::TurnOutput;

/// The most bytes of text that one response may hold, and so the largest answer, unless a lower bound is
/// set: 1 MiB.
pub const MAX_TEXT: usize = 1 << 20;
/// The most bytes of arguments that the calls of one response may hold: 1 MiB.
pub const MAX_ARGUMENTS: usize = 1 << 20;
/// The most calls of one response. All of them may be open at once, so the head can list them.
pub const MAX_CALLS: usize = 64;
/// The most message items of one response.
pub const MAX_ITEMS: usize = 1024;

impl TurnOutput {
    /// Lets a response hold at most that many bytes of text, and never more than [`MAX_TEXT`].
    pub fn max_text(mut self, bytes: usize) -> Self {
        self.max_text = bytes.min(MAX_TEXT);
        self
    }
}
