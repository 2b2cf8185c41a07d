//! What is open in a run, and in which order it is closed before the terminal.

use crate::event::{Event, Plain, Sealed, ToolOutcome};
use crate::json::Json;
use crate::stored::{Stored, stored, stored_names};

/// The most scopes that may be open at once, so that the head stays small.
pub const MAX_OPEN: usize = 72;

/// Something that has started and not ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scope {
    /// What it is.
    pub kind: ScopeKind,
    /// The message or the call.
    pub id: String,
    /// Whether the customer sees it too; only thinking can be either.
    pub public: bool,
}

/// The kinds of scopes that may be open between commits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScopeKind {
    /// Held text.
    Intermediate,
    /// Public narration.
    Narration,
    /// Thinking.
    Thinking,
    /// A tool of ours.
    Tool,
    /// An answer that streams early.
    Answer,
}

stored!(Scope { kind, id, public });
stored_names!(ScopeKind {
    Intermediate = "intermediate",
    Narration = "narration",
    Thinking = "thinking",
    Tool = "tool",
    Answer = "answer",
});

impl Scope {
    fn new(kind: ScopeKind, id: &str) -> Self {
        Scope { kind, id: id.to_owned(), public: false }
    }
}

/// The open scopes of a run, in the order they began.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpenScopes(Vec<Scope>);

impl Stored for OpenScopes {
    fn read(value: &serde_json::Value) -> Option<Self> {
        Stored::read(value).map(OpenScopes)
    }
}

impl Json for OpenScopes {
    fn write(&self, out: &mut String) {
        self.0.write(out);
    }
}

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
    pub fn closing(&self) -> Vec<Event> {
        let (tools, texts): (Vec<_>, Vec<_>) = self.0.iter().rev().partition(|scope| scope.kind == ScopeKind::Tool);
        texts.into_iter().chain(tools).map(end).collect()
    }

    /// The calls of ours that have not ended, in the order they began.
    pub fn tools(&self) -> Vec<String> {
        self.0.iter().filter(|scope| scope.kind == ScopeKind::Tool).map(|scope| scope.id.clone()).collect()
    }

    /// The answer that streams early, if one is open.
    pub fn answer(&self) -> Option<&str> {
        self.0.iter().find(|scope| scope.kind == ScopeKind::Answer).map(|scope| scope.id.as_str())
    }

    /// True if nothing is open.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

fn begun(event: &Event) -> Option<Scope> {
    let plain = match event {
        Event::Plain(plain) => plain,
        Event::Sealed(Sealed::AnswerStart { message, .. }) => return Some(Scope::new(ScopeKind::Answer, message)),
        Event::Sealed(_) => return None,
    };
    Some(match plain {
        Plain::IntermediateStart { message } => Scope::new(ScopeKind::Intermediate, message),
        Plain::NarrationStart { message } => Scope::new(ScopeKind::Narration, message),
        Plain::ThinkingStart { message, public } => {
            Scope { public: *public, ..Scope::new(ScopeKind::Thinking, message) }
        }
        Plain::ToolStart { call, .. } => Scope::new(ScopeKind::Tool, call),
        _ => return None,
    })
}

fn ended(event: &Event) -> Option<Scope> {
    let plain = match event {
        Event::Plain(plain) => plain,
        Event::Sealed(Sealed::AnswerEnd { message }) => return Some(Scope::new(ScopeKind::Answer, message)),
        Event::Sealed(_) => return None,
    };
    Some(match plain {
        Plain::IntermediateEnd { message } => Scope::new(ScopeKind::Intermediate, message),
        Plain::NarrationEnd { message } => Scope::new(ScopeKind::Narration, message),
        Plain::ThinkingEnd { message, public } => Scope { public: *public, ..Scope::new(ScopeKind::Thinking, message) },
        Plain::ToolEnd { call, .. } => Scope::new(ScopeKind::Tool, call),
        _ => return None,
    })
}

fn end(scope: &Scope) -> Event {
    let id = scope.id.clone();
    let plain = match scope.kind {
        ScopeKind::Answer => return Sealed::AnswerEnd { message: id }.into(),
        ScopeKind::Intermediate => Plain::IntermediateEnd { message: id },
        ScopeKind::Narration => Plain::NarrationEnd { message: id },
        ScopeKind::Thinking => Plain::ThinkingEnd { message: id, public: scope.public },
        ScopeKind::Tool => Plain::ToolEnd { call: id, outcome: ToolOutcome::Unknown },
    };
    plain.into()
}

#[cfg(all(test, not(target_arch = "wasm32")))]
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
        open.track(&Sealed::AnswerStart { message: id("r-a"), refusal: false }.into());
        assert_eq!(
            open.closing(),
            [
                Event::from(Sealed::AnswerEnd { message: id("r-a") }),
                Plain::IntermediateEnd { message: id("m1") }.into(),
                Plain::ThinkingEnd { message: id("t"), public: true }.into(),
                Plain::ToolEnd { call: id("b"), outcome: ToolOutcome::Unknown }.into(),
            ]
        );
        assert_eq!((open.tools(), open.answer()), (vec![id("b")], Some("r-a")));
        for event in open.closing() {
            open.track(&event);
        }
        assert!(open.is_empty());
    }
}
