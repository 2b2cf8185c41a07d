//! The messages of a transcript, and the snapshot of all of them.

use super::content::Content;
use super::{Metadata, event, object};
use crate::json::{Json, Object};

event! {
    /// The transcript, whole. The client replaces by id and drops what is not in it; its own activity and
    /// reasoning stay, unless the snapshot has messages of that role.
    MessagesSnapshot<'a> = "MESSAGES_SNAPSHOT"
    required {
        /// The messages, in order.
        messages: Vec<Message<'a>> = "messages",
    }
    optional {}
}

/// Declares a message.
macro_rules! message {
    (
        $(#[$doc:meta])*
        $name:ident<$a:lifetime> = $role:literal
        required { $($required:tt)* }
        optional { $($optional:tt)* }
    ) => {
        object! {
            $(#[$doc])*
            $name<$a> { "role" = $role }
            required {
                /// Unique in the thread.
                id: &$a str = "id",
                $($required)*
            }
            constant {}
            optional {
                $($optional)*
                /// Open by key.
                metadata: Metadata<$a> = "metadata",
                /// The subagent that it belongs to.
                subagent_run_id: &$a str = "subagentRunId",
            }
        }
    };
}

message! {
    /// Instructions of the developer.
    DeveloperMessage<'a> = "developer"
    required {
        /// The text.
        content: &'a str = "content",
    }
    optional {
        /// The speaker's name.
        name: &'a str = "name",
        /// What only a provider can read.
        encrypted_value: &'a str = "encryptedValue",
    }
}

message! {
    /// Instructions of the system.
    SystemMessage<'a> = "system"
    required {
        /// The text.
        content: &'a str = "content",
    }
    optional {
        /// The speaker's name.
        name: &'a str = "name",
        /// What only a provider can read.
        encrypted_value: &'a str = "encryptedValue",
    }
}

message! {
    /// What the agent said and called.
    AssistantMessage<'a> = "assistant"
    required {}
    optional {
        /// The text.
        content: &'a str = "content",
        /// The calls.
        tool_calls: Vec<ToolCall<'a>> = "toolCalls",
        /// The speaker's name.
        name: &'a str = "name",
        /// What only a provider can read.
        encrypted_value: &'a str = "encryptedValue",
    }
}

message! {
    /// What the person said.
    UserMessage<'a> = "user"
    required {
        /// The content.
        content: Content<'a> = "content",
    }
    optional {
        /// The speaker's name.
        name: &'a str = "name",
        /// What only a provider can read.
        encrypted_value: &'a str = "encryptedValue",
    }
}

message! {
    /// What a tool gave back.
    ToolMessage<'a> = "tool"
    required {
        /// The call's id.
        tool_call_id: &'a str = "toolCallId",
        /// The content. Clients before 1.0 take text alone.
        content: Content<'a> = "content",
    }
    optional {
        /// Why the tool failed.
        error: &'a str = "error",
        /// What only a provider can read.
        encrypted_value: &'a str = "encryptedValue",
    }
}

message! {
    /// What the agent does. A client does not send it back.
    ActivityMessage<'a> = "activity"
    required {
        /// Its kind.
        activity_type: &'a str = "activityType",
        /// Its content.
        content: Metadata<'a> = "content",
    }
    optional {}
}

message! {
    /// Reasoning.
    ReasoningMessage<'a> = "reasoning"
    required {
        /// The text.
        content: &'a str = "content",
    }
    optional {
        /// What only a provider can read.
        encrypted_value: &'a str = "encryptedValue",
    }
}

/// A message.
#[derive(Clone, Debug, PartialEq)]
pub enum Message<'a> {
    /// The developer's.
    Developer(DeveloperMessage<'a>),
    /// The system's.
    System(SystemMessage<'a>),
    /// The agent's.
    Assistant(AssistantMessage<'a>),
    /// The person's.
    User(UserMessage<'a>),
    /// A tool's.
    Tool(ToolMessage<'a>),
    /// An activity.
    Activity(ActivityMessage<'a>),
    /// Reasoning.
    Reasoning(ReasoningMessage<'a>),
}

impl Json for Message<'_> {
    fn write(&self, out: &mut String) {
        match self {
            Message::Developer(message) => message.write(out),
            Message::System(message) => message.write(out),
            Message::Assistant(message) => message.write(out),
            Message::User(message) => message.write(out),
            Message::Tool(message) => message.write(out),
            Message::Activity(message) => message.write(out),
            Message::Reasoning(message) => message.write(out),
        }
    }
}

/// A call inside an assistant's message.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolCall<'a> {
    /// Unique in the thread.
    pub id: &'a str,
    /// The tool's name.
    pub name: &'a str,
    /// JSON text, whole or so far.
    pub arguments: &'a str,
    /// What only a provider can read.
    pub encrypted_value: Option<&'a str>,
    /// Open by key.
    pub metadata: Option<Metadata<'a>>,
}

impl<'a> ToolCall<'a> {
    /// A call with nothing beside.
    pub fn new(id: &'a str, name: &'a str, arguments: &'a str) -> Self {
        ToolCall { id, name, arguments, encrypted_value: None, metadata: None }
    }
}

impl Json for ToolCall<'_> {
    fn write(&self, out: &mut String) {
        let mut call = Object::begin(out);
        call.fields(&[("id", &self.id), ("type", &"function")]);
        call.object("function", |function| {
            function.fields(&[("name", &self.name), ("arguments", &self.arguments)]);
        });
        call.fields(&[("encryptedValue", &self.encrypted_value), ("metadata", &self.metadata)]).end();
    }
}
