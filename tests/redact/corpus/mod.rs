//! The corpus: for every built-in rule texts in which it must find what it looks for, and texts that only look
//! like it. All are made when they are asked for, from pieces and from seeded numbers: no secret stands in a file.

mod brazil;
mod clouds;
mod code;
mod credentials;
pub mod lookalikes;
pub mod make;
mod money;
mod network;
mod phones;
mod providers;
mod services;
mod shapes;
mod surroundings;
mod token;

use surroundings::Edges;

pub use make::Random;

/// A text, and what its rule finds in it.
#[derive(Clone, Debug)]
pub struct Case {
    /// The rule that it is about.
    pub rule: &'static str,
    /// The text.
    pub text: String,
    /// What the rule, alone, must find: start, end in bytes, rule. Nothing: the rule leaves the text alone.
    pub spans: Vec<(usize, usize, &'static str)>,
    /// Without spans: the rules that are on by default leave it alone as well.
    pub clean: bool,
}

/// The corpus, always the same.
pub fn rules() -> Vec<Case> {
    let mut corpus = Corpus { cases: Vec::new(), random: Random::new(5), turn: 0 };
    providers::add(&mut corpus);
    clouds::add(&mut corpus);
    code::add(&mut corpus);
    services::add(&mut corpus);
    credentials::add(&mut corpus);
    money::add(&mut corpus);
    brazil::add(&mut corpus);
    phones::add(&mut corpus);
    network::add(&mut corpus);
    shapes::add(&mut corpus);
    corpus.cases
}

/// The corpus as it grows.
struct Corpus {
    cases: Vec<Case>,
    random: Random,
    turn: usize,
}

impl Corpus {
    /// The rule finds the value, in the next of the surroundings.
    fn finds(&mut self, rule: &'static str, edges: Edges, value: &str) {
        self.finds_in(rule, edges, "", value, "");
    }

    /// The rule finds the value between what must stand around it, in the next of the surroundings.
    fn finds_in(&mut self, rule: &'static str, edges: Edges, before: &str, value: &str, after: &str) {
        let (left, right) = self.next(edges);
        let start = left.len() + before.len();
        let text = [left, before, value, after, right].concat();
        self.cases.push(Case { rule, text, spans: vec![(start, start + value.len(), rule)], clean: false });
    }

    /// No rule finds anything in the text, in the next of the surroundings.
    fn leaves(&mut self, rule: &'static str, edges: Edges, text: &str) {
        let (left, right) = self.next(edges);
        let text = [left, text, right].concat();
        self.cases.push(Case { rule, text, spans: Vec::new(), clean: true });
    }

    /// The rule finds nothing in the text, though another does.
    fn leaves_to_another(&mut self, rule: &'static str, text: &str) {
        self.cases.push(Case { rule, text: text.to_owned(), spans: Vec::new(), clean: false });
    }

    /// The rule finds nothing in the text, in the next of the surroundings; in its parts another might by chance.
    fn leaves_parts(&mut self, rule: &'static str, edges: Edges, text: &str) {
        self.leaves(rule, edges, text);
        self.cases.last_mut().unwrap().clean = false;
    }

    /// The rule finds nothing in what looks like what others look for.
    fn leaves_lookalikes(&mut self, rule: &'static str) {
        for text in lookalikes::all(&mut self.random) {
            // A random key of Pix is a UUID.
            if rule != "pix_key" || text.len() != 36 {
                self.leaves(rule, Edges::Strict, &text);
            }
        }
    }

    fn next(&mut self, edges: Edges) -> (&'static str, &'static str) {
        self.turn += 1;
        surroundings::at(edges, self.turn)
    }
}
