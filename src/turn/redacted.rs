//! What goes through the redactor whole, and what becomes of a turn whose filter blocks.

use super::TurnOutput;
use crate::error::{Error, ErrorKind};
use crate::input::Call;
use crate::redact::Channel;
use crate::signal::Role;

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
        match arguments.blocked || name.blocked {
            true => Err(ErrorKind::OutputBlocked.into()),
            false => Ok(Call { id: call.id, name: name.text, arguments: arguments.text }),
        }
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
