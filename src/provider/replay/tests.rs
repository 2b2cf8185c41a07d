//! Every recording: what it decodes to, that it is whole, and how it is played.

use super::playback::{Cut, End, Playback};
use super::{Recording, find, first_response, names, shelf};
use crate::input::{Call, Message, Part};
use crate::provider::Format;
use crate::provider::chat_completions::tests::decode;
use crate::provider::quirks::joined;
use crate::signal::{Fault, Signal, Stop};

fn recording(name: &str) -> &'static Recording {
    find(name).unwrap()
}

fn responses(recording: &'static Recording) -> Vec<Playback> {
    (1..).map_while(|ordinal| recording.response(ordinal)).collect()
}

fn signals(recording: &'static Recording) -> Vec<Vec<Signal>> {
    let decoded = responses(recording).into_iter().map(|playback| {
        let (mut decoder, mut out) = (recording.format().decoder(), Vec::new());
        playback.for_each(|chunk| decoder.feed(chunk.bytes, &mut out));
        decoder.finish(&mut out);
        out
    });
    decoded.map(joined).collect()
}

#[test]
fn each_decodes_to_its_signals() {
    for name in names().filter(|name| *name != "long-answer") {
        insta::assert_debug_snapshot!(name, signals(recording(name)));
    }
}

#[test]
fn each_script_is_valid_and_has_an_entry_for_every_response() {
    assert_eq!(names().collect::<Vec<_>>(), shelf::TAPES.iter().map(|tape| tape.name).collect::<Vec<_>>());
    for name in names() {
        let recording = recording(name);
        assert_eq!(recording.script.responses.len(), recording.responses.len(), "{name}");
        assert!(!recording.about().is_empty());
    }
}

#[test]
fn each_folder_is_on_the_shelf() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/provider/replay/recordings");
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let mut folders: Vec<String> = entries
        .filter(|entry| entry.file_type().unwrap().is_dir())
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect();
    folders.sort();
    let mut shelved: Vec<&str> = names().collect();
    shelved.sort();
    assert_eq!(folders, shelved);
}

#[test]
fn chunks_together_are_the_raw_bytes() {
    for name in names() {
        let recording = recording(name);
        for (playback, raw) in responses(recording).into_iter().zip(recording.responses) {
            let chunks: Vec<&[u8]> = playback.map(|chunk| chunk.bytes).collect();
            assert!(chunks.iter().all(|chunk| !chunk.is_empty()), "{name}");
            assert_eq!(chunks.concat(), *raw, "{name}");
        }
    }
}

#[test]
fn each_answer_is_what_the_last_response_says() {
    // What is said and what is answered differ where the format can tell them apart: tests/rule/ has those.
    let chat = names().map(recording).filter(|recording| recording.format() == Format::ChatCompletions);
    for recording in chat {
        let name = recording.name();
        let last = signals(recording).pop().unwrap();
        let said: String = last
            .iter()
            .filter_map(|signal| match signal {
                Signal::Text(text) | Signal::Refusal(text) => Some(text.as_str()),
                _ => None,
            })
            .collect();
        match recording.answer() {
            Some(answer) => assert_eq!(said, answer, "{name}"),
            None => assert!(recording.failure().is_some(), "{name}"),
        }
    }
}

#[test]
fn narration_is_whole_in_one_piece_and_not_in_the_answer() {
    for name in names() {
        let recording = recording(name);
        for word in recording.narration() {
            let frames = recording.responses.iter().flat_map(|raw| std::str::from_utf8(raw).unwrap().split("\n\n"));
            assert!(frames.into_iter().any(|frame| frame.contains(word)), "{name}: {word}");
            assert!(!recording.answer().unwrap_or_default().contains(word), "{name}: {word}");
        }
    }
}

#[test]
fn each_call_of_a_tool_of_ours_has_a_result_and_no_tool_has_too_many() {
    for name in names() {
        let recording = recording(name);
        let called: Vec<String> = signals(recording)
            .into_iter()
            .flatten()
            .filter_map(|signal| match signal {
                Signal::CallStart { name, .. } => Some(name),
                _ => None,
            })
            .collect();
        for tool in recording.tools() {
            let count = called.iter().filter(|called| *called == tool).count();
            assert!(recording.tool(tool, count - 1).is_some(), "{name}: {tool}");
            assert_eq!(recording.tool(tool, count), None, "{name}: {tool}");
        }
        let known = |tool: &String| recording.tools().any(|one| one == tool) || recording.client_tools().contains(tool);
        assert!(called.iter().all(known), "{name}: {called:?}");
        assert!(recording.client_tools().iter().all(|tool| called.contains(tool)), "{name}");
    }
}

#[test]
fn names_with_and_without_their_prefix() {
    assert_eq!(find("replay/narrated-refund").unwrap().name(), "narrated-refund");
    assert_eq!(find("narrated-refund").unwrap().name(), "narrated-refund");
    for none in ["", "replay/", "replay/replay/refusal", "nothing", "Refusal"] {
        assert!(find(none).is_none(), "{none}");
    }
}

#[test]
fn ordinals_begin_at_1_and_end_with_the_turn() {
    let refund = recording("narrated-refund");
    assert!(refund.response(0).is_none());
    assert_eq!(refund.response(3).unwrap().next().unwrap().after_ms, 12);
    assert!(refund.response(4).is_none());
    assert!(refund.response(u32::MAX).is_none());
}

#[test]
fn the_refund_fails_once_and_is_found_then() {
    let refund = recording("narrated-refund");
    assert!(!refund.tool("look_up_order", 0).unwrap().0);
    assert!(refund.tool("find_refund", 0).unwrap().0);
    assert_eq!(refund.tool("look_up_order", 1), None);
    assert_eq!(refund.tool("other", 0), None);
}

#[test]
fn the_monologue_has_130_pieces_and_a_call() {
    let monologue = recording("prose-monologue");
    let first = decode(monologue.responses[0]);
    assert_eq!(first.iter().filter(|signal| matches!(signal, Signal::Text(_))).count(), 130);
    assert!(first.iter().any(|signal| matches!(signal, Signal::CallStart { .. })));
}

#[test]
fn the_long_answer_has_2000_pieces_in_20_seconds() {
    let long = recording("long-answer");
    let last = decode(long.responses[0]);
    assert_eq!(last.iter().filter(|signal| matches!(signal, Signal::Text(_))).count(), 2000);
    assert_eq!(last.last(), Some(&Signal::ResponseEnd(Stop::Complete)));
    let (chunks, time) = long.response(1).unwrap().fold((0, 0), |(count, ms), chunk| (count + 1, ms + chunk.after_ms));
    assert_eq!((chunks, time), (2002, 20_020));
    assert!(long.responses[0].len() < 200_000);
}

#[test]
fn all_others_are_quick() {
    for name in names().filter(|name| *name != "long-answer") {
        let times = responses(recording(name)).into_iter().flatten().map(|chunk| chunk.after_ms);
        assert!(times.sum::<u64>() < 3_000, "{name}");
    }
}

#[test]
fn chunk_borders_cut_through_characters() {
    let chunks: Vec<&[u8]> = recording("multibyte-cuts").response(1).unwrap().map(|chunk| chunk.bytes).collect();
    let broken = chunks.iter().filter(|chunk| std::str::from_utf8(chunk).is_err()).count();
    assert!(broken > 20, "{broken}");
}

#[test]
fn how_the_broken_ones_end() {
    let ends = |name| {
        let playback = recording(name).response(1).unwrap();
        (playback.end(), signals(recording(name)).remove(0).pop().unwrap())
    };
    assert_eq!(ends("error-after-200"), (End::Close, Signal::Error(Fault::Reported)));
    assert_eq!(ends("death-mid-message"), (End::Abort, Signal::Error(Fault::Cut)));
    assert_eq!(ends("missing-end-mark"), (End::Close, Signal::Error(Fault::Cut)));
    assert_eq!(ends("length-stop"), (End::Close, Signal::ResponseEnd(Stop::Length)));
    assert_eq!(ends("empty-answer"), (End::Close, Signal::ResponseEnd(Stop::Complete)));
}

fn lengths(bytes: &'static [u8], cut: &'static Cut) -> Vec<usize> {
    Playback::new(bytes, 0, cut, End::Close).map(|chunk| chunk.bytes.len()).collect()
}

#[test]
fn cuts_by_frame() {
    assert_eq!(lengths(b"data: a\n\n: b\n\n\nx", &Cut::Frames), [9, 5, 2]);
    assert_eq!(lengths(b"a\r\n\r\nb\r\nc\r\n\r\n", &Cut::Frames), [5, 8]);
    assert!(lengths(b"", &Cut::Frames).is_empty());
}

#[test]
fn cuts_by_length() {
    assert_eq!(lengths(b"0123456789", &Cut::Every(4)), [4, 4, 2]);
    assert_eq!(lengths(b"012", &Cut::Every(0)), [1, 1, 1]);
}

#[test]
fn cuts_by_position() {
    static AT: Cut = Cut::At(Vec::new());
    assert_eq!(lengths(b"0123456789", &AT), [10]);
    let at = Box::leak(Box::new(Cut::At(vec![0, 3, 3, 4, 99])));
    assert_eq!(lengths(b"0123456789", at), [3, 1, 6]);
}

#[test]
fn cuts_as_a_script_has_them() {
    let cut = |json: &str| crate::stored::decode::<Cut>(json.as_bytes()).unwrap();
    assert_eq!(cut(r#""frames""#), Cut::Frames);
    assert_eq!(cut(r#"{"every":7}"#), Cut::Every(7));
    assert_eq!(cut(r#"{"at":[1,2]}"#), Cut::At(vec![1, 2]));
}

fn user() -> Message {
    Message::User(vec![Part::Text("a".to_owned())])
}

fn calling(ids: &[&str]) -> Message {
    let call = |id: &&str| Call { id: (*id).to_owned(), name: "f".to_owned(), arguments: "{}".to_owned() };
    Message::Assistant { text: String::new(), calls: ids.iter().map(call).collect(), kept: None }
}

fn result(call: &str) -> Message {
    Message::Tool { call: call.to_owned(), content: Vec::new() }
}

#[test]
fn a_turn_begins_with_the_first_response() {
    assert_eq!(first_response(&[]), 1);
    assert_eq!(first_response(&[user()]), 1);
    assert_eq!(first_response(&[user(), calling(&["a"]), result("a"), user()]), 1, "of an earlier turn");
    let said = Message::Assistant { text: "hi".to_owned(), calls: Vec::new(), kept: None };
    assert_eq!(first_response(&[user(), said]), 1);
}

#[test]
fn a_turn_goes_on_once_every_call_of_a_round_has_its_result() {
    assert_eq!(first_response(&[user(), calling(&["a"])]), 1);
    assert_eq!(first_response(&[user(), calling(&["a"]), result("a")]), 2);
    assert_eq!(first_response(&[user(), calling(&["a", "b"]), result("a")]), 1);
    assert_eq!(first_response(&[user(), calling(&["a", "b"]), result("b"), result("a")]), 2);
    assert_eq!(first_response(&[user(), calling(&["a"]), calling(&["b"]), result("a"), result("b")]), 2, "one round");
    assert_eq!(first_response(&[user(), calling(&["a"]), result("a"), calling(&["b"]), result("b")]), 3);
}
