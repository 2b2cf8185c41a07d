//! Providers: one decoder a provider format, and the request that each is sent.

use crate::error::Error;
use crate::input::{Message, RunInput};
use crate::signal::Signal;
use crate::stored::stored_names;

pub mod chat_completions;
mod halves;
pub mod replay;
pub mod signals;
pub mod tags;

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
}

/// How a provider is read, where its format leaves that open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Text is searched for thinking tags ([`tags`]). Off unless somebody says so.
    pub thinking_tags: bool,
}

/// A provider's format: how it is asked and how it answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// OpenAI Chat Completions, streamed.
    ChatCompletions,
    /// Signals themselves, as JSON.
    Signals,
}

stored_names!(Format { ChatCompletions = "chat-completions", Signals = "signals" });

impl Format {
    /// A decoder for one response.
    pub fn decoder(self) -> Box<dyn Decoder> {
        match self {
            Format::ChatCompletions => Box::new(chat_completions::Decoder::new()),
            Format::Signals => Box::new(signals::Decoder::new()),
        }
    }

    /// A decoder for one response of a provider that is read so.
    pub fn decoder_with(self, options: Options) -> Box<dyn Decoder> {
        let decoder = self.decoder();
        if options.thinking_tags { Box::new(tags::Tagged::new(decoder)) } else { decoder }
    }

    /// The body of a model call: the input's first `before` messages, then what the run itself has said and
    /// done.
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
        match self {
            Format::ChatCompletions | Format::Signals => {
                chat_completions::request_after(model, input, sent, transcript, &input.tools).map(String::into_bytes)
            }
        }
    }
}
