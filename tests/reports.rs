//! What people have hit with other servers of AG-UI, by their public reports, each as a test of this one.
//!
//! | report | held by |
//! |---|---|
//! | contextablemark/clawg-ui#7 | `what_is_open_ends_before_the_run_does` |
//! | agentscope-ai/agentscope-java#3071 | `text_after_a_tool_call_has_an_id_and_a_start_of_its_own` |
//! | agentscope-ai/agentscope-java#2642, ag-ui-protocol/ag-ui#2300 | `a_run_has_one_terminal_and_nothing_behind_it` |
//! | ag-ui-protocol/ag-ui#161 | `no_chunk_form_is_ever_sent` |
//! | ag-ui-protocol/ag-ui#836 | `each_message_has_an_id_of_its_own` |
//! | agno-agi/agno#5466 | every test with a client runs with 0.0.59 too |
//! | datarobot-oss/datarobot-genai#335 | `a_parent_is_a_message_and_a_result_is_of_a_call` |
//! | ag-ui-protocol/ag-ui#2416, agno-agi/agno#9487, assistant-ui/assistant-ui#5900 | `a_provider_that_dies_at_any_moment_ends_the_run_as_an_error` |
//! | pydantic/pydantic-ai#4962 | `a_tool_that_ran_is_closed_with_a_result_before_the_error` |
//! | everruns/everruns#1645, ag-ui-protocol/ag-ui#2455 | `node/upstream-faults.test.mjs`, `recordings.rs` |
//! | ag-ui-protocol/ag-ui#2105, #1852 | `matrix.rs`, `node/matrix.test.mjs`, `node/rejoin.test.mjs` |
//! | soliplex/soliplex#887 | `promises.rs`: a crash at any moment |
//! | CopilotKit/CopilotKit#7134 | `node/cancel.test.mjs`: a second run on a busy thread |
//! | ag-ui-protocol/ag-ui#2417, #2288, #2327 | `node/cancel.test.mjs`, `node/clients.test.mjs` |
//! | assistant-ui/assistant-ui#6500, ag-ui-protocol/ag-ui#2731 | `node/client-tools.test.mjs` |
//! | ag-ui-protocol/ag-ui#2816, #2140, microsoft/agent-framework#2637 | `wire/properties.rs`, and the schema on every frame of the Node tests |
//! | microsoft/agent-framework#6941, CopilotKit/CopilotKit#6984 | `node/recordings.test.mjs`: heartbeats |
//! | ag-ui-protocol/ag-ui#2627 | `wire/properties.rs`, `wire/join.rs`: limits of frames |
//! | IgorWarzocha/howcode#33, microsoft/autogen#1143, NousResearch/hermes-agent#65919 | `published_text_only_grows`, `recordings.rs` |
//! | hey-api/hey-api#3054 | `lines_end_with_a_line_feed_alone` |
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

#[allow(dead_code)]
#[path = "wire/client.rs"]
mod client;
mod common;
#[path = "wire/schema.rs"]
mod schema;

use client::Client;
use common::matrix::{self, ENDS, End, TERMS, Terms, live, play, record};
use common::{RUN, SCOPE, THREAD, bytes, types, value};
use lastword::event::{Failure, Plain, View};
use lastword::provider::replay;
use lastword::run::{Claim, Cursor, Emitter, MemoryStore, Status, ThreadKeys, Totals, Traits};
use lastword::sse::Frame;
use lastword::wire::Wire;
use serde_json::Value;
use std::collections::BTreeSet;

/// A run that shows everything that it can to a client of 1.0.
const ALL: Terms = TERMS[2];

/// Every stream of the matrix as its starter gets it.
fn every(mut check: impl FnMut(&str, &[Frame])) {
    for name in replay::names().filter(|name| *name != "long-answer") {
        for end in ENDS {
            check(&format!("{name} {end:?}"), &live(&play(name, end, ALL)));
        }
    }
}

/// A run whose events are written by hand, in its store.
struct Written {
    emitter: Emitter,
    store: MemoryStore,
}

impl Written {
    fn new() -> Self {
        let input = common::input(RUN, &[]);
        let claim = Claim {
            keys: ThreadKeys::new(SCOPE, THREAD).run(RUN),
            scope: SCOPE.into(),
            writer: "w".into(),
            traits: Traits::DURABLE_OBJECT,
            lease: 30_000,
        };
        let mut written =
            Written { emitter: Emitter::start(claim, &input, ALL.profile(), 1), store: MemoryStore::new() };
        written.commit();
        written
    }

    fn commit(&mut self) {
        self.emitter.seal(2, false);
        while let Some(op) = self.emitter.poll() {
            let reply = self.store.perform(op);
            self.emitter.replied(2, reply);
        }
    }

    /// Ends the run as a failure, and gives what its starter was sent.
    fn failed(mut self) -> Vec<Frame> {
        let failure = Failure { code: "upstream_unavailable".into(), message: "Gone.".into(), reference: "r".into() };
        self.emitter.fail(failure, Totals::default()).unwrap();
        self.commit();
        let reader = self.emitter.replay(View::Customer, Wire::AgUi, Some(Cursor::START));
        lastword::driver::collect(&self.store, reader).0
    }
}

#[test]
fn what_is_open_ends_before_the_run_does() {
    let mut run = Written::new();
    for event in [
        Plain::ThinkingStart { message: "t".into(), public: true },
        Plain::ThinkingDelta { message: "t".into(), public: true, delta: "Hm".into() },
        Plain::NarrationStart { message: "n".into() },
    ] {
        run.emitter.write(event).unwrap();
    }
    let frames = run.failed();
    let ends = ["REASONING_MESSAGE_END", "REASONING_END", "REASONING_MESSAGE_END", "REASONING_END", "RUN_ERROR"];
    assert!(types(&frames).ends_with(&ends.map(str::to_owned)), "{:?}", types(&frames));
    Client::default().read(frames.iter().map(|frame| &frame.data)).unwrap();
}

#[test]
fn text_after_a_tool_call_has_an_id_and_a_start_of_its_own() {
    every(|what, frames| {
        let mut started = BTreeSet::new();
        for frame in frames.iter().map(value) {
            let id = frame["messageId"].as_str().unwrap_or_default().to_owned();
            match frame["type"].as_str().unwrap() {
                "TEXT_MESSAGE_START" => assert!(started.insert(id), "{what}: an id twice"),
                "TEXT_MESSAGE_CONTENT" => assert!(started.contains(&id), "{what}: no start"),
                _ => {}
            }
        }
    });
}

#[test]
fn a_run_has_one_terminal_and_nothing_behind_it() {
    every(|what, frames| {
        let terminals = types(frames).iter().filter(|kind| *kind == "RUN_FINISHED" || *kind == "RUN_ERROR").count();
        assert_eq!(terminals, 1, "{what}");
        assert!(matches!(types(frames).last().unwrap().as_str(), "RUN_FINISHED" | "RUN_ERROR"), "{what}");
    });
}

#[test]
fn no_chunk_form_is_ever_sent() {
    every(|what, frames| assert!(types(frames).iter().all(|kind| !kind.ends_with("CHUNK")), "{what}"));
}

#[test]
fn each_message_has_an_id_of_its_own() {
    every(|what, frames| {
        let mut ids = BTreeSet::new();
        for frame in frames.iter().map(value) {
            let kind = frame["type"].as_str().unwrap();
            if ["TEXT_MESSAGE_START", "REASONING_MESSAGE_START", "TOOL_CALL_RESULT"].contains(&kind) {
                assert!(ids.insert(frame["messageId"].clone().to_string()), "{what}: {frame}");
            }
        }
    });
}

#[test]
fn a_parent_is_a_message_and_a_result_is_of_a_call() {
    every(|what, frames| {
        let messages = said(frames);
        let ids: Vec<&Value> = messages.iter().map(|message| &message["id"]).collect();
        let calls = messages.iter().filter_map(|message| message.get("toolCalls")?.as_array()).flatten();
        let calls: Vec<&Value> = calls.map(|call| &call["id"]).collect();
        for frame in frames.iter().map(value) {
            if frame["type"] == "TOOL_CALL_START" {
                assert!(ids.contains(&&frame["parentMessageId"]), "{what}: {frame}");
            }
            if frame["type"] == "TOOL_CALL_RESULT" {
                assert!(calls.contains(&&frame["toolCallId"]), "{what}: {frame}");
            }
        }
    });
}

/// What the client has in the end.
fn said(frames: &[Frame]) -> Vec<Value> {
    let mut client = Client::default();
    client.read(frames.iter().map(|frame| &frame.data)).unwrap();
    client.messages
}

#[test]
fn a_provider_that_dies_at_any_moment_ends_the_run_as_an_error() {
    let mut deaths = 0;
    for name in ["narrated-refund", "parallel-tools", "client-tool", "reasoning-beside-text", "refusal"] {
        for store in matrix::deaths(name, ALL) {
            let frames = live(&store);
            let (kind, code) = matrix::terminal(&frames);
            match record(&store).status {
                Status::Failed => assert_eq!((kind.as_str(), code.is_some()), ("RUN_ERROR", true), "{name}"),
                // The response had finished, and what died was its connection alone.
                Status::Succeeded => assert_eq!(said(&frames), said(&live(&play(name, End::Recorded, ALL))), "{name}"),
                other => panic!("{name}: {other:?}"),
            }
            deaths += usize::from(record(&store).status == Status::Failed);
        }
    }
    assert!(deaths > 50, "{deaths}");
}

#[test]
fn a_tool_that_ran_is_closed_with_a_result_before_the_error() {
    for committed in [true, false] {
        let mut run = Written::new();
        run.emitter.write(Plain::ToolStart { call: "c1".into(), name: "look".into() }).unwrap();
        run.emitter.write(Plain::ToolArgs { call: "c1".into(), delta: "{}".into() }).unwrap();
        if committed {
            run.commit();
        }
        let frames = run.failed();
        let calls = ["TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_END", "TOOL_CALL_RESULT", "RUN_ERROR"];
        let told: Vec<String> = types(&frames).into_iter().filter(|kind| !kind.starts_with("ACTIVITY")).collect();
        assert_eq!(told[1..], calls.map(str::to_owned));
        let result = value(&frames[frames.len() - 2]);
        assert!(result["content"].as_str().unwrap().contains("ended before"), "{result}");
    }
}

#[test]
fn published_text_only_grows() {
    every(|what, frames| {
        let mut client = Client::default();
        let mut said: Vec<(Value, String)> = Vec::new();
        for frame in frames {
            client.read([&frame.data]).unwrap();
            let texts = client.messages.iter().filter(|message| message["role"] == "assistant");
            let now: Vec<(Value, String)> = texts
                .map(|message| (message["id"].clone(), message["content"].as_str().unwrap_or_default().to_owned()))
                .collect();
            for (id, text) in &said {
                let goes_on = now.iter().any(|(other, longer)| other == id && longer.starts_with(text));
                assert!(goes_on, "{what}: {id} had {text}");
            }
            said = now;
        }
    });
}

#[test]
fn lines_end_with_a_line_feed_alone() {
    every(|what, frames| assert!(!bytes(frames).contains('\r'), "{what}"));
}

#[test]
fn there_is_no_way_out_beside_the_rule() {
    let known = [
        "RUN_STARTED",
        "RUN_FINISHED",
        "RUN_ERROR",
        "TEXT_MESSAGE_START",
        "TEXT_MESSAGE_CONTENT",
        "TEXT_MESSAGE_END",
        "REASONING_START",
        "REASONING_MESSAGE_START",
        "REASONING_MESSAGE_CONTENT",
        "REASONING_MESSAGE_END",
        "REASONING_END",
        "TOOL_CALL_START",
        "TOOL_CALL_ARGS",
        "TOOL_CALL_END",
        "TOOL_CALL_RESULT",
        "STATE_SNAPSHOT",
        "ACTIVITY_SNAPSHOT",
    ];
    every(|what, frames| {
        for frame in frames.iter().map(value) {
            let kind = frame["type"].as_str().unwrap();
            // The one event of our own: an early answer was withdrawn. It names a message, and holds no word.
            let own =
                kind == "CUSTOM" && frame["name"] == "lastword.withdrawn" && frame["value"]["messageId"].is_string();
            assert!(own && frame["value"].as_object().unwrap().len() == 1 || known.contains(&kind), "{what}: {frame}");
            for key in ["rawEvent", "metadata", "result", "input", "source"] {
                assert!(frame.get(key).is_none(), "{what}: {frame}");
            }
        }
    });
}
