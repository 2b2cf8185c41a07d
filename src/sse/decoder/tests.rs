//! One test for each rule of the format, then the limit and the cost.

use super::*;
use std::cell::Cell;

thread_local! {
    /// Bytes looked at or copied by this thread.
    pub(super) static TOUCHED: Cell<usize> = const { Cell::new(0) };
}

/// Event, data and id of each message of a stream, in one chunk; fed byte by byte it must say the
/// same.
fn decode(stream: impl AsRef<[u8]>) -> Vec<(String, String, String)> {
    let whole = decode_cut(stream.as_ref(), usize::MAX);
    assert_eq!(whole, decode_cut(stream.as_ref(), 1), "byte by byte");
    whole
}

fn decode_cut(stream: &[u8], size: usize) -> Vec<(String, String, String)> {
    let mut out = Vec::new();
    let mut decoder = Decoder::default();
    for chunk in stream.chunks(size) {
        decoder.feed(chunk, |m| out.push((m.event, m.data, m.id.to_string()))).unwrap();
    }
    decoder.finish();
    out
}

fn data(stream: impl AsRef<[u8]>) -> Vec<String> {
    decode(stream).into_iter().map(|(_, data, _)| data).collect()
}

fn fed(stream: &[u8]) -> Decoder {
    let mut decoder = Decoder::default();
    decoder.feed(stream, |_| {}).unwrap();
    decoder
}

#[test]
fn rule_1_one_leading_byte_order_mark_is_removed() {
    assert_eq!(data("\u{feff}data: a\n\n"), ["a"]);
    assert_eq!(data("\u{feff}\n\u{feff}data: a\n\n"), [""; 0], "only at the start of the stream");
    assert_eq!(data("\u{feff}\u{feff}data: a\ndata: b\n\n"), ["b"], "a second one is part of a name");
    assert_eq!(data("data: \u{feff}\n\n"), ["\u{feff}"], "inside a value it is text");
}

#[test]
fn rule_1_half_a_byte_order_mark_is_no_mark() {
    assert_eq!(data(b"\xef\xbbdata: a\ndata: b\n\n"), ["b"]);
    assert_eq!(data(b"\xef\xbb\xbedata: a\ndata: b\n\n"), ["b"]);
}

#[test]
fn rule_1_bytes_that_are_no_utf8_become_replacement_characters() {
    assert_eq!(data(b"data: a\xffb\n\n"), ["a\u{fffd}b"]);
    assert_eq!(data(b"data: \xe2\x82\n\n"), ["\u{fffd}"], "one for a character cut short");
    assert_eq!(data(b"data: \xe2\x82\xe2\x82\xac\n\n"), ["\u{fffd}\u{20ac}"]);
    assert_eq!(data(b"data: \xc0\xaf\n\n"), ["\u{fffd}\u{fffd}"], "overlong");
    assert_eq!(data(b"data: \xed\xa0\x80\n\n"), ["\u{fffd}\u{fffd}\u{fffd}"], "a surrogate");
    assert_eq!(decode(b"event: \xff\nid: \xfe\ndata: x\n\n"), [("\u{fffd}".into(), "x".into(), "\u{fffd}".into())]);
}

#[test]
fn rule_1_a_character_cut_by_a_chunk_is_whole() {
    assert_eq!(data("data: \u{1f980} é €\n\n"), ["\u{1f980} é €"]);
}

#[test]
fn rule_2_lines_end_with_lf_cr_or_crlf() {
    assert_eq!(data("data: a\n\ndata: b\n\n"), ["a", "b"]);
    assert_eq!(data("data: a\r\rdata: b\r\r"), ["a", "b"]);
    assert_eq!(data("data: a\r\n\r\ndata: b\r\n\r\n"), ["a", "b"]);
    assert_eq!(data("data: a\r\ndata: b\r\n\r\n"), ["a\nb"], "one end, no blank line");
    assert_eq!(data("data: a\ndata: b\rdata: c\r\n\ndata: d\n\r"), ["a\nb\nc", "d"]);
    assert_eq!(data("data: a\n\r\ndata: b\n\n"), ["a", "b"]);
}

#[test]
fn rule_2_a_crlf_that_two_chunks_share_is_one_end() {
    let mut out = Vec::new();
    let mut decoder = Decoder::default();
    for chunk in ["data: a\r", "\ndata: b\r", "\n\r", "\n", "data: c\n\n"] {
        decoder.feed(chunk.as_bytes(), |m| out.push(m.data)).unwrap();
        decoder.feed(b"", |_| panic!("nothing was fed")).unwrap();
    }
    assert_eq!(out, ["a\nb", "c"]);
}

#[test]
fn rule_2_a_lone_cr_gives_the_event_out_at_once() {
    let mut out = Vec::new();
    let mut decoder = Decoder::default();
    decoder.feed(b"data: a\r\r", |m| out.push(m.data)).unwrap();
    assert_eq!(out, ["a"], "held back until more comes");
    decoder.feed(b"\n\ndata: b\n\n", |m| out.push(m.data)).unwrap();
    assert_eq!(out, ["a", "b"]);
}

#[test]
fn rule_3_a_leading_colon_is_a_comment() {
    assert_eq!(data(": ping\n\n:\n\n:data: x\n\n"), [""; 0]);
    assert_eq!(data(": before\ndata: a\n: between\ndata: b\n:after\n\n"), ["a\nb"]);
}

#[test]
fn rule_3_a_line_without_a_colon_is_a_name() {
    assert_eq!(data("data\ndata\n\n"), ["\n"]);
    assert_eq!(data("dataa\n\n"), [""; 0]);
}

#[test]
fn rule_3_one_leading_space_of_the_value_is_removed() {
    assert_eq!(data("data:a\n\ndata: a\n\ndata:  a\n\n"), ["a", "a", " a"]);
    assert_eq!(data("data:\ta\n\ndata:\u{a0}a\n\ndata: a: b \n\n"), ["\ta", "\u{a0}a", "a: b "]);
}

#[test]
fn rule_4_data_lines_are_joined_with_lf() {
    assert_eq!(data("data: a\ndata: b\ndata:\ndata: c\n\n"), ["a\nb\n\nc"]);
}

#[test]
fn rule_4_an_empty_data_field_is_an_event() {
    assert_eq!(data("data\n\ndata:\n\ndata: \n\n"), ["", "", ""]);
}

#[test]
fn rule_4_without_data_there_is_no_event_and_the_name_is_reset() {
    let plain = ("message".to_owned(), "x".to_owned(), String::new());
    assert_eq!(decode("event: a\n\n\n\ndata: x\n\n"), [plain]);
}

#[test]
fn rule_5_the_last_name_wins_and_holds_for_one_event() {
    let names: Vec<_> = decode("event: longer\nevent: b\ndata\n\ndata\n\nevent: c\nevent\ndata\n\n")
        .into_iter()
        .map(|(event, ..)| event)
        .collect();
    assert_eq!(names, ["b", "message", "message"]);
}

#[test]
fn rule_6_an_id_holds_until_the_next() {
    let ids = |stream: &str| decode(stream).into_iter().map(|(.., id)| id).collect::<Vec<_>>();
    assert_eq!(ids("data\n\nid: 1\ndata\n\ndata\n\nid: 22\nid: 2\ndata\n\n"), ["", "1", "1", "2"]);
    assert_eq!(ids("id: 1\ndata\n\nid\ndata\n\nid: 2\ndata\n\nid:\ndata\n\n"), ["1", "", "2", ""]);
}

#[test]
fn rule_6_an_id_with_a_nul_is_ignored() {
    let ids: Vec<_> = decode("id: 1\nid: 2\0\ndata\n\nid: \0\ndata\n\n").into_iter().map(|(.., id)| id).collect();
    assert_eq!(ids, ["1", "1"]);
}

#[test]
fn rule_6_an_id_takes_effect_when_its_block_ends_even_without_data() {
    assert_eq!(fed(b"id: 1\n\nid: 2\n").last_id(), "1");
    assert_eq!(decode("id: 1\n\ndata\n\n"), [("message".into(), String::new(), "1".into())]);
}

#[test]
fn rule_7_a_retry_is_ascii_digits_only() {
    assert_eq!(fed(b"data: x\n\n").retry(), None);
    assert_eq!(fed(b"retry: 1500\n").retry(), Some(1500), "at once, not when the block ends");
    assert_eq!(fed(b"retry:007\n").retry(), Some(7));
    for bad in ["", "+5", "-5", "1.5", "5s", " 5", "0x5", "\u{665}", "99999999999999999999"] {
        let stream = format!("retry: 3\nretry: {bad}\n");
        assert_eq!(fed(stream.as_bytes()).retry(), Some(3), "{bad:?}");
    }
}

#[test]
fn rule_7_unknown_fields_are_ignored() {
    assert_eq!(data("Data: a\n data: b\ndata : c\nid data: d\ndata: e\nfoo\n\n"), ["e"]);
}

#[test]
fn rule_8_the_unterminated_block_is_discarded() {
    assert_eq!(data("data: a\n\ndata: b\n"), ["a"]);
    assert_eq!(data("data: a\n\ndata: b"), ["a"]);
}

#[test]
fn rule_8_a_decoder_is_as_new_after_the_end_and_keeps_the_last_id() {
    let mut decoder = fed(b"retry: 5\nid: 1\ndata: a\n\nid: 2\nevent: x\ndata: b\ndata: c\r");
    decoder.finish();
    let mut out = Vec::new();
    decoder.feed("\n\u{feff}\n\n".as_bytes(), |m| out.push(m)).unwrap();
    decoder.finish();
    decoder.feed("\u{feff}data: d\n\n".as_bytes(), |m| out.push(m)).unwrap();
    assert_eq!(out, [Message { event: "message".into(), data: "d".into(), id: "1".into() }]);
    assert_eq!(decoder.retry(), Some(5));
}

#[test]
fn rule_9_nothing_else_ends_a_line() {
    for text in ["a\u{2028}b", "a\u{2029}b", "a\u{85}b", "a\u{b}b", "a\u{c}b", "a\0b", "\0"] {
        assert_eq!(data(format!("data: {text}\n\n")), [text]);
    }
}

#[test]
fn several_events_of_one_chunk_all_arrive_in_order() {
    let stream: String = (0..1000).map(|n| format!("data: {n}\n\n")).collect();
    assert_eq!(data(stream), (0..1000).map(|n| n.to_string()).collect::<Vec<_>>());
}

#[test]
fn an_event_of_the_limit_passes_and_one_byte_more_is_an_error() {
    // Held at most, while the second line is unfinished: "abc" and its LF, and the 10 of the line.
    let stream = b"id: 1\ndata: first\n\ndata: abc\ndata: defg\n\n";
    for size in 1..=stream.len() {
        for (limit, good) in [(15, true), (14, true), (13, false)] {
            let mut out = Vec::new();
            let mut decoder = Decoder::new(limit);
            let result = stream.chunks(size).try_for_each(|chunk| decoder.feed(chunk, |m| out.push(m.data)));
            assert_eq!(result.is_ok(), good, "limit {limit}, chunks of {size}");
            let expected: &[&str] = if good { &["first", "abc\ndefg"] } else { &["first"] };
            assert_eq!(out, expected, "limit {limit}, chunks of {size}");
        }
    }
}

#[test]
fn every_field_and_a_comment_count_towards_the_limit() {
    for line in ["data: 7890", "event: 890", "id: 567890", "retry: 890", ": 34567890", "unknown890"] {
        let mut decoder = Decoder::new(9);
        assert_eq!(decoder.feed(line.as_bytes(), |_| {}).unwrap_err().kind(), ErrorKind::UpstreamMalformed, "{line}");
    }
    let mut decoder = Decoder::new(20);
    let stream = b"id: 567890\nevent: 890\ndata: 7890\n";
    assert!(decoder.feed(stream, |_| {}).is_ok(), "6 + 3 + 10 bytes");
    assert!(decoder.feed(b": 3456789\n", |_| {}).is_err(), "6 + 3 + 5 + 9 bytes");
}

#[test]
fn what_is_not_held_does_not_count() {
    let mut decoder = Decoder::new(16);
    for _ in 0..1000 {
        decoder.feed(b": ping\nevent: xyz\nid: 12\nretry: 5\n", |_| {}).unwrap();
    }
}

#[test]
fn a_decoder_past_its_limit_is_dead() {
    let mut decoder = Decoder::new(8);
    let first = decoder.feed(b"data: 789\n\n", |_| panic!("too large")).unwrap_err();
    for stream in ["\n\n", "data: x\n\n", ""] {
        assert_eq!(decoder.feed(stream.as_bytes(), |_| panic!("dead")).unwrap_err(), first);
        decoder.finish();
    }
}

/// Bytes looked at or copied while decoding a stream in chunks of a size.
fn cost(stream: &[u8], size: usize) -> usize {
    let before = TOUCHED.get();
    assert!(!decode_cut(stream, size).is_empty());
    TOUCHED.get() - before
}

#[test]
fn every_byte_is_touched_a_bounded_number_of_times() {
    let long_line = [b"data: ".as_slice(), &vec![b'x'; 8 << 20], b"\n\n"].concat();
    let many_lines = ["data: x\n".repeat(1 << 17).as_bytes(), b"\n"].concat();
    let long_id = [b"id: ".as_slice(), &vec![b'i'; 1 << 20], b"\n", "data: x\n\n".repeat(1000).as_bytes()].concat();
    let colons = [b"data: ".as_slice(), &vec![b':'; 1 << 20], b"\n\n"].concat();
    let replaced = ["event: xyz\nid: 1\n".repeat(1 << 16).as_bytes(), b"data\n\n"].concat();
    for stream in [long_line, many_lines, colons, replaced] {
        for size in [1024, 4096, usize::MAX] {
            assert!(cost(&stream, size) <= 4 * stream.len(), "chunks of {size}");
        }
    }
    // Here the test itself copies each message's id, so it asks the decoder alone.
    let before = TOUCHED.get();
    let mut decoder = Decoder::default();
    long_id.chunks(1024).for_each(|chunk| decoder.feed(chunk, drop).unwrap());
    assert!(TOUCHED.get() - before <= 4 * long_id.len());
}

#[test]
fn a_long_id_is_shared_and_not_copied() {
    let mut ids = Vec::new();
    Decoder::default().feed(b"id: 1\ndata\n\ndata\n\n", |m| ids.push(m.id)).unwrap();
    assert!(Arc::ptr_eq(&ids[0], &ids[1]));
}

#[test]
fn the_room_of_a_large_line_is_given_back() {
    let mut decoder = Decoder::default();
    decoder.feed(&vec![b':'; 1 << 20], drop).unwrap();
    decoder.feed(b"\n", drop).unwrap();
    assert!(decoder.line.capacity() <= KEPT_BYTES);
}
