//! A worker that is lost at any moment, with every option on: what was open is closed, what streamed early is
//! withdrawn, on every wire, whoever reads.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use common::{all, bytes, driver_of, input, record, setup_of, value};
use lastword::driver::{Simulated, collect};
use lastword::event::View;
use lastword::provider::replay;
use lastword::run::{Cursor, Input, Need, Reply, Setup};
use lastword::sse::Frame;
use lastword::turn::Rule;
use lastword::wire::Wire;
use std::collections::BTreeMap;

/// What each kind of frame opens or closes, by its id.
fn scope(frame: &serde_json::Value) -> Option<(String, bool)> {
    let kind = frame["type"].as_str().unwrap();
    let (what, open) = match kind.rsplit_once('_')? {
        (what, "START") => (what, true),
        (what, "END") => (what, false),
        _ => return None,
    };
    let id = frame.get("messageId").or(frame.get("toolCallId"))?.as_str().unwrap();
    Some((format!("{what} {id}"), open))
}

/// All that began has ended, in front of the one terminal.
fn assert_closed(frames: &[Frame], case: &str) {
    let frames: Vec<_> = frames.iter().map(value).collect();
    let mut open: BTreeMap<String, bool> = BTreeMap::new();
    for (scope, begins) in frames.iter().filter_map(scope) {
        assert_ne!(open.insert(scope.clone(), begins), Some(begins), "{case}: {scope}");
    }
    assert!(open.values().all(|open| !open), "{case}: {open:?}");
    let ends = |frame: &serde_json::Value| matches!(frame["type"].as_str().unwrap(), "RUN_FINISHED" | "RUN_ERROR");
    assert_eq!(frames.iter().position(ends), Some(frames.len() - 1), "{case}");
}

#[test]
fn all_that_is_open_is_closed_and_withdrawn_whatever_is_shown_to_the_customer() {
    let (mut lost, mut withdrawn, mut shown) = (0, 0, 0);
    for name in replay::names() {
        let recording = replay::find(name).unwrap();
        let tools: Vec<&str> = recording.client_tools().iter().map(String::as_str).collect();
        let setup = |instance: &str| {
            let mut setup = setup_of(recording);
            setup.profile.public_intermediate = true;
            setup.profile.public_thinking = true;
            setup.profile.public_tools = true;
            setup.profile.public_working = true;
            Setup { rule: Rule { early: true, ..Rule::default() }, instance: instance.into(), ..setup }
        };
        for moment in (0..150).step_by(3) {
            let case = format!("{name} at {moment}");
            let mut first = driver_of(Simulated::new(recording, 1), setup("i1"));
            first.post(1, input("run-1", &tools));
            let mut over = false;
            for turn in 0..moment {
                if turn == 12 {
                    first.tell("run-1", Input::Readers { customer: 1, operator: 1 });
                }
                over |= !first.turn();
            }
            if over {
                break;
            }
            if !first.host.store.keys().any(|key| key.ends_with("/head")) {
                continue;
            }
            let from_start = || common::reader(View::Customer, Wire::AgUi, Some(Cursor::START));
            let (before, _) = collect(&first.host.store, from_start());
            let mut host = Simulated::new(recording, 1);
            host.store = first.host.store.clone();
            let mut second = driver_of(host, setup("i2"));
            second.post(2, input("run-1", &tools));
            second.drive();
            assert!(matches!(second.host.replies[..], [(2, Reply::Join | Reply::Ended(_))]), "{case}");
            assert_eq!(second.host.bodies.len() + second.host.tools.len(), 0, "{case}");
            let frames = all(&second.host, View::Customer, Wire::AgUi);
            assert_eq!(frames[..before.len()], before[..], "{case}");
            assert_closed(&frames, &case);
            let joined = common::reader(View::Customer, Wire::AgUi, None);
            let (joined, need) = collect(&second.host.store, joined);
            assert_eq!(need, Need::End, "{case}");
            assert_closed(&joined, &case);
            let record = record(&second.host);
            if record.failure.is_some_and(|failure| failure.code == "worker_lost") {
                lost += 1;
                let answers =
                    |frames: &[Frame]| frames.iter().map(value).any(|frame| frame["type"] == "TEXT_MESSAGE_START");
                let text = bytes(&frames);
                assert_eq!(text.contains("lastword.withdrawn"), answers(&frames), "{case}");
                assert_eq!(bytes(&joined).contains("lastword.withdrawn"), answers(&frames), "{case}");
                assert_eq!(record.withdrawn.is_some(), answers(&frames), "{case}");
                withdrawn += usize::from(answers(&frames));
                shown += usize::from(text.contains("REASONING_MESSAGE_START") || text.contains("TOOL_CALL_START"));
            }
        }
    }
    assert!(lost > 300 && withdrawn > 5 && shown > 100, "{lost}, {withdrawn}, {shown}");
}
