//! Stored threads of every version are read, gone on with, sealed and followed.

use crate::fixtures::*;
use lastword::event::View;
use lastword::run::{Input, Need, Reply, RunRecord, Status, ThreadKeys};
use serde_json::{Value, json};

#[test]
fn every_reader_is_sent_what_it_was_sent_by_the_code_of_the_time() {
    let (mut frames, mut threads) = (0, 0);
    for fixture in fixtures() {
        for row in &fixture.rows {
            let named =
                |view: View, wire: lastword::wire::Wire| row["view"] == view.name() && row["wire"] == wire.name();
            let eye = EYES.into_iter().find(|(view, wire)| named(*view, *wire)).unwrap();
            let run = row["run"].as_str().unwrap();
            let (read, need) = read(&fixture.store, run, eye, row["joins"] == true);
            assert_eq!(rows(&read), row["frames"], "{} {eye:?} {run}", fixture.name);
            let ended = record(&fixture.store, run).is_ended();
            assert_eq!((need == Need::End, matches!(need, Need::Wait(_))), (ended, !ended), "{}", fixture.name);
            frames += read.len();
        }
        if fixture.thread != Value::Null {
            assert_eq!(rows(&follow(&fixture.store, View::Operator).0), fixture.thread, "{}", fixture.name);
            threads += 1;
        }
    }
    assert!(frames > 800 && threads > 8, "{frames} {threads}");
}

#[test]
fn every_head_is_written_in_todays_version_and_says_the_same() {
    for fixture in fixtures() {
        for run in fixture.runs() {
            let bytes = fixture.store.value(&keys(&run).head()).unwrap();
            let stored: Value = serde_json::from_slice(bytes).unwrap();
            assert_eq!(stored["v"] == 2, fixture.name.starts_with("v2"), "{}", fixture.name);
            let record = record(&fixture.store, &run);
            let written: Value = serde_json::from_slice(&record.encode()).unwrap();
            assert_eq!(written["v"], 2);
            assert_eq!(RunRecord::decode_under(&record.encode(), &keys(&run)), Ok(record));
        }
    }
}

/// A worker that is gone leaves its run to whoever comes, of whatever version.
#[test]
fn a_run_that_had_begun_is_sealed_and_its_readers_go_on_from_where_they_were() {
    let mut sealed = 0;
    for fixture in fixtures() {
        for run in fixture.runs() {
            if record(&fixture.store, &run).is_ended() {
                continue;
            }
            let mut driver = fixture.driver();
            driver.tell(&run, Input::Recover { request: 1 });
            driver.drive();
            assert_eq!(reply(&driver, 1), Reply::Ended(Status::Failed), "{}", fixture.name);
            let record = record(&driver.host.store, &run);
            assert_eq!((record.v, record.failure.unwrap().code.as_str()), (2, "worker_lost"));
            assert!(driver.host.bodies.is_empty() && driver.host.tools.is_empty(), "never executed again");
            for eye in EYES {
                let ((before, _), (after, need)) =
                    (read(&fixture.store, &run, eye, false), read(&driver.host.store, &run, eye, false));
                assert_eq!((need, &after[..before.len()]), (Need::End, before.as_slice()), "{}", fixture.name);
                assert!(after.last().unwrap().data.contains("worker_lost"));
            }
            sealed += 1;
        }
    }
    assert!(sealed >= 4, "{sealed}");
}

#[test]
fn an_interrupted_run_is_resumed_and_answered_once() {
    let mut resumed = 0;
    for fixture in fixtures() {
        let run = fixture.runs().pop().unwrap();
        let Some(interrupted) = record(&fixture.store, &run).interrupted else { continue };
        let approved = |id: &str| json!({"interruptId": id, "status": "resolved", "payload": {"approved": true}});
        let mut driver = fixture.driver();
        let wrong = post(&mut driver, fixture.resume("next", json!([approved("=x")])));
        assert!(matches!(&wrong, Reply::Refused(error) if error.code() == "interrupt_not_open"), "{wrong:?}");
        let answers: Value = interrupted.open.iter().map(|open| approved(&open.id)).collect();
        assert_eq!(post(&mut driver, fixture.resume("next", answers.clone())), Reply::Started, "{}", fixture.name);
        let status = record(&driver.host.store, "next").status;
        assert!(matches!(status, Status::Succeeded | Status::Interrupted), "{} {status:?}", fixture.name);
        let mut ran: Vec<_> = driver.host.tools.iter().map(|call| call.id.clone()).collect();
        assert!(ran.len() >= interrupted.open.len());
        ran.sort();
        ran.dedup();
        assert_eq!(ran.len(), driver.host.tools.len(), "each once");
        assert_eq!(post(&mut driver, fixture.resume("next", answers)), Reply::Join);
        resumed += 1;
    }
    assert!(resumed >= 3, "{resumed}");
}

#[test]
fn a_run_sent_again_is_joined_and_the_thread_goes_on_and_is_followed() {
    for fixture in fixtures() {
        let runs = fixture.runs();
        if runs.iter().any(|run| record(&fixture.store, run).interrupted.is_some()) || fixture.name.contains("pieces") {
            continue;
        }
        let mut driver = fixture.driver();
        // One whose worker is gone is sealed first.
        let reply = post(&mut driver, fixture.input(&runs[0]));
        assert!(matches!(reply, Reply::Join | Reply::Ended(Status::Failed)), "{} {reply:?}", fixture.name);
        assert_eq!(driver.host.bodies.len(), 0, "{}", fixture.name);
        let (before, _) = follow(&driver.host.store, View::Operator);
        assert_eq!(post(&mut driver, fixture.input("next")), Reply::Started, "{}", fixture.name);
        let (after, need) = follow(&driver.host.store, View::Operator);
        assert_eq!((need, &after[..before.len()]), (Need::Wait(1), before.as_slice()), "{}", fixture.name);
        let behind = &after[before.len()..];
        assert!(behind[0].data.starts_with(r#"{"type":"task_started""#), "{}", fixture.name);
        assert_eq!(behind.len(), read(&driver.host.store, "next", EYES[2], false).0.len());
        let thread = ThreadKeys::new(crate::common::SCOPE, crate::common::THREAD);
        assert!(driver.host.store.value(&thread.past(1)).is_some(), "{}", fixture.name);
    }
}
