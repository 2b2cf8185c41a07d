//! The npm package's binding. So far it holds the output filter, and says which core it carries.

mod decode;
mod emitter;
mod filter;
mod port;
mod record;
mod store;
mod turn;

use wasm_bindgen::prelude::wasm_bindgen;

/// The version of the core.
#[wasm_bindgen]
pub fn version() -> String {
    crate::VERSION.to_owned()
}
