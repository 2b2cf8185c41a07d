//! Compiles the built-in rules of `src/redact/rules.txt`.

use std::path::Path;
use std::process::exit;

#[path = "src/redact/pack.rs"]
#[allow(dead_code, clippy::indexing_slicing)] // A build that panics says where.
mod pack;
#[path = "src/redact/pattern/mod.rs"]
#[allow(dead_code)]
mod pattern;
#[path = "src/redact/table.rs"]
#[allow(dead_code)]
mod table;
#[path = "src/redact/written.rs"]
#[allow(clippy::indexing_slicing)]
mod written;

const RULES: &str = "src/redact/rules.txt";

fn main() {
    for path in
        ["build.rs", RULES, "src/redact/pack.rs", "src/redact/pattern", "src/redact/table.rs", "src/redact/written.rs"]
    {
        println!("cargo::rerun-if-changed={path}");
    }
    if let Err(reason) = run() {
        eprintln!("{RULES}: {reason}");
        exit(1);
    }
}

fn run() -> Result<(), String> {
    let out = std::env::var("OUT_DIR").map_err(|error| error.to_string())?;
    let text = std::fs::read_to_string(RULES).map_err(|error| error.to_string())?;
    let (code, machines) = written::build(&text)?;
    let write = |name: &str, content: &[u8]| {
        std::fs::write(Path::new(&out).join(name), content).map_err(|error| error.to_string())
    };
    for (index, packed) in machines.iter().enumerate() {
        write(&format!("machine_{index}.bin"), packed)?;
    }
    write("rules_generated.rs", code.as_bytes())
}
