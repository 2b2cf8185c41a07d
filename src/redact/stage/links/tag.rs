//! What a browser would load or open for a tag, and where a tag ends.

use super::address::{Kind, Policy, Verdict, is, scheme, starts};

/// Elements that are never allowed: the first two at all, the others with an attribute, whatever it names.
const NEVER: [&[u8]; 14] = [
    b"script",
    b"style",
    b"meta",
    b"base",
    b"link",
    b"iframe",
    b"frame",
    b"frameset",
    b"object",
    b"embed",
    b"applet",
    b"portal",
    b"fencedframe",
    b"set",
];
/// Attributes that hold an address; those whose names end in `src`, `srcset` or `href` too.
const ADDRESSES: [&[u8]; 18] = [
    b"action",
    b"formaction",
    b"cite",
    b"longdesc",
    b"ping",
    b"poster",
    b"background",
    b"data",
    b"icon",
    b"code",
    b"codebase",
    b"archive",
    b"classid",
    b"manifest",
    b"profile",
    b"usemap",
    b"lowsrc",
    b"dynsrc",
];
/// Attributes that hold a style or a part of one.
const STYLES: [&[u8]; 10] = [
    b"style",
    b"fill",
    b"stroke",
    b"filter",
    b"mask",
    b"clip-path",
    b"cursor",
    b"marker-start",
    b"marker-mid",
    b"marker-end",
];

/// What becomes of a tag.
pub(super) enum Tag {
    /// It may stay.
    Stays,
    /// It becomes text.
    Escaped,
    /// It is removed, since the text at these bytes of it is not allowed.
    Removed(Kind, usize, usize),
}

/// Judges a tag or an autolink with its brackets. Inside an allowed destination (`Kind::Either`) an autolink
/// needs to be on one list only.
pub(super) fn judge(policy: &Policy, tag: &str, autolink: Kind) -> Tag {
    let bytes = tag.as_bytes();
    let inner = bytes.get(1..bytes.len().saturating_sub(1)).unwrap_or_default();
    let spaced = inner.iter().any(|b| b.is_ascii_whitespace());
    if !spaced && scheme(inner).is_some_and(|name| name.len() > 1) && policy.judge(inner, autolink) == Verdict::Removed
    {
        return Tag::Removed(Kind::Link, 1, bytes.len() - 1);
    }
    let mut reader = Reader { bytes, at: if inner.first() == Some(&b'/') { 2 } else { 1 } };
    let (start, end) = reader.word(|b| matches!(b, b'/' | b'>'));
    let name = bytes.get(start..end).unwrap_or_default();
    let never = NEVER.iter().position(|never| is(name, never)).or(starts(name, b"animate").then_some(2));
    let bare = !inner.iter().any(|b| b.is_ascii_whitespace() || *b == b'/');
    if inner.first() != Some(&b'/') && never.is_some_and(|which| which < 2 || !bare) {
        return Tag::Escaped;
    }
    let link = is(name, b"a") || is(name, b"area");
    while let Some((attribute, from, to)) = reader.attribute() {
        let value = bytes.get(from..to).unwrap_or_default();
        let holds = |list: &[&[u8]]| list.iter().any(|known| is(attribute, known));
        let ends = |end: &[u8]| {
            attribute.len().checked_sub(end.len()).and_then(|at| attribute.get(at..)).is_some_and(|tail| is(tail, end))
        };
        if starts(attribute, b"on") && from < to || is(attribute, b"srcdoc") {
            return Tag::Escaped;
        }
        if holds(&STYLES) && policy.looks_at(Kind::Image) && loads(value) {
            return Tag::Escaped;
        }
        let kind = match link && ends(b"href") || holds(ADDRESSES.get(..5).unwrap_or_default()) {
            true => Kind::Link,
            false => Kind::Image,
        };
        if !holds(&ADDRESSES) && !ends(b"src") && !ends(b"srcset") && !ends(b"href") {
            continue;
        }
        if policy.judge(value.trim_ascii(), kind) == Verdict::Removed {
            return Tag::Removed(kind, from, to);
        }
        if is(attribute, b"ping") || ends(b"srcset") {
            let mut at = from;
            for piece in value.split(|b| b.is_ascii_whitespace() || *b == b',') {
                if policy.judge(piece, kind) == Verdict::Removed {
                    return Tag::Removed(kind, at, at + piece.len());
                }
                at += piece.len() + 1;
            }
        }
    }
    Tag::Stays
}

/// True if a style could load something, in whatever way it is written.
fn loads(style: &[u8]) -> bool {
    let words: [&[u8]; 6] = [b"url", b"image(", b"image-set", b"import", b"src(", b"expression"];
    (0..style.len()).any(|at| {
        let rest = style.get(at..).unwrap_or_default();
        matches!(rest.first(), Some(b'\\' | b'&')) || words.iter().any(|word| starts(rest, word))
    })
}

/// Reads a tag as a browser does.
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn byte(&self) -> u8 {
        self.bytes.get(self.at).copied().unwrap_or(b'>')
    }

    fn skip(&mut self, what: impl Fn(u8) -> bool) {
        while self.at < self.bytes.len() && what(self.byte()) {
            self.at += 1;
        }
    }

    /// Up to a white space or an end.
    fn word(&mut self, end: impl Fn(u8) -> bool) -> (usize, usize) {
        let start = self.at;
        self.skip(|b| !b.is_ascii_whitespace() && !end(b));
        (start, self.at)
    }

    /// The next attribute's name, and where its value stands.
    fn attribute(&mut self) -> Option<(&'a [u8], usize, usize)> {
        self.skip(|b| b.is_ascii_whitespace() || b == b'/');
        if self.byte() == b'>' {
            return None;
        }
        let (start, _) = (self.at, self.at += 1);
        self.word(|b| matches!(b, b'/' | b'>' | b'='));
        let name = self.bytes.get(start..self.at).unwrap_or_default();
        self.skip(|b| b.is_ascii_whitespace());
        if self.byte() != b'=' {
            return Some((name, self.at, self.at));
        }
        self.at += 1;
        self.skip(|b| b.is_ascii_whitespace());
        let quote = self.byte();
        if !matches!(quote, b'"' | b'\'') {
            let (from, to) = self.word(|b| b == b'>');
            return Some((name, from, to));
        }
        self.at += 1;
        let from = self.at;
        self.skip(|b| b != quote);
        let to = self.at;
        self.at += 1;
        Some((name, from, to))
    }
}

/// How far a tag has been read. It ends at the first `>` outside of quotes.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum At {
    Name,
    /// No name of an element: an address, or whatever stands in angle brackets.
    Auto,
    Gap,
    Attribute,
    Named,
    Equals,
    Quoted(u8),
    Bare,
    Valued,
}

/// What the next byte does to a tag.
pub(super) enum Next {
    Goes(At),
    Ends,
    /// It is no tag.
    Breaks,
}

/// Reads the next byte of a tag.
pub(super) fn next(at: At, b: u8) -> Next {
    use At::*;
    let space = matches!(b, b' ' | b'\t' | b'\n' | b'\r' | 0x0c);
    let named =
        b.is_ascii_alphanumeric() || b >= 0x80 || matches!(b, b'_' | b':' | b'.' | b'@' | b'-' | b'*' | b'#' | b'$');
    let goes = match (at, b) {
        (_, b'<') => return Next::Breaks,
        (Quoted(quote), b) => {
            if b == quote {
                Valued
            } else {
                at
            }
        }
        (_, b'>') => return Next::Ends,
        (Auto, _) if space => return Next::Breaks,
        (Auto, _) => Auto,
        (Equals, b'"' | b'\'') => Quoted(b),
        (Named | Equals, _) if space => at,
        (Name | Gap | Bare | Valued, _) if space => Gap,
        (Attribute, _) if space => Named,
        (Name | Gap | Attribute | Named | Valued, b'/') => Gap,
        (_, b'"' | b'\'' | b'`') => return Next::Breaks,
        (Name, _) if b.is_ascii_alphanumeric() || b == b'-' => Name,
        (Name, _) => Auto,
        (Attribute | Named, b'=') => Equals,
        (Gap | Attribute | Named, _) if named => Attribute,
        (Equals | Bare, _) => Bare,
        _ => return Next::Breaks,
    };
    Next::Goes(goes)
}
