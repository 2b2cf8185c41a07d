//! The request that a run lives in where no object owns its thread: the platform may end it some time after
//! its client has gone.

use super::home::Soon;
use super::platform::{self, Result, now};
use crate::Millis;
use js_sys::Promise;
use std::cell::Cell;
use std::rc::Rc;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::{Closure, wasm_bindgen};

#[wasm_bindgen]
extern "C" {
    /// An `AbortSignal`.
    pub type Signal;

    #[wasm_bindgen(method, getter)]
    fn aborted(this: &Signal) -> bool;

    #[wasm_bindgen(method, js_name = addEventListener)]
    fn add(this: &Signal, kind: &str, then: &Closure<dyn FnMut()>);

    #[wasm_bindgen(method, js_name = removeEventListener)]
    fn remove(this: &Signal, kind: &str, then: &Closure<dyn FnMut()>);

    /// What a platform gives with a request: an `ExecutionContext`.
    #[derive(Clone)]
    pub type Context;

    #[wasm_bindgen(method, catch, js_name = waitUntil)]
    fn wait_until(this: &Context, work: &Promise) -> Result<()>;
}

/// A request, and what keeps its work going.
pub struct Host {
    /// Nothing where work goes on by itself.
    context: Option<Context>,
    gone: Gone,
    /// How long work may go on once the client has gone.
    alone: Millis,
}

impl Host {
    /// The host that a request is. Without a context, and without an end that is known, its work goes on by itself.
    pub fn new(signal: Option<Signal>, context: Option<Context>, alone: Millis) -> Self {
        Host { context, gone: Gone::new(signal), alone }
    }

    /// Lets work go on behind the response too.
    pub fn keep(&self, work: Soon<'static, ()>) -> Result<()> {
        let Some(context) = &self.context else {
            platform::spawn(work);
            return Ok(());
        };
        context.wait_until(&platform::promise(async move {
            work.await;
            Ok(JsValue::UNDEFINED)
        }))
    }

    /// When the platform ends the work, once that is known.
    pub fn ends(&self) -> Option<Millis> {
        self.gone.since().map(|gone| gone.saturating_add(self.alone))
    }
}

/// Whether a client has gone.
struct Gone {
    signal: Option<Signal>,
    /// When.
    since: Rc<Cell<Option<Millis>>>,
    listener: Closure<dyn FnMut()>,
}

impl Gone {
    fn new(signal: Option<Signal>) -> Self {
        let aborted = signal.as_ref().is_some_and(Signal::aborted);
        let since = Rc::new(Cell::new(aborted.then(now)));
        let left = since.clone();
        let listener = Closure::new(move || left.set(Some(now())));
        if let Some(signal) = &signal {
            signal.add("abort", &listener);
        }
        Gone { signal, since, listener }
    }

    fn since(&self) -> Option<Millis> {
        self.since.get()
    }
}

impl Drop for Gone {
    fn drop(&mut self) {
        if let Some(signal) = &self.signal {
            signal.remove("abort", &self.listener);
        }
    }
}
