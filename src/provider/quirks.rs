//! What holds for the recordings of a format's quirks, whatever the format: [`quirks!`] makes its tests.
//!
//! They are in the format's folder `quirks/`, and `index.json` has an entry for each: its `file`; what it is
//! `about`; and what the turn makes of it: an `answer`, `calls` (pairs of a name and arguments, `{}` where there are
//! none) or `paused` (what was said before the pause), each with the `total` of tokens if any were counted, or the
//! `code` of a failure. An answer may be `truncated`, a `refusal` or a `fallback`, and `tagged` is what it is where
//! thinking tags are read. What each says is in `quirks/signals/`.

mod shape;

use super::{Format, Options, signals};
use crate::input::Call;
use crate::redact::PassThrough;
use crate::signal::{Signal, Usage};
use crate::turn::{Decision, TurnOutput};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::rc::Rc;

pub(crate) use shape::{assert_order, assert_order_from_each_start, cut, joined, lines, with_line_ends};

/// The tests of a format's recordings, of which there are at least so many.
macro_rules! quirks {
    ($format:expr, $folder:literal, $least:literal) => {
        static QUIRKS: std::sync::LazyLock<$crate::provider::quirks::Quirks> =
            std::sync::LazyLock::new(|| $crate::provider::quirks::Quirks::read($format, $folder));

        #[test]
        fn each_file_is_in_the_index_once() {
            QUIRKS.are_listed($least);
        }

        #[test]
        fn each_says_what_its_snapshot_holds() {
            QUIRKS.match_snapshots();
        }

        #[test]
        fn each_becomes_what_the_index_says() {
            QUIRKS.become_what_is_listed();
        }

        #[test]
        fn each_is_the_same_from_its_signals_objects() {
            QUIRKS.are_the_same_from_objects();
        }

        #[test]
        fn each_cut_anywhere_with_every_line_end_and_a_byte_order_mark_says_the_same() {
            QUIRKS.are_the_same_for_every_cut();
        }

        #[test]
        fn each_in_any_chunks_says_the_same() {
            QUIRKS.are_the_same_in_any_chunks();
        }

        #[test]
        fn each_says_the_same_in_single_bytes_where_thinking_tags_are_read() {
            QUIRKS.are_the_same_where_tags_are_read();
        }

        #[test]
        fn each_prefix_has_an_order_and_an_end() {
            QUIRKS.have_an_end_wherever_they_stop();
        }

        #[test]
        fn their_pieces_in_any_order_have_an_order_and_an_end() {
            QUIRKS.have_an_order_in_any_order();
        }
    };
}
pub(crate) use quirks;

/// The recordings of a format.
pub(crate) struct Quirks {
    format: Format,
    folder: &'static str,
    list: Vec<Quirk>,
}

/// One recording.
struct Quirk {
    file: String,
    bytes: Vec<u8>,
    entry: Value,
}

const MARK: &[u8] = b"\xef\xbb\xbf";

/// What an entry of the index may say besides `file` and `about`.
const FIELDS: [&str; 9] = ["answer", "calls", "paused", "code", "truncated", "refusal", "fallback", "total", "tagged"];

fn path(folder: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src/provider").join(folder).join("quirks")
}

impl Quirks {
    /// Reads the recordings of `src/provider/<folder>/quirks/`.
    pub(crate) fn read(format: Format, folder: &'static str) -> Self {
        let index: Vec<Value> = serde_json::from_slice(&fs::read(path(folder).join("index.json")).unwrap()).unwrap();
        let quirk = |entry: Value| {
            let file = entry["file"].as_str().unwrap().to_owned();
            Quirk { bytes: fs::read(path(folder).join(&file)).unwrap(), file, entry }
        };
        Quirks { format, folder, list: index.into_iter().map(quirk).collect() }
    }

    /// Anthropic's messages alone are begun anew within a stream.
    fn assert_order(&self, signals: &[Signal]) {
        match self.format {
            Format::Anthropic => assert_order_from_each_start(signals),
            _ => assert_order(signals),
        }
    }

    pub(crate) fn are_listed(&self, least: usize) {
        let entries = fs::read_dir(path(self.folder)).unwrap().map(|entry| entry.unwrap());
        let files = entries.filter(|entry| entry.file_type().unwrap().is_file());
        let names = files.map(|entry| entry.file_name().into_string().unwrap());
        let found: BTreeSet<String> = names.filter(|name| name != "index.json" && !name.starts_with('.')).collect();
        let listed: BTreeSet<String> = self.list.iter().map(|quirk| quirk.file.clone()).collect();
        assert_eq!(found, listed);
        assert_eq!(self.list.len(), listed.len());
        assert!(listed.len() >= least, "{} recordings", listed.len());
        for Quirk { file, entry, .. } in &self.list {
            let fields = entry.as_object().unwrap().keys();
            let known = |field: &String| matches!(&**field, "file" | "about") || FIELDS.contains(&&**field);
            assert!({ fields }.all(known), "{file}: {entry}");
            assert!(entry["about"].is_string(), "{file}");
        }
    }

    pub(crate) fn match_snapshots(&self) {
        let folder = format!("{}/quirks/signals", self.folder);
        insta::with_settings!({ snapshot_path => folder, prepend_module_to_snapshot => false, omit_expression => true }, {
            for quirk in &self.list {
                let name = quirk.file.split('.').next().unwrap();
                insta::assert_snapshot!(name, lines(&decode(self.format, &quirk.bytes)));
            }
        });
    }

    pub(crate) fn become_what_is_listed(&self) {
        for Quirk { file, bytes, entry } in &self.list {
            let outcome = outcome(decode(self.format, bytes));
            for field in FIELDS.into_iter().filter(|field| *field != "tagged") {
                assert_eq!(outcome[field], entry[field], "{field} of {file}");
            }
        }
    }

    /// What each says is read again from its signals as objects.
    pub(crate) fn are_the_same_from_objects(&self) {
        for Quirk { file, bytes, .. } in &self.list {
            let mut reader = signals::Reader::new();
            let said = decode(self.format, bytes);
            let read = |signal: &Signal| reader.read(&signals::object(signal)).unwrap();
            assert_eq!(said.iter().flat_map(read).collect::<Vec<_>>(), said, "{file}");
        }
    }

    /// As recorded, cut at each byte alone; in its variants at each byte too, but at every 61st at once.
    pub(crate) fn are_the_same_for_every_cut(&self) {
        let mut cases = 0;
        for Quirk { file, bytes, .. } in &self.list {
            let expected = decode(self.format, bytes);
            for at in 0..=bytes.len() {
                let (head, tail) = bytes.split_at(at);
                assert_eq!(decode_chunks(self.format, [head, tail]), expected, "{file} cut at {at}");
            }
            for bytes in variants(bytes) {
                assert_eq!(decode_chunks(self.format, bytes.chunks(1)), expected, "{file} in single bytes");
                for at in (0..61).filter(|at| *at <= bytes.len()) {
                    let (head, tail) = bytes.split_at(at);
                    let chunks = [head].into_iter().chain(tail.chunks(61));
                    assert_eq!(decode_chunks(self.format, chunks), expected, "{file} cut at {at} and every 61st byte");
                    cases += 1 + tail.len() / 61;
                }
            }
        }
        assert!(cases > 1_000 * self.list.len(), "{cases}");
    }

    pub(crate) fn are_the_same_in_any_chunks(&self) {
        check(24, prop::collection::vec(1usize..64, 1..16), |lengths| {
            for quirk in &self.list {
                let expected = decode(self.format, &quirk.bytes);
                for bytes in variants(&quirk.bytes) {
                    assert_eq!(decode_chunks(self.format, cut(&bytes, &lengths)), expected, "{}", quirk.file);
                }
            }
        });
    }

    pub(crate) fn are_the_same_where_tags_are_read(&self) {
        let read = |chunks: &mut dyn Iterator<Item = &[u8]>| {
            let mut decoder = self.format.decoder_with(Options { thinking_tags: true, ..Options::default() });
            let mut out = Vec::new();
            chunks.for_each(|chunk| decoder.feed(chunk, &mut out));
            decoder.finish(&mut out);
            out
        };
        for Quirk { file, bytes, entry } in &self.list {
            let whole = read(&mut [&bytes[..]].into_iter());
            assert_eq!(read(&mut bytes.chunks(1)), whole, "{file}");
            self.assert_order(&whole);
            let tagged = entry.get("tagged").unwrap_or(&entry["answer"]);
            assert_eq!(
                joined(whole.clone()) == joined(decode(self.format, bytes)),
                *tagged == entry["answer"],
                "{file}"
            );
            assert_eq!(outcome(whole)["answer"], *tagged, "{file}");
        }
    }

    pub(crate) fn have_an_end_wherever_they_stop(&self) {
        for quirk in &self.list {
            for length in 0..=quirk.bytes.len() {
                self.assert_order(&decode(self.format, &quirk.bytes[..length]));
            }
        }
    }

    pub(crate) fn have_an_order_in_any_order(&self) {
        let all = self.list.iter().map(|quirk| with_line_ends(&quirk.bytes, "\n"));
        let pieces: Vec<Vec<u8>> = { all }.flat_map(|bytes| pieces(&bytes)).collect();
        let scrap = "[ \r\n{}\\[:a\"]{0,6}".prop_map(String::into_bytes);
        let piece = prop_oneof![12 => prop::sample::select(pieces), 1 => scrap];
        let bytes = prop_oneof![4 => prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat()), 1 => prop::collection::vec(any::<u8>(), 0..200)];
        check(400, (bytes, prop::collection::vec(1usize..60, 1..8)), |(bytes, lengths)| {
            let whole = decode(self.format, &bytes);
            self.assert_order(&whole);
            assert_eq!(decode_chunks(self.format, cut(&bytes, &lengths)), whole);
            assert_eq!(decode_chunks(self.format, bytes.chunks(1)), whole);
        });
    }
}

fn check<S: Strategy>(cases: u32, strategy: S, test: impl Fn(S::Value)) {
    let config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
    let tested = TestRunner::new(config).run(&strategy, |value| {
        test(value);
        Ok(())
    });
    tested.unwrap_or_else(|failure| panic!("{failure}"));
}

/// A recording's events, or its lines where none is an event.
fn pieces(bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut pieces = vec![Vec::new()];
    let events = bytes.windows(2).any(|two| two == b"\n\n");
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        pieces.last_mut().unwrap().extend_from_slice(line);
        if line == b"\n" || !events {
            pieces.push(Vec::new());
        }
    }
    pieces.retain(|piece| !piece.is_empty());
    pieces
}

/// The recording as other services would send it: with each line end, with and without a byte order mark.
fn variants(bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut variants = vec![bytes.to_vec()];
    for end in ["\n", "\r\n", "\r"] {
        let bytes = with_line_ends(bytes, end);
        if !bytes.starts_with(MARK) {
            variants.push([MARK, &bytes].concat());
        }
        variants.push(bytes);
    }
    variants
}

/// Decodes a whole response, given in these chunks.
pub(crate) fn decode_chunks<'a>(format: Format, chunks: impl IntoIterator<Item = &'a [u8]>) -> Vec<Signal> {
    let (mut decoder, mut out) = (format.decoder(), Vec::new());
    chunks.into_iter().for_each(|chunk| decoder.feed(chunk, &mut out));
    decoder.finish(&mut out);
    out
}

/// Decodes a whole response.
pub(crate) fn decode(format: Format, bytes: impl AsRef<[u8]>) -> Vec<Signal> {
    decode_chunks(format, [bytes.as_ref()])
}

/// What a turn of that one response comes to, in the words of the index.
pub(crate) fn outcome(signals: Vec<Signal>) -> Value {
    let mut turn = TurnOutput::new("r", Rc::new(PassThrough), &[]);
    let mut total = None;
    for signal in signals {
        if let Signal::Usage(Usage { total: counted, .. }) = signal {
            total = counted;
        }
        let Some(decision) = turn.signal(signal) else { continue };
        let mut outcome = match decision {
            Decision::Candidate => {
                let answer = turn.publish(None).unwrap().into_answer();
                let mut outcome = json!({ "answer": answer.text });
                let marks =
                    [("truncated", answer.truncated), ("refusal", answer.refusal), ("fallback", answer.fallback)];
                for (mark, _) in marks.into_iter().filter(|(_, set)| *set) {
                    outcome[mark] = json!(true);
                }
                outcome
            }
            Decision::Calls(said) => {
                let made = |call: Call| match &*call.arguments {
                    "" => json!([call.name, "{}"]),
                    arguments => json!([call.name, arguments]),
                };
                json!({ "calls": said.calls.into_iter().map(made).collect::<Vec<_>>() })
            }
            Decision::Continue(said) => json!({ "paused": said.text }),
            Decision::Dead(kind) => return json!({ "code": crate::Error::from(kind).code() }),
        };
        outcome["total"] = json!(total);
        return outcome;
    }
    panic!("the response has no end");
}
