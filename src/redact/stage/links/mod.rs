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
//! - A fenced block of code is not looked at, if it is one beyond doubt (see [`lines`]): nothing but up to
//!   three spaces stands before its fence, no line in it begins further left, and neither HTML nor mathematics
//!   is open. A blank line is put before a fence that would stand in a block of HTML. Blocks in quotes, in
//!   lists nested deeper or in footnotes, blocks by indentation and code inside a line are looked at like text, since what is
//!   code there depends on all that stands before.
//! - Behind an allowed host without a path a space is put before an `@`, and behind a dot, where some readers
//!   would take what was allowed for the beginning of another address: `https://ok.com".evil.com`.
//! - A character reference for a letter, a digit or one of `:/.\` in text is made visible (`&amp;#104;`), where
//!   links are looked at: some readers find links in what it stands for.
//! - A tag in which anything would have to change, in whatever attribute, becomes text. So does what may be a tag
//!   for a browser only: one that is broken off and has a `=`, or stands in a block of HTML.
//! - Something unfinished at the end is judged as if it ended there. At 4 KiB an address is removed, a tag's
//!   `<` becomes `&lt;`, an image's `!` becomes `&#33;`.
//! - Not looked at, since no more than some readers link it: hosts without `www.` or a scheme, and `//host` in
//!   text; a scheme right behind a letter or a digit.

mod address;
mod bare;
mod hold;
mod lines;
mod tag;
#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
mod text;

use std::rc::Rc;

use super::Stage;
use crate::redact::settings::{Allow, HARD_HOLD, Links as Options};
pub(crate) use address::is_host;
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
    /// The text of an image, from `!`.
    Alt,
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
    /// The same, before the byte that is looked at.
    fresh: bool,
    lines: Lines,
    /// Up to here goes an allowed address.
    address: usize,
    /// Up to here no other begins in it.
    quiet: usize,
    /// Up to here one list is enough.
    lenient: usize,
    guard: bare::Guard,
    /// This part is left out.
    cut: (usize, usize),
    /// The `(` of an image that was judged.
    image: Option<usize>,
    tag: Option<Open>,
    count: u64,
    /// How many bytes of what was held back were looked at, for tests.
    #[cfg(test)]
    steps: usize,
}

/// A tag that was judged and is being given.
struct Open {
    start: usize,
    /// Where it ends.
    end: usize,
    /// Where its `<` was put.
    out: usize,
    /// As they were before it.
    lines: Lines,
    count: u64,
    /// What stands for it if the tag must be none.
    bracket: &'static str,
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
            quiet: 0,
            fresh: false,
            lenient: 0,
            guard: bare::Guard::Off,
            cut: (0, 0),
            image: None,
            tag: None,
            count: 0,
            #[cfg(test)]
            steps: 0,
        }
    }

    /// How many bytes are held back.
    #[cfg(all(test, not(target_arch = "wasm32")))]
    fn held(&self) -> usize {
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
            &mut self.quiet,
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
        if new.contains(' ') {
            self.guard = bare::Guard::Off;
        }
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
}

/// How many bytes begin nothing.
fn harmless(mut prev: u8, text: &[u8]) -> usize {
    let begins = |(at, b): (usize, &u8)| {
        let before = std::mem::replace(&mut prev, *b);
        let next = |known: u8| text.get(at + 1).is_none_or(|next| next | 0x20 == known);
        match b | 0x20 {
            _ if matches!(b, b'\n' | b'\r' | b'<' | b'!' | b'&') => true,
            _ if matches!(b, b'(' | b':') => before == b']',
            b'h' | b'f' => !before.is_ascii_alphanumeric() && next(b't'),
            b'w' => !before.is_ascii_alphanumeric() && next(b'w'),
            _ => false,
        }
    };
    text.iter().enumerate().position(begins).unwrap_or(text.len())
}

/// What matters of the byte before.
#[derive(PartialEq)]
enum Class {
    Word,
    Closing,
    /// No address goes on behind it.
    Apart,
    Other,
}

fn class(prev: u8) -> Class {
    match prev {
        b']' => Class::Closing,
        0 | b' ' | b'\t' | b'\n' | b'\r' => Class::Apart,
        b if b.is_ascii_alphanumeric() => Class::Word,
        _ => Class::Other,
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
        let (prev, Some(last)) = (self.lines.prev, bytes.last()) else { return self.text.is_empty() };
        if !self.text.is_empty() || self.tag.is_some() || !self.lines.inside() || self.guard != bare::Guard::Off {
            return false;
        }
        if self.mode == Mode::Code {
            return !self.lines.may_close() && !bytes.iter().any(|b| matches!(b, b'\n' | b'\r'));
        }
        self.mode == Mode::Text
            && class(prev) == class(*last)
            && class(prev) != Class::Closing
            && harmless(prev, bytes) == bytes.len()
    }

    fn count(&self) -> u64 {
        self.count
    }
}
