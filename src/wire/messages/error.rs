//! Errors in the format's own form: `{"type":"error","error":{"type","message","code"}}`. `code` is ours: clients keep
//! what they don't know.

use crate::event::Failure;
use crate::json;
use crate::sse::Frame;
use crate::{Error, ErrorKind};

/// The reader's own failure.
pub fn failure(error: &Error) -> Frame {
    frame(body(error.kind(), error.code(), &error.message()))
}

/// The event whose data is an error's body.
pub(super) fn frame(body: String) -> Frame {
    Frame { event: Some("error".to_owned()), ..Frame::new(body) }
}

/// An error's kind and its body.
pub(super) fn of(kind: ErrorKind) -> (ErrorKind, String) {
    (kind, body(kind, kind.code(), kind.sentence()))
}

/// The same of a run that has failed: the code's fixed sentence, with the reference under which the host's log has the
/// cause. A code that this version does not know counts as ours.
pub(super) fn of_run(failure: &Failure) -> (ErrorKind, String) {
    let known = ErrorKind::ALL.iter().find(|kind| kind.code() == failure.code);
    let kind = known.copied().unwrap_or(ErrorKind::Internal);
    let message = match failure.reference.as_str() {
        "" => failure.message.clone(),
        reference => format!("{} (reference {reference})", failure.message),
    };
    (kind, body(kind, &failure.code, &message))
}

fn body(kind: ErrorKind, code: &str, message: &str) -> String {
    json::object(|body| {
        body.field("type", &"error").object("error", |error| {
            error.fields(&[("type", &class(kind)), ("message", &message), ("code", &code)]);
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
