//! Any bytes as a request: no panic, the same answer every time, and what is accepted can be sent
//! back to a client that joins.

#![no_main]

use lastword::input::RunInput;
use lastword::profile::Profile;
use lastword::wire::Context;
use lastword::wire::agui::{Limits, Prelude, parse};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|body: &[u8]| {
    let limits = Limits::default();
    let tight = Limits { messages: 1, tools: 1, context: 1, resume: 1, parts: 1, id: 2, ..limits };
    let _ = parse(body, &tight);
    let first = parse(body, &limits);
    assert_eq!(first, parse(body, &limits));
    if let Ok(input) = first {
        accepted(body, &input, &limits);
    }
});

fn accepted(body: &[u8], input: &RunInput, limits: &Limits) {
    assert!(!input.run.is_empty() && !input.thread.is_empty());
    assert!(input.messages.len() <= input.echo.messages.len());
    let padded = [b" \r\n", body, b"\t\n"].concat();
    assert_eq!(parse(&padded, limits).map(|again| again.fingerprint), Ok(input.fingerprint.clone()));

    let profile = Profile::new("model", input.protocol, 0);
    let cx = Context { run: &input.run, thread: &input.thread, profile: &profile };
    let frames = Prelude::new(&input.echo).frames(&cx).unwrap_or_default();
    assert_eq!(frames.len(), 2 + usize::from(input.echo.state.is_some()));
    assert!(frames.iter().all(|frame| !frame.contains(['\n', '\r'])));
}
