//! Providers: one decoder a provider format, and the request that each is sent.

use crate::error::Error;
use crate::input::{Message, RunInput};
use crate::signal::Signal;
use crate::stored::stored_names;

pub mod agui;
pub mod anthropic;
pub mod auto;
pub mod chat_completions;
mod conversation;
pub mod framed;
pub mod gemini;
mod halves;
pub mod ollama;
#[cfg(all(test, not(target_arch = "wasm32")))]
pub(crate) mod quirks;
pub mod replay;
pub mod responses;
pub mod signals;
pub mod tags;
mod target;
pub mod workers_ai;

pub use target::Target;

/// Turns a provider's bytes into signals. The same bytes give the same signals however they are cut.
pub trait Decoder {
    /// Takes a chunk; pushes what it says.
    fn feed(&mut self, bytes: &[u8], out: &mut Vec<Signal>);

    /// The stream is over. Pushes what is still due: the end, or [`crate::signal::Fault::Cut`].
    fn finish(&mut self, out: &mut Vec<Signal>);

    /// True once the stream has said how the response ended. More may follow, but nothing that the
    /// answer could miss: [`Decoder::finish`] would give its end.
    fn has_finished(&self) -> bool {
        false
    }

    /// The format that the bytes turned out to be of, where they had to tell it ([`auto`]).
    fn format(&self) -> Option<Format> {
        None
    }
}

/// How a provider is read, where its format leaves that open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Text is searched for thinking tags ([`tags`]). Off unless somebody says so.
    pub thinking_tags: bool,
    /// The format is asked alone: what comes back is of whichever its first bytes tell ([`auto`]).
    pub detect: bool,
}

/// A provider's format: how it is asked and how it answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// OpenAI Chat Completions, streamed.
    ChatCompletions,
    /// OpenAI Responses, streamed.
    Responses,
    /// Anthropic Messages, streamed.
    Anthropic,
    /// Gemini `streamGenerateContent`.
    Gemini,
    /// Workers AI, both shapes of its streams.
    WorkersAi,
    /// Ollama's NDJSON.
    Ollama,
    /// An AG-UI agent.
    AgUi,
    /// Whichever of them the first bytes are of. It is asked as the address says ([`auto`]).
    Auto,
    /// Signals themselves, as JSON.
    Signals,
}

stored_names!(Format {
    ChatCompletions = "chat-completions",
    Responses = "responses",
    Anthropic = "anthropic",
    Gemini = "gemini",
    WorkersAi = "workers-ai",
    Ollama = "ollama",
    AgUi = "ag-ui",
    Auto = "auto",
    Signals = "signals",
});

/// What a model call asks.
#[derive(Clone, Copy)]
pub struct Ask<'a> {
    /// The model's name.
    pub model: &'a str,
    /// The run's input: tools, context and settings are read from it, messages are not.
    pub input: &'a RunInput,
    /// The input's messages that come before what the run has said.
    pub sent: &'a [Message],
    /// What the run itself has said and done.
    pub transcript: &'a [Message],
}

impl Format {
    /// A decoder for one response.
    pub fn decoder(self) -> Box<dyn Decoder> {
        match self {
            Format::ChatCompletions => Box::new(chat_completions::Decoder::new()),
            Format::Responses => Box::new(responses::Decoder::new()),
            Format::Anthropic => Box::new(anthropic::Decoder::new()),
            Format::Gemini => Box::new(gemini::Decoder::new()),
            Format::WorkersAi => Box::new(workers_ai::Decoder::new()),
            Format::Ollama => Box::new(ollama::Decoder::new()),
            Format::AgUi => Box::new(agui::Decoder::new()),
            Format::Auto => Box::new(auto::Decoder::new()),
            Format::Signals => Box::new(signals::Decoder::new()),
        }
    }

    /// A decoder for one response of a provider that is read so.
    pub fn decoder_with(self, options: Options) -> Box<dyn Decoder> {
        let decoder = if options.detect { Format::Auto.decoder() } else { self.decoder() };
        if options.thinking_tags { Box::new(tags::Tagged::new(decoder)) } else { decoder }
    }

    /// The body of a model call: the input's first `before` messages, then what the run itself has said and
    /// done. [`Format::Auto`] is asked as [`Format::ChatCompletions`].
    ///
    /// # Errors
    /// [`crate::ErrorKind::UnsupportedPart`] if the format can't carry a part of the input.
    pub fn request(
        self,
        model: &str,
        input: &RunInput,
        before: usize,
        transcript: &[Message],
    ) -> Result<Vec<u8>, Error> {
        let sent = input.messages.get(..before).unwrap_or(&input.messages);
        let ask = Ask { model, input, sent, transcript };
        let body = match self {
            Format::ChatCompletions | Format::Signals | Format::Auto => {
                chat_completions::request_after(model, input, sent, transcript, &input.tools)
            }
            Format::Responses => responses::request(&ask),
            Format::Anthropic => anthropic::request(&ask),
            Format::Gemini => gemini::request(&ask),
            Format::WorkersAi => workers_ai::request(&ask),
            Format::Ollama => ollama::request(&ask),
            Format::AgUi => agui::request(&ask),
        };
        body.map(String::into_bytes)
    }
}
