//! What a reader that joins without a cursor is sent before the tail.
//!
//! The protocol has no cursor, and a client appends every delta it is sent, also one that it has
//! already. So a joiner gets snapshots: RUN_STARTED, the state, all messages with the partial text of
//! what is still open, and then a START again for each open scope, after which the tail's deltas
//! append to where the snapshot ends.

mod item;
mod transcript;

use super::event::{Metadata, StateSnapshot};
use super::step::{Kind, Scope, Shown, Step, step};
use super::{run_started, withdrawn, working};
use crate::event::{Event, View};
use crate::input::Echo;
use crate::json;
use crate::wire::{Context, WHOLE_FRAME, Wire};
use crate::{Error, ErrorKind};
use item::{Item, Output};
use serde_json::{Map, Value};
use transcript::Transcript;

/// The most bytes of a run's own text that a prelude holds: 8 MiB.
const HELD: usize = 8 << 20;

/// The fold of a run's public events up to a cut, and its frames.
///
/// Holds at most 8 MiB of what the run said. Past that, the oldest finished reasoning is dropped; if
/// that does not help, [`Prelude::frames`] is an error, since half a transcript must not pass for a
/// whole one. The input's messages are as large as the request's own limit.
#[derive(Clone, Debug)]
pub struct Prelude {
    /// The input's messages as JSON, comma between them.
    input: String,
    state: Option<Value>,
    /// The text that is there and is no answer; a run has one at most.
    withdrawn: Option<String>,
    /// The activity that says that the run works on: its id and its content.
    working: Option<(String, Map<String, Value>)>,
    items: Vec<Item>,
    results: Vec<Output>,
    size: Size,
    overflow: bool,
}

/// What is held, and what of it stands in the snapshot's frame however long the texts are: in bytes.
#[derive(Clone, Copy, Debug, Default)]
struct Size {
    held: usize,
    fixed: usize,
}

impl Prelude {
    /// A prelude of a run that was given this input.
    pub fn new(echo: &Echo) -> Self {
        let messages = json::text(&echo.messages);
        let input = messages.strip_prefix('[').and_then(|list| list.strip_suffix(']')).unwrap_or_default().to_owned();
        Prelude {
            input,
            state: echo.state.clone(),
            withdrawn: None,
            working: None,
            items: Vec::new(),
            results: Vec::new(),
            size: Size::default(),
            overflow: false,
        }
    }

    /// Takes the next committed event, in order, up to the cut. What is not a customer's changes nothing.
    pub fn fold(&mut self, event: &Event) {
        if !View::Customer.sees(event.audience()) {
            return;
        }
        match step(event) {
            Step::Open(scope) => self.open(scope),
            Step::Say(kind, id, text) => self.say(kind, id, text),
            Step::Close(kind, id) => self.find(kind, id).into_iter().for_each(|item| item.open = false),
            Step::Withdraw(id) => self.withdrawn = Some(id.to_owned()),
            Step::Result(shown) => self.result(shown),
            Step::Working(message, step) => self.working = Some((message.to_owned(), working(step))),
            Step::State(snapshot) => self.state = Some(snapshot.clone()),
            Step::Begin | Step::Terminal(_) | Step::Nothing => {}
        }
    }

    /// The frames, without timestamps: they are no events of the run.
    ///
    /// # Errors
    /// [`ErrorKind::RecordTooNew`] for a profile of a newer serializer;
    /// [`ErrorKind::StreamInterrupted`] if the run said more than a prelude holds.
    pub fn frames(&self, cx: &Context<'_>) -> Result<Vec<String>, Error> {
        Wire::AgUi.check_version(cx.profile)?;
        if self.overflow {
            return Err(Error::new(ErrorKind::StreamInterrupted));
        }
        let mut frames = vec![run_started(cx).line()];
        if let Some(snapshot) = &self.state {
            frames.push(StateSnapshot::new(snapshot).line());
        }
        self.transcript().write(&mut frames);
        frames.extend(self.withdrawn.as_deref().map(|id| withdrawn(id, None)));
        crate::wire::check_sizes(frames.iter().map(String::len))?;
        Ok(frames)
    }

    fn transcript(&self) -> Transcript<'_> {
        let working = self.working.as_ref().map(|(id, content)| (id.as_str(), content as Metadata<'_>));
        Transcript::new(&self.input, working, &self.items, &self.results, self.room())
    }

    /// The bytes that the run's own messages may take in the snapshot's frame.
    fn room(&self) -> usize {
        let working = self.working.as_ref().map_or(0, |(id, _)| item::frame_size(&[id]));
        WHOLE_FRAME.saturating_sub(self.input.len() + working + transcript::ENVELOPE)
    }

    fn open(&mut self, scope: Scope<'_>) {
        let (kind, id) = scope.key();
        if let Some(item) = self.find(kind, id) {
            item.open = true;
            return;
        }
        let item = Item::new(scope);
        if self.make_room(Size { held: item.size(), fixed: item.frame_size() }) {
            self.items.push(item);
        }
    }

    fn say(&mut self, kind: Kind, id: &str, text: &str) {
        if self.make_room(Size { held: text.len(), fixed: 0 })
            && let Some(item) = self.find(kind, id)
        {
            item.text.push_str(text);
        }
    }

    fn result(&mut self, shown: Shown<'_>) {
        let result = Output::new(shown);
        if self.make_room(Size { held: result.size(), fixed: 0 }) {
            self.results.push(result);
        }
    }

    /// The item, searched from the newest: what goes on is nearly always the last.
    fn find(&mut self, kind: Kind, id: &str) -> Option<&mut Item> {
        self.items.iter_mut().rev().find(|item| item.kind == kind && item.id == id)
    }

    /// Counts what is about to be held. Drops finished reasoning down to half of the bounds, so that
    /// dropping costs little however long the run goes on.
    fn make_room(&mut self, more: Size) -> bool {
        self.size.held += more.held;
        self.size.fixed += more.fixed;
        if self.is_full() && !self.overflow {
            let mut held = self.size.held.saturating_sub(HELD / 2);
            let mut fixed = self.size.fixed.saturating_sub(self.room() / 2);
            let mut size = self.size;
            self.items.retain(|item| {
                let drop = (held > 0 || fixed > 0) && item.kind == Kind::Reasoning && !item.open;
                if drop {
                    held = held.saturating_sub(item.size());
                    fixed = fixed.saturating_sub(item.frame_size());
                    size.held = size.held.saturating_sub(item.size());
                    size.fixed = size.fixed.saturating_sub(item.frame_size());
                }
                !drop
            });
            self.size = size;
        }
        self.overflow |= self.is_full();
        !self.overflow
    }

    fn is_full(&self) -> bool {
        self.size.held > HELD || self.size.fixed > self.room()
    }
}
