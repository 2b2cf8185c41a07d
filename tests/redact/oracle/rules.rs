//! The rules as the oracle understands them: read from `rules.txt` once more, each pattern compiled alone by a regex
//! crate, boundaries and lengths by hand, checks written again.

use super::checks;
use super::literals::Literal;
use super::texts::Random;
use lastword::redact::{MAX_HOLD, Overflow};
use regex_automata::dfa::{Automaton, StartKind, dense};
use regex_automata::nfa::thompson;
use regex_automata::util::primitives::StateID;
use regex_automata::util::syntax;
use regex_automata::{Anchored, MatchKind};
use std::collections::HashSet;

type Class = [bool; 256];

/// One rule.
pub struct Rule {
    pub name: String,
    pub on: bool,
    pub groups: Vec<String>,
    body: dense::DFA<Vec<u32>>,
    start: StateID,
    /// States from which a match can be come to.
    hopeful: HashSet<StateID>,
    not_after: Option<Class>,
    not_before: Option<Class>,
    lookback: Option<(Class, usize)>,
    longest: Option<usize>,
    check: Option<checks::Check>,
    /// For a rule whose candidates may hold back without end.
    pub hold: Option<(usize, Overflow)>,
    /// What it looks for in place of a pattern.
    literal: Option<Literal>,
}

/// What a candidate of a rule comes to.
#[derive(Default)]
pub struct Outcome {
    /// Ends of its matches, rising.
    pub ends: Vec<usize>,
    /// Where the filter ends because of it.
    pub abort: Option<usize>,
}

/// The built-in rules in their order.
pub fn builtin() -> Vec<Rule> {
    let text = include_str!("../../../src/redact/rules.txt");
    let mut blocks: Vec<(String, Vec<(&str, &str)>)> = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        match line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            Some(name) if !line.contains('=') => blocks.push((name.to_owned(), Vec::new())),
            _ => {
                let (key, value) = line.split_once('=').unwrap_or_else(|| panic!("a line with no `=`: {line}"));
                blocks.last_mut().unwrap().1.push((key.trim(), value.trim()));
            }
        }
    }
    blocks.iter().map(|(name, fields)| Rule::read(name, fields)).collect()
}

impl Rule {
    fn read(name: &str, fields: &[(&str, &str)]) -> Rule {
        let all =
            |key: &str| fields.iter().filter(|(known, _)| *known == key).map(|(_, value)| *value).collect::<Vec<_>>();
        let one = |key: &str| all(key).first().copied();
        let known = [
            "groups",
            "match",
            "not-after",
            "not-before",
            "lookback",
            "longest",
            "check",
            "default",
            "solo",
            "max-hold",
            "machine",
        ];
        assert!(fields.iter().all(|(key, _)| known.contains(key)), "{name}: {fields:?}");
        let pattern = all("match").iter().map(|one| format!("(?:{one})")).collect::<Vec<_>>().join("|");
        let mut rule = Rule::of(name, &pattern);
        rule.not_after = one("not-after").map(class);
        rule.not_before = one("not-before").map(class);
        rule.lookback = one("lookback").map(|text| {
            let (set, count) = text.rsplit_once("{1,").unwrap();
            (class(set), count.strip_suffix('}').unwrap().parse().unwrap())
        });
        rule.longest = one("longest").map(|number| number.parse().unwrap());
        rule.check = one("check").map(checks::named);
        rule.on = one("default") != Some("off");
        rule.groups = one("groups").unwrap_or_default().split_whitespace().map(str::to_owned).collect();
        let solo = one("solo") == Some("yes") && rule.longest.is_none();
        let hold = one("max-hold").map_or(MAX_HOLD, |number| number.parse().unwrap());
        rule.hold = solo.then_some((hold, Overflow::Redact));
        rule
    }

    /// A pattern of the user's own.
    pub fn own(name: &str, pattern: &str, hold: usize, overflow: Overflow) -> Rule {
        Rule { hold: Some((hold, overflow)), ..Rule::of(name, pattern) }
    }

    /// Known values, or blocked terms.
    pub fn literal(name: &str, literal: Literal) -> Rule {
        Rule { literal: Some(literal), ..Rule::of(name, "a") }
    }

    fn of(name: &str, pattern: &str) -> Rule {
        let body = dense::Builder::new()
            .syntax(syntax::Config::new().unicode(true).utf8(false))
            .thompson(thompson::Config::new().utf8(false))
            .configure(dense::Config::new().match_kind(MatchKind::All).start_kind(StartKind::Anchored))
            .build(&ascii(pattern))
            .unwrap_or_else(|error| panic!("{name}: {error}: {pattern}"));
        let start = body.universal_start_state(Anchored::Yes).unwrap_or_else(|| panic!("{name} looks around"));
        let hopeful = hopeful(&body, start);
        Rule {
            name: name.to_owned(),
            on: true,
            groups: Vec::new(),
            body,
            start,
            hopeful,
            not_after: None,
            not_before: None,
            lookback: None,
            longest: None,
            check: None,
            hold: None,
            literal: None,
        }
    }

    /// What the candidate that begins at `from` comes to.
    pub fn candidate(&self, text: &[u8], from: usize) -> Outcome {
        let mut outcome = Outcome::default();
        if let Some(literal) = &self.literal {
            outcome.ends = literal.ends(std::str::from_utf8(text).unwrap(), from);
            return outcome;
        }
        if from > 0 && self.not_after.is_some_and(|class| class[usize::from(text[from - 1])]) {
            return outcome;
        }
        match &self.lookback {
            None => self.walk(text, from, from, &mut outcome),
            Some((class, most)) => {
                for at in from + 1..=(from + most).min(text.len()) {
                    if !class[usize::from(text[at - 1])] {
                        break;
                    }
                    self.walk(text, from, at, &mut outcome);
                }
                outcome.ends.sort_unstable();
            }
        }
        outcome
    }

    /// A text in the pattern's language, or nearly: found by walking the automaton at random.
    pub fn sample(&self, random: &mut Random) -> String {
        let (mut state, mut bytes) = (self.start, Vec::new());
        if let Some((class, _)) = &self.lookback {
            let members: Vec<u8> = (0..128).filter(|byte| class[usize::from(*byte)]).collect();
            (0..1 + random.below(5)).for_each(|_| bytes.push(members[random.below(members.len())]));
        }
        let enough = 8 + random.below(60);
        while bytes.len() < 300 {
            let ends = self.body.is_match_state(self.body.next_eoi_state(state));
            if ends && (bytes.len() >= enough || random.one_in(12)) {
                break;
            }
            let ways: Vec<u8> =
                (0..128).filter(|byte| self.hopeful.contains(&self.body.next_state(state, *byte))).collect();
            let Some(byte) = ways.get(random.below(ways.len())).copied() else { break };
            bytes.push(byte);
            state = self.body.next_state(state, byte);
        }
        String::from_utf8(bytes).unwrap()
    }

    fn walk(&self, text: &[u8], from: usize, at: usize, outcome: &mut Outcome) {
        let mut state = self.start;
        let (mut last, mut over) = (from, false);
        for end in at + 1..=text.len() {
            state = self.body.next_state(state, text[end - 1]);
            if !self.hopeful.contains(&state) || self.longest.is_some_and(|longest| end - from > longest) {
                return;
            }
            let fits = self.body.is_match_state(self.body.next_eoi_state(state));
            let next = text.get(end).copied();
            let guarded = next.is_none_or(|next| !self.not_before.is_some_and(|class| class[usize::from(next)]));
            if fits && guarded && self.check.is_none_or(|check| check(&text[from..end])) {
                outcome.ends.push(end);
                last = end;
                continue;
            }
            let Some((hold, policy)) = self.hold else { continue };
            let border = next.is_some_and(|next| next & 0xC0 != 0x80);
            let alive = (0..=255).any(|byte| self.hopeful.contains(&self.body.next_state(state, byte)))
                || fits && self.not_before.is_some();
            if !alive {
                continue;
            }
            if over && (border || next.is_none()) {
                outcome.ends.push(end);
            } else if border && end - last > hold {
                match policy {
                    Overflow::Release => return,
                    Overflow::Abort => {
                        outcome.abort = Some(end);
                        return;
                    }
                    Overflow::Redact => {
                        over = true;
                        outcome.ends.push(end);
                    }
                }
            }
        }
    }
}

/// The states from which a match can be come to, with a byte more or the end.
fn hopeful(body: &dense::DFA<Vec<u32>>, start: StateID) -> HashSet<StateID> {
    let (mut seen, mut order) = (HashSet::from([start]), vec![start]);
    let mut at = 0;
    while let Some(state) = order.get(at).copied() {
        for byte in 0..=255 {
            let next = body.next_state(state, byte);
            if seen.insert(next) {
                order.push(next);
            }
        }
        at += 1;
    }
    let mut good: HashSet<StateID> =
        order.iter().copied().filter(|state| body.is_match_state(body.next_eoi_state(*state))).collect();
    loop {
        let before = good.len();
        for state in &order {
            if !good.contains(state) && (0..=255).any(|byte| good.contains(&body.next_state(*state, byte))) {
                good.insert(*state);
            }
        }
        if good.len() == before {
            return good;
        }
    }
}

/// `\d`, `\w` and `\s` mean ASCII; the regex crate is told so.
fn ascii(pattern: &str) -> String {
    let (mut out, mut inside) = (String::new(), false);
    let mut characters = pattern.chars();
    while let Some(character) = characters.next() {
        match character {
            '[' if !inside => inside = true,
            ']' => inside = false,
            '\\' => {
                let escaped = characters.next().unwrap();
                let set = match escaped {
                    'd' => "0-9",
                    'w' => "A-Za-z0-9_",
                    's' => r"\t\n\x0B\x0C\r ",
                    'D' => r"^0-9",
                    'W' => "^A-Za-z0-9_",
                    'S' => r"^\t\n\x0B\x0C\r ",
                    '/' => "/",
                    _ => "",
                };
                match (set, inside) {
                    ("", _) => out.extend(['\\', escaped]),
                    ("/", _) => out.push('/'),
                    (set, true) if !set.starts_with('^') => out.push_str(set),
                    (set, _) => out.extend(["[", set, "]"]),
                }
                continue;
            }
            _ => {}
        }
        out.push(character);
    }
    out
}

/// A class of bytes as in `not-after`: `\w` in it has every byte of a character that is not ASCII too.
fn class(text: &str) -> Class {
    let inner = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap();
    let (negated, inner) = inner.strip_prefix('^').map_or((false, inner), |inner| (true, inner));
    let mut set = [false; 256];
    let mut bytes = inner.bytes().peekable();
    let mut put = |low: u8, high: u8| (low..=high).for_each(|byte| set[usize::from(byte)] = true);
    while let Some(byte) = bytes.next() {
        let low = match byte {
            b'\\' => match bytes.next().unwrap() {
                b'w' => {
                    let word = [(b'a', b'z'), (b'A', b'Z'), (b'0', b'9'), (b'_', b'_'), (0x80, 0xFF)];
                    word.iter().for_each(|(a, b)| put(*a, *b));
                    continue;
                }
                b'd' => {
                    put(b'0', b'9');
                    continue;
                }
                b's' => {
                    b"\t\n\x0B\x0C\r ".iter().for_each(|byte| put(*byte, *byte));
                    continue;
                }
                b'n' => b'\n',
                b't' => b'\t',
                b'r' => b'\r',
                b'x' => {
                    let digits = [bytes.next().unwrap(), bytes.next().unwrap()];
                    u8::from_str_radix(std::str::from_utf8(&digits).unwrap(), 16).unwrap()
                }
                other => other,
            },
            other => other,
        };
        let mut ahead = bytes.clone();
        match (ahead.next(), ahead.next()) {
            (Some(b'-'), Some(high)) => {
                let high = if high == b'\\' { ahead.next().unwrap() } else { high };
                assert_ne!(high, b'x', "write the end of a range plainly");
                bytes = ahead;
                put(low, high);
            }
            _ => put(low, low),
        }
    }
    if negated { set.map(|is| !is) } else { set }
}
