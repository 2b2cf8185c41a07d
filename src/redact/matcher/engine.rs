//! What all matchers of one kind share: the automata, the rules, and which bytes can begin anything.

use super::machine::{Machine, NONE};
use crate::redact::check::Check;
use crate::redact::literals::Literals;
use crate::redact::settings::{HARD_HOLD, Mode, Overflow, Style};
use crate::redact::style::Tokens;

/// A check is made of no more than so many bytes of a rule without a bound.
const CHECKED: u64 = 1024;
/// How many kinds of bytes before there can be, by what they let begin.
const KINDS: usize = 32;
/// The bit for all machines that have none of their own.
pub(super) const LAST: usize = 31;

/// A rule that is switched on.
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    pub(crate) name: Box<str>,
    pub(crate) style: Style,
    /// How many bytes a candidate, or a span whose value is needed, may hold back.
    pub(crate) hold: u64,
    /// What becomes of a candidate that would hold back more; none for a rule that can't.
    pub(crate) overflow: Option<Overflow>,
    pub(crate) check: Option<Check>,
    /// The longest match, in bytes, where the rule sets it and not the pattern alone.
    pub(crate) longest: Option<u16>,
    /// The longest match that the rule and the pattern let be, in bytes, if there is one.
    pub(crate) bound: Option<u64>,
    /// Some values may leave.
    pub(crate) allows: bool,
}

impl Rule {
    /// True if a match may count or not by more than the state of its automaton.
    pub(super) fn looks_at_the_whole(&self) -> bool {
        self.check.is_some() || self.longest.is_some() || self.allows
    }
}

/// Bits by byte.
#[derive(Debug)]
pub(super) struct ByByte([u32; 256]);

impl ByByte {
    /// The byte's.
    #[inline(always)]
    #[allow(clippy::indexing_slicing, reason = "there is a place for every byte, and no check that it is there")]
    pub(super) fn of(&self, byte: u8) -> u32 {
        self.0[usize::from(byte)]
    }

    fn add(&mut self, byte: u8, bits: u32) {
        if let Some(own) = self.0.get_mut(usize::from(byte)) {
            *own |= bits;
        }
    }
}

/// Which bytes can begin a candidate, by the kind of the byte before: a bit a kind.
#[derive(Debug)]
pub(super) struct Opens {
    /// By the byte before, or [`NONE`].
    kind: ByByte,
    /// The kind of the start of a text.
    none: u32,
    /// Any.
    pub(super) any: ByByte,
    /// One that is not of machine 0, or of that one if its steps need care; or a literal.
    pub(super) other: ByByte,
    /// By the byte alone, the machines of which it can begin one: a bit each, the last for all from there on.
    pub(super) machines: ByByte,
}

impl Opens {
    /// The bit of a byte before.
    #[inline(always)]
    pub(super) fn kind(&self, before: u8) -> u32 {
        self.kind.of(before)
    }

    /// The bit of the start of a text.
    pub(super) fn none(&self) -> u32 {
        self.none
    }
}

/// What matchers share.
#[derive(Debug)]
pub(crate) struct Engine {
    pub(super) rules: Vec<Rule>,
    pub(super) machines: Vec<Machine>,
    pub(super) opens: Opens,
    /// Known values, and blocked terms.
    pub(super) literals: [Literals; 2],
    /// Values that may leave, unless a literal is in them.
    pub(super) allow: Vec<String>,
    pub(super) mode: Mode,
    pub(super) tokens: Tokens,
    /// Which machines have something in front of their pattern.
    pub(super) backs: Vec<usize>,
    /// How far back text is kept, in bytes.
    pub(super) behind: u64,
    /// Candidates in the same state are told apart while they are not longer, since spans wait for them.
    pub(super) apart: u64,
    /// The least that a rule whose spans wait for their value may hold back.
    pub(super) patience: u64,
    /// How many states there are in all.
    pub(super) states: usize,
}

impl Engine {
    pub(crate) fn new(
        rules: Vec<Rule>,
        mut machines: Vec<Machine>,
        literals: [Literals; 2],
        allow: Vec<String>,
        mode: Mode,
        tokens: Tokens,
    ) -> Engine {
        let mut states = 0;
        let mut behind = 1;
        let mut backs = Vec::new();
        for (index, machine) in machines.iter_mut().enumerate() {
            machine.offset = states;
            states += machine.size();
            if let Some(lookback) = &machine.lookback {
                backs.push(index);
                behind = behind.max(u64::from(lookback.most) + 2);
            }
        }
        let (mut apart, mut patience) = (0, HARD_HOLD as u64);
        for rule in &rules {
            if rule.looks_at_the_whole() {
                behind = behind.max(rule.bound.unwrap_or(CHECKED));
            }
            if mode == Mode::Redact && rule.style.needs_the_whole() {
                apart = apart.max(rule.hold);
                patience = patience.min(rule.hold);
            }
        }
        let opens = opens(&machines, &literals);
        Engine { rules, machines, opens, literals, allow, mode, tokens, backs, behind, apart, patience, states }
    }

    /// What a match leads to.
    pub(crate) fn mode(&self) -> Mode {
        self.mode
    }

    /// The names of the rules, in their order.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.rules.iter().map(|rule| &*rule.name)
    }

    /// The rule of that number.
    pub(super) fn rule(&self, number: u16) -> Option<&Rule> {
        self.rules.get(usize::from(number))
    }

    /// True if a span of the rule waits for its whole value.
    pub(super) fn waits(&self, number: u16) -> bool {
        self.mode == Mode::Redact && self.rule(number).is_some_and(|rule| rule.style.needs_the_whole())
    }

    /// How many bytes a candidate or a span of the rule may hold back.
    pub(super) fn hold(&self, number: u16) -> u64 {
        self.rule(number).map_or(0, |rule| rule.hold)
    }

    /// True if this text may leave: it is an allowed value, or what stands in one before a dot, since the rest may
    /// follow, as `.br` does behind `ana@firma.com`.
    pub(super) fn allows(&self, text: &[u8]) -> bool {
        let begins = |value: &[u8]| value.get(..text.len()).is_some_and(|value| value.eq_ignore_ascii_case(text));
        let goes_on = |value: &[u8]| value.get(text.len()).is_none_or(|next| *next == b'.');
        self.allow.iter().any(|value| begins(value.as_bytes()) && goes_on(value.as_bytes()))
    }

    /// True if a match of the rule counts.
    pub(super) fn passes(&self, number: u16, matched: Option<&[u8]>, length: u64) -> bool {
        let Some(rule) = self.rule(number) else { return false };
        if rule.longest.is_some_and(|longest| length > u64::from(longest)) {
            return false;
        }
        match matched {
            Some(matched) if length <= rule.bound.unwrap_or(CHECKED) => {
                rule.check.is_none_or(|check| check.passes(matched)) && !(rule.allows && self.allows(matched))
            }
            _ => true,
        }
    }
}

/// Groups the bytes before by what they let begin.
fn opens(machines: &[Machine], literals: &[Literals; 2]) -> Opens {
    let empty = || ByByte([0; 256]);
    let mut opens = Opens { kind: empty(), none: 0, any: empty(), other: empty(), machines: empty() };
    let starts = |before: usize, machine: &Machine| match &machine.lookback {
        Some(back) if !u8::try_from(before).is_ok_and(|byte| back.class.contains(byte)) => 0,
        _ => machine.start(before),
    };
    let mut kinds: Vec<Vec<u16>> = Vec::new();
    // A term that begins with a letter can't begin behind one.
    let word = |byte: usize| u8::try_from(byte).is_ok_and(|byte| byte.is_ascii_alphanumeric());
    let [values, terms] = literals;
    for before in 0..=NONE {
        let mut own: Vec<u16> = machines.iter().map(|machine| starts(before, machine)).collect();
        own.push(u16::from(!terms.is_empty() && word(before)));
        let known = kinds.iter().position(|kind| *kind == own);
        // If there are more, the last bit says of several that something may begin behind one of them.
        let bit = 1 << known.unwrap_or(kinds.len()).min(KINDS - 1);
        match u8::try_from(before) {
            Ok(byte) => opens.kind.add(byte, bit),
            Err(_) => opens.none = bit,
        }
        if known.is_some() {
            continue;
        }
        for (index, (machine, start)) in machines.iter().zip(&own).enumerate() {
            for byte in 0..=u8::MAX {
                if machine.is_live(machine.step(*start, byte)) {
                    opens.any.add(byte, bit);
                    opens.machines.add(byte, 1 << index.min(LAST));
                    if index > 0 || machine.careful {
                        opens.other.add(byte, bit);
                    }
                }
            }
        }
        for byte in 0..=u8::MAX {
            let at = usize::from(byte);
            if values.begins(byte) || terms.begins(byte) && !(word(before) && word(at)) {
                opens.any.add(byte, bit);
                opens.other.add(byte, bit);
            }
        }
        kinds.push(own);
    }
    opens
}
