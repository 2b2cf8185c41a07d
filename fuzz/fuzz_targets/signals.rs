//! Any bytes, cut anywhere: no panic, the same signals as from the whole, a start first and one
//! end last. What was read is written and read again as the same.
//!
//! The first byte of the input is the chunk size, and the rest is the response.

#![no_main]

use lastword::provider::Decoder as _;
use lastword::provider::signals::{Decoder, encode};
use lastword::signal::Signal;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let [size, response @ ..] = input else { return };
    let whole = decode([response]);
    assert_eq!(whole, decode(response.chunks(1)));
    assert_eq!(whole, decode(response.chunks(usize::from(*size).max(1))));

    let is_end = |signal: &&Signal| matches!(signal, Signal::ResponseEnd(_) | Signal::Error(_));
    let is_start = |signal: &&Signal| matches!(signal, Signal::ResponseStart { .. });
    assert!(whole.first().is_some_and(|signal| is_start(&signal)));
    assert!(whole.last().is_some_and(|signal| is_end(&signal)));
    assert_eq!(whole.iter().filter(is_start).count(), 1);
    assert_eq!(whole.iter().filter(is_end).count(), 1);

    if matches!(whole.last(), Some(Signal::ResponseEnd(_))) {
        let written: String = whole.iter().map(encode).collect();
        assert_eq!(whole, decode([written.as_bytes()]));
    }
});

fn decode<'a>(chunks: impl IntoIterator<Item = &'a [u8]>) -> Vec<Signal> {
    let (mut decoder, mut signals) = (Decoder::new(), Vec::new());
    chunks.into_iter().for_each(|chunk| decoder.feed(chunk, &mut signals));
    decoder.finish(&mut signals);
    signals
}
