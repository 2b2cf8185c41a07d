//! Any bytes, cut anywhere: no panic, the same signals as from the whole, a start first and one
//! end last.

#![no_main]

use lastword::provider::auto::Decoder;
use lastword_fuzz::decode_restarted;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    decode_restarted(input, Decoder::new);
});
