//! The bodies of answers that are no streams.

use super::config::Config;
use crate::error::Error;
use crate::provider::replay;
use crate::run::{RunRecord, Status, Traits};
use serde_json::{Value, json};

/// A status and a JSON body.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// The body.
    pub body: Value,
}

/// What a client is told of an error: `{"error":{"code","message"}}`.
pub fn refused(error: &Error) -> Answer {
    Answer { status: error.kind().status(), body: json!({"error": {"code": error.code(), "message": error.message()}}) }
}

/// The service's own account: `{version, provider, recordings, store}`.
pub fn health(config: &Config, kind: &str, traits: Traits) -> Answer {
    let recordings: Vec<&str> = replay::names().collect();
    Answer {
        status: 200,
        body: json!({
            "version": crate::VERSION,
            "provider": config.provider.name(),
            "recordings": recordings,
            "store": {"kind": kind, "claim": traits.claim.name(), "outcome": traits.outcome.name()},
        }),
    }
}

/// A run's record as its own customer may have it.
pub fn record(record: &RunRecord) -> Answer {
    let mut body = json!({
        "run": record.run,
        "thread": record.thread,
        "status": record.status.name(),
        "sequence": record.sequence,
        "revision": record.revision,
        "model": record.profile.model,
        "started_at": record.times.started_at,
        "store": {"claim": record.promise.claim.name(), "outcome": record.promise.outcome.name()},
    });
    if let Some(fields) = body.as_object_mut() {
        if let Some(at) = record.times.ended_at {
            fields.insert("ended_at".to_owned(), at.into());
        }
        if let Some(failure) = &record.failure {
            fields.insert("failure".to_owned(), json!(failure));
        }
        if !record.usage.is_empty() {
            fields.insert("usage".to_owned(), json!(record.usage));
        }
    }
    Answer { status: 200, body }
}

/// How a run stands after somebody cancelled it: `{run, status}`.
pub fn status(run: &str, status: Status) -> Answer {
    Answer { status: 200, body: json!({"run": run, "status": status.name()}) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    #[test]
    fn an_error_is_told_by_code_and_sentence() {
        let answer = refused(&Error::with(ErrorKind::InvalidInput, "threadId is missing."));
        assert_eq!(answer.status, 400);
        assert_eq!(
            answer.body,
            json!({"error": {"code": "invalid_input", "message": "A field of the request is not valid. threadId is missing."}})
        );
    }

    #[test]
    fn health_says_what_the_store_can_promise() {
        let config = Config::read(|_| None).unwrap();
        let body = health(&config, "memory", Traits::MEMORY).body;
        assert_eq!(body["store"], json!({"kind": "memory", "claim": "atomic", "outcome": "atomic"}));
        assert!(body["recordings"].as_array().unwrap().contains(&"narrated-refund".into()));
    }
}
