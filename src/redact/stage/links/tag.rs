//! What a browser would load or open for a tag, and where a tag ends.

use super::address::{Kind, Policy, Verdict, is, scheme, starts};

/// Elements that are never allowed.
const NEVER: &[u8] = b"script style";
/// Elements that are never allowed with an attribute, whatever it names; animations too.
const NEVER_WITH: &[u8] = b"meta base link iframe frame frameset object embed applet portal fencedframe set";
/// Attributes that hold an address which is a link's.
const LINKS: &[u8] = b"action formaction cite longdesc ping";
/// Attributes that hold another one; those whose names end in `src`, `srcset` or `href` too.
const LOADS: &[u8] = b"poster background data icon code codebase archive classid manifest profile usemap";
/// Attributes that hold a style or a part of one.
const STYLES: &[u8] = b"style fill stroke filter mask clip-path cursor marker-start marker-mid marker-end";

/// True if the list, with spaces between, holds the name.
#[inline(never)]
fn among(list: &[u8], name: &[u8]) -> bool {
    list.split(|b| *b == b' ').any(|known| is(name, known))
}

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
    let closing = inner.first() == Some(&b'/');
    let mut reader = Reader { bytes, at: if closing { 2 } else { 1 } };
    let start = reader.at;
    reader.word(b"/>");
    let name = bytes.get(start..reader.at).unwrap_or_default();
    let with = among(NEVER_WITH, name) || starts(name, b"animate");
    let bare = !spaced && !inner.contains(&b'/');
    if !closing && (among(NEVER, name) || with && !bare) {
        return Tag::Escaped;
    }
    let link = among(b"a area", name);
    while let Some((attribute, from, to)) = reader.attribute() {
        let value = bytes.get(from..to).unwrap_or_default();
        let ends = |end: &[u8]| {
            attribute.len().checked_sub(end.len()).and_then(|at| attribute.get(at..)).is_some_and(|tail| is(tail, end))
        };
        if starts(attribute, b"on") && from < to || is(attribute, b"srcdoc") {
            return Tag::Escaped;
        }
        if among(STYLES, attribute) && policy.looks_at(Kind::Image) && loads(value) {
            return Tag::Escaped;
        }
        let (href, set) = (ends(b"href"), ends(b"srcset"));
        let kind = if link && href || among(LINKS, attribute) { Kind::Link } else { Kind::Image };
        if kind == Kind::Image && !href && !set && !ends(b"src") && !among(LOADS, attribute) {
            continue;
        }
        if policy.judge(value.trim_ascii(), kind) == Verdict::Removed {
            return Tag::Removed(kind, from, to);
        }
        if set || is(attribute, b"ping") {
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

    /// Up to a white space or one of these.
    #[inline(never)]
    fn word(&mut self, ends: &[u8]) {
        while self.at < self.bytes.len() && !self.byte().is_ascii_whitespace() && !ends.contains(&self.byte()) {
            self.at += 1;
        }
    }

    /// Over white space and these.
    #[inline(never)]
    fn space(&mut self, more: &[u8]) {
        while self.at < self.bytes.len() && (self.byte().is_ascii_whitespace() || more.contains(&self.byte())) {
            self.at += 1;
        }
    }

    /// The next attribute's name, and where its value stands.
    fn attribute(&mut self) -> Option<(&'a [u8], usize, usize)> {
        self.space(b"/");
        if self.byte() == b'>' {
            return None;
        }
        let start = self.at;
        self.at += 1;
        self.word(b"/>=");
        let name = self.bytes.get(start..self.at).unwrap_or_default();
        self.space(b"");
        if self.byte() != b'=' {
            return Some((name, self.at, self.at));
        }
        self.at += 1;
        self.space(b"");
        let quote = self.byte();
        let mut from = self.at;
        if !matches!(quote, b'"' | b'\'') {
            self.word(b">");
            return Some((name, from, self.at));
        }
        from += 1;
        let rest = self.bytes.get(from..).unwrap_or_default();
        let to = from + rest.iter().position(|b| *b == quote).unwrap_or(rest.len());
        self.at = to + 1;
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
