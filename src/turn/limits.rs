//! The bounds of one response, and what it has cost.

use super::TurnOutput;
use crate::event::ModelUsage;

/// The most bytes of text that one response may hold, and so the largest answer, unless a lower bound is
/// set: 1 MiB.
pub const MAX_TEXT: usize = 1 << 20;
/// The most bytes of reasoning of one response, which nobody holds but the journal keeps: 4 MiB.
pub const MAX_REASONING: usize = 4 << 20;
/// The most bytes of arguments that the calls of one response may hold: 1 MiB.
pub const MAX_ARGUMENTS: usize = 1 << 20;
/// The most bytes of a state, as JSON and with what stands in the place of what was removed: 2 MiB. A frame has it whole.
pub const MAX_STATE: usize = 2 << 20;
/// The most bytes, as JSON, of what a provider wants back with a response: 4 MiB.
pub const MAX_KEPT: usize = 4 << 20;
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

    /// What the current response has cost so far and was not taken yet.
    pub fn usage(&self) -> &ModelUsage {
        &self.usage
    }

    /// Takes what the response has cost, once it is over: so it is counted once.
    pub fn take_usage(&mut self) -> ModelUsage {
        std::mem::take(&mut self.usage)
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::redact::PassThrough;
    use crate::signal::{Signal, Stop};
    use crate::turn::Decision;
    use std::rc::Rc;

    #[test]
    fn a_lower_bound_on_text_holds_and_a_higher_one_does_not() {
        for (bytes, bound) in [(4, 4), (MAX_TEXT + 1, MAX_TEXT)] {
            let mut turn = TurnOutput::new("r", Rc::new(PassThrough), &[]).max_text(bytes);
            turn.signal(Signal::ResponseStart { model: None });
            assert_eq!(turn.signal(Signal::Text("x".repeat(bound))), None);
            let over = turn.signal(Signal::Text("x".into()));
            assert_eq!(over, Some(Decision::Dead(ErrorKind::OutputLimit)), "{bytes}");
        }
    }

    #[test]
    fn reasoning_has_a_bound_of_its_own_that_begins_anew_with_each_response() {
        let mut turn = TurnOutput::new("r", Rc::new(PassThrough), &[]);
        let piece = || "x".repeat(MAX_TEXT);
        let over = Some(Decision::Dead(ErrorKind::OutputLimit));

        turn.signal(Signal::ResponseStart { model: None });
        for _ in 0..MAX_REASONING / MAX_TEXT {
            assert_eq!(turn.signal(Signal::Reasoning(piece())), None);
        }
        assert_eq!(turn.signal(Signal::Reasoning("x".into())), over);

        // Text that turns out to have been reasoning counts too.
        turn.signal(Signal::ResponseStart { model: None });
        for _ in 0..MAX_REASONING / MAX_TEXT {
            turn.signal(Signal::Text(piece()));
            assert_eq!(turn.signal(Signal::WasReasoning), None);
        }
        turn.signal(Signal::Text("x".into()));
        assert_eq!(turn.signal(Signal::WasReasoning), over);
    }

    #[test]
    fn the_bound_holds_for_what_replaces_the_answer_too() {
        let mut turn = TurnOutput::new("r", Rc::new(PassThrough), &[]).max_text(4);
        turn.signal(Signal::ResponseStart { model: None });
        turn.signal(Signal::Text("mine".into()));
        turn.signal(Signal::ResponseEnd(Stop::Complete));
        assert_eq!(turn.publish(Some("yours")).unwrap_err().code(), "output_limit");
        assert_eq!(turn.publish(Some("ours")).unwrap().into_answer().text, "ours", "nothing was published");
    }
}
