//! A recording of each quirk: what it says, and that no cut and no line end changes that.

use super::chunking::cut;
use super::{decode, decode_chunks, lines};
use crate::provider::{Format, Options};
use crate::signal::Signal;
use proptest::prelude::*;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

/// One recording: its file's name and its bytes.
struct Quirk {
    file: String,
    bytes: Vec<u8>,
}

static QUIRKS: LazyLock<Vec<Quirk>> = LazyLock::new(|| {
    let index: Value = serde_json::from_slice(&fs::read(folder().join("index.json")).unwrap()).unwrap();
    let files = index.as_array().unwrap().iter().map(|entry| entry["file"].as_str().unwrap().to_owned());
    files.map(|file| Quirk { bytes: fs::read(folder().join(&file)).unwrap(), file }).collect()
});

/// Those that say something else where thinking tags are read.
const TAGGED: [&str; 4] =
    ["think-tags.sse", "think-tag-closing-alone.sse", "think-tag-never-closed.sse", "harmony-marks.sse"];

const MARK: &[u8] = b"\xef\xbb\xbf";

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src/provider/chat_completions/quirks")
}

/// The recording as other services would send it: with each line end, with and without a byte order mark.
fn variants(quirk: &Quirk) -> Vec<Vec<u8>> {
    let mut variants = vec![quirk.bytes.clone()];
    for end in ["\n", "\r\n", "\r"] {
        let bytes = with_line_ends(&quirk.bytes, end);
        if !bytes.starts_with(MARK) {
            variants.push([MARK, &bytes].concat());
        }
        variants.push(bytes);
    }
    variants
}

/// The same lines, each with that end.
fn with_line_ends(bytes: &[u8], end: &str) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = bytes.iter().peekable();
    while let Some(&byte) = rest.next() {
        if byte == b'\r' && rest.peek() == Some(&&b'\n') {
            continue;
        }
        match byte {
            b'\r' | b'\n' => out.extend_from_slice(end.as_bytes()),
            other => out.push(other),
        }
    }
    out
}

#[test]
fn each_file_is_in_the_index_once() {
    let entries = fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap());
    let files = entries.filter(|entry| entry.file_type().unwrap().is_file());
    let names = files.map(|entry| entry.file_name().into_string().unwrap());
    let found: BTreeSet<String> = names.filter(|name| name != "index.json" && !name.starts_with('.')).collect();
    let listed: BTreeSet<String> = QUIRKS.iter().map(|quirk| quirk.file.clone()).collect();
    assert_eq!(found, listed);
    assert_eq!(QUIRKS.len(), listed.len());
}

#[test]
fn each_says_what_its_snapshot_holds() {
    insta::with_settings!({ snapshot_path => "../quirks/signals", prepend_module_to_snapshot => false, omit_expression => true }, {
        for quirk in QUIRKS.iter() {
            let name = quirk.file.split('.').next().unwrap();
            insta::assert_snapshot!(name, lines(&decode(&quirk.bytes)));
        }
    });
}

#[test]
fn each_cut_anywhere_with_every_line_end_and_a_byte_order_mark_says_the_same() {
    let mut cases = 0;
    for quirk in QUIRKS.iter() {
        let expected = decode(&quirk.bytes);
        for bytes in variants(quirk) {
            assert_eq!(decode_chunks(bytes.chunks(1)), expected, "{} in single bytes", quirk.file);
            for at in 0..=bytes.len() {
                let (head, tail) = bytes.split_at(at);
                assert_eq!(decode_chunks([head, tail]), expected, "{} cut at {at} of {}", quirk.file, bytes.len());
                cases += 1;
            }
        }
    }
    assert!(cases > 200_000, "{cases}");
}

#[test]
fn each_says_the_same_in_single_bytes_where_thinking_tags_are_read() {
    let read = |chunks: &mut dyn Iterator<Item = &[u8]>| {
        let mut decoder = Format::ChatCompletions.decoder_with(Options { thinking_tags: true });
        let mut out = Vec::new();
        chunks.for_each(|chunk| decoder.feed(chunk, &mut out));
        decoder.finish(&mut out);
        out
    };
    for quirk in QUIRKS.iter() {
        let whole = read(&mut [&quirk.bytes[..]].into_iter());
        assert_eq!(read(&mut quirk.bytes.chunks(1)), whole, "{}", quirk.file);
        assert_eq!(whole == decode(&quirk.bytes), !TAGGED.contains(&quirk.file.as_str()), "{}", quirk.file);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn each_in_any_chunks_says_the_same(lengths in prop::collection::vec(1usize..64, 1..16)) {
        for quirk in QUIRKS.iter() {
            let expected: Vec<Signal> = decode(&quirk.bytes);
            for bytes in variants(quirk) {
                prop_assert_eq!(decode_chunks(cut(&bytes, &lengths)), expected.clone(), "{}", quirk.file);
            }
        }
    }
}
