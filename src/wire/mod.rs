//! The wires: one serializer a client format (committed events to frames) and one request parser each.
//!
//! A serializer is a pure fold of committed events: for the same events and the same [`Profile`] it
//! gives the same bytes, whenever and however often they are read. A frame is one line of JSON; the
//! event-stream encoding around it is [`crate::sse`]'s business, cursors are the reader's.

pub mod agui;
pub mod canonical;
pub(crate) mod fingerprint;
mod pieces;

use crate::event::Event;
use crate::profile::Profile;
use crate::{Error, ErrorKind, Millis};

/// The canonical wire's name in a profile.
pub const CANONICAL: &str = "canonical";
/// The AG-UI wire's name in a profile.
pub const AG_UI: &str = "ag-ui";

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
}

impl Wire {
    /// The wire's name in a profile.
    pub fn name(self) -> &'static str {
        match self {
            Wire::Canonical => CANONICAL,
            Wire::AgUi => AG_UI,
        }
    }

    /// The frames of one committed event, each one line of JSON. None means that nothing is sent.
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
        };
        check_size(&frames)?;
        Ok(frames)
    }

    /// The reader's own failure in the wire's error form. It is no event of the run and has no cursor.
    pub fn failure(self, cx: &Context<'_>, error: &Error) -> String {
        match self {
            Wire::Canonical => canonical::failure(cx, error),
            Wire::AgUi => agui::failure(error),
        }
    }

    /// The types of the frames behind which a stream of this wire says nothing: a run's terminals and the
    /// reader's own failure.
    pub fn ends(self) -> &'static [&'static str] {
        match self {
            Wire::Canonical => &["task_completed", "task_failed", "task_cancelled", "approval_requested", "error"],
            Wire::AgUi => &["RUN_FINISHED", "RUN_ERROR"],
        }
    }

    /// True if a reader that joins without a cursor is first sent a prelude ([`agui::Prelude`]).
    pub fn has_prelude(self) -> bool {
        self == Wire::AgUi
    }

    /// A profile without the wire's name was frozen before the wire existed: it reads as version 1.
    fn check_version(self, profile: &Profile) -> Result<(), Error> {
        let version = match self {
            Wire::Canonical => profile.wires.canonical,
            Wire::AgUi => profile.wires.ag_ui,
        };
        match version {
            None | Some(1) => Ok(()),
            Some(_) => Err(Error::new(ErrorKind::RecordTooNew)),
        }
    }
}

/// No frame is longer than [`WHOLE_FRAME`].
fn check_size(frames: &[String]) -> Result<(), Error> {
    match frames.iter().all(|frame| frame.len() <= WHOLE_FRAME) {
        true => Ok(()),
        false => Err(Error::new(ErrorKind::StreamInterrupted)),
    }
}
