//! Bytes.

use super::*;

/// These bytes alone, in no other form.
fn literals(list: &[&str]) -> Literals {
    let mut all = Literals::default();
    for (rule, literal) in (0..).zip(list) {
        all.longest = all.longest.max(literal.len());
        assert!(all.tree.insert(&mut literal.bytes().map(u32::from), rule));
    }
    all.link();
    all
}

fn expected(list: &[&str], text: &str) -> (Vec<Hit>, Vec<Option<u64>>) {
    let all = hits((0..).zip(list).flat_map(|(rule, literal)| {
        (0..text.len()).filter(move |at| text[*at..].starts_with(literal)).map(move |at| (at, at + literal.len(), rule))
    }));
    let open = |at: usize, start: &usize| list.iter().any(|literal| literal.starts_with(&text[*start..at]));
    let frontiers = (0..=text.len()).map(|at| (0..at).find(|start| open(at, start)).map(|start| start as u64));
    (all, frontiers.collect())
}

fn check(list: &[&str], text: &str) {
    let literals = literals(list);
    let (hits, frontiers) = expected(list, text);
    assert_eq!(run(&literals, text), (hits.clone(), frontiers), "{list:?} in {text:?}");
    assert_eq!(run_with_skips(&literals, text), hits, "{list:?} in {text:?}");
}

#[test]
fn known_traps() {
    check(&["aab"], "aaab");
    check(&["abcabd"], "abcabcabd");
    check(&["abcdef", "defghi"], "abcdefghi");
    check(&["he", "she", "his", "hers"], "ushers shis");
    check(&["aaaa", "aa", "a"], "baaaaaab");
    check(&["abc", "abc", "bc"], "abc");
}

#[test]
fn whatever_is_to_be_found_is_found_and_nothing_is_held_that_is_not_possible() {
    let mut dice = Dice::new(2);
    for _ in 0..30_000 {
        let alphabet = &['a', 'b', 'c'][..2 + dice.below(2)];
        let count = 1 + dice.below(5);
        let list: Vec<String> = (0..count)
            .map(|_| 1 + dice.below(6))
            .collect::<Vec<_>>()
            .into_iter()
            .map(|length| dice.text(alphabet, length))
            .collect();
        let length = dice.below(30);
        let text = dice.text(&['a', 'b', 'c'], length);
        check(&list.iter().map(String::as_str).collect::<Vec<_>>(), &text);
    }
}

#[test]
fn an_end_is_said_of_with_the_byte_behind_it() {
    let literals = Literals::values(&[(7, "secret")]).unwrap();
    let mut cursor = Cursor::default();
    for (at, byte) in (10..).zip("xsecret".bytes()) {
        assert_eq!(cursor.step(&literals, byte, at), None);
    }
    assert_eq!(cursor.frontier(&literals), Some(11));
    assert_eq!(cursor.step(&literals, b'!', 17), Some(Hit { start: 11, end: 17, rule: 7 }));
    assert!(cursor.is_idle());
}

#[test]
fn the_smallest_rule_gives_the_name_and_the_longest_literal_the_span() {
    let literals = Literals::values(&[(5, "long secret"), (2, "secret"), (3, "secret")]).unwrap();
    assert_eq!(run(&literals, "a long secret").0, [Hit { start: 2, end: 13, rule: 2 }]);
}
