//! One message item of a response, held until the response is decided.

use crate::event::{PIECE, Plain, pieces};
use crate::signal::Phase;

/// A held message.
#[derive(Default)]
pub(super) struct Held {
    pub message: String,
    /// Redacted.
    pub text: String,
    pub phase: Phase,
    pub refusal: bool,
    /// A piece came, though the filter may hold it back.
    pub came: bool,
    /// The filter blocks what came: the text ends before it, and can't be an answer.
    pub blocked: bool,
}

/// How eligible a held message is: of a completed response without calls the most eligible is the
/// answer, and of equals the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rank {
    /// Commentary that is white space.
    BlankCommentary,
    /// Commentary: only if it is all that was said.
    Commentary,
    /// White space: only if it is all that was said beside commentary.
    Blank,
    /// A message without a mark.
    Unmarked,
    /// A message that is marked as the answer.
    FinalAnswer,
    /// A refusal.
    Refusal,
}

impl Rank {
    pub(super) fn is_commentary(self) -> bool {
        self <= Rank::Commentary
    }
}

impl Held {
    /// None for a message without text. What the filter blocks is text too, which would have been the answer.
    pub(super) fn rank(&self) -> Option<Rank> {
        if self.text.is_empty() && !self.blocked {
            return None;
        }
        Some(match (self.phase, self.text.trim().is_empty() && !self.blocked) {
            (Phase::Commentary, true) => Rank::BlankCommentary,
            (Phase::Commentary, false) => Rank::Commentary,
            (_, true) => Rank::Blank,
            _ if self.refusal => Rank::Refusal,
            (Phase::Unmarked, false) => Rank::Unmarked,
            (Phase::FinalAnswer, false) => Rank::FinalAnswer,
        })
    }

    /// Writes it once more as public narration, under an id of its own.
    pub(super) fn narrate(&self, tag: &str, out: &mut Vec<Plain>) {
        let number = self.message.rsplit_once('m').map_or("", |(_, number)| number);
        let message = format!("{tag}-n{number}");
        out.push(Plain::NarrationStart { message: message.clone() });
        for delta in pieces(&self.text, PIECE) {
            out.push(Plain::NarrationDelta { message: message.clone(), delta: delta.to_owned() });
        }
        out.push(Plain::NarrationEnd { message });
    }
}
