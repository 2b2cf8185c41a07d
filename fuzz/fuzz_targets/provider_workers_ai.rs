//! Any bytes, cut anywhere: no panic, the same signals as from the whole, a start first and one
//! end last.

#![no_main]

use lastword::provider::workers_ai::Decoder;
use lastword_fuzz::decode_checked;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    decode_checked(input, Decoder::new);
});
