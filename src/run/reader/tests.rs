use super::*;
use crate::driver::{collect, pull};
use crate::event::Plain;
use crate::profile::Profile;
use crate::run::emitter::{Emitter, Totals};
use crate::run::fixture::{answer, claim, commit, input, started};
use crate::run::memory::MemoryStore;
use crate::run::store::Traits;
use crate::wire::is_of_type;
use proptest::prelude::*;

mod lost;

const DO: Traits = Traits::DURABLE_OBJECT;

fn keys() -> RunKeys {
    claim("w1", DO).keys
}

fn reader(view: View, wire: Wire, cursor: Option<Cursor>) -> Reader {
    Reader::new(keys(), view, wire, cursor)
}

/// A run of `commits` commits with two events each, then an answer.
fn long(commits: usize, traits: Traits) -> (Emitter, MemoryStore) {
    let (mut emitter, mut store) = (started(traits), MemoryStore::new());
    commit(&mut emitter, &mut store);
    for n in 0..commits {
        emitter.write(Plain::IntermediateStart { message: format!("m{n}") }).unwrap();
        emitter.write(Plain::IntermediateEnd { message: format!("m{n}") }).unwrap();
        commit(&mut emitter, &mut store);
    }
    emitter.succeed(answer("Yes."), Totals::default()).unwrap();
    commit(&mut emitter, &mut store);
    (emitter, store)
}

#[test]
fn a_client_is_sent_no_more_than_it_has_declared_nor_than_the_one_that_began_the_run() {
    let older = Protocol { major: 0, minor: 9 };
    let begun = |protocol: Option<Protocol>| {
        let mut store = MemoryStore::new();
        let mut emitter = Emitter::start(claim("w1", DO), &input("r"), Profile::new("m", protocol, 0), 1);
        commit(&mut emitter, &mut store);
        emitter.cancel(Totals::default()).unwrap();
        commit(&mut emitter, &mut store);
        store
    };
    let last = |store: &MemoryStore, cursor, declared: Option<Option<Protocol>>| {
        let reader = reader(View::Customer, Wire::AgUi, cursor);
        let (frames, need) = collect(store, declared.into_iter().fold(reader, Reader::declared));
        assert_eq!(need, Need::End);
        frames.last().unwrap().data.contains("\"outcome\":{\"type\":\"cancelled\"}")
    };
    let (new, old) = (begun(Some(Protocol::V1)), begun(None));
    for cursor in [None, Some(Cursor::START)] {
        assert!(last(&new, cursor, None) && last(&new, cursor, Some(Some(Protocol::V1))));
        assert!(!last(&new, cursor, Some(None)) && !last(&new, cursor, Some(Some(older))));
        assert!(!last(&old, cursor, None) && !last(&old, cursor, Some(Some(Protocol::V1))));
    }
}

#[test]
fn cursors_read_and_write_themselves() {
    for text in ["0", "7", "12.3"] {
        assert_eq!(Cursor::parse(text).unwrap().to_string(), text);
    }
    for text in ["", "x", "-1", "1.", ".1", "1.0", "1.2.3", "+1", " 1", "99999999999999999999", "1.4294967295"] {
        assert_eq!(Cursor::parse(text).unwrap_err().code(), "bad_cursor", "{text}");
    }
    assert!(Cursor::parse("3.1").unwrap() < Cursor::parse("3.2").unwrap());
    assert!(Cursor::parse("3.2").unwrap() < Cursor::parse("3").unwrap());
}

#[test]
fn a_live_reader_and_a_late_one_get_equal_bytes() {
    let (mut emitter, mut store) = (started(DO), MemoryStore::new());
    let mut live = reader(View::Operator, Wire::Canonical, Some(Cursor::START));
    let mut frames = Vec::new();
    commit(&mut emitter, &mut store);
    for n in 0..5 {
        assert_eq!(pull(&store, &mut live, &mut frames), Need::Wait(n + 1));
        emitter.write(Plain::AttemptReset { ordinal: 1 }).unwrap();
        commit(&mut emitter, &mut store);
    }
    emitter.succeed(answer("Yes."), Totals::default()).unwrap();
    assert!(matches!(pull(&store, &mut live, &mut frames), Need::Wait(_)), "nothing of an end that is not durable");
    commit(&mut emitter, &mut store);
    assert_eq!(pull(&store, &mut live, &mut frames), Need::End);
    let late = collect(&store, reader(View::Operator, Wire::Canonical, Some(Cursor::START)));
    assert_eq!((frames, Need::End), late);
}

#[test]
fn a_cursor_ahead_of_the_whole_run_is_no_clean_end() {
    let (emitter, store) = long(1, DO);
    let last = emitter.record().sequence;
    let read = |seq| collect(&store, reader(View::Customer, Wire::AgUi, Some(Cursor::after(seq))));
    assert_eq!(read(last), (vec![], Need::End), "behind the terminal nothing is left");
    let (frames, need) = read(last + 1);
    assert!(frames.is_empty() && matches!(&need, Need::Fail(_, error) if error.code() == "bad_cursor"), "{need:?}");
}

#[test]
fn any_cursor_gives_the_rest_of_the_stream() {
    for (view, wire) in
        [(View::Operator, Wire::Canonical), (View::Customer, Wire::Canonical), (View::Customer, Wire::AgUi)]
    {
        let (_, store) = long(12, DO);
        let (all, _) = collect(&store, reader(view, wire, Some(Cursor::START)));
        for (at, frame) in all.iter().enumerate() {
            let cursor = Cursor::parse(frame.id.as_deref().unwrap()).unwrap();
            let (rest, need) = collect(&store, reader(view, wire, Some(cursor)));
            assert_eq!((rest.as_slice(), need), (&all[at + 1..], Need::End), "{view:?} {wire:?} after {cursor}");
        }
    }
}

#[test]
fn a_stream_ends_with_a_type_that_ends_it_and_no_other_frame_is_of_one() {
    let end = |emitter: &mut Emitter, at: usize| match at {
        0 => emitter.succeed(answer("Yes."), Totals::default()),
        1 => emitter.cancel(Totals::default()),
        _ => emitter.fail(crate::run::sanitize::failure(ErrorKind::RunTimeout, "r", "w"), Totals::default()),
    };
    for wire in [Wire::Canonical, Wire::AgUi] {
        for at in 0..3 {
            let (mut emitter, mut store) = (started(DO), MemoryStore::new());
            commit(&mut emitter, &mut store);
            end(&mut emitter, at).unwrap();
            commit(&mut emitter, &mut store);
            let (frames, _) = collect(&store, reader(View::Customer, wire, Some(Cursor::START)));
            let ends: Vec<bool> =
                frames.iter().map(|frame| wire.ends().iter().any(|kind| is_of_type(&frame.data, kind))).collect();
            assert_eq!(ends.iter().position(|end| *end), Some(frames.len() - 1), "{wire:?} {at}");
        }
        let failure = reader(View::Customer, wire, None).failure(&ErrorKind::Internal.into());
        assert!(wire.ends().iter().any(|kind| is_of_type(&failure.data, kind)), "{wire:?}");
    }
}

#[test]
fn a_customer_never_gets_what_is_for_operators() {
    let (_, store) = long(3, DO);
    let (frames, _) = collect(&store, reader(View::Customer, Wire::Canonical, Some(Cursor::START)));
    assert!(frames.iter().all(|frame| !frame.data.contains("intermediate")));
    let numbers: Vec<u64> = frames.iter().map(|frame| frame.id.as_deref().unwrap().parse().unwrap()).collect();
    assert!(numbers.is_sorted_by(|a, b| a < b), "gaps, but always rising");
}

#[test]
fn a_reader_far_behind_finds_its_place_in_few_loads() {
    let (emitter, store) = long(3_000, DO);
    assert!(emitter.record().marks.len() <= 64 && emitter.record().encode().len() < 16 << 10);
    let mut worst = 0;
    for seq in (1..emitter.record().sequence).step_by(211) {
        let mut reader = reader(View::Operator, Wire::Canonical, Some(Cursor::after(seq)));
        let mut loads = 0;
        loop {
            match reader.next() {
                Need::Load(key) => {
                    loads += 1;
                    reader.loaded(&key, store.value(&key));
                }
                Need::Frames(frames) => {
                    assert_eq!(frames[0].id.as_deref(), Some((seq + 1).to_string().as_str()));
                    break;
                }
                other => panic!("{other:?}"),
            }
        }
        worst = worst.max(loads);
    }
    assert!(worst <= 9, "{worst} loads");
}

#[test]
fn a_named_part_that_is_missing_means_wait() {
    let (_, store) = long(2, DO);
    let mut reader = reader(View::Operator, Wire::Canonical, Some(Cursor::START));
    let mut frames = Vec::new();
    let mut missed = 0;
    loop {
        match reader.next() {
            Need::Load(key) if key.contains("/journal/") && missed < 3 => {
                missed += 1;
                reader.loaded(&key, None);
            }
            Need::Load(key) => reader.loaded(&key, store.value(&key)),
            Need::Wait(_) => reader.wake(),
            Need::Frames(more) => frames.extend(more),
            Need::End => break,
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(
        (frames, Need::End),
        collect(&store, self::reader(View::Operator, Wire::Canonical, Some(Cursor::START)))
    );
}

#[test]
fn a_stale_head_is_no_news_and_positions_never_go_back() {
    let (mut emitter, mut store) = (started(DO), MemoryStore::new());
    commit(&mut emitter, &mut store);
    let old = store.value(&keys().head()).unwrap().to_vec();
    emitter.cancel(Totals::default()).unwrap();
    let mut reader = reader(View::Operator, Wire::Canonical, Some(Cursor::START));
    let mut frames = Vec::new();
    assert_eq!(pull(&store, &mut reader, &mut frames), Need::Wait(1));
    commit(&mut emitter, &mut store);
    reader.wake();
    assert_eq!(reader.next(), Need::Load(keys().head()));
    reader.loaded(&keys().head(), Some(&old));
    assert_eq!(reader.next(), Need::Wait(1));
    assert_eq!(pull(&store, &mut reader, &mut frames), Need::End);
    assert_eq!(frames.len(), 2);
}

#[test]
fn what_can_not_be_read_is_an_error_on_the_wire_and_never_a_clean_end() {
    let nothing = MemoryStore::new();
    let (frames, need) = collect(&nothing, reader(View::Customer, Wire::Canonical, None));
    let Need::Fail(frame, error) = need else { panic!("{need:?}") };
    assert_eq!((frames.len(), error.code()), (0, "unknown_run"));
    assert!(frame.id.is_none() && frame.data.contains("stream_interrupted"));
    for wire in [Wire::Canonical, Wire::AgUi] {
        let (_, store) = long(1, DO);
        let mut reader = reader(View::Customer, wire, Some(Cursor::START));
        loop {
            match reader.next() {
                Need::Load(key) if key.contains("/journal/") => reader.loaded(&key, Some(b"garbage")),
                Need::Load(key) => reader.loaded(&key, store.value(&key)),
                Need::Fail(frame, error) => {
                    assert_eq!(error.code(), "record_unreadable");
                    assert!(frame.data.contains("stream_interrupted"), "{}", frame.data);
                    break;
                }
                other => panic!("{other:?}"),
            }
        }
    }
}

#[test]
fn a_load_that_fails_anywhere_leaves_a_prefix_and_an_error() {
    for (view, wire) in
        [(View::Operator, Wire::Canonical), (View::Customer, Wire::Canonical), (View::Customer, Wire::AgUi)]
    {
        for cursor in [None, Some(Cursor::START)] {
            let (_, store) = long(4, DO);
            let (whole, _) = collect(&store, reader(view, wire, cursor));
            let (mut at, mut failures) = (1, 0);
            while failures < at {
                let (mut reader, mut frames, mut loads) = (reader(view, wire, cursor), Vec::new(), 0);
                let need = loop {
                    match reader.next() {
                        Need::Load(key) => {
                            loads += 1;
                            match loads == at {
                                true => reader.fail(ErrorKind::StoreUnavailable.into()),
                                false => reader.loaded(&key, store.value(&key)),
                            }
                        }
                        Need::Frames(more) => frames.extend(more),
                        other => break other,
                    }
                };
                assert_eq!(frames, whole[..frames.len()], "{view:?} {wire:?} {at}");
                if at > loads {
                    assert_eq!((need, frames.len()), (Need::End, whole.len()));
                    break;
                }
                let Need::Fail(frame, error) = need else { panic!("{need:?}") };
                assert_eq!(error.code(), "store_unavailable");
                assert!(frame.id.is_none() && frame.data.contains("stream_interrupted"), "{}", frame.data);
                failures += 1;
                at += 1;
            }
            assert!(failures > 5, "{failures}");
        }
    }
}

#[test]
fn an_end_that_this_version_can_not_say_is_no_clean_end() {
    let (emitter, mut store) = long(1, DO);
    let head = emitter.record().clone();
    let last = keys().segment("w1", head.writers[0].segments - 1);
    let stored = String::from_utf8(store.value(&last).unwrap().to_vec()).unwrap();
    let unknown = stored.replace(r#""type":"completed""#, r#""type":"transcended""#);
    assert_ne!(stored, unknown, "{stored}");
    let part = crate::run::store::Part { key: last, value: unknown.into_bytes() };
    store.perform(crate::run::store::StoreOp::Save { parts: vec![part], head: None });
    for wire in [Wire::Canonical, Wire::AgUi] {
        let (_, need) = collect(&store, reader(View::Customer, wire, Some(Cursor::START)));
        assert!(matches!(&need, Need::Fail(_, error) if error.code() == "record_too_new"), "{need:?}");
    }
}

#[test]
fn a_serializer_that_is_not_the_runs_own_says_so_on_its_wire() {
    let (_, store) = long(1, DO);
    let head = String::from_utf8(store.value(&keys().head()).unwrap().to_vec()).unwrap();
    let newer = head.replace(r#""canonical":1"#, r#""canonical":2"#).replace(r#""ag_ui":1"#, r#""ag_ui":2"#);
    assert_ne!(head, newer, "{head}");
    for wire in [Wire::Canonical, Wire::AgUi] {
        for cursor in [None, Some(Cursor::START)] {
            let mut reader = reader(View::Customer, wire, cursor);
            let need = loop {
                match reader.next() {
                    Need::Load(key) if key == keys().head() => reader.loaded(&key, Some(newer.as_bytes())),
                    Need::Load(key) => reader.loaded(&key, store.value(&key)),
                    other => break other,
                }
            };
            let Need::Fail(frame, error) = need else { panic!("{wire:?} {cursor:?} {need:?}") };
            assert_eq!(error.code(), "record_too_new");
            assert!(frame.data.contains("stream_interrupted"), "{}", frame.data);
        }
    }
}

#[test]
fn filters_by_type_but_always_sends_the_terminal() {
    let (_, store) = long(2, DO);
    let reader = reader(View::Operator, Wire::Canonical, None).only(vec!["content".into()]);
    let (frames, need) = collect(&store, reader);
    let types: Vec<_> = frames.iter().map(|frame| frame.data.split('"').nth(3).unwrap()).collect();
    assert_eq!((types.as_slice(), need), (&["content", "task_completed"][..], Need::End));
}

proptest! {
    /// Whatever the cut of commits and segments, a reader that pulls at arbitrary moments gets the same.
    #[test]
    fn any_interleaving_of_commits_and_pulls_gives_the_same_stream(
        pulls in prop::collection::vec(any::<bool>(), 20), small in any::<bool>(), cursor in 0u64..30
    ) {
        let traits = Traits { max_value: if small { 400 } else { 1 << 20 }, batch: !small, ..DO };
        let (mut emitter, mut store) = (started(traits), MemoryStore::new());
        commit(&mut emitter, &mut store);
        let mut live = reader(View::Operator, Wire::Canonical, Some(Cursor::after(cursor)));
        let mut frames = Vec::new();
        for (n, now) in pulls.into_iter().enumerate() {
            emitter.write(Plain::IntermediateStart { message: format!("m{n}") }).unwrap();
            emitter.write(Plain::IntermediateDelta { message: format!("m{n}"), delta: "x".repeat(n * 9), cuts: Vec::new() }).unwrap();
            emitter.write(Plain::IntermediateEnd { message: format!("m{n}") }).unwrap();
            if now {
                commit(&mut emitter, &mut store);
                pull(&store, &mut live, &mut frames);
            }
        }
        emitter.succeed(answer("Yes."), Totals::default()).unwrap();
        commit(&mut emitter, &mut store);
        prop_assert_eq!(pull(&store, &mut live, &mut frames), Need::End);
        let (all, _) = collect(&store, reader(View::Operator, Wire::Canonical, Some(Cursor::START)));
        let rest: Vec<_> = all.into_iter().filter(|f| f.id.as_deref().unwrap().parse::<u64>().unwrap() > cursor).collect();
        prop_assert_eq!(frames, rest);
    }
}

/// A record that names events which its segments do not hold is no reason to look for them for ever.
#[test]
fn what_no_segment_holds_is_an_error_and_not_looked_for_for_ever() {
    let (emitter, store) = long(40, DO);
    for (sequence, cursor) in [(1, 2), (7, 9), (emitter.record().sequence, 4)] {
        for empty in [false, true] {
            // The head says more, or less, than the segments hold.
            let head = RunRecord { sequence: sequence + 40, marks: vec![], ..emitter.record().clone() };
            let mut reader = reader(View::Operator, Wire::Canonical, Some(Cursor::after(cursor)));
            let mut loads = 0;
            let need = loop {
                match reader.next() {
                    Need::Load(key) if key == keys().head() => reader.loaded(&key, Some(&head.encode())),
                    Need::Load(key) => {
                        loads += 1;
                        assert!(loads < 1_000, "{sequence} {cursor}");
                        let nothing = &br#"{"v":1,"first":1,"at":0,"events":[]}"#[..];
                        reader.loaded(&key, if empty { Some(nothing) } else { store.value(&key) });
                    }
                    Need::Frames(_) => {}
                    other => break other,
                }
            };
            let unreadable = matches!(&need, Need::Fail(_, error) if error.code() == "record_unreadable");
            assert!(unreadable || matches!(need, Need::Wait(_) | Need::End) && !empty, "{need:?}");
        }
    }
}
