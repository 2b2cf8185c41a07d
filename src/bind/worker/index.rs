//! The object that knows in which thread a run is: one per scope and run.

use super::platform::Env;
use super::platform::{self, Result};
use super::store::Table;
use crate::error::{Error, ErrorKind};
use crate::run::{Expect, Head, IndexEntry, StoreOp, StoreReply, Version};
use js_sys::Promise;
use std::rc::Rc;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::{Request, Response};
use worker_sys::DurableObjectState;

/// The header that carries a value's version.
const VERSION: &str = "lastword-version";

#[wasm_bindgen]
pub struct IndexObject(Rc<Table>);

#[wasm_bindgen]
impl IndexObject {
    #[wasm_bindgen(constructor)]
    pub fn new(state: &DurableObjectState) -> Result<IndexObject> {
        Ok(IndexObject(Rc::new(Table::new(state)?)))
    }

    /// `GET` loads the entry; `PUT` saves it if there is none.
    pub fn fetch(&self, request: Request) -> Promise {
        let table = self.0.clone();
        platform::promise(async move {
            // What the platform throws is told to nobody.
            let answer = answer(&table, &request).await;
            answer.or_else(|_| Response::new_with_opt_str_and_init(None, &platform::head(503, &[])?)).map(JsValue::from)
        })
    }
}

async fn answer(table: &Table, request: &Request) -> Result<Response> {
    let op = match request.method().as_str() {
        "PUT" => {
            let value = platform::bytes(request.array_buffer()?).await?;
            let head = Head { key: String::new(), value, expect: Expect::Absent };
            StoreOp::Save { parts: Vec::new(), head: Some(head) }
        }
        _ => StoreOp::Load(String::new()),
    };
    let (status, entry, version) = match table.perform(op).await {
        StoreReply::Found(bytes, version) => (200, bytes, version),
        StoreReply::Saved(version) => (201, Vec::new(), version),
        StoreReply::Missing => (404, Vec::new(), Version::default()),
        StoreReply::Conflict => (409, Vec::new(), Version::default()),
        _ => (503, Vec::new(), Version::default()),
    };
    let head = platform::head(status, &[(VERSION, &version.0)])?;
    // An entry is JSON text.
    Response::new_with_opt_str_and_init(std::str::from_utf8(&entry).ok(), &head)
}

/// Performs an operation on the index entry under that key.
pub async fn perform(env: &Env, op: StoreOp) -> StoreReply {
    let (key, put) = match op {
        StoreOp::Load(key) => (key, None),
        StoreOp::Save { head: Some(Head { key, value, expect: Expect::Absent }), .. } => (key, Some(value)),
        _ => return StoreReply::Unavailable,
    };
    let saving = put.is_some();
    match ask(env, &key, put).await {
        Ok(reply) => reply,
        Err(_) if saving => StoreReply::Uncertain,
        Err(_) => StoreReply::Unavailable,
    }
}

/// The entry of a run, by what its load has given.
///
/// # Errors
/// [`ErrorKind::UnknownRun`] if there is none, [`ErrorKind::StoreUnavailable`], or what reading it gives.
pub fn entry(loaded: StoreReply) -> std::result::Result<IndexEntry, Error> {
    match loaded {
        StoreReply::Found(bytes, _) => IndexEntry::decode(&bytes),
        StoreReply::Missing => Err(ErrorKind::UnknownRun.into()),
        _ => Err(ErrorKind::StoreUnavailable.into()),
    }
}

async fn ask(env: &Env, key: &str, put: Option<Vec<u8>>) -> Result<StoreReply> {
    let method = if put.is_some() { "PUT" } else { "GET" };
    let response = platform::ask(env, "RUNS", key, method, put.as_deref()).await?;
    let version = Version(response.headers().get(VERSION)?.unwrap_or_default());
    Ok(match response.status() {
        200 => StoreReply::Found(platform::bytes(response.array_buffer()?).await?, version),
        201 => StoreReply::Saved(version),
        404 => StoreReply::Missing,
        409 => StoreReply::Conflict,
        _ => StoreReply::Uncertain,
    })
}
