//! Providers' streams for `js/lastword/decode.mjs`: bytes in, signals as JSON out, once a chunk.

use super::port::{self, Slots};
use crate::provider::{Decoder, Format, Options, signals};
use crate::signal::Signal;
use crate::{Error, ErrorKind};
use std::cell::RefCell;
use wasm_bindgen::prelude::wasm_bindgen;

thread_local! {
    static DECODERS: RefCell<Slots<Box<dyn Decoder>>> = const { RefCell::new(Slots::new()) };
}

/// A decoder of one response of the format whose name is in the input: its handle, or an error.
#[wasm_bindgen]
pub fn decode_new(length: u32, thinking_tags: bool) -> i32 {
    let options = Options { thinking_tags, ..Options::default() };
    let unknown = || Error::with(ErrorKind::InvalidInput, format!("The formats are {}.", Format::NAMES.join(", ")));
    let format = Format::named(&port::text(length)).ok_or_else(unknown);
    port::number(format.map(|format| DECODERS.with_borrow_mut(|all| all.add(format.decoder_with(options)))))
}

/// Ends a decoder. Its handle may be given to another.
#[wasm_bindgen]
pub fn decode_free(handle: u32) {
    DECODERS.with_borrow_mut(|decoders| decoders.take(handle));
}

/// What so many bytes of the input say: a JSON array, or nothing.
#[wasm_bindgen]
pub fn decode_push(handle: u32, length: u32) -> i32 {
    said(handle, |decoder, out| port::with(|port| decoder.feed(port.bytes(length), out)))
}

/// What is still due now that the stream is over: a JSON array, or nothing.
#[wasm_bindgen]
pub fn decode_end(handle: u32) -> i32 {
    said(handle, |decoder, out| decoder.finish(out))
}

/// The format that the first bytes were of, if it was to be told by them; else nothing.
#[wasm_bindgen]
pub fn decode_format(handle: u32) -> i32 {
    let format = DECODERS.with_borrow_mut(|decoders| decoders.get(handle).map(|decoder| decoder.format()));
    port::answer(format.ok_or_else(port::gone).map(|format| format.map_or("", Format::name).to_owned()))
}

fn said(handle: u32, work: impl FnOnce(&mut dyn Decoder, &mut Vec<Signal>)) -> i32 {
    let signals = DECODERS.with_borrow_mut(|decoders| {
        let decoder = decoders.get(handle)?;
        let mut out = Vec::new();
        work(decoder.as_mut(), &mut out);
        Some(out)
    });
    port::answer(signals.ok_or_else(port::gone).map(|signals| list(signals.iter().map(signals::object))))
}

/// Items as a JSON array; nothing if there is none.
pub fn list(mut items: impl Iterator<Item = String>) -> String {
    let Some(first) = items.next() else { return String::new() };
    let mut text = format!("[{first}");
    for item in items {
        text.push(',');
        text.push_str(&item);
    }
    text.push(']');
    text
}
