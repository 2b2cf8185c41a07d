//! The Cloudflare Worker: a front that any isolate runs, an object that owns a thread, and an
//! object per run that knows its thread.

mod driver;
mod envelope;
mod front;
mod index;
mod model;
mod platform;
mod reader;
mod store;
mod thread;
mod tools;
mod watch;

use js_sys::Promise;
use wasm_bindgen::prelude::wasm_bindgen;
use worker::Env;
use worker::web_sys::Request;

/// Answers a request to the Worker.
#[wasm_bindgen]
pub fn fetch(request: Request, env: Env) -> Promise {
    platform::promise(async move { platform::told(front::answer(&request, &env).await) })
}
