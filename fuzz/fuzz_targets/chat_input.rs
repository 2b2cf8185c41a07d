//! Any bytes as a Chat Completions request: no panic, the same answer every time, the same run however it is spaced,
//! and what is accepted can be sent back to a client that joins on AG-UI.

#![no_main]

use lastword::input::Message;
use lastword::profile::Profile;
use lastword::wire::agui::{Limits, Prelude};
use lastword::wire::{Asked, Context, Names, Wire};
use libfuzzer_sys::fuzz_target;

const NAMES: Names<'_> = Names { run: "run-1", thread: None };

fuzz_target!(|body: &[u8]| {
    let limits = Limits::default();
    let parse = |body: &[u8], limits: &Limits| Wire::ChatCompletions.parse(body, &NAMES, limits);
    let tight = Limits { messages: 1, tools: 1, parts: 1, id: 2, ..limits };
    let _ = parse(body, &tight);
    let first = parse(body, &limits);
    assert_eq!(first, parse(body, &limits));
    if let Ok(asked) = first {
        let padded = [b" \r\n", body, b"\t\n"].concat();
        assert_eq!(parse(&padded, &limits).as_ref(), Ok(&asked));
        accepted(&asked);
    }
});

fn accepted(asked: &Asked) {
    let input = &asked.input;
    assert_eq!((input.run.as_str(), input.thread.as_str()), (NAMES.run, NAMES.run));
    assert!(!input.messages.is_empty() || !input.resume.is_empty());
    assert!(input.messages.iter().flat_map(Message::calls).all(|call| !call.id.is_empty() && !call.name.is_empty()));
    assert_eq!(input.messages.len(), input.echo.messages.len());

    let profile = Profile::new("model", input.protocol, 0);
    let cx = Context { run: &input.run, thread: &input.thread, profile: &profile };
    let frames = Prelude::new(&input.echo).frames(&cx).unwrap_or_default();
    assert_eq!(frames.len(), 2);
    assert!(frames.iter().all(|frame| !frame.contains(['\n', '\r'])));
}
