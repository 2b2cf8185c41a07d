//! Requests that meet a claim at its worst moments: one thread has one run, and no resume is turned away
//! for what somebody else looked for.

use crate::common::host::forward;
use crate::common::{input, input_of, setup, thread};
use crate::support::*;
use lastword::driver::{Blocking, Host, Simulated};
use lastword::provider::replay;
use lastword::run::{Input, Reply, Status, StoreOp, StoreReply};
use serde_json::json;

#[test]
fn a_resume_sent_again_while_its_lost_thread_is_looked_after_is_redeemed() {
    let exact = || resume("run-2", json!([yes("run-1-i1")]), &[]);
    let mut moments = 0;
    for moment in 0.. {
        let mut first = interrupted("approval");
        first.post(2, exact());
        assert!((0..moment).all(|_| first.turn()));
        if record(&first.host.store, "run-2").is_some() {
            break;
        }
        for delay in 0..6 {
            let mut second = reborn(first.host.store.clone(), "approval", 1);
            second.alarm();
            (0..delay).for_each(|_| _ = second.turn());
            assert_eq!(post(&mut second, 3, exact()), Reply::Started, "{moment}, {delay}");
            assert_eq!(second.host.tools.len(), 1);
            moments += 1;
        }
    }
    assert!(moments > 40, "{moments}");
}

#[test]
fn an_input_that_is_not_the_claimed_one_never_begins_though_the_claim_was_lost() {
    let mut first = crate::common::driver("refusal");
    first.post(1, input("run-1", &[]));
    let active = |driver: &Driver| driver.host.store.keys().any(|key| key.ends_with("/!active"));
    while !active(&first) {
        assert!(first.turn());
    }
    assert!(record(&first.host.store, "run-1").is_none());
    for delay in 0..6 {
        let mut second = reborn(first.host.store.clone(), "refusal", 1);
        second.alarm();
        (0..delay).for_each(|_| _ = second.turn());
        assert_eq!(refused(&mut second, input_of("run-1", "Something else", &[])).0, "run_conflict", "{delay}");
        assert_eq!(post(&mut second, 4, input("run-1", &[])), Reply::Started);
    }
}

#[test]
fn a_join_that_comes_before_its_run_lets_no_other_into_the_thread() {
    for (join, other) in (0..16).flat_map(|join| (0..16).map(move |other| (join, other))) {
        let mut driver = crate::common::driver("refusal");
        driver.post(1, input("run-1", &[]));
        for turn in 0..16 {
            if turn == join {
                driver.tell("run-1", Input::Recover { request: 2 });
            }
            if turn == other {
                driver.post(3, input("run-2", &[]));
            }
            driver.turn();
        }
        let both = |driver: &Driver| {
            let begun = |run| record(&driver.host.store, run).is_some_and(|record| record.status == Status::Started);
            begun("run-1") && begun("run-2")
        };
        while driver.turn() {
            assert!(!both(&driver), "join at {join}, the other at {other}");
        }
    }
}

/// A host whose store fails from one operation on, for some.
pub struct Faulty {
    pub inner: Simulated,
    /// After so many operations,
    pub at: usize,
    /// so many
    pub lasting: usize,
    /// are answered so.
    pub fault: StoreReply,
    /// They are performed all the same.
    pub written: bool,
}

impl Host for Faulty {
    forward!(now wait_until call_model read abort call_tool wake set_alarm reply log);

    fn store(&mut self, op: StoreOp) -> StoreReply {
        if self.at > 0 {
            self.at -= 1;
            return self.inner.store(op);
        }
        // Who only reads is told at once whether it was read.
        let fault = if matches!(op, StoreOp::Load(_)) { StoreReply::Unavailable } else { self.fault.clone() };
        if self.lasting == 0 {
            return self.inner.store(op);
        }
        self.lasting -= 1;
        if self.written {
            self.inner.store(op);
        }
        fault
    }
}

#[test]
fn a_store_that_is_away_for_a_moment_lets_no_second_run_in_beside_a_request_sent_twice() {
    for (away, again, other) in (0..9).flat_map(|a| (0..9).flat_map(move |b| (0..9).map(move |c| (a, b, c)))) {
        let inner = Simulated::new(replay::find("refusal").unwrap(), 1);
        let host = Faulty { inner, at: away, lasting: 1, fault: StoreReply::Unavailable, written: false };
        let mut driver = Blocking::new(host, setup("i1"), thread());
        driver.post(1, input("run-1", &[]));
        for turn in 0..12 {
            if turn == again {
                driver.post(2, input("run-1", &[]));
            }
            if turn == other {
                driver.post(3, input("run-2", &[]));
            }
            driver.turn();
        }
        loop {
            let begun =
                |run| record(&driver.host.inner.store, run).is_some_and(|record| record.status == Status::Started);
            assert!(!(begun("run-1") && begun("run-2")), "{away}, {again}, {other}");
            if !driver.turn() {
                break;
            }
        }
        assert_eq!(driver.host.inner.replies.len(), 3, "everybody is answered: {away}, {again}, {other}");
    }
}

#[test]
fn a_claim_that_was_lost_is_judged_anew_when_it_is_asked_for_again() {
    let both = || json!([yes("run-1-i1"), yes("run-1-i2")]);
    let mut first = interrupted("approvals-parallel");
    first.post(2, resume("run-2", both(), &[]));
    let active = |driver: &Driver| {
        let key = driver.host.store.keys().find(|key| key.ends_with("/!active")).unwrap();
        String::from_utf8(driver.host.store.value(key).unwrap().to_vec()).unwrap()
    };
    while !active(&first).contains("run-2") {
        assert!(first.turn());
    }
    assert!(record(&first.host.store, "run-2").is_none());
    let mut second = reborn(first.host.store.clone(), "approvals-parallel", 1);
    second.host.now = first.host.now + 6_001;
    assert_eq!(refused(&mut second, resume("run-2", both(), &[])).0, "interrupt_expired");
    let given_up = json!([given_up("run-1-i1"), given_up("run-1-i2")]);
    assert_eq!(post(&mut second, 4, resume("run-3", given_up, &[])), Reply::Started);
    assert!(second.host.tools.is_empty());
}
