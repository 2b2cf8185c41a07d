//! Says what the core makes of streams, frames and responses: a line of JSON in, a line of JSON out. The Node tests hold
//! what the npm package makes of the same against it: `cargo run --example oracle`.
//!
//! | in | out |
//! |---|---|
//! | `{"stream", "max"}`: bytes as hex, the bound of an event | `{"events": [{event, data, id}], "failed"}` |
//! | `{"frame": {id, event, data}}` | its text, or null if it is refused |
//! | `{"response", "format", "tags"}`: bytes as hex | its signals: an array of objects |
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    use serde_json::Value;
    use std::io::Write;

    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lines() {
        let asked: Value = serde_json::from_str(&line.unwrap()).unwrap();
        let answer = match &asked {
            asked if asked["stream"].is_string() => stream(asked),
            asked if asked["frame"].is_object() => frame(&asked["frame"]),
            asked => response(asked),
        };
        writeln!(out, "{answer}").unwrap();
    }

    fn bytes(hex: &Value) -> Vec<u8> {
        let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
        hex.as_str().unwrap().as_bytes().chunks(2).map(byte).collect()
    }

    fn stream(asked: &Value) -> Value {
        let mut events = Vec::new();
        let mut decoder = lastword::sse::Decoder::new(asked["max"].as_u64().unwrap() as usize);
        let fed = decoder.feed(&bytes(&asked["stream"]), |message| {
            events.push(serde_json::json!({
                "event": message.event, "data": message.data, "id": message.id.to_string(),
            }));
        });
        serde_json::json!({ "events": events, "failed": fed.is_err() })
    }

    fn frame(asked: &Value) -> Value {
        let text = |name: &str| asked[name].as_str().map(str::to_owned);
        let frame = lastword::sse::Frame { id: text("id"), event: text("event"), data: text("data").unwrap() };
        frame.to_bytes().map_or(Value::Null, |bytes| String::from_utf8(bytes).unwrap().into())
    }

    fn response(asked: &Value) -> Value {
        use lastword::provider::{Format, Options, signals};
        let options = Options { thinking_tags: asked["tags"].as_bool().unwrap(), ..Options::default() };
        let mut decoder = Format::named(asked["format"].as_str().unwrap()).unwrap().decoder_with(options);
        let mut said = Vec::new();
        decoder.feed(&bytes(&asked["response"]), &mut said);
        decoder.finish(&mut said);
        said.iter().map(|signal| serde_json::from_str::<Value>(&signals::object(signal)).unwrap()).collect()
    }
}

#[cfg(target_arch = "wasm32")]
fn main() {}
