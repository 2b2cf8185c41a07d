//! Any text, in any pieces, against the rule as one would write it who has the whole.

use super::said;
use crate::provider::tags::{MARKS, TAGS};
use proptest::prelude::*;

/// The rule as one would write it who has the whole text of an item, except for code: none in here.
fn naive(text: &str) -> String {
    const SPACE: [char; 4] = [' ', '\t', '\r', '\n'];
    let mut rest = text;
    let mut out = String::new();
    let mut tagged = false;
    loop {
        let trimmed = rest.trim_start_matches(SPACE);
        let opened = TAGS.into_iter().find(|tag| trimmed.starts_with(tag.open));
        let closed = TAGS.into_iter().find(|tag| !tagged && tag.alone && trimmed.starts_with(tag.close));
        if let Some(tag) = opened {
            let inside = trimmed[tag.open.len()..].trim_start_matches(SPACE);
            let (reasoning, after) = inside.split_once(tag.close).unwrap_or((inside, ""));
            if !reasoning.is_empty() {
                out.push_str(&format!("r({reasoning})"));
            }
            rest = after;
            tagged = true;
            continue;
        }
        let mark = MARKS.into_iter().find(|mark| trimmed.starts_with(mark));
        if let Some(passed) = mark.or(closed.map(|tag| tag.close)) {
            rest = &trimmed[passed.len()..];
            tagged = true;
            continue;
        }
        if tagged {
            out.push_str(trimmed);
            return out.replace(")r(", "");
        }
        let alone = TAGS.into_iter().filter(|tag| tag.alone);
        let first = alone.filter_map(|tag| Some((rest.find(tag.close)?, tag))).min_by_key(|(at, _)| *at);
        let Some((at, tag)) = first else {
            out.push_str(rest);
            return out;
        };
        out.push_str(&format!("{}^", &rest[..at]));
        rest = &rest[at + tag.close.len()..];
        tagged = true;
    }
}

/// Scraps of which tags are made, and other text.
fn scraps(code: bool) -> impl Strategy<Value = Vec<String>> {
    let mut list = vec![
        "<think>",
        "</think>",
        "<reasoning>",
        "</reasoning>",
        "</thinking>",
        "<|channel|>",
        "analysis",
        "final",
        "<|message|>",
        "<|end|>",
        "<|start|>assistant",
        "<",
        "<th",
        "ink>",
        "/",
        ">",
        "é",
        " ",
        "\n",
        "so",
    ];
    if code {
        list.extend(["`", "```", "\n```", "``"]);
    }
    prop::collection::vec(prop::sample::select(list), 0..14)
        .prop_map(|scraps| scraps.into_iter().map(str::to_owned).collect())
}

/// The text in pieces that end at these characters.
fn pieces(text: &str, cuts: &[usize]) -> Vec<String> {
    let mut pieces = vec![String::new()];
    for (at, character) in text.chars().enumerate() {
        if cuts.contains(&at) {
            pieces.push(String::new());
        }
        pieces.last_mut().unwrap().push(character);
    }
    pieces
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn any_pieces_come_to_the_same(scraps in scraps(true), cuts in prop::collection::vec(0usize..60, 0..8)) {
        let text = scraps.concat();
        let cut = pieces(&text, &cuts);
        let cut: Vec<&str> = cut.iter().map(String::as_str).collect();
        prop_assert_eq!(said(&cut), said(&[&text]));
    }

    #[test]
    fn the_rule_is_what_one_would_say_of_the_whole_text(scraps in scraps(false)) {
        let text = scraps.concat();
        prop_assert_eq!(said(&[&text]), naive(&text), "{:?}", text);
    }
}
