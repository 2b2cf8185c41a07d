//! Readers from any cursor, at any moment of a run: what they are sent is the rest of the whole, byte for byte.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use common::agent::{Bounded, keys, lines};
use common::matrix::{ENDS, End, TERMS, play, record, sequence};
use common::{RUN, SCOPE, THREAD, agent, input, types};
use lastword::driver::{collect, pull};
use lastword::event::View;
use lastword::provider::replay;
use lastword::run::{
    Cursor, Expect, Follow, Head, MemoryStore, Need, Position, Reader, RunRecord, Since, Status, StoreOp, ThreadKeys,
    Traits,
};
use lastword::sse::{Frame, Heartbeat};
use lastword::wire::Wire;

/// What readers come with.
const EYES: [(View, Wire); 3] =
    [(View::Customer, Wire::AgUi), (View::Customer, Wire::Canonical), (View::Operator, Wire::Canonical)];

fn reader((view, wire): (View, Wire), cursor: Option<Cursor>) -> Reader {
    Reader::new(ThreadKeys::new(SCOPE, THREAD).run(RUN), view, wire, cursor)
}

fn cursor(frame: &Frame) -> Cursor {
    Cursor::parse(frame.id.as_deref().unwrap()).unwrap()
}

/// All frames from the start; the stream must have ended.
fn whole(store: &MemoryStore, eye: (View, Wire)) -> Vec<Frame> {
    let (frames, need) = collect(store, reader(eye, Some(Cursor::START)));
    assert_eq!(need, Need::End);
    frames
}

/// The run's head at each of its moments: after event 1, after event 2, and so on, and once it has ended.
fn moments(store: &MemoryStore) -> Vec<Vec<u8>> {
    let last = record(store);
    let at = |sequence| RunRecord { status: Status::Started, sequence, revision: sequence, ..last.clone() };
    let live = (1..last.sequence).map(|sequence| at(sequence).encode());
    live.chain([RunRecord { revision: last.sequence, ..last.clone() }.encode()]).collect()
}

/// The run comes to that moment.
fn come(store: &mut MemoryStore, head: &[u8]) {
    let head = Head { key: keys().head(), value: head.to_vec(), expect: Expect::Any };
    store.perform(StoreOp::Save { parts: Vec::new(), head: Some(head) });
}

/// The cursors of a stream: before everything, and behind each of its frames.
fn cursors(whole: &[Frame]) -> Vec<Cursor> {
    std::iter::once(Cursor::START).chain(whole.iter().map(cursor)).collect()
}

#[test]
fn behind_any_cursor_of_a_run_that_has_ended_comes_exactly_the_rest() {
    let (mut cases, mut split) = (0, 0);
    for name in replay::names() {
        for end in ENDS {
            for terms in TERMS {
                let store = play(name, end, terms);
                for eye in EYES {
                    let whole = whole(&store, eye);
                    for (had, cursor) in cursors(&whole).into_iter().enumerate() {
                        let (rest, need) = collect(&store, reader(eye, Some(cursor)));
                        assert_eq!((rest.as_slice(), need), (&whole[had..], Need::End), "{name} {eye:?} {cursor}");
                        split += usize::from(cursor.to_string().contains('.'));
                        cases += 1;
                    }
                }
            }
        }
    }
    println!("{cases} cursors, {split} of them inside an event");
    assert!(cases > 10_000 && split > 150, "{cases} {split}");
}

#[test]
fn behind_any_cursor_at_any_moment_of_a_run_comes_what_there_is_and_then_the_rest() {
    let mut cases = 0;
    for name in replay::names() {
        for (terms, eyes) in [(TERMS[0], &EYES[1..2]), (TERMS[3], &[EYES[0], EYES[2]])] {
            let mut store = play(name, End::Recorded, terms);
            let moments = moments(&store);
            for eye in eyes.iter().copied() {
                come(&mut store, moments.last().unwrap());
                let whole = whole(&store, eye);
                let cursors = cursors(&whole);
                // One that comes at this moment and stays to the end.
                for (moment, head) in (1..).zip(&moments) {
                    come(&mut store, head);
                    let there = whole.iter().take_while(|frame| sequence(frame) <= moment).count();
                    for (had, cursor) in cursors.iter().enumerate() {
                        come(&mut store, head);
                        let (mut reader, mut frames) = (reader(eye, Some(*cursor)), Vec::new());
                        let need = pull(&store, &mut reader, &mut frames);
                        assert_eq!(frames, whole[had.min(there)..there], "{name} {eye:?} {cursor} at {moment}");
                        if (moment as usize) < moments.len() {
                            // Also where the cursor is ahead of what there is: it may yet come.
                            assert_eq!(need, Need::Wait(moment), "{name} {eye:?} {cursor}");
                        }
                        // How it goes on from there depends on its cursor only near what there is.
                        if had == 0 || had.abs_diff(there) <= 2 || had == whole.len() {
                            come(&mut store, moments.last().unwrap());
                            assert_eq!(pull(&store, &mut reader, &mut frames), Need::End);
                            assert_eq!(frames, whole[had..], "{name} {eye:?} {cursor} at {moment}");
                        }
                        cases += 1;
                    }
                }
                // One that has been there all along.
                for (had, cursor) in cursors.into_iter().enumerate().step_by(7) {
                    let (mut reader, mut frames) = (reader(eye, Some(cursor)), Vec::new());
                    for (moment, head) in (1..).zip(&moments) {
                        come(&mut store, head);
                        pull(&store, &mut reader, &mut frames);
                        let there = whole.iter().take_while(|frame| sequence(frame) <= moment).count();
                        assert_eq!(frames, whole[had.min(there)..there], "{name} {eye:?} {cursor} at {moment}");
                    }
                }
            }
        }
    }
    println!("{cases} cursors at moments");
    assert!(cases > 25_000, "{cases}");
}

#[test]
fn a_filter_takes_nothing_else_from_behind_any_cursor() {
    let mut cases = 0;
    for name in replay::names() {
        let store = play(name, End::Recorded, TERMS[2]);
        for eye in EYES {
            let whole = whole(&store, eye);
            let mut kinds = types(&whole);
            kinds.sort();
            kinds.dedup();
            for kind in kinds {
                for (had, cursor) in cursors(&whole).into_iter().enumerate().step_by(3) {
                    let (rest, need) = collect(&store, reader(eye, Some(cursor)).only(vec![kind.clone()]));
                    let last = whole.len() - 1;
                    let wanted = |(at, frame): &(usize, &Frame)| *at == last || types(&[(*frame).clone()])[0] == kind;
                    let wanted = whole.iter().enumerate().skip(had).filter(wanted).map(|(_, frame)| frame.clone());
                    assert_eq!((rest, need), (wanted.collect::<Vec<_>>(), Need::End), "{name} {kind} {cursor}");
                    cases += 1;
                }
            }
        }
    }
    assert!(cases > 2_000, "{cases}");
}

#[test]
fn behind_any_position_of_a_thread_comes_exactly_the_rest_at_any_moment() {
    let mut cases = 0;
    for name in replay::names() {
        let mut store = play(name, End::Recorded, TERMS[2]);
        let moments = moments(&store);
        for view in [View::Customer, View::Operator] {
            let follow = |store: &MemoryStore, follow: &mut Follow, frames: &mut Vec<Frame>| {
                follow.wake(1);
                loop {
                    match follow.next() {
                        Need::Load(key) => follow.loaded(&key, store.value(&key)),
                        Need::Frames(more) => frames.extend(more),
                        other => break assert_eq!(other, Need::Wait(1)),
                    }
                }
            };
            let at = |position| Follow::new(SCOPE, THREAD, view, Since::After(position));
            let mut whole = Vec::new();
            come(&mut store, moments.last().unwrap());
            follow(&store, &mut at(Position::START), &mut whole);
            let own: Vec<Frame> = self::whole(&store, (view, Wire::Canonical));
            let stamped = |frame: Frame| Frame { id: frame.id.map(|id| format!("1-{id}")), ..frame };
            assert_eq!(whole, own.into_iter().map(stamped).collect::<Vec<_>>());
            let behind = whole.iter().map(|frame| Position::parse(frame.id.as_deref().unwrap()).unwrap());
            for (had, position) in std::iter::once(Position::START).chain(behind).enumerate() {
                for head in moments.iter().skip(had % 5).step_by(5) {
                    come(&mut store, head);
                    let (mut reader, mut frames) = (at(position), Vec::new());
                    follow(&store, &mut reader, &mut frames);
                    assert!(whole[had..].starts_with(&frames));
                    come(&mut store, moments.last().unwrap());
                    follow(&store, &mut reader, &mut frames);
                    assert_eq!(frames, whole[had..], "{name} {position}");
                    cases += 1;
                }
            }
        }
    }
    assert!(cases > 3_000, "{cases}");
}

/// Events whose frames are many, and events that stand in pieces.
fn said() -> Vec<String> {
    let escaped = "\\u0001".repeat(12 << 10);
    let mut said = vec![r#"{"type":"response_start"}"#.to_owned()];
    for at in 0..3 {
        said.push(format!(r#"{{"type":"state","snapshot":{{"at":{at},"text":"{}"}}}}"#, "s".repeat(at * 40_000)));
        said.push(r#"{"type":"item_start"}"#.to_owned());
        said.push(format!(r#"{{"type":"text","delta":"{escaped}"}}"#));
        said.push(r#"{"type":"item_end"}"#.to_owned());
    }
    said.push(r#"{"type":"response_end"}"#.to_owned());
    said
}

#[test]
fn behind_any_cursor_comes_the_rest_however_events_are_cut() {
    let mut frames_of = Vec::new();
    for max_value in [4 << 10, 64 << 10, 1 << 20] {
        let traits = Traits { max_value, batch: max_value > 64 << 10, ..Traits::DURABLE_OBJECT };
        let store = agent::play(Bounded::new(max_value), traits, |_| lines(said()), input(RUN, &[]));
        let store = store.inner;
        assert!(store.keys().any(|key| key.contains("/public/event/")), "{max_value}");
        for eye in EYES {
            let whole = whole(&store, eye);
            for (had, cursor) in cursors(&whole).into_iter().enumerate() {
                let (rest, need) = collect(&store, reader(eye, Some(cursor)));
                assert!(rest == whole[had..] && need == Need::End, "{max_value} {eye:?} {cursor}");
            }
            let inside = whole.iter().filter(|frame| frame.id.as_deref().unwrap().contains('.')).count();
            assert!(inside > 0);
            frames_of.push((eye, whole));
        }
    }
    // What is read does not depend on the store, but for where its commits fell.
    for (eye, whole) in &frames_of[3..] {
        let first = &frames_of.iter().find(|(other, _)| other == eye).unwrap().1;
        let data = |frames: &[Frame]| frames.iter().map(|frame| frame.data.len()).sum::<usize>();
        assert_eq!(data(first), data(whole), "{eye:?}");
    }
}

/// Where nobody is told that there is news, the heartbeat is when a reader looks again: as a host does it.
#[test]
fn a_reader_whose_wake_was_lost_looks_again_at_its_next_heartbeat() {
    let mut store = play("narrated-refund", End::Recorded, TERMS[0]);
    let moments = moments(&store);
    for eye in EYES {
        come(&mut store, moments.last().unwrap());
        let whole = whole(&store, eye);
        for (at, head) in moments.iter().enumerate().take(moments.len() - 1) {
            come(&mut store, head);
            let (mut reader, mut frames, mut now) = (reader(eye, Some(Cursor::START)), Vec::new(), 0);
            let mut heartbeat = Heartbeat::new(15_000);
            pull(&store, &mut reader, &mut frames);
            heartbeat.wrote(now);
            // The run goes on to its end, and every word of it is lost.
            come(&mut store, moments.last().unwrap());
            assert_eq!(reader.next(), Need::Wait(at as u64 + 1));
            now += heartbeat.wait(now);
            assert!(heartbeat.due(now) && now <= 15_000);
            assert_eq!((pull(&store, &mut reader, &mut frames), frames), (Need::End, whole.clone()));
        }
    }
}
