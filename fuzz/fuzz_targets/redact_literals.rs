//! Any values, blocked terms and text, in any pieces: no panic, what one piece comes to, only what can't be taken back
//! leaves, and no value is left.
//!
//! The first byte of the input is the size of a piece, in characters. A byte behind it is a scrap, or ends a value or
//! term; the last of them is the text.

#![no_main]

use lastword::redact::{Choice, Known, OutputFilter, Plan, Settings, Style};
use libfuzzer_sys::fuzz_target;
use std::rc::Rc;

const SCRAPS: [&str; 24] = [
    "a", "b", "aab", "secret", "s", "ß", "ſ", "ẞ", "K", "σ", "ς", "ı", "İ", " ", "\u{a0}", "\n", "_", "-", "\"", "%",
    "“", "中", "🦀", "c2VjcmV0",
];

/// What stands in the place of what was removed: in no value.
const GONE: &str = "\u{1}";

fuzz_target!(|input: &[u8]| {
    let [size, scraps @ ..] = input else { return };
    let mut texts: Vec<String> =
        scraps.split(|byte| *byte == 0xFF).map(|scraps| scraps.iter().map(|byte| scrap(*byte)).collect()).collect();
    let Some(text) = texts.pop() else { return };
    let values: Vec<Known> = texts.iter().step_by(2).map(|value| Known { name: None, value: value.clone() }).collect();
    let settings = Settings {
        rules: vec![("all".to_owned(), false)],
        values: values.clone(),
        blocklist: texts.into_iter().skip(1).step_by(2).collect(),
        style: Choice { default: Style::Fixed(GONE.to_owned()), by: Vec::new() },
        invisible: false,
        escapes: false,
        ..Settings::default()
    };
    let Ok(plan) = Plan::new(&settings) else { return };
    let plan = Rc::new(plan);
    let characters: Vec<char> = text.chars().collect();
    let pieces =
        |size: usize| characters.chunks(size.max(1)).map(|piece| piece.iter().collect::<String>()).collect::<Vec<_>>();

    let whole = redact(&plan, &[text.clone()]);
    assert_eq!(redact(&plan, &pieces(1)), whole);
    assert_eq!(redact(&plan, &pieces(usize::from(*size))), whole);
    for value in &values {
        assert!(!whole.contains(value.value.trim()), "a value is left");
    }
    let mut rest = text.chars();
    assert!(
        whole.replace(GONE, "").chars().all(|character| rest.any(|other| other == character)),
        "what is left is in the text, in order"
    );
});

fn scrap(byte: u8) -> String {
    SCRAPS
        .get(usize::from(byte))
        .map_or_else(|| char::from(byte % 0x80).to_string(), |scrap| (*scrap).to_owned())
        .replace(GONE, "")
}

fn redact(plan: &Rc<Plan>, pieces: &[String]) -> String {
    let mut filter = OutputFilter::with(plan.clone());
    let mut out = String::new();
    pieces.iter().for_each(|piece| out += &filter.push(piece));
    out += &filter.flush();
    assert_eq!(filter.held(), 0);
    out
}
