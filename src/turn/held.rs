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
}

impl Held {
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
