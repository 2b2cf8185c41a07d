//! What a serializer depends on, frozen when the run starts.

use crate::Millis;
use crate::input::Protocol;
use crate::stored::stored;

/// Whatever the bytes of a replay depend on besides the events. Kept in the run's head, so that a
/// replay is the same fold whatever was deployed since. A joiner's own declaration counts in one way: it is
/// never sent more than it has declared ([`crate::run::Reader::declared`]).
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    /// Narration is sent to the customer too, once its response is decided.
    pub public_intermediate: bool,
    /// Thinking is sent to the customer too.
    pub public_thinking: bool,
    /// Calls of our tools and their results are sent to the customer too.
    pub public_tools: bool,
    /// The customer is told that the run works on, without any content.
    pub public_working: bool,
    /// Where a wire has no word for an approval, it is asked for by a function call; else the run counts as failed there.
    pub approval_calls: bool,
    /// What the client that started the run declared.
    pub protocol: Option<Protocol>,
    /// The model's name as clients are told it.
    pub model: String,
    /// When the run was asked for; informational.
    pub created_at: Millis,
    /// The serializers' versions.
    pub wires: WireVersions,
}

/// One serializer version a wire. A wire that did not exist when the run began has none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WireVersions {
    /// The canonical wire's.
    pub canonical: Option<u32>,
    /// AG-UI's.
    pub ag_ui: Option<u32>,
    /// OpenAI Responses'.
    pub responses: Option<u32>,
    /// OpenAI Chat Completions'.
    pub chat_completions: Option<u32>,
    /// The AI SDK's UI message stream's.
    pub ui_stream: Option<u32>,
    /// Anthropic Messages'.
    pub messages: Option<u32>,
}

stored!(Profile {
    public_intermediate,
    public_thinking,
    public_tools,
    public_working,
    approval_calls,
    protocol,
    model,
    created_at,
    wires,
});
stored!(WireVersions { canonical, ag_ui, responses, chat_completions, ui_stream, messages });

impl Profile {
    /// A profile with every public switch off, at today's serializer versions.
    pub fn new(model: &str, protocol: Option<Protocol>, created_at: Millis) -> Self {
        Profile {
            public_intermediate: false,
            public_thinking: false,
            public_tools: false,
            public_working: false,
            protocol,
            model: model.to_owned(),
            created_at,
            approval_calls: false,
            wires: WireVersions {
                canonical: Some(1),
                ag_ui: Some(1),
                responses: Some(1),
                chat_completions: Some(1),
                ui_stream: Some(1),
                messages: Some(1),
            },
        }
    }

    /// True if the starter declared AG-UI 1.0 or newer.
    pub fn speaks_v1(&self) -> bool {
        self.protocol.is_some_and(|p| p >= Protocol::V1)
    }
}
