//! The bodies of answers that are no streams.

use super::config::{Config, Provider};
use super::route;
use crate::error::{Error, ErrorKind};
use crate::json::{self, Json, Object};
use crate::profile::Profile;
use crate::provider::replay;
use crate::run::{Guarantee, Promise, RunRecord, Status, Traits};
use crate::wire::canonical::write_usage;
use crate::wire::{Context, Wire, chat_completions};
use serde_json::Value;

/// A status, headers, and a JSON body.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// Headers besides the body's content type, names in lower case.
    pub headers: Vec<(&'static str, String)>,
    /// The body: JSON text, or nothing.
    pub body: String,
}

/// What keeps clients of OpenAI's and Anthropic's making from asking again by themselves: the run has had its end.
pub const NO_RETRY: (&str, &str) = ("x-should-retry", "false");

/// What a client is told of an error: `{"error":{"code","message"}}`, with the `reference` under which
/// the host's log has it, if there is one; on the routes of others' wires in their form. `path` is the request's.
pub fn refused(error: &Error, path: &str, reference: Option<&str>) -> Answer {
    let body = match route::wire(path) {
        // The AI SDK's client shows its user the body as it is.
        None | Some(Wire::UiStream) => json::object(|body| {
            body.object("error", |told| {
                told.fields(&[("code", &error.code()), ("message", &error.message()), ("reference", &reference)]);
            });
        }),
        Some(wire) => {
            let detail = [error.detail().map(str::to_owned), reference.map(|it| format!("(reference {it})"))];
            let detail: Vec<String> = detail.into_iter().flatten().collect();
            let told = match detail.as_slice() {
                [] => Error::new(error.kind()),
                detail => Error::with(error.kind(), detail.join(" ")),
            };
            let wire = if wire == Wire::Responses { Wire::ChatCompletions } else { wire };
            let nameless = Profile::new("", None, 0);
            wire.failure(&Context { run: "", thread: "", profile: &nameless }, &told).data
        }
    };
    let mut headers: Vec<(&'static str, String)> = match (error.kind(), route::methods(path)) {
        (ErrorKind::MethodNotAllowed, Some(methods)) => vec![("allow", route::allow(methods))],
        (ErrorKind::Unauthorized | ErrorKind::TokenExpired, _) => vec![("www-authenticate", "Bearer".to_owned())],
        _ => Vec::new(),
    };
    // Clients of these services repeat what was refused with a 409, by themselves.
    if error.kind() == ErrorKind::RunConflict {
        headers.push((NO_RETRY.0, NO_RETRY.1.to_owned()));
    }
    headers.extend(error.retry_after().map(|after| ("retry-after", after.div_ceil(1000).to_string())));
    Answer { status: error.kind().status(), headers, body }
}

/// The service's own account: `{version, provider, recordings, store}`.
pub fn health(config: &Config) -> Answer {
    let Traits { claim, outcome, staleness, .. } = config.traits;
    let staleness = (staleness > 0).then_some(staleness / 1000);
    let recordings: Vec<&str> = replay::names().collect();
    answer(|body| {
        body.fields(&[
            ("version", &crate::VERSION),
            ("provider", &config.provider.name()),
            ("recordings", &recordings),
            ("store", &Store { kind: Some(config.store.name()), claim, outcome, staleness }),
        ]);
    })
}

/// The models that a client may name, in OpenAI's form and Anthropic's: the configured one, and all recordings.
pub fn models(config: &Config) -> Answer {
    let mut names = vec![config.model.clone()];
    if config.provider == Provider::Replay {
        let recordings = replay::names().map(|name| format!("{}{name}", replay::PREFIX));
        names.extend(recordings.filter(|name| *name != config.model));
    }
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    Answer { status: 200, headers: Vec::new(), body: chat_completions::models(&names, 0) }
}

/// A run's record as its own customer may have it.
pub fn record(record: &RunRecord) -> Answer {
    answer(|body| write_record(record, body))
}

/// A page of the list of runs: `{"runs": […], "next"}`, each run as of [`record`].
pub fn runs(records: &[RunRecord], next: Option<&str>) -> Answer {
    let records: Vec<Listed<'_>> = records.iter().map(Listed).collect();
    answer(|body| {
        body.field("runs", &records);
        // It is said that there is no other page.
        body.field("next", &next.map_or(Value::Null, Value::from));
    })
}

/// The answer to a deletion: nothing is there any more, and nothing is said.
pub fn deleted() -> Answer {
    Answer { status: 204, headers: Vec::new(), body: String::new() }
}

struct Listed<'a>(&'a RunRecord);

impl Json for Listed<'_> {
    fn write(&self, out: &mut String) {
        let mut body = Object::begin(out);
        write_record(self.0, &mut body);
        body.end();
    }
}

fn write_record(record: &RunRecord, body: &mut Object<'_>) {
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
    let Promise { claim, outcome } = record.promise;
    body.field("store", &Store { kind: None, claim, outcome, staleness: None });
}

/// What a reader is told that has had everything: nothing. An `EventSource` reconnects after any other end
/// of a stream, and no more after this (the HTML standard's event streams).
pub fn nothing_left() -> Answer {
    Answer { status: 204, headers: Vec::new(), body: String::new() }
}

/// How a run stands after somebody cancelled it: `{run, status}`.
pub fn status(run: &str, status: Status) -> Answer {
    answer(|body| {
        body.fields(&[("run", &run), ("status", &status)]);
    })
}

/// What whoever cancelled a run is told that another instance has: `{run, status: "started", cancel: "asked"}`,
/// as 202. How it ends, its record says.
pub fn cancel_asked(run: &str) -> Answer {
    let asked = answer(|body| {
        body.fields(&[("run", &run), ("status", &Status::Started), ("cancel", &"asked")]);
    });
    Answer { status: 202, ..asked }
}

fn answer(fill: impl FnOnce(&mut Object<'_>)) -> Answer {
    Answer { status: 200, headers: Vec::new(), body: json::object(fill) }
}

/// What a store promises.
struct Store<'a> {
    kind: Option<&'a str>,
    claim: Guarantee,
    outcome: Guarantee,
    /// How old a read may be, in seconds, where it may be old at all.
    staleness: Option<u64>,
}

impl Json for Store<'_> {
    fn write(&self, out: &mut String) {
        let mut store = Object::begin(out);
        store.fields(&[("kind", &self.kind), ("claim", &self.claim), ("outcome", &self.outcome)]);
        store.field("staleness", &self.staleness).end();
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn body(answer: &Answer) -> Value {
        serde_json::from_str(&answer.body).unwrap()
    }

    #[test]
    fn an_error_is_told_by_code_and_sentence() {
        let answer = refused(&Error::with(ErrorKind::InvalidInput, "threadId is missing."), "/agui", None);
        assert_eq!((answer.status, answer.headers.len()), (400, 0));
        assert_eq!(
            body(&answer),
            json!({"error": {"code": "invalid_input", "message": "A field of the request is not valid. threadId is missing."}})
        );
    }

    #[test]
    fn a_fault_of_ours_has_a_reference() {
        let answer = refused(&ErrorKind::StoreUnavailable.into(), "/agui", Some("0123"));
        assert_eq!(body(&answer)["error"]["reference"], "0123");
    }

    #[test]
    fn a_wrong_method_says_the_right_one_and_a_missing_token_how_it_is_sent() {
        let headers = |kind: ErrorKind| refused(&kind.into(), "/agui", None).headers;
        assert_eq!(headers(ErrorKind::MethodNotAllowed), [("allow", "POST, OPTIONS".to_owned())]);
        assert_eq!(headers(ErrorKind::Unauthorized), [("www-authenticate", "Bearer".to_owned())]);
    }

    #[test]
    fn a_cancel_that_is_on_its_way_is_no_end() {
        let answer = cancel_asked("r");
        assert_eq!((answer.status, body(&answer)), (202, json!({"run": "r", "status": "started", "cancel": "asked"})));
    }

    #[test]
    fn what_may_be_over_later_says_when_to_ask_again() {
        let error = Error::new(ErrorKind::MaybeStale).after(60_500);
        assert_eq!(refused(&error, "/v1/runs/r", None).headers, [("retry-after", "61".to_owned())]);
    }

    #[test]
    fn health_says_what_the_store_can_promise() {
        let told = |store: Option<&str>| {
            let config = Config::read(|name| store.filter(|_| name == "LASTWORD_STORE").map(str::to_owned)).unwrap();
            body(&health(&config))
        };
        assert_eq!(told(None)["store"], json!({"kind": "durable-object", "claim": "atomic", "outcome": "atomic"}));
        let kv = json!({"kind": "workers-kv", "claim": "best_effort", "outcome": "best_effort", "staleness": 60});
        assert_eq!(told(Some("kv"))["store"], kv);
        assert!(told(None)["recordings"].as_array().unwrap().contains(&"narrated-refund".into()));
    }
}
