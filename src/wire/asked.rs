//! What a POST asks for, besides its run.

use crate::input::RunInput;

/// A request that begins a run, understood.
#[derive(Clone, Debug, PartialEq)]
pub struct Asked {
    /// The run's input.
    pub input: RunInput,
    /// The run whose conversation comes before the input's messages, where the request names one.
    pub previous: Option<String>,
    /// How the client wants its answer.
    pub form: Form,
    /// It asks for usage in the stream, where the wire leaves that to it.
    pub usage: bool,
}

/// How a client wants a run's answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// As a stream of events.
    #[default]
    Stream,
    /// As one document, once the run has ended.
    Whole,
    /// As one document, at once, however the run stands.
    Now,
}

crate::stored::stored_names!(Form { Stream = "stream", Whole = "whole", Now = "now" });

/// Names for what a request on a wire without them begins.
#[derive(Clone, Copy, Debug)]
pub struct Names<'a> {
    /// The run's id.
    pub run: &'a str,
    /// The thread's id, where something beside the body names one. A request that names none of its own is in a thread
    /// that is named as its run.
    pub thread: Option<&'a str>,
}

impl Asked {
    /// A run that is answered as a stream.
    pub fn streamed(input: RunInput) -> Self {
        Asked { input, previous: None, form: Form::Stream, usage: false }
    }
}
