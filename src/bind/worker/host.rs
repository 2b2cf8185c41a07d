//! The request that a run lives in where no object owns its thread: the platform ends it some time after
//! its client has gone.

use super::platform::{self, Result, now};
use crate::Millis;
use std::cell::Cell;
use std::rc::Rc;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::{Closure, wasm_bindgen};
use web_sys::Request;
use worker_sys::Context;

/// How long the platform lets work go on once its client has gone, or has had the whole response.
const ALONE: Millis = 30_000;

#[wasm_bindgen]
extern "C" {
    /// An `AbortSignal`.
    type Signal;

    #[wasm_bindgen(method, getter)]
    fn aborted(this: &Signal) -> bool;

    #[wasm_bindgen(method, js_name = addEventListener)]
    fn add(this: &Signal, kind: &str, then: &Closure<dyn FnMut()>);

    #[wasm_bindgen(method, js_name = removeEventListener)]
    fn remove(this: &Signal, kind: &str, then: &Closure<dyn FnMut()>);
}

/// A request, and what keeps its work going.
pub struct Host {
    context: Context,
    signal: Signal,
    /// When the client went.
    gone: Rc<Cell<Option<Millis>>>,
    listener: Closure<dyn FnMut()>,
}

impl Host {
    /// The host that a request is.
    pub fn new(request: &Request, context: Context) -> Self {
        let signal: Signal = JsValue::from(request.signal()).into();
        let gone = Rc::new(Cell::new(signal.aborted().then(now)));
        let left = gone.clone();
        let listener = Closure::new(move || left.set(Some(now())));
        signal.add("abort", &listener);
        Host { context, signal, gone, listener }
    }

    /// Lets work go on behind the response too.
    pub fn keep(&self, work: impl Future<Output = ()> + 'static) -> Result<()> {
        self.context.wait_until(&platform::promise(async move {
            work.await;
            Ok(JsValue::UNDEFINED)
        }))
    }

    /// When the platform ends the work, once that is known.
    pub fn ends(&self) -> Option<Millis> {
        self.gone.get().map(|gone| gone + ALONE)
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        self.signal.remove("abort", &self.listener);
    }
}
