//! Any text as a call's arguments: no panic, JSON stays JSON, each text in it is redacted as in the parsed value, and
//! what nothing is found in stays byte for byte.

#![no_main]

use lastword::redact::{Channel, Filter, PassThrough, Redactor, value};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

/// Puts something around each of these characters, so that different texts stay different. No number has the letters.
#[derive(Clone, Copy)]
struct Around(fn(char) -> bool);

impl Filter for Around {
    fn push(&mut self, text: &str) -> String {
        let mut out = String::new();
        for character in text.chars() {
            match self.0(character) {
                true => out.extend(["<\"\\\u{2028}", character.encode_utf8(&mut [0; 4]), ">"]),
                false => out.push(character),
            }
        }
        out
    }

    fn flush(&mut self) -> String {
        String::new()
    }

    fn reset(&mut self) {}
}

impl Redactor for Around {
    fn filter(&self, _channel: Channel) -> Box<dyn Filter> {
        Box::new(*self)
    }
}

fuzz_target!(|text: &str| {
    let redacted = |redactor: &dyn Redactor, text: &str| redactor.arguments(Channel::ToolArguments, text).text;
    assert_eq!(redacted(&PassThrough, text), text);

    let letters = Around(|character| matches!(character, 'a'..='d'));
    let numbers = Around(|character| character.is_ascii_digit());
    let (out, strung) = (redacted(&letters, text), redacted(&numbers, text));
    match serde_json::from_str::<Value>(text) {
        Ok(parsed) => {
            assert_eq!(serde_json::from_str::<Value>(&out).ok(), Some(value(&letters, Channel::ToolArguments, parsed)));
            assert!(serde_json::from_str::<Value>(&strung).is_ok());
        }
        // By the parser it may be no JSON, or JSON that goes too deep for it or holds half a surrogate pair.
        Err(_) => assert_eq!(out.contains('<'), text.contains('<') || out != text),
    }
});
