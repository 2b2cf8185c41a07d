//! How items become signals: one message is open at a time, and what can't be told yet waits.

use super::item::{Item, Kind, Telling};
use super::items::{Done, Items};
use crate::json::{self, read};
use crate::signal::{Fault, Phase, Signal};
use serde_json::Value;

/// The most bytes of what waits.
const MAX_WAITING: usize = 1 << 20;

impl Items {
    /// Tells of an item what can be told by now.
    pub(super) fn advance(&mut self, at: usize, out: &mut Vec<Signal>) -> Done {
        let Some(item) = self.items.get(at).filter(|item| !item.told) else { return Ok(()) };
        match item.kind {
            Kind::Message if self.open.is_none() => {
                self.begin(at, out);
                Ok(())
            }
            Kind::Tool if self.open.and_then(|open| self.items.get(open)).is_none_or(|open| item.key < open.key) => {
                self.run(at, out);
                Ok(())
            }
            Kind::Call | Kind::Custom if !item.name.is_empty() => self.call(at, out),
            _ => Ok(()),
        }
    }

    /// Opens a message. One whose place is before a message that was told can't be the last.
    fn begin(&mut self, at: usize, out: &mut Vec<Signal>) {
        let Some(item) = self.items.get(at) else { return };
        let rank = |phase: Phase| {
            [Phase::Commentary, Phase::Unmarked, Phase::FinalAnswer].iter().position(|one| *one == phase)
        };
        let behind = |other: &Item| {
            other.kind == Kind::Message
                && other.told
                && other.has_spoken()
                && other.key > item.key
                && rank(other.phase) >= rank(item.phase)
        };
        let late = self.any(behind);
        let Some(item) = self.items.get_mut(at) else { return };
        if late {
            item.phase = Phase::Commentary;
        }
        item.told = true;
        out.push(Signal::ItemStart { role: item.role, phase: item.phase });
        out.extend(item.waiting.drain(..).map(mended));
        self.thought = None;
        self.open = Some(at);
    }

    /// The provider ran a tool: narration is what stands before it, so it is nothing behind a later message.
    fn run(&mut self, at: usize, out: &mut Vec<Signal>) {
        let Some(key) = self.items.get(at).map(|item| item.key) else { return };
        let late = self.any(|item| item.kind == Kind::Message && item.told && item.key > key);
        let Some(item) = self.items.get_mut(at) else { return };
        item.told = true;
        if !late {
            out.push(Signal::ProviderTool { name: item.name.clone() });
            self.thought = None;
        }
    }

    /// Begins a call, with the arguments that have waited.
    pub(super) fn call(&mut self, at: usize, out: &mut Vec<Signal>) -> Done {
        let call = self.calls as u32;
        let Some(item) = self.items.get_mut(at) else { return Ok(()) };
        let id = if item.call_id.is_empty() { &item.id } else { &item.call_id };
        (item.told, item.call) = (true, call);
        self.calls += 1;
        self.thought = None;
        out.push(Signal::CallStart { index: call, id: id.clone(), name: item.name.clone() });
        if item.kind == Kind::Custom {
            out.push(Signal::CallArgs { index: call, delta: "{\"input\":\"".to_owned() });
        }
        for signal in item.waiting.drain(..) {
            out.push(match mended(signal) {
                Signal::CallArgs { delta, .. } => Signal::CallArgs { index: call, delta },
                other => other,
            });
        }
        Ok(())
    }

    /// Ends the open message and tells what has waited for that, in order, until another is open.
    pub(super) fn close(&mut self, out: &mut Vec<Signal>) -> Done {
        loop {
            if let Some(at) = self.open.take() {
                out.push(Signal::ItemEnd { text: None });
                debug_assert!(self.items.get(at).is_some_and(|item| item.done));
            }
            let waits = |item: &&Item| matches!(item.kind, Kind::Message | Kind::Tool) && !item.told;
            let Some((_, next)) = self.items.iter().filter(waits).map(|item| item.key).min() else { return Ok(()) };
            self.advance(next, out)?;
            if self.items.get(next).is_some_and(|item| item.kind == Kind::Message && !item.done) {
                return Ok(());
            }
        }
    }

    pub(super) fn say(&mut self, at: usize, part: u64, signal: Signal, out: &mut Vec<Signal>) -> Done {
        self.advance(at, out)?;
        let is_open = self.open == Some(at);
        let Some(item) = self.items.get_mut(at) else { return Ok(()) };
        item.speaks(part)?;
        if is_open {
            self.thought = None;
            out.push(signal);
            return Ok(());
        }
        self.wait(at, signal)
    }

    pub(super) fn think(&mut self, at: usize, of: Telling, part: u64, text: &str, out: &mut Vec<Signal>) -> Done {
        let Some(item) = self.items.get_mut(at).filter(|_| !text.is_empty()) else { return Ok(()) };
        if *item.telling.get_or_insert(of) != of {
            return Ok(());
        }
        item.speaks(part)?;
        let gap = if self.thought.is_some_and(|before| before != (at, part)) { "\n\n" } else { "" };
        self.thought = Some((at, part));
        out.push(Signal::Reasoning(format!("{gap}{text}")));
        Ok(())
    }

    pub(super) fn argue(&mut self, at: usize, text: &str, out: &mut Vec<Signal>) -> Done {
        let Some(item) = self.items.get_mut(at).filter(|_| !text.is_empty()) else { return Ok(()) };
        item.speaks(0)?;
        let delta = match item.kind {
            Kind::Custom => {
                let quoted = json::text(&text);
                quoted.get(1..quoted.len() - 1).unwrap_or_default().to_owned()
            }
            _ => text.to_owned(),
        };
        let signal = Signal::CallArgs { index: item.call, delta };
        if item.told {
            out.push(signal);
            return Ok(());
        }
        self.wait(at, signal)
    }

    /// What waits is told with another event, so the halves of characters in it are put together here.
    fn wait(&mut self, at: usize, signal: Signal) -> Done {
        let Some(item) = self.items.get_mut(at) else { return Ok(()) };
        self.waiting += match (item.waiting.last_mut(), &signal) {
            (Some(Signal::Text(all)), Signal::Text(more))
            | (Some(Signal::Refusal(all)), Signal::Refusal(more))
            | (Some(Signal::CallArgs { delta: all, .. }), Signal::CallArgs { delta: more, .. }) => {
                all.push_str(more);
                more.len()
            }
            (_, Signal::Text(text) | Signal::Refusal(text) | Signal::CallArgs { delta: text, .. }) => {
                let size = text.len();
                item.waiting.push(signal);
                size
            }
            _ => 0,
        };
        if self.waiting > MAX_WAITING { Err(Fault::Malformed) } else { Ok(()) }
    }
}

/// The text of what has waited, with its halves of characters put together.
fn mended(signal: Signal) -> Signal {
    let text = |text: String| match read::mended(Value::String(text)) {
        Value::String(text) => text,
        other => json::text(&other),
    };
    match signal {
        Signal::Text(said) => Signal::Text(text(said)),
        Signal::Refusal(said) => Signal::Refusal(text(said)),
        Signal::CallArgs { index, delta } => Signal::CallArgs { index, delta: text(delta) },
        other => other,
    }
}
