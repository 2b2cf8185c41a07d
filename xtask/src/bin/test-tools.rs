//! The two programs that `wasm-pack test` calls, at the version of the lock file. Which one it is, is
//! the name it is called by: `wasm-bindgen` or `wasm-bindgen-test-runner`.

use anyhow::{Result, bail};
use std::path::Path;

fn main() -> Result<()> {
    let arguments = || std::env::args_os();
    let called = arguments().next().unwrap_or_default();
    match Path::new(&called).file_stem().and_then(|name| name.to_str()) {
        Some("wasm-bindgen") => wasm_bindgen_cli::wasm_bindgen::run_cli_with_args(arguments()),
        Some("wasm-bindgen-test-runner") => wasm_bindgen_cli::wasm_bindgen_test_runner::run_cli_with_args(arguments()),
        _ => bail!("call this by the name of `wasm-bindgen` or `wasm-bindgen-test-runner`"),
    }
}
