//! What holds for every stream: the same signals for every cut and every line end, and their order.

use super::{decode, decode_chunks, delta};
use crate::provider::quirks::{cut, with_line_ends};
use crate::provider::{Format, quirks, replay};
use crate::signal::Signal;
use proptest::prelude::*;

/// All responses of all recordings.
fn recorded() -> Vec<Vec<u8>> {
    let recordings = replay::names().filter_map(replay::find);
    let chat = recordings.filter(|recording| recording.format() == Format::ChatCompletions);
    let responses = chat.flat_map(|recording| (1..).map_while(|ordinal| recording.response(ordinal)));
    responses.map(|playback| playback.flat_map(|chunk| chunk.bytes.to_vec()).collect()).collect()
}

/// Events that services send, good and bad, and scraps of them.
fn soup() -> impl Strategy<Value = String> {
    let event = |data: String| format!("data: {data}\n\n");
    let fixed = [
        event(delta(r#"{"content":"é👩‍👩‍👧"}"#)),
        event(delta(r#"{"reasoning_content":"r"}"#)),
        event(delta(r#"{"tool_calls":[{"index":0,"id":"A","function":{"name":"f","arguments":"{"}}]}"#)),
        event(delta(r#"{"tool_calls":[{"function":{"arguments":"}"}}]}"#)),
        event(delta(r#"{"tool_calls":[{"index":0,"id":"B","function":{"name":"g","arguments":{}}}]}"#)),
        event(delta(r#"{"function_call":{"name":"h"}}"#)),
        event(r#"{"choices":[{"finish_reason":"stop"}],"usage":{"prompt_tokens":1}}"#.to_owned()),
        event(r#"{"error":{}}"#.to_owned()),
        event(String::new()),
        event("[DONE]".to_owned()),
        ": comment\n".to_owned(),
        "event: error\n".to_owned(),
        "\u{feff}".to_owned(),
        r#"{"choices":[{"message":{"content":"whole"}}]}"#.to_owned(),
    ];
    prop_oneof![8 => prop::sample::select(fixed.to_vec()), 1 => "[ \r\n{}\\[:a\"]{0,6}"]
}

/// The order that every format has, and that all calls end last, in theirs.
fn assert_order(signals: &[Signal]) {
    quirks::assert_order(signals);
    let mut ended = 0;
    for signal in signals {
        match signal {
            Signal::CallEnd { index } => {
                assert_eq!(*index, ended, "{signals:?}");
                ended += 1;
            }
            Signal::ResponseEnd(_) => {}
            _ => assert_eq!(ended, 0, "said behind the calls' ends: {signals:?}"),
        }
    }
}

#[test]
fn recordings_byte_by_byte_and_with_every_line_end() {
    for bytes in recorded() {
        let expected = decode(&bytes);
        assert_order(&expected);
        assert_eq!(decode_chunks(bytes.chunks(1)), expected);
        for end in ["\r\n", "\r"] {
            let bytes = with_line_ends(&bytes, end);
            assert_eq!(decode(&bytes), expected, "{end:?}");
            assert_eq!(decode_chunks(bytes.chunks(1)), expected, "{end:?}");
        }
    }
}

#[test]
fn a_short_stream_cut_at_every_two_points() {
    let bytes = concat!(
        ": c\ndata:{\"choices\":[{\"delta\":{\"content\":\"é👍🏽\"}}]}\r\n\r\n",
        "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\r\r"
    )
    .as_bytes();
    let expected = decode(bytes);
    for one in 0..bytes.len() {
        for two in one..bytes.len() {
            let chunks = [&bytes[..one], &bytes[one..two], &bytes[two..]];
            assert_eq!(decode_chunks(chunks), expected, "cut at {one} and {two}");
        }
    }
}

#[test]
fn every_prefix_of_a_recording_has_an_order_and_an_end() {
    for bytes in recorded().into_iter().filter(|bytes| bytes.len() < 4_000) {
        for length in 0..bytes.len() {
            assert_order(&decode(&bytes[..length]));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn recordings_cut_anywhere(lengths in prop::collection::vec(1usize..200, 1..20), end in prop::sample::select(vec!["\n", "\r\n", "\r"])) {
        for bytes in recorded().into_iter().filter(|bytes| bytes.len() < 20_000) {
            let bytes = with_line_ends(&bytes, end);
            prop_assert_eq!(decode_chunks(cut(&bytes, &lengths)), decode(&bytes));
        }
    }

    #[test]
    fn any_stream_has_an_order_whatever_its_cuts(parts in prop::collection::vec(soup(), 0..12), lengths in prop::collection::vec(0usize..40, 1..8)) {
        prop_assume!(lengths.iter().any(|length| *length > 0));
        let bytes = parts.concat().into_bytes();
        let whole = decode(&bytes);
        assert_order(&whole);
        prop_assert_eq!(decode_chunks(cut(&bytes, &lengths)), whole);
    }

    #[test]
    fn any_bytes_have_an_order(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        assert_order(&decode(&bytes));
    }
}
