//! The core in a browser: `wasm-pack test --headless --chrome`.
#![cfg(target_arch = "wasm32")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use common::{all, answer, bytes, played, reader, record};
use lastword::driver::collect;
use lastword::event::{PIECE, View, pieces};
use lastword::provider::replay;
use lastword::run::{Cursor, Need};
use lastword::wire::Wire;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

#[wasm_bindgen_test]
fn a_long_text_is_cut_between_characters_and_loses_nothing() {
    let text = "é".repeat(PIECE) + "end";
    let parts: Vec<&str> = pieces(&text, PIECE).collect();
    assert_eq!(parts.len(), 3);
    assert!(parts.iter().all(|part| part.len() <= PIECE));
    assert_eq!(parts.concat(), text);
}

#[wasm_bindgen_test]
fn every_recording_publishes_its_answer_and_nothing_of_its_narration() {
    let mut answers = 0;
    for name in replay::names() {
        let recording = replay::find(name).unwrap();
        let driver = played(name);
        assert!(record(&driver.host).is_ended(), "{name}");
        let frames = all(&driver.host, View::Customer, Wire::AgUi);
        if let Some(text) = answer(&frames) {
            assert_eq!(Some(text.as_str()), recording.answer(), "{name}");
            answers += 1;
        }
        let customer = bytes(&frames) + &bytes(&all(&driver.host, View::Customer, Wire::Canonical));
        for word in recording.narration() {
            assert!(!customer.contains(word.as_str()), "{name}: {word}");
        }
    }
    assert!(answers >= 8, "{answers}");
}

#[wasm_bindgen_test]
fn a_reader_goes_on_from_any_cursor() {
    let driver = played("narrated-refund");
    let whole = all(&driver.host, View::Operator, Wire::Canonical);
    for (at, frame) in whole.iter().enumerate() {
        let cursor = Cursor::parse(frame.id.as_deref().unwrap()).unwrap();
        let (rest, need) = collect(&driver.host.store, reader(View::Operator, Wire::Canonical, Some(cursor)));
        assert_eq!((rest.as_slice(), need), (&whole[at + 1..], Need::End));
    }
}
