//! Which addresses are allowed, judged from their bytes as they are written.
//!
//! Nothing is decoded: an address passes only if it is written plainly up to the end of its host. One with a
//! character reference, a backslash, a control character, a name before the host or a letter outside ASCII in
//! that part is never on a list, whatever a browser would make of it.

use crate::redact::settings::{Allow, Links as Options};

/// How much of a host is shown.
const SHOWN: usize = 100;

/// Which list an address must be on.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Kind {
    Link,
    Image,
    /// It may be used as either: every list that is given counts.
    Both,
    /// It stands inside a tag that was judged: one of the lists is enough.
    Either,
}

/// What is said of an address.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Verdict {
    /// It names no host that is looked at.
    Passes,
    /// Its host is allowed and ends here.
    Listed(usize),
    /// It must not leave.
    Removed,
}

struct Host {
    name: Vec<u8>,
    below: bool,
    /// Empty: any.
    port: Vec<u8>,
}

/// The lists and options.
pub(super) struct Policy {
    images: Option<Vec<Host>>,
    links: Option<Vec<Host>>,
    pub(super) options: Options,
}

impl Policy {
    /// None if there is no list: then nothing is looked at.
    pub(super) fn new(allow: &Allow, options: Options) -> Option<Self> {
        let hosts =
            |list: &Option<Vec<String>>| list.as_ref().map(|list| list.iter().map(|entry| host(entry)).collect());
        let policy = Policy { images: hosts(&allow.images), links: hosts(&allow.links), options };
        (policy.images.is_some() || policy.links.is_some()).then_some(policy)
    }

    pub(super) fn looks_at(&self, kind: Kind) -> bool {
        match kind {
            Kind::Link => self.links.is_some(),
            Kind::Image => self.images.is_some(),
            Kind::Both => true,
            Kind::Either => self.links.is_some() && self.images.is_some(),
        }
    }

    pub(super) fn judge(&self, address: &[u8], kind: Kind) -> Verdict {
        if let Some(plain) = plain(address) {
            return self.lists(&plain, kind);
        }
        if relative(address) {
            return Verdict::Passes;
        }
        let Some(scheme) = scheme(address) else {
            let own = starts(address, b"//") && !self.looks_at(kind);
            return if own { Verdict::Passes } else { Verdict::Removed };
        };
        let known = is(scheme, b"mailto") || is(scheme, b"tel");
        let harmful: [&[u8]; 7] =
            [b"javascript", b"data", b"vbscript", b"file", b"blob", b"filesystem", b"view-source"];
        let passes = match self.looks_at(kind) {
            true => known && (kind != Kind::Image),
            false => !harmful.iter().any(|name| is(scheme, name)),
        };
        if passes { Verdict::Passes } else { Verdict::Removed }
    }

    fn lists(&self, plain: &Plain, kind: Kind) -> Verdict {
        let on = |list: &Option<Vec<Host>>| list.as_ref().map(|list| list.iter().any(|host| host.is(plain)));
        let (link, image) = (on(&self.links), on(&self.images));
        let (link, image) = match kind {
            Kind::Link => (link, None),
            Kind::Image => (None, image),
            Kind::Both | Kind::Either => (link, image),
        };
        let passes = |list: Option<bool>| list != Some(false);
        match kind {
            Kind::Either if !passes(link) && !passes(image) => Verdict::Removed,
            Kind::Link | Kind::Image | Kind::Both if !passes(link) || !passes(image) => Verdict::Removed,
            _ if link == Some(true) || image == Some(true) => Verdict::Listed(plain.end),
            _ => Verdict::Passes,
        }
    }
}

fn host(entry: &str) -> Host {
    let entry = entry.as_bytes();
    let (entry, below) = entry.strip_prefix(b"*.").map_or((entry, false), |rest| (rest, true));
    let digits = entry.iter().rev().take_while(|b| b.is_ascii_digit()).count();
    let (name, port) = entry.split_at_checked(entry.len() - digits).unwrap_or((entry, b""));
    let (name, port) = match name.strip_suffix(b":") {
        Some(name) if digits > 0 => (name, port),
        _ => (entry, &b""[..]),
    };
    let name = name.strip_suffix(b".").unwrap_or(name);
    Host { name: name.to_vec(), below, port: port.to_vec() }
}

/// True if an entry of a list is a host: plain letters, digits, `-`, `_` and `.`, behind it a port or none, in front
/// of it `*.` or nothing.
pub(crate) fn is_host(entry: &str) -> bool {
    let Host { name, port, .. } = host(entry);
    let plain = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.' | b'_');
    name.first().is_some_and(u8::is_ascii_alphanumeric) && name.iter().all(plain) && port.len() <= 5
}

impl Host {
    fn is(&self, plain: &Plain) -> bool {
        let (name, host) = (&*self.name, plain.host);
        if !self.port.is_empty() && self.port != plain.port || name.is_empty() {
            return false;
        }
        if !self.below {
            return is(host, name);
        }
        let rest = host.len().saturating_sub(name.len());
        rest > 1 && host.get(rest - 1) == Some(&b'.') && host.get(rest..).is_some_and(|end| is(end, name))
    }
}

/// An address that is written plainly as far as its host and port go.
struct Plain<'a> {
    host: &'a [u8],
    port: &'a [u8],
    end: usize,
}

fn plain(address: &[u8]) -> Option<Plain<'_>> {
    let schemes: [(&[u8], &[u8]); 4] = [(b"https://", b"443"), (b"http://", b"80"), (b"//", b"443"), (b"www.", b"80")];
    let (start, port) = schemes.iter().find(|(scheme, _)| starts(address, scheme)).map(|(s, p)| (s.len(), *p))?;
    let bare = start == 4;
    let start = if bare { 0 } else { start };
    let end = cut(address, start);
    let authority = address.get(start..end)?;
    let colon = authority.iter().position(|b| *b == b':').unwrap_or(authority.len());
    let host = authority.get(..colon)?;
    let host = host.strip_suffix(b".").unwrap_or(host);
    let written = authority.get(colon + 1..).unwrap_or_default();
    let port = if written.is_empty() { port } else { written };
    let clean = host.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.' | b'_'));
    (clean
        && (!bare || host.len() > 4)
        && host.iter().any(u8::is_ascii_alphanumeric)
        && port.iter().all(u8::is_ascii_digit))
    .then_some(Plain { host, port, end })
}

/// Where the first of `/`, `?` and `#` stands from `start` on, or the end.
fn cut(address: &[u8], start: usize) -> usize {
    let rest = address.get(start..).unwrap_or_default();
    start + rest.iter().position(|b| matches!(b, b'/' | b'?' | b'#')).unwrap_or(rest.len())
}

/// True if no reader could take it for anything but a place below the page it stands on.
fn relative(address: &[u8]) -> bool {
    let first = cut(address, 0);
    let segment = address.get(..first).unwrap_or_default();
    let odd = segment.iter().enumerate().any(|(at, b)| match b {
        b':' | b'&' | b'<' => true,
        b'\\' => address.get(at + 1) != Some(&b'_'),
        b => b.is_ascii_control(),
    });
    let deeper = address.get(first) == Some(&b'/')
        && address.get(first + 1).is_some_and(|b| matches!(b, b'/' | b'\\' | b'&') || b.is_ascii_control());
    // The stage itself writes `&lt;`; no scheme begins so.
    !odd && !deeper || starts(address, b"&lt;")
}

/// The scheme, if one is written plainly.
pub(super) fn scheme(address: &[u8]) -> Option<&[u8]> {
    let name = address.get(..address.iter().position(|b| *b == b':')?)?;
    let clean = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.');
    (name.first().is_some_and(u8::is_ascii_alphabetic) && name.iter().all(clean)).then_some(name)
}

/// True if something is written where the host of a bare address would stand.
pub(super) fn names_host(rest: &[u8]) -> bool {
    let rest = rest.get(rest.iter().take_while(|b| matches!(b, b'/' | b'\\')).count()..).unwrap_or_default();
    let host = rest.get(..cut(rest, 0)).unwrap_or_default();
    host.iter().any(|b| b.is_ascii_alphanumeric() || matches!(b, b'[' | b'%' | b'&') || *b >= 0x80)
}

/// What is shown of an address in the place where it was: its host, or its scheme.
pub(super) fn show(address: &[u8], out: &mut String) {
    let slash = |b: &u8| matches!(b, b'/' | b'\\');
    let mut host = address.trim_ascii_start();
    let colon = host.iter().position(|b| *b == b':').unwrap_or(host.len());
    if !host.first().is_some_and(slash) && !starts(host, b"www.") {
        if host.get(colon + 1).is_some_and(slash) {
            host = host.get(colon..).unwrap_or_default();
        } else {
            host = host.get(..colon).unwrap_or_default();
        }
    }
    let start = out.len();
    let mut seen = false;
    for (at, b) in host.iter().enumerate() {
        if matches!(b, b'/' | b'?' | b'#' | b'\\') || !seen && *b == b':' {
            if seen {
                break;
            }
            continue;
        }
        seen = true;
        if *b == b'@' {
            out.truncate(start);
        } else if out.len() < start + SHOWN && (*b < 0x80 || *b >= 0xC0) {
            let shown = out.as_bytes().get(start..).unwrap_or_default();
            let harmless = b.is_ascii_alphanumeric() || matches!(b, b'-' | b':' | b'.');
            if *b == b'.' && is(shown, b"www") {
                out.truncate(start);
            } else if *b == b'.' && shown.len() >= 3 && starts(host.get(at - 3..).unwrap_or_default(), b"www.")
                || !harmless
            {
                out.push('?');
            } else {
                out.push(char::from(*b));
            }
        }
    }
    if out.len() == start {
        out.push_str("unknown");
    }
}

pub(super) fn starts(text: &[u8], lower: &[u8]) -> bool {
    text.get(..lower.len()).is_some_and(|start| is(start, lower))
}

pub(super) fn is(text: &[u8], lower: &[u8]) -> bool {
    text.eq_ignore_ascii_case(lower)
}
