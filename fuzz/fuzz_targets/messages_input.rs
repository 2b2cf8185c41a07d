//! Any bytes as a request for a message: no panic, the same answer every time, and what is accepted can be sent back to
//! a client that joins on AG-UI.

#![no_main]

use lastword::ErrorKind;
use lastword::profile::Profile;
use lastword::wire::agui::{Limits, Prelude};
use lastword::wire::{Asked, Context, Names, Wire};
use libfuzzer_sys::fuzz_target;

const NAMES: Names<'_> = Names { run: "run", thread: None };

fuzz_target!(|body: &[u8]| {
    let limits = Limits::default();
    let tight = Limits { messages: 1, tools: 1, parts: 1, id: 2, ..limits };
    let _ = Wire::Messages.parse(body, &NAMES, &tight);
    let first = Wire::Messages.parse(body, &NAMES, &limits);
    assert_eq!(first, Wire::Messages.parse(body, &NAMES, &limits));
    match first {
        Ok(asked) => accepted(body, &asked, &limits),
        Err(error) => {
            let kinds = [ErrorKind::MalformedJson, ErrorKind::InvalidInput, ErrorKind::BodyTooLarge];
            assert!(kinds.contains(&error.kind()), "{error}");
        }
    }
});

fn accepted(body: &[u8], asked: &Asked, limits: &Limits) {
    let input = &asked.input;
    assert!(input.run == "run" && input.thread == "run" && input.model.is_some());
    assert_eq!(input.messages.len(), input.echo.messages.len());
    let padded = [b" \r\n", body, b"\t\n"].concat();
    let again = Wire::Messages.parse(&padded, &NAMES, limits);
    assert_eq!(again.map(|again| again.input.fingerprint), Ok(input.fingerprint.clone()));

    let profile = Profile::new("model", None, 0);
    let cx = Context { run: &input.run, thread: &input.thread, profile: &profile };
    let frames = Prelude::new(&input.echo).frames(&cx).unwrap_or_default();
    assert!(frames.iter().all(|frame| !frame.contains(['\n', '\r'])));
}
