//! Errors in the format's own form: `{"error":{"message","type","code","param"}}`.

use crate::json::{self, NULL};
use crate::sse::Frame;
use crate::wire::Document;
use crate::wire::ending::Told;
use crate::{Error, ErrorKind};

/// The reader's own failure.
pub fn failure(error: &Error) -> Frame {
    Frame::new(body(&error.into()))
}

/// An answer that is no stream.
pub(super) fn document(told: &Told) -> Document {
    Document { status: told.kind.status(), body: body(told) }
}

pub(super) fn body(told: &Told) -> String {
    let class = class(told.kind);
    json::object(|body| {
        body.object("error", |error| {
            error.fields(&[("message", &told.message), ("type", &class), ("code", &told.code), ("param", &NULL)]);
        });
    })
}

/// The format's class of an error.
fn class(kind: ErrorKind) -> &'static str {
    match kind.status() {
        401 => "authentication_error",
        403 => "permission_error",
        400..500 => "invalid_request_error",
        _ => "server_error",
    }
}
