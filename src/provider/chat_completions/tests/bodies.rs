//! One JSON body where a stream was asked for.

use super::{decode, decode_chunks, end, said};
use crate::provider::Decoder as _;
use crate::provider::chat_completions::{Decoder, MAX_BODY};
use crate::signal::{Fault, Signal, Stop};

const ANSWER: &str = r#"{
  "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "m",
  "choices": [{
    "index": 0,
    "message": {
      "role": "assistant", "content": "Hi.", "refusal": null, "reasoning_content": "hm",
      "tool_calls": [
        {"id": "A", "type": "function", "function": {"name": "f", "arguments": "{}"}},
        {"id": "B", "type": "function", "function": {"name": "f", "arguments": "{}"}}
      ]
    },
    "finish_reason": "tool_calls"
  }],
  "usage": {"prompt_tokens": 3}
}
"#;

const SAID: &str = "reasoning hm\ntext Hi.\ncall 0 id=A name=f\ncall 0 args {}\ncall 1 id=B name=f\ncall 1 args {}\n\
    Usage(Usage { input: Some(3), output: None, total: None, reasoning: None, cached_input: None, cache_write: None })\n\
    call 0 end\ncall 1 end\n";

#[test]
fn a_whole_answer() {
    assert_eq!(said(ANSWER), SAID);
    assert_eq!(decode(ANSWER)[0], Signal::ResponseStart { model: Some("m".to_owned()) });
}

#[test]
fn a_whole_answer_behind_white_space_and_a_byte_order_mark() {
    assert_eq!(said(format!("\u{feff}\r\n\n  \t{ANSWER}")), SAID);
}

#[test]
fn white_space_before_a_body_fills_no_buffer() {
    let waiting = " ".repeat(3 << 20);
    assert_eq!(said(waiting + ANSWER), SAID);
}

#[test]
fn white_space_before_a_stream() {
    assert_eq!(said("\u{feff}data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\ndata: [DONE]\n\n"), "text a\n");
    assert_eq!(
        said("\r\n \n\t\t\ndata: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\ndata: [DONE]\n\n"),
        "text a\n"
    );
    assert_eq!(said("  data: nonsense\n\ndata: [DONE]\n\n"), "", "an unknown field");
}

#[test]
fn the_same_for_every_cut() {
    let bytes = format!("  \r\n{ANSWER}");
    for at in 0..bytes.len() {
        let (head, tail) = bytes.as_bytes().split_at(at);
        assert_eq!(decode_chunks([head, tail]), decode(&bytes), "cut at {at}");
    }
}

#[test]
fn a_message_without_a_finish_reason_is_whole_all_the_same() {
    assert_eq!(end(r#"{"choices":[{"message":{"content":"a"}}]}"#), Signal::ResponseEnd(Stop::Complete));
    assert_eq!(
        end(r#"{"choices":[{"message":{"content":"a"},"finish_reason":"length"}]}"#),
        Signal::ResponseEnd(Stop::Length)
    );
}

#[test]
fn an_error() {
    for body in [r#"{"error":{"message":"no"}}"#, r#"{"object":"error","message":"no"}"#, r#"{"error":"no"}"#] {
        assert_eq!(decode(body), [Signal::ResponseStart { model: None }, Signal::Error(Fault::Reported)], "{body}");
    }
}

#[test]
fn neither_answer_nor_error_is_malformed() {
    for body in
        ["{}", r#"{"detail":"no"}"#, r#"{"choices":[]}"#, r#"{"choices":[{"delta":{"content":"a"}}]}"#, "{} {}", "{x"]
    {
        assert_eq!(decode(body), [Signal::ResponseStart { model: None }, Signal::Error(Fault::Malformed)], "{body}");
    }
}

#[test]
fn half_a_body_is_cut() {
    let half = ANSWER.split_at(ANSWER.len() / 2).0;
    assert_eq!(decode(half), [Signal::ResponseStart { model: None }, Signal::Error(Fault::Cut)]);
}

#[test]
fn a_body_past_its_bound_is_malformed_at_once() {
    let (mut decoder, mut out) = (Decoder::new(), Vec::new());
    decoder.feed(b"{", &mut out);
    for _ in 0..MAX_BODY >> 16 {
        assert_eq!(out, []);
        decoder.feed(&[b' '; 1 << 16], &mut out);
    }
    decoder.finish(&mut out);
    assert_eq!(out, [Signal::ResponseStart { model: None }, Signal::Error(Fault::Malformed)]);
}
