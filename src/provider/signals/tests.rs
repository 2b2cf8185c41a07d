use super::{Decoder, MAX_EVENT, encode};
use crate::provider::Decoder as _;
use crate::signal::{Fault, Phase, Role, Signal, Stop, Usage};
use proptest::prelude::*;
use serde_json::json;

/// Decodes a whole stream, given in these chunks.
pub(crate) fn decode_chunks<'a>(chunks: impl IntoIterator<Item = &'a [u8]>) -> Vec<Signal> {
    let (mut decoder, mut out) = (Decoder::new(), Vec::new());
    chunks.into_iter().for_each(|chunk| decoder.feed(chunk, &mut out));
    decoder.finish(&mut out);
    out
}

fn decode(stream: impl AsRef<[u8]>) -> Vec<Signal> {
    decode_chunks([stream.as_ref()])
}

/// A stream of these signals' JSON.
fn stream(payloads: &[&str]) -> String {
    payloads.iter().map(|payload| format!("data: {payload}\n\n")).collect()
}

fn start() -> Signal {
    Signal::ResponseStart { model: None }
}

/// What a stream of one signal comes to, without its start.
fn one(payload: &str) -> Vec<Signal> {
    decode(stream(&[payload, r#"{"type":"response_end"}"#])).split_off(1)
}

#[test]
fn every_signal_is_read_as_it_is_written() {
    let name = || "n".to_owned();
    let all = vec![
        Signal::ResponseStart { model: Some("m".into()) },
        Signal::ItemStart { role: Role::Assistant, phase: Phase::Commentary },
        Signal::Text("a\"\u{2028}é".into()),
        Signal::ItemEnd { text: None },
        Signal::ItemStart { role: Role::Other, phase: Phase::Unmarked },
        Signal::ItemEnd { text: Some("whole".into()) },
        Signal::ItemStart { role: Role::Assistant, phase: Phase::FinalAnswer },
        Signal::Reasoning("r".into()),
        Signal::WasReasoning,
        Signal::Refusal("no".into()),
        Signal::CallStart { index: 0, id: "c".into(), name: name() },
        Signal::CallStart { index: 1, id: String::new(), name: String::new() },
        Signal::CallName { index: 1, name: name() },
        Signal::CallArgs { index: 0, delta: "{".into() },
        Signal::CallEnd { index: 1 },
        Signal::CallEnd { index: 0 },
        Signal::ProviderTool { name: name() },
        Signal::State(json!({"a": [1, null, "x"]})),
        Signal::Usage(Usage { input: Some(1), output: Some(2), cached_input: Some(0), ..Usage::default() }),
        Signal::ResponseEnd(Stop::Pause),
    ];
    let stream: String = all.iter().map(encode).collect();
    assert_eq!(decode(stream), all);
    for stop in [Stop::Complete, Stop::Length, Stop::ContentFilter] {
        assert_eq!(decode(encode(&Signal::ResponseEnd(stop))), [start(), Signal::ResponseEnd(stop)]);
    }
    for fault in [Fault::Reported, Fault::Cut, Fault::Malformed] {
        assert_eq!(decode(encode(&Signal::Error(fault))), [start(), Signal::Error(fault)]);
    }
}

#[test]
fn what_is_left_out_is_what_is_usual() {
    let bare =
        [r#"{"type":"item_start","role":null}"#, r#"{"type":"call_start"}"#, r#"{"type":"call_args","delta":"{}"}"#];
    assert_eq!(
        decode(stream(&[bare[0], bare[1], bare[2], bare[1], r#"{"type":"response_end"}"#])),
        [
            start(),
            Signal::ItemStart { role: Role::Assistant, phase: Phase::Unmarked },
            Signal::CallStart { index: 0, id: String::new(), name: String::new() },
            Signal::CallArgs { index: 0, delta: "{}".into() },
            Signal::CallStart { index: 1, id: String::new(), name: String::new() },
            Signal::CallEnd { index: 0 },
            Signal::CallEnd { index: 1 },
            Signal::ResponseEnd(Stop::Complete),
        ]
    );
}

#[test]
fn what_says_nothing_is_passed() {
    let end = vec![start(), Signal::ResponseEnd(Stop::Complete)];
    let noise =
        ": comment\n\ndata:\n\ndata: [DONE]\n\nevent: x\ndata: {\"type\":\"text\",\"delta\":\"\",\"more\":1}\n\n";
    assert_eq!(decode(noise.to_owned() + &stream(&[r#"{"type":"response_end","stop":null}"#, "garbage"])), end);
}

#[test]
fn a_stream_without_its_end_mark_is_cut() {
    for payloads in [&[][..], &[r#"{"type":"text","delta":"half"}"#], &["[DONE]"]] {
        assert_eq!(decode(stream(payloads)).last(), Some(&Signal::Error(Fault::Cut)), "{payloads:?}");
    }
    let unfinished = r#"data: {"type":"response_end"}"#;
    assert_eq!(decode(unfinished), [start(), Signal::Error(Fault::Cut)], "its event has no blank line");
}

#[test]
fn what_is_not_of_the_format_is_malformed() {
    for bad in [
        "{",
        "[]",
        "null",
        "1",
        r#"{"delta":"x"}"#,
        r#"{"type":1}"#,
        r#"{"type":"txt","delta":"x"}"#,
        r#"{"type":"text"}"#,
        r#"{"type":"text","delta":["x"]}"#,
        r#"{"type":"item_start","phase":"final"}"#,
        r#"{"type":"item_start","role":1}"#,
        r#"{"type":"item_end","text":1}"#,
        r#"{"type":"call_start","index":1}"#,
        r#"{"type":"call_start","index":-1}"#,
        r#"{"type":"call_args","delta":"x"}"#,
        r#"{"type":"call_end"}"#,
        r#"{"type":"usage","input":"1"}"#,
        r#"{"type":"state"}"#,
        r#"{"type":"response_end","stop":"tool_calls"}"#,
        r#"{"type":"error","fault":"gone"}"#,
    ] {
        assert_eq!(one(bad), [Signal::Error(Fault::Malformed)], "{bad}");
    }
    let twice = r#"{"type":"response_start"}"#;
    assert_eq!(decode(stream(&[twice, twice])), [start(), Signal::Error(Fault::Malformed)]);
    let ended = [r#"{"type":"call_start"}"#, r#"{"type":"call_end"}"#, r#"{"type":"call_args","delta":"x"}"#];
    assert_eq!(decode(stream(&ended)).last(), Some(&Signal::Error(Fault::Malformed)));
}

#[test]
fn past_a_bound_it_is_malformed() {
    let name = |length| format!(r#"{{"type":"provider_tool","name":"{}"}}"#, "x".repeat(length));
    assert!(matches!(one(&name(1024))[0], Signal::ProviderTool { .. }));
    assert_eq!(one(&name(1025)), [Signal::Error(Fault::Malformed)]);
    let text = |length| one(&format!(r#"{{"type":"text","delta":"{}"}}"#, "x".repeat(length)));
    assert!(matches!(text(MAX_EVENT - 100)[0], Signal::Text(_)));
    assert_eq!(text(MAX_EVENT), [Signal::Error(Fault::Malformed)]);
    let calls = stream(&[r#"{"type":"call_start"}"#; 129]);
    let signals = decode(calls);
    assert_eq!((signals.len(), signals.last()), (130, Some(&Signal::Error(Fault::Malformed))));
    let model = |length| decode(stream(&[&format!(r#"{{"type":"response_start","model":"{}"}}"#, "m".repeat(length))]));
    assert_eq!(model(257)[0], start(), "left out");
    assert_ne!(model(256)[0], start());
}

#[test]
fn halves_of_a_character_are_put_together_or_replaced() {
    let halves = [r#"{"type":"text","delta":"a\ud83d"}"#, r#"{"type":"text","delta":"\ude00b"}"#];
    let text = |text: &str| Signal::Text(text.to_owned());
    let end = || Signal::ResponseEnd(Stop::Complete);
    let done = r#"{"type":"response_end"}"#;
    assert_eq!(decode(stream(&[halves[0], halves[1], done]))[1..], [text("a"), text("😀b"), end()]);
    let (item, whole) = (r#"{"type":"item_start"}"#, r#"{"type":"item_end","text":"\ud83d"}"#);
    let state = r#"{"type":"state","snapshot":{"\ud83d":["\ude00"]}}"#;
    assert_eq!(
        decode(stream(&[halves[0], item, whole, state, done]))[1..],
        [
            text("a"),
            text("\u{fffd}"),
            Signal::ItemStart { role: Role::Assistant, phase: Phase::Unmarked },
            Signal::ItemEnd { text: Some("\u{fffd}".into()) },
            Signal::State(json!({"\u{fffd}": ["\u{fffd}"]})),
            end(),
        ],
        "no half crosses the border of an item"
    );
    assert_eq!(decode(stream(&[halves[0]]))[2..], [text("\u{fffd}"), Signal::Error(Fault::Cut)]);
}

#[test]
fn half_a_character_of_what_was_reasoning_waits_for_nothing_behind_it() {
    let bytes = stream(&[
        r#"{"type":"text","delta":"a\ud83d"}"#,
        r#"{"type":"was_reasoning"}"#,
        r#"{"type":"text","delta":"\ude00b"}"#,
        r#"{"type":"response_end"}"#,
    ]);
    let text = |text: &str| Signal::Text(text.to_owned());
    let was = [start(), text("a"), text("\u{fffd}"), Signal::WasReasoning];
    let expected = [&was[..], &[text("\u{fffd}b"), Signal::ResponseEnd(Stop::Complete)]].concat();
    assert_eq!(decode(bytes), expected);
}

/// Events of the format, good and bad, and scraps of them.
fn soup() -> impl Strategy<Value = String> {
    let fixed = [
        r#"{"type":"response_start","model":"m"}"#,
        r#"{"type":"item_start","phase":"commentary"}"#,
        r#"{"type":"text","delta":"é👩‍👩‍👧"}"#,
        r#"{"type":"text","delta":"a\ud83d"}"#,
        r#"{"type":"text","delta":"\ude00b"}"#,
        r#"{"type":"reasoning","delta":"r"}"#,
        r#"{"type":"item_end","text":"w"}"#,
        r#"{"type":"call_start","id":"c","name":"f"}"#,
        r#"{"type":"call_args","delta":"{}"}"#,
        r#"{"type":"call_end"}"#,
        r#"{"type":"state","snapshot":{}}"#,
        r#"{"type":"response_end"}"#,
        r#"{"type":"error"}"#,
        "[DONE]",
    ]
    .map(|payload| format!("data: {payload}\n\n"));
    let scraps = [": comment\n".to_owned(), "data:".to_owned(), "\u{feff}".to_owned(), "\r".to_owned()];
    prop_oneof![
        8 => prop::sample::select(fixed.to_vec()),
        1 => prop::sample::select(scraps.to_vec()),
        1 => "[ \r\n{}\\[:a\"]{0,6}",
    ]
}

fn is_end(signal: &Signal) -> bool {
    matches!(signal, Signal::ResponseEnd(_) | Signal::Error(_))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn a_piece_says_the_same_however_it_is_written(
        texts in proptest::collection::vec("(\\PC|[\"\\\\\n\u{1}]|ü|🦀){0,8}", 1..6), kind in "text|reasoning",
    ) {
        let quoted: Vec<_> = texts.iter().map(|text| json!(text).to_string()).collect();
        let usual = quoted.iter().map(|delta| format!(r#"{{"type":"{kind}","delta":{delta}}}"#));
        let other = quoted.iter().map(|delta| format!(r#" {{"delta": {delta}, "type": "{kind}"}}"#));
        let said = |payloads: Vec<String>| decode(stream(&payloads.iter().map(String::as_str).collect::<Vec<_>>()));
        prop_assert_eq!(said(usual.collect()), said(other.collect()));
    }

    #[test]
    fn any_stream_has_one_start_and_one_end_whatever_its_cuts(
        parts in prop::collection::vec(soup(), 0..14),
        size in 1usize..40,
        line_end in prop::sample::select(vec!["\n", "\r\n", "\r"]),
    ) {
        let bytes = parts.concat().replace('\n', line_end).into_bytes();
        let whole = decode(&bytes);
        prop_assert_eq!(decode_chunks(bytes.chunks(size)), whole.clone());
        prop_assert_eq!(decode_chunks(bytes.chunks(1)), whole.clone());
        let starts_with_a_start = matches!(whole.first(), Some(Signal::ResponseStart { .. }));
        prop_assert!(starts_with_a_start);
        prop_assert!(whole.last().is_some_and(is_end));
        prop_assert_eq!(whole.iter().filter(|signal| is_end(signal)).count(), 1);
        let starts = whole.iter().filter(|signal| matches!(signal, Signal::ResponseStart { .. })).count();
        prop_assert_eq!(starts, 1);
    }
}

#[test]
fn half_a_surrogate_pair_is_put_to_its_other_half_or_replaced() {
    let bytes = stream(&[
        r#"{"type":"text","delta":"a\ud83d"}"#,
        r#"{"type":"reasoning","delta":"\ude00"}"#,
        r#"{"type":"text","delta":"\ude00\ud83d"}"#,
        r#"{"type":"item_end","text":"\ud83d"}"#,
        r#"{"type":"state","snapshot":{"a":"\ud83d"}}"#,
        r#"{"type":"response_end"}"#,
    ]);
    let text = |text: &str| Signal::Text(text.to_owned());
    let expected = [
        start(),
        text("a"),
        Signal::Reasoning("\u{fffd}".to_owned()),
        text("😀"),
        text("\u{fffd}"),
        Signal::ItemEnd { text: Some("\u{fffd}".to_owned()) },
        Signal::State(json!({"a": "\u{fffd}"})),
        Signal::ResponseEnd(Stop::Complete),
    ];
    assert_eq!(decode(bytes), expected);
}
