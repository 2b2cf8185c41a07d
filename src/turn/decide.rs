//! The deciding half: what a response came to, once it has ended.

use super::held::Held;
use super::{Candidate, Decision, Said, TurnOutput};
use crate::error::ErrorKind;
use crate::event::Plain;
use crate::input::Call;
use crate::signal::{Fault, Role, Stop};
use crate::stored::parse;

impl TurnOutput {
    pub(super) fn decide(&mut self, stop: Stop, items: Vec<Held>, said: Said) -> Decision {
        if stop == Stop::ContentFilter {
            return self.void(&items, ErrorKind::ContentFilter);
        }
        if stop == Stop::Length && is_cut(&said.calls) {
            return self.void(&items, ErrorKind::OutputLimit);
        }
        if stop == Stop::Pause || !said.calls.is_empty() {
            self.last_intermediate = Some(items.last().map(|held| held.text.clone()).unwrap_or_default());
            self.decided(items, None);
            return if said.calls.is_empty() { Decision::Continue(said) } else { Decision::Calls(said) };
        }
        if self.is_no_answer(stop) {
            return self.void(&items, ErrorKind::OutputLimit);
        }
        let ranked = items.iter().enumerate().filter_map(|(at, held)| Some((at, held.rank()?)));
        let chosen = ranked.max_by_key(|(_, rank)| *rank);
        if chosen.is_some_and(|(at, _)| items.get(at).is_some_and(|held| held.blocked)) {
            return self.void(&items, ErrorKind::OutputBlocked);
        }
        let fallback = chosen.is_some_and(|(_, rank)| rank.is_commentary());
        let held = self.decided(items, chosen.map(|(at, _)| at)).unwrap_or_default();
        self.candidate = Some(Candidate { held, truncated: stop == Stop::Length, fallback });
        Decision::Candidate
    }

    /// True if a response that ends so holds no answer, whatever it said.
    pub(super) fn is_no_answer(&self, stop: Stop) -> bool {
        match stop {
            Stop::Complete => false,
            Stop::Length => self.rule.withhold_truncated,
            Stop::ContentFilter | Stop::Pause => true,
        }
    }

    /// The response died: what was held stays with the operator, marked as no answer. What the filters hold
    /// back may be half of something, and goes nowhere.
    pub(super) fn died(&mut self, fault: Fault) -> Decision {
        self.live.withdraw();
        self.thinking.reset(&mut self.out);
        self.filter.reset();
        self.message_ended(Role::Assistant);
        self.calls.take();
        let items = std::mem::take(&mut self.items);
        self.void(
            &items,
            match fault {
                Fault::Reported | Fault::Cut => ErrorKind::UpstreamUnavailable,
                Fault::Malformed => ErrorKind::UpstreamMalformed,
            },
        )
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
        self.live.keep(answer.as_ref().map(|held| held.message.as_str()));
        answer
    }

    /// Says that held messages came to nothing. They are not even narration: nobody but the operator
    /// ever reads them.
    fn void(&mut self, items: &[Held], kind: ErrorKind) -> Decision {
        for held in items.iter().filter(|held| !held.text.is_empty()) {
            self.out.push(Plain::Decided { message: held.message.clone(), answer: false });
        }
        self.live.withdraw();
        Decision::Dead(kind)
    }
}

/// True if the output limit has cut a call's arguments: nobody can run it, and the model has not said
/// what it wanted. Without any arguments only the last call can be cut; any other has none.
fn is_cut(calls: &[Call]) -> bool {
    let ends_cut = calls.last().is_some_and(|call| call.arguments.is_empty());
    ends_cut || calls.iter().any(|call| !call.arguments.is_empty() && parse(call.arguments.as_bytes()).is_none())
}
