//! What is held back until it is known what becomes of it.

use super::address::{Kind, Verdict, show, starts};
use super::tag::{Next, Tag};
use super::{Class, HARD_HOLD, Links, Mode, Open, class, tag};

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
pub(super) enum Step {
    More,
    Done,
}

impl Links {
    /// Reads on in what is held back. False if more is needed.
    pub(super) fn hold(&mut self, out: &mut String, end: bool) -> bool {
        loop {
            #[cfg(test)]
            {
                self.steps += 1;
            }
            let full = self.seen - self.at >= HARD_HOLD;
            if full {
                self.seen = self.text.floor_char_boundary(self.seen);
            }
            let b = match self.byte(self.seen) {
                Some(b) if !full => Some(b),
                None if !end && !full => return false,
                _ => None,
            };
            let step = match self.mode {
                Mode::Tag(at) => self.tag(at, b, full, out),
                Mode::Alt => self.alt(b, full, out),
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

    pub(super) fn goes(&mut self, mode: Mode) -> Step {
        self.mode = mode;
        self.seen += 1;
        Step::More
    }

    pub(super) fn ends(&mut self) -> Step {
        self.mode = Mode::Text;
        Step::Done
    }

    /// `[image removed: host]` or `[link removed: host]` for the text up to `to`; the address is at these bytes.
    pub(super) fn remove(&mut self, kind: Kind, address: (usize, usize), to: usize, out: &mut String) {
        let mut new = String::from(if kind == Kind::Image { "[image removed: " } else { "[link removed: " });
        show(self.slice(address.0, address.1).as_bytes(), &mut new);
        new.push(']');
        self.lines.image |= self.lines.prev == b'!';
        self.change(to, &new, out);
    }

    /// What stands for `<`. It must not become a part of an address before it.
    fn bracket(&self) -> &'static str {
        if class(self.lines.prev) == Class::Apart { "&lt;" } else { " &lt;" }
    }

    fn tag(&mut self, at: tag::At, b: Option<u8>, full: bool, out: &mut String) -> Step {
        let next = b.map_or(Next::Breaks, |b| tag::next(at, b));
        let breaks = self.breaks(b) || self.fresh && b == Some(b'>') && self.lines.quote;
        let wrapped = breaks && !matches!(next, Next::Breaks);
        match next {
            Next::Goes(at) if !breaks => self.goes(Mode::Tag(at)),
            Next::Ends if !breaks => self.end_tag(out),
            _ => {
                let written = self.slice(self.at, self.seen).bytes().any(|b| b == b'=');
                if full || wrapped || written || self.lines.as_html() {
                    self.change(self.at + 1, self.bracket(), out);
                } else {
                    self.give(self.at + 1, out);
                }
                self.ends()
            }
        }
    }

    /// True if what spans lines can't go on: at a blank line, where a fence may be, and with the line of a fence.
    fn breaks(&mut self, b: Option<u8>) -> bool {
        let line = b == Some(b'\r') || b == Some(b'\n') && self.byte(self.seen - 1) != Some(b'\r');
        self.fresh = self.broke;
        self.broke = line || self.broke && matches!(b, Some(b' ' | b'\t' | b'\n'));
        self.fresh && (line || matches!(b, Some(b'`' | b'~'))) || line && self.lines.opens()
    }

    fn end_tag(&mut self, out: &mut String) -> Step {
        let end = self.seen + 1;
        let autolink = self.kind();
        let text = self.slice(self.at, end);
        let verdict = tag::judge(&self.policy, text, autolink);
        let holds_text = ["<pre", "<textarea"].iter().any(|name| starts(text.as_bytes(), name.as_bytes()));
        match verdict {
            Tag::Stays => {
                let lines = self.lines.clone();
                let block = lines.at_start();
                self.lines.html(block, block && holds_text);
                let bracket = self.bracket();
                self.tag = Some(Open { start: self.at, end, out: out.len(), count: self.count, bracket, lines });
                self.lenient = self.lenient.max(end);
                self.give(self.at + 1, out);
            }
            Tag::Escaped => self.change(self.at + 1, self.bracket(), out),
            Tag::Removed(kind, from, to) => self.remove(kind, (self.at + from, self.at + to), end, out),
        }
        self.ends()
    }

    /// The text of an image, up to the `]` that closes it. Another one inside begins anew.
    fn alt(&mut self, b: Option<u8>, full: bool, out: &mut String) -> Step {
        let breaks = self.breaks(b);
        match b {
            _ if breaks => {}
            Some(b']') if self.depth == 0 => return self.goes(Mode::Closed),
            Some(b']') => {
                self.depth -= 1;
                return self.goes(Mode::Alt);
            }
            Some(b'[') if self.byte(self.seen - 1) == Some(b'!') => {}
            Some(b'[') => {
                self.depth += 1;
                return self.goes(Mode::Alt);
            }
            Some(_) => return self.goes(Mode::Alt),
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
            (Before | NextLine, Some(b' ' | b'\t')) | (NextLine, Some(b'>')) => self.goes(Mode::Place(place)),
            (Before, Some(b'\r')) if !self.lines.opens() => self.goes(Mode::Place(place)),
            (Before, Some(b'\n')) if !self.lines.opens() => self.goes(Mode::Place(NextLine)),
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
            (Plain, Some(b)) if b > b' ' && !matches!(b, b')' | b'<' | b'[' | b']' | 0x7f) => self.goes(self.mode),
            (Angled, Some(b' ' | b'\t')) if self.start == self.seen => {
                self.start += 1;
                self.goes(self.mode)
            }
            (Angled, Some(b)) if b > b' ' && !matches!(b, b'>' | b'<' | b'[' | b']') => self.goes(self.mode),
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
                        show(self.slice(from, to).as_bytes(), &mut new);
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
        if kind == Kind::Image {
            self.lenient = to;
        }
        match verdict {
            Verdict::Listed(end) if !angled => {
                self.strip(from + end, to);
                // Behind a scheme it is read once more, as one in text.
                let given = if self.byte(from) == Some(b'/') { from + end } else { self.at + 1 };
                self.give(given, out);
            }
            _ => self.give(self.at + 1, out),
        }
        if first == Some(b':') {
            self.lines.restart();
        }
        self.ends()
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
}
