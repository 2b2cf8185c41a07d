//! Any bytes as what the AI SDK's client posts: no panic, the same answer every time, and what is accepted can be given
//! back as the chat's messages, posted again, and told as a stream that is resumed.

#![no_main]

use lastword::event::{Event, Sealed};
use lastword::input::RunInput;
use lastword::profile::Profile;
use lastword::wire::agui::Limits;
use lastword::wire::ui_stream::{Stream, messages, parse};
use lastword::wire::{Context, Names, Serializer};
use libfuzzer_sys::fuzz_target;
use serde_json::{Value, json};

const NAMES: Names<'static> = Names { run: "r", thread: None };

fuzz_target!(|body: &[u8]| {
    let limits = Limits::default();
    let tight = Limits { messages: 1, tools: 1, resume: 1, parts: 1, id: 2, ..limits };
    let _ = parse(body, &NAMES, &tight);
    let first = parse(body, &NAMES, &limits);
    assert_eq!(first, parse(body, &NAMES, &limits));
    if let Ok(asked) = first {
        accepted(&asked.input);
    }
});

fn accepted(input: &RunInput) {
    assert!(!input.run.is_empty() && !input.thread.is_empty());
    let chat: Value = serde_json::from_str(&messages(&input.echo.messages, None)).unwrap();
    let again = json!({ "id": input.thread, "messages": chat }).to_string();
    // What is told twice may be longer than a request, but it is one.
    if let Err(error) = parse(again.as_bytes(), &NAMES, &Limits::default()) {
        assert!(matches!(error.code(), "body_too_large" | "invalid_input"), "{error}");
    }
    let profile = Profile::new("model", None, 0);
    let cx = Context { run: &input.run, thread: &input.thread, profile: &profile };
    let mut stream = Stream::new(input.echo.request.as_ref(), true);
    for event in [Sealed::Started {}, Sealed::Cancelled { usage: Vec::new() }] {
        let mut frames = Vec::new();
        let _ = stream.frames(&cx, 0, &Event::from(event), &mut frames);
        for frame in frames {
            assert!(!frame.data.contains(['\n', '\r']));
        }
    }
}
