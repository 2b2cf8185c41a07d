//! The items of a response, in an order in which one message is open at a time.

use super::fields::{Object, number, objects, text_of};
use super::item::{self, Item, Kind, Telling};
use super::kept::Kept;
use crate::signal::{Fault, Signal};

/// The most items of one response.
const MAX_ITEMS: usize = 1024;

/// The most calls of one response.
const MAX_CALLS: usize = 128;

/// The items of one response so far.
#[derive(Debug, Default)]
pub(super) struct Items {
    pub(super) items: Vec<Item>,
    /// The message that is open among the signals.
    pub(super) open: Option<usize>,
    pub(super) calls: usize,
    /// The item and the part whose reasoning came last, if nothing else did since.
    pub(super) thought: Option<(usize, u64)>,
    pub(super) waiting: usize,
    pub(super) kept: Kept,
}

pub(super) type Done = Result<(), Fault>;

impl Items {
    /// An item begins.
    pub(super) fn added(&mut self, event: &Object, object: &Object, out: &mut Vec<Signal>) -> Done {
        let Some(kind) = Kind::of(object)? else { return Ok(()) };
        let at = match self.position(event, object, Some(kind)) {
            Some(at) => at,
            None => self.push(event, kind)?,
        };
        let Some(item) = self.items.get_mut(at) else { return Ok(()) };
        item.learn(object)?;
        self.advance(at, out)
    }

    /// An item has ended, and this is the whole of it.
    pub(super) fn done(&mut self, event: &Object, object: &Object, out: &mut Vec<Signal>) -> Done {
        self.kept.take(number(event, "output_index"), object);
        self.ended(event, object, out)
    }

    fn ended(&mut self, event: &Object, object: &Object, out: &mut Vec<Signal>) -> Done {
        let Some(kind) = Kind::of(object)? else { return Ok(()) };
        let ended = self.find(event, object, |item| item.kind == kind);
        if ended.and_then(|at| self.items.get(at)).is_some_and(|item| item.done) {
            return Ok(());
        }
        self.added(event, object, out)?;
        let Some(at) = self.position(event, object, Some(kind)) else { return Ok(()) };
        self.whole(at, kind, object, out)?;
        if let Some(item) = self.items.get_mut(at) {
            item.done = true;
        }
        self.advance(at, out)?;
        if self.open == Some(at) {
            self.close(out)?;
        }
        Ok(())
    }

    /// What the whole item says that has not come in pieces.
    fn whole(&mut self, at: usize, kind: Kind, object: &Object, out: &mut Vec<Signal>) -> Done {
        if self.items.get(at).is_none_or(Item::has_spoken) {
            return Ok(());
        }
        match kind {
            Kind::Message => {
                let text = text_of(object, "content");
                if !text.is_empty() {
                    return self.say(at, 0, Signal::Text(text.to_owned()), out);
                }
                for (part, signal) in (0..).zip(objects(object, "content").filter_map(item::content)) {
                    self.say(at, part, signal, out)?;
                }
                Ok(())
            }
            Kind::Reasoning => {
                for (field, telling) in [("summary", Telling::Summary), ("content", Telling::Itself)] {
                    for (part, object) in (0..).zip(objects(object, field)) {
                        self.think(at, telling, part, text_of(object, "text"), out)?;
                    }
                }
                Ok(())
            }
            Kind::Call => self.argue(at, &item::arguments(object, "arguments"), out),
            Kind::Custom => self.argue(at, &item::arguments(object, "input"), out),
            Kind::Tool => Ok(()),
        }
    }

    /// A piece of a message, or a part of it whole, which counts only if no piece of it came.
    pub(super) fn text(&mut self, event: &Object, signal: Signal, whole: bool, out: &mut Vec<Signal>) -> Done {
        let Some(at) = self.at(event, Kind::Message)? else { return Ok(()) };
        let part = number(event, "content_index").unwrap_or_default();
        if whole && self.items.get(at).is_some_and(|item| item.has_part(part)) {
            return Ok(());
        }
        self.say(at, part, signal, out)
    }

    /// A piece of reasoning, or a part of it whole.
    pub(super) fn reasoning(&mut self, event: &Object, field: &str, of: Telling, out: &mut Vec<Signal>) -> Done {
        let Some(text) = item::piece(event.get(field))? else { return Ok(()) };
        let Some(at) = self.at(event, Kind::Reasoning)? else { return Ok(()) };
        let index = if of == Telling::Summary { "summary_index" } else { "content_index" };
        let part = number(event, index).unwrap_or_default();
        let whole = field != "delta";
        if whole && self.items.get(at).is_some_and(|item| item.has_part(part)) {
            return Ok(());
        }
        self.think(at, of, part, text, out)
    }

    /// A piece of a call's arguments or input, or all of them, which count only if no piece came.
    pub(super) fn arguments(&mut self, event: &Object, field: &str, kind: Kind, out: &mut Vec<Signal>) -> Done {
        let Some(at) = self.at(event, kind)? else { return Ok(()) };
        if field == "delta" {
            let text = item::piece(event.get(field))?.unwrap_or_default();
            return self.argue(at, text, out);
        }
        let Some(item) = self.items.get_mut(at) else { return Ok(()) };
        item.learn(event)?;
        let came = item.has_spoken();
        self.advance(at, out)?;
        if came { Ok(()) } else { self.argue(at, &item::arguments(event, field), out) }
    }

    /// A tool of the provider's is at work, of which an event speaks by that name.
    pub(super) fn tool(&mut self, event: &Object, name: &str, out: &mut Vec<Signal>) -> Done {
        let Some(at) = self.at(event, Kind::Tool)? else { return Ok(()) };
        if let Some(item) = self.items.get_mut(at).filter(|item| item.name.is_empty()) {
            name.clone_into(&mut item.name);
        }
        self.advance(at, out)
    }

    /// Takes from the response's own list what the stream has left out: all if it had nothing, calls that it had
    /// not, and messages if it had no text at all.
    pub(super) fn fill(&mut self, response: &Object, out: &mut Vec<Signal>) -> Done {
        let (nothing, texts) =
            (self.items.is_empty(), self.any(|item| item.kind == Kind::Message && item.has_spoken()));
        let is_call = |object: &&Object| matches!(Kind::of(object), Ok(Some(kind)) if kind.is_call());
        let missing = objects(response, "output").filter(is_call).count() > self.calls;
        for (index, object) in (0_u64..).zip(objects(response, "output")) {
            let wanted = match Kind::of(object)? {
                Some(Kind::Message) => nothing || !texts,
                Some(Kind::Call | Kind::Custom) => missing && !self.has_call(index, text_of(object, "call_id")),
                _ => nothing,
            };
            if wanted {
                let mut event = Object::new();
                event.insert("output_index".to_owned(), index.into());
                self.ended(&event, object, out)?;
            }
        }
        Ok(())
    }

    /// True if anything was called.
    pub(super) fn has_calls(&self) -> bool {
        self.calls > 0
    }

    /// Ends the open message, tells all that waits, and ends the calls.
    pub(super) fn end(&mut self, out: &mut Vec<Signal>) -> Done {
        for item in &mut self.items {
            item.done = true;
        }
        self.close(out)?;
        for at in 0..self.items.len() {
            if self.items.get(at).is_some_and(|item| item.kind.is_call() && !item.told) {
                self.call(at, out)?;
            }
        }
        for (kind, call) in self.items.iter().filter(|item| item.told).map(|item| (item.kind, item.call)) {
            if kind == Kind::Custom {
                out.push(Signal::CallArgs { index: call, delta: "\"}".to_owned() });
            }
            if kind.is_call() {
                out.push(Signal::CallEnd { index: call });
            }
        }
        Ok(())
    }

    pub(super) fn any(&self, test: impl FnMut(&Item) -> bool) -> bool {
        self.items.iter().any(test)
    }

    fn has_call(&self, index: u64, id: &str) -> bool {
        let known = |item: &Item| !id.is_empty() && item.call_id == id || item.key.0 == index;
        self.any(|item| item.kind.is_call() && item.told && known(item))
    }

    /// The item that a piece belongs to, begun here if nothing said so; none if it has ended.
    fn at(&mut self, event: &Object, kind: Kind) -> Result<Option<usize>, Fault> {
        let nameless = Object::new();
        match self.find(event, &nameless, |item| item.kind == kind) {
            Some(at) if self.items.get(at).is_some_and(|item| item.done) => Ok(None),
            Some(at) => Ok(Some(at)),
            None => {
                let at = self.push(event, kind)?;
                let id = text_of(event, "item_id");
                if let Some(item) = self.items.get_mut(at).filter(|_| id.len() <= item::MAX_NAME) {
                    id.clone_into(&mut item.id);
                }
                Ok(Some(at))
            }
        }
    }

    /// The item that an object belongs to, unless it has ended: then it is another.
    fn position(&self, event: &Object, object: &Object, kind: Option<Kind>) -> Option<usize> {
        let at = self.find(event, object, |_| true)?;
        self.items.get(at).filter(|item| Some(item.kind) == kind && !item.done).map(|_| at)
    }

    /// The last item of that index; without an index that of the same id, else the last of its kind.
    fn find(&self, event: &Object, object: &Object, test: impl Fn(&Item) -> bool) -> Option<usize> {
        if let Some(index) = number(event, "output_index") {
            return self.items.iter().rposition(|item| item.key.0 == index && test(item));
        }
        let ids = [text_of(event, "item_id"), text_of(object, "id")];
        let same = |item: &Item| !item.id.is_empty() && ids.contains(&item.id.as_str()) && test(item);
        let last = || self.items.iter().rposition(|item| test(item) && !item.done).filter(|_| object.is_empty());
        self.items.iter().rposition(same).or_else(last)
    }

    fn push(&mut self, event: &Object, kind: Kind) -> Result<usize, Fault> {
        let at = self.items.len();
        if at >= MAX_ITEMS
            || kind.is_call() && self.items.iter().filter(|item| item.kind.is_call()).count() >= MAX_CALLS
        {
            return Err(Fault::Malformed);
        }
        let next = self.items.iter().map(|item| item.key.0).max().map_or(0, |last| last.saturating_add(1));
        self.items.push(Item::new((number(event, "output_index").unwrap_or(next), at), kind));
        Ok(at)
    }
}
