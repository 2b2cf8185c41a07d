//! Literals against models that try everything.

mod folding;
mod forms;
mod terms;
mod values;

use super::*;

/// Numbers that look random, the same each time.
pub(super) struct Dice(u64);

impl Dice {
    pub(super) fn new(seed: u64) -> Self {
        Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// A number below the limit.
    pub(super) fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 11).unwrap() % limit
    }

    /// A text of so many characters of the alphabet.
    pub(super) fn text(&mut self, alphabet: &[char], length: usize) -> String {
        (0..length).map(|_| alphabet[self.below(alphabet.len())]).collect()
    }
}

/// What a cursor says of a text: the hits, and the frontier behind each character, the first of no character.
pub(super) fn run(literals: &Literals, text: &str) -> (Vec<Hit>, Vec<Option<u64>>) {
    let (mut cursor, mut hits, mut frontiers) = (Cursor::default(), Vec::new(), Vec::new());
    for (at, byte) in text.bytes().enumerate() {
        if text.is_char_boundary(at) {
            frontiers.push(cursor.frontier(literals));
        }
        hits.extend(cursor.step(literals, byte, at as u64));
    }
    frontiers.push(cursor.frontier(literals));
    hits.extend(cursor.end(literals, text.len() as u64));
    assert!(cursor.is_idle() && cursor.frontier(literals).is_none());
    (hits, frontiers)
}

/// The hits of a cursor that leaves out whatever it may.
pub(super) fn run_with_skips(literals: &Literals, text: &str) -> Vec<Hit> {
    let (mut cursor, mut hits, mut at) = (Cursor::default(), Vec::new(), 0);
    let bytes = text.as_bytes();
    while at < bytes.len() {
        let rest = &bytes[at..];
        let dull = rest.iter().position(|byte| literals.begins(*byte)).unwrap_or(rest.len());
        if cursor.is_idle() && dull > 0 {
            cursor.skip(literals, &rest[..dull], (at + dull) as u64);
            at += dull;
        } else {
            hits.extend(cursor.step(literals, rest[0], at as u64));
            at += 1;
        }
    }
    hits.extend(cursor.end(literals, at as u64));
    hits
}

/// Of all spans with their rules the hits: at each end the longest and the smallest rule.
pub(super) fn hits(spans: impl IntoIterator<Item = (usize, usize, u16)>) -> Vec<Hit> {
    let mut all: Vec<_> = spans.into_iter().map(|(start, end, rule)| (end as u64, start as u64, rule)).collect();
    all.sort_unstable();
    all.chunk_by(|one, other| one.0 == other.0)
        .map(|same| Hit {
            start: same.iter().map(|span| span.1).min().unwrap(),
            end: same[0].0,
            rule: same.iter().map(|span| span.2).min().unwrap(),
        })
        .collect()
}

#[test]
fn what_can_not_be_taken_is_refused_with_its_place_and_a_reason() {
    let refused = |result: Result<Literals, Refused>| result.map(|_| ()).unwrap_err();
    let short = refused(Literals::values(&[(0, "long enough"), (0, " short \n")]));
    assert_eq!(short, Refused { entry: 1, reason: "a value needs at least 6 bytes" });
    let long = "x".repeat(MAX_VALUE + 1);
    assert_eq!(refused(Literals::values(&[(0, &long)])).reason, "a value may have at most 8192 bytes");
    assert_eq!(refused(Literals::terms(&[(0, " \u{a0}\n")])).reason, "a term is empty");
    let long = "é".repeat(LONGEST_TERM + 1);
    assert_eq!(refused(Literals::terms(&[(3, "a"), (4, &long)])).entry, 1);
    assert!(Literals::terms(&[(0, &long[2..])]).is_ok());
}

#[test]
fn there_are_at_most_so_many_nodes() {
    let mut dice = Dice::new(1);
    let digits: Vec<char> = ('0'..='9').chain('a'..='z').collect();
    let keys: Vec<String> = (0..1000).map(|_| dice.text(&digits, 64)).collect();
    let entries: Vec<(u16, &str)> = keys.iter().map(|key| (0, key.as_str())).collect();
    assert!(Literals::values(&entries[..60]).is_ok(), "sixty keys of usual length fit");
    let refused = Literals::values(&entries).map(|_| ()).unwrap_err();
    assert_eq!(refused.reason, "the values are too many or too long together");
    assert!((60..120).contains(&refused.entry), "{refused:?}");
    assert_eq!(
        Literals::terms(&entries).map(|_| ()).unwrap_err().reason,
        "the terms are too many or too long together"
    );
}

#[test]
fn nothing_is_found_by_nothing() {
    for literals in [Literals::values(&[]).unwrap(), Literals::terms(&[]).unwrap()] {
        assert!(literals.is_empty() && (0..=255).all(|byte| !literals.begins(byte)));
        assert_eq!(run(&literals, "any text"), (Vec::new(), vec![None; 9]));
    }
}

/// The steps that a text costs.
fn steps(literals: &Literals, text: &str) -> u64 {
    let mut cursor = Cursor::default();
    text.bytes().enumerate().for_each(|(at, byte)| {
        cursor.step(literals, byte, at as u64);
    });
    cursor.steps()
}

#[test]
fn a_byte_costs_at_most_two_steps_on_the_average() {
    let (a, b) = ("a".repeat(5000), "a".repeat(4999) + "b");
    let values = Literals::values(&[(0, &a), (1, &b)]).unwrap();
    let terms: Vec<String> = (1..128).map(|count| "a ".repeat(count) + "a").collect();
    let terms = Literals::terms(&terms.iter().map(|term| (0, term.as_str())).collect::<Vec<_>>()).unwrap();
    for text in ["a".repeat(100_000), "a".repeat(4998).repeat(20) + "c", "a a ".repeat(25_000), "ßa ".repeat(25_000)] {
        assert!(steps(&values, &text) <= 2 * text.len() as u64);
        assert!(steps(&terms, &text) <= 2 * text.len() as u64);
    }
}

#[test]
fn broken_text_does_no_harm() {
    let terms = Literals::terms(&[(0, "ab"), (0, "é")]).unwrap();
    let mut dice = Dice::new(5);
    for _ in 0..2000 {
        let mut cursor = Cursor::default();
        for at in 0..12 {
            let byte = [b'a', b'b', 0xC3, 0xA9, 0xFF, 0xF0, 0x80, 0xE2][dice.below(8)];
            cursor.step(&terms, byte, at);
            cursor.frontier(&terms);
        }
        cursor.end(&terms, u64::MAX);
    }
}
