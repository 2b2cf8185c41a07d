//! Any bytes, cut anywhere: no panic, and the same messages as from the whole.
//!
//! The first byte of the input is the chunk size, the second the limit of an event, and the rest
//! is the stream.

#![no_main]

use lastword::sse::{Decoder, Frame, MAX_EVENT_BYTES, Message};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let [size, limit, stream @ ..] = input else { return };
    let size = usize::from(*size).max(1);
    for limit in [usize::from(*limit), MAX_EVENT_BYTES] {
        let whole = decode([stream], limit);
        assert_eq!(whole, decode(stream.chunks(1), limit));
        assert_eq!(whole, decode(stream.chunks(size), limit));
        whole.messages.iter().for_each(encodes);
    }
});

#[derive(Debug, PartialEq)]
struct Said {
    messages: Vec<Message>,
    failed: bool,
    last_id: String,
    retry: Option<u64>,
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

/// What was decoded encodes to one frame that decodes to the same. Only a name with a NUL, which
/// the encoder refuses, does not.
fn encodes(message: &Message) {
    let frame =
        Frame { id: Some(message.id.to_string()), event: Some(message.event.clone()), data: message.data.clone() };
    match frame.to_bytes() {
        Ok(bytes) => assert_eq!(decode([bytes.as_slice()], usize::MAX).messages, std::slice::from_ref(message)),
        Err(_) => assert!(message.event.contains('\0')),
    }
}
