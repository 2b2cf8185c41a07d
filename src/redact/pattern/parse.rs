//! From a pattern's text to the nodes of an automaton.

use super::class::{Chars, Side};
use super::nfa::{Nfa, Node, Part, Start};
use super::{MOST_BYTES, MOST_COUNT, MOST_DEPTH, Refused, Source};

/// Adds the nodes of a source.
pub(super) fn source(nfa: &mut Nfa, source: &Source<'_>) -> Result<(), Refused> {
    if source.pattern.len() > MOST_BYTES {
        return Err((MOST_BYTES, "the pattern is longer than 1000 bytes"));
    }
    let not = |guard: Option<&str>| guard.map_or(Ok(Side::ANY), |guard| class(guard).map(Side::not));
    let (before, behind) = (not(source.not_after)?, not(source.not_before)?);
    let mut parser = Parser { nfa, text: source.pattern, at: 0, fold: false, depth: 0, error: None };
    parser.source(source.rule, &before, &behind).ok_or(parser.error.unwrap_or((parser.at, TOO_LARGE)))
}

/// A class alone, as what may stand beside a place.
pub(super) fn class(text: &str) -> Result<Side, Refused> {
    let nfa = &mut Nfa::default();
    let mut parser = Parser { nfa, text, at: 0, fold: false, depth: 0, error: None };
    let side = parser.side().filter(|_| parser.at == text.len());
    side.ok_or(parser.error.unwrap_or((parser.at, "only one class may stand here")))
}

const TOO_LARGE: &str = "with its repetitions the pattern comes to too much";

/// What an escape is.
enum Escape {
    Char(u32),
    Class(Chars),
}

/// All that it reads is none where it is refused. Why is in `error`; if nothing is, there were too many nodes.
struct Parser<'a> {
    nfa: &'a mut Nfa,
    text: &'a str,
    /// The next byte.
    at: usize,
    /// The case of ASCII letters doesn't matter.
    fold: bool,
    depth: usize,
    error: Option<Refused>,
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

    fn refuse<T>(&mut self, at: usize, reason: &'static str) -> Option<T> {
        self.error = Some((at, reason));
        None
    }

    fn source(&mut self, rule: u16, before: &Side, behind: &Side) -> Option<()> {
        self.fold = self.take("(?i)");
        let start = self.nfa.guard(before, &Side::ANY)?;
        let part = self.any()?;
        if self.at < self.text.len() {
            return self.refuse(self.at, "this closes no group");
        }
        if part.empty {
            return self.refuse(0, "it matches the empty text");
        }
        let end = self.nfa.guard(&Side::ANY, behind)?;
        let found = self.nfa.node(Node::Match { rule })?;
        self.nfa.lead(start.exit, part.entry);
        self.nfa.lead(part.exit, end.entry);
        self.nfa.lead(end.exit, found);
        self.nfa.starts.push(Start { rule, node: start.entry, end: self.nfa.len() });
        Some(())
    }

    /// Alternatives, up to the group's end.
    fn any(&mut self) -> Option<Part> {
        let mut part = self.all()?;
        while self.take("|") {
            let other = self.all()?;
            part = self.nfa.either(part, other)?;
        }
        Some(part)
    }

    /// One after the other, up to the alternative's end.
    fn all(&mut self) -> Option<Part> {
        let mut all = self.nfa.nothing()?;
        while !matches!(self.peek(), None | Some('|' | ')')) {
            let part = self.part()?;
            all = self.nfa.both(all, part);
        }
        Some(all)
    }

    /// One part, with its repetition.
    fn part(&mut self) -> Option<Part> {
        let at = self.at;
        let mut sides = None;
        let mut part = None;
        match self.peek() {
            Some('(') => match self.look() {
                None => part = Some(self.group()?),
                Some((before, not)) => {
                    let mut side = self.side()?;
                    if !self.take(")") {
                        return self.refuse(self.at, LOOK);
                    }
                    if not {
                        side = side.not();
                    }
                    sides = Some(if before { (side, Side::ANY) } else { (Side::ANY, side) });
                }
            },
            Some('^') if self.take("^") => sides = Some((Side::EDGE, Side::ANY)),
            Some('$') if self.take("$") => sides = Some((Side::ANY, Side::EDGE)),
            Some('*' | '+' | '?' | '{') => return self.refuse(at, NOTHING),
            Some(']' | '}') => return self.refuse(at, "this closes nothing; escape it if it is meant"),
            _ => {
                let not = self.take("\\B");
                if not || self.take("\\b") {
                    let word = word();
                    let (same, other) = if not { (word, word.not()) } else { (word.not(), word) };
                    let one = self.nfa.guard(&word, &same)?;
                    let two = self.nfa.guard(&word.not(), &other)?;
                    let border = self.nfa.either(one, two)?;
                    return self.no_repetition(border);
                }
                let chars = self.chars()?;
                part = Some(self.nfa.chars(&chars)?);
            }
        }
        if let Some((before, behind)) = sides {
            let guard = self.nfa.guard(&before, &behind)?;
            return self.no_repetition(guard);
        }
        self.repeated(part?)
    }

    /// What stands between characters can't be repeated.
    fn no_repetition(&mut self, part: Part) -> Option<Part> {
        match self.peek() {
            Some('*' | '+' | '?' | '{') => self.refuse(self.at, NOTHING),
            _ => Some(part),
        }
    }

    /// The beginning of a look-around: true if it looks before, and true if what it finds must not be there.
    fn look(&mut self) -> Option<(bool, bool)> {
        let before = self.text.get(self.at..)?.starts_with("(?<");
        let not = self.take(if before { "(?<!" } else { "(?!" });
        (not || self.take(if before { "(?<=" } else { "(?=" })).then_some((before, not))
    }

    fn group(&mut self) -> Option<Part> {
        let at = self.at;
        let fold = self.fold;
        if self.take("(?i:") {
            self.fold = true;
        } else if !self.take("(?:") {
            self.take("(");
            if self.take("?<") || self.take("?P") {
                return self.refuse(at, "groups can't have names");
            }
            if self.take("?") {
                return self.refuse(at, "of flags there is i alone: (?i:...), or (?i) in front of all");
            }
        }
        if self.depth == MOST_DEPTH {
            return self.refuse(at, "groups are nested more than 64 deep");
        }
        self.depth += 1;
        let part = self.any()?;
        self.depth -= 1;
        self.fold = fold;
        if !self.take(")") {
            return self.refuse(at, "this group is not closed");
        }
        Some(part)
    }

    /// The part with the repetition that stands behind it.
    fn repeated(&mut self, part: Part) -> Option<Part> {
        let at = self.at;
        let (mut least, mut most) = (0, u16::MAX);
        match self.peek() {
            Some('?') => most = 1,
            Some('*') => {}
            Some('+') => least = 1,
            Some('{') => {
                self.at += 1;
                least = self.count()?;
                if !self.take(",") {
                    most = least;
                } else if self.peek() != Some('}') {
                    most = self.count()?;
                }
                if self.peek() != Some('}') {
                    return self.refuse(at, "a repetition is {2}, {2,} or {2,5}");
                }
                if least > most {
                    return self.refuse(at, "this repetition is from more to less");
                }
            }
            _ => return Some(part),
        }
        self.at += 1;
        self.take("?");
        if matches!(self.peek(), Some('?' | '*' | '+' | '{')) {
            return self.refuse(self.at, "this is repeated already");
        }
        let repeated = self.nfa.repeat(part, least, most);
        if repeated.is_none() {
            self.at = at;
        }
        repeated
    }

    fn count(&mut self) -> Option<u16> {
        let at = self.at;
        let mut count = 0u32;
        while let Some(digit) = self.peek().and_then(|char| char.to_digit(10)) {
            count = (count * 10 + digit).min(9999);
            self.at += 1;
        }
        if self.at == at {
            return self.refuse(at, "a number is missing; escape the brace if it is meant");
        }
        if count > MOST_COUNT {
            return self.refuse(at, "a repetition counts to 256 at most");
        }
        Some(count as u16)
    }

    /// One character of those that are written next: a class, an escape or itself.
    fn chars(&mut self) -> Option<Chars> {
        let mut chars = Chars::default();
        if self.peek() == Some('[') {
            return self.bracket();
        }
        if self.take(".") {
            chars.0.push((10, 10));
            return Some(chars.not());
        }
        match self.member(self.at)? {
            Escape::Char(char) => chars.0.push((char, char)),
            Escape::Class(class) => chars = class,
        }
        if self.fold {
            chars.fold();
        }
        Some(chars.not().not())
    }

    fn bracket(&mut self) -> Option<Chars> {
        let at = self.at;
        self.at += 1;
        let not = self.take("^");
        let mut chars = Chars::default();
        while !self.take("]") {
            let from = self.at;
            let low = match self.member(at)? {
                Escape::Class(class) => {
                    chars.0.extend(class.0);
                    continue;
                }
                Escape::Char(char) => char,
            };
            let mut high = low;
            let dash = self.at;
            if self.take("-") {
                if self.peek() == Some(']') {
                    // The dash was the last: it means itself.
                    self.at = dash;
                } else if let Escape::Char(char) = self.member(at)? {
                    high = char;
                } else {
                    return self.refuse(dash, "a range can't end with a class");
                }
            }
            if low > high {
                return self.refuse(from, "this range is from high to low");
            }
            chars.0.push((low, high));
        }
        if self.fold {
            chars.fold();
        }
        let mut chars = chars.not();
        if !not {
            chars = chars.not();
        }
        if chars.0.is_empty() {
            return self.refuse(at, "this class is empty");
        }
        Some(chars)
    }

    /// The character or escape that comes next, in the class that was opened at `open`.
    fn member(&mut self, open: usize) -> Option<Escape> {
        let at = self.at;
        match self.next() {
            Some('\\') => {}
            Some(char) => return Some(Escape::Char(char.into())),
            None => return self.refuse(open, "this class is not closed"),
        }
        let char = self.next();
        Some(Escape::Char(match char {
            Some('t') => 9,
            Some('n') => 10,
            Some('v') => 11,
            Some('f') => 12,
            Some('r') => 13,
            Some('x') => self.hex(at, 2)?,
            Some('u') if self.take("{") => {
                let char = self.hex(at, 0)?;
                if !self.take("}") {
                    return self.refuse(at, "this number of a character is not closed");
                }
                char
            }
            Some('u') => self.hex(at, 4)?,
            Some('1'..='9' | 'k') => return self.refuse(at, "there are no references to groups"),
            Some('p' | 'P') => return self.refuse(at, "there are no classes by Unicode's names"),
            Some(name @ ('d' | 'D' | 'w' | 'W' | 's' | 'S')) => {
                let class = Chars(match name.to_ascii_lowercase() {
                    'd' => vec![(0x30, 0x39)],
                    's' => vec![(9, 13), (0x20, 0x20)],
                    _ => WORD.to_vec(),
                });
                return Some(Escape::Class(if name.is_ascii_uppercase() { class.not() } else { class }));
            }
            Some(char) if char.is_ascii_punctuation() || char == ' ' => char.into(),
            _ => return self.refuse(at, "this escape is unknown"),
        }))
    }

    /// A character's number of so many digits; up to six for 0.
    fn hex(&mut self, at: usize, digits: usize) -> Option<u32> {
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
            return self.refuse(at, "this is no number of a character");
        }
        Some(number)
    }

    /// The class that comes next, as what may stand beside a place.
    fn side(&mut self) -> Option<Side> {
        let at = self.at;
        if matches!(self.peek(), None | Some('(' | ')' | '|' | '^' | '$' | '*' | '+' | '?' | '{')) {
            return self.refuse(at, LOOK);
        }
        let side = self.chars()?.side();
        if side.is_none() {
            return self.refuse(at, "what is not ASCII must be in this class all or not at all");
        }
        side
    }
}

const LOOK: &str = "a look-around may hold one class and nothing else";
const NOTHING: &str = "there is nothing to repeat";
const WORD: &[(u32, u32)] = &[(0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A)];

/// The bytes of words.
fn word() -> Side {
    let mut word = Side::ANY.not();
    for &(low, high) in WORD {
        word.bytes.add(low as u8, high as u8);
    }
    word.bytes.add(0x80, 0xFF);
    word
}
