//! What is open in a run, and in which order it is closed before the terminal.

use crate::event::{Event, Plain, ToolOutcome};
use serde::{Deserialize, Serialize};

/// The most scopes that may be open at once, so that the head stays small.
pub const MAX_OPEN: usize = 72;

/// Something that has started and not ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Scope {
    /// Held text.
    Intermediate {
        /// The message.
        id: String,
    },
    /// Public narration.
    Narration {
        /// The message.
        id: String,
    },
    /// Thinking.
    Thinking {
        /// The message.
        id: String,
        /// Whether the customer sees it.
        public: bool,
    },
    /// A tool of ours.
    Tool {
        /// The call.
        id: String,
    },
}

/// The open scopes of a run, in the order they began.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct OpenScopes(Vec<Scope>);

impl OpenScopes {
    /// Takes note of an event.
    pub fn track(&mut self, event: &Event) {
        if let Some(scope) = begun(event) {
            if self.0.len() < MAX_OPEN {
                self.0.push(scope);
            }
        } else if let Some(ended) = ended(event) {
            self.0.retain(|scope| *scope != ended);
        }
    }

    /// The events that close what is open: innermost first, tools of ours last and as unknown.
    pub fn closing(&self) -> Vec<Plain> {
        let (tools, texts): (Vec<_>, Vec<_>) = self.0.iter().rev().partition(|s| matches!(s, Scope::Tool { .. }));
        texts.into_iter().chain(tools).map(end).collect()
    }

    /// The calls of ours that have not ended, in the order they began.
    pub fn tools(&self) -> Vec<String> {
        self.0
            .iter()
            .filter_map(|scope| match scope {
                Scope::Tool { id } => Some(id.clone()),
                _ => None,
            })
            .collect()
    }

    /// True if nothing is open.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

fn begun(event: &Event) -> Option<Scope> {
    let Event::Plain(plain) = event else { return None };
    Some(match plain {
        Plain::IntermediateStart { message } => Scope::Intermediate { id: message.clone() },
        Plain::NarrationStart { message } => Scope::Narration { id: message.clone() },
        Plain::ThinkingStart { message, public } => Scope::Thinking { id: message.clone(), public: *public },
        Plain::ToolStart { call, .. } => Scope::Tool { id: call.clone() },
        _ => return None,
    })
}

fn ended(event: &Event) -> Option<Scope> {
    let Event::Plain(plain) = event else { return None };
    Some(match plain {
        Plain::IntermediateEnd { message } => Scope::Intermediate { id: message.clone() },
        Plain::NarrationEnd { message } => Scope::Narration { id: message.clone() },
        Plain::ThinkingEnd { message, public } => Scope::Thinking { id: message.clone(), public: *public },
        Plain::ToolEnd { call, .. } => Scope::Tool { id: call.clone() },
        _ => return None,
    })
}

fn end(scope: &Scope) -> Plain {
    match scope.clone() {
        Scope::Intermediate { id } => Plain::IntermediateEnd { message: id },
        Scope::Narration { id } => Plain::NarrationEnd { message: id },
        Scope::Thinking { id, public } => Plain::ThinkingEnd { message: id, public },
        Scope::Tool { id } => Plain::ToolEnd { call: id, outcome: ToolOutcome::Unknown },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closes_innermost_first_and_tools_last() {
        let mut open = OpenScopes::default();
        let id = |id: &str| id.to_owned();
        for plain in [
            Plain::ToolStart { call: id("a"), name: id("look") },
            Plain::ToolStart { call: id("b"), name: id("look") },
            Plain::ThinkingStart { message: id("t"), public: true },
            Plain::IntermediateStart { message: id("m1") },
            Plain::ToolEnd { call: id("a"), outcome: ToolOutcome::Ok },
        ] {
            open.track(&plain.into());
        }
        assert_eq!(
            open.closing(),
            [
                Plain::IntermediateEnd { message: id("m1") },
                Plain::ThinkingEnd { message: id("t"), public: true },
                Plain::ToolEnd { call: id("b"), outcome: ToolOutcome::Unknown },
            ]
        );
        assert_eq!(open.tools(), ["b"]);
        for plain in open.closing() {
            open.track(&plain.into());
        }
        assert!(open.is_empty());
    }
}
