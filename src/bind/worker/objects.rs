//! How a Durable Object is asked.

use crate::bind::web::envelope::Envelope;
use crate::bind::web::platform::{self, Env, Result, internal};
use crate::error::Error;
use crate::run::ThreadKeys;
use js_sys::Reflect;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;
use web_sys::{Request, Response};
use worker_sys::DurableObjectNamespace;

/// Sends a request to the object of that name.
pub async fn ask(env: &Env, namespace: &str, name: &str, method: &str, body: Option<&[u8]>) -> Result<Response> {
    let objects: DurableObjectNamespace = Reflect::get(env.as_ref(), &namespace.into())?.unchecked_into();
    let request = Request::new_with_str_and_init("https://object/", &platform::request(method, body))?;
    let response = JsFuture::from(objects.get_by_name(name)?.fetch_with_request(&request)?).await?;
    Ok(response.unchecked_into())
}

/// Hands an envelope to the object that owns its thread.
pub async fn forward(env: &Env, envelope: &Envelope) -> std::result::Result<Response, Error> {
    let name = ThreadKeys::new(&envelope.scope, &envelope.thread).active();
    let body = envelope.encode();
    ask(env, "THREADS", &name, "POST", Some(body.as_bytes())).await.map_err(internal)
}
