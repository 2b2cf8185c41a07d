//! The list of runs, against a model that sorts and cuts.

use crate::common::{SCOPE, THREAD, input, setup};
use crate::world::{RUNS, active, asked, instance, post, world};
use lastword::profile::Profile;
use lastword::run::{
    Claim, Emitter, Expect, Head, Keep, Listing, MemoryStore, Part, Reply, RunRecord, Status, StoreOp, StoreReply,
    ThreadKeys, Traits, Wanted, list_prefix,
};
use proptest::prelude::*;
use serde_json::json;
use std::collections::BTreeSet;

type Page = (Vec<RunRecord>, Option<String>);

/// One page, and how many entries and heads were asked for.
fn page(store: &mut MemoryStore, thread: Option<&str>, limit: usize, cursor: Option<&str>) -> (Page, usize) {
    let mut listing = Listing::new(SCOPE, thread.map(str::to_owned), limit, cursor).unwrap();
    let mut asked = 0;
    loop {
        match listing.wanted() {
            Wanted::Keys { prefix, after, limit } => {
                assert!(limit <= 101);
                let reply = store.perform(StoreOp::List { prefix, after, limit });
                listing.listed(reply).unwrap();
            }
            Wanted::Entries(keys) => {
                for key in keys {
                    asked += 1;
                    listing.entry(&key, store.perform(StoreOp::Load(key.clone()))).unwrap();
                }
            }
            Wanted::Heads(places) => {
                assert!(!places.is_empty(), "all were answered");
                for place in places {
                    asked += 1;
                    listing.head(&place.key, store.perform(StoreOp::Load(place.key.clone()))).unwrap();
                }
            }
            Wanted::Nothing => return (listing.page(), asked),
        }
    }
}

fn all(store: &mut MemoryStore, thread: Option<&str>, limit: usize) -> Vec<RunRecord> {
    let (mut records, mut cursor) = (Vec::new(), None);
    for _ in 0..1_000 {
        let ((some, next), _) = page(store, thread, limit, cursor.as_deref());
        assert!(some.len() <= limit);
        records.extend(some);
        cursor = next;
        if cursor.is_none() {
            return records;
        }
    }
    panic!("the pages never end");
}

fn ids(records: &[RunRecord]) -> Vec<String> {
    records.iter().map(|record| record.run.clone()).collect()
}

#[test]
fn what_has_begun_is_listed_once_and_as_it_stands() {
    let (store, now) = world();
    let mut driver = instance(store, now + 1, None, Keep::default());
    driver.post(1, asked(THREAD, "run-6", &crate::world::yes("run-5")));
    while active(&driver.host.inner.store)["run"] != "run-6" {
        assert!(driver.turn());
    }
    let store = &mut driver.host.inner.store;
    let newest = |store: &mut MemoryStore| ids(&all(store, None, 3));
    let mut expected: Vec<String> = RUNS.iter().rev().map(|run| (*run).to_owned()).collect();
    expected.insert(0, "other-1".to_owned());
    assert_eq!(newest(store), expected, "one that has no head is passed over");
    assert_eq!(ids(&all(store, Some(THREAD), 2)), expected[1..], "one thread's alone");
    while driver.host.inner.store.value(&ThreadKeys::new(SCOPE, THREAD).run("run-6").head()).is_none() {
        assert!(driver.turn());
    }
    expected.insert(0, "run-6".to_owned());
    let listed = all(&mut driver.host.inner.store, None, 100);
    assert_eq!((ids(&listed), listed[0].status), (expected.clone(), Status::Started));
    driver.drive();
    let ended = all(&mut driver.host.inner.store, None, 100);
    assert_eq!((ids(&ended), ended[0].status), (expected.clone(), Status::Succeeded));
    // Whoever joins, conflicts or comes too late puts nothing into the list.
    let entries = |driver: &crate::world::Driver| {
        driver.host.inner.store.keys().filter(|key| key.starts_with(&list_prefix(SCOPE))).count()
    };
    let before = entries(&driver);
    driver.host.inner.now += 5;
    assert_eq!(post(&mut driver, asked(THREAD, "run-3", &json!([]))), Reply::Join);
    assert!(matches!(post(&mut driver, input("run-3", &[])), Reply::Refused(_)));
    assert!(matches!(post(&mut driver, asked(THREAD, "run-7", &crate::world::yes("run-1"))), Reply::Refused(_)));
    assert_eq!(entries(&driver), before);
}

#[test]
fn a_claim_that_is_repeated_stands_in_its_first_place() {
    let (store, now) = world();
    let mut lost = instance(store, now + 1, None, Keep::default());
    lost.post(1, asked(THREAD, "run-6", &crate::world::yes("run-5")));
    let listed = |store: &MemoryStore| store.keys().filter(|key| key.ends_with("-run-6")).count();
    while listed(&lost.host.inner.store) == 0 {
        assert!(lost.turn());
    }
    let mut driver = instance(lost.host.inner.store.clone(), now + 99, None, Keep::default());
    assert_eq!(post(&mut driver, asked(THREAD, "run-6", &crate::world::yes("run-5"))), Reply::Started);
    assert_eq!(listed(&driver.host.inner.store), 1);
    assert_eq!(ids(&all(&mut driver.host.inner.store, None, 1))[0], "run-6");
}

#[test]
fn what_is_no_cursor_or_no_limit_is_refused() {
    for limit in [0, 101] {
        assert_eq!(Listing::new(SCOPE, None, limit, None).err().unwrap().code(), "invalid_input");
    }
    for cursor in [
        "",
        "x",
        "fffffffffffffe73",
        "fffffffffffffe73-",
        "FFFFFFFFFFFFFE73-r",
        "fffffffffffffe73-a/b",
        "fffffffffffffe7é-r",
        "../head",
    ] {
        assert_eq!(Listing::new(SCOPE, None, 1, Some(cursor)).err().unwrap().code(), "bad_cursor", "{cursor}");
    }
    assert!(Listing::new(SCOPE, None, 100, Some("fffffffffffffe73-r%2F1")).is_ok());
}

/// What an entry of the list stands for.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fate {
    Begun,
    NoHead,
    AnothersHead,
    Unreadable,
}

#[derive(Clone, Debug)]
struct Listed {
    at: u64,
    thread: u8,
    fate: Fate,
}

fn listed() -> impl Strategy<Value = Listed> {
    let fate = prop_oneof![
        6 => Just(Fate::Begun), 1 => Just(Fate::NoHead), 1 => Just(Fate::AnothersHead), 1 => Just(Fate::Unreadable)
    ];
    // Few times, so that many are equal.
    (0..6_u64, 0..3_u8, fate).prop_map(|(at, thread, fate)| Listed { at, thread, fate })
}

fn put(store: &mut MemoryStore, number: usize, listed: &Listed) {
    let (run, thread) = (format!("r{number}"), format!("t{}", listed.thread));
    let key = format!("{}{:016x}-{run}", list_prefix(SCOPE), !listed.at);
    let value = json!({"v": 1, "run": run, "thread": thread, "fingerprint": "f"}).to_string().into_bytes();
    store.perform(StoreOp::Save { parts: vec![Part { key, value }], head: None });
    if listed.fate == Fate::NoHead {
        return;
    }
    let keys = ThreadKeys::new(SCOPE, &thread).run(&run);
    let claim = Claim {
        keys: keys.clone(),
        scope: SCOPE.into(),
        writer: "w".into(),
        traits: Traits::MEMORY,
        lease: setup("i").lease,
    };
    let emitter = Emitter::start(claim, &input(&run, &[]), Profile::new("m", None, 0), listed.at);
    let fingerprint = if listed.fate == Fate::AnothersHead { "g" } else { "f" };
    let record = RunRecord { thread, fingerprint: fingerprint.into(), ..emitter.record().clone() };
    let value = if listed.fate == Fate::Unreadable { b"{}".to_vec() } else { record.encode() };
    store.perform(StoreOp::Save { parts: vec![], head: Some(Head { key: keys.head(), value, expect: Expect::Any }) });
}

/// The runs of the list in order, by a sort.
fn model(runs: &[Listed], thread: Option<u8>) -> Vec<String> {
    let mut order: Vec<(u64, String)> = Vec::new();
    for (number, listed) in runs.iter().enumerate() {
        if listed.fate == Fate::Begun && thread.is_none_or(|thread| thread == listed.thread) {
            order.push((u64::MAX - listed.at, format!("r{number}")));
        }
    }
    order.sort();
    order.into_iter().map(|(_, run)| run).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn pages_are_the_list_cut(runs in prop::collection::vec(listed(), 0..60), limit in 1..12_usize, thread in prop::option::of(0..3_u8)) {
        let mut store = MemoryStore::new();
        for (number, listed) in runs.iter().enumerate() {
            put(&mut store, number, listed);
        }
        let name = thread.map(|thread| format!("t{thread}"));
        prop_assert_eq!(ids(&all(&mut store, name.as_deref(), limit)), model(&runs, thread));
    }

    #[test]
    fn what_begins_and_goes_meanwhile_moves_nothing(
        runs in prop::collection::vec(listed(), 1..40),
        limit in 1..6_usize,
        goes in prop::collection::btree_set(0..40_usize, 0..6),
    ) {
        let mut store = MemoryStore::new();
        for (number, listed) in runs.iter().enumerate() {
            put(&mut store, number, listed);
        }
        let expected = model(&runs, None);
        let gone: BTreeSet<String> = goes.iter().map(|number| format!("r{number}")).collect();
        let (mut seen, mut cursor, mut first) = (Vec::new(), None, true);
        loop {
            let ((records, next), _) = page(&mut store, None, limit, cursor.as_deref());
            seen.extend(ids(&records));
            if std::mem::take(&mut first) {
                for number in 100..105 {
                    put(&mut store, number, &Listed { at: 7, thread: 0, fate: Fate::Begun });
                }
                for run in &gone {
                    let keys: Vec<String> = store.keys().filter(|key| key.ends_with(&format!("-{run}"))).map(str::to_owned).collect();
                    store.perform(StoreOp::Delete(keys));
                }
            }
            cursor = next;
            if cursor.is_none() {
                break;
            }
        }
        let on_first: BTreeSet<&String> = seen.iter().take(limit.min(seen.len())).collect();
        let left: Vec<String> = expected.into_iter().filter(|run| !gone.contains(run) || on_first.contains(run)).collect();
        prop_assert_eq!(seen, left);
    }
}

#[test]
fn a_page_looks_at_so_many_entries_and_no_more() {
    let mut store = MemoryStore::new();
    for number in 0..2_500 {
        let fate = if number % 10 == 0 { Fate::Begun } else { Fate::NoHead };
        put(&mut store, number, &Listed { at: number as u64, thread: 0, fate });
    }
    let ((records, next), asked) = page(&mut store, None, 100, None);
    assert_eq!((records.len(), next.is_some()), (100, true));
    assert!(asked <= 2_000, "{asked}");
    let ((records, next), asked) = page(&mut store, Some("elsewhere"), 20, None);
    assert_eq!((records.len(), next.is_some(), asked), (0, true, 1_000), "an empty page that is not the last");
    assert_eq!(all(&mut store, None, 7).len(), 250);
    assert!(all(&mut store, Some("elsewhere"), 20).is_empty());
    let away = StoreReply::Unavailable;
    let mut listing = Listing::new(SCOPE, None, 1, None).unwrap();
    assert_eq!(listing.listed(away).err().unwrap().code(), "store_unavailable");
}
