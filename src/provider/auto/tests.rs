//! Every recording of every format is decoded as by its own decoder.

use super::MAX_SEARCHED;
use crate::provider::quirks::{cut, decode, decode_chunks, with_line_ends};
use crate::provider::{Decoder as _, Format, replay};
use crate::signal::{Fault, Signal};
use proptest::prelude::*;
use serde_json::Value;
use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

/// Each format that has recordings, and the folder of them.
const FOLDERS: [(Format, &str); 8] = [
    (Format::ChatCompletions, "chat_completions"),
    (Format::Responses, "responses"),
    (Format::Anthropic, "anthropic"),
    (Format::Gemini, "gemini"),
    (Format::WorkersAi, "workers_ai"),
    (Format::Ollama, "ollama"),
    (Format::AgUi, "agui"),
    (Format::Signals, "signals"),
];

/// Recordings of what is not the folder's format, but another's.
const ANOTHERS: [&str; 3] = [
    "chat_completions/body-of-something-else.json",
    "chat_completions/body-array.json",
    "responses/body-of-something-else.json",
];

struct Recording {
    format: Format,
    name: String,
    bytes: Vec<u8>,
}

static RECORDINGS: LazyLock<Vec<Recording>> = LazyLock::new(|| {
    let quirks = FOLDERS.into_iter().flat_map(|(format, folder)| {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src/provider").join(folder).join("quirks");
        let index = fs::read(path.join("index.json")).unwrap_or_else(|_| b"[]".to_vec());
        let index: Vec<Value> = serde_json::from_slice(&index).unwrap();
        index.into_iter().map(move |entry| {
            let file = entry["file"].as_str().unwrap();
            Recording { format, name: format!("{folder}/{file}"), bytes: fs::read(path.join(file)).unwrap() }
        })
    });
    quirks.filter(|recording| !ANOTHERS.contains(&&*recording.name)).collect()
});

/// The decoded signals, and the format that was found.
fn found<'a>(chunks: impl IntoIterator<Item = &'a [u8]>) -> (Vec<Signal>, Option<Format>) {
    let (mut decoder, mut out) = (super::Decoder::new(), Vec::new());
    chunks.into_iter().for_each(|chunk| decoder.feed(chunk, &mut out));
    decoder.finish(&mut out);
    (out, decoder.format())
}

#[test]
fn each_recording_is_decoded_as_by_its_own_decoder() {
    let mut strange = Vec::new();
    for Recording { format, name, bytes } in RECORDINGS.iter() {
        let expected = decode(*format, bytes);
        if found([&bytes[..]]).0 != expected {
            strange.push(format!("{name}: {:?} and not {expected:?}", found([&bytes[..]])));
        }
    }
    assert!(strange.is_empty(), "{}", strange.join("\n"));
}

#[test]
fn the_format_is_said_once_it_is_known() {
    for Recording { format, name, bytes } in RECORDINGS.iter() {
        let (signals, found) = found([&bytes[..]]);
        match found {
            Some(found) if found == *format => {}
            // An error is the same in all, and a service that speaks another's format is taken for it.
            Some(found) => assert_eq!(decode(found, bytes), decode(*format, bytes), "{name}"),
            None => assert!(matches!(signals.last(), Some(Signal::Error(_))), "{name}"),
        }
    }
    for (format, folder) in FOLDERS {
        let all: Vec<_> = RECORDINGS.iter().filter(|recording| recording.format == format).collect();
        let right = all.iter().filter(|recording| found([&recording.bytes[..]]).1 == Some(format)).count();
        assert!(right * 3 >= all.len() * 2, "{folder}: {right} of {}", all.len());
    }
}

#[test]
fn each_recording_in_single_bytes_and_with_each_line_end_is_the_same() {
    for Recording { format, name, bytes } in RECORDINGS.iter() {
        for end in ["\n", "\r\n", "\r"] {
            for mark in [&b""[..], b"\xef\xbb\xbf"] {
                let lead = if bytes.starts_with(b"\xef\xbb\xbf") { b"" } else { mark };
                let bytes = [lead, &with_line_ends(bytes, end)].concat();
                let expected = decode(*format, &bytes);
                assert_eq!(found(bytes.chunks(1)).0, expected, "{name}");
                assert_eq!(found([&bytes[..]]).0, expected, "{name}");
            }
        }
    }
}

#[test]
fn a_recording_cut_off_anywhere_is_never_an_answer_that_its_own_decoder_would_not_give() {
    for Recording { format, name, bytes } in RECORDINGS.iter() {
        for length in 0..bytes.len() {
            let (own, told) = (decode(*format, &bytes[..length]), found([&bytes[..length]]));
            let answers = |signals: &[Signal]| matches!(signals.last(), Some(Signal::ResponseEnd(_)));
            assert_eq!(answers(&own), answers(&told.0), "{name} cut off at {length}");
        }
    }
}

#[test]
fn each_response_of_the_replays_is_found() {
    for recording in replay::names().filter_map(replay::find) {
        let responses = (1..).map_while(|at| recording.response(at));
        for playback in responses.take(8) {
            let bytes: Vec<u8> = playback.flat_map(|chunk| chunk.bytes.to_vec()).collect();
            let (signals, format) = found([&bytes[..]]);
            assert_eq!(signals, decode(recording.format(), &bytes), "{}", recording.name());
            assert_eq!(format, Some(recording.format()), "{}", recording.name());
        }
    }
}

#[test]
fn what_is_none_of_them_is_malformed() {
    let start = Signal::ResponseStart { model: None };
    for bytes in [
        "<html>",
        "data: hello\n\n",
        "data: {\"hello\":1}\n\n",
        "data: {\"type\":\"hello\"}\n\n",
        "data: [1]\n\n",
        "{\"hello\":1}",
        "{\"hello\":1}\n{\"hello\":2}\n",
        "[1]",
        "[]",
        "[{\"hello\":1}]",
        "{\"a\":\n\"b\n\"}",
        "\u{1f}\u{8b}",
    ] {
        let malformed = vec![start.clone(), Signal::Error(Fault::Malformed)];
        assert_eq!(found([bytes.as_bytes()]), (malformed, None), "{bytes}");
    }
    for bytes in ["", "\n \n", ": hello\n\n", "data: {\"choi", "data: {\"choices\":[]}\n", "{\"hello\":", "hello"] {
        assert_eq!(found([bytes.as_bytes()]), (vec![start.clone(), Signal::Error(Fault::Cut)], None), "{bytes}");
    }
}

#[test]
fn what_leads_fills_no_buffer_and_what_tells_nothing_has_a_bound() {
    let mut decoder = super::Decoder::new();
    let mut out = Vec::new();
    for _ in 0..(MAX_SEARCHED / 512) {
        decoder.feed(&b" \n\t \r\n  ".repeat(128), &mut out);
    }
    decoder.feed(b"\ndata: {\"choices\":[{\"delta\":{\"content\":\"Fine.\"}}]}\n\n", &mut out);
    assert_eq!((decoder.format(), out.len()), (Some(Format::ChatCompletions), 2));

    let comments = b": wait\n\n".repeat(MAX_SEARCHED / 8 + 1);
    let (signals, format) = found(comments.chunks(4096));
    assert_eq!((signals.last(), format), (Some(&Signal::Error(Fault::Malformed)), None));
    let body = ["{\"a\":\"".as_bytes(), &b"b".repeat(MAX_SEARCHED)].concat();
    assert_eq!(found(body.chunks(4096)).0.last(), Some(&Signal::Error(Fault::Malformed)));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn each_recording_in_any_chunks_is_the_same(lengths in prop::collection::vec(1usize..64, 1..16)) {
        for Recording { format, name, bytes } in RECORDINGS.iter() {
            let chunks = decode_chunks(Format::Auto, cut(bytes, &lengths));
            prop_assert_eq!(chunks, decode(*format, bytes), "{}", name);
        }
    }
}
