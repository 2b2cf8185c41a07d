//! Addresses in text.

use super::address::{Kind, Verdict, names_host};
use super::hold::Step;
use super::{Links, Mode};

/// Where an allowed host has just ended for us, some readers read on, up to white space or a `/`: what was the
/// host may be a part of another's name, or of what stands before an `@`.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Guard {
    Off,
    Host,
    /// Behind a dot.
    Dot,
    /// Something that no host holds was read: only an `@` matters.
    User,
}

impl Guard {
    /// Before a byte is given: what is to be, or `None` if it must not stand there.
    pub(super) fn next(self, b: u8) -> Option<Guard> {
        match (self, b) {
            (Guard::Off, _) | (_, b'<' | b'/' | b'?' | b'#' | b'\\' | 0x7f | 0..=b' ') => Some(Guard::Off),
            (_, b'@') => None,
            (Guard::User, _) | (_, b'[' | b']' | b'^' | b'|' | b'>' | b':') => Some(Guard::User),
            (_, b'.') => Some(Guard::Dot),
            (Guard::Dot, b) if b.is_ascii_alphanumeric() || b >= 0x80 || matches!(b, b'%' | b'&') => None,
            _ => Some(Guard::Host),
        }
    }
}

impl Links {
    /// An allowed address goes up to here. What may be another one in it, behind a parenthesis or a comma, is looked at.
    pub(super) fn quiet(&mut self, to: usize) {
        self.address = self.address.max(to);
        self.quiet = to - self.slice(self.start, to).find(['(', ',']).map_or(0, |at| to - self.start - at);
    }

    /// Leaves out the query and fragment of an allowed address that goes from behind its host to `to`.
    pub(super) fn strip(&mut self, from: usize, to: usize) {
        let query = self.slice(from, to).bytes().position(|b| matches!(b, b'?' | b'#'));
        if let Some(at) = query.filter(|_| self.policy.options.strip_query) {
            let to = if self.cut.0 == from + at { to.max(self.cut.1) } else { to };
            self.cut = (from + at, to);
        }
    }

    /// Leaves out what is left of an address.
    pub(super) fn rest(&mut self, angled: bool, b: Option<u8>) -> Step {
        let ends = match b {
            None => true,
            Some(b'<' | b'\n' | b'\r' | b'>') => true,
            Some(_) if angled => false,
            Some(b) => stops(b) || b == b')',
        };
        if ends {
            self.at = self.seen + usize::from(angled && b == Some(b'>'));
            return self.ends();
        }
        self.seen += 1;
        self.at = self.seen;
        Step::More
    }

    pub(super) fn scheme(&mut self, b: Option<u8>, out: &mut String) -> Step {
        let upto = self.seen + 1;
        match b.map(|_| begins(self.text.as_bytes().get(self.at..upto).unwrap_or_default())) {
            Some(Begins::Maybe) => self.goes(Mode::Scheme),
            Some(Begins::Yes) => {
                // Inside an allowed address its end is known.
                (self.mode, self.start, self.seen) = (Mode::Bare, upto, upto.max(self.address));
                Step::More
            }
            _ => {
                self.give(self.at + 1, out);
                self.ends()
            }
        }
    }

    pub(super) fn bare(&mut self, b: Option<u8>, full: bool, out: &mut String) -> Step {
        let before = self.byte(self.seen - 1);
        match b {
            Some(b) if self.broke => {
                self.broke = b != b']';
                if b.is_ascii_hexdigit() || matches!(b, b':' | b'.' | b'%' | b']') {
                    return self.goes(Mode::Bare);
                }
                // No numbers: the bracket was the end.
                let open = self.slice(self.at, self.seen).rfind('[').unwrap_or(0);
                self.seen = self.at + open;
            }
            Some(b'[') if matches!(before, Some(b'/' | b'\\' | b'@')) => {
                self.broke = true;
                return self.goes(Mode::Bare);
            }
            Some(b'(') => {
                self.depth += 1;
                return self.goes(Mode::Bare);
            }
            Some(b')') if self.depth > 0 => {
                self.depth -= 1;
                return self.goes(Mode::Bare);
            }
            Some(b) if b != b')' && !stops(b) => return self.goes(Mode::Bare),
            _ => {}
        }
        self.end_bare(full, out)
    }

    fn end_bare(&mut self, full: bool, out: &mut String) -> Step {
        let trailing = |b: &u8| matches!(b, b'?' | b'!' | b'.' | b',' | b':' | b';' | b'*' | b'_' | b'~');
        let bytes = self.text.as_bytes();
        let host = bytes.get(self.start..self.seen).unwrap_or_default();
        let to = if full { self.seen } else { self.seen - host.iter().rev().take_while(|b| trailing(b)).count() };
        let kind = self.kind();
        let named = names_host(bytes.get(self.start..to).unwrap_or_default());
        let verdict = self.policy.judge(bytes.get(self.at..to).unwrap_or_default(), kind);
        let looked_at = self.policy.looks_at(kind);
        match verdict {
            _ if full => {
                self.remove(Kind::Link, (self.at, to), to, out);
                self.mode = Mode::Rest(false);
                return Step::Done;
            }
            _ if !named => self.give(self.at + 1, out),
            Verdict::Listed(end) => {
                self.quiet(to);
                self.strip(self.at + end, to);
                if self.at + end == to {
                    self.guard = Guard::Host;
                }
                self.give(self.at + end, out);
            }
            Verdict::Passes if !looked_at => {
                self.quiet(to);
                self.give(self.start, out);
            }
            _ => self.remove(Kind::Link, (self.at, to), to, out),
        }
        self.ends()
    }
}

/// True for a byte that ends an address in text.
fn stops(b: u8) -> bool {
    b <= b' ' || matches!(b, b'<' | b'>' | b'"' | b'\'' | b'`' | b'|' | b'{' | b'}' | b'^' | b'[' | b']' | 0x7f)
}

enum Begins {
    Yes,
    Maybe,
    No,
}

/// Whether an address in text begins so. A backslash may stand where Markdown would take it away.
fn begins(text: &[u8]) -> Begins {
    let names: [&[u8]; 4] = [b"https", b"http", b"ftp", b"www"];
    for name in names {
        if text.len() <= name.len() {
            if name.get(..text.len()).is_some_and(|start| text.eq_ignore_ascii_case(start)) {
                return Begins::Maybe;
            }
            continue;
        }
        let Some((start, rest)) = text.split_at_checked(name.len()) else { continue };
        if !start.eq_ignore_ascii_case(name) {
            continue;
        }
        let rest = rest.strip_prefix(b"\\").unwrap_or(rest);
        match rest {
            [] | [b':'] => return Begins::Maybe,
            [b'.'] if name == b"www" => return Begins::Yes,
            [b':', b'/' | b'\\'] if name != b"www" => return Begins::Yes,
            _ => {}
        }
    }
    Begins::No
}
