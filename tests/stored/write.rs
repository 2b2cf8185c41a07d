//! What today's code writes reads as the stored threads of its version do; one that is not there yet is written.

use crate::common::agent::{Bounded, lines, play};
use crate::common::{RUN, driver, input};
use crate::fixtures::*;
use lastword::event::View;
use lastword::provider::replay;
use lastword::run::{Input, MemoryStore, Traits};
use serde_json::json;

fn save(name: &str, store: &MemoryStore, runs: &[&str]) {
    let path = folder("v2-wires").join(format!("{name}.json"));
    let text = |key: &&str| std::str::from_utf8(store.value(key).unwrap()).unwrap();
    let values: Vec<String> = store.keys().map(|key| format!("{}:{}", json!(key), json!(text(&key)))).collect();
    let mut read_by = Vec::new();
    for run in runs {
        for eye in EYES {
            for joins in [true, false] {
                let (frames, _) = read(store, run, eye, joins);
                let (view, wire) = (eye.0.name(), eye.1.name());
                let row = json!({"run": run, "view": view, "wire": wire, "joins": joins, "frames": rows(&frames)});
                read_by.push(row.to_string());
            }
        }
    }
    let thread = rows(&follow(store, View::Operator).0);
    if let Ok(stored) = std::fs::read(&path) {
        let stored: serde_json::Value = serde_json::from_slice(&stored).unwrap();
        let today: Vec<serde_json::Value> = read_by.iter().map(|row| serde_json::from_str(row).unwrap()).collect();
        assert_eq!((&stored["frames"], &stored["thread"]), (&json!(today), &json!(thread)), "{name}");
        return;
    }
    let (values, frames) = (values.join(",\n"), read_by.join(",\n"));
    let all = format!("{{\"values\":{{\n{values}\n}},\"frames\":[\n{frames}\n],\"thread\":{thread}}}\n");
    std::fs::write(path, all).unwrap();
}

/// A state that stands in pieces, as do the questions of an interrupt.
fn in_pieces() -> MemoryStore {
    let call = |at: usize| format!(r#"{{"type":"call_start","index":{at},"id":"c{at}","name":"pay"}}"#);
    let args =
        |at: usize| format!(r#"{{"type":"call_args","index":{at},"delta":"{{\"text\":\"{}\"}}"}}"#, "x".repeat(800));
    let mut said = vec![r#"{"type":"response_start"}"#.to_owned()];
    said.push(format!(r#"{{"type":"state","snapshot":{{"text":"{}"}}}}"#, "s".repeat(5_000)));
    said.extend((0..4).flat_map(|at| [call(at), args(at)]));
    said.push(r#"{"type":"response_end"}"#.to_owned());
    let traits = Traits { max_value: 4 << 10, ..Traits::DURABLE_OBJECT };
    SAID.with(|kept| *kept.borrow_mut() = said);
    play(Bounded::new(4 << 10), traits, |_| lines(SAID.with(|kept| kept.borrow().clone())), input(RUN, &[])).inner
}

thread_local! {
    static SAID: std::cell::RefCell<Vec<String>> = const { std::cell::RefCell::new(Vec::new()) };
}

#[test]
fn what_is_written_today_reads_as_what_was_stored_by_this_version() {
    for name in ["approval", "client-tools-parallel"] {
        let tools: Vec<&str> = replay::find(name).unwrap().client_tools().iter().map(String::as_str).collect();
        let mut driver = driver(name);
        driver.post(1, input(RUN, &tools));
        driver.drive();
        save(name, &driver.host.store, &[RUN]);
    }
    let begun = || {
        let mut driver = driver("narrated-refund");
        driver.post(1, input(RUN, &[]));
        while !driver.host.store.keys().any(|key| key.ends_with("/head"))
            || record(&driver.host.store, RUN).sequence < 12
        {
            assert!(driver.turn());
        }
        driver
    };
    save("begun", &begun().host.store, &[RUN]);
    let mut driver = begun();
    driver.tell(RUN, Input::Cancel { request: 9 });
    driver.drive();
    driver.post(2, input("run 2/\u{e9}", &[]));
    driver.drive();
    save("two-runs", &driver.host.store, &[RUN, "run 2/\u{e9}"]);
    // A name that the head does not hold.
    let long = format!("run{}", "\u{1}".repeat(180));
    let mut driver = self::driver("empty-answer");
    driver.post(1, input(&long, &[]));
    driver.drive();
    save("empty-answer", &driver.host.store, &[&long]);
    save("pieces", &in_pieces(), &[RUN]);
}
