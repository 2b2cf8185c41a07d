use super::*;
use crate::event::{Completion, Failure, Interrupt, ModelUsage, ToolOutcome};
use crate::event::{Plain, Sealed};
use crate::signal::Stop;
use proptest::prelude::*;

fn every() -> Vec<Event> {
    let id = || "id".to_owned();
    let usage = ModelUsage::default;
    let plain = [
        Plain::IntermediateStart { message: id() },
        Plain::IntermediateDelta { message: id(), delta: "d\u{2028}\n".into() },
        Plain::IntermediateEnd { message: id() },
        Plain::Decided { message: id(), answer: true },
        Plain::NarrationStart { message: id() },
        Plain::NarrationDelta { message: id(), delta: "d".into() },
        Plain::NarrationEnd { message: id() },
        Plain::ThinkingStart { message: id(), public: true },
        Plain::ThinkingDelta { message: id(), public: false, delta: "d".into() },
        Plain::ThinkingEnd { message: id(), public: false },
        Plain::ToolStart { call: id(), name: "n".into() },
        Plain::ToolArgs { call: id(), delta: "{}".into() },
        Plain::ToolOutput { call: id(), delta: "o".into() },
        Plain::ToolEnd { call: id(), outcome: ToolOutcome::Unknown },
        Plain::ShownCallStart { call: id(), name: "n".into(), parent: id() },
        Plain::ShownCallArgs { call: id(), delta: "{}".into() },
        Plain::ShownCallEnd { call: id() },
        Plain::ShownCallResult { call: id(), message: id(), content: "o".into(), outcome: ToolOutcome::Ok },
        Plain::Working { message: id(), step: 2 },
        Plain::ResponseEnded { ordinal: 1, stop: Stop::Length, usage: usage() },
        Plain::AttemptReset { ordinal: 1 },
        Plain::State { snapshot: Value::Null },
    ];
    let interrupt = Interrupt { id: id(), reason: "confirmation".into(), ..Interrupt::default() };
    let failure = Failure { code: "worker_lost".into(), message: "m".into(), reference: "r".into() };
    let sealed = [
        Sealed::Started {},
        Sealed::AnswerStart { message: id(), refusal: false },
        Sealed::AnswerDelta { message: id(), refusal: true, delta: "d".into() },
        Sealed::AnswerEnd { message: id() },
        Sealed::CallStart { call: id(), name: "n".into(), parent: id() },
        Sealed::CallArgs { call: id(), delta: "{".into() },
        Sealed::CallEnd { call: id() },
        Sealed::Completed(Completion::default()),
        Sealed::Interrupted { interrupts: vec![interrupt], usage: vec![usage()] },
        Sealed::Cancelled { usage: vec![] },
        Sealed::Failed { failure, unknown: vec![id()], usage: vec![] },
    ];
    plain.into_iter().map(Event::from).chain(sealed.into_iter().map(Event::from)).collect()
}

#[test]
fn every_event_comes_back_as_it_was_stored() {
    let events = every();
    let segments = seal(&events, 5, 99, 1 << 20);
    assert_eq!(segments.len(), 1);
    let read = decode(&segments[0].bytes).unwrap();
    let (seqs, back): (Vec<_>, Vec<_>) = read.iter().map(|c| (c.seq(), c.event().unwrap().clone())).unzip();
    assert_eq!(back, events);
    assert_eq!(seqs, (5..5 + events.len() as u64).collect::<Vec<_>>());
    assert!(read.iter().all(|c| c.at() == 99 && c.audience() == c.event().unwrap().audience()));
}

#[test]
fn the_stored_form_stands() {
    let segments = seal(&every(), 1, 1_700_000_000_000, 1 << 20);
    let value: Value = serde_json::from_slice(&segments[0].bytes).unwrap();
    insta::assert_json_snapshot!("stored_form", value);
}

#[test]
fn cuts_at_the_stores_largest_value_and_loses_nothing() {
    let events: Vec<Event> =
        (0..50).map(|n| Plain::IntermediateDelta { message: "m".into(), delta: "x".repeat(n * 7) }.into()).collect();
    let segments = seal(&events, 1, 0, 700);
    assert!(segments.len() > 10 && segments.iter().all(|segment| segment.bytes.len() <= 700));
    let read: Vec<_> = segments.iter().flat_map(|segment| decode(&segment.bytes).unwrap()).collect();
    assert_eq!(read.iter().map(|c| c.event().unwrap().clone()).collect::<Vec<_>>(), events);
    for (segment, first) in segments.iter().zip(segments.iter().map(|s| decode(&s.bytes).unwrap()[0].seq())) {
        assert_eq!(segment.first, first);
    }
}

#[test]
fn a_newer_type_is_skipped_by_its_audience_and_a_newer_segment_refused() {
    let newer = br#"{"v":1,"first":3,"at":0,"events":[{"v":1,"type":"hologram","audience":"operator","data":{"x":1}},{"v":1,"type":"started","audience":"both","data":{}}]}"#;
    let read = decode(newer).unwrap();
    assert_eq!((read[0].event(), read[0].audience()), (None, Audience::Operator));
    assert_eq!((read[1].event(), read[1].seq()), (Some(&Sealed::Started {}.into()), 4));
    assert_eq!(decode(br#"{"v":2,"first":3,"at":0,"events":[]}"#).unwrap_err().code(), "record_too_new");
    let form = br#"{"v":1,"first":3,"at":0,"events":[{"v":3,"type":"started","audience":"both","data":{}}]}"#;
    assert_eq!(decode(form).unwrap_err().code(), "record_too_new", "an event's newer form is not guessed at");
    let broken = br#"{"v":1,"first":3,"at":0,"events":[{"v":1,"type":"decided","audience":"operator","data":{}}]}"#;
    assert_eq!(decode(broken).unwrap_err().code(), "record_unreadable");
    assert_eq!(decode(b"not json").unwrap_err().code(), "record_unreadable");
}

#[test]
fn a_large_event_stands_in_pieces_and_comes_back() {
    let state = |bytes: usize| Event::from(Plain::State { snapshot: "x".repeat(bytes).into() });
    let events = [state(10), state(INLINE), state(20), state(INLINE * 4)];
    for max in [4 << 10, 64 << 10, 1 << 20] {
        let segments = seal(&events, 7, 3, max);
        assert!(segments.iter().all(|segment| segment.bytes.len() <= max));
        let large: Vec<_> = segments.iter().flat_map(|segment| &segment.large).collect();
        assert_eq!(large.iter().map(|(seq, _)| *seq).collect::<Vec<_>>(), [8, 10]);
        let read: Vec<_> = segments.iter().flat_map(|segment| decode(&segment.bytes).unwrap()).collect();
        for (committed, event) in read.iter().zip(&events) {
            let Some(pieces) = committed.pieces() else {
                assert_eq!((committed.event(), committed.large()), (Some(event), None));
                continue;
            };
            assert_eq!((committed.event(), committed.audience()), (None, Audience::Both));
            let (_, stored) = large.iter().find(|(seq, _)| *seq == committed.seq()).unwrap();
            assert_eq!(pieces as usize, stored.len().div_ceil(max));
            let whole = committed.joined(stored.as_bytes()).unwrap();
            assert_eq!((whole.event(), whole.seq(), whole.pieces()), (Some(event), committed.seq(), None));
            let code = |bytes: &[u8]| committed.joined(bytes).unwrap_err().code();
            assert_eq!(code(&stored.as_bytes()[1..]), "record_unreadable");
            assert_eq!(code(br#"{"v":3,"audience":"both","type":"state"}"#), "record_too_new");
            let again = br#"{"v":2,"audience":"both","type":"large","data":{"pieces":1}}"#;
            assert_eq!(code(again), "record_unreadable", "pieces hold no pieces");
        }
    }
}

proptest! {
    #[test]
    fn bytes_are_events_or_a_typed_error(
        changes in prop::collection::vec(any::<(usize, u8)>(), 0..8), cut in any::<prop::sample::Index>()
    ) {
        let mut bytes = seal(&every(), 1, 0, 1 << 20).remove(0).bytes;
        for (at, byte) in changes {
            let at = at % bytes.len();
            bytes[at] = byte;
        }
        for bytes in [&bytes[..], &bytes[..cut.index(bytes.len())]] {
            if let Err(error) = decode(bytes) {
                prop_assert!(["record_unreadable", "record_too_new"].contains(&error.code()));
            }
        }
    }

    #[test]
    fn any_bytes_are_events_or_a_typed_error(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(decode(&bytes).is_ok_and(|events| events.is_empty()) || decode(&bytes).is_err());
        prop_assert!(crate::run::record::RunRecord::decode(&bytes).is_err());
    }
}

#[test]
fn from_outside_comes_what_has_no_effect_and_nothing_else() {
    for event in every() {
        let stored: Value = serde_json::from_str(&encode_event(&event)).unwrap();
        let read = decode_plain(stored["type"].as_str().unwrap(), &stored["data"]);
        match event {
            Event::Plain(plain) => assert_eq!(read, Ok(plain)),
            Event::Sealed(sealed) => assert_eq!(read.unwrap_err().code(), "invalid_input", "{sealed:?}"),
        }
    }
    let refused = |kind: &str, data: Value| {
        let error = decode_plain(kind, &data).unwrap_err();
        assert_eq!(error.code(), "invalid_input");
        error.detail().unwrap().to_owned()
    };
    assert_eq!(refused("txt", Value::Null), "txt: there is no such event.");
    assert_eq!(refused("decided", serde_json::json!({"message": 1})), "decided: its fields are of another form.");
    let long = |length| serde_json::json!({"message": "x".repeat(length)});
    assert!(decode_plain("intermediate_end", &long(72)).is_ok());
    assert_eq!(refused("intermediate_end", long(73)), "intermediate_end: an id is longer than 72 bytes.");
    let state = serde_json::json!({"snapshot": "x".repeat(MAX_STATE)});
    assert_eq!(refused("state", state), "state: it is larger than 2 MiB.");
}
