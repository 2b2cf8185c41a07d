//! Errors in the format's own form: `{"type":"error","error":{"type","message","code"}}`. `code` is ours: clients keep
//! what they don't know.

use crate::json;
use crate::sse::Frame;
use crate::wire::Document;
use crate::wire::ending::Told;
use crate::{Error, ErrorKind};

/// The reader's own failure.
pub fn failure(error: &Error) -> Frame {
    frame(&error.into())
}

/// The event that ends a stream.
pub(super) fn frame(told: &Told) -> Frame {
    Frame { event: Some("error".to_owned()), ..Frame::new(body(told)) }
}

/// An answer that is no stream.
pub(super) fn document(told: &Told) -> Document {
    Document { status: told.kind.status(), body: body(told) }
}

fn body(told: &Told) -> String {
    let class = class(told.kind);
    json::object(|body| {
        body.field("type", &"error").object("error", |error| {
            error.fields(&[("type", &class), ("message", &told.message), ("code", &told.code)]);
        });
    })
}

/// The format's class of an error.
fn class(kind: ErrorKind) -> &'static str {
    match kind.status() {
        401 => "authentication_error",
        403 => "permission_error",
        404 | 410 => "not_found_error",
        413 => "request_too_large",
        429 => "rate_limit_error",
        504 => "timeout_error",
        400..500 => "invalid_request_error",
        _ => "api_error",
    }
}
