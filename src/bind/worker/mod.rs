//! The Cloudflare Worker: a front that any isolate runs, an object that owns a thread, and an
//! object per run that knows its thread. Over Workers KV alone the front does the thread's work too.

mod home;
mod index;
mod kv;
mod list;
mod object;
mod objects;
mod store;
mod threads;

use super::web::front;
use super::web::host::Context;
use super::web::platform::{self, Env};
use js_sys::Promise;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::Request;

/// Tells the log of a panic, and asks for another instance in place of one that has trapped.
#[wasm_bindgen(start)]
pub fn start() {
    std::panic::set_hook(Box::new(platform::log_panic));
    wasm_bindgen::handler::set_on_abort(wasm_bindgen::handler::schedule_reinit);
}

/// Answers a request to the Worker.
#[wasm_bindgen]
pub fn fetch(request: Request, env: Env, context: Context) -> Promise {
    platform::promise(async move {
        let reached = |config: &_| threads::reached(&request, &env, &context, config);
        front::fetch(&request, &env, &reached).await.map(JsValue::from)
    })
}
