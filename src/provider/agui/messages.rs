//! The text messages of a response, one item after the other.

use super::fields::{Object, is_subagents, name, text, whole};
use crate::signal::{Fault, Phase, Role, Signal};
use std::collections::VecDeque;

/// The most messages that are open at once.
const MAX_OPEN: usize = 1024;
/// The most bytes of texts that wait for their turn.
const MAX_WAITING: usize = 1 << 20;

/// A message that has begun.
#[derive(Debug)]
struct Message {
    id: String,
    role: Role,
    /// What waits, and whether the message has ended behind it. Of the first nothing waits.
    text: String,
    ended: bool,
}

/// The messages that are open: the first is the item, those behind it wait until it has ended.
#[derive(Debug, Default)]
pub(super) struct Messages {
    open: VecDeque<Message>,
    waiting: usize,
    spoke: bool,
    /// The message that a chunk without an id goes on with.
    last: String,
}

impl Messages {
    /// True once the assistant has said anything, behind the tools that the agent ran if it ran any.
    pub(super) fn have_spoken(&self) -> bool {
        self.spoke
    }

    /// The agent has run a tool: what was said so far is narration.
    pub(super) fn answer_is_due(&mut self) {
        self.spoke = false;
    }

    pub(super) fn start(&mut self, event: &Object, out: &mut Vec<Signal>) -> Result<(), Fault> {
        let id = name(event, "messageId")?;
        // Whoever starts one anew means another.
        self.end(id, out);
        self.begin(id, event, out)
    }

    /// Takes a piece. A message that was not started begins with it; a chunk may leave its id out.
    pub(super) fn say(&mut self, event: &Object, out: &mut Vec<Signal>) -> Result<(), Fault> {
        let id = match text(event, "messageId") {
            Some(_) => name(event, "messageId")?.to_owned(),
            None => self.last.clone(),
        };
        if !self.open.iter().any(|message| message.id == id && !message.ended) {
            // One chunk goes on until a chunk of another message comes.
            if text(event, "type") == Some("TEXT_MESSAGE_CHUNK") {
                let before = std::mem::take(&mut self.last);
                self.end(&before, out);
            }
            self.begin(&id, event, out)?;
        }
        let Some(delta) = text(event, "delta").filter(|delta| !delta.is_empty()) else { return Ok(()) };
        let first = self.open.front().is_some_and(|message| message.id == id && !message.ended);
        let Some(message) = self.open.iter_mut().find(|message| message.id == id && !message.ended) else {
            return Ok(());
        };
        self.spoke |= message.role == Role::Assistant;
        if first {
            out.push(Signal::Text(delta.to_owned()));
            return Ok(());
        }
        self.waiting += delta.len();
        message.text.push_str(delta);
        if self.waiting > MAX_WAITING { Err(Fault::Malformed) } else { Ok(()) }
    }

    pub(super) fn end(&mut self, id: &str, out: &mut Vec<Signal>) {
        let Some(message) = self.open.iter_mut().find(|message| message.id == id && !message.ended) else { return };
        message.ended = true;
        self.settle(out);
    }

    /// The run is over, and with it every message.
    pub(super) fn close(&mut self, out: &mut Vec<Signal>) {
        self.open.iter_mut().for_each(|message| message.ended = true);
        self.settle(out);
    }

    /// A message that came whole.
    pub(super) fn whole(&mut self, text: &str, out: &mut Vec<Signal>) {
        if !text.is_empty() {
            out.push(Signal::ItemStart { role: Role::Assistant, phase: Phase::Unmarked });
            out.push(Signal::Text(text.to_owned()));
            out.push(Signal::ItemEnd { text: None });
        }
    }

    fn begin(&mut self, id: &str, event: &Object, out: &mut Vec<Signal>) -> Result<(), Fault> {
        if self.open.len() >= MAX_OPEN {
            return Err(Fault::Malformed);
        }
        let assistant = matches!(text(event, "role"), None | Some("assistant")) && !is_subagents(event);
        let role = if assistant { Role::Assistant } else { Role::Other };
        if self.open.is_empty() {
            out.push(Signal::ItemStart { role, phase: Phase::Unmarked });
        }
        self.last = id.to_owned();
        self.open.push_back(Message { id: id.to_owned(), role, text: String::new(), ended: false });
        Ok(())
    }

    /// Ends what has ended, and says what has waited for that.
    fn settle(&mut self, out: &mut Vec<Signal>) {
        while self.open.front().is_some_and(|message| message.ended) {
            self.open.pop_front();
            out.push(Signal::ItemEnd { text: None });
            let Some(next) = self.open.front_mut() else { return };
            out.push(Signal::ItemStart { role: next.role, phase: Phase::Unmarked });
            let text = std::mem::take(&mut next.text);
            self.waiting = self.waiting.saturating_sub(text.len());
            if !text.is_empty() {
                out.push(Signal::Text(whole(text)));
            }
        }
    }
}
