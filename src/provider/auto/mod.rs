//! A stream whose format the first bytes tell.
//!
//! They are kept until they tell it, at most [`MAX_SEARCHED`] bytes of them, and are then decoded from the first on
//! by that format's own decoder. How they are cut matters to nobody. Which format it was
//! [`Decoder::format`](crate::provider::Decoder::format) says.
//!
//! | seen first | is |
//! |---|---|
//! | an event with `choices`, or `[DONE]` alone | Chat Completions |
//! | an event whose type or name begins with `response.`; a whole response as an event | OpenAI Responses |
//! | an event of type or, without a type, of name `message_start` or another of theirs; a whole message as an event | Anthropic |
//! | an event with `candidates`, `promptFeedback` or `usageMetadata`; an array of such objects | Gemini |
//! | an event with `response`, `tool_calls` or `errors` of its own | Workers AI |
//! | an event whose type is all capitals | AG-UI |
//! | an event whose type is a signal's | signals |
//! | an object with `done`, on a line or alone | Ollama |
//! | a body with `choices`; with `object: response`; with `type: message`; with `candidates`; with `result`, `response` or `errors` | the same in the same order: Chat Completions, Responses, Anthropic, Gemini, Workers AI |
//! | an event or a body that is nothing but an error | [`Reported`](Fault::Reported), which it is in all of them |
//! | comments, pings, events that say nothing yet | is passed |
//! | anything else | [`Malformed`](Fault::Malformed) |
//! | the end before any of these | [`Cut`](Fault::Cut) |
//!
//! Where Workers AI or another service speaks Chat Completions, that is what is taken.
//!
//! A provider is asked in the format that its address tells ([`super::Format::asked_at`]).

mod detect;
mod search;

use super::Format;
use crate::signal::{Fault, Signal};
use search::{Found, Search};

pub use search::MAX_SEARCHED;

/// Decodes one response.
#[derive(Default)]
pub struct Decoder {
    /// Away once the format is found, or that it is none.
    search: Option<Search>,
    found: Option<(Format, Box<dyn super::Decoder>)>,
    over: bool,
}

impl Decoder {
    /// A decoder for a response of which nothing has come yet.
    pub fn new() -> Self {
        Decoder { search: Some(Search::default()), ..Decoder::default() }
    }

    fn fail(&mut self, fault: Fault, out: &mut Vec<Signal>) {
        self.search = None;
        if !std::mem::replace(&mut self.over, true) {
            out.extend([Signal::ResponseStart { model: None }, Signal::Error(fault)]);
        }
    }
}

impl super::Decoder for Decoder {
    fn feed(&mut self, bytes: &[u8], out: &mut Vec<Signal>) {
        if let Some((_, decoder)) = &mut self.found {
            return decoder.feed(bytes, out);
        }
        let Some(search) = &mut self.search else { return };
        match search.feed(bytes) {
            Found::NotYet => {}
            Found::Nothing => self.fail(Fault::Malformed, out),
            Found::Format(format) => {
                let bytes = search.take();
                self.search = None;
                let (_, decoder) = self.found.insert((format, format.decoder()));
                decoder.feed(&bytes, out);
            }
        }
    }

    fn finish(&mut self, out: &mut Vec<Signal>) {
        if let Some((_, decoder)) = &mut self.found {
            return decoder.finish(out);
        }
        let fault = self.search.as_ref().map_or(Fault::Malformed, Search::fault);
        self.fail(fault, out);
    }

    fn has_finished(&self) -> bool {
        self.found.as_ref().is_some_and(|(_, decoder)| decoder.has_finished())
    }

    fn format(&self) -> Option<Format> {
        self.found.as_ref().map(|(format, _)| *format)
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
