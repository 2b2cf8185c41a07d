//! Text that is given as it is, until something begins.

use super::bare::Guard;
use super::{Links, Mode, harmless, hold, tag};

impl Links {
    /// Gives text that is nobody's business. True if something begins.
    pub(super) fn plain(&mut self, out: &mut String, end: bool) -> bool {
        loop {
            if self.cut.0 == self.at && self.cut.1 > self.at {
                self.at = self.cut.1;
            }
            if self.tag.as_ref().is_some_and(|open| self.at >= open.end) {
                self.close_tag(out);
                continue;
            }
            if self.guard == Guard::Off && self.lines.inside() && self.give_plain(out) {
                continue;
            }
            let Some(b) = self.byte(self.at) else { return false };
            match self.guard.next(b) {
                Some(guard) => self.guard = guard,
                None => {
                    self.change(self.at, " ", out);
                    continue;
                }
            }
            let (prev, next) = (self.lines.prev, self.byte(self.at + 1));
            match (b, next) {
                (b'<' | b'!', None) if !end => return false,
                (b'<', Some(n)) if n.is_ascii_alphabetic() || n == b'/' => {
                    return self.open(Mode::Tag(tag::At::Name), self.at + if n == b'/' { 2 } else { 1 });
                }
                (b'!', Some(b'[')) => {
                    if self.escape_tag(out) {
                        continue;
                    }
                    return self.open(Mode::Alt, self.at + 2);
                }
                (b'(' | b':', _) if prev == b']' => {
                    if self.escape_tag(out) {
                        continue;
                    }
                    return self.open(Mode::Place(hold::Place::Before), self.at + 1);
                }
                (b'`' | b'~', _) if self.lines.at_start() => {
                    let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
                    let run = rest.iter().take(3).take_while(|mark| **mark == b).count();
                    if run == rest.len() && run < 3 && !end {
                        return false;
                    }
                    if run == 3 && self.lines.open(b) {
                        self.change(self.at, "\n", out);
                        self.lines.open(b);
                    }
                }
                (b'&', _) if self.looks_at_links() => match self.reference(end) {
                    None => return false,
                    Some(true) => {
                        self.change(self.at + 1, "&amp;", out);
                        continue;
                    }
                    Some(false) => {}
                },
                _ if self.begins_address(b, prev) => {
                    self.open(Mode::Scheme, self.at);
                    return true;
                }
                _ => {}
            }
            self.give_one(out);
            if self.lines.fenced() {
                self.mode = Mode::Code;
                return true;
            }
        }
    }

    fn begins_address(&self, b: u8, prev: u8) -> bool {
        matches!(b | 0x20, b'h' | b'w' | b'f')
            && !prev.is_ascii_alphanumeric()
            && !(self.at < self.quiet && matches!(prev, b'/' | b'='))
            && (self.looks_at_links() || self.at < self.lenient)
    }

    /// Gives the bytes that mean nothing wherever they stand in a line. False if there are none.
    fn give_plain(&mut self, out: &mut String) -> bool {
        let mut end = self.text.len();
        for stop in [Some(self.cut.0), self.tag.as_ref().map(|open| open.end)].into_iter().flatten() {
            if stop > self.at {
                end = end.min(stop);
            }
        }
        let rest = self.text.as_bytes().get(self.at..end).unwrap_or_default();
        let plain = harmless(self.lines.prev, rest);
        if let Some(last) = plain.checked_sub(1).and_then(|last| rest.get(last)) {
            self.lines.prev = *last;
            out.push_str(self.text.get(self.at..self.at + plain).unwrap_or_default());
            self.at += plain;
        }
        plain > 0
    }

    /// Gives one character.
    fn give_one(&mut self, out: &mut String) {
        self.give(self.text.ceil_char_boundary(self.at + 1), out);
    }

    /// Whether `&` begins a reference to a letter, a digit or a part of an address; None if that is not known.
    fn reference(&self, end: bool) -> Option<bool> {
        let rest = self.text.as_bytes().get(self.at + 1..).unwrap_or_default();
        let length = rest.iter().take(12).take_while(|b| b.is_ascii_alphanumeric() || **b == b'#').count();
        match rest.get(length) {
            None if !end && length < 12 => return None,
            Some(b';') => {}
            _ => return Some(false),
        }
        let name = rest.get(..length).unwrap_or_default();
        let (digits, radix) = match name {
            [b'#', b'x' | b'X', digits @ ..] => (digits, 16),
            [b'#', digits @ ..] => (digits, 10),
            _ => return Some(matches!(name, b"colon" | b"sol" | b"period" | b"bsol")),
        };
        let mut value = 0u32;
        for digit in digits {
            let Some(digit) = char::from(*digit).to_digit(radix) else { return Some(false) };
            value = value.saturating_mul(radix).saturating_add(digit);
        }
        let c = u8::try_from(value).unwrap_or(0);
        Some(c.is_ascii_alphanumeric() || matches!(c, b':' | b'/' | b'.' | b'\\'))
    }

    pub(super) fn code(&mut self, out: &mut String) -> bool {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        let mut length = 0;
        let ends = rest.iter().any(|b| {
            let stays = self.lines.note_code(*b);
            length += usize::from(stays);
            !stays || !self.lines.fenced()
        });
        out.push_str(self.text.get(self.at..self.at + length).unwrap_or_default());
        self.at += length;
        if ends {
            self.mode = Mode::Text;
        }
        ends
    }

    /// A tag was given whole. If something in it was changed, it must be none.
    fn close_tag(&mut self, out: &mut String) {
        if self.tag.as_ref().is_some_and(|open| open.count != self.count) {
            self.escape_tag(out);
        }
        self.tag = None;
    }

    /// The tag that is being given becomes text, which is read again. True if there is one.
    fn escape_tag(&mut self, out: &mut String) -> bool {
        let Some(open) = self.tag.take() else { return false };
        out.truncate(open.out);
        (self.at, self.lines, self.count) = (open.start, open.lines, open.count);
        (self.lenient, self.address, self.quiet, self.cut) = (0, 0, 0, (0, 0));
        self.guard = Guard::Off;
        self.change(open.start + 1, open.bracket, out);
        true
    }
}
