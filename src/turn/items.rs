//! The holding half: text gathers in the message item that it belongs to.

use super::held::Held;
use super::{Decision, MAX_TEXT, TurnOutput};
use crate::error::ErrorKind;
use crate::event::{PIECE, Plain, pieces};
use crate::signal::{Phase, Role};

impl TurnOutput {
    pub(super) fn item_started(&mut self, role: Role, phase: Phase, refusal: bool) {
        self.thinking_ended();
        self.message_ended(Role::Assistant);
        self.open = Some(role);
        if role == Role::Assistant {
            self.messages += 1;
            let message = format!("{}-m{}", self.tag, self.messages);
            self.items.push(Held { message, text: String::new(), phase, refusal });
        }
    }

    pub(super) fn said(&mut self, text: &str, refusal: bool) -> Option<Decision> {
        if text.is_empty() || self.open == Some(Role::Other) {
            return None;
        }
        self.thinking_ended();
        let phase = self.items.last().filter(|_| self.open.is_some()).map(|held| held.phase);
        if self.items.last().is_some_and(|held| self.open.is_some() && held.refusal != refusal) || phase.is_none() {
            self.item_started(Role::Assistant, phase.unwrap_or_default(), refusal);
        }
        self.spoke = true;
        if self.raw.len() + text.len() > MAX_TEXT {
            return Some(Decision::Dead(ErrorKind::OutputLimit));
        }
        self.raw.push_str(text);
        self.push(text);
        None
    }

    pub(super) fn item_ended(&mut self, whole: Option<String>) -> Option<Decision> {
        let nothing_came = self.open == Some(Role::Assistant) && self.items.last().is_some_and(|h| h.text.is_empty());
        let end = match whole {
            Some(text) if nothing_came => self.said(&text, false),
            _ => None,
        };
        match self.open {
            Some(Role::Assistant) => self.message_ended(Role::Assistant),
            _ => self.open = None,
        }
        end
    }

    /// Text before a tool that the provider ran is narration, unless it is all that was said.
    pub(super) fn provider_tool(&mut self) {
        self.thinking_ended();
        self.message_ended(Role::Assistant);
        for held in &mut self.items {
            held.phase = Phase::Commentary;
        }
    }

    pub(super) fn hold(&mut self, slice: &str) {
        let held = self.items.last_mut().filter(|_| self.open == Some(Role::Assistant) && !slice.is_empty());
        let Some(held) = held else { return };
        let message = held.message.clone();
        if held.text.is_empty() {
            self.out.push(Plain::IntermediateStart { message: message.clone() });
        }
        held.text.push_str(slice);
        for delta in pieces(slice, PIECE) {
            self.out.push(Plain::IntermediateDelta { message: message.clone(), delta: delta.to_owned() });
        }
    }
}
