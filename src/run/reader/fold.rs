//! Wires whose frames depend on those before them, and answers that are no streams: both read a run from its first event.

use super::frames::context;
use super::{Cursor, Opening, Reader};
use crate::Millis;
use crate::error::{Error, ErrorKind};
use crate::event::{Event, View};
use crate::run::echo;
use crate::run::keys::RunKeys;
use crate::wire::{Context, Document, Form, Output, Serializer, Wire};
use serde_json::Value;

/// What a reader makes of the events, where it needs memory for it.
pub(super) struct Fold {
    form: Form,
    usage: bool,
    /// How many frames are passed over: those that the client has had.
    had: u64,
    /// What of the request a document sends back.
    request: Option<Value>,
    serializer: Option<Box<dyn Serializer>>,
    output: Output,
    at: Millis,
}

impl Reader {
    /// A reader of a wire with memory, or of an answer that is no stream, for a customer. `usage` is whether the client
    /// has asked for usage, `had` how many of the stream's frames it has had.
    pub fn folding(keys: RunKeys, wire: Wire, form: Form, usage: bool, had: u64) -> Self {
        let fold = Fold { form, usage, had, request: None, serializer: None, output: Output::default(), at: 0 };
        let opening = match wire.wants_request() {
            true => Opening::Request { pieces: Vec::new(), next: 0 },
            false => Opening::Tail,
        };
        Reader { fold: Some(fold), opening, ..Reader::new(keys, View::Customer, wire, Some(Cursor::START)) }
    }

    /// True where what is sent is one document.
    pub fn is_document(&self) -> bool {
        self.fold.as_ref().is_some_and(|fold| fold.form != Form::Stream)
    }

    /// Once the request is whole, events can be folded.
    pub(super) fn request_due(&mut self) -> Result<(), Error> {
        let Some(head) = &self.head else { return Ok(()) };
        let count = head.echo.as_ref().map_or(0, |echo| echo.pieces);
        let request = match &self.opening {
            Opening::Request { pieces, next } if *next >= count => match count {
                0 => None,
                _ => echo::decode(pieces)?.request,
            },
            Opening::Tail => None,
            _ => return Ok(()),
        };
        let Some(fold) = &mut self.fold else { return Ok(()) };
        self.wire.check_version(&head.profile)?;
        self.opening = Opening::Tail;
        if fold.form == Form::Stream {
            let new = || self.wire.serializer(request.as_ref(), fold.usage);
            fold.serializer = fold.serializer.take().or_else(new);
            return Ok(());
        }
        fold.request = fold.request.take().or(request);
        if fold.form == Form::Now && !head.is_ended() {
            fold.at = head.times.started_at;
            self.document = fold.document(self.wire, &context(head));
            self.ended = true;
        }
        Ok(())
    }

    /// Takes an event that its view sees. True if there is a fold.
    pub(super) fn fold(&mut self, at: Millis, event: &Event) -> Result<bool, Error> {
        let (Some(fold), Some(head)) = (&mut self.fold, &self.head) else { return Ok(false) };
        let cx = context(head);
        fold.at = at;
        if let Some(serializer) = &mut fold.serializer {
            let from = self.queue.len();
            serializer.frames(&cx, at, event, &mut self.queue)?;
            let had = usize::try_from(fold.had).unwrap_or(usize::MAX).min(self.queue.len() - from);
            fold.had -= had as u64;
            self.queue.drain(from..from + had);
            return Ok(true);
        }
        fold.output.take(event);
        if event.is_terminal() {
            self.document = fold.document(self.wire, &cx);
            if self.document.is_none() {
                return Err(ErrorKind::RecordUnreadable.into());
            }
        }
        Ok(true)
    }
}

impl Fold {
    fn document(&self, wire: Wire, cx: &Context<'_>) -> Option<Document> {
        wire.document(cx, self.request.as_ref(), &self.output, self.form, self.at)
    }
}
