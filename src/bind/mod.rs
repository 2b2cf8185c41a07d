//! Bindings: convert, drive, map errors. No rule of the product lives here.
//!
//! Each compiles for wasm32 only, and one artifact holds one binding.

#[cfg(all(
    target_arch = "wasm32",
    any(
        all(feature = "js", feature = "worker"),
        all(feature = "js", feature = "component"),
        all(feature = "worker", feature = "component"),
    )
))]
compile_error!("`js`, `worker` and `component` are bindings of one artifact each: enable only one of them");

#[cfg(all(target_arch = "wasm32", feature = "component"))]
mod component;
#[cfg(all(target_arch = "wasm32", feature = "js"))]
mod js;
// What one of them has no use for, another has.
#[cfg(all(target_arch = "wasm32", feature = "web"))]
#[allow(dead_code)]
mod web;
#[cfg(all(target_arch = "wasm32", feature = "worker"))]
mod worker;
