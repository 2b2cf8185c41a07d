mod random;

use super::*;

/// The automaton of one pattern.
fn one(pattern: &str) -> Result<Dfa, PatternError> {
    compile(&[Source { rule: 0, pattern, not_after: None, not_before: None }], 2000)
}

/// Every match of any rule: start, end, rule.
fn matches(dfa: &Dfa, text: &[u8]) -> Vec<(usize, usize, u16)> {
    let mut found = Vec::new();
    for start in 0..text.len() {
        let before = start.checked_sub(1).map_or(dfa.classes, |at| dfa.class[usize::from(text[at])].into());
        let mut state = dfa.start[before];
        for at in start..=text.len() {
            let class = text.get(at).map_or(dfa.classes, |&byte| dfa.class[usize::from(byte)].into());
            state = dfa.row(state.into())[class];
            found.extend(dfa.sets[usize::from(dfa.matched[usize::from(state)])].iter().map(|&rule| (start, at, rule)));
        }
    }
    found
}

fn spans(pattern: &str, text: &str) -> Vec<(usize, usize)> {
    let dfa = one(pattern).unwrap_or_else(|error| panic!("{pattern}: {error:?}"));
    matches(&dfa, text.as_bytes()).into_iter().map(|(start, end, _)| (start, end)).collect()
}

#[test]
fn finds_every_match() {
    assert_eq!(spans("a+b?", "aab"), [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3)]);
    assert_eq!(spans("(?:ab|c){2}", "abcab"), [(0, 3), (2, 5)]);
    assert_eq!(spans("x{2,}", "xxx"), [(0, 2), (0, 3), (1, 3)]);
}
