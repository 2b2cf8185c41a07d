//! The wires: one serializer a client format (committed events to frames) and one request parser each.
//!
//! A serializer is a pure fold of committed events: for the same events and the same [`Profile`] it
//! gives the same bytes, whenever and however often they are read. A frame is one line of JSON; the
//! event-stream encoding around it is [`crate::sse`]'s business, cursors are the reader's.

pub mod agui;
pub(crate) mod approval;
mod asked;
pub mod canonical;
pub mod chat_completions;
pub(crate) mod cost;
pub(crate) mod ending;
pub(crate) mod field;
pub(crate) mod fingerprint;
pub mod messages;
pub mod output;
mod pieces;
pub mod responses;
pub mod ui_stream;

pub use asked::{Asked, Form, Names, idempotency_key};
pub use output::{Document, Item, Output};

use crate::event::Event;
use crate::profile::Profile;
use crate::sse::Frame;
use crate::stored::stored_names;
use crate::{Error, ErrorKind, Millis};
use agui::Limits;
use serde_json::Value;

/// The most bytes of one frame that carries a piece of text: 64 KiB. A piece whose JSON form is
/// longer becomes several frames.
pub const DELTA_FRAME: usize = 64 << 10;

/// The most bytes of one frame that a protocol wants whole (a snapshot of messages): 4 MiB.
pub const WHOLE_FRAME: usize = 4 << 20;

/// What a serializer knows besides the event.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// The run's id, as the client gave it.
    pub run: &'a str,
    /// The thread's id, as the client gave it.
    pub thread: &'a str,
    /// What was frozen when the run started.
    pub profile: &'a Profile,
}

/// True if a frame's data is of that type: every wire writes the type first.
pub(crate) fn is_of_type(data: &str, kind: &str) -> bool {
    data.strip_prefix("{\"type\":\"").and_then(|rest| rest.strip_prefix(kind)).is_some_and(|rest| rest.starts_with('"'))
}

/// A client format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Wire {
    /// The event itself, for the operator's tools and for clients of our own.
    Canonical,
    /// AG-UI 1.0. Always a customer's wire.
    AgUi,
    /// OpenAI Responses. Always a customer's wire.
    Responses,
    /// OpenAI Chat Completions. Always a customer's wire.
    ChatCompletions,
    /// The AI SDK's UI message stream. Always a customer's wire.
    UiStream,
    /// Anthropic Messages. Always a customer's wire.
    Messages,
}

stored_names!(Wire {
    Canonical = "canonical",
    AgUi = "ag-ui",
    Responses = "responses",
    ChatCompletions = "chat-completions",
    UiStream = "ui-stream",
    Messages = "messages",
});

/// The fold of a wire whose frames depend on those before them. It is given a run's events from the first on, all that
/// a customer may see and nothing else, and gives the same frames for the same events, profile and request.
pub trait Serializer {
    /// Adds the frames of the next committed event, of whatever size. No frame has an id.
    ///
    /// # Errors
    /// As of [`Serializer::frames`], but for the size.
    fn fold(&mut self, cx: &Context<'_>, at: Millis, event: &Event, out: &mut Vec<Frame>) -> Result<(), Error>;

    /// Adds the frames of the next committed event, as they may be sent; none if there is an error.
    ///
    /// # Errors
    /// As of [`Wire::frames`].
    fn frames(&mut self, cx: &Context<'_>, at: Millis, event: &Event, out: &mut Vec<Frame>) -> Result<(), Error> {
        let from = out.len();
        let folded = self.fold(cx, at, event, out);
        let added = out.iter().skip(from);
        let fine = folded.and_then(|()| check_sizes(added.map(|frame| frame.data.len())));
        if fine.is_err() {
            out.truncate(from);
        }
        fine
    }
}

impl Wire {
    /// The frames of one committed event, each one line of JSON, on a wire that needs no memory between events. None
    /// means that nothing is sent.
    ///
    /// # Errors
    /// [`ErrorKind::StreamInterrupted`] for a frame of more than [`WHOLE_FRAME`], which no client need
    /// take; [`ErrorKind::RecordTooNew`] if the profile names a serializer version that this code does not
    /// have; [`ErrorKind::RecordUnreadable`] if the event can't be said on the wire.
    pub fn frames(self, cx: &Context<'_>, seq: u64, at: Millis, event: &Event) -> Result<Vec<String>, Error> {
        self.check_version(cx.profile)?;
        let frames = match self {
            Wire::Canonical => canonical::frames(cx, seq, at, event),
            Wire::AgUi => agui::frames(cx, at, event)?,
            _ => return Err(ErrorKind::Internal.into()),
        };
        check_sizes(frames.iter().map(String::len))?;
        Ok(frames)
    }

    /// The fold of a wire that has one. `request` is what of the request the wire sends back ([`Wire::wants_request`]),
    /// `usage` whether the client asks for usage where the wire leaves that to it; on the UI stream, whether it wants the
    /// parts too that the message had before the run.
    pub fn serializer(self, request: Option<&Value>, usage: bool) -> Option<Box<dyn Serializer>> {
        match self {
            Wire::Canonical | Wire::AgUi => None,
            Wire::Responses => Some(Box::new(responses::Stream::new(request))),
            Wire::ChatCompletions => Some(Box::new(chat_completions::Stream::new(usage))),
            Wire::UiStream => Some(Box::new(ui_stream::Stream::new(request, usage))),
            Wire::Messages => Some(Box::new(messages::Stream::default())),
        }
    }

    /// What a client is sent that asked for no stream: the whole answer, once the run has ended, or, on a wire that has
    /// a word for it, how it stands before. None on wires that only stream. `at` is the time of the last event. A run that
    /// has failed is an error, unless it was asked how it stands ([`Form::Now`]).
    pub fn document(
        self,
        cx: &Context<'_>,
        request: Option<&Value>,
        output: &Output,
        form: Form,
        at: Millis,
    ) -> Option<Document> {
        match self {
            Wire::Canonical | Wire::AgUi | Wire::UiStream => None,
            Wire::Responses => Some(responses::document(cx, request, output, form, at)),
            Wire::ChatCompletions => Some(chat_completions::document(cx, output)),
            Wire::Messages => Some(messages::document(cx, output)),
        }
    }

    /// Understands the body of a POST that begins a run on this wire.
    ///
    /// # Errors
    /// As of [`agui::parse`]. [`ErrorKind::NotFound`] on the canonical wire, which begins none.
    pub fn parse(self, body: &[u8], names: &Names<'_>, limits: &Limits) -> Result<Asked, Error> {
        match self {
            Wire::Canonical => Err(ErrorKind::NotFound.into()),
            Wire::AgUi => agui::parse(body, limits).map(Asked::streamed),
            Wire::Responses => responses::parse(body, names, limits),
            Wire::ChatCompletions => chat_completions::parse(body, names, limits),
            Wire::UiStream => ui_stream::parse(body, names, limits),
            Wire::Messages => messages::parse(body, names, limits),
        }
    }

    /// The reader's own failure in the wire's error form. It is no event of the run and has no cursor.
    pub fn failure(self, cx: &Context<'_>, error: &Error) -> Frame {
        match self {
            Wire::Canonical => Frame::new(canonical::failure(cx, error)),
            Wire::AgUi => Frame::new(agui::failure(error)),
            Wire::Responses => responses::failure(error),
            Wire::ChatCompletions => chat_completions::failure(error),
            Wire::UiStream => ui_stream::failure(error),
            Wire::Messages => messages::failure(error),
        }
    }

    /// The types of the frames behind which a stream of this wire says nothing: a run's terminals and the
    /// reader's own failure. `[DONE]` is the end mark of that name, and an `error` may be a frame without a type whose
    /// first member has that name.
    pub fn ends(self) -> &'static [&'static str] {
        match self {
            Wire::Canonical => &["task_completed", "task_failed", "task_cancelled", "approval_requested", "error"],
            Wire::AgUi => &["RUN_FINISHED", "RUN_ERROR"],
            Wire::Responses => &["response.completed", "response.incomplete", "response.failed", "error", "[DONE]"],
            Wire::ChatCompletions => &["error", "[DONE]"],
            Wire::UiStream => &["finish", "error", "abort", "[DONE]"],
            Wire::Messages => &["message_stop", "error"],
        }
    }

    /// The headers of its streams besides those of every event stream.
    pub fn headers(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Wire::UiStream => &[("x-vercel-ai-ui-message-stream", "v1")],
            _ => &[],
        }
    }

    /// True if a reader that joins without a cursor is first sent a prelude ([`agui::Prelude`]).
    pub fn has_prelude(self) -> bool {
        self == Wire::AgUi
    }

    /// True if what is sent depends on the request too ([`crate::input::Echo::request`]).
    pub fn wants_request(self) -> bool {
        matches!(self, Wire::Responses | Wire::UiStream)
    }

    /// A profile without the wire's name was frozen before the wire existed: it reads as version 1.
    ///
    /// # Errors
    /// [`ErrorKind::RecordTooNew`] for a version that this code does not have.
    pub fn check_version(self, profile: &Profile) -> Result<(), Error> {
        let wires = &profile.wires;
        let version = match self {
            Wire::Canonical => wires.canonical,
            Wire::AgUi => wires.ag_ui,
            Wire::Responses => wires.responses,
            Wire::ChatCompletions => wires.chat_completions,
            Wire::UiStream => wires.ui_stream,
            Wire::Messages => wires.messages,
        };
        match version {
            None | Some(1) => Ok(()),
            Some(_) => Err(Error::new(ErrorKind::RecordTooNew)),
        }
    }
}

/// No frame is longer than [`WHOLE_FRAME`].
fn check_sizes(mut sizes: impl Iterator<Item = usize>) -> Result<(), Error> {
    match sizes.all(|size| size <= WHOLE_FRAME) {
        true => Ok(()),
        false => Err(Error::new(ErrorKind::StreamInterrupted)),
    }
}
