//! What a client asks for, once its wire is gone: one run's input.

use serde_json::{Number, Value};

mod echoed;

pub(crate) use echoed::echoed;

/// One run's input, wire-neutral. A request parser in [`crate::wire`] makes it, within its bounds.
#[derive(Clone, Debug, PartialEq)]
pub struct RunInput {
    /// The thread that the run belongs to. Not empty.
    pub thread: String,
    /// The run's id, the client's own. Not empty.
    pub run: String,
    /// The conversation so far, oldest first.
    pub messages: Vec<Message>,
    /// The tools that the client runs itself.
    pub tools: Vec<Tool>,
    /// Further context for the model: description and value.
    pub context: Vec<(String, String)>,
    /// Answers to the interrupts of the thread's last run, with which this one goes on: one an interrupt,
    /// no id twice.
    pub resume: Vec<Answer>,
    /// The model asked for, where the client names one.
    pub model: Option<String>,
    /// How the model is to answer, where the client says so.
    pub settings: Settings,
    /// The client's messages and state as they came, for a reader that joins.
    pub echo: Echo,
    /// SHA-256 over what makes two inputs the same, as 64 hex digits.
    pub fingerprint: String,
    /// The protocol version that the client declared (AG-UI `protocolVersion`).
    pub protocol: Option<Protocol>,
    /// It is to be refused where the store can't promise that it executes at most once.
    pub exactly_once: bool,
}

/// A person's answer to one interrupt.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The interrupt's id.
    pub interrupt: String,
    /// What they said.
    pub word: Word,
}

/// What a person said to an interrupt.
#[derive(Clone, Debug, PartialEq)]
pub enum Word {
    /// An answer, in the form that the interrupt asks for. A denial is an answer too.
    Resolved(Option<Value>),
    /// No answer will come.
    Cancelled,
}

/// The parts of the input that a joining reader is sent back, unchanged.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Echo {
    /// The messages as they came: an array.
    pub messages: Vec<Value>,
    /// The state as it came; absent where the client sent none.
    pub state: Option<Value>,
    /// What else of the request the wire sends back, an object; absent on wires that send back nothing.
    pub request: Option<Value>,
}

/// How the model is to answer. What is absent the provider decides; what its format can't say is left out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    /// Sampling temperature.
    pub temperature: Option<Number>,
    /// Nucleus sampling.
    pub top_p: Option<Number>,
    /// The most tokens of the response.
    pub max_output: Option<u64>,
    /// Texts at which it stops.
    pub stop: Vec<String>,
    /// Whether it may call tools.
    pub tool_choice: Option<ToolChoice>,
    /// Whether it may call several tools in one response.
    pub parallel_calls: Option<bool>,
    /// The form that its text must have.
    pub form: Option<TextForm>,
    /// How hard it is to think: `low`, `medium`, `high` and such.
    pub effort: Option<String>,
    /// Makes sampling repeatable, where the provider can.
    pub seed: Option<i64>,
    /// Penalty on tokens that were there.
    pub presence_penalty: Option<Number>,
    /// Penalty on tokens by how often they were there.
    pub frequency_penalty: Option<Number>,
}

/// Whether the model may call tools.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToolChoice {
    /// As it likes.
    Auto,
    /// It must not.
    None,
    /// It must call at least one.
    Required,
    /// It must call this one.
    Function(String),
}

/// The form that a text must have.
#[derive(Clone, Debug, PartialEq)]
pub enum TextForm {
    /// Any JSON object.
    Json,
    /// JSON of a schema.
    Schema {
        /// The schema's name.
        name: String,
        /// JSON Schema.
        schema: Value,
        /// Whether the model must keep to it exactly, where the client says so.
        strict: Option<bool>,
    },
}

/// A declared protocol version, `major.minor`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Protocol {
    /// Raised by a change that breaks clients.
    pub major: u32,
    /// Raised by any other.
    pub minor: u32,
}

crate::stored::stored!(Protocol { major, minor });

impl Protocol {
    /// AG-UI 1.0, the first that knows the `cancelled` outcome.
    pub const V1: Protocol = Protocol { major: 1, minor: 0 };
}

/// A message of the conversation, as a model is to read it.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// Instructions.
    System(String),
    /// What a person said.
    User(Vec<Part>),
    /// What the model said and called.
    Assistant {
        /// Its text; empty where it only called.
        text: String,
        /// Its calls, in order.
        calls: Vec<Call>,
        /// What the provider wants back with it ([`crate::signal::Signal::Kept`]).
        kept: Option<Value>,
    },
    /// A tool's result.
    Tool {
        /// The call it answers.
        call: String,
        /// What the tool gave back.
        content: Vec<Part>,
    },
}

impl Message {
    /// The calls that it makes; none where it is not the assistant's.
    pub fn calls(&self) -> &[Call] {
        match self {
            Message::Assistant { calls, .. } => calls,
            _ => &[],
        }
    }
}

/// A function call, whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// Unique in the thread.
    pub id: String,
    /// The function.
    pub name: String,
    /// JSON text as the model wrote it.
    pub arguments: String,
}

/// A piece of a message's content.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    /// Text.
    Text(String),
    /// An image, sound, film or document.
    Media {
        /// Which of them.
        kind: Media,
        /// Where it is.
        source: Source,
    },
}

/// The kind of a media part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Media {
    /// A picture.
    Image,
    /// Sound.
    Audio,
    /// A film.
    Video,
    /// A document.
    Document,
}

/// Where a media part's bytes are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// Here, in base64.
    Data {
        /// Base64.
        value: String,
        /// Its media type.
        mime: String,
    },
    /// At an address.
    Url {
        /// The address.
        value: String,
        /// Its media type, if known.
        mime: Option<String>,
    },
    /// With the provider, under an id.
    File {
        /// The id.
        value: String,
    },
}

/// A tool that the client runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Tool {
    /// Its name, unique among them.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// JSON Schema of its arguments.
    pub parameters: Option<Value>,
}
