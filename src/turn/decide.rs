//! The deciding half: what a response came to, once it has ended.

use super::held::Held;
use super::{Decision, Said, TurnOutput};
use crate::error::ErrorKind;
use crate::event::Plain;
use crate::signal::{Fault, Phase, Role, Stop};

impl TurnOutput {
    pub(super) fn decide(&mut self, stop: Stop, items: Vec<Held>, said: Said) -> Decision {
        if stop == Stop::ContentFilter {
            self.void(&items);
            return Decision::Dead(ErrorKind::ContentFilter);
        }
        if stop == Stop::Pause || !said.calls.is_empty() {
            self.last_intermediate = Some(items.last().map(|held| held.text.clone()).unwrap_or_default());
            self.decided(items, None);
            return if said.calls.is_empty() { Decision::Continue(said) } else { Decision::Calls(said) };
        }
        let eligible = items.iter().rposition(|held| !held.text.is_empty() && held.phase != Phase::Commentary);
        let chosen = eligible.or_else(|| items.iter().rposition(|held| !held.text.is_empty()));
        let fallback = eligible.is_none() && chosen.is_some();
        let answer = self.decided(items, chosen);
        self.candidate = Some((answer.unwrap_or_default(), stop, fallback));
        Decision::Candidate
    }

    /// Says what became of each held message, and takes the chosen one out.
    fn decided(&mut self, items: Vec<Held>, chosen: Option<usize>) -> Option<Held> {
        let mut answer = None;
        for (at, held) in items.into_iter().enumerate().filter(|(_, held)| !held.text.is_empty()) {
            let is_answer = chosen == Some(at);
            self.out.push(Plain::Decided { message: held.message.clone(), answer: is_answer });
            if is_answer {
                answer = Some(held);
            } else if self.public_intermediate {
                held.narrate(&self.tag, &mut self.out);
            }
        }
        answer
    }

    /// Says that held messages came to nothing. They are not even narration: nobody but the operator
    /// ever reads them.
    fn void(&mut self, items: &[Held]) {
        for held in items.iter().filter(|held| !held.text.is_empty()) {
            self.out.push(Plain::Decided { message: held.message.clone(), answer: false });
        }
    }

    /// The response died: what was held stays with the operator, marked as no answer.
    pub(super) fn died(&mut self, fault: Fault) -> Decision {
        self.thinking_ended();
        self.message_ended(Role::Assistant);
        let items = std::mem::take(&mut self.items);
        self.void(&items);
        self.calls.take();
        Decision::Dead(match fault {
            Fault::Reported | Fault::Cut => ErrorKind::UpstreamUnavailable,
            Fault::Malformed => ErrorKind::UpstreamMalformed,
        })
    }
}
