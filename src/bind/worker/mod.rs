//! The Cloudflare Worker: a front that any isolate runs, an object that owns a thread, and an
//! object per run that knows its thread. Over Workers KV alone the front does the thread's work too.

mod begin;
mod chat;
mod driver;
mod envelope;
mod fresh;
mod front;
mod history;
mod home;
mod host;
mod inbox;
mod index;
mod kv;
mod list;
mod look;
mod model;
mod platform;
mod reader;
mod redaction;
mod source;
mod store;
mod thread;
mod tools;
mod watch;
mod whole;

use js_sys::Promise;
use platform::Env;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::Request;
use worker_sys::Context;

/// Tells the log of a panic, and asks for another instance in place of one that has trapped.
#[wasm_bindgen(start)]
pub fn start() {
    std::panic::set_hook(Box::new(platform::log_panic));
    wasm_bindgen::handler::set_on_abort(wasm_bindgen::handler::schedule_reinit);
}

/// Answers a request to the Worker.
#[wasm_bindgen]
pub fn fetch(request: Request, env: Env, context: Context) -> Promise {
    platform::promise(async move { front::fetch(&request, &env, context).await.map(JsValue::from) })
}
