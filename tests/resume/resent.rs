//! Input that is sent again: what is the same run, what is a conflict, and what is refused before it starts.

use crate::common::{SCOPE, THREAD, answer, driver, setup};
use crate::support::*;
use lastword::driver::{Blocking, Simulated};
use lastword::event::View;
use lastword::input::RunInput;
use lastword::provider::replay;
use lastword::run::{Reply, Setup, Status, Thread, Traits};
use lastword::wire::Wire;
use lastword::wire::agui::{Limits, parse};
use serde_json::{Value, json};
use std::rc::Rc;

/// A run's input with these messages and this state.
fn sent(run: &str, messages: &[Value], state: Value) -> Rc<RunInput> {
    let body = json!({"threadId": THREAD, "runId": run, "messages": messages, "state": state});
    Rc::new(parse(body.to_string().as_bytes(), &Limits::default()).unwrap())
}

fn question() -> Value {
    json!({"id": "u1", "role": "user", "content": "Where is my refund?"})
}

#[test]
fn a_client_that_sends_back_what_it_received_is_recognised_at_any_moment() {
    let mut joins = 0;
    for moment in 0.. {
        let mut driver = driver("narrated-refund");
        driver.post(1, sent("run-1", &[question()], json!({})));
        let over = !(0..moment).all(|_| driver.turn());
        let said = [
            question(),
            json!({"id": "run-1-t1", "role": "reasoning", "content": "Public thinking."}),
            json!({"id": "run-1-a", "role": "assistant", "content": "Half an answ"}),
            json!({"id": "x", "role": "activity", "activityType": "plan", "content": {}}),
        ];
        driver.post(2, sent("run-1", &said, json!({"step": moment})));
        driver.drive();
        let replies: Vec<_> = driver.host.replies.iter().map(|(_, reply)| reply.clone()).collect();
        assert_eq!(replies, [Reply::Started, Reply::Join], "{moment}");
        assert_eq!(driver.host.bodies.len(), 3, "one execution");
        joins += 1;
        if over {
            break;
        }
    }
    assert!(joins > 100, "{joins}");
}

#[test]
fn what_a_person_or_a_tool_says_anew_makes_another_input() {
    let mut driver = driver("narrated-refund");
    assert_eq!(post(&mut driver, 1, sent("run-1", &[question()], json!({}))), Reply::Started);
    for more in [
        json!({"id": "u2", "role": "user", "content": "Hello?"}),
        json!({"id": "t", "role": "tool", "toolCallId": "c", "content": "rain"}),
        json!({"id": "s", "role": "system", "content": "Be brief."}),
    ] {
        let (code, _) = refused(&mut driver, sent("run-1", &[question(), more], json!({})));
        assert_eq!(code, "run_conflict");
    }
    assert_eq!(driver.host.bodies.len(), 3);
}

#[test]
fn a_run_that_is_over_is_replayed_though_the_thread_has_gone_on() {
    let mut driver = driver("narrated-refund");
    let first = || sent("run-1", &[question()], json!({}));
    post(&mut driver, 1, first());
    let before = agui(&driver.host.store, "run-1");
    post(&mut driver, 2, sent("run-2", &[question()], json!({})));
    assert_eq!(post(&mut driver, 3, first()), Reply::Join);
    assert_eq!(agui(&driver.host.store, "run-1"), before);
    let joined = read(&driver.host.store, "run-1", View::Customer, Wire::AgUi, None);
    assert!(
        answer(&before).is_some_and(|answer| joined.iter().any(|frame| frame.data.contains(&answer[..11]))),
        "a snapshot has it"
    );
}

#[test]
fn a_second_run_on_a_busy_thread_is_refused_before_it_starts_and_leaves_no_trace() {
    let second = || sent("run-2", &[question()], json!({}));
    let mut refusals = 0;
    for moment in 20.. {
        let mut driver = driver("narrated-refund");
        driver.post(1, sent("run-1", &[question()], json!({})));
        if !(0..moment).all(|_| driver.turn()) || record(&driver.host.store, "run-1").unwrap().is_ended() {
            break;
        }
        driver.post(2, second());
        while !driver.host.replies.iter().any(|(request, _)| *request == 2) {
            assert!(driver.turn());
        }
        let reply = driver.host.replies.iter().rfind(|(request, _)| *request == 2).unwrap().1.clone();
        let Reply::Refused(error) = reply else { continue };
        assert_eq!(error.code(), "thread_busy");
        assert!(!driver.host.store.keys().any(|key| key.contains("run-2")), "nothing of it is there: {moment}");
        driver.drive();
        // The id is free, for another input too.
        let other = json!({"id": "u9", "role": "user", "content": "Something else"});
        assert_eq!(post(&mut driver, 3, sent("run-2", &[other], json!({}))), Reply::Started);
        refusals += 1;
    }
    assert!(refusals > 50, "{refusals}");
}

#[test]
fn an_id_of_another_thread_is_a_conflict() {
    let mut driver = driver("narrated-refund");
    post(&mut driver, 1, sent("run-1", &[question()], json!({})));
    let thread_2 = Thread::new(SCOPE, "thread-2", 30_000, Traits::DURABLE_OBJECT);
    let setup = Setup { thread: "thread-2".into(), ..setup("i1") };
    let mut host = Simulated::new(replay::find("refusal").unwrap(), 1);
    host.store = driver.host.store.clone();
    let mut elsewhere = Blocking::new(host, setup, thread_2);
    let body = json!({"threadId": "thread-2", "runId": "run-1", "messages": [question()]});
    let input = Rc::new(parse(body.to_string().as_bytes(), &Limits::default()).unwrap());
    assert_eq!(refused(&mut elsewhere, input).0, "run_conflict");
    assert_eq!(record(&elsewhere.host.store, "run-1").unwrap().status, Status::Succeeded);
}
