//! Patterns at random, against their meaning spelled out on trees and against another implementation.

use std::collections::BTreeSet;

use proptest::prelude::*;
use regex_automata::dfa::{Automaton, dense};
use regex_automata::{Anchored, Input, MatchKind};

use super::super::super::pack::{minimise, pack};
use super::super::super::table::unpack;
use super::super::{Dfa, Source, compile};
use super::matches;

/// A pattern.
#[derive(Clone, Debug)]
enum Ast {
    Char(char),
    Class(bool, Vec<(char, char)>),
    Named(char),
    Dot,
    All(Vec<Ast>),
    Any(Vec<Ast>),
    Repeat(Box<Ast>, usize, Option<usize>),
    Fold(Box<Ast>),
    Start,
    End,
    /// A border of a word; not one if true.
    Border(bool),
    /// Before or behind, not, a class.
    Look(bool, bool, bool, Vec<(char, char)>),
}

const LETTERS: &str = "aAbBz09_- .\né日𝄞";

impl Ast {
    fn chars(not: bool, ranges: &[(char, char)]) -> String {
        let ranges: String = ranges.iter().map(|(low, high)| format!("{}-{}", escape(*low), escape(*high))).collect();
        format!("[{}{ranges}]", if not { "^" } else { "" })
    }

    /// As we write it; `peer`: as the other does.
    fn text(&self, peer: bool) -> String {
        match self {
            Ast::Char(char) => escape(*char),
            Ast::Class(not, ranges) => Ast::chars(*not, ranges),
            Ast::Named(name) if peer => match name {
                'd' => "[0-9]",
                'D' => "[^0-9]",
                'w' => "[0-9A-Za-z_]",
                'W' => "[^0-9A-Za-z_]",
                's' => "[\\t\\n\\x0B\\x0C\\r ]",
                _ => "[^\\t\\n\\x0B\\x0C\\r ]",
            }
            .to_owned(),
            Ast::Named(name) => format!("\\{name}"),
            Ast::Dot => if peer { "[^\\n]" } else { "." }.to_owned(),
            Ast::All(parts) => parts.iter().map(|part| format!("(?:{})", part.text(peer))).collect(),
            Ast::Any(parts) => {
                let parts: Vec<_> = parts.iter().map(|part| part.text(peer)).collect();
                if peer { format!("(?:{})", parts.join("|")) } else { format!("({})", parts.join("|")) }
            }
            Ast::Repeat(what, 0, None) => format!("(?:{})*", what.text(peer)),
            Ast::Repeat(what, 1, None) => format!("(?:{})+?", what.text(peer)),
            Ast::Repeat(what, 0, Some(1)) => format!("(?:{})?", what.text(peer)),
            Ast::Repeat(what, least, None) => format!("(?:{}){{{least},}}", what.text(peer)),
            Ast::Repeat(what, least, Some(most)) => format!("(?:{}){{{least},{most}}}", what.text(peer)),
            Ast::Fold(what) => format!("(?i:{})", what.text(peer)),
            Ast::Start => if peer { "\\A" } else { "^" }.to_owned(),
            Ast::End => if peer { "\\z" } else { "$" }.to_owned(),
            Ast::Border(not) => if *not { "\\B" } else { "\\b" }.to_owned(),
            Ast::Look(before, not, negated, ranges) => format!(
                "(?{}{}{})",
                if *before { "<" } else { "" },
                if *not { "!" } else { "=" },
                Ast::chars(*negated, ranges)
            ),
        }
    }

    /// True if the other means the same by it.
    fn is_common(&self) -> bool {
        match self {
            Ast::Fold(_) | Ast::Border(_) | Ast::Look(..) => false,
            Ast::All(parts) | Ast::Any(parts) => parts.iter().all(Ast::is_common),
            Ast::Repeat(what, ..) => what.is_common(),
            _ => true,
        }
    }

    /// Where it may end in the text if it begins at `at`.
    fn ends(&self, text: &str, at: usize, fold: bool) -> BTreeSet<usize> {
        let one = |is: &dyn Fn(char) -> bool| {
            let char = text[at..].chars().next();
            let is =
                |char: &char| is(*char) || fold && (is(char.to_ascii_lowercase()) || is(char.to_ascii_uppercase()));
            char.filter(is).map(|char| at + char.len_utf8()).into_iter().collect()
        };
        let before = text.as_bytes().get(at.wrapping_sub(1)).copied();
        let behind = text.as_bytes().get(at).copied();
        let here = |is: bool| is.then_some(at).into_iter().collect();
        match self {
            Ast::Char(char) => one(&|it| it == *char),
            Ast::Class(false, ranges) => one(&|it| within(ranges, it)),
            // What is not of the class in either case.
            Ast::Class(true, ranges) => {
                let found: BTreeSet<usize> = one(&|it| within(ranges, it));
                let char = text[at..].chars().next().filter(|_| found.is_empty());
                char.map(|char| at + char.len_utf8()).into_iter().collect()
            }
            Ast::Named(name) => {
                let is = |it: char| match name.to_ascii_lowercase() {
                    'd' => it.is_ascii_digit(),
                    'w' => it.is_ascii_alphanumeric() || it == '_',
                    _ => "\t\n\u{B}\u{C}\r ".contains(it),
                };
                one(&|it| is(it) != name.is_ascii_uppercase())
            }
            Ast::Dot => one(&|it| it != '\n'),
            Ast::All(parts) => parts.iter().fold(BTreeSet::from([at]), |ends, part| {
                ends.iter().flat_map(|&at| part.ends(text, at, fold)).collect()
            }),
            Ast::Any(parts) => parts.iter().flat_map(|part| part.ends(text, at, fold)).collect(),
            Ast::Repeat(what, least, most) => {
                let mut now = BTreeSet::from([at]);
                let mut all = BTreeSet::new();
                for count in 0..=most.unwrap_or(least + text.len() + 1) {
                    if count >= *least {
                        all.extend(&now);
                    }
                    now = now.iter().flat_map(|&at| what.ends(text, at, fold)).collect();
                }
                all
            }
            Ast::Fold(what) => what.ends(text, at, true),
            Ast::Start => here(at == 0),
            Ast::End => here(at == text.len()),
            Ast::Border(not) => here((is_word(before) != is_word(behind)) != *not),
            Ast::Look(of_before, not, negated, ranges) => {
                let byte = if *of_before { before } else { behind };
                let is = byte.is_some_and(|byte| beside(*negated, ranges, byte, fold));
                here(is != *not)
            }
        }
    }
}

fn within(ranges: &[(char, char)], char: char) -> bool {
    ranges.iter().any(|&(low, high)| low <= char && char <= high)
}

fn is_word(byte: Option<u8>) -> bool {
    byte.is_some_and(|byte| byte >= 0x80 || byte.is_ascii_alphanumeric() || byte == b'_')
}

/// True if the byte is of the class, of which nothing but ASCII is named.
fn beside(negated: bool, ranges: &[(char, char)], byte: u8, fold: bool) -> bool {
    let is = |byte: u8| byte < 0x80 && within(ranges, byte.into());
    let is = is(byte) || fold && (is(byte.to_ascii_lowercase()) || is(byte.to_ascii_uppercase()));
    is != negated
}

fn escape(char: char) -> String {
    match char {
        '\n' => "\\n".to_owned(),
        char if char.is_ascii_punctuation() && char != '_' => format!("\\{char}"),
        char => char.to_string(),
    }
}

fn letter() -> impl Strategy<Value = char> {
    prop::sample::select(LETTERS.chars().collect::<Vec<_>>())
}

fn ranges(ascii: bool) -> impl Strategy<Value = Vec<(char, char)>> {
    let one = (letter(), letter()).prop_map(|(one, two)| if one <= two { (one, two) } else { (two, one) });
    prop::collection::vec(one.prop_filter("ASCII", move |it| !ascii || it.1.is_ascii()), 1..3)
}

fn ast() -> impl Strategy<Value = Ast> {
    let leaf = prop_oneof![
        6 => letter().prop_map(Ast::Char),
        3 => (any::<bool>(), ranges(false)).prop_map(|(not, ranges)| Ast::Class(not, ranges)),
        2 => prop::sample::select(vec!['d', 'w', 's', 'D', 'W', 'S']).prop_map(Ast::Named),
        1 => Just(Ast::Dot),
    ];
    leaf.prop_recursive(5, 24, 4, |inner| {
        let guard = prop_oneof![
            Just(Ast::Start),
            Just(Ast::End),
            any::<bool>().prop_map(Ast::Border),
            (any::<bool>(), any::<bool>(), any::<bool>(), ranges(true))
                .prop_map(|(before, not, negated, ranges)| Ast::Look(before, not, negated, ranges)),
        ];
        let part = prop_oneof![5 => inner.clone(), 1 => guard];
        prop_oneof![
            4 => prop::collection::vec(part.clone(), 1..5).prop_map(Ast::All),
            3 => prop::collection::vec(part.clone(), 1..4).prop_map(Ast::Any),
            3 => (inner.clone(), 0usize..4, prop::option::of(0usize..3))
                .prop_map(|(what, least, more)| Ast::Repeat(Box::new(what), least, more.map(|more| least + more))),
            1 => inner.prop_map(|what| Ast::Fold(Box::new(what))),
        ]
    })
}

/// Not every pattern may be compiled; one of those that match the empty text is given a letter more.
fn own(ast: Ast) -> Ast {
    if ast.text(false).is_empty() || compile(&[source(0, &ast.text(false))], 2000).is_err_and(|it| it.reason == EMPTY) {
        return Ast::All(vec![ast, Ast::Class(false, vec![('a', 'b')])]);
    }
    ast
}

const EMPTY: &str = "it matches the empty text";
const NEVER: &str = "it can't match anything";

fn source(rule: u16, pattern: &str) -> Source<'_> {
    Source { rule, pattern, not_after: None, not_before: None }
}

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(letter(), 0..12).prop_map(|chars| chars.into_iter().collect())
}

/// What must be so of every automaton.
fn check(dfa: &Dfa) {
    let states = dfa.states();
    assert!(dfa.row(0).iter().all(|&to| to == 0) && dfa.matched[0] == 0);
    for state in 1..states {
        let leads = dfa.row(state).iter().any(|&to| to != 0);
        assert_eq!(leads, state < usize::from(dfa.ends));
        assert!(leads || dfa.matched[state] != 0);
    }
    let mut live: Vec<bool> = dfa.matched.iter().map(|&set| set != 0).collect();
    for _ in 0..states {
        for state in 0..states {
            live[state] |= dfa.row(state).iter().any(|&to| live[usize::from(to)]);
        }
        if live.iter().skip(1).all(|live| *live) {
            return;
        }
    }
    panic!("a state comes to no match");
}

/// No match is longer and no candidate undecided for longer than the automaton says.
fn check_bounds(dfa: &Dfa, text: &[u8]) {
    let (gap, longest) = (dfa.gap(false), dfa.longest());
    for start in 0..text.len() {
        let mut accepted = start;
        let before = start.checked_sub(1).map_or(dfa.classes, |at| dfa.class[usize::from(text[at])].into());
        let mut state = dfa.start[before];
        for (at, byte) in text.iter().enumerate().skip(start) {
            state = dfa.row(state.into())[usize::from(dfa.class[usize::from(*byte)])];
            if dfa.matched[usize::from(state)] != 0 {
                accepted = at;
                assert!(longest.is_none_or(|longest| at - start <= longest));
            }
            if state != 0 && state < dfa.ends {
                assert!(gap.is_none_or(|gap| at + 1 - accepted <= gap), "{gap:?} {accepted} {at}");
            }
        }
    }
}

const CLASSES: [Option<&str>; 4] = [None, None, Some("[A-Za-z0-9_]"), Some("[^a0]")];

/// True if the class is none or does not have the byte.
fn is_free(class: Option<&str>, byte: Option<u8>) -> bool {
    let Some(byte) = byte else { return true };
    match class {
        None => true,
        Some("[^a0]") => byte == b'a' || byte == b'0',
        Some(_) => byte >= 0x80 || !is_word(Some(byte)),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// The matches of several patterns at once are those that their trees mean.
    #[test]
    fn patterns_mean_what_their_trees_mean(
        asts in prop::collection::vec((ast(), 0usize..4, 0usize..4), 1..4),
        texts in prop::collection::vec(text(), 6),
    ) {
        let asts: Vec<_> = asts.into_iter().map(|(ast, after, before)| (own(ast), CLASSES[after], CLASSES[before])).collect();
        let patterns: Vec<String> = asts.iter().map(|it| it.0.text(false)).collect();
        let mut kept = Vec::new();
        for ((rule, pattern), (ast, not_after, not_before)) in (7u16..).zip(&patterns).zip(asts) {
            let source = Source { rule, pattern, not_after, not_before };
            match compile(&[source], 2000) {
                Ok(_) => kept.push((source, ast)),
                // Then nothing is found by the tree as well.
                Err(error) if error.reason == NEVER => for text in &texts {
                    for at in (0..text.len()).filter(|&at| text.is_char_boundary(at)) {
                        let before = text.as_bytes().get(at.wrapping_sub(1)).copied();
                        let ends = ast.ends(text, at, false).into_iter().filter(|&end| end > at);
                        let ends = ends.filter(|&end| is_free(not_before, text.as_bytes().get(end).copied()));
                        prop_assert!(!is_free(not_after, before) || ends.count() == 0);
                    }
                },
                Err(error) => prop_assert!(error.reason.contains("too m"), "{pattern}: {error:?}"),
            }
        }
        let sources: Vec<_> = kept.iter().map(|it| it.0).collect();
        let Ok(dfa) = compile(&sources, 20_000) else { return Ok(()) };
        check(&dfa);
        let mut small = dfa.clone();
        minimise(&mut small);
        check(&small);
        prop_assert!(small.states() <= dfa.states());
        prop_assert!(unpack(&pack(&small)).as_ref() == Some(&small));
        prop_assert_eq!((small.gap(false), small.gap(true)), (dfa.gap(false), dfa.gap(true)));
        for text in &texts {
            let mut expected = Vec::new();
            for at in (0..text.len()).filter(|&at| text.is_char_boundary(at)) {
                let before = text.as_bytes().get(at.wrapping_sub(1)).copied();
                for (source, ast) in kept.iter().filter(|it| is_free(it.0.not_after, before)) {
                    for end in ast.ends(text, at, false).into_iter().filter(|&end| end > at) {
                        if is_free(source.not_before, text.as_bytes().get(end).copied()) {
                            expected.push((at, end, source.rule));
                        }
                    }
                }
            }
            expected.sort_unstable();
            let mut found = matches(&dfa, text.as_bytes());
            found.sort_unstable();
            prop_assert_eq!(&found, &expected, "{:?} {:?}", &patterns, text);
            let mut found = matches(&small, text.as_bytes());
            found.sort_unstable();
            prop_assert_eq!(&found, &expected);
            check_bounds(&dfa, text.as_bytes());
        }
    }

    /// Another implementation finds the same.
    #[test]
    fn patterns_mean_what_others_mean_by_them(ast in ast(), texts in prop::collection::vec(text(), 6)) {
        if !ast.is_common() {
            return Ok(());
        }
        let ast = own(ast);
        let Ok(dfa) = compile(&[source(0, &ast.text(false))], 2000) else { return Ok(()) };
        let peer = dense::Builder::new()
            .configure(dense::Config::new().match_kind(MatchKind::All).start_kind(regex_automata::dfa::StartKind::Anchored))
            .build(&ast.text(true))
            .unwrap();
        for text in &texts {
            let mut expected = Vec::new();
            let bytes = text.as_bytes();
            for start in 0..bytes.len() {
                let input = Input::new(bytes).span(start..bytes.len()).anchored(Anchored::Yes);
                let mut state = peer.start_state_forward(&input).unwrap();
                for at in start..=bytes.len() {
                    state = match bytes.get(at) {
                        Some(&byte) => peer.next_state(state, byte),
                        None => peer.next_eoi_state(state),
                    };
                    if peer.is_match_state(state) && at > start {
                        expected.push((start, at, 0));
                    }
                }
            }
            prop_assert_eq!(matches(&dfa, bytes), expected, "{} {:?}", ast.text(false), text);
        }
    }

    /// Whatever the text, it is a pattern or it is said where it is none.
    #[test]
    fn texts_at_random_are_patterns_or_refused(
        parts in prop::collection::vec(
            prop_oneof![
                prop::sample::select(vec![
                    "(", ")", "(?:", "(?i)", "(?i:", "(?=", "(?!", "(?<=", "(?<!", "(?<", "[", "[^", "]", "-", "{", "}", "{2}", "{2,", "3}", ",",
                    "*", "+", "?", "|", "^", "$", ".", "\\", "\\b", "\\B", "\\d", "\\W", "\\x4", "\\u00e9", "\\u{1F600}", "\\1", "\\p", "é", "a", "z",
                ])
                .prop_map(str::to_owned),
                any::<char>().prop_map(String::from),
            ],
            0..20,
        ),
    ) {
        let pattern = parts.concat();
        match compile(&[source(0, &pattern)], 500) {
            Ok(dfa) => check(&dfa),
            Err(error) => {
                prop_assert!(error.source == 0 && error.at <= pattern.len() && pattern.is_char_boundary(error.at));
                prop_assert!(!error.reason.is_empty());
            }
        }
    }
}
