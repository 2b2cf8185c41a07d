//! The npm package's binding.

mod filter;
mod handler;
mod respond;

use super::web::platform;
use wasm_bindgen::prelude::wasm_bindgen;

/// The version of the core.
#[wasm_bindgen]
pub fn version() -> String {
    crate::VERSION.to_owned()
}

/// Tells the log of a panic.
#[wasm_bindgen(start)]
pub fn start() {
    std::panic::set_hook(Box::new(platform::log_panic));
}
