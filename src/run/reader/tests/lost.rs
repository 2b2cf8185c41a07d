//! What becomes of a reader whose run is deleted, or damaged, under it.

use super::*;
use crate::run::store::{Part, StoreOp};

const EYES: [(View, Wire, Option<Cursor>); 4] = [
    (View::Operator, Wire::Canonical, None),
    (View::Customer, Wire::Canonical, Some(Cursor::START)),
    (View::Customer, Wire::AgUi, None),
    (View::Customer, Wire::AgUi, Some(Cursor::START)),
];

/// A run with a state in pieces and some segments.
fn large() -> MemoryStore {
    let (mut emitter, mut store) = (started(DO), MemoryStore::new());
    for at in 0..4 {
        emitter.write(Plain::State { snapshot: serde_json::json!({"at": at, "text": "x".repeat(50_000)}) }).unwrap();
        commit(&mut emitter, &mut store);
    }
    emitter.succeed(answer("Yes."), Totals::default()).unwrap();
    commit(&mut emitter, &mut store);
    store
}

/// Reads on, looking again whenever it waits. `value` is asked for the number of the load too.
fn read(mut reader: Reader, mut value: impl FnMut(usize, &str) -> Option<Vec<u8>>) -> (Vec<Frame>, Need, usize) {
    let (mut frames, mut loads) = (Vec::new(), 0);
    loop {
        match reader.next() {
            Need::Load(key) => {
                loads += 1;
                assert!(loads < 1_000, "it looks for {key} for ever");
                reader.loaded(&key, value(loads, &key).as_deref());
            }
            Need::Frames(more) => frames.extend(more),
            Need::Wait(_) => reader.wake(),
            other => return (frames, other, loads),
        }
    }
}

#[test]
fn a_run_that_is_deleted_under_its_reader_ends_it_with_an_error() {
    let store = large();
    let stored = |key: &str| store.value(key).map(<[u8]>::to_vec);
    for (view, wire, cursor) in EYES {
        let (whole, _, loads) = read(reader(view, wire, cursor), |_, key| stored(key));
        for gone in 1..=loads {
            let (frames, need, _) = read(reader(view, wire, cursor), |at, key| stored(key).filter(|_| at < gone));
            assert!(whole.starts_with(&frames) && frames.len() < whole.len(), "{view:?} {wire:?} {gone}");
            assert!(matches!(&need, Need::Fail(_, error) if error.code() == "unknown_run"), "{gone} {need:?}");
        }
    }
}

#[test]
fn a_part_that_stays_away_from_a_run_that_has_ended_is_not_waited_for_for_ever() {
    let store = large();
    for (view, wire, cursor) in EYES {
        let (whole, ..) = read(reader(view, wire, cursor), |_, key| store.value(key).map(<[u8]>::to_vec));
        for lost in store.keys().filter(|key| *key != keys().head()) {
            let (frames, need, _) =
                read(reader(view, wire, cursor), |_, key| store.value(key).filter(|_| key != lost).map(<[u8]>::to_vec));
            let unread = need == Need::End && frames == whole;
            let told = matches!(&need, Need::Fail(_, error) if error.code() == "record_unreadable");
            assert!(unread || told && whole.starts_with(&frames), "{view:?} {wire:?} {lost} {need:?}");
        }
    }
}

#[test]
fn what_a_segment_lacks_is_not_passed_over() {
    let (emitter, store) = long(40, DO);
    for number in 2..emitter.record().writers[0].segments - 1 {
        let key = keys().segment("w1", number);
        let whole: serde_json::Value = serde_json::from_slice(store.value(&key).unwrap()).unwrap();
        let mut short = whole.clone();
        short["events"].as_array_mut().unwrap().remove(0);
        short["first"] = (whole["first"].as_u64().unwrap() + 1).into();
        let mut damaged = store.clone();
        let part = Part { key, value: short.to_string().into_bytes() };
        damaged.perform(StoreOp::Save { parts: vec![part], head: None });
        let first = whole["first"].as_u64().unwrap();
        for cursor in [0, first - 3, first - 1] {
            let (frames, need) =
                collect(&damaged, reader(View::Operator, Wire::Canonical, Some(Cursor::after(cursor))));
            assert!(matches!(&need, Need::Fail(_, error) if error.code() == "record_unreadable"), "{number} {need:?}");
            assert_eq!(frames.len() as u64, first - 1 - cursor, "{number} {cursor}");
        }
    }
}
