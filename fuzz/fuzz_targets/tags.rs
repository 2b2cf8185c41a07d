//! Any text with thinking tags, in any pieces: no panic, what one piece comes to, and nothing lost
//! but the tags and the white space around what they hold.
//!
//! The first byte of the input is the size of a piece, in characters. A byte behind it is a scrap of
//! which tags are made, or a character.

#![no_main]

use lastword::provider::tags::Tags;
use lastword::signal::{Signal, Stop};
use libfuzzer_sys::fuzz_target;

const SCRAPS: [&str; 20] = [
    "<think>",
    "</think>",
    "<thinking>",
    "</thinking>",
    "<reasoning>",
    "</reasoning>",
    "<",
    "/",
    "thin",
    "k>",
    "`",
    "```",
    "\n",
    " ",
    "é",
    "<|",
    "<|channel|>analysis<|message|>",
    "<|end|>",
    "<|start|>assistant",
    "<|channel|>final<|message|>",
];

fuzz_target!(|input: &[u8]| {
    let [size, scraps @ ..] = input else { return };
    let text: String = scraps.iter().map(|byte| scrap(*byte)).collect();
    let characters: Vec<char> = text.chars().collect();
    let pieces = |size: usize| characters.chunks(size.max(1)).map(|piece| piece.iter().collect::<String>());

    let whole = read([text.clone()]);
    assert_eq!(whole, read(pieces(1)));
    assert_eq!(whole, read(pieces(usize::from(*size))));

    let said: String = whole.iter().map(said).collect();
    let mut rest = text.chars();
    assert!(
        said.chars().all(|character| rest.any(|other| other == character)),
        "what is said is in the text, in order"
    );
    if !["think", "reasoning", "<|"].iter().any(|word| text.contains(word)) {
        assert_eq!(said, text);
    }
    let voided = whole.iter().filter(|signal| matches!(signal, Signal::WasReasoning)).count();
    assert!(voided <= 1);
});

fn scrap(byte: u8) -> String {
    SCRAPS.get(usize::from(byte)).map_or_else(|| char::from(byte).to_string(), |scrap| (*scrap).to_owned())
}

fn said(signal: &Signal) -> &str {
    match signal {
        Signal::Text(text) | Signal::Reasoning(text) => text,
        _ => "",
    }
}

/// What the pieces come to, with neighbouring pieces of the same kind as one.
fn read(pieces: impl IntoIterator<Item = String>) -> Vec<Signal> {
    let (mut tags, mut out) = (Tags::default(), Vec::new());
    pieces.into_iter().for_each(|piece| tags.signal(Signal::Text(piece), &mut out));
    tags.signal(Signal::ResponseEnd(Stop::Complete), &mut out);
    out.into_iter().fold(Vec::new(), |mut joined, signal| {
        match (joined.last_mut(), signal) {
            (Some(Signal::Text(all)), Signal::Text(more)) | (Some(Signal::Reasoning(all)), Signal::Reasoning(more)) => {
                all.push_str(&more);
            }
            (_, signal) => joined.push(signal),
        }
        joined
    })
}
