//! Whatever the store answers at any moment of a claim and of its run: nobody is left without an answer,
//! nothing runs twice, and the thread goes on.

use crate::common::{followed, setup_of, thread};
use crate::races::Faulty;
use crate::support::*;
use lastword::driver::{Blocking, Host, Simulated};
use lastword::provider::replay;
use lastword::run::{Reply, StoreReply};
use serde_json::json;

/// Plays on, and lets the alarm go off while one is set.
fn settle(driver: &mut Blocking<Faulty>) {
    driver.drive();
    for _ in 0..60 {
        let Some(at) = driver.host.inner.alarm.take() else { return };
        driver.host.wait_until(at);
        driver.alarm();
        driver.drive();
    }
    panic!("the alarm is set for ever");
}

#[test]
fn a_store_that_fails_at_any_moment_of_a_resume_redeems_nothing_twice_and_leaves_the_thread_usable() {
    let recording = replay::find("approval").unwrap();
    let answers = || json!([yes("run-1-i1")]);
    let (mut begun, mut none) = (0, 0);
    for (fault, lasting) in [
        (StoreReply::Unavailable, 1),
        (StoreReply::Unavailable, 40),
        (StoreReply::Uncertain, 1),
        (StoreReply::Uncertain, 40),
    ] {
        for (written, at, gap) in
            [false, true].into_iter().flat_map(|w| (0..30).flat_map(move |at| [0, 7].map(|gap| (w, at, gap))))
        {
            if written && fault == StoreReply::Unavailable {
                continue;
            }
            let case = format!("{fault:?} x{lasting}, written: {written}, at {at}, {gap}");
            let mut inner = Simulated::new(recording, 1);
            inner.store = interrupted("approval").host.store;
            let host = Faulty { inner, at, lasting, fault: fault.clone(), written };
            let mut driver = Blocking::new(host, setup_of(recording), thread());
            driver.post(2, resume("run-2", answers(), &[]));
            (0..gap).for_each(|_| _ = driver.turn());
            driver.post(3, resume("run-2", answers(), &[]));
            driver.post(4, resume("run-3", answers(), &[]));
            settle(&mut driver);
            let host = &driver.host.inner;
            for request in 2..=4 {
                let replies = host.replies.iter().filter(|(known, _)| *known == request).count();
                assert_eq!(replies, 1, "{case}: request {request}");
            }
            assert!(host.tools.len() <= 1, "{case}");
            let headed: Vec<&str> =
                ["run-2", "run-3"].into_iter().filter(|run| record(&host.store, run).is_some()).collect();
            assert!(headed.len() <= 1, "{case}: {headed:?}");
            let all: Vec<&str> = [&["run-1"][..], &headed].concat();
            assert_eq!(followed(&host.store), all, "{case}");
            let mut after = reborn(host.store.clone(), "approval", 1);
            if headed.is_empty() {
                none += 1;
                assert_eq!(refused(&mut after, asked("run-4")).0, "interrupt_open", "{case}");
                assert_eq!(post(&mut after, 6, resume("run-4", answers(), &[])), Reply::Started, "{case}");
            } else {
                begun += 1;
                assert_eq!(post(&mut after, 6, asked("run-4")), Reply::Started, "{case}");
                assert!(record(&after.host.store, headed[0]).unwrap().is_ended(), "{case}");
            }
            let all: Vec<&str> = [&all[..], &["run-4"]].concat();
            assert_eq!(followed(&after.host.store), all, "{case}");
        }
    }
    assert!(begun > 100 && none > 30, "{begun}, {none}");
}
