//! Properties of the decoder, and of encoder and decoder together.

use super::*;
use proptest::collection::vec;
use proptest::prelude::*;

/// A stream out of parts that mean something to the format, every line end, and any bytes.
fn stream() -> impl Strategy<Value = Vec<u8>> {
    let fixed: &[&[u8]] = &[
        b"data",
        b"data: ",
        b"data:",
        b"event: ",
        b"id: ",
        b"id",
        b"retry: 12",
        b": ",
        b":",
        b" ",
        b"x",
        b"\0",
        b"\n",
        b"\r",
        b"\r\n",
        b"\n\n",
        b"\r\r",
        b"\r\n\r\n",
        b"\xef\xbb\xbf",
        b"\xef\xbb",
        b"\xe2\x82\xac",
        b"\xe2",
        b"\x82",
        b"\xf0\x9f\xa6\x80",
        b"\xff",
        b"\xe2\x80\xa8",
        b"\xc2\x85",
    ];
    let part = prop_oneof![
        8 => proptest::sample::select(fixed.to_vec()).prop_map(<[u8]>::to_vec),
        1 => vec(any::<u8>(), 0..6),
    ];
    vec(part, 0..60).prop_map(|parts| parts.concat())
}

/// What a decoder says: the messages, how it ended, and what it remembers.
#[derive(Debug, PartialEq)]
struct Said {
    messages: Vec<Message>,
    failed: bool,
    last_id: String,
    retry: Option<crate::Millis>,
}

fn decode<'a>(chunks: impl IntoIterator<Item = &'a [u8]>, limit: usize) -> Said {
    let mut messages = Vec::new();
    let mut decoder = Decoder::new(limit);
    let mut failed = false;
    for chunk in chunks {
        failed |= decoder.feed(chunk, |message| messages.push(message)).is_err();
    }
    decoder.finish();
    Said { messages, failed, last_id: decoder.last_id().to_owned(), retry: decoder.retry() }
}

/// Cuts at the sizes given, over and over; a size of 0 is an empty chunk.
fn cut<'a>(mut bytes: &'a [u8], sizes: &[usize]) -> Vec<&'a [u8]> {
    let mut chunks = Vec::new();
    for size in sizes.iter().chain(&[1]).cycle() {
        if bytes.is_empty() {
            break;
        }
        let (chunk, rest) = bytes.split_at(bytes.len().min(*size));
        chunks.push(chunk);
        bytes = rest;
    }
    chunks
}

/// The standard's rules in the order it states them, on the whole text at once.
fn by_the_book(stream: &[u8]) -> Said {
    let text = String::from_utf8_lossy(stream);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text).replace("\r\n", "\n").replace('\r', "\n");
    let mut said = Said { messages: Vec::new(), failed: false, last_id: String::new(), retry: None };
    let (mut data, mut event, mut id) = (String::new(), String::new(), String::new());
    let ended = text.rfind('\n').map_or("", |end| &text[..end]);
    for line in ended.split('\n').filter(|_| text.contains('\n')) {
        if line.is_empty() {
            said.last_id = id.clone();
            if !data.is_empty() {
                let event = if event.is_empty() { "message".into() } else { event.clone() };
                let data = data[..data.len() - 1].to_owned();
                said.messages.push(Message { event, data, id: said.last_id.as_str().into() });
            }
            data.clear();
            event.clear();
            continue;
        }
        let (name, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match name {
            "data" => data = data + value + "\n",
            "event" => event = value.to_owned(),
            "id" if !value.contains('\0') => id = value.to_owned(),
            "retry" if value.bytes().all(|b| b.is_ascii_digit()) => said.retry = value.parse().ok().or(said.retry),
            _ => {}
        }
    }
    said
}

/// A payload as a client sees it: every line end is LF.
fn normalized(data: &str) -> String {
    data.replace("\r\n", "\n").replace('\r', "\n")
}

fn frame() -> impl Strategy<Value = Frame> {
    let name = || proptest::option::of("[^\r\n\0]{0,12}");
    let data = prop_oneof![any::<String>(), "[ a:\r\n\u{2028}\u{feff}\0]{0,20}"];
    (name(), name(), data).prop_map(|(id, event, data)| Frame { id, event, data })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn any_chunking_says_the_same(stream in stream(), sizes in vec(0usize..9, 0..8), limit in prop_oneof![0usize..40, Just(MAX_EVENT_BYTES)]) {
        let whole = decode([stream.as_slice()], limit);
        prop_assert_eq!(&whole, &decode(stream.chunks(1), limit));
        prop_assert_eq!(&whole, &decode(cut(&stream, &sizes), limit));
    }

    #[test]
    fn the_decoder_says_what_the_standard_says(stream in stream()) {
        prop_assert_eq!(decode([stream.as_slice()], MAX_EVENT_BYTES), by_the_book(&stream));
    }

    #[test]
    fn what_is_encoded_is_decoded(frames in vec(frame(), 0..8), sizes in vec(0usize..9, 0..8)) {
        let mut bytes = Vec::new();
        let mut expected = Vec::new();
        let mut last_id = String::new();
        for frame in &frames {
            frame.encode(&mut bytes).unwrap();
            bytes.extend_from_slice(PING);
            last_id = frame.id.clone().unwrap_or(last_id);
            let event = frame.event.clone().filter(|name| !name.is_empty()).unwrap_or("message".into());
            expected.push(Message { event, data: normalized(&frame.data), id: last_id.as_str().into() });
        }
        prop_assert!(!bytes.contains(&b'\r') && std::str::from_utf8(&bytes).is_ok());
        prop_assert_eq!(decode(cut(&bytes, &sizes), MAX_EVENT_BYTES).messages, expected);
    }
}

#[test]
fn the_headers_keep_proxies_from_holding_the_stream() {
    let value = |name: &str| RESPONSE_HEADERS.iter().find(|(n, _)| *n == name).map(|(_, value)| *value);
    assert!(value("content-type").is_some_and(|v| v.split(';').next() == Some(MEDIA_TYPE)));
    assert_eq!(value("cache-control"), Some("no-cache, no-transform"));
    assert_eq!(value("x-accel-buffering"), Some("no"));
}
