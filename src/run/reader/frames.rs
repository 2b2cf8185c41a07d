//! What a reader sends: the frames of an event, and the one that says that it can't go on.

use super::{Cursor, Reader};
use crate::error::{Error, ErrorKind};
use crate::event::Event;
use crate::profile::Profile;
use crate::run::journal::Committed;
use crate::run::record::RunRecord;
use crate::run::sanitize::interrupted;
use crate::sse::Frame;
use crate::wire::{Context, is_of_type};

impl Reader {
    /// An event that gives several frames carries the bare number only on its last one.
    pub(super) fn queue_frames(&mut self, committed: &Committed, event: &Event) -> Result<(), Error> {
        let Some(head) = &self.head else { return Ok(()) };
        let frames = self.wire.frames(&context(head), committed.seq(), committed.at(), event)?;
        let count = frames.len();
        if count == 0 && event.is_terminal() {
            return Err(ErrorKind::RecordUnreadable.into());
        }
        for (data, k) in frames.into_iter().zip(1u32..) {
            let last = k as usize == count;
            let id = Cursor { seq: committed.seq(), k: if last { u32::MAX } else { k } };
            if id > self.cursor && (event.is_terminal() || self.wants(&data)) {
                self.queue.push(Frame { id: Some(id.text()), ..Frame::new(data) });
            }
        }
        Ok(())
    }

    fn wants(&self, data: &str) -> bool {
        self.types.as_ref().is_none_or(|types| types.iter().any(|kind| is_of_type(data, kind)))
    }

    pub(in crate::run) fn run(&self) -> &str {
        self.head.as_ref().or(self.claim.as_ref()).map_or("", |head| head.run.as_str())
    }

    pub(super) fn failure(&self, cause: &Error) -> Frame {
        let (_, told) = interrupted(cause.kind(), self.run(), &self.name);
        let nameless = Profile::new("", None, 0);
        let context = match &self.head {
            Some(head) => context(head),
            None => Context { run: "", thread: "", profile: &nameless },
        };
        self.wire.failure(&context, &told)
    }
}

pub(super) fn context(head: &RunRecord) -> Context<'_> {
    Context { run: &head.run, thread: &head.thread, profile: &head.profile }
}
