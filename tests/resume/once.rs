//! Nothing is redeemed twice, and nothing is lost: resumes sent again, cancels, crashes.

use crate::common::{answer, bytes, driver};
use crate::support::*;
use lastword::event::View;
use lastword::provider::replay;
use lastword::run::{Input, Reply, Status, StoreOp};
use lastword::wire::Wire;
use serde_json::json;

#[test]
fn where_nothing_is_open_an_answer_is_refused() {
    let mut fresh = driver("approval");
    assert_eq!(refused(&mut fresh, resume("run-1", json!([yes("x")]), &[])).0, "interrupt_not_open");
    let mut driver = interrupted("approval");
    post(&mut driver, 2, resume("run-2", json!([yes("run-1-i1")]), &[]));
    assert_eq!(refused(&mut driver, resume("run-3", json!([yes("run-1-i1")]), &[])).0, "interrupt_not_open");
    assert_eq!(driver.host.tools.len(), 1);
    assert_eq!(post(&mut driver, 4, asked("run-3")), Reply::Started, "the thread is free");
}

#[test]
fn the_exact_resume_sent_again_joins_at_any_moment_and_a_changed_one_conflicts() {
    let exact = || resume("run-2", json!([yes("run-1-i1")]), &[]);
    let mut moments = 0;
    for moment in 0.. {
        let mut driver = interrupted("approval");
        driver.post(2, exact());
        let over = !(0..moment).all(|_| driver.turn());
        driver.post(3, exact());
        driver.post(4, resume("run-2", json!([no("run-1-i1")]), &[]));
        driver.drive();
        let reply = |request| driver.host.replies.iter().find(|(known, _)| *known == request).unwrap().1.clone();
        assert_eq!((reply(2), reply(3)), (Reply::Started, Reply::Join), "{moment}");
        assert!(matches!(reply(4), Reply::Refused(error) if error.code() == "run_conflict"), "{moment}");
        assert_eq!((driver.host.tools.len(), driver.host.bodies.len()), (1, 2), "redeemed once: {moment}");
        let joined = read(&driver.host.store, "run-2", View::Customer, Wire::AgUi, None);
        assert!(!bytes(&joined).contains("interrupt"), "nothing pends any more");
        moments += 1;
        if over {
            break;
        }
    }
    assert!(moments > 30, "{moments}");
}

#[test]
fn the_interrupted_run_sent_again_is_joined_whether_it_was_answered_or_not() {
    let mut driver = interrupted("approval");
    let before = bytes(&agui(&driver.host.store, "run-1"));
    assert_eq!(post(&mut driver, 2, asked("run-1")), Reply::Join);
    post(&mut driver, 3, resume("run-2", json!([yes("run-1-i1")]), &[]));
    assert_eq!(post(&mut driver, 4, asked("run-1")), Reply::Join);
    assert_eq!(bytes(&agui(&driver.host.store, "run-1")), before, "a replay changes nothing");
    let resumed = post(&mut driver, 5, resume("run-1", json!([yes("run-1-i1")]), &[]));
    assert!(matches!(resumed, Reply::Refused(error) if error.code() == "run_conflict"), "a resume is a new run");
}

#[test]
fn a_cancel_of_an_interrupted_run_is_answered_with_what_stands_and_its_interrupts_stay_open() {
    let mut driver = interrupted("approval");
    driver.tell("run-1", Input::Cancel { request: 7 });
    driver.drive();
    assert!(driver.host.replies.contains(&(7, Reply::Ended(Status::Interrupted))));
    assert_eq!(refused(&mut driver, asked("run-2")).0, "interrupt_open");
}

#[test]
fn a_crash_at_any_moment_of_the_resume_redeems_nothing_twice_and_loses_nothing() {
    let exact = || resume("run-2", json!([yes("run-1-i1")]), &[]);
    let (mut before, mut behind) = (0, 0);
    for moment in 0.. {
        let mut first = interrupted("approval");
        first.post(2, exact());
        if !(0..moment).all(|_| first.turn()) {
            break;
        }
        let ran = first.host.tools.len();
        let headed = record(&first.host.store, "run-2").is_some();
        let again = || reborn(first.host.store.clone(), "approval", 1);
        if headed {
            behind += 1;
            let mut second = again();
            post(&mut second, 3, exact());
            assert!(record(&second.host.store, "run-2").unwrap().is_ended(), "{moment}");
            assert_eq!(second.host.tools.len() + second.host.bodies.len(), 0, "never executed again: {moment}");
            let other = refused(&mut second, resume("run-3", json!([yes("run-1-i1")]), &[]));
            assert_eq!(other.0, "interrupt_not_open", "answered for good: {moment}");
            assert_eq!(post(&mut second, 4, asked("run-3")), Reply::Started, "and the thread is free");
        } else {
            before += 1;
            assert_eq!(ran, 0);
            assert_eq!(refused(&mut again(), asked("run-3")).0, "interrupt_open", "they stand again: {moment}");
            for run in ["run-2", "run-3"] {
                let mut second = again();
                assert_eq!(post(&mut second, 3, resume(run, json!([yes("run-1-i1")]), &[])), Reply::Started);
                assert_eq!(second.host.tools.len(), 1);
                let answered = answer(&agui(&second.host.store, run));
                assert_eq!(answered.as_deref(), replay::find("approval").unwrap().answer(), "{run} at {moment}");
            }
        }
    }
    assert!(before > 5 && behind > 20, "{before}, {behind}");
}

#[test]
fn a_turn_that_cannot_be_read_leaves_the_interrupts_as_they_were() {
    let mut driver = interrupted("approval");
    let turn: Vec<String> =
        driver.host.store.keys().filter(|key| key.contains("/private/")).map(str::to_owned).collect();
    assert_eq!(turn.len(), 1);
    let whole = driver.host.store.clone();
    driver.host.store.perform(StoreOp::Delete(turn));
    let reply = post(&mut driver, 2, resume("run-2", json!([yes("run-1-i1")]), &[]));
    assert!(matches!(reply, Reply::Refused(error) if error.code() == "record_unreadable"));
    assert!(record(&driver.host.store, "run-2").is_none() && driver.host.tools.is_empty());
    assert_eq!(refused(&mut driver, asked("run-3")).0, "interrupt_open");
    let mut healed = reborn(whole, "approval", 1);
    assert_eq!(post(&mut healed, 3, resume("run-2", json!([yes("run-1-i1")]), &[])), Reply::Started);
}

#[test]
fn two_answers_at_once_redeem_once() {
    let mut driver = interrupted("approval");
    driver.post(2, resume("run-2", json!([yes("run-1-i1")]), &[]));
    driver.post(3, resume("run-3", json!([yes("run-1-i1")]), &[]));
    driver.drive();
    let reply = |request| driver.host.replies.iter().find(|(known, _)| *known == request).unwrap().1.clone();
    assert_eq!(reply(2), Reply::Started);
    assert!(matches!(reply(3), Reply::Refused(error) if error.code() == "thread_busy"));
    assert_eq!(driver.host.tools.len(), 1);
    assert_eq!(refused(&mut driver, resume("run-3", json!([yes("run-1-i1")]), &[])).0, "interrupt_not_open");
}

#[test]
fn a_cancel_at_any_moment_of_the_resume_ends_it_and_leaves_the_thread_free() {
    let mut cancelled = 0;
    for moment in 0.. {
        let mut driver = interrupted("approval");
        driver.post(2, resume("run-2", json!([yes("run-1-i1")]), &[]));
        if !(0..moment).all(|_| driver.turn()) {
            break;
        }
        driver.tell("run-2", Input::Cancel { request: 7 });
        driver.drive();
        let status = record(&driver.host.store, "run-2").unwrap().status;
        cancelled += usize::from(status == Status::Cancelled);
        assert!(matches!(status, Status::Cancelled | Status::Succeeded), "{moment}: {status:?}");
        assert!(driver.host.tools.len() <= 1);
        assert_eq!(refused(&mut driver, resume("run-3", json!([yes("run-1-i1")]), &[])).0, "interrupt_not_open");
        assert_eq!(post(&mut driver, 9, asked("run-3")), Reply::Started);
    }
    assert!(cancelled > 20, "{cancelled}");
}
