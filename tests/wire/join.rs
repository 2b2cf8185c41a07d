//! A reader that joins has in the end what one that was there from the start has.

use crate::client::Client;
use crate::samples::{AT, context, echo, modern, older, sample_run};
use crate::strategies::{profile, run};
use lastword::event::{Event, Plain, Sealed, ToolOutcome};
use lastword::input::Echo;
use lastword::profile::Profile;
use lastword::wire::agui::Prelude;
use lastword::wire::{DELTA_FRAME, WHOLE_FRAME, Wire};
use lastword::{Error, ErrorKind};
use proptest::prelude::*;
use serde_json::{Value, json};

/// The frames of each event, as a customer's reader sends them.
fn live(profile: &Profile, events: &[Event]) -> Vec<Vec<String>> {
    let frames = |(event, seq)| Wire::AgUi.frames(&context(profile), seq, AT, event).unwrap();
    events.iter().zip(1..).map(frames).collect()
}

fn prelude(profile: &Profile, echo: &Echo, events: &[Event]) -> Result<Vec<String>, Error> {
    let mut prelude = Prelude::new(echo);
    events.iter().for_each(|event| prelude.fold(event));
    prelude.frames(&context(profile))
}

/// The client that starts the run: it holds what it sent.
fn starter(echo: &Echo) -> Client {
    Client::holding(echo.messages.clone(), echo.state.clone().unwrap_or_default())
}

/// Joins at every cut, from an empty client and from one that was there until an earlier moment.
fn check_every_cut(profile: &Profile, echo: &Echo, events: &[Event]) -> Result<(), String> {
    let tail = live(profile, events);
    let mut there = vec![starter(echo)];
    for frames in &tail {
        let mut client = there.last().unwrap().clone();
        client.read(frames)?;
        there.push(client);
    }
    let whole = there.last().unwrap();
    for cut in 1..events.len() {
        let prelude = prelude(profile, echo, &events[..cut]).map_err(|error| error.to_string())?;
        for mut client in [Client::default(), there[cut].reconnected(), there[cut / 2].reconnected()] {
            client.read(prelude.iter().chain(tail[cut..].iter().flatten())).map_err(|e| format!("cut {cut}: {e}"))?;
            for (what, got, want) in [
                ("messages", json!(client.messages), json!(whole.messages)),
                ("state", client.state, whole.state.clone()),
                ("terminal", json!(client.terminal), json!(whole.terminal)),
                ("withdrawn", json!(client.withdrawn), json!(whole.withdrawn)),
            ] {
                if got != want {
                    return Err(format!("cut {cut}: {what} {got} instead of {want}"));
                }
            }
        }
    }
    Ok(())
}

#[test]
fn the_sample_run_has_the_transcript_that_it_should() {
    let mut client = starter(&echo());
    client.read(live(&modern(), &sample_run()).iter().flatten()).unwrap();
    let call = |id: &str, arguments: &str| json!({"id": id, "type": "function", "function": {"name": "pick", "arguments": arguments}});
    let weather = |id: &str, arguments: &str| json!({"id": id, "type": "function", "function": {"name": "weather", "arguments": arguments}});
    let mut want = echo().messages;
    want.extend([
        json!({"id": "w", "role": "activity", "activityType": "working", "content": {"step": 2}}),
        json!({"id": "n1", "role": "reasoning", "content": "Let me look."}),
        json!({"id": "run-1-u1", "role": "assistant", "toolCalls": [weather("o2", "{\"city\":1}"), weather("o3", "")]}),
        json!({"id": "r-o3", "role": "tool", "toolCallId": "o3", "content": "found"}),
        json!({"id": "r-o2", "role": "tool", "toolCallId": "o2", "content": "found"}),
        json!({"id": "k1", "role": "reasoning", "content": "Porto…"}),
        json!({"id": "a2", "role": "assistant", "content": "In \"Porto\", now."}),
        json!({"id": "p1", "role": "assistant", "toolCalls": [call("c1", "{\"n\":1}"), call("c2", "{}")]}),
    ]);
    assert_eq!(client.messages, want);
    assert_eq!(client.state, json!({"step": 2}));
    assert_eq!(client.terminal.unwrap()["outcome"], json!({"type": "success", "pendingToolCallIds": ["c1", "c2"]}));
}

#[test]
fn a_join_at_every_cut_of_the_sample_run() {
    for profile in [modern(), older()] {
        check_every_cut(&profile, &echo(), &sample_run()).unwrap();
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

    #[test]
    fn a_join_at_every_cut_of_any_run(events in run(), with_state in any::<bool>(), profile in profile()) {
        let mut echo = echo();
        echo.state = echo.state.filter(|_| with_state);
        check_every_cut(&profile, &echo, &events).map_err(TestCaseError::fail)?;
    }
}

fn types(frames: &[String]) -> Vec<String> {
    let kind = |frame: &String| serde_json::from_str::<Value>(frame).unwrap()["type"].as_str().unwrap().to_owned();
    frames.iter().map(kind).collect()
}

#[test]
fn the_prelude_is_no_event_and_so_has_no_time() {
    let frames = prelude(&modern(), &echo(), &sample_run()[..20]).unwrap();
    assert!(frames.iter().all(|frame| !frame.contains("timestamp")));
}

#[test]
fn without_a_state_none_is_sent_and_a_null_state_is_one() {
    let bare = Echo { state: None, ..echo() };
    let started = Event::from(Sealed::Started {});
    assert_eq!(
        types(&prelude(&modern(), &bare, std::slice::from_ref(&started)).unwrap()),
        ["RUN_STARTED", "MESSAGES_SNAPSHOT"]
    );
    let null = Event::from(Plain::State { snapshot: Value::Null });
    let frames = prelude(&modern(), &bare, &[started, null]).unwrap();
    assert_eq!(frames[1], r#"{"type":"STATE_SNAPSHOT","snapshot":null}"#);
}

#[test]
fn what_is_withheld_is_in_no_frame_of_the_prelude() {
    for cut in 1..sample_run().len() {
        let frames = prelude(&modern(), &echo(), &sample_run()[..cut]).unwrap();
        assert!(frames.iter().all(|frame| !frame.contains("Held words") && !frame.contains("lookup")));
    }
}

#[test]
fn an_id_that_is_opened_again_goes_on_where_it_ended() {
    let start = || Event::from(Sealed::AnswerStart { message: "a".into(), refusal: false });
    let piece =
        |delta: &str| Event::from(Sealed::AnswerDelta { message: "a".into(), refusal: false, delta: delta.into() });
    let end = || Event::from(Sealed::AnswerEnd { message: "a".into() });
    let done = Event::from(Sealed::Completed(Default::default()));
    let started = Event::from(Sealed::Started {});
    let run = [started, start(), piece("one"), end(), start(), piece(", two"), end(), done];
    check_every_cut(&modern(), &echo(), &run).unwrap();
}

fn answer(text: &str) -> Vec<Event> {
    let start = Sealed::AnswerStart { message: "a".into(), refusal: false };
    let pieces = lastword::event::pieces(text, 32 << 10);
    let pieces = pieces.map(|delta| Sealed::AnswerDelta { message: "a".into(), refusal: false, delta: delta.into() });
    let all = [Sealed::Started {}, start].into_iter().chain(pieces).chain([Sealed::AnswerEnd { message: "a".into() }]);
    all.map(Event::from).collect()
}

#[test]
fn what_the_snapshot_has_no_room_for_follows_as_deltas() {
    // 1 MiB of control characters is 6 MiB of JSON.
    let text = "\u{1}".repeat(1 << 20);
    let mut events = answer(&text);
    let calls = [
        Sealed::CallStart { call: "c".into(), name: "pick".into(), parent: "p".into() },
        Sealed::CallArgs { call: "c".into(), delta: "{\"a\":".into() },
    ];
    events.extend(calls.map(Event::from));
    let frames = prelude(&modern(), &echo(), &events).unwrap();
    assert!(frames.iter().all(|frame| frame.len() <= WHOLE_FRAME));
    assert!(frames[2].len() > WHOLE_FRAME - 1_024, "the snapshot is as full as it may be");
    assert!(frames[3..].iter().all(|frame| frame.len() <= DELTA_FRAME));
    let mut client = Client::default();
    client.read(&frames).unwrap();
    assert_eq!(client.messages[3]["content"], json!(text));
    assert_eq!(client.messages[4]["toolCalls"][0]["function"]["arguments"], json!("{\"a\":"));
    let end = [Sealed::CallEnd { call: "c".into() }, Sealed::Completed(Default::default())].map(Event::from);
    client.read(live(&modern(), &end).iter().flatten()).unwrap();
}

fn thought(id: usize, text: &str) -> [Event; 3] {
    let message = || format!("k{id}");
    let thinking = [
        Plain::ThinkingStart { message: message(), public: true },
        Plain::ThinkingDelta { message: message(), public: true, delta: text.into() },
        Plain::ThinkingEnd { message: message(), public: true },
    ];
    thinking.map(Event::from)
}

#[test]
fn the_oldest_reasoning_goes_first_when_the_prelude_is_full() {
    let text = "x".repeat(32 << 10);
    let mut events: Vec<Event> = vec![Sealed::Started {}.into()];
    events.extend((0..2_000).flat_map(|id| thought(id, &text)));
    events.extend(answer("The answer.").into_iter().skip(1));
    let frames = prelude(&modern(), &echo(), &events).unwrap();
    assert!(frames.iter().all(|frame| frame.len() <= WHOLE_FRAME));
    let mut client = Client::default();
    client.read(&frames).unwrap();
    let ids: Vec<&str> = client.messages[3..].iter().map(|message| message["id"].as_str().unwrap()).collect();
    assert_eq!(ids[ids.len() - 2..], ["k1999", "a"]);
    assert!(ids.len() > 100 && ids.len() < 260, "{}", ids.len());
    assert_eq!(client.messages.last().unwrap()["content"], "The answer.");
}

#[test]
fn a_transcript_that_does_not_fit_is_an_error_and_not_a_part_of_one() {
    let error = prelude(&modern(), &echo(), &answer(&"x".repeat(9 << 20))).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::StreamInterrupted);
    assert!(prelude(&modern(), &echo(), &answer(&"x".repeat(7 << 20))).is_ok());
}

/// Calls of ours that are shown, with names that are six times as long on the wire, each with its result.
fn shown(count: usize, name: &str, content: &str) -> Vec<Event> {
    let one = |at: usize| {
        let call = || format!("c{at}");
        let parent = format!("p{at}");
        [
            Plain::ShownCallStart { call: call(), name: name.to_owned(), parent },
            Plain::ShownCallEnd { call: call() },
            Plain::ShownCallResult {
                call: call(),
                message: format!("r{at}"),
                content: content.to_owned(),
                outcome: ToolOutcome::Ok,
            },
        ]
        .map(Event::from)
    };
    std::iter::once(Event::from(Sealed::Started {})).chain((0..count).flat_map(one)).collect()
}

#[test]
fn names_and_ids_alone_do_not_pass_a_frames_limit() {
    let name = "\u{1}".repeat(256);
    let frames = prelude(&modern(), &echo(), &shown(2_000, &name, "")).unwrap();
    assert!(frames.iter().all(|frame| frame.len() <= WHOLE_FRAME));
    let error = prelude(&modern(), &echo(), &shown(4_000, &name, "")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::StreamInterrupted);
    // Reasoning goes before that.
    let mut events = vec![Event::from(Sealed::Started {})];
    events.extend((0..60_000).flat_map(|id| thought(id, "")));
    events.extend(answer("The answer.").into_iter().skip(1));
    let frames = prelude(&modern(), &echo(), &events).unwrap();
    assert!(frames.iter().all(|frame| frame.len() <= WHOLE_FRAME));
    assert!(frames[2].ends_with(r#"{"role":"assistant","id":"a","content":"The answer."}]}"#));
}

#[test]
fn results_follow_the_snapshot_so_a_client_that_lacks_one_places_it_behind_its_call() {
    let frames = prelude(&modern(), &echo(), &shown(100, "look", &"x".repeat(32 << 10))).unwrap();
    assert!(!frames[2].contains("\"tool\""));
    assert_eq!(types(&frames[3..]), vec!["TOOL_CALL_RESULT"; 100]);
    let mut client = Client::default();
    client.read(&frames).unwrap();
    let roles: Vec<&str> = client.messages[3..].iter().map(|message| message["role"].as_str().unwrap()).collect();
    assert!(roles.chunks(2).all(|pair| pair == ["assistant", "tool"]), "{roles:?}");
}

#[test]
fn a_state_that_no_frame_holds_is_an_error_and_not_half_of_it() {
    let state = Event::from(Plain::State { snapshot: json!("x".repeat(WHOLE_FRAME)) });
    for wire in [Wire::AgUi, Wire::Canonical] {
        let error = wire.frames(&context(&modern()), 2, AT, &state).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::StreamInterrupted);
    }
    let error = prelude(&modern(), &echo(), &[Sealed::Started {}.into(), state]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::StreamInterrupted);
}
