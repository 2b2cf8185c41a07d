//! A failed attempt is made again: what is, how often, when, and that nothing of it is published.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use common::host::forward;
use common::{all, answer, bytes, input, record, setup, setup_of, thread, value};
use lastword::driver::{Blocking, Chunk, Host, Simulated};
use lastword::event::View;
use lastword::provider::replay;
use lastword::run::{Input, Limits, ModelCall, Setup, Status};
use lastword::wire::Wire;
use std::collections::VecDeque;

/// What becomes of an attempt.
#[derive(Clone)]
enum Fate {
    /// The recording's next response.
    Plays,
    Refused(u16),
    Unreachable,
    /// These bytes, and then the end.
    Says(&'static str),
    /// These bytes, and then nothing.
    Stalls(&'static str),
}
use Fate::*;

/// A host whose attempts fail as they are told to.
struct Flaky {
    inner: Simulated,
    fates: VecDeque<Fate>,
    now: Fate,
    said: bool,
    played: u32,
    began: Vec<u64>,
    aborted: Vec<ModelCall>,
}

impl Host for Flaky {
    forward!(now wait_until store call_tool wake set_alarm reply log);

    fn call_model(&mut self, run: &str, _: ModelCall, body: Vec<u8>) {
        self.now = self.fates.pop_front().unwrap_or(Plays);
        self.said = false;
        self.began.push(self.inner.now);
        if matches!(self.now, Plays) {
            self.played += 1;
            return self.inner.call_model(run, self.played, body);
        }
        self.inner.bodies.push(body);
    }
    fn read(&mut self, run: &str, _: ModelCall, until: Option<u64>) -> Chunk {
        let said = std::mem::replace(&mut self.said, true);
        match self.now {
            Plays => self.inner.read(run, self.played, until),
            Refused(status) => Chunk::Refused(status),
            Unreachable => Chunk::Unreachable,
            Says(text) | Stalls(text) if !said && !text.is_empty() => Chunk::Bytes(text.into()),
            Says(_) => Chunk::Eof,
            Stalls(_) => Chunk::NotYet,
        }
    }
    fn abort(&mut self, _: &str, call: ModelCall) {
        self.aborted.push(call);
    }
}

fn driver(recording: &str, retries: u32, fates: &[Fate]) -> Blocking<Flaky> {
    let inner = Simulated::new(replay::find(recording).unwrap(), 1);
    let fates = fates.iter().cloned().collect();
    let host = Flaky { inner, fates, now: Plays, said: false, played: 0, began: vec![], aborted: vec![] };
    let mut setup = Setup { limits: Limits { retries, ..Limits::default() }, ..setup("i1") };
    setup.profile.public_thinking = true;
    let mut driver = Blocking::new(host, setup, thread());
    driver.post(1, input("run-1", &[]));
    driver
}

fn played(recording: &str, retries: u32, fates: &[Fate]) -> Flaky {
    let mut driver = driver(recording, retries, fates);
    driver.drive();
    driver.host
}

const HALF: &str = "data: {\"choices\":[{\"index\":0,\"delta\":{\"reasoning_content\":\"Wond\"}}]}\n\n\
     data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Half a \"}}]}\n\n";
const THINKS: &str = "data: {\"choices\":[{\"index\":0,\"delta\":{\"reasoning_content\":\"Pondering.\"}}]}\n\n";
const REPORTS: &str = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Half a \"}}]}\n\n\
     data: {\"error\":{\"message\":\"overloaded\"}}\n\n";
const COSTS: &str = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Half a \"}}],\
     \"usage\":{\"prompt_tokens\":1000,\"completion_tokens\":1,\"total_tokens\":1001}}\n\n";
const FILTERED: &str = "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"content_filter\"}]}\n\n\
     data: [DONE]\n\n";
const FINISHED: &str =
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Fine.\"},\"finish_reason\":\"stop\"}]}\n\n";
const CALLS: &str = "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c\",\
     \"function\":{\"name\":\"look\",\"arguments\":\"{}\"}}]},\"finish_reason\":\"tool_calls\"}]}\n\n";
const GARBAGE: &str = "data: {]\n\n";

#[test]
fn whatever_may_pass_is_made_again_and_the_answer_comes() {
    for fate in [
        Unreachable,
        Refused(408),
        Refused(429),
        Refused(500),
        Refused(503),
        Says(""),
        Says(HALF),
        Says(REPORTS),
        Stalls(""),
        Stalls(HALF),
    ] {
        let host = played("narrated-refund", 1, std::slice::from_ref(&fate));
        let frames = all(&host.inner, View::Customer, Wire::AgUi);
        assert_eq!(answer(&frames).as_deref(), replay::find("narrated-refund").unwrap().answer());
        assert!(!bytes(&frames).contains("Half a"), "nothing of the failed attempt is published");
        let operator = all(&host.inner, View::Operator, Wire::Canonical);
        let resets: Vec<_> = operator.iter().map(value).filter(|event| event["type"] == "attempt_reset").collect();
        assert_eq!(resets.iter().map(|reset| reset["ordinal"].as_u64().unwrap()).collect::<Vec<_>>(), [1]);
        assert_eq!(host.inner.bodies.len(), 4);
        assert_eq!(host.inner.bodies[0], host.inner.bodies[1], "the same request again");
        assert_eq!(host.inner.logs.len(), 1, "the operator's log knows");
    }
}

#[test]
fn a_response_that_has_finished_and_then_stalls_is_whole() {
    let host = played("narrated-refund", 1, &[Stalls(FINISHED)]);
    assert_eq!(answer(&all(&host.inner, View::Customer, Wire::AgUi)).as_deref(), Some("Fine."));
    assert_eq!(record(&host.inner).status, Status::Succeeded);
    assert_eq!((host.inner.bodies.len(), host.aborted), (1, vec![1]), "it is not made again, and let go of");
}

#[test]
fn a_call_that_has_finished_and_then_stalls_goes_on() {
    let host = played("narrated-refund", 1, &[Stalls(CALLS)]);
    assert_eq!(record(&host.inner).status, Status::Succeeded);
    assert!(
        host.inner.bodies.len() > 1 && host.aborted.starts_with(&[1]),
        "the next call is made, the first let go of"
    );
}

#[test]
fn whatever_would_fail_again_is_not_made_again() {
    for (fate, code) in [
        (Refused(400), "upstream_rejected"),
        (Refused(401), "upstream_rejected"),
        (Says(FILTERED), "content_filter"),
        (Says(GARBAGE), "upstream_malformed"),
    ] {
        let host = played("narrated-refund", 5, &[fate]);
        assert_eq!(record(&host.inner).failure.unwrap().code, code);
        assert_eq!(host.inner.bodies.len(), 1, "{code}");
    }
}

#[test]
fn none_is_made_again_unless_somebody_says_so_and_none_too_often() {
    for (retries, calls) in [(0, 1), (1, 2), (3, 4)] {
        let host = played("narrated-refund", retries, &vec![Refused(503); 9]);
        assert_eq!(record(&host.inner).failure.unwrap().code, "upstream_unavailable");
        assert_eq!(host.inner.bodies.len(), calls);
    }
}

#[test]
fn a_pause_comes_before_each_and_the_next_call_has_attempts_of_its_own() {
    let fates = [Refused(503), Refused(503), Plays, Refused(503), Unreachable];
    let host = played("narrated-refund", 2, &fates);
    assert_eq!(record(&host.inner).status, Status::Succeeded);
    let pauses: Vec<u64> = host.began.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert_eq!((pauses[0], pauses[1], pauses[3], pauses[4]), (250, 500, 250, 500));
    let operator = all(&host.inner, View::Operator, Wire::Canonical);
    let resets = operator.iter().map(value).filter(|event| event["type"] == "attempt_reset");
    assert_eq!(resets.map(|reset| reset["ordinal"].as_u64().unwrap()).collect::<Vec<_>>(), [1, 1, 2, 2]);
    let ended = operator.iter().map(value).filter(|event| event["type"] == "response_ended");
    assert_eq!(ended.map(|ended| ended["ordinal"].as_u64().unwrap()).collect::<Vec<_>>(), [1, 2, 3]);
}

#[test]
fn each_attempt_has_the_whole_time_to_its_first_byte() {
    let host = driver("narrated-refund", 2, &[Says(HALF), Stalls("")]).host;
    let limits = Limits { retries: 2, first_byte: 5_000, idle: 1_000, ..Limits::default() };
    let mut driver = Blocking::new(host, Setup { limits, ..setup("i1") }, thread());
    driver.post(1, input("run-1", &[]));
    driver.drive();
    assert_eq!(record(&driver.host.inner).status, Status::Succeeded);
    assert_eq!(driver.host.began[2] - driver.host.began[1], 5_500, "then the pause");
}

#[test]
fn public_thinking_of_a_failed_attempt_is_closed_and_never_opened_again() {
    let host = played("narrated-refund", 1, &[Says(THINKS)]);
    let events: Vec<_> = all(&host.inner, View::Customer, Wire::Canonical).iter().map(value).collect();
    let of = |kind: &str| events.iter().filter(|event| event["type"] == kind).collect::<Vec<_>>();
    assert_eq!(of("thinking")[0]["delta"], "Pondering.");
    assert_eq!(of("thinking_start").len(), of("thinking_end").len());
    let ids: Vec<_> = of("thinking_start").iter().map(|event| event["message"].clone()).collect();
    assert!(ids.iter().enumerate().all(|(at, id)| !ids[..at].contains(id)), "{ids:?}");
}

#[test]
fn what_a_failed_attempt_cost_still_counts() {
    let tokens = |host: &Flaky| record(&host.inner).usage.iter().filter_map(|usage| usage.tokens.input).sum::<u64>();
    let plain = tokens(&played("narrated-refund", 1, &[]));
    assert_eq!(tokens(&played("narrated-refund", 1, &[Says(COSTS)])), plain + 1000);
}

#[test]
fn a_cancel_during_the_pause_ends_the_run_and_nothing_is_called_any_more() {
    let mut driver = driver("narrated-refund", 5, &vec![Refused(503); 9]);
    while driver.host.inner.logs.is_empty() {
        assert!(driver.turn());
    }
    driver.tell("run-1", Input::Cancel { request: 2 });
    driver.drive();
    assert_eq!(record(&driver.host.inner).status, Status::Cancelled);
    assert_eq!(driver.host.inner.bodies.len(), 1);
}

#[test]
fn the_limit_on_the_run_ends_the_attempts_too() {
    let limits = Limits { retries: 5, run: 600, ..Limits::default() };
    let host = driver("narrated-refund", 5, &vec![Refused(503); 9]).host;
    let mut driver = Blocking::new(host, Setup { limits, ..setup("i1") }, thread());
    driver.post(1, input("run-1", &[]));
    driver.drive();
    assert_eq!(record(&driver.host.inner).failure.unwrap().code, "run_timeout");
    assert_eq!(driver.host.inner.bodies.len(), 2, "at 0 and at 250 ms, not at 750 ms");
}

#[test]
fn a_recording_plays_its_next_response_to_the_next_attempt() {
    let recording = replay::find("failed-attempt").unwrap();
    let setup = Setup { limits: Limits { retries: 1, ..Limits::default() }, ..setup("i1") };
    let mut driver = Blocking::new(Simulated::new(recording, 1), setup, thread());
    driver.post(1, input("run-1", &[]));
    driver.drive();
    assert_eq!(answer(&all(&driver.host, View::Customer, Wire::AgUi)).as_deref(), Some("Expect rain from noon."));
}

#[test]
fn an_early_answer_of_a_failed_attempt_is_withdrawn_and_the_next_one_has_an_id_of_its_own() {
    const HALF: &str = "data: {\"type\":\"response_start\"}\n\n\
         data: {\"type\":\"item_start\",\"phase\":\"final_answer\"}\n\n\
         data: {\"type\":\"text\",\"delta\":\"Half an early answer\"}\n\n";
    let recording = replay::find("phases").unwrap();
    let inner = Simulated::new(recording, 1);
    let host =
        Flaky { inner, fates: [Says(HALF)].into(), now: Plays, said: false, played: 0, began: vec![], aborted: vec![] };
    let mut setup = Setup { limits: Limits { retries: 1, ..Limits::default() }, ..setup_of(recording) };
    setup.rule.early = true;
    let mut driver = Blocking::new(host, setup, thread());
    driver.post(1, input("run-1", &[]));
    driver.drive();
    let events: Vec<_> = all(&driver.host.inner, View::Customer, Wire::Canonical).iter().map(value).collect();
    let of = |kind: &str| events.iter().filter(|event| event["type"] == kind).collect::<Vec<_>>();
    assert_eq!(of("content")[0]["delta"], "Half an early answer");
    assert_eq!(of("content_withdrawn")[0]["message"], of("content")[0]["message"]);
    let message = &of("content_end").last().unwrap()["message"];
    assert_ne!(message, &of("content")[0]["message"]);
    let said = of("content").into_iter().filter(|event| event["message"] == *message);
    let said: String = said.map(|event| event["delta"].as_str().unwrap()).collect();
    assert_eq!(Some(said.as_str()), recording.answer());
}
