//! Where a reader of a thread is, and where it begins.

use super::super::reader::Cursor;
use crate::error::{Error, ErrorKind};
use std::fmt;

/// How far a reader of a thread has come: a run's ordinal, from 1, and a cursor in that run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    pub(super) ordinal: u32,
    pub(super) cursor: Cursor,
}

impl Position {
    /// Before everything.
    pub const START: Position = Position { ordinal: 1, cursor: Cursor::START };

    /// Reads `{ordinal}-{seq}` or `{ordinal}-{seq.k}`, as an `id:` line has it.
    ///
    /// # Errors
    /// [`ErrorKind::BadCursor`] for anything else.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let bad = || Error::new(ErrorKind::BadCursor);
        let (ordinal, cursor) = text.split_once('-').ok_or_else(bad)?;
        let digits = ordinal.bytes().all(|byte| byte.is_ascii_digit());
        let ordinal = ordinal.parse().ok().filter(|ordinal| digits && *ordinal > 0).ok_or_else(bad)?;
        Ok(Position { ordinal, cursor: Cursor::parse(cursor)? })
    }

    /// Before everything of the run of that ordinal.
    pub(super) fn run(ordinal: u32) -> Self {
        Position { ordinal, cursor: Cursor::START }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.ordinal, self.cursor)
    }
}

/// Where a reader of a thread begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Since {
    /// Only what comes after it; [`Position::START`] gives all that is retained.
    After(Position),
    /// Only what is committed from now on.
    Latest,
}

impl Since {
    /// Reads a position, or `latest`.
    ///
    /// # Errors
    /// [`ErrorKind::BadCursor`] for anything else.
    pub fn parse(text: &str) -> Result<Self, Error> {
        if text == "latest" { Ok(Since::Latest) } else { Position::parse(text).map(Since::After) }
    }
}

impl fmt::Display for Since {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Since::After(position) => position.fmt(f),
            Since::Latest => f.write_str("latest"),
        }
    }
}
