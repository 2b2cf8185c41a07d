//! From a pattern's text to a tree.

use super::class::{Chars, Side};
use super::{MOST_BYTES, MOST_COUNT, MOST_DEPTH, Refused};

/// A part of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Tree {
    /// One character, and at which byte of the pattern it stands.
    Class(usize, Chars),
    /// Nothing, where this stands before and that behind.
    Guard(Side, Side),
    /// One after the other; the empty text if there is none.
    All(Vec<Tree>),
    /// One of them.
    Any(Vec<Tree>),
    /// From `least` to `most` times. `u16::MAX` is without an end.
    Repeat { what: Box<Tree>, least: u16, most: u16 },
}

impl Tree {
    /// True for what stands between characters. Of the trees that are made here, only a border begins like that.
    fn is_guard(&self) -> bool {
        match self {
            Tree::Any(parts) => matches!(parts.first(), Some(Tree::Guard(..))),
            tree => matches!(tree, Tree::Guard(..)),
        }
    }

    /// True if it matches the empty text somewhere.
    fn may_be_empty(&self) -> bool {
        match self {
            Tree::Class(..) => false,
            Tree::Guard(..) => true,
            Tree::All(parts) => parts.iter().all(Tree::may_be_empty),
            Tree::Any(parts) => parts.iter().any(Tree::may_be_empty),
            Tree::Repeat { what, least, .. } => *least == 0 || what.may_be_empty(),
        }
    }
}

/// A pattern as a tree.
pub(super) fn pattern(text: &str) -> Result<Tree, Refused> {
    if text.len() > MOST_BYTES {
        return Err((MOST_BYTES, "the pattern is longer than 1000 bytes"));
    }
    let mut parser = Parser { text, at: 0, fold: false, depth: 0 };
    parser.fold = parser.take("(?i)");
    let tree = parser.any()?;
    if parser.peek().is_some() {
        return parser.refuse("this closes no group");
    }
    if tree.may_be_empty() {
        return Err((0, "it matches the empty text"));
    }
    Ok(tree)
}

/// A class alone, as what may stand beside a place.
pub(super) fn class(text: &str) -> Result<Side, Refused> {
    let mut parser = Parser { text, at: 0, fold: false, depth: 0 };
    let side = parser.side()?;
    if parser.peek().is_some() {
        return parser.refuse("only one class may stand here");
    }
    Ok(side)
}

/// What an escape is.
enum Escape {
    Char(u32),
    Class(Chars),
}

struct Parser<'a> {
    text: &'a str,
    /// The next byte.
    at: usize,
    /// The case of ASCII letters doesn't matter.
    fold: bool,
    depth: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<char> {
        self.text.get(self.at..).and_then(|rest| rest.chars().next())
    }

    fn next(&mut self) -> Option<char> {
        let char = self.peek()?;
        self.at += char.len_utf8();
        Some(char)
    }

    /// Takes what comes next if it is this.
    fn take(&mut self, what: &str) -> bool {
        let is = self.text.get(self.at..).is_some_and(|rest| rest.starts_with(what));
        if is {
            self.at += what.len();
        }
        is
    }

    fn refuse<T>(&self, reason: &'static str) -> Result<T, Refused> {
        Err((self.at, reason))
    }

    /// Alternatives, up to the group's end.
    fn any(&mut self) -> Result<Tree, Refused> {
        let first = self.all()?;
        if self.peek() != Some('|') {
            return Ok(first);
        }
        let mut parts = vec![first];
        while self.take("|") {
            parts.push(self.all()?);
        }
        Ok(Tree::Any(parts))
    }

    /// One after the other, up to the alternative's end.
    fn all(&mut self) -> Result<Tree, Refused> {
        let mut parts = Vec::new();
        while !matches!(self.peek(), None | Some('|' | ')')) {
            let part = self.part()?;
            parts.push(self.repeated(part)?);
        }
        Ok(Tree::All(parts))
    }

    /// One part, without its repetition.
    fn part(&mut self) -> Result<Tree, Refused> {
        let at = self.at;
        match self.peek() {
            Some('(') => self.group(),
            Some('^') => {
                self.at += 1;
                Ok(Tree::Guard(Side::EDGE, Side::ANY))
            }
            Some('$') => {
                self.at += 1;
                Ok(Tree::Guard(Side::ANY, Side::EDGE))
            }
            Some('*' | '+' | '?' | '{') => self.refuse("there is nothing to repeat"),
            Some(']' | '}') => self.refuse("this closes nothing; escape it if it is meant"),
            _ if self.take("\\b") => Ok(border(false)),
            _ if self.take("\\B") => Ok(border(true)),
            _ => Ok(Tree::Class(at, self.chars()?)),
        }
    }

    fn group(&mut self) -> Result<Tree, Refused> {
        let at = self.at;
        let fold = self.fold;
        for (open, before, not) in
            [("(?=", false, false), ("(?!", false, true), ("(?<=", true, false), ("(?<!", true, true)]
        {
            if self.take(open) {
                let mut side = self.side()?;
                if !self.take(")") {
                    return self.refuse("a look-around may hold one class and nothing else");
                }
                if not {
                    side = side.not();
                }
                return Ok(if before { Tree::Guard(side, Side::ANY) } else { Tree::Guard(Side::ANY, side) });
            }
        }
        if self.take("(?i:") {
            self.fold = true;
        } else if !self.take("(?:") {
            self.at += 1;
            match self.peek() {
                Some('?') if self.take("?<") || self.take("?P") => {
                    return Err((at, "groups can't have names"));
                }
                Some('?') => {
                    return Err((at, "of flags there is i alone: (?i:...), or (?i) in front of all"));
                }
                _ => {}
            }
        }
        if self.depth == MOST_DEPTH {
            return Err((at, "groups are nested more than 64 deep"));
        }
        self.depth += 1;
        let tree = self.any()?;
        self.depth -= 1;
        self.fold = fold;
        if !self.take(")") {
            return Err((at, "this group is not closed"));
        }
        Ok(tree)
    }

    /// The part with the repetition that stands behind it.
    fn repeated(&mut self, part: Tree) -> Result<Tree, Refused> {
        let at = self.at;
        let (least, most) = match self.peek() {
            Some('?') => (0, 1),
            Some('*') => (0, u16::MAX),
            Some('+') => (1, u16::MAX),
            Some('{') => {
                self.at += 1;
                let least = self.count()?;
                let most = match (self.take(","), self.peek()) {
                    (false, _) => least,
                    (true, Some('}')) => u16::MAX,
                    (true, _) => self.count()?,
                };
                if self.peek() != Some('}') {
                    return Err((at, "a repetition is {2}, {2,} or {2,5}"));
                }
                if least > most {
                    return Err((at, "this repetition is from more to less"));
                }
                (least, most)
            }
            _ => return Ok(part),
        };
        self.at += 1;
        if part.is_guard() {
            return Err((at, "there is nothing to repeat"));
        }
        self.take("?");
        if matches!(self.peek(), Some('?' | '*' | '+' | '{')) {
            return self.refuse("this is repeated already");
        }
        Ok(Tree::Repeat { what: Box::new(part), least, most })
    }

    fn count(&mut self) -> Result<u16, Refused> {
        let at = self.at;
        let mut count = 0u16;
        while let Some(digit) = self.peek().and_then(|char| char.to_digit(10)) {
            count = count.saturating_mul(10).saturating_add(digit as u16);
            self.at += 1;
        }
        if self.at == at {
            return self.refuse("a number is missing; escape the brace if it is meant");
        }
        if count > MOST_COUNT {
            return Err((at, "a repetition counts to 256 at most"));
        }
        Ok(count)
    }

    /// One character of those that are written next: a class, an escape or itself.
    fn chars(&mut self) -> Result<Chars, Refused> {
        let mut chars = Chars::default();
        match self.peek() {
            Some('[') => return self.bracket(),
            Some('.') => {
                self.at += 1;
                chars.add(10, 10);
                return Ok(chars.not());
            }
            Some('\\') => match self.escape()? {
                Escape::Char(char) => chars.add(char, char),
                Escape::Class(class) => chars = class,
            },
            _ => match self.next() {
                Some(char) => chars.add(char.into(), char.into()),
                None => return self.refuse("the pattern ends too early"),
            },
        }
        if self.fold {
            chars.fold();
        }
        Ok(chars)
    }

    fn bracket(&mut self) -> Result<Chars, Refused> {
        let at = self.at;
        self.at += 1;
        let not = self.take("^");
        let mut chars = Chars::default();
        loop {
            let from = self.at;
            let low = match self.member(at)? {
                None => break,
                Some(Escape::Class(class)) => {
                    chars.join(&class);
                    continue;
                }
                Some(Escape::Char(char)) => char,
            };
            let dash = self.at;
            let high = match self.take("-").then(|| self.member(at)).transpose()? {
                None => low,
                // The dash was the last: it means itself.
                Some(None) => {
                    chars.add(low, low);
                    chars.add(u32::from(b'-'), u32::from(b'-'));
                    break;
                }
                Some(Some(Escape::Class(_))) => return Err((dash, "a range can't end with a class")),
                Some(Some(Escape::Char(high))) => high,
            };
            if low > high {
                return Err((from, "this range is from high to low"));
            }
            chars.add(low, high);
        }
        if self.fold {
            chars.fold();
        }
        if not {
            chars = chars.not();
        }
        if chars.0.is_empty() {
            return Err((at, "this class is empty"));
        }
        Ok(chars)
    }

    /// The next member of the class that was opened at `open`; none if it is closed.
    fn member(&mut self, open: usize) -> Result<Option<Escape>, Refused> {
        if self.peek() == Some('\\') {
            return self.escape().map(Some);
        }
        match self.next() {
            None => Err((open, "this class is not closed")),
            Some(']') => Ok(None),
            Some(char) => Ok(Some(Escape::Char(char.into()))),
        }
    }

    fn escape(&mut self) -> Result<Escape, Refused> {
        let at = self.at;
        self.at += 1;
        let char = self.next();
        Ok(Escape::Char(match char {
            Some('t') => 9,
            Some('n') => 10,
            Some('v') => 11,
            Some('f') => 12,
            Some('r') => 13,
            Some('x') => self.hex(at, 2)?,
            Some('u') if self.take("{") => {
                let char = self.hex(at, 0)?;
                if !self.take("}") {
                    return Err((at, "this number of a character is not closed"));
                }
                char
            }
            Some('u') => self.hex(at, 4)?,
            Some(name @ ('d' | 'D' | 'w' | 'W' | 's' | 'S')) => {
                let mut class = Chars::default();
                for &(low, high) in match name.to_ascii_lowercase() {
                    'd' => &[(b'0', b'9')][..],
                    's' => &[(9, 13), (b' ', b' ')],
                    _ => WORD,
                } {
                    class.add(low.into(), high.into());
                }
                return Ok(Escape::Class(if name.is_ascii_uppercase() { class.not() } else { class }));
            }
            Some('1'..='9' | 'k') => return Err((at, "there are no references to groups")),
            Some('p' | 'P') => return Err((at, "there are no classes by Unicode's names")),
            Some(char) if char.is_ascii_punctuation() || char == ' ' => char.into(),
            _ => return Err((at, "this escape is unknown")),
        }))
    }

    /// A character's number of so many digits; up to six for 0.
    fn hex(&mut self, at: usize, digits: usize) -> Result<u32, Refused> {
        let from = self.at;
        let mut number = 0;
        while let Some(digit) = self.peek().and_then(|char| char.to_digit(16)) {
            if self.at - from == if digits == 0 { 6 } else { digits } {
                break;
            }
            number = number * 16 + digit;
            self.at += 1;
        }
        if self.at == from || digits != 0 && self.at - from != digits || char::from_u32(number).is_none() {
            return Err((at, "this is no number of a character"));
        }
        Ok(number)
    }

    /// The class that comes next, as what may stand beside a place.
    fn side(&mut self) -> Result<Side, Refused> {
        let at = self.at;
        if matches!(self.peek(), None | Some('(' | ')' | '|' | '^' | '$' | '*' | '+' | '?' | '{')) {
            return self.refuse("a look-around may hold one class and nothing else");
        }
        self.chars()?.side().ok_or((at, "what is not ASCII must be in this class all or not at all"))
    }
}

const WORD: &[(u8, u8)] = &[(b'0', b'9'), (b'A', b'Z'), (b'_', b'_'), (b'a', b'z')];

/// A border of a word, or none.
fn border(none: bool) -> Tree {
    let mut word = Side { bytes: Default::default(), edge: false };
    for &(low, high) in WORD.iter().chain(&[(0x80, 0xFF)]) {
        word.bytes.add(low, high);
    }
    let other = word.not();
    let (one, two) = if none { (word, other) } else { (other, word) };
    Tree::Any(vec![Tree::Guard(word, one), Tree::Guard(other, two)])
}
