//! The npm package's binding. It grows with the package; so far it says which core it carries.

use wasm_bindgen::prelude::wasm_bindgen;

/// The version of the core.
#[wasm_bindgen]
pub fn version() -> String {
    crate::VERSION.to_owned()
}
