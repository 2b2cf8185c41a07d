//! What a client that joins is sent before the tail: the input, and the run folded over it up to the cut.

use super::frames::context;
use super::{Cursor, Opening, Reader};
use crate::error::Error;
use crate::run::echo;
use crate::run::journal::Committed;
use crate::sse::Frame;
use crate::wire::agui::Prelude;

impl Reader {
    pub(super) fn is_before_cut(&self, committed: &Committed) -> bool {
        matches!(&self.opening, Opening::Prelude { cut, .. } if committed.seq() <= *cut)
    }

    pub(super) fn state_loaded(&mut self, committed: &Committed) -> Result<(), Error> {
        if let (Opening::Prelude { prelude: Some(prelude), .. }, Some(event)) = (&mut self.opening, committed.event()) {
            prelude.fold(event);
        }
        self.open()
    }

    /// Once the input is whole, events can be folded over it.
    pub(super) fn prelude_due(&mut self) -> Result<(), Error> {
        let Some(head) = &self.head else { return Ok(()) };
        let count = head.echo.as_ref().map_or(0, |echo| echo.pieces);
        if let Opening::Prelude { pieces, next, prelude: prelude @ None, .. } = &mut self.opening
            && *next >= count
        {
            let echo = if count == 0 { Default::default() } else { echo::decode(pieces)? };
            *prelude = Some(Box::new(Prelude::new(&echo)));
            pieces.clear();
        }
        Ok(())
    }

    /// Sends the prelude; only its last frame has an id, its cut.
    pub(super) fn open(&mut self) -> Result<(), Error> {
        let Some(head) = &self.head else { return Ok(()) };
        let Opening::Prelude { prelude: Some(prelude), cut, .. } = &self.opening else { return Ok(()) };
        let mut frames: Vec<Frame> = prelude.frames(&context(head))?.into_iter().map(Frame::new).collect();
        if let Some(last) = frames.last_mut() {
            last.id = Some(cut.to_string());
        }
        self.cursor = Cursor::after(*cut);
        self.opening = Opening::Tail;
        self.queue.extend(frames);
        Ok(())
    }
}
