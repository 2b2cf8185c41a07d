//! What ARCHITECTURE.md promises of the source, held by a check.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::fs;
use std::path::{Path, PathBuf};

/// Every Rust source file of the core and the bindings, with its text.
fn sources() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.extension() {
                _ if path.is_dir() => folders.push(path),
                Some(extension) if extension == "rs" => {
                    let name = path.strip_prefix(&root).unwrap().to_str().unwrap().to_owned();
                    files.push((name, fs::read_to_string(&path).unwrap()));
                }
                _ => {}
            }
        }
    }
    assert!(files.len() > 50, "found the sources");
    files
}

/// The code of a file without its comments and without the tests at its end.
fn code(text: &str) -> String {
    let text = text.split("#[cfg(all(test, not(target_arch = \"wasm32\")))]\nmod tests {").next().unwrap();
    text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

fn is_test(name: &str) -> bool {
    name.contains("tests") || name.ends_with("fixture.rs") || name.starts_with("provider/quirks")
}

/// The first room of a file: `run` for `run/emitter.rs`, `turn` for `turn.rs`.
fn room(name: &str) -> &str {
    name.split(['/', '.']).next().unwrap()
}

#[test]
fn the_core_has_no_clock_no_randomness_no_io_and_no_async() {
    let forbidden = [
        "std::time",
        "SystemTime",
        "Instant::now",
        "std::thread",
        "std::fs",
        "std::net",
        "std::env",
        "std::io",
        "rand::",
        "getrandom",
        "async fn",
        "async move",
        ".await;",
        ".await?",
        ".await)",
        "println!",
        "eprintln!",
        "web_sys",
        "js_sys",
        "wasm_bindgen",
        "worker::",
    ];
    let mut checked = 0;
    for (name, text) in sources().iter().filter(|(name, _)| !matches!(room(name), "driver" | "bind") && !is_test(name))
    {
        for word in forbidden {
            assert!(!code(text).contains(word), "{name} uses {word}");
        }
        checked += 1;
    }
    assert!(checked > 40, "{checked}");
}

#[test]
fn what_a_turn_yields_is_opened_by_the_emitter_alone() {
    for opener in [".into_answer()", ".into_calls()", ".into_interrupts()", ".into_step()"] {
        let users: Vec<String> = sources()
            .into_iter()
            .filter(|(name, text)| !is_test(name) && code(text).contains(opener))
            .map(|(name, _)| name)
            .collect();
        assert_eq!(users, ["run/emitter.rs"], "{opener}");
    }
}

#[test]
fn arrows_between_rooms_go_one_way() {
    // What each room may use, as in ARCHITECTURE.md; `error`, `stored` and the like are everybody's.
    let shared =
        ["error", "stored", "json", "bytes", "digest", "positions", "Error", "ErrorKind", "Millis", "VERSION", "self"];
    let allowed: &[(&str, &[&str])] = &[
        ("signal", &[]),
        ("input", &[]),
        ("redact", &[]),
        ("event", &["signal"]),
        ("profile", &["input", "wire"]),
        ("sse", &[]),
        ("turn", &["signal", "event", "input", "redact"]),
        ("provider", &["signal", "input", "sse"]),
        ("executor", &["turn", "event", "input", "provider"]),
        ("wire", &["event", "signal", "input", "profile", "sse"]),
        ("run", &["signal", "event", "turn", "executor", "input", "profile", "provider", "redact", "wire", "sse"]),
        ("http", &["event", "profile", "redact", "run", "turn", "provider", "sse", "wire"]),
        ("driver", &["run", "executor", "input", "provider", "sse", "event", "wire"]),
    ];
    for (name, text) in sources().iter().filter(|(name, _)| !is_test(name)) {
        let Some((_, may)) = allowed.iter().find(|(known, _)| *known == room(name)) else {
            assert!(
                ["lib", "error", "stored", "json", "bytes", "digest", "positions", "bind"].contains(&room(name)),
                "{name} is in no room"
            );
            continue;
        };
        for used in code(text).split("crate::").skip(1) {
            let used: String = used.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            let grouped = used.is_empty();
            let fine = grouped || used == room(name) || shared.contains(&used.as_str()) || may.contains(&used.as_str());
            assert!(fine, "{name} uses {used}");
        }
    }
}

#[test]
fn no_file_is_longer_than_400_lines() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders: Vec<PathBuf> = ["src", "tests", "js", "examples", "xtask/src", "fuzz/fuzz_targets"]
        .iter()
        .map(|folder| root.join(folder))
        .collect();
    let mut checked = 0;
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                // What is installed is not ours.
                if !path.ends_with("node_modules") {
                    folders.push(path);
                }
                continue;
            }
            if path
                .extension()
                .is_some_and(|extension| ["rs", "mjs", "ts", "js"].iter().any(|known| extension == *known))
            {
                let lines = fs::read_to_string(&path).unwrap().lines().count();
                assert!(lines <= 400, "{} has {lines} lines", path.display());
                checked += 1;
            }
        }
    }
    assert!(checked > 60, "{checked}");
}
