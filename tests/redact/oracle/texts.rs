//! Texts that make it hard: pieces of what rules match, joined, cut off, changed and mixed.

use super::rules::Rule;

/// A generator of numbers; the same seed, the same numbers.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 16
    }

    pub fn below(&mut self, most: usize) -> usize {
        (self.next() % most.max(1) as u64) as usize
    }

    pub fn one_in(&mut self, many: usize) -> bool {
        self.below(many) == 0
    }

    pub fn pick<'a, T: ?Sized>(&mut self, of: &[&'a T]) -> &'a T {
        of[self.below(of.len())]
    }
}

/// What rules begin with, go on with and end at; never a whole secret.
const SCRAPS: &[&str] = &[
    "sk",
    "-",
    "ant",
    "proj",
    "gh",
    "p_",
    "o_",
    "xo",
    "xb",
    "AK",
    "IA",
    "AI",
    "za",
    "ey",
    "J",
    ".",
    "_",
    "hf",
    "SG",
    "npm",
    "glpat",
    "Bearer",
    "Basic",
    "Authorization",
    ":",
    " ",
    "  ",
    "\n",
    "\\n",
    "\"",
    "'",
    "/",
    "//",
    "@",
    "=",
    "+",
    "(",
    ")",
    "[",
    "]",
    ",",
    "BEGIN",
    "-----",
    "PRIVATE",
    "KEY",
    "END",
    "RSA",
    "http",
    "postgres",
    "0",
    "1",
    "4",
    "5",
    "9",
    "11",
    "55",
    "123",
    "4111",
    "2222",
    "000",
    "A",
    "b",
    "Z",
    "abc",
    "DE",
    "GB",
    "BR",
    "com",
    "br",
    "png",
    "é",
    "ã",
    "日本",
    "🏴",
    "€",
    "::",
    "fe80",
    "255",
    "192",
    "10",
    "%",
    "whatsapp",
    "s.",
    "net",
    "c.us",
    "-",
    ".",
    " ",
    "1",
    "7",
    "a",
    "e",
    "f",
    "d",
    "x",
];

/// Numbers with check digits that hold, in pieces.
const NUMBERS: &[&[&str]] = &[
    &["4111", "1111", "1111", "1111"],
    &["4242", "4242", "4242", "4242"],
    &["5555", "5555", "5555", "4444"],
    &["2223", "0031", "2200", "3222"],
    &["3782", "822463", "10005"],
    &["6011", "1111", "1111", "1117"],
    &["3056", "9309", "0259", "04"],
    &["4222", "2222", "2222", "2"],
    &["529", "982", "247", "25"],
    &["111", "444", "777", "35"],
    &["390", "533", "447", "05"],
    &["11", "222", "333", "0001", "81"],
    &["33", "000", "167", "0001", "01"],
    &["12", "ABC", "345", "01DE", "35"],
    &["GB82", "WEST", "1234", "5698", "7654", "32"],
    &["DE89", "3704", "0044", "0532", "0130", "00"],
    &["BE68", "5390", "0754", "7034"],
    &["NO93", "8601", "1117", "947"],
    &["+55", "11", "98765", "4321"],
    &["+1", "202", "555", "0143"],
    &["55", "11", "98765", "4321"],
    &["203", "0", "113", "77"],
    &["8", "44", "120", "9"],
];

/// A text, and where it may be cut.
pub fn text(random: &mut Random, rules: &[Rule], own: &[&str]) -> String {
    let mut out = String::new();
    let most = 1 + random.below(6);
    for _ in 0..most {
        match random.below(10) {
            0..=3 => {
                let rule = &rules[random.below(rules.len())];
                let sample = rule.sample(random);
                let cut = if random.one_in(3) { random.below(sample.len() + 1) } else { sample.len() };
                out.push_str(head(&sample, cut));
            }
            4 | 5 => out.push_str(&number(random)),
            6 if !own.is_empty() => {
                let whole = random.pick(own);
                let cut = random.below(whole.len() + 1);
                out.push_str(if random.one_in(2) { whole } else { head(whole, cut) });
            }
            _ => (0..1 + random.below(8)).for_each(|_| out.push_str(random.pick(SCRAPS))),
        }
        if random.one_in(2) {
            out.push_str(random.pick(SCRAPS));
        }
    }
    if random.one_in(3) {
        changed(random, &mut out);
    }
    head(&out, 400).to_owned()
}

fn number(random: &mut Random) -> String {
    let groups = NUMBERS[random.below(NUMBERS.len())];
    let joint = random.pick(&["", " ", "-", ".", "/", ") "]);
    let mut out = groups.join(joint);
    if groups.len() == 4 && random.one_in(2) {
        out = format!("{}.{}.{}-{}", groups[0], groups[1], groups[2], groups[3]);
    }
    if groups.len() == 5 && random.one_in(2) {
        out = format!("{}.{}.{}/{}-{}", groups[0], groups[1], groups[2], groups[3], groups[4]);
    }
    out
}

/// One character is another, missing, or there twice.
fn changed(random: &mut Random, text: &mut String) {
    let borders: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    let Some(at) = borders.get(random.below(borders.len())).copied() else { return };
    match random.below(3) {
        0 => _ = text.remove(at),
        1 => text.insert_str(at, random.pick(SCRAPS)),
        _ => {
            let character = text.remove(at);
            text.insert(at, if character.is_ascii_digit() { '7' } else { 'q' });
        }
    }
}

/// At most so many bytes of it, whole characters.
pub fn head(text: &str, most: usize) -> &str {
    let mut end = most.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// The text in pieces between characters.
pub fn cut<'a>(random: &mut Random, text: &'a str) -> Vec<&'a str> {
    let every = [1, 2, 3, 5, 9, 40][random.below(6)];
    let (mut pieces, mut from) = (Vec::new(), 0);
    for (at, _) in text.char_indices().skip(1) {
        if random.one_in(every) {
            pieces.push(&text[from..at]);
            from = at;
        }
    }
    pieces.push(&text[from..]);
    pieces
}
