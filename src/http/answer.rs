//! The bodies of answers that are no streams.

use super::config::Config;
use crate::error::Error;
use crate::json::{self, Json, Object};
use crate::provider::replay;
use crate::run::{Guarantee, RunRecord, Status, Traits};
use crate::wire::canonical::write_usage;

/// A status and a JSON body.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// The body: JSON text.
    pub body: String,
}

/// What a client is told of an error: `{"error":{"code","message"}}`.
pub fn refused(error: &Error) -> Answer {
    let body = json::object(|body| {
        body.object("error", |told| {
            told.fields(&[("code", &error.code()), ("message", &error.message())]);
        });
    });
    Answer { status: error.kind().status(), body }
}

/// The service's own account: `{version, provider, recordings, store}`.
pub fn health(config: &Config, kind: &str, traits: Traits) -> Answer {
    let recordings: Vec<&str> = replay::names().collect();
    answer(|body| {
        body.fields(&[
            ("version", &crate::VERSION),
            ("provider", &config.provider.name()),
            ("recordings", &recordings),
            ("store", &Store { kind: Some(kind), claim: traits.claim, outcome: traits.outcome }),
        ]);
    })
}

/// A run's record as its own customer may have it.
pub fn record(record: &RunRecord) -> Answer {
    answer(|body| {
        body.fields(&[
            ("run", &record.run),
            ("thread", &record.thread),
            ("status", &record.status),
            ("sequence", &record.sequence),
            ("revision", &record.revision),
            ("model", &record.profile.model),
            ("started_at", &record.times.started_at),
            ("ended_at", &record.times.ended_at),
            ("withdrawn", &record.withdrawn),
            ("failure", &record.failure),
        ]);
        write_usage(&record.profile.model, &record.usage, body);
        body.field("store", &Store { kind: None, claim: record.promise.claim, outcome: record.promise.outcome });
    })
}

/// How a run stands after somebody cancelled it: `{run, status}`.
pub fn status(run: &str, status: Status) -> Answer {
    answer(|body| {
        body.fields(&[("run", &run), ("status", &status)]);
    })
}

fn answer(fill: impl FnOnce(&mut Object<'_>)) -> Answer {
    Answer { status: 200, body: json::object(fill) }
}

/// What a store promises.
struct Store<'a> {
    kind: Option<&'a str>,
    claim: Guarantee,
    outcome: Guarantee,
}

impl Json for Store<'_> {
    fn write(&self, out: &mut String) {
        let mut store = Object::begin(out);
        store.fields(&[("kind", &self.kind), ("claim", &self.claim), ("outcome", &self.outcome)]).end();
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use serde_json::{Value, json};

    fn body(answer: &Answer) -> Value {
        serde_json::from_str(&answer.body).unwrap()
    }

    #[test]
    fn an_error_is_told_by_code_and_sentence() {
        let answer = refused(&Error::with(ErrorKind::InvalidInput, "threadId is missing."));
        assert_eq!(answer.status, 400);
        assert_eq!(
            body(&answer),
            json!({"error": {"code": "invalid_input", "message": "A field of the request is not valid. threadId is missing."}})
        );
    }

    #[test]
    fn health_says_what_the_store_can_promise() {
        let config = Config::read(|_| None).unwrap();
        let body = body(&health(&config, "memory", Traits::MEMORY));
        assert_eq!(body["store"], json!({"kind": "memory", "claim": "atomic", "outcome": "atomic"}));
        assert!(body["recordings"].as_array().unwrap().contains(&"narrated-refund".into()));
    }
}
