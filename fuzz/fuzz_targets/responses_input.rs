//! The body of a POST to /v1/responses and its neighbours: never a panic, and an error is a typed one.
#![no_main]

use lastword::wire::agui::Limits;
use lastword::wire::{Names, responses};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|body: &[u8]| {
    let names = Names { run: "run", thread: None };
    let limits = Limits::default();
    for asked in [responses::parse(body, &names, &limits), responses::compact::parse(body, &names, &limits)] {
        match asked {
            Ok(asked) => {
                assert_eq!(asked.input.fingerprint.len(), 64);
                let items = responses::input_items(&asked.input.echo.messages, false, None, 20);
                assert!(serde_json::from_str::<serde_json::Value>(&items).is_ok());
            }
            Err(error) => assert!(matches!(error.code(), "invalid_input" | "malformed_json" | "body_too_large")),
        }
    }
    let runs = responses::references(body);
    assert!(runs.len() <= 32 && runs.iter().all(|run| !run.is_empty()));
    let _ = responses::resolved(body, &[String::from_utf8_lossy(body).into_owned()]);
});
