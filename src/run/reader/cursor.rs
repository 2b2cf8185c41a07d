//! Where a reader stands between two of its frames.

use crate::error::{Error, ErrorKind};
use crate::json::Json;
use crate::run::record::RunRecord;
use std::fmt;

/// How far a reader has come: after event `seq`, or after the first `k` of its frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cursor {
    pub(super) seq: u64,
    pub(super) k: u32,
}

impl Cursor {
    /// Before everything.
    pub const START: Cursor = Cursor { seq: 0, k: u32::MAX };

    /// After the whole event of that number.
    pub fn after(seq: u64) -> Self {
        Cursor { seq, k: u32::MAX }
    }

    /// As an `id:` line has it.
    pub(super) fn text(self) -> String {
        let mut text = String::with_capacity(16);
        self.seq.write(&mut text);
        if self.k != u32::MAX {
            text.push('.');
            self.k.write(&mut text);
        }
        text
    }

    /// True if a reader that has come so far has had all of that run, and it has ended.
    pub fn is_last_of(self, record: &RunRecord) -> bool {
        record.is_ended() && self == Cursor::after(record.sequence)
    }

    /// Reads `seq` or `seq.k`, as an `id:` line has it.
    ///
    /// # Errors
    /// [`ErrorKind::BadCursor`] for anything else.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let bad = || Error::new(ErrorKind::BadCursor);
        let number = |text: &str| match text.bytes().all(|byte| byte.is_ascii_digit()) {
            true => text.parse::<u64>().map_err(|_| bad()),
            false => Err(bad()),
        };
        match text.split_once('.') {
            None => Ok(Cursor::after(number(text)?)),
            Some((seq, k)) => {
                let k = u32::try_from(number(k)?).ok().filter(|k| (1..u32::MAX).contains(k)).ok_or_else(bad)?;
                Ok(Cursor { seq: number(seq)?, k })
            }
        }
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}
