//! The events of AG-UI 1.0, all 31, as values that write themselves.
//!
//! Lastword's own serializer is made of these, and sends about half of them; the others are here for
//! hosts that write AG-UI streams of their own. Each type has its required fields as arguments of
//! `new`, the others as `Option`s, and `line`, its JSON.
//!
//! What a client fails on can't be written: an absent field has no key, a null never stands in an
//! optional one, an integer is one that JavaScript holds exactly, and a JSON Pointer is one. The
//! protocol's rules are those of its published 1.0 schema (`@ag-ui/core/schemas`), against which the
//! tests hold each type.
//!
//! ```
//! use lastword::wire::agui::event::{Role, TextMessageStart};
//!
//! let start = TextMessageStart { role: Some(Role::Assistant), ..TextMessageStart::new("m1") };
//! assert_eq!(start.line(), r#"{"type":"TEXT_MESSAGE_START","messageId":"m1","role":"assistant"}"#);
//! ```

mod activity;
mod content;
mod input;
mod interrupt;
mod message;
mod other;
mod patch;
mod reasoning;
mod run;
mod state;
mod subagent;
mod text;
mod tool;

pub use activity::{ActivityDelta, ActivitySnapshot};
pub use content::{Content, ContentPart, MediaPart, PartSource, TextPart};
pub use input::{ContextEntry, Resume, ResumeStatus, RunAgentInput, Tool};
pub use interrupt::{Interrupt, Outcome};
pub use message::{
    ActivityMessage, AssistantMessage, DeveloperMessage, Message, MessagesSnapshot, ReasoningMessage, SystemMessage,
    ToolCall, ToolMessage, UserMessage,
};
pub use other::{Custom, Raw};
pub use patch::{Operation, Pointer};
pub use reasoning::{
    EncryptedSubject, ReasoningEncryptedValue, ReasoningEnd, ReasoningMessageChunk, ReasoningMessageContent,
    ReasoningMessageEnd, ReasoningMessageStart, ReasoningStart,
};
pub use run::{RunError, RunFinished, RunStarted, StepFinished, StepStarted, TokenUsage};
pub use state::{StateDelta, StateSnapshot};
pub use subagent::{SubagentError, SubagentFinished, SubagentOutcome, SubagentStarted};
pub use text::{Role, TextMessageChunk, TextMessageContent, TextMessageEnd, TextMessageStart};
pub use tool::{ToolCallArgs, ToolCallChunk, ToolCallEnd, ToolCallResult, ToolCallStart};

use crate::json::{self, Json};
use serde_json::{Map, Value};
use std::fmt;

/// An integer that every JavaScript number holds exactly: at most 2^53 - 1. A client refuses others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Safe(u64);

impl Safe {
    const MAX: u64 = (1 << 53) - 1;

    /// The number, if it is small enough.
    pub fn new(number: u64) -> Option<Self> {
        Some(Safe(number)).filter(|_| number <= Safe::MAX)
    }

    /// The number.
    pub fn value(self) -> u64 {
        self.0
    }
}

/// Any JSON but null, which the protocol does not take for a value here: a null is left out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Any<'a>(pub &'a Value);

/// A value that is made of others. Its form is part of the Worker's module only where somebody makes
/// one: so what is never sent costs nothing.
#[derive(Clone, Copy)]
pub struct Written<'a>(&'a dyn Json);

/// An object that is open by key. A null under a key is data.
pub type Metadata<'a> = &'a Map<String, Value>;

impl Json for Written<'_> {
    fn write(&self, out: &mut String) {
        self.0.write(out);
    }
}

impl fmt::Debug for Written<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&json::text(self.0))
    }
}

impl PartialEq for Written<'_> {
    fn eq(&self, other: &Self) -> bool {
        json::text(self.0) == json::text(other.0)
    }
}

impl<'a> From<&'a RunAgentInput<'a>> for Written<'a> {
    fn from(input: &'a RunAgentInput<'a>) -> Self {
        Written(input)
    }
}

impl Json for Safe {
    fn write(&self, out: &mut String) {
        self.0.write(out);
    }
}

impl Json for Any<'_> {
    fn write(&self, out: &mut String) {
        self.0.write(out);
    }

    fn is_absent(&self) -> bool {
        self.0.is_null()
    }
}

/// Declares an object of the protocol: constants, required fields, more constants, optional fields,
/// and so it is written.
macro_rules! object {
    (
        $(#[$doc:meta])*
        $name:ident<$a:lifetime> { $($tag:literal = $first:literal),* }
        required { $($(#[$required_doc:meta])* $required:ident: $required_type:ty = $required_key:literal),* $(,)? }
        constant { $($constant_key:literal = $constant:literal),* }
        optional { $($(#[$optional_doc:meta])* $optional:ident: $optional_type:ty = $optional_key:literal),* $(,)? }
    ) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct $name<$a> {
            $($(#[$required_doc])* pub $required: $required_type,)*
            $($(#[$optional_doc])* pub $optional: Option<$optional_type>,)*
        }

        #[allow(clippy::new_without_default)]
        impl<$a> $name<$a> {
            /// One with its required fields and no other.
            pub fn new($($required: $required_type),*) -> Self {
                $name { $($required,)* $($optional: None,)* }
            }
        }

        impl $crate::json::Json for $name<'_> {
            fn write(&self, out: &mut String) {
                let mut object = $crate::json::Object::begin(out);
                object.fields(&[
                    $(($tag, &$first),)*
                    $(($required_key, &self.$required),)*
                    $(($constant_key, &$constant),)*
                    $(($optional_key, &self.$optional),)*
                ]);
                object.end();
            }
        }
    };
}

/// Declares an event: an object with a type and the optional fields that every event may have.
macro_rules! event {
    (
        $(#[$doc:meta])*
        $name:ident<$a:lifetime> = $type:literal
        required { $($required:tt)* }
        $(constant { $($constant:tt)* })?
        optional { $($optional:tt)* }
    ) => {
        $crate::wire::agui::event::object! {
            $(#[$doc])*
            $name<$a> { "type" = $type }
            required { $($required)* }
            constant { $($($constant)*)? }
            optional {
                $($optional)*
                /// When it happened, in milliseconds since the Unix epoch.
                timestamp: $crate::wire::agui::event::Safe = "timestamp",
                /// What the event was made from, in its source's own form.
                raw_event: $crate::wire::agui::event::Any<$a> = "rawEvent",
                /// The client merges it into the message or call that the event builds. The key `ag-ui` is the
                /// protocol's.
                metadata: $crate::wire::agui::event::Metadata<$a> = "metadata",
            }
        }

        impl $name<'_> {
            /// The event's `type`.
            pub const TYPE: &'static str = $type;

            /// The same event with its time in milliseconds since the Unix epoch; without one, if a client could
            /// not read it.
            #[must_use]
            pub fn at(mut self, at: Option<$crate::Millis>) -> Self {
                self.timestamp = at.and_then($crate::wire::agui::event::Safe::new);
                self
            }

            /// One line of JSON.
            pub fn line(&self) -> String {
                $crate::json::text(self)
            }
        }
    };
}

pub(in crate::wire::agui) use {event, object};
