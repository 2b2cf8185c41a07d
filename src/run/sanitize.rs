//! The error sanitizer: what a client and a log are told of a failure. Never the error's own text:
//! it may hold prompts, keys or paths.

use super::keys::hash;
use crate::error::{Error, ErrorKind};
use crate::event::Failure;
use crate::json;

/// A line for the host's log: the class, the run and a reference. No text of anybody's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogLine {
    /// The stable code.
    pub code: &'static str,
    /// The run's id; empty where none is known.
    pub run: String,
    /// The same as the client was told.
    pub reference: String,
    /// True where a reader failed and not its run.
    pub reader: bool,
    /// What the output filter has found in the run: how often each rule, and no value.
    pub found: Vec<(String, u64)>,
    /// The provider's format, where it was found by its first bytes.
    pub format: Option<&'static str>,
}

impl LogLine {
    /// The line of an error that is the answer to a request. `nonce` is never used twice. An error that
    /// is the client's own has none: nobody has to look for it.
    pub fn of_answer(kind: ErrorKind, run: &str, nonce: &str) -> Option<Self> {
        (kind.status() >= 500).then(|| log_line(kind, run, nonce))
    }

    /// The line of what the output filter has found in a run; none if it was nothing. It is no error, and has
    /// no reference.
    pub fn of_found(run: &str, found: Vec<(String, u64)>) -> Option<Self> {
        if found.is_empty() {
            return None;
        }
        Some(LogLine { code: "redacted", found, ..LogLine::of_format("", run) })
    }

    /// The line of the format that a run's provider was found to speak. It is no error, and has no reference.
    pub fn of_format(format: &'static str, run: &str) -> Self {
        let format = Some(format).filter(|format| !format.is_empty());
        let (run, reference, found) = (run.to_owned(), String::new(), Vec::new());
        LogLine { code: "format", run, reference, reader: false, found, format }
    }

    /// The line as JSON text.
    pub fn encode(&self) -> String {
        let some = |text: &str| Some(text).filter(|text| !text.is_empty()).map(str::to_owned);
        json::object(|line| {
            line.fields(&[("code", &self.code), ("run", &some(&self.run)), ("reference", &some(&self.reference))]);
            line.flag("reader", self.reader).field("format", &self.format);
            if !self.found.is_empty() {
                line.object("found", |found| {
                    for (rule, times) in &self.found {
                        found.field(rule, times);
                    }
                });
            }
        })
    }
}

/// What a client is told of a failure of this run.
pub fn failure(kind: ErrorKind, run: &str, writer: &str) -> Failure {
    let reference = reference(kind, run, writer);
    Failure { code: kind.code().to_owned(), message: kind.sentence().to_owned(), reference }
}

/// The line of the log that carries the same reference.
pub fn log_line(kind: ErrorKind, run: &str, writer: &str) -> LogLine {
    LogLine {
        code: kind.code(),
        run: run.to_owned(),
        reference: reference(kind, run, writer),
        reader: false,
        found: Vec::new(),
        format: None,
    }
}

/// The line of a reader's failure, and what its client is told: never the cause, but where the log has it.
pub fn interrupted(cause: ErrorKind, run: &str, reader: &str) -> (LogLine, Error) {
    let line = LogLine { reader: true, ..log_line(cause, run, reader) };
    let told = Error::with(ErrorKind::StreamInterrupted, format!("(reference {})", line.reference));
    (line, told)
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
    fn an_answer_that_is_our_fault_has_a_line_and_another_has_none() {
        let line = LogLine::of_answer(ErrorKind::StoreUnavailable, "r\"1", "nonce").unwrap();
        let reference = &line.reference;
        assert_eq!(line.encode(), format!(r#"{{"code":"store_unavailable","run":"r\"1","reference":"{reference}"}}"#));
        let nameless = LogLine::of_answer(ErrorKind::NotConfigured, "", "nonce").unwrap();
        assert!(!nameless.encode().contains("run"));
        for kind in ErrorKind::ALL {
            assert_eq!(LogLine::of_answer(*kind, "r", "n").is_some(), kind.status() >= 500, "{kind:?}");
        }
    }

    #[test]
    fn a_format_that_was_found_is_named() {
        assert_eq!(LogLine::of_format("ollama", "r").encode(), r#"{"code":"format","run":"r","format":"ollama"}"#);
    }

    #[test]
    fn what_was_found_is_counted_by_rule() {
        let line = LogLine::of_found("r", vec![("email".to_owned(), 2), ("jwt".to_owned(), 1)]).unwrap();
        assert_eq!(line.encode(), r#"{"code":"redacted","run":"r","found":{"email":2,"jwt":1}}"#);
        assert_eq!(LogLine::of_found("r", Vec::new()), None);
    }

    #[test]
    fn a_readers_failure_tells_the_log_the_cause_and_the_client_where_it_is() {
        let (line, told) = interrupted(ErrorKind::RecordUnreadable, "r", "reader-1");
        assert_eq!((line.code, line.reader, told.code()), ("record_unreadable", true, "stream_interrupted"));
        assert!(told.message().ends_with(&format!("(reference {})", line.reference)));
        assert_ne!(line.reference, interrupted(ErrorKind::RecordUnreadable, "r", "reader-2").0.reference);
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
