//! The marks of a head: its longest part, and the one that is only numbers. So they are written without much ado, and
//! read past the parser, which sees an empty list in their place.

use super::Mark;
use crate::bytes;
use crate::json::Json;
use crate::json::body::{body, number, object_end};

const WRITER: &str = r#"{"writer":"#;
const SEGMENT: &str = r#","segment":"#;
const FIRST: &str = r#","first":"#;
/// About how long a mark is, in bytes.
pub(super) const LENGTH: usize = 48;

impl Json for Mark {
    fn write(&self, out: &mut String) {
        for (before, number) in [(WRITER, self.writer.into()), (SEGMENT, self.segment.into()), (FIRST, self.first)] {
            out.push_str(before);
            number.write(out);
        }
        out.push('}');
    }
}

/// The marks of a stored head, and the head without them. None where they are not of the form that is written here, and
/// of course where there are none.
pub(super) fn taken(head: &[u8]) -> Option<(Vec<Mark>, Vec<u8>)> {
    let mut rest = head.strip_prefix(b"{")?;
    let mut found = None;
    loop {
        let (name, behind) = body(rest.strip_prefix(b"\"")?)?;
        let value = behind.strip_prefix(b"\":")?;
        // With an escape it would be another name.
        if name.raw().contains(&b'\\') || found.is_some() && name.raw() == b"marks" {
            return None;
        }
        rest = if name.raw() == b"marks" {
            let (marks, behind) = list(value.strip_prefix(b"[")?)?;
            found = Some((marks, head.len() - value.len() + 1, head.len() - behind.len()));
            behind.get(1..)?
        } else {
            value.get(length(value)?..)?
        };
        match rest {
            [b',', behind @ ..] => rest = behind,
            b"}" => break,
            _ => return None,
        }
    }
    let (marks, from, to) = found?;
    Some((marks, [head.get(..from)?, head.get(to..)?].concat()))
}

/// The marks of a list that is not empty, and what stands behind them.
fn list(mut rest: &[u8]) -> Option<(Vec<Mark>, &[u8])> {
    let mut marks = Vec::new();
    loop {
        let (writer, behind) = number(bytes::behind(rest, WRITER.as_bytes())?)?;
        let (segment, behind) = number(bytes::behind(behind, SEGMENT.as_bytes())?)?;
        let (first, behind) = number(bytes::behind(behind, FIRST.as_bytes())?)?;
        marks.push(Mark { writer: writer.try_into().ok()?, segment: segment.try_into().ok()?, first });
        let behind = behind.strip_prefix(b"}")?;
        match behind.split_first()? {
            (b',', behind) => rest = behind,
            (b']', _) => return Some((marks, behind)),
            _ => return None,
        }
    }
}

/// The length of a value, without white space in front.
fn length(value: &[u8]) -> Option<usize> {
    match value.first()? {
        b'"' => Some(body(value.get(1..)?)?.0.raw().len() + 2),
        b'{' | b'[' => object_end(value),
        _ => value.iter().position(|byte| matches!(byte, b',' | b'}')),
    }
}
