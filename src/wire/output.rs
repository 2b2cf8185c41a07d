//! A run's whole output, as a customer may have it: what the forms that are no streams are made from.

use crate::event::{Event, Plain, Sealed};

/// An answer that is no stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// The HTTP status, where nothing was sent yet.
    pub status: u16,
    /// JSON text.
    pub body: String,
}

/// The fold of a run's events that a customer may see.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Output {
    /// What was said, in order.
    pub items: Vec<Item>,
    /// How the run ended, once it has.
    pub end: Option<Sealed>,
}

/// One thing of a run's output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// Public narration or public thinking.
    Reasoning {
        /// Its id.
        id: String,
        /// Its text.
        text: String,
        /// True for narration, false for thinking.
        narration: bool,
    },
    /// The answer.
    Answer {
        /// Its id.
        id: String,
        /// Its text.
        text: String,
        /// True if it is the model's refusal.
        refusal: bool,
        /// True if it turned out to be none.
        withdrawn: bool,
    },
    /// A call for the client to run.
    Call {
        /// Its id.
        id: String,
        /// The tool.
        name: String,
        /// JSON text.
        arguments: String,
        /// The message that holds all calls of one response.
        parent: String,
    },
    /// A call of ours that is shown.
    Shown {
        /// Its id.
        id: String,
        /// The tool.
        name: String,
        /// JSON text.
        arguments: String,
        /// What it gave back, once it has.
        result: Option<String>,
    },
}

impl Output {
    /// Takes the next event.
    pub fn take(&mut self, event: &Event) {
        match event {
            Event::Plain(plain) => self.plain(plain),
            Event::Sealed(sealed) => self.sealed(sealed),
        }
    }

    /// The answer's text, its refusal mark, and its id, if it has one that stands.
    pub fn answer(&self) -> Option<(&str, bool, &str)> {
        self.items.iter().rev().find_map(|item| match item {
            Item::Answer { id, text, refusal, withdrawn: false } => Some((text.as_str(), *refusal, id.as_str())),
            _ => None,
        })
    }

    fn plain(&mut self, plain: &Plain) {
        match plain {
            Plain::NarrationStart { message } => self.reasons(message, true),
            Plain::ThinkingStart { message, public: true } => self.reasons(message, false),
            Plain::NarrationDelta { message, delta } | Plain::ThinkingDelta { message, public: true, delta } => {
                self.goes_on(message, delta);
            }
            Plain::ShownCallStart { call, name, .. } => self.items.push(Item::Shown {
                id: call.clone(),
                name: name.clone(),
                arguments: String::new(),
                result: None,
            }),
            Plain::ShownCallArgs { call, delta } => self.goes_on(call, delta),
            Plain::ShownCallResult { call, content, .. } => {
                if let Some(Item::Shown { result, .. }) = self.of(call) {
                    *result = Some(content.clone());
                }
            }
            _ => {}
        }
    }

    fn sealed(&mut self, sealed: &Sealed) {
        match sealed {
            Sealed::Started {} | Sealed::AnswerEnd { .. } | Sealed::CallEnd { .. } => {}
            Sealed::AnswerStart { message, refusal } => self.items.push(Item::Answer {
                id: message.clone(),
                text: String::new(),
                refusal: *refusal,
                withdrawn: false,
            }),
            Sealed::AnswerDelta { message, delta, .. } => self.goes_on(message, delta),
            Sealed::AnswerWithdrawn { message } => {
                if let Some(Item::Answer { withdrawn, .. }) = self.of(message) {
                    *withdrawn = true;
                }
            }
            Sealed::CallStart { call, name, parent } => self.items.push(Item::Call {
                id: call.clone(),
                name: name.clone(),
                arguments: String::new(),
                parent: parent.clone(),
            }),
            Sealed::CallArgs { call, delta } => self.goes_on(call, delta),
            Sealed::Completed(_) | Sealed::Interrupted { .. } | Sealed::Cancelled { .. } | Sealed::Failed { .. } => {
                self.end = Some(sealed.clone());
            }
        }
    }

    fn reasons(&mut self, message: &str, narration: bool) {
        self.items.push(Item::Reasoning { id: message.to_owned(), text: String::new(), narration });
    }

    fn goes_on(&mut self, id: &str, delta: &str) {
        match self.of(id) {
            Some(
                Item::Reasoning { text, .. }
                | Item::Answer { text, .. }
                | Item::Call { arguments: text, .. }
                | Item::Shown { arguments: text, .. },
            ) => text.push_str(delta),
            None => {}
        }
    }

    fn of(&mut self, wanted: &str) -> Option<&mut Item> {
        self.items.iter_mut().rev().find(|item| item.id() == wanted)
    }
}

impl Item {
    /// Its id.
    pub fn id(&self) -> &str {
        match self {
            Item::Reasoning { id, .. } | Item::Answer { id, .. } | Item::Call { id, .. } | Item::Shown { id, .. } => id,
        }
    }
}
