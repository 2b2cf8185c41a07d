//! Links and images whose host is not allowed.
//!
//! | what | where its host is not on the list |
//! |---|---|
//! | `![alt](url)` | `[image removed: host]` |
//! | `[text](url)` | the text stays in its brackets, the target goes; with `show_target` it is ` (host)` |
//! | `[id]: url` | `[id]: [link removed: host]`, so that no use of it is a link or an image |
//! | `<url>`, `https://…`, `http://…`, `ftp://…`, `www.…` in text | `[link removed: host]` |
//! | an HTML tag that loads an address by itself | the tag becomes `[image removed: host]` |
//! | an HTML tag with a link's or a form's address | the tag becomes `[link removed: host]` |
//! | `script`, `style`; `base`, `meta`, `link`, frames, `object`, `embed`, animations with any attribute; an `on…` attribute; `srcdoc`; a style that could load something | `<` becomes `&lt;` |
//!
//! - Images are looked at if `Allow::images` is given, links if `Allow::links` is. What loads by itself (`src`,
//!   `srcset`, `poster`, `background`, styles, `href` of anything but `a` and `area`) is an image. A definition
//!   may be either and must be on every list that is given. Where one list is given, `javascript:`, `data:`
//!   (images too), `vbscript:`, `file:` and `blob:` are removed from both kinds.
//! - An entry is a host, `example.com`, or all below one, `*.example.com`; a port counts if the entry names one.
//!   An address is compared as it is written, see [`address`]: one that is not plain up to the end of its host
//!   is on no list. Other schemes than `http` and `https` are on none either. Addresses relative to the page
//!   are allowed, `mailto:` and `tel:` for links.
//! - `strip_query` cuts query and fragment off the addresses that are on a list.
//! - A fenced block of code is not looked at, if it is one beyond doubt (see [`lines`]): its fence has no
//!   container but a list's spaces before it, and neither HTML nor mathematics is open. Blocks in quotes, in
//!   lists nested deeper, blocks by indentation and code inside a line are looked at like text, since what is
//!   code there depends on all that stands before.
//! - A character reference for a letter, a digit or one of `:/.\` in text is made visible (`&amp;#104;`), where
//!   links are looked at: some readers find links in what it stands for.
//! - A tag in which anything would have to change, in whatever attribute, becomes text.
//! - Something unfinished at the end is judged as if it ended there. At 4 KiB an address is removed, a tag's
//!   `<` becomes `&lt;`, an image's `!` becomes `&#33;`.
//! - Not looked at, since no more than some readers link it: hosts without `www.` or a scheme, and `//host` in
//!   text; a scheme right behind a letter or a digit.

mod address;
mod hold;
mod lines;
mod tag;
#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;

use std::rc::Rc;

use super::Stage;
use crate::redact::settings::{Allow, HARD_HOLD, Links as Options};
use address::{Kind, Policy};
use lines::Lines;

/// What is being read.
#[derive(Clone, Copy, PartialEq)]
enum Mode {
    Text,
    /// A fenced block.
    Code,
    /// What is left of something removed, up to the end of an address; in angle brackets if so.
    Rest(bool),
    /// From `<`.
    Tag(tag::At),
    /// The text of an image, from `!`; a line has just ended.
    Alt(bool),
    /// Behind the `]` of an image's text.
    Closed,
    /// An address behind `(` or `:`, from there or from the image's `!`.
    Place(hold::Place),
    /// The title behind an address that was removed.
    Title(hold::Title),
    /// The scheme of an address in text.
    Scheme,
    /// The rest of it.
    Bare,
}

/// The stage.
pub(crate) struct Links {
    policy: Rc<Policy>,
    /// What was taken and not yet given.
    text: String,
    /// The first byte of it that was not given.
    at: usize,
    /// The first byte that was not looked at; only what is being read counts.
    seen: usize,
    mode: Mode,
    /// Where the address begins that is being read.
    start: usize,
    /// The `(` before it, if it is an image's.
    opener: usize,
    /// Open parentheses in it.
    depth: usize,
    /// A line has just ended in a tag or title; in an address, a bracket is open.
    broke: bool,
    lines: Lines,
    /// Up to here goes an allowed address.
    address: usize,
    /// Up to here one list is enough.
    lenient: usize,
    /// This part is left out.
    cut: (usize, usize),
    /// The `(` of an image that was judged.
    image: Option<usize>,
    tag: Option<Open>,
    count: u64,
}

/// A tag that was judged and is being given.
#[derive(Clone, Copy)]
struct Open {
    /// Where it ends.
    end: usize,
    /// Where its `<` was put.
    out: usize,
    count: u64,
}

impl Links {
    /// None if there is no list: then nothing is to be looked at.
    pub(crate) fn new(allow: &Allow, options: Options) -> Option<Self> {
        Policy::new(allow, options).map(|policy| Links::with(Rc::new(policy)))
    }

    /// Another one with the same lists, as new.
    pub(crate) fn again(&self) -> Self {
        Links::with(self.policy.clone())
    }

    fn with(policy: Rc<Policy>) -> Self {
        Links {
            policy,
            text: String::new(),
            at: 0,
            seen: 0,
            mode: Mode::Text,
            start: 0,
            opener: 0,
            depth: 0,
            broke: false,
            lines: Lines::new(),
            address: 0,
            lenient: 0,
            cut: (0, 0),
            image: None,
            tag: None,
            count: 0,
        }
    }

    /// How many bytes are held back.
    pub(crate) fn held(&self) -> usize {
        self.text.len()
    }

    fn run(&mut self, out: &mut String, end: bool) {
        while match self.mode {
            Mode::Text => self.plain(out, end),
            Mode::Code => self.code(out),
            _ => self.hold(out, end),
        } {}
        let given = self.at.min(self.text.len());
        self.text.drain(..given);
        for place in [
            &mut self.at,
            &mut self.seen,
            &mut self.start,
            &mut self.opener,
            &mut self.address,
            &mut self.lenient,
            &mut self.cut.0,
            &mut self.cut.1,
        ] {
            *place = place.saturating_sub(given);
        }
        self.image = self.image.and_then(|place| place.checked_sub(given));
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at).copied()
    }

    fn slice(&self, from: usize, to: usize) -> &str {
        self.text.get(from..to).unwrap_or_default()
    }

    /// Gives text up to here as it is.
    fn give(&mut self, to: usize, out: &mut String) {
        let text = self.text.get(self.at..to).unwrap_or_default();
        text.bytes().for_each(|b| self.lines.note(b));
        out.push_str(text);
        self.at = to;
    }

    /// Gives something else for the text up to here.
    fn change(&mut self, to: usize, new: &str, out: &mut String) {
        new.bytes().for_each(|b| self.lines.note(b));
        out.push_str(new);
        self.at = to;
        self.count += 1;
    }

    /// Begins to hold back.
    fn open(&mut self, mode: Mode, seen: usize) -> bool {
        (self.mode, self.seen, self.depth, self.broke) = (mode, seen, 0, false);
        true
    }

    /// The list for an address in text.
    fn kind(&self) -> Kind {
        if self.at < self.lenient { Kind::Either } else { Kind::Link }
    }

    fn looks_at_links(&self) -> bool {
        self.policy.looks_at(Kind::Link)
    }

    /// Gives text that is nobody's business. True if something begins.
    fn plain(&mut self, out: &mut String, end: bool) -> bool {
        loop {
            if self.cut.0 == self.at && self.cut.1 > self.at {
                self.at = self.cut.1;
            }
            if self.tag.is_some_and(|open| self.at >= open.end) {
                self.close_tag(out);
            }
            if self.lines.inside() {
                self.give_plain(out);
            }
            let Some(b) = self.byte(self.at) else { return false };
            let (prev, next) = (self.lines.prev, self.byte(self.at + 1));
            match (b, next) {
                (b'<' | b'!', None) if !end => return false,
                (b'<', Some(n)) if n.is_ascii_alphabetic() || n == b'/' => {
                    return self.open(Mode::Tag(tag::At::Name), self.at + if n == b'/' { 2 } else { 1 });
                }
                (b'<', Some(b'!' | b'?')) => {
                    self.lines.doubt |= self.lines.at_start();
                    self.lines.raw |= self.lines.at_start();
                }
                (b'!', Some(b'[')) => {
                    self.escape_tag(out);
                    return self.open(Mode::Alt(false), self.at + 2);
                }
                (b'(' | b':', _) if prev == b']' => {
                    self.escape_tag(out);
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
            && !(self.at < self.address && matches!(prev, b'/' | b'='))
            && (self.looks_at_links() || self.at < self.lenient)
    }

    /// Gives the bytes that mean nothing wherever they stand in a line.
    fn give_plain(&mut self, out: &mut String) {
        let mut end = self.text.len();
        for stop in [Some(self.cut.0), self.tag.map(|open| open.end)].into_iter().flatten() {
            if stop > self.at {
                end = end.min(stop);
            }
        }
        let rest = self.text.as_bytes().get(self.at..end).unwrap_or_default();
        let mut prev = self.lines.prev;
        let plain = rest.iter().position(|b| !harmless(std::mem::replace(&mut prev, *b), *b)).unwrap_or(rest.len());
        if let Some(last) = plain.checked_sub(1).and_then(|last| rest.get(last)) {
            self.lines.prev = *last;
            out.push_str(self.text.get(self.at..self.at + plain).unwrap_or_default());
            self.at += plain;
        }
    }

    /// Gives one character.
    fn give_one(&mut self, out: &mut String) {
        let mut to = self.at + 1;
        while !self.text.is_char_boundary(to) {
            to += 1;
        }
        self.give(to, out);
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

    fn code(&mut self, out: &mut String) -> bool {
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
        if self.tag.is_some_and(|open| open.count != self.count) {
            self.escape_tag(out);
        }
        self.tag = None;
    }

    /// The tag that is being given becomes text.
    fn escape_tag(&mut self, out: &mut String) {
        if let Some(open) = self.tag.take() {
            out.replace_range(open.out..open.out + 1, "&lt;");
            self.count += 1;
        }
    }
}

/// True for a byte that begins nothing.
fn harmless(prev: u8, b: u8) -> bool {
    match b {
        b'\n' | b'\r' | b'<' | b'!' | b'&' => false,
        b'(' | b':' => prev != b']',
        b'h' | b'w' | b'f' | b'H' | b'W' | b'F' => prev.is_ascii_alphanumeric(),
        _ => true,
    }
}

impl Stage for Links {
    fn push(&mut self, text: &str, out: &mut String) {
        self.text.push_str(text);
        self.run(out, false);
    }

    fn flush(&mut self, out: &mut String) {
        self.run(out, true);
        self.reset();
    }

    fn reset(&mut self) {
        let count = self.count;
        *self = self.again();
        self.count = count;
    }

    fn passes(&self, text: &str) -> bool {
        let bytes = text.as_bytes();
        let (prev, Some(last)) = (self.lines.prev, bytes.last()) else { return bytes.is_empty() };
        if !self.text.is_empty() || self.tag.is_some() || !self.lines.inside() {
            return false;
        }
        if self.mode == Mode::Code {
            return !self.lines.may_close() && !bytes.iter().any(|b| matches!(b, b'\n' | b'\r'));
        }
        let mut before = prev;
        self.mode == Mode::Text
            && prev != b']'
            && *last != b']'
            && prev.is_ascii_alphanumeric() == last.is_ascii_alphanumeric()
            && bytes.iter().all(|b| harmless(std::mem::replace(&mut before, *b), *b))
    }

    fn count(&self) -> u64 {
        self.count
    }
}
