//! How a stream ends, and what lies between its events.

use super::{decode, delta, end, lines, said, stream};
use crate::provider::Decoder as _;
use crate::provider::chat_completions::{Decoder, MAX_EVENT};
use crate::signal::{Fault, Signal, Stop};

const REPORTED: Signal = Signal::Error(Fault::Reported);
const MALFORMED: Signal = Signal::Error(Fault::Malformed);
const CUT: Signal = Signal::Error(Fault::Cut);

fn finish(reason: &str) -> String {
    format!(r#"{{"choices":[{{"index":0,"delta":{{}},"finish_reason":{reason}}}]}}"#)
}

fn hello() -> String {
    delta(r#"{"content":"hello"}"#)
}

#[test]
fn finish_reasons() {
    let known = [
        (r#""stop""#, Stop::Complete),
        (r#""tool_calls""#, Stop::Complete),
        (r#""function_call""#, Stop::Complete),
        (r#""end_turn""#, Stop::Complete),
        (r#""length""#, Stop::Length),
        (r#""MAX_TOKENS""#, Stop::Length),
        (r#""model_length""#, Stop::Length),
        (r#""content_filter""#, Stop::ContentFilter),
        (r#""SAFETY""#, Stop::ContentFilter),
    ];
    for (reason, stop) in known {
        assert_eq!(end(stream(&[&hello(), &finish(reason), "[DONE]"])), Signal::ResponseEnd(stop), "{reason}");
    }
}

#[test]
fn finish_reason_beside_content_keeps_the_content() {
    let both = r#"{"choices":[{"delta":{"content":"bye"},"finish_reason":"length"}]}"#;
    assert_eq!(said(stream(&[both])), "text bye\n");
    assert_eq!(end(stream(&[both])), Signal::ResponseEnd(Stop::Length));
}

#[test]
fn finish_reason_at_top_level() {
    assert_eq!(
        end(stream(&[&hello(), r#"{"choices":[],"finish_reason":"length"}"#])),
        Signal::ResponseEnd(Stop::Length)
    );
}

#[test]
fn null_and_empty_finish_reasons_are_no_end() {
    for reason in ["null", r#""""#] {
        assert_eq!(end(stream(&[&hello(), &finish(reason)])), CUT, "{reason}");
    }
    let revoked = stream(&[&hello(), &finish(r#""length""#), &finish(r#""""#)]);
    assert_eq!(end(revoked), Signal::ResponseEnd(Stop::Length));
}

#[test]
fn an_error_as_finish_reason_is_reported_at_once() {
    for reason in [r#""error""#, r#""abort""#, r#""insufficient_system_resource""#] {
        let signals = decode(stream(&[&hello(), &finish(reason), &hello(), "[DONE]"]));
        assert_eq!(lines(&signals[1..]), "text hello\nError(Reported)\n", "{reason}");
    }
}

#[test]
fn a_missing_end_mark_after_a_finish_reason_is_an_end() {
    assert_eq!(end(stream(&[&hello(), &finish(r#""stop""#)])), Signal::ResponseEnd(Stop::Complete));
}

#[test]
fn an_end_mark_without_a_finish_reason_is_an_end() {
    assert_eq!(end(stream(&[&hello(), "[DONE]"])), Signal::ResponseEnd(Stop::Complete));
}

#[test]
fn neither_is_a_cut() {
    assert_eq!(end(stream(&[&hello()])), CUT);
    assert_eq!(decode(""), [Signal::ResponseStart { model: None }, CUT]);
    assert_eq!(end(": only comments\n\n"), CUT);
}

#[test]
fn the_end_waits_for_the_end_mark_and_nothing_follows_it() {
    let (mut decoder, mut out) = (Decoder::new(), Vec::new());
    decoder.feed(stream(&[&hello(), &finish(r#""stop""#)]).as_bytes(), &mut out);
    assert_eq!(lines(&out[1..]), "text hello\n", "usage may follow");
    decoder.feed(stream(&["[DONE]"]).as_bytes(), &mut out);
    assert_eq!(out.last(), Some(&Signal::ResponseEnd(Stop::Complete)));
    let told = out.len();
    decoder.feed(stream(&[&hello(), r#"{"error":{}}"#, "[DONE]", "nonsense"]).as_bytes(), &mut out);
    decoder.finish(&mut out);
    assert_eq!(out.len(), told);
}

#[test]
fn finish_may_be_called_again() {
    let (mut decoder, mut out) = (Decoder::new(), Vec::new());
    decoder.finish(&mut out);
    decoder.finish(&mut out);
    assert_eq!(out, [Signal::ResponseStart { model: None }, CUT]);
}

#[test]
fn errors_after_http_200() {
    let list = [
        r#"{"error":{"code":502,"message":"overloaded"}}"#,
        r#"{"error":"overloaded"}"#,
        r#"{"id":"x","error":{"message":"m"},"choices":[{"index":0,"delta":{"content":"late"},"finish_reason":"error"}]}"#,
        r#"{"choices":[{"index":0,"delta":{},"error":{"code":500}}]}"#,
        r#"{"object":"error","message":"out of memory","code":400}"#,
    ];
    for error in list {
        let signals = decode(stream(&[&hello(), error, &finish(r#""stop""#), "[DONE]"]));
        assert_eq!(lines(&signals[1..]), "text hello\nError(Reported)\n", "{error}");
    }
    assert_eq!(decode(stream(&[list[0]])), [Signal::ResponseStart { model: None }, REPORTED]);
}

#[test]
fn an_error_field_without_an_error_is_none() {
    for none in [r#"{"error":null}"#, r#"{"error":""}"#, r#"{"error":false}"#] {
        assert_eq!(end(stream(&[none, "[DONE]"])), Signal::ResponseEnd(Stop::Complete), "{none}");
    }
}

#[test]
fn an_event_named_error_is_reported() {
    assert_eq!(end("event: error\ndata: {\"message\":\"no\"}\n\ndata: [DONE]\n\n"), REPORTED);
    assert_eq!(end("event: chunk\ndata: {}\n\ndata: [DONE]\n\n"), Signal::ResponseEnd(Stop::Complete));
}

#[test]
fn pings_say_nothing() {
    let bytes = format!("data:\n\ndata: \n\ndata\n\ndata: \"\"\n\ndata: null\n\ndata: {}\n\ndata: [DONE]\n\n", hello());
    assert_eq!(said(bytes), "text hello\n");
}

#[test]
fn comments_with_and_without_a_blank_line_say_nothing() {
    let bytes = format!(": PROCESSING\n\n:\n: x=1\ndata: {}\n: between\n\n: keepalive\n\ndata: [DONE]\n\n", hello());
    assert_eq!(said(bytes), "text hello\n");
}

#[test]
fn no_space_after_the_field_name() {
    assert_eq!(said(format!("data:{}\n\ndata:[DONE]\n\n", hello())), "text hello\n");
}

#[test]
fn separators_that_only_some_parsers_split_at_stay_text() {
    assert_eq!(said(stream(&[&delta("{\"content\":\"a\u{2028}b\u{85}c\"}"), "[DONE]"])), "text a\u{2028}b\u{85}c\n");
}

#[test]
fn data_that_is_no_json_object_is_malformed() {
    for data in ["{\"choices\":[", "nonsense", "[]", "1", "\"ping\"", "[done]", ": PING", "{}{}"] {
        let signals = decode(stream(&[&hello(), data, "[DONE]"]));
        assert_eq!(lines(&signals[1..]), "text hello\nError(Malformed)\n", "{data}");
    }
}

#[test]
fn content_that_is_no_text_is_malformed() {
    assert_eq!(end(stream(&[&delta(r#"{"content":7}"#), "[DONE]"])), MALFORMED);
}

#[test]
fn nesting_without_end_is_malformed() {
    assert_eq!(end(stream(&[&format!("{{\"choices\":{}", "[".repeat(100_000)), "[DONE]"])), MALFORMED);
}

#[test]
fn an_event_past_its_bound_is_malformed() {
    let frame = |length: usize| {
        let empty = delta(r#"{"content":""}"#).len() + "data: ".len();
        stream(&[&delta(&format!(r#"{{"content":"{}"}}"#, "x".repeat(length - empty))), "[DONE]"])
    };
    assert_eq!(end(frame(MAX_EVENT)), Signal::ResponseEnd(Stop::Complete));
    assert_eq!(end(frame(MAX_EVENT + 1)), MALFORMED);
}

#[test]
fn an_event_past_its_bound_is_malformed_before_it_ends() {
    let (mut decoder, mut out) = (Decoder::new(), Vec::new());
    decoder.feed(b"data: ", &mut out);
    for _ in 0..17 {
        decoder.feed(&[b'x'; 64 << 10], &mut out);
    }
    assert_eq!(out, [Signal::ResponseStart { model: None }, MALFORMED]);
}

#[test]
fn of_two_finish_reasons_the_graver_holds() {
    let list = [
        ("stop", "length", Stop::Length),
        ("length", "stop", Stop::Length),
        ("content_filter", "stop", Stop::ContentFilter),
        ("length", "content_filter", Stop::ContentFilter),
        ("content_filter", "length", Stop::ContentFilter),
        ("stop", "tool_calls", Stop::Complete),
    ];
    for (first, second, expected) in list {
        let bytes = stream(&[&finish(&format!("{first:?}")), &finish(&format!("{second:?}")), "[DONE]"]);
        assert_eq!(end(bytes), Signal::ResponseEnd(expected), "{first} then {second}");
    }
}

#[test]
fn what_can_begin_neither_an_event_nor_a_body_is_malformed_at_once() {
    for first in ["<html>", "[{}]", "\"text\"", "\u{1f}\u{8b}", "\0"] {
        let (mut decoder, mut out) = (Decoder::new(), Vec::new());
        decoder.feed(first.as_bytes(), &mut out);
        assert_eq!(out, [Signal::ResponseStart { model: None }, MALFORMED], "{first:?}");
    }
}

#[test]
fn whether_the_response_has_finished_is_known_before_its_end() {
    let (mut decoder, mut out) = (Decoder::new(), Vec::new());
    decoder.feed(stream(&[&hello()]).as_bytes(), &mut out);
    assert!(!decoder.has_finished());
    decoder.feed(stream(&[&finish(r#""stop""#)]).as_bytes(), &mut out);
    assert!(decoder.has_finished());
}
