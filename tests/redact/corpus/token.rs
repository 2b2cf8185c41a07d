//! Tokens of one form: a beginning, then characters of an alphabet, at least so many.

use super::Corpus;
use super::surroundings::Edges;

/// A form of token.
pub struct Token {
    pub rule: &'static str,
    /// The beginnings, each in two pieces.
    pub starts: &'static [(&'static str, &'static str)],
    /// What its body is made of.
    pub alphabet: &'static str,
    /// How many characters its rule asks for.
    pub least: usize,
    /// How many there are today.
    pub usual: usize,
}

/// What stands where a key would in texts that explain.
const PLACEHOLDERS: &[&str] = &[
    "...",
    "…",
    "<your-key>",
    "{key}",
    "$KEY",
    "[token]",
    "********",
    "\u{2022}\u{2022}\u{2022}\u{2022}",
    "%s",
    " or so",
];

impl Token {
    /// At least thirty of each kind.
    pub fn add(&self, corpus: &mut Corpus) {
        let starts: Vec<String> = self.starts.iter().map(|(one, two)| [*one, *two].concat()).collect();
        let rule = self.rule;
        // Base64 may end before what begins as a key of Meta's, so that one asks for more around it.
        let edges = if rule == "meta_token" { Edges::Strict } else { Edges::Token };
        for turn in 0..starts.len().max(36) {
            let start = &starts[turn % starts.len()];
            let length = match turn % 3 {
                0 => self.usual,
                1 => corpus.random.within(self.least, self.usual),
                _ => corpus.random.within(self.usual, self.usual * 2),
            };
            let body = corpus.random.text(self.alphabet, length);
            corpus.finds(rule, edges, &[start.as_str(), &body].concat());
        }
        for (turn, placeholder) in PLACEHOLDERS.iter().enumerate() {
            corpus.leaves(rule, Edges::Strict, &[&starts[turn % starts.len()], *placeholder].concat());
        }
        for turn in 0..14 {
            let start = &starts[turn % starts.len()];
            let body = corpus.random.text(self.alphabet, self.usual.max(self.least));
            let short = &body[..self.least - 1 - turn % 5];
            // Too short, cut in two, behind a letter, with another beginning.
            corpus.leaves(rule, Edges::Strict, &[start.as_str(), short].concat());
            corpus.leaves(
                rule,
                Edges::Strict,
                &[start, &body[..self.least / 2], " ", &body[self.least / 2..self.least - 1]].concat(),
            );
            let letter = corpus.random.pick(&["g", "i", "x", "s", "Z", "k", "Q"]);
            corpus.leaves(rule, Edges::Strict, &[letter, start, &letters(&body)[..self.least]].concat());
            let other = start.chars().rev().collect::<String>();
            if other != *start {
                corpus.leaves(rule, Edges::Strict, &[&other, &letters(&body)[..self.least.min(12)]].concat());
            }
        }
        corpus.leaves_lookalikes(rule);
    }
}

/// Without digits or signs, so that nothing else is in it.
fn letters(body: &str) -> String {
    body.bytes().map(|byte| char::from(b'a' + byte % 26)).collect()
}
