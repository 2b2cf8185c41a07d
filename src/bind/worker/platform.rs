//! What the platform gives: time, randomness, variables, responses.

use crate::http::{Answer, Config};
use crate::{Error, Millis};
use std::time::Duration;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use worker::{Date, Delay, Env, Response};

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = crypto, js_name = randomUUID)]
    fn random_uuid() -> String;
}

/// The time.
pub fn now() -> Millis {
    Date::now().as_millis()
}

/// Waits.
pub async fn sleep(span: Millis) {
    Delay::from(Duration::from_millis(span)).await;
}

/// A name that no other instance ever had.
pub fn instance() -> String {
    random_uuid()
}

/// The configuration, from the Worker's variables and secrets.
pub fn config(env: &Env) -> Result<Config, Error> {
    let env: &JsValue = env.as_ref();
    Config::read(|name| js_sys::Reflect::get(env, &JsValue::from_str(name)).ok().and_then(|value| value.as_string()))
}

/// A response of an answer.
pub fn respond(answer: &Answer) -> worker::Result<Response> {
    Ok(Response::from_json(&answer.body)?.with_status(answer.status))
}

/// A response of an error.
pub fn refuse(error: &Error) -> worker::Result<Response> {
    respond(&crate::http::refused(error))
}
