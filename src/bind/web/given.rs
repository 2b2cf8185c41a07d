//! An upstream that the host gives: its own function, or a stream that it has.

use super::platform::Result;
use crate::run::{Input, ModelCall};
use js_sys::{Promise, Uint8Array};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::AbortSignal;

#[wasm_bindgen]
extern "C" {
    /// The upstream: `open(body, { signal, run, thread, call })` gives a promise of a stream, or of the HTTP status with
    /// which the upstream refused.
    #[derive(Clone)]
    pub type Given;

    #[wasm_bindgen(method, catch)]
    fn open(this: &Given, body: &Uint8Array, signal: Option<&AbortSignal>, call: u32, run: &str) -> Result<Promise>;

    /// Its stream: `next()` gives a promise of the next bytes, or of nothing at its end.
    pub type Opened;

    #[wasm_bindgen(method, catch)]
    fn next(this: &Opened) -> Result<Promise>;

    #[wasm_bindgen(method, catch)]
    fn cancel(this: &Opened) -> Result<()>;
}

/// An open stream. Dropped, it is read no further.
pub struct Stream(Opened);

impl Drop for Stream {
    fn drop(&mut self) {
        let _ = self.0.cancel();
    }
}

/// Opens a model call's stream; what the run is told instead where there is none.
pub async fn open(
    given: &Given,
    body: &[u8],
    signal: Option<&AbortSignal>,
    call: ModelCall,
    run: &str,
) -> std::result::Result<Stream, Input> {
    let opened = async { JsFuture::from(given.open(&Uint8Array::from(body), signal, call, run)?).await };
    let opened = opened.await.map_err(|_| Input::Unreachable(call))?;
    match opened.as_f64() {
        Some(status) => Err(Input::Refused(call, status as u16)),
        None => Ok(Stream(opened.unchecked_into())),
    }
}

/// The next bytes of a stream; nothing at its end, and where it breaks.
pub async fn next(stream: &Stream) -> Option<Vec<u8>> {
    let next = async { JsFuture::from(stream.0.next()?).await };
    let value: JsValue = next.await.ok()?;
    value.dyn_ref::<Uint8Array>().map(Uint8Array::to_vec)
}
