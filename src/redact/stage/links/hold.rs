//! What is held back until it is known what becomes of it.

use super::address::{Kind, Verdict, names_host, show};
use super::tag::{Next, Tag};
use super::{HARD_HOLD, Links, Mode, Open, tag};

/// How far the place of an address has been read.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Place {
    /// White space before it.
    Before,
    /// The same, in its second line.
    NextLine,
    Plain,
    /// Behind a backslash.
    Escaped,
    Angled,
}

/// How far a title has been read.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Title {
    Before,
    /// Inside; the mark that ends it.
    In(u8),
    Escaped(u8),
    Behind,
}

/// What became of what was held back.
enum Step {
    More,
    Done,
}

impl Links {
    /// Reads on in what is held back. False if more is needed.
    pub(super) fn hold(&mut self, out: &mut String, end: bool) -> bool {
        loop {
            let full = self.seen - self.at >= HARD_HOLD;
            while full && !self.text.is_char_boundary(self.seen) {
                self.seen -= 1;
            }
            let b = match self.byte(self.seen) {
                Some(b) if !full => Some(b),
                None if !end && !full => return false,
                _ => None,
            };
            let step = match self.mode {
                Mode::Tag(at) => self.tag(at, b, full, out),
                Mode::Alt(broke) => self.alt(broke, b, full, out),
                Mode::Closed => self.closed(b, full, out),
                Mode::Place(place) => self.place(place, b, full, out),
                Mode::Title(title) => self.title(title, b),
                Mode::Scheme => self.scheme(b, out),
                Mode::Bare => self.bare(b, full, out),
                Mode::Rest(angled) => self.rest(angled, b),
                Mode::Text | Mode::Code => Step::Done,
            };
            if matches!(step, Step::Done) {
                return true;
            }
        }
    }

    fn goes(&mut self, mode: Mode) -> Step {
        self.mode = mode;
        self.seen += 1;
        Step::More
    }

    fn ends(&mut self) -> Step {
        self.mode = Mode::Text;
        Step::Done
    }

    /// `[image removed: host]` or `[link removed: host]` for the text up to `to`; the address is at these bytes.
    fn remove(&mut self, kind: Kind, address: (usize, usize), to: usize, out: &mut String) {
        let mut new = String::from(if kind == Kind::Image { "[image removed: " } else { "[link removed: " });
        show(self.slice(address.0, address.1), &mut new);
        new.push(']');
        self.change(to, &new, out);
    }

    fn tag(&mut self, at: tag::At, b: Option<u8>, full: bool, out: &mut String) -> Step {
        let next = b.map_or(Next::Breaks, |b| tag::next(at, b));
        // Neither a blank line nor a fence may stand in a tag.
        let line = b == Some(b'\n') || b == Some(b'\r') && self.byte(self.seen + 1) != Some(b'\n');
        let breaks = self.broke && (line || matches!(b, Some(b'`' | b'~')));
        self.broke = line || self.broke && matches!(b, Some(b' ' | b'\t' | b'\r'));
        match next {
            Next::Goes(at) if !breaks => self.goes(Mode::Tag(at)),
            Next::Ends if !breaks => self.end_tag(out),
            _ => {
                let written = self.slice(self.at, self.seen).bytes().any(|b| b == b'=');
                if full || written || self.lines.raw || self.lines.at_start() {
                    self.change(self.at + 1, "&lt;", out);
                } else {
                    self.give(self.at + 1, out);
                }
                self.ends()
            }
        }
    }

    fn end_tag(&mut self, out: &mut String) -> Step {
        let end = self.seen + 1;
        let autolink = self.kind();
        let text = self.slice(self.at, end);
        let verdict = tag::judge(&self.policy, text, autolink);
        let holds_text =
            ["<pre", "<textarea"].iter().any(|name| super::address::starts(text.as_bytes(), name.as_bytes()));
        match verdict {
            Tag::Stays => {
                let starts = self.lines.at_start();
                self.lines.doubt |= starts && holds_text;
                self.lines.raw |= starts;
                self.tag = Some(Open { end, out: out.len(), count: self.count });
                self.lenient = self.lenient.max(end);
                self.give(self.at + 1, out);
            }
            Tag::Escaped => self.change(self.at + 1, "&lt;", out),
            Tag::Removed(kind, from, to) => self.remove(kind, (self.at + from, self.at + to), end, out),
        }
        self.ends()
    }

    /// The text of an image, up to its first `]`. Another one inside begins anew.
    fn alt(&mut self, broke: bool, b: Option<u8>, full: bool, out: &mut String) -> Step {
        match b {
            Some(b']') => return self.goes(Mode::Closed),
            Some(b'[') if self.byte(self.seen - 1) == Some(b'!') => {}
            Some(b'\n') if broke => {}
            Some(b'\n') => return self.goes(Mode::Alt(true)),
            Some(b) => return self.goes(Mode::Alt(broke && matches!(b, b' ' | b'\t' | b'\r'))),
            None => {}
        }
        self.end_alt(full, out)
    }

    fn closed(&mut self, b: Option<u8>, full: bool, out: &mut String) -> Step {
        if b == Some(b'(') {
            self.opener = self.seen;
            return self.goes(Mode::Place(Place::Before));
        }
        self.end_alt(full, out)
    }

    /// It is no image as far as can be seen.
    fn end_alt(&mut self, full: bool, out: &mut String) -> Step {
        if full {
            self.change(self.at + 1, "&#33;", out);
        } else {
            self.lines.image = true;
            self.give(self.at + 1, out);
        }
        self.ends()
    }

    fn place(&mut self, place: Place, b: Option<u8>, full: bool, out: &mut String) -> Step {
        use Place::*;
        match (place, b) {
            (Before | NextLine, Some(b' ' | b'\t' | b'\r')) | (NextLine, Some(b'>')) => self.goes(Mode::Place(place)),
            (Before, Some(b'\n')) => self.goes(Mode::Place(NextLine)),
            (Before | NextLine, Some(b'<')) => {
                self.start = self.seen + 1;
                self.goes(Mode::Place(Angled))
            }
            (Before | NextLine, Some(_)) => {
                (self.start, self.mode) = (self.seen, Mode::Place(Plain));
                Step::More
            }
            (Before | NextLine, None) => {
                self.start = self.seen;
                self.end_place(false, full, out)
            }
            (Escaped, b) => {
                self.mode = Mode::Place(Plain);
                self.seen += usize::from(matches!(b, Some(b'(' | b')')));
                Step::More
            }
            (Plain, Some(b'(')) => {
                self.depth += 1;
                self.goes(self.mode)
            }
            (Plain, Some(b')')) if self.depth > 0 => {
                self.depth -= 1;
                self.goes(self.mode)
            }
            (Plain, Some(b'\\')) => self.goes(Mode::Place(Escaped)),
            (Plain, Some(b)) if b > b' ' && !matches!(b, b')' | b'<' | b']' | 0x7f) => self.goes(self.mode),
            (Angled, Some(b)) if !matches!(b, b'>' | b'<' | b'\n' | b'\r') => self.goes(self.mode),
            _ => self.end_place(place == Angled, full, out),
        }
    }

    fn end_place(&mut self, angled: bool, full: bool, out: &mut String) -> Step {
        let (from, to, first) = (self.start, self.seen, self.byte(self.at));
        let kind = match first {
            Some(b'!') => Kind::Image,
            Some(b'(') if self.image == Some(self.at) => Kind::Image,
            Some(b'(') if !self.lines.image => Kind::Link,
            _ => Kind::Both,
        };
        let verdict = self.policy.judge(self.slice(from, to).as_bytes().trim_ascii(), kind);
        if full || verdict == Verdict::Removed {
            let end = to + usize::from(angled && self.byte(to) == Some(b'>'));
            let left = if full { Mode::Rest(angled) } else { Mode::Text };
            match first {
                Some(b':') => {
                    self.give(from - usize::from(angled), out);
                    self.remove(Kind::Link, (from, to), end, out);
                    self.mode = left;
                    return Step::Done;
                }
                Some(b'!') => self.remove(Kind::Image, (from, to), end, out),
                _ => {
                    let mut new = String::new();
                    if self.policy.options.show_target {
                        new.push_str(" (");
                        show(self.slice(from, to), &mut new);
                        new.push(')');
                    }
                    self.change(end, &new, out);
                }
            }
            self.open(if full { left } else { Mode::Title(Title::Before) }, end);
            return Step::Done;
        }
        if first == Some(b'!') {
            self.image = Some(self.opener);
            self.give(self.at + 1, out);
            return self.ends();
        }
        (self.lenient, self.address) = (to, to);
        match verdict {
            Verdict::Listed(end) if !angled => {
                self.strip(from + end, to);
                self.give(from + end, out);
            }
            _ => self.give(self.at + 1, out),
        }
        if first == Some(b':') {
            self.lines.restart();
        }
        self.ends()
    }

    /// Leaves out the query and fragment of an allowed address that goes from behind its host to `to`.
    fn strip(&mut self, from: usize, to: usize) {
        if self.policy.options.strip_query {
            let query = self.slice(from, to).bytes().position(|b| matches!(b, b'?' | b'#'));
            self.cut = query.map_or((0, 0), |at| (from + at, to));
        }
    }

    fn title(&mut self, title: Title, b: Option<u8>) -> Step {
        use Title::*;
        let space = matches!(b, Some(b' ' | b'\t' | b'\r' | b'\n'));
        let blank = b == Some(b'\n') && self.broke;
        self.broke = b == Some(b'\n') || self.broke && space;
        match (title, b) {
            _ if blank => self.ends(),
            (Before | Behind, Some(b')')) => {
                self.at = self.seen + 1;
                self.ends()
            }
            (Before | Behind, _) if space => self.goes(self.mode),
            (Before, Some(b @ (b'"' | b'\''))) => self.goes(Mode::Title(In(b))),
            (Before, Some(b'(')) => self.goes(Mode::Title(In(b')'))),
            (In(mark), Some(b)) if b == mark => self.goes(Mode::Title(Behind)),
            (In(b')'), Some(b'(')) => self.ends(),
            (In(mark), Some(b'\\')) => self.goes(Mode::Title(Escaped(mark))),
            (In(mark) | Escaped(mark), Some(_)) => self.goes(Mode::Title(In(mark))),
            _ => self.ends(),
        }
    }

    /// Leaves out what is left of an address.
    fn rest(&mut self, angled: bool, b: Option<u8>) -> Step {
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

    fn scheme(&mut self, b: Option<u8>, out: &mut String) -> Step {
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

    fn bare(&mut self, b: Option<u8>, full: bool, out: &mut String) -> Step {
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
        match verdict {
            _ if full => {
                self.remove(Kind::Link, (self.at, to), to, out);
                self.mode = Mode::Rest(false);
                return Step::Done;
            }
            _ if !named => self.give(self.at + 1, out),
            Verdict::Listed(end) => {
                self.address = self.address.max(to);
                self.strip(self.at + end, to);
                self.give(self.at + end, out);
            }
            Verdict::Passes if !self.policy.looks_at(kind) => {
                self.address = self.address.max(to);
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
