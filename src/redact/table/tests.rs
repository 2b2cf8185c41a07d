//! What is packed comes back, and what is damaged is refused.

use proptest::prelude::*;

use super::super::pack::{minimise, pack};
use super::super::pattern::{self, Source};
use super::super::rules;
use super::*;

/// Packed automata of several kinds.
fn samples() -> Vec<Vec<u8>> {
    let patterns: [&[&str]; 4] = [
        &["a"],
        &["ab{3,40}[^x]", "(?:[0-9]{3}[. -]?){3}\\b", "x+$"],
        &["sk-[A-Za-z0-9_-]{20,}", "sk-ant-[A-Za-z0-9_-]{20,}", "(?<!\\d)\\d{4}(?: \\d{4}){3}"],
        &["日本|[à-ü]{2,5}", "(?i)bearer [a-z]{20}"],
    ];
    patterns
        .iter()
        .map(|patterns| {
            let sources: Vec<_> = (3..)
                .zip(*patterns)
                .map(|(rule, pattern)| Source { rule, pattern, not_after: Some("[x]"), not_before: None })
                .collect();
            let mut dfa = pattern::compile(&sources, 2000).unwrap();
            let plain = pack(&dfa);
            assert_eq!(unpack(&plain).as_ref(), Some(&dfa));
            minimise(&mut dfa);
            let packed = pack(&dfa);
            assert_eq!(unpack(&packed).as_ref(), Some(&dfa));
            assert!(packed.len() <= plain.len());
            packed
        })
        .collect()
}

#[test]
fn what_is_packed_is_unpacked() {
    samples();
}

#[test]
fn nothing_that_is_cut_is_unpacked() {
    for packed in samples() {
        for end in 0..packed.len() {
            assert_eq!(unpack(&packed[..end]), None);
        }
        assert_eq!(unpack(&[&packed[..], &[0]].concat()), None);
    }
}

#[test]
fn a_chain_comes_to_little() {
    let source = Source { rule: 0, pattern: "AKIA[A-Z2-7]{200}", not_after: None, not_before: None };
    let mut dfa = pattern::compile(&[source], 2000).unwrap();
    minimise(&mut dfa);
    assert_eq!(dfa.states(), 207);
    assert!(pack(&dfa).len() < 150, "{}", pack(&dfa).len());
}

#[test]
fn the_rules_automata_are_whole() {
    let machines = rules::machines();
    for rule in rules::rules() {
        assert!(machines[usize::from(rule.machine)].states() > 1, "{}", rule.name);
    }
}

/// True if nothing in it points outside.
fn sound(dfa: &Dfa) -> bool {
    dfa.class.len() == 256
        && dfa.class.iter().all(|&class| usize::from(class) < dfa.classes)
        && dfa.next.len() == dfa.states() * (dfa.classes + 1)
        && dfa.start.len() == dfa.classes + 1
        && dfa.next.iter().chain(&dfa.start).all(|&to| usize::from(to) < dfa.states())
        && dfa.matched.iter().all(|&set| usize::from(set) < dfa.sets.len())
}

proptest! {
    #[test]
    fn whatever_is_unpacked_is_sound(
        which in 0usize..4,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
    ) {
        let mut packed = samples().swap_remove(which);
        for (at, byte) in changes {
            let at = at.index(packed.len());
            packed[at] = byte;
        }
        if let Some(dfa) = unpack(&packed) {
            prop_assert!(sound(&dfa));
        }
    }

    #[test]
    fn bytes_at_random_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        if let Some(dfa) = unpack(&bytes) {
            prop_assert!(sound(&dfa));
        }
    }
}
