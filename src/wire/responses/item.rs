//! The items of a Response's output. An item's position is its `output_index`, and part of its id.

use crate::json::{Json, Object, Raw};
use crate::wire::output::{self, Output};

/// The most bytes of reasoning that a Response object repeats: 1 MiB. An item past it has an empty summary there; its
/// text was streamed.
const REASONING: usize = 1 << 20;

/// One item.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Item {
    /// The id that the run's events have for it; of a call, also the client's.
    pub(super) key: String,
    pub(super) kind: Kind,
    pub(super) text: String,
    pub(super) state: State,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    Reasoning,
    Message { refusal: bool },
    Call { name: String },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// More of it may come.
    Open,
    /// It is whole.
    Done,
    /// It is not whole, and what there is stands.
    Cut,
    /// It turned out to be none.
    Withdrawn,
}

/// The items, in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Items {
    pub(super) list: Vec<Item>,
    /// Bytes of reasoning that are kept.
    reasoned: usize,
}

impl Items {
    /// All items of an output, closed.
    pub(super) fn of(output: &Output) -> Self {
        let mut items = Items::default();
        for item in &output.items {
            let (kind, text, state) = match item {
                output::Item::Reasoning { text, .. } => (Kind::Reasoning, text, State::Done),
                output::Item::Answer { text, refusal, withdrawn, .. } => {
                    (Kind::Message { refusal: *refusal }, text, if *withdrawn { State::Withdrawn } else { State::Done })
                }
                output::Item::Call { name, arguments, .. } => {
                    (Kind::Call { name: name.clone() }, arguments, State::Done)
                }
                output::Item::Shown { .. } => continue,
            };
            let at = items.open(item.id(), kind);
            items.say(at, text);
            items.close(at, state);
        }
        items
    }

    /// A new item; its index.
    pub(super) fn open(&mut self, key: &str, kind: Kind) -> usize {
        self.list.push(Item { key: key.to_owned(), kind, text: String::new(), state: State::Open });
        self.list.len() - 1
    }

    /// The open item of that id.
    pub(super) fn find(&self, key: &str) -> Option<usize> {
        self.list.iter().rposition(|item| item.key == key && item.state == State::Open)
    }

    pub(super) fn say(&mut self, at: usize, text: &str) {
        if let Some(item) = self.list.get_mut(at) {
            item.text.push_str(text);
        }
    }

    pub(super) fn close(&mut self, at: usize, state: State) {
        let Some(item) = self.list.get_mut(at) else { return };
        item.state = state;
        if item.kind == Kind::Reasoning {
            match self.reasoned + item.text.len() {
                reasoned if reasoned <= REASONING => self.reasoned = reasoned,
                _ => item.text = String::new(),
            }
        }
    }
}

/// An item's id: it holds the run's, so that a later request can refer to it.
pub(super) fn id(run: &str, at: usize, kind: &Kind) -> String {
    let prefix = match kind {
        Kind::Reasoning => "rs",
        Kind::Message { .. } => "msg",
        Kind::Call { .. } => "fc",
    };
    format!("{prefix}_{run}_{at}")
}

/// An item as JSON.
pub(super) struct Written<'a> {
    pub(super) run: &'a str,
    pub(super) at: usize,
    pub(super) item: &'a Item,
}

impl Json for Written<'_> {
    fn write(&self, out: &mut String) {
        let Item { key, kind, text, state } = self.item;
        let mut object = Object::begin(out);
        object.field("id", &id(self.run, self.at, kind));
        let status = match state {
            State::Open => "in_progress",
            State::Done => "completed",
            State::Cut | State::Withdrawn => "incomplete",
        };
        match kind {
            Kind::Reasoning => {
                let summary: Vec<_> = Some(part(kind, text)).into_iter().filter(|_| !text.is_empty()).collect();
                object.fields(&[("type", &"reasoning"), ("summary", &summary)]);
            }
            Kind::Message { .. } => {
                let shown = matches!(state, State::Done | State::Cut);
                let content: Vec<_> = shown.then(|| part(kind, text)).into_iter().collect();
                let role = &"assistant";
                object.fields(&[("type", &"message"), ("status", &status), ("role", role), ("content", &content)]);
            }
            Kind::Call { name } => {
                object.fields(&[("type", &"function_call"), ("status", &status), ("call_id", key)]);
                object.fields(&[("name", name), ("arguments", text)]);
            }
        }
        object.end();
    }
}

/// The one part of a message, or of a reasoning item's summary.
pub(super) fn part(kind: &Kind, text: &str) -> Raw {
    Raw(crate::json::object(|part| {
        match kind {
            Kind::Reasoning => part.fields(&[("type", &"summary_text"), ("text", &text)]),
            Kind::Message { refusal: true } => part.fields(&[("type", &"refusal"), ("refusal", &text)]),
            _ => {
                let none: &[Raw] = &[];
                part.fields(&[("type", &"output_text"), ("text", &text), ("annotations", &none), ("logprobs", &none)])
            }
        };
    }))
}
