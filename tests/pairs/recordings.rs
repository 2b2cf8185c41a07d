//! All recordings: of each format's quirks, as their index has them, and those that are embedded for the replay.

use lastword::provider::replay::{self, Recording};
use lastword::provider::{Format, Options};
use lastword::signal::{Signal, Stop};
use serde_json::Value;
use std::fs;
use std::path::PathBuf;

/// The formats whose quirks are recorded: the folder's name, and the format.
pub const FORMATS: &[(&str, Format)] = &[
    ("chat_completions", Format::ChatCompletions),
    ("responses", Format::Responses),
    ("anthropic", Format::Anthropic),
    ("gemini", Format::Gemini),
    ("workers_ai", Format::WorkersAi),
    ("ollama", Format::Ollama),
    ("agui", Format::AgUi),
];

/// One recording of one response.
pub struct Quirk {
    pub name: String,
    pub format: Format,
    pub options: Options,
    pub bytes: Vec<u8>,
    /// What goes on behind it, if it pauses the turn.
    pub next: Option<Vec<u8>>,
    /// The names of the functions that it calls.
    pub called: Vec<String>,
    /// Its entry in the index.
    pub expected: Value,
}

/// All of a format's recordings, and again those that say something else where thinking tags are read.
pub fn quirks(folder: &str, format: Format) -> Vec<Quirk> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src/provider").join(folder).join("quirks");
    let index: Value = serde_json::from_slice(&fs::read(path.join("index.json")).unwrap()).unwrap();
    let entries = index.as_array().unwrap();
    let bytes = |entry: &Value| fs::read(path.join(entry["file"].as_str().unwrap())).unwrap();
    let plain = entries.iter().find(|entry| entry["answer"].is_string() && entry["calls"].is_null()).unwrap();
    let mut quirks = Vec::new();
    for entry in entries {
        for tags in [false, true] {
            let options = Options { thinking_tags: tags, ..Options::default() };
            let mut expected = entry.clone();
            if tags {
                let Some(tagged) = entry["tagged"].as_str() else { continue };
                expected["answer"] = tagged.into();
            }
            let bytes = bytes(entry);
            let signals = decode(format, options, &bytes);
            let pauses = signals.last() == Some(&Signal::ResponseEnd(Stop::Pause));
            let file = entry["file"].as_str().unwrap();
            quirks.push(Quirk {
                name: if tags { format!("{file} (tags read)") } else { file.to_owned() },
                format,
                options,
                next: pauses.then(|| self::bytes(&path, plain)),
                called: called(&signals),
                bytes,
                expected,
            });
        }
    }
    quirks
}

fn bytes(path: &std::path::Path, entry: &Value) -> Vec<u8> {
    fs::read(path.join(entry["file"].as_str().unwrap())).unwrap()
}

fn decode(format: Format, options: Options, bytes: &[u8]) -> Vec<Signal> {
    let mut decoder = format.decoder_with(options);
    let mut signals = Vec::new();
    decoder.feed(bytes, &mut signals);
    decoder.finish(&mut signals);
    signals
}

/// The functions that a response calls, each once.
fn called(signals: &[Signal]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for signal in signals {
        if let Signal::CallStart { name, .. } | Signal::CallName { name, .. } = signal
            && !name.is_empty()
            && !names.contains(name)
        {
            names.push(name.clone());
        }
    }
    names
}

/// The recordings that are embedded.
pub fn embedded() -> impl Iterator<Item = (&'static str, &'static Recording)> {
    replay::names().map(|name| (name, replay::find(name).unwrap()))
}
