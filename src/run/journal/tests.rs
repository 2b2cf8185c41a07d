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
        Plain::IntermediateDelta { message: id(), delta: "d\u{2028}\n".into(), cuts: Vec::new() },
        Plain::IntermediateDelta { message: id(), delta: "d\u{2028}\n".into(), cuts: vec![1, 4] },
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
fn a_piece_that_is_stored_otherwise_is_read_as_what_it_is() {
    let piece = |first: &str, second: &str| {
        format!(r#"{{"v":1,"audience":"customer","type":"narration_delta","data":{{"message":"m",{first}}}{second}}}"#)
    };
    let ours = |delta: &str| piece(&format!(r#""delta":"{delta}""#), "");
    let others = [
        piece(r#""delta":"a","delta":"b""#, ""),
        piece(r#""delta":"a","x":{"delta":"b"}"#, ""),
        piece(r#""delta":"a""#, r#","x":{"delta":"b"}"#),
        piece(r#""delta": "a""#, ""),
        piece(r#""delta":"\u0061""#, ""),
        ours("a").replace("customer", "both"),
    ];
    for other in others {
        let events = [other.clone(), ours("c"), other.clone(), ours("d"), ours("e"), ours("\\ud83d\\ude00"), ours("f")];
        let bytes = format!(r#"{{"v":1,"first":3,"at":0,"events":[{}]}}"#, events.join(","));
        let read = segment::read(bytes.as_bytes()).unwrap();
        assert_eq!(read, parsed(bytes.as_bytes()).unwrap(), "{other}");
    }
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
    let events: Vec<Event> = (0..50)
        .map(|n| Plain::IntermediateDelta { message: "m".into(), delta: "x".repeat(n * 7), cuts: Vec::new() }.into())
        .collect();
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

/// Events of which many are pieces of the same few texts.
fn any_events() -> impl Strategy<Value = Vec<Event>> {
    let id = || prop::sample::select(&["m1", "m2", "\"delta\":\""][..]).prop_map(str::to_owned);
    let text = || prop_oneof!["[a\"\\\\\n\u{2028}é]{0,9}", any::<String>(), Just("x".repeat(700))];
    let cuts = || prop_oneof![3 => Just(Vec::new()), 1 => prop::collection::vec(0..9u32, 0..4)];
    let piece = (0..9, id(), any::<bool>(), text(), cuts()).prop_map(|(kind, id, flag, delta, cuts)| match kind {
        0 => Plain::IntermediateDelta { message: id, delta, cuts }.into(),
        1 => Plain::NarrationDelta { message: id, delta }.into(),
        2 => Plain::ThinkingDelta { message: id, public: flag, delta }.into(),
        3 => Plain::ToolArgs { call: id, delta }.into(),
        4 => Plain::ToolOutput { call: id, delta }.into(),
        5 => Plain::ShownCallArgs { call: id, delta }.into(),
        6 => Sealed::AnswerDelta { message: id, refusal: flag, delta }.into(),
        7 => Sealed::CallArgs { call: id, delta }.into(),
        _ => Plain::State { snapshot: serde_json::json!({"delta": delta}) }.into(),
    });
    let run = prop_oneof![
        4 => (piece, 1..5usize, prop::collection::vec(text(), 5)).prop_map(|(piece, count, texts): (Event, _, _)| {
            let with = |text: String| {
                let mut event = piece.clone();
                event.delta_mut().into_iter().for_each(|delta| delta.clone_from(&text));
                event
            };
            texts.into_iter().take(count).map(with).collect::<Vec<_>>()
        }),
        1 => prop::sample::subsequence(every(), 0..4),
    ];
    prop::collection::vec(run, 0..6).prop_map(|runs| runs.concat())
}

/// Segments as they were written event by event, each by itself.
fn one_by_one(events: &[Event], first: u64, at: Millis, max: usize) -> Vec<Sealing> {
    let limit = max.min(TARGET).saturating_sub(ENVELOPE);
    let (mut segments, mut batch, mut large, mut start) = (Vec::new(), Vec::new(), Vec::new(), first);
    let end = |batch: &mut Vec<String>, large: &mut Vec<(u64, String)>, first| {
        let events = std::mem::take(batch).join(",");
        let bytes = format!(r#"{{"v":1,"first":{first},"at":{at},"events":[{events}]}}"#).into_bytes();
        Sealing { first, bytes, large: std::mem::take(large) }
    };
    for (event, seq) in events.iter().zip(first..) {
        let whole = json::object(|stored| {
            stored.fields(&[("v", &VERSION), ("audience", &event.audience())]);
            codec::encode(event, stored);
        });
        let is_large = whole.len() > INLINE.min(limit.max(LEAST));
        let stored = if is_large { pointer(event, whole.len().div_ceil(max)) } else { whole.clone() };
        let length = batch.iter().map(|event: &String| event.len() + 1).sum::<usize>();
        if length > 0 && length + stored.len() > limit {
            segments.push(end(&mut batch, &mut large, start));
            start = seq;
        }
        batch.push(stored);
        large.extend(is_large.then_some((seq, whole)));
    }
    if !batch.is_empty() {
        segments.push(end(&mut batch, &mut large, start));
    }
    segments
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn what_is_written_and_read_in_one_go_is_what_is_by_itself(events in any_events(), max in prop::sample::select(&[300usize, 2000, 1 << 20][..])) {
        let segments = seal(&events, 5, 99, max);
        prop_assert_eq!(&segments, &one_by_one(&events, 5, 99, max));
        for segment in segments {
            let read = segment::read(&segment.bytes);
            prop_assert!(read.is_some());
            prop_assert_eq!(read, parsed(&segment.bytes).ok());
        }
    }

    #[test]
    fn what_is_read_of_changed_bytes_is_what_the_parser_reads(
        events in any_events(), changes in prop::collection::vec((any::<prop::sample::Index>(), prop::sample::select(&b"\"\\{}[],:01a \xff\n"[..])), 1..3),
    ) {
        for segment in seal(&events, 5, 99, 2000) {
            let mut bytes = segment.bytes;
            for (at, byte) in &changes {
                let at = at.index(bytes.len());
                bytes[at] = *byte;
            }
            if let Some(read) = segment::read(&bytes) {
                prop_assert_eq!(Ok(read), parsed(&bytes));
            }
        }
    }

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
