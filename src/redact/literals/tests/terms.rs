//! Whole words, whatever their case.

use super::*;
use std::sync::LazyLock;

/// Letters and digits beside a word.
fn is_letter(character: char) -> bool {
    character.is_ascii_alphanumeric() || ('\u{C0}'..'\u{2000}').contains(&character)
}

/// What a character folds to.
fn folded(character: char) -> &'static [char] {
    static ALL: LazyLock<Vec<Vec<char>>> = LazyLock::new(|| {
        (0..0x10000).map(|code| char::from_u32(code).map(folding::reference).unwrap_or_default()).collect()
    });
    &ALL[character as usize]
}

/// A text folded, each run of white space as one; none if one is too long.
fn normal(text: &[char]) -> Option<Vec<char>> {
    let mut out = Vec::with_capacity(text.len() + 4);
    for run in text.chunk_by(|one, other| one.is_whitespace() && other.is_whitespace()) {
        if !run[0].is_whitespace() {
            out.extend(folded(run[0]));
        } else if run.len() <= usize::from(RUN) {
            out.push(' ');
        } else {
            return None;
        }
    }
    Some(out)
}

/// A term: folded, and if it needs no letter before and behind it.
struct Term(Vec<char>, bool, bool);

impl Term {
    fn new(term: &str) -> Self {
        let folded = normal(&term.trim().chars().collect::<Vec<_>>()).unwrap();
        let (first, last) = (is_letter(folded[0]), is_letter(*folded.last().unwrap()));
        Term(folded, first, last)
    }

    /// True if the characters `from..to` of a text are a match. Behind the text nothing stands.
    fn is_at(&self, text: &[char], from: usize, to: usize) -> bool {
        let before = from.checked_sub(1).and_then(|at| folded(text[at]).last().copied());
        let letter = |beside: Option<char>| beside.is_some_and(is_letter);
        // No character folds to more than three.
        to - from >= self.0.len().div_ceil(3)
            && !(self.1 && letter(before))
            && !(self.2 && letter(text.get(to).copied()))
            && normal(&text[from..to]).is_some_and(|folded| folded == self.0)
    }
}

/// Where each character starts, and the end.
fn starts(text: &[char]) -> Vec<usize> {
    let mut starts = vec![0];
    starts.extend(text.iter().scan(0, |at, character| {
        *at += character.len_utf8();
        Some(*at)
    }));
    starts
}

fn expected(terms: &[&str], text: &[char]) -> Vec<Hit> {
    let starts = starts(text);
    let mut spans = Vec::new();
    for (rule, term) in (0..).zip(terms) {
        let term = Term::new(term);
        for from in 0..text.len() {
            spans.extend(
                (from + 1..=text.len())
                    .filter(|to| term.is_at(text, from, *to))
                    .map(|to| (starts[from], starts[to], rule)),
            );
        }
    }
    hits(spans)
}

/// True if for some continuation a match starts at `from` and ends at the end of the text or behind it.
fn is_open(terms: &[Term], text: &mut Vec<char>, from: usize, whole: usize, alphabet: &[char], more: usize) -> bool {
    if terms.iter().any(|term| (whole..=text.len()).any(|to| to > from && term.is_at(text, from, to))) {
        return true;
    }
    more > 0
        && alphabet.iter().any(|next| {
            text.push(*next);
            let open = is_open(terms, text, from, whole, alphabet, more - 1);
            text.pop();
            open
        })
}

fn check(terms: &[&str], text: &str) {
    let literals = literals(terms);
    let characters: Vec<char> = text.chars().collect();
    let expected = expected(terms, &characters);
    assert_eq!(run(&literals, text).0, expected, "{terms:?} in {text:?}");
    assert_eq!(run_with_skips(&literals, text), expected, "{terms:?} in {text:?}");
}

fn literals(terms: &[&str]) -> Literals {
    Literals::terms(&(0..).zip(terms.iter().copied()).collect::<Vec<_>>()).unwrap()
}

fn found(terms: &[&str], text: &str) -> Vec<String> {
    let hits = run(&literals(terms), text).0;
    hits.iter().map(|hit| text[hit.start as usize..hit.end as usize].to_owned()).collect()
}

#[test]
fn words_are_whole_and_case_is_nothing() {
    let text = "acme ACME, _acme acme2 “Acme”—acme… acme's éacme acmeé 中acme中 acme🎉";
    assert_eq!(found(&["Acme"], text), ["acme", "ACME", "acme", "Acme", "acme", "acme", "acme", "acme"]);
    assert_eq!(found(&["Acme", "x_y"], "_Acme_ __acme__ acme_x a_x_y_z"), ["Acme", "acme", "acme", "x_y"]);
    assert_eq!(
        found(&["Straße"], "STRASSE Strasse straSSe strase STRAẞE ſtraſſe"),
        ["STRASSE", "Strasse", "straSSe", "STRAẞE", "ſtraſſe"]
    );
    assert_eq!(found(&["ΟΔΟΣ"], "οδος οδοσ Οδός"), ["οδος", "οδοσ"]);
    assert_eq!(found(&["kelvin"], "\u{212A}elvin"), ["\u{212A}elvin"]);
    assert_eq!(found(&["ISTANBUL"], "istanbul İstanbul ıstanbul"), ["istanbul"]);
    assert_eq!(found(&["São Paulo"], "SÃO PAULO"), ["SÃO PAULO"]);
    assert_eq!(found(&["東京"], "私は東京都に"), ["東京"]);
}

#[test]
fn an_edge_that_is_no_letter_needs_no_boundary() {
    assert_eq!(found(&["C++"], "C++11 xC++ c++"), ["C++", "c++"]);
    assert_eq!(found(&["@acme"], "x@acme @acmes a@ACME"), ["@acme", "@ACME"]);
    assert_eq!(found(&["--"], "-----"), ["--", "--", "--", "--"]);
}

#[test]
fn a_match_covers_whole_characters() {
    assert_eq!(found(&["xs"], "xß xs"), ["xs"]);
    assert_eq!(found(&["se"], "ße se"), ["se"]);
    assert_eq!(found(&["s"], "ß s"), ["s"]);
    assert_eq!(found(&["i"], "İ I"), ["I"]);
}

#[test]
fn white_space_stands_for_white_space_but_not_for_much() {
    let run = |count: usize| format!("blue{}Moon", "\u{2003}".repeat(count));
    assert_eq!(
        found(&[" Blue \t moon\n"], "blue moon, blue\nMOON, blue\u{a0} \u{3000}moon, bluemoon"),
        ["blue moon", "blue\nMOON", "blue\u{a0} \u{3000}moon"]
    );
    assert_eq!(found(&["blue moon"], &run(16)), [run(16)]);
    assert_eq!(found(&["blue moon"], &run(17)), [""; 0]);
    assert!(literals(&["blue moon"]).longest() >= run(16).len());
    let frontier =
        |count: usize| super::run(&literals(&["blue moon"]), &format!("blue{}", " ".repeat(count))).1.pop().unwrap();
    assert_eq!((frontier(0), frontier(1), frontier(16), frontier(17)), (Some(0), Some(0), Some(0), None));
}

#[test]
fn whatever_is_to_be_found_is_found() {
    let mut dice = Dice::new(4);
    let alphabet = ['s', 'S', 'ß', 'ſ', 't', 'ﬅ', ' ', '\u{a0}', '-', '_', '“', 'K', 'k', '中'];
    for case in 0..10_000 {
        let alphabet = &alphabet[dice.below(8)..][..6];
        let count = 1 + dice.below(4);
        let terms: Vec<String> = (0..count)
            .map(|_| {
                let length = 1 + dice.below(5);
                dice.text(alphabet, length)
            })
            .filter(|term| !term.trim().is_empty())
            .collect();
        let length = dice.below(24);
        let mut text = dice.text(alphabet, length);
        if case % 8 == 0 {
            text = text.replace(' ', &" ".repeat(15 + dice.below(3)));
        }
        check(&terms.iter().map(String::as_str).collect::<Vec<_>>(), &text);
    }
}

#[test]
fn nothing_is_held_that_is_not_possible_and_all_that_is() {
    let mut dice = Dice::new(6);
    let alphabets =
        [['s', 'ß', ' ', '-'], ['s', 'ſ', 'ﬅ', 't'], ['s', ' ', '\u{a0}', '中'], ['ΐ', 'ι', '\u{308}', '\u{301}']];
    for _ in 0..250 {
        let alphabet = &alphabets[dice.below(4)];
        let count = 1 + dice.below(3);
        let terms: Vec<String> = (0..count)
            .map(|_| {
                let length = 1 + dice.below(3);
                dice.text(alphabet, length)
            })
            .filter(|term| !term.trim().is_empty())
            .collect();
        let terms: Vec<&str> = terms.iter().map(String::as_str).collect();
        let length = dice.below(10);
        let text = dice.text(alphabet, length);
        let (models, characters) =
            (terms.iter().map(|term| Term::new(term)).collect::<Vec<_>>(), text.chars().collect::<Vec<_>>());
        let starts = starts(&characters);
        let more = models.iter().map(|term| term.0.len()).max().unwrap_or_default().min(5);
        let expected: Vec<Option<u64>> = (0..=characters.len())
            .map(|at| {
                let mut text = characters[..at].to_vec();
                (0..at)
                    .find(|from| is_open(&models, &mut text, *from, at, alphabet, more))
                    .map(|from| starts[from] as u64)
            })
            .collect();
        assert_eq!(run(&literals(&terms), &text).1, expected, "{terms:?} in {text:?}");
    }
}
