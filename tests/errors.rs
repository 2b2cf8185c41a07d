//! The README's table of errors is what the code has.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use lastword::ErrorKind;

const HEADER: &str = "| code | status | where | sentence |\n|---|---|---|---|\n";

/// The rows of the table: code, status, where, sentence.
fn rows() -> Vec<[&'static str; 4]> {
    let (_, table) = include_str!("../README.md").split_once(HEADER).expect("the table of errors");
    let lines = table.lines().take_while(|line| line.starts_with('|'));
    lines
        .map(|line| {
            let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
            cells.try_into().unwrap_or_else(|cells| panic!("four cells: {cells:?}"))
        })
        .collect()
}

#[test]
fn the_readme_has_every_kind_in_order_with_its_status_and_sentence() {
    let kinds: Vec<_> = ErrorKind::ALL
        .iter()
        .map(|kind| (format!("`{}`", kind.code()), kind.status().to_string(), kind.sentence().to_owned()))
        .collect();
    let told: Vec<_> = rows()
        .iter()
        .map(|[code, status, _, sentence]| (code.to_string(), status.to_string(), sentence.to_string()))
        .collect();
    assert_eq!(told, kinds);
}

#[test]
fn every_row_says_where_the_code_appears() {
    for [code, _, places, _] in rows() {
        assert!(!places.is_empty(), "{code}");
        for place in places.split(", ") {
            assert!(
                ["answer", "run", "stream", "thread", "others' wires", "crate"].contains(&place),
                "{code}: {place}"
            );
        }
    }
}

#[test]
fn codes_are_unique_and_sentences_say_no_more_than_themselves() {
    let mut codes: Vec<_> = ErrorKind::ALL.iter().map(|kind| kind.code()).collect();
    codes.sort_unstable();
    codes.dedup();
    assert_eq!(codes.len(), ErrorKind::ALL.len());
    for kind in ErrorKind::ALL {
        assert!(kind.code().bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_'), "{kind:?}");
        assert!(kind.sentence().ends_with('.') && !kind.sentence().contains(['{', '|', '\n']), "{kind:?}");
        assert!((400..600).contains(&kind.status()), "{kind:?}");
    }
}
