//! Every recording × {as recorded, failed, cancelled} × {seen from the start, joined at every event, joined after the
//! end} × {a client of 1.0, an older one} × {nothing public, everything}, over the store and the reader.
//!
//! The same matrix runs through the official clients in `tests/node/matrix.test.mjs`.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

#[path = "wire/client.rs"]
mod client;
mod common;
#[path = "wire/schema.rs"]
mod schema;

use client::Client;
use common::matrix::{ENDS, End, TERMS, Terms, body, cuts, joined, late, live, play, record, sequence, terminal};
use lastword::provider::replay;
use lastword::run::{MemoryStore, Status};
use lastword::sse::Frame;
use serde_json::Value;
use std::sync::OnceLock;

fn read(mut client: Client, frames: &[Frame]) -> Client {
    client.read(frames.iter().map(|frame| &frame.data)).unwrap();
    client
}

/// The client that begins the run: it holds what it sends.
fn starter(recording: &str) -> Client {
    let body = body(recording);
    Client::holding(body["messages"].as_array().unwrap().clone(), body["state"].clone())
}

/// Every cell of the matrix but for the readers, played once for all tests.
fn every(mut check: impl FnMut(&str, End, Terms, &MemoryStore)) {
    static PLAYED: OnceLock<Vec<(&str, End, Terms, MemoryStore)>> = OnceLock::new();
    let cells = || replay::names().flat_map(|name| ENDS.map(|end| TERMS.map(|terms| (name, end, terms)))).flatten();
    let played = || cells().map(|(name, end, terms)| (name, end, terms, play(name, end, terms))).collect();
    for (recording, end, terms, store) in PLAYED.get_or_init(played) {
        check(recording, *end, *terms, store);
    }
}

fn same(what: &str, got: &Client, want: &Client) {
    assert_eq!(got.messages, want.messages, "{what}");
    assert_eq!(got.state, want.state, "{what}");
    assert_eq!(got.terminal, want.terminal, "{what}");
    assert_eq!(got.withdrawn, want.withdrawn, "{what}");
}

#[test]
fn whoever_joins_whenever_has_in_the_end_what_the_starter_has() {
    let mut joins = 0;
    every(|recording, end, terms, store| {
        let live = live(store);
        let whole = read(starter(recording), &live);
        for cut in cuts(&live) {
            let frames = joined(store, cut);
            let until = |seq: u64| live.iter().take_while(|frame| sequence(frame) <= seq).cloned().collect::<Vec<_>>();
            let there = |seq: u64| read(starter(recording), &until(seq)).reconnected();
            for (who, client) in
                [("new", Client::default()), ("there till now", there(cut)), ("there for a while", there(cut / 2))]
            {
                let what = format!("{recording} {end:?} {terms:?} cut {cut}, {who}");
                same(&what, &read(client, &frames), &whole);
                joins += 1;
            }
        }
        let what = format!("{recording} {end:?} {terms:?} after the end");
        same(&what, &read(Client::default(), &late(store)), &whole);
        same(&what, &read(whole.reconnected(), &late(store)), &whole);
    });
    assert!(joins > 1_000, "{joins}");
}

#[test]
fn the_end_is_told_as_the_client_can_read_it() {
    every(|recording, end, terms, store| {
        let what = format!("{recording} {end:?} {terms:?}");
        let live = live(store);
        let (kind, code) = terminal(&live);
        let last: Value = serde_json::from_str(&live.last().unwrap().data).unwrap();
        match (record(store).status, terms.declared) {
            (Status::Succeeded, declared) => {
                assert_eq!((kind.as_str(), last.get("outcome").is_some()), ("RUN_FINISHED", declared), "{what}");
            }
            (Status::Failed, _) => assert!(kind == "RUN_ERROR" && code.is_some(), "{what}"),
            (Status::Cancelled, true) => assert_eq!(last["outcome"]["type"], "cancelled", "{what}"),
            (Status::Cancelled, false) => {
                assert_eq!((kind.as_str(), code.as_deref()), ("RUN_ERROR", Some("cancelled")), "{what}");
            }
            (Status::Interrupted, _) => assert_eq!(last["outcome"]["type"], "interrupt", "{what}"),
            (Status::Started, _) => panic!("{what} has not ended"),
        }
        let played = replay::find(recording).unwrap();
        let (answered, waits) = (played.answer().is_some(), !played.approvals().0.is_empty());
        let status = record(store).status;
        let expected = match end {
            End::Recorded if waits => status == Status::Interrupted,
            End::Recorded if answered => status == Status::Succeeded,
            End::Recorded => status == Status::Failed,
            End::Failed => status == Status::Failed,
            End::Cancelled => status == Status::Cancelled,
        };
        assert!(expected, "{what}: {status:?}");
        assert!(terms.declared || !live.iter().any(|frame| frame.data.contains("protocolVersion")), "{what}");
    });
}

#[test]
fn a_run_that_dies_or_is_cancelled_publishes_no_answer() {
    every(|recording, end, terms, store| {
        // An early answer that turns out to be none stays: that is its stated risk.
        if record(store).status != Status::Succeeded && record(store).withdrawn.is_none() {
            let client = read(starter(recording), &live(store));
            let added = &client.messages[starter(recording).messages.len()..];
            let public =
                |message: &Value| terms.public && message.get("content").is_none_or(|_| message["role"] != "assistant");
            assert!(added.iter().all(public), "{recording} {end:?} {terms:?}: {added:?}");
        }
    });
}

#[test]
fn ids_are_equal_live_joined_and_replayed() {
    every(|recording, end, terms, store| {
        let ids = |frames: &[Frame]| -> Vec<String> {
            let client = read(starter(recording), frames);
            client.messages.iter().flat_map(ids_of).collect()
        };
        let live_frames = live(store);
        let what = format!("{recording} {end:?} {terms:?}");
        assert_eq!(live(store), live_frames, "{what}: a replay has the same frames");
        let seen = ids(&live_frames);
        assert_eq!(ids(&late(store)), seen, "{what}");
        let mut once = seen.clone();
        once.sort();
        once.dedup();
        assert_eq!(once.len(), seen.len(), "{what}: no id twice");
        for cut in cuts(&live_frames) {
            assert_eq!(ids(&joined(store, cut)), seen, "{what} cut {cut}");
        }
    });
}

/// A message's own id, and those of its calls.
fn ids_of(message: &Value) -> Vec<String> {
    let calls = message.get("toolCalls").and_then(Value::as_array).into_iter().flatten();
    std::iter::once(message).chain(calls).map(|one| one["id"].as_str().unwrap().to_owned()).collect()
}

/// What of the messages is of tools: the calls, and the ids of the calls that have a result.
fn tools(messages: &[Value]) -> (Vec<&Value>, Vec<&Value>) {
    let calls = messages.iter().filter_map(|message| message.get("toolCalls")?.as_array()).flatten();
    let results = messages.iter().filter(|message| message["role"] == "tool");
    (calls.collect(), results.map(|message| &message["toolCallId"]).collect())
}

#[test]
fn tools_of_ours_are_shown_only_by_option_and_each_call_then_has_its_result() {
    let mut shown = 0;
    every(|recording, end, terms, store| {
        let what = format!("{recording} {end:?} {terms:?}");
        let client = read(starter(recording), &live(store));
        let (calls, results) = tools(&client.messages);
        let theirs = replay::find(recording).unwrap().client_tools();
        let ours = calls.iter().filter(|call| !theirs.iter().any(|name| call["function"]["name"] == **name));
        let ours: Vec<&Value> = ours.map(|call| &call["id"]).collect();
        assert_eq!(ours.iter().filter(|id| !results.contains(id)).count(), 0, "{what}: a call without a result");
        assert_eq!(ours.len(), results.len(), "{what}");
        assert!(terms.public || ours.is_empty(), "{what}");
        let works = client.messages.iter().any(|message| message["role"] == "activity");
        assert_eq!(works, terms.public, "{what}");
        shown += ours.len();
    });
    assert!(shown > 20, "{shown}");
}
