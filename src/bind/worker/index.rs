//! The object that knows in which thread a run is: one per scope and run.

use super::store::Table;
use crate::error::{Error, ErrorKind};
use crate::run::{Expect, Head, IndexEntry, StoreOp, StoreReply, Version, index_key};
use worker::{DurableObject, Env, Method, Request, RequestInit, Response, Result, State, durable_object};

/// The header that carries a value's version.
const VERSION: &str = "lastword-version";

#[durable_object(fetch)]
pub struct IndexObject {
    state: State,
}

impl DurableObject for IndexObject {
    fn new(state: State, _env: Env) -> Self {
        IndexObject { state }
    }

    /// `GET` loads the entry; `PUT` saves it if there is none.
    async fn fetch(&self, mut request: Request) -> Result<Response> {
        let table = Table::new(self.state.storage());
        let op = match request.method() {
            Method::Put => {
                let value = request.bytes().await?;
                let head = Head { key: String::new(), value, expect: Expect::Absent };
                StoreOp::Save { parts: Vec::new(), head: Some(head) }
            }
            _ => StoreOp::Load(String::new()),
        };
        let (status, body, version) = match table.perform(op).await {
            StoreReply::Found(bytes, version) => (200, bytes, version),
            StoreReply::Saved(version) => (201, Vec::new(), version),
            StoreReply::Missing => (404, Vec::new(), Version::default()),
            StoreReply::Conflict => (409, Vec::new(), Version::default()),
            _ => (503, Vec::new(), Version::default()),
        };
        let response = Response::from_bytes(body)?.with_status(status);
        response.headers().set(VERSION, &version.0)?;
        Ok(response)
    }
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

/// The entry of a run.
///
/// # Errors
/// [`ErrorKind::UnknownRun`] if there is none, [`ErrorKind::StoreUnavailable`], or what reading it gives.
pub async fn find(env: &Env, scope: &str, run: &str) -> std::result::Result<IndexEntry, Error> {
    match perform(env, StoreOp::Load(index_key(scope, run))).await {
        StoreReply::Found(bytes, _) => IndexEntry::decode(&bytes),
        StoreReply::Missing => Err(ErrorKind::UnknownRun.into()),
        _ => Err(ErrorKind::StoreUnavailable.into()),
    }
}

async fn ask(env: &Env, key: &str, put: Option<Vec<u8>>) -> Result<StoreReply> {
    let mut init = RequestInit::new();
    if let Some(value) = put {
        let body = js_sys::Uint8Array::from(value.as_slice());
        init.with_method(Method::Put).with_body(Some(body.into()));
    }
    let request = Request::new_with_init("https://index/", &init)?;
    let mut response = env.durable_object("RUNS")?.get_by_name(key)?.fetch_with_request(request).await?;
    let version = Version(response.headers().get(VERSION)?.unwrap_or_default());
    Ok(match response.status_code() {
        200 => StoreReply::Found(response.bytes().await?, version),
        201 => StoreReply::Saved(version),
        404 => StoreReply::Missing,
        409 => StoreReply::Conflict,
        _ => StoreReply::Uncertain,
    })
}
