//! What the targets of decoders share.

use lastword::provider::Decoder;
use lastword::signal::Signal;

/// Decodes a response whole and in pieces; the first byte of the input is their size, the rest the
/// response. Gives the signals; none for an empty input.
///
/// # Panics
/// If the pieces give other signals, or there is not one start, first, and one end, last.
pub fn decode_checked<D: Decoder>(input: &[u8], decoder: fn() -> D) -> Option<Vec<Signal>> {
    let whole = decode_restarted(input, decoder)?;
    assert_eq!(whole.iter().filter(is_start).count(), 1);
    Some(whole)
}

/// The same for a format in which a response may be begun anew, so that there may be more than one start.
///
/// # Panics
/// If the pieces give other signals, or there is not a start first, and one end, last.
pub fn decode_restarted<D: Decoder>(input: &[u8], decoder: fn() -> D) -> Option<Vec<Signal>> {
    let [size, response @ ..] = input else { return None };
    let whole = decode([response], decoder());
    assert_eq!(whole, decode(response.chunks(1), decoder()));
    assert_eq!(whole, decode(response.chunks(usize::from(*size).max(1)), decoder()));

    let is_end = |signal: &&Signal| matches!(signal, Signal::ResponseEnd(_) | Signal::Error(_));
    assert!(whole.first().is_some_and(|signal| is_start(&signal)));
    assert!(whole.last().is_some_and(|signal| is_end(&signal)));
    assert_eq!(whole.iter().filter(is_end).count(), 1);
    Some(whole)
}

/// The signals of a response that comes in these pieces.
pub fn decode<'a>(chunks: impl IntoIterator<Item = &'a [u8]>, mut decoder: impl Decoder) -> Vec<Signal> {
    let mut signals = Vec::new();
    chunks.into_iter().for_each(|chunk| decoder.feed(chunk, &mut signals));
    decoder.finish(&mut signals);
    signals
}

fn is_start(signal: &&Signal) -> bool {
    matches!(signal, Signal::ResponseStart { .. })
}
