//! The error sanitizer: what a client and a log are told of a failure. Never the error's own text:
//! it may hold prompts, keys or paths.

use super::keys::hash;
use crate::error::ErrorKind;
use crate::event::Failure;

/// A line for the host's log: the class, the run and a reference. No text of anybody's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogLine {
    /// The stable code.
    pub code: &'static str,
    /// The run's id.
    pub run: String,
    /// The same as the client was told.
    pub reference: String,
}

/// What a client is told of a failure of this run.
pub fn failure(kind: ErrorKind, run: &str, writer: &str) -> Failure {
    let reference = reference(kind, run, writer);
    Failure { code: kind.code().to_owned(), message: kind.sentence().to_owned(), reference }
}

/// The line of the log that carries the same reference.
pub fn log_line(kind: ErrorKind, run: &str, writer: &str) -> LogLine {
    LogLine { code: kind.code(), run: run.to_owned(), reference: reference(kind, run, writer) }
}

/// What a status other than 2xx means. The body is not looked at.
pub fn refused(status: u16) -> ErrorKind {
    match status {
        408 | 429 | 500.. => ErrorKind::UpstreamUnavailable,
        _ => ErrorKind::UpstreamRejected,
    }
}

fn reference(kind: ErrorKind, run: &str, writer: &str) -> String {
    hash(&format!("{}\n{run}\n{writer}", kind.code())).chars().take(12).collect()
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;

    #[test]
    fn the_log_and_the_client_share_a_reference_and_nothing_else_leaves() {
        let told = failure(ErrorKind::UpstreamRejected, "run-1", "writer-1");
        let logged = log_line(ErrorKind::UpstreamRejected, "run-1", "writer-1");
        assert_eq!(told.reference, logged.reference);
        assert_eq!(told.reference.len(), 12);
        assert_eq!((told.code.as_str(), logged.code), ("upstream_rejected", "upstream_rejected"));
        assert_eq!(told.message, ErrorKind::UpstreamRejected.sentence());
        assert_ne!(told.reference, failure(ErrorKind::UpstreamRejected, "run-2", "writer-1").reference);
    }

    #[test]
    fn a_status_tells_a_refusal_from_an_outage() {
        for status in [400, 401, 403, 404, 422] {
            assert_eq!(refused(status), ErrorKind::UpstreamRejected, "{status}");
        }
        for status in [408, 429, 500, 502, 503, 529] {
            assert_eq!(refused(status), ErrorKind::UpstreamUnavailable, "{status}");
        }
    }
}
