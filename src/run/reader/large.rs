//! An event that stands in pieces, on its way out of the store. A reader has one at a time.

use crate::error::Error;
use crate::run::journal::Committed;
use crate::run::keys::RunKeys;
use crate::run::record::RunRecord;

/// Its pieces so far.
pub(super) struct Gathering {
    committed: Committed,
    bytes: Vec<u8>,
    next: u32,
    /// It is the state that a prelude still lacks, and nothing else.
    pub(super) opens: bool,
}

impl Gathering {
    pub(super) fn of(committed: Committed, opens: bool) -> Self {
        Gathering { committed, bytes: Vec::new(), next: 0, opens }
    }

    /// The key of the next piece: whoever wrote the segment wrote it.
    pub(super) fn wanted(&self, keys: &RunKeys, head: &RunRecord) -> Option<String> {
        let sequence = self.committed.seq();
        let writer = head.writers.get(head.writer_of(sequence)?)?;
        Some(keys.event(&writer.token, sequence, self.next))
    }

    /// Takes a piece; the event, once it is whole.
    pub(super) fn loaded(&mut self, piece: &[u8]) -> Result<Option<Committed>, Error> {
        self.bytes.extend_from_slice(piece);
        self.next += 1;
        let whole = self.committed.pieces().is_none_or(|pieces| self.next >= pieces);
        whole.then(|| self.committed.joined(&self.bytes)).transpose()
    }
}
