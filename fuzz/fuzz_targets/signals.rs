//! Any bytes, cut anywhere: no panic, the same signals as from the whole, a start first and one
//! end last. What was read is written and read again as the same.

#![no_main]

use lastword::provider::signals::{Decoder, encode};
use lastword::signal::Signal;
use lastword_fuzz::{decode, decode_checked};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let Some(whole) = decode_checked(input, Decoder::new) else { return };
    if matches!(whole.last(), Some(Signal::ResponseEnd(_))) {
        let written: String = whole.iter().map(encode).collect();
        assert_eq!(whole, decode([written.as_bytes()], Decoder::new()));
    }
});
