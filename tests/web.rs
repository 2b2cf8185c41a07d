//! The core in a browser: `wasm-pack test --headless --chrome`.
#![cfg(target_arch = "wasm32")]

use lastword::event::{PIECE, pieces};
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
