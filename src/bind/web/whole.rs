//! An answer that is no stream: a document, and white space before it for as long as it takes.

use super::platform::{self, head, internal};
use super::reader::Attached;
use super::source;
use crate::error::{Error, ErrorKind};
use crate::http::NO_RETRY;
use web_sys::Response;

/// A client that waits may be told to keep nothing, and so may whoever is in between.
const HEADERS: [(&str, &str); 3] =
    [("content-type", "application/json"), ("cache-control", "no-store, no-transform"), ("x-accel-buffering", "no")];

/// Whoever compresses on the way holds white space back until there is enough of it, and then it keeps nothing alive.
/// Miniflare, and so `wrangler dev`, heeds this alone.
const PLAIN: (&str, &str) = ("content-encoding", "identity");

/// The response. Its status says how the run ended if that is known within a heartbeat; else it has begun by then.
pub async fn response(mut attached: Attached) -> Result<Response, Error> {
    let first = attached.next().await.ok_or(ErrorKind::Internal)?;
    let Some(status) = attached.status() else {
        attached.give_back(first);
        return source::response_with(attached, &[&HEADERS[..], &[PLAIN]].concat()).map_err(internal);
    };
    let mut headers = HEADERS.to_vec();
    if status >= 400 {
        headers.push(NO_RETRY);
    }
    let head = head(status, &headers).map_err(internal)?;
    let body = String::from_utf8(first).map_err(|_| Error::new(ErrorKind::Internal))?;
    Response::new_with_opt_str_and_init(Some(&body), &head).map_err(internal)
}

/// A document that is at hand.
pub fn json(body: &str) -> Result<Response, Error> {
    let head = platform::head(200, &HEADERS).map_err(internal)?;
    Response::new_with_opt_str_and_init(Some(body), &head).map_err(internal)
}
