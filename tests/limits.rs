//! The bounds of a run, over the blocking driver: time, steps, parts.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use common::host::forward;
use common::{all, answer, driver, input, record, setup, thread};
use lastword::driver::{Blocking, Chunk, Host, Simulated};
use lastword::event::View;
use lastword::provider::replay;
use lastword::run::{Action, Input, Limits, ModelCall, Reply, Run, Setup, StoreReply, Version};
use lastword::wire::Wire;
use std::rc::Rc;

/// Time limits: what a provider or a tool that hangs comes to.
struct Hangs {
    inner: Simulated,
}

impl Host for Hangs {
    forward!(now wait_until store call_tool wake set_alarm reply log);

    fn call_model(&mut self, _: &str, _: ModelCall, _: Vec<u8>) {}
    fn read(&mut self, _: &str, _: ModelCall, _: Option<u64>) -> Chunk {
        Chunk::NotYet
    }
    fn abort(&mut self, _: &str, _: ModelCall) {}
}

#[test]
fn a_provider_that_hangs_is_a_timeout_after_its_limit() {
    for (limits, code, after) in [
        (Limits { first_byte: 5_000, ..Limits::default() }, "upstream_timeout", 5_000),
        (Limits { first_byte: 50_000, run: 2_000, ..Limits::default() }, "run_timeout", 2_000),
    ] {
        let host = Hangs { inner: Simulated::new(replay::find("narrated-refund").unwrap(), 1) };
        let mut driver = Blocking::new(host, Setup { limits, ..setup("i1") }, thread());
        let begun = driver.host.inner.now;
        driver.post(1, input("run-1", &[]));
        driver.drive();
        assert_eq!(record(&driver.host.inner).failure.unwrap().code, code);
        assert_eq!(driver.host.inner.now - begun, after);
    }
}

#[test]
fn the_limit_on_steps_ends_a_turn_that_never_answers() {
    let host = Simulated::new(replay::find("narrated-refund").unwrap(), 1);
    let setup = Setup { limits: Limits { steps: 2, ..Limits::default() }, ..setup("i1") };
    let mut driver = Blocking::new(host, setup, thread());
    driver.post(1, input("run-1", &[]));
    driver.drive();
    assert_eq!(record(&driver.host).failure.unwrap().code, "step_limit");
    assert_eq!(answer(&all(&driver.host, View::Customer, Wire::AgUi)), None);
}

#[test]
fn an_unsupported_part_is_refused_before_anything_is_claimed() {
    let mut odd = (*input("run-1", &[])).clone();
    let video = lastword::input::Source::Url { value: "http://127.0.0.1/v".into(), mime: None };
    let part = lastword::input::Part::Media { kind: lastword::input::Media::Video, source: video };
    odd.messages.push(lastword::input::Message::User(vec![part]));
    let mut driver = driver("narrated-refund");
    driver.post(1, Rc::new(odd));
    driver.drive();
    assert!(matches!(&driver.host.replies[..], [(1, Reply::Refused(error))] if error.code() == "unsupported_part"));
    assert!(!driver.host.store.keys().any(|key| key.ends_with("/head")));
}

#[test]
fn a_run_whose_time_is_up_while_it_is_claimed_asks_for_no_call_before_one_can_be_used() {
    let limits = Limits { run: 5, ..Limits::default() };
    let mut run = Run::new(Setup { limits, ..setup("i1") });
    run.step(0, Input::Post { request: 1, input: input("run-1", &[]), answers: None, lost: false });
    assert_eq!(run.deadline(), None, "the store answers when it does");
    run.step(10, Input::Store(StoreReply::Missing));
    run.step(10, Input::Store(StoreReply::Unavailable));
    let again = run.deadline().unwrap();
    assert!(again > 10, "the next try");
    assert!(matches!(run.step(again, Input::Tick)[..], [Action::Store(_)]));
    assert_eq!(run.deadline(), None);
    run.step(again, Input::Store(StoreReply::Saved(Version("1".into()))));
    assert_eq!(run.deadline(), Some(5), "at once");
}
