//! The npm package's binding.

mod decode;
mod emitter;
mod filter;
mod handler;
mod port;
mod record;
mod respond;
mod store;
mod turn;

use super::web::platform;
use js_sys::Function;
use wasm_bindgen::prelude::wasm_bindgen;

/// The version of the core.
#[wasm_bindgen]
pub fn version() -> String {
    crate::VERSION.to_owned()
}

/// Lines of the log go to `log`, or to the console.
#[wasm_bindgen]
pub fn log_to(log: Option<Function>) {
    platform::log_to(log);
}

/// Tells the log of a panic.
#[wasm_bindgen(start)]
pub fn start() {
    std::panic::set_hook(Box::new(platform::log_panic));
}
