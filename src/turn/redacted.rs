//! What goes through the redactor whole, and what becomes of a turn whose filter blocks.

use super::{MAX_ARGUMENTS, MAX_STATE, TurnOutput};
use crate::error::{Error, ErrorKind};
use crate::event::Plain;
use crate::input::Call;
use crate::json;
use crate::redact::{self, Channel};
use crate::signal::Role;
use serde_json::Value;

impl TurnOutput {
    /// What replaces the answer, redacted.
    pub(super) fn replacing(&self, text: &str) -> Result<String, Error> {
        let redacted = self.redactor.whole(Channel::Text, text);
        match () {
            () if text.len().max(redacted.text.len()) > self.max_text => Err(ErrorKind::OutputLimit.into()),
            () if redacted.blocked => Err(ErrorKind::OutputBlocked.into()),
            () => Ok(redacted.text),
        }
    }

    /// A call as the client is handed it, redacted. Its name is that of a tool of the client's own.
    pub(super) fn handed(&self, call: Call) -> Result<Call, Error> {
        let arguments = self.redactor.arguments(Channel::ClientArguments, &call.arguments);
        let name = self.redactor.whole(Channel::ClientArguments, &call.name);
        match () {
            () if arguments.blocked || name.blocked => Err(ErrorKind::OutputBlocked.into()),
            () if arguments.text.len() > MAX_ARGUMENTS => Err(ErrorKind::OutputLimit.into()),
            () => Ok(Call { id: call.id, name: name.text, arguments: arguments.text }),
        }
    }

    /// Writes the host's state.
    pub(super) fn state(&mut self, snapshot: Value) -> Result<(), ErrorKind> {
        let snapshot = redact::value(&*self.redactor, Channel::State, snapshot);
        if json::text(&snapshot).len() > MAX_STATE {
            return Err(ErrorKind::OutputLimit);
        }
        self.out.push(Plain::State { snapshot });
        Ok(())
    }

    /// Asks the filter whether it blocks the open message, which then does not stream any more either.
    pub(super) fn note_blocked(&mut self) {
        let blocked = self.filter.blocked();
        if let Some(held) = self.items.last_mut().filter(|_| blocked && self.open == Some(Role::Assistant)) {
            held.blocked = true;
            self.live.withdraw_item(&held.message);
        }
    }

    /// A name that somebody else goes by.
    pub(super) fn name(&self, name: &str) -> String {
        self.redactor.whole(Channel::Name, name).text
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use crate::redact::{Filter, PassThrough, Redactor};
    use crate::signal::Signal;
    use crate::turn::Decision;
    use std::rc::Rc;

    /// Makes each `x` a thousand.
    struct Long;

    impl Filter for Long {
        fn push(&mut self, text: &str) -> String {
            text.replace('x', &"y".repeat(1_000))
        }

        fn flush(&mut self) -> String {
            String::new()
        }

        fn reset(&mut self) {}
    }

    impl Redactor for Long {
        fn filter(&self, channel: Channel) -> Box<dyn Filter> {
            if channel == Channel::Name { Box::new(PassThrough) } else { Box::new(Long) }
        }
    }

    #[test]
    fn what_stands_in_the_place_of_what_was_removed_counts_too() {
        let mut turn = TurnOutput::new("r", Rc::new(Long), &[]);
        for (length, over) in [(MAX_STATE / 1_000 - 1, None), (MAX_STATE / 1_000 + 1, Some(ErrorKind::OutputLimit))] {
            let state = turn.signal(Signal::State("x".repeat(length).into()));
            assert_eq!(state, over.map(Decision::Dead));
            let text = "x".repeat(length / 2);
            let decision = turn.signal(Signal::Text(text.clone()));
            assert_eq!(decision, over.map(Decision::Dead));
            turn.attempt_reset();
            let calls = vec![Call { id: "c".into(), name: "send".into(), arguments: format!("\"{text}\"") }];
            let handed = TurnOutput::new("r", Rc::new(Long), &[]).hand_over(calls);
            assert_eq!(handed.err().map(|error| error.kind()), over);
        }
    }
}
