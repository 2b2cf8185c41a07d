//! The holding half: text gathers in the message item that it belongs to.

use super::cuts::Cut;
use super::held::Held;
use super::{Decision, MAX_ITEMS, TurnOutput};
use crate::error::ErrorKind;
use crate::event::{PIECE, Plain, goes_on, parts, pieces};
use crate::signal::{Phase, Role};

impl TurnOutput {
    pub(super) fn item_started(&mut self, role: Role, phase: Phase, refusal: bool) -> Option<Decision> {
        self.thinking_ended();
        self.message_ended(Role::Assistant);
        self.open = Some(role);
        self.continued = None;
        if role != Role::Assistant {
            return None;
        }
        // An item of which nothing came is none.
        self.items.pop_if(|last| !last.came);
        if self.items.len() >= MAX_ITEMS {
            return Some(Decision::Dead(ErrorKind::OutputLimit));
        }
        self.messages += 1;
        self.raw_before_item = self.raw.len();
        self.cuts.begin(self.raw.len());
        let message = format!("{}-m{}", self.tag, self.messages);
        if phase == Phase::FinalAnswer && self.calls.is_empty() {
            self.live.begin(&message);
        }
        self.items.push(Held { message, phase, refusal, ..Held::default() });
        None
    }

    pub(super) fn said(&mut self, text: &str, refusal: bool, pieces: Option<Vec<usize>>) -> Option<Decision> {
        if text.is_empty() || self.open == Some(Role::Other) {
            return None;
        }
        self.thinking_ended();
        let open = self.items.last().filter(|_| self.open.is_some()).map(|held| (held.phase, held.refusal));
        if open.is_none_or(|(_, kind)| kind != refusal) {
            let phase = open.map(|(phase, _)| phase).or(self.continued).unwrap_or_default();
            if let Some(end) = self.item_started(Role::Assistant, phase, refusal) {
                return Some(end);
            }
        }
        self.spoke = true;
        if self.raw.len() + text.len() > self.max_text {
            return Some(Decision::Dead(ErrorKind::OutputLimit));
        }
        if self.joining == Some(true) {
            self.cuts.come(self.raw.len(), text, pieces);
        }
        self.raw.push_str(text);
        self.push(text);
        // What stands in the place of what was removed may be longer.
        let is_over = self.items.last().is_some_and(|held| held.text.len() > self.max_text);
        is_over.then_some(Decision::Dead(ErrorKind::OutputLimit))
    }

    pub(super) fn item_ended(&mut self, whole: Option<String>) -> Option<Decision> {
        let is_open = self.open == Some(Role::Assistant) || self.continued.is_some();
        let nothing_came = is_open && self.items.last().is_some_and(|held| !held.came);
        let end = match whole {
            Some(text) if nothing_came => self.said(&text, false, None),
            _ => None,
        };
        match self.open {
            Some(Role::Assistant) => self.message_ended(Role::Assistant),
            _ => self.open = None,
        }
        self.continued = None;
        end
    }

    /// Text before a tool that the provider ran is narration, unless it is all that was said. The item
    /// goes on behind it as what it was marked.
    pub(super) fn provider_tool(&mut self) {
        self.thinking_ended();
        if self.open == Some(Role::Assistant) {
            self.continued = self.items.last().map(|held| held.phase);
            self.message_ended(Role::Assistant);
        }
        for held in &mut self.items {
            held.phase = Phase::Commentary;
        }
    }

    pub(super) fn hold(&mut self, slice: String) {
        let held = self.items.last_mut().filter(|_| self.open == Some(Role::Assistant) && !slice.is_empty());
        let Some(held) = held else { return };
        if held.text.is_empty() {
            self.out.push(Plain::IntermediateStart { message: held.message.clone() });
        }
        held.text.push_str(&slice);
        let apart = self.joining == Some(true);
        let cut = if apart { self.cuts.leave(&self.raw, &slice) } else { Cut::default() };
        for part in parts(&slice, &cut.at) {
            self.live.say(&held.message, part, held.refusal);
        }
        if let (Some(_), Some(Plain::IntermediateDelta { message, delta, cuts })) = (self.joining, self.out.last_mut())
            && *message == held.message
            && goes_on(delta, Some(cuts).filter(|_| apart), &slice, &cut.at, cut.goes_on)
        {
            return;
        }
        let delta = |delta, cuts| Plain::IntermediateDelta { message: held.message.clone(), delta, cuts };
        match slice.len() <= PIECE {
            true => self.out.push(delta(slice, cut.at)),
            false => self.out.extend(pieces(&slice, PIECE).map(|piece| delta(piece.to_owned(), Vec::new()))),
        }
    }
}
