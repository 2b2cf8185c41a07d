//! One response: objects → [`Signal`], in order and with one end.

use super::lines::Lines;
use crate::json::read::read_marked;
use crate::provider::chat_completions::Response;
use crate::provider::framed::Response as _;
use crate::provider::halves::Halves;
use crate::signal::{Fault, Signal};
use serde_json::{Map, Value, json};

/// Decodes one response. Each object is read as the Chat Completions chunk that says the same.
#[derive(Debug, Default)]
pub struct Decoder {
    lines: Lines,
    response: Response,
    halves: Halves,
    /// How many calls have come.
    calls: u64,
}

impl Decoder {
    /// A decoder for a response of which nothing has come yet.
    pub fn new() -> Self {
        Decoder::default()
    }

    fn fail(&mut self, fault: Fault, out: &mut Vec<Signal>) {
        let from = out.len();
        self.response.fail(fault, out);
        self.halves.settle(false, from, out);
    }
}

impl crate::provider::Decoder for Decoder {
    fn feed(&mut self, bytes: &[u8], out: &mut Vec<Signal>) {
        if self.response.is_over() {
            return;
        }
        let (response, halves, calls) = (&mut self.response, &mut self.halves, &mut self.calls);
        let fed = self.lines.feed(bytes, |line| {
            let from = out.len();
            let marked = match read_marked(&String::from_utf8_lossy(line)) {
                Ok((Value::Object(line), marked)) => {
                    read(response, &line, calls, out);
                    marked
                }
                _ => {
                    response.fail(Fault::Malformed, out);
                    false
                }
            };
            halves.settle(marked, from, out);
            response.is_over()
        });
        if fed.is_err() {
            self.fail(Fault::Malformed, out);
        }
    }

    fn finish(&mut self, out: &mut Vec<Signal>) {
        self.fail(Fault::Cut, out);
    }
}

fn read(response: &mut Response, line: &Map<String, Value>, calls: &mut u64, out: &mut Vec<Signal>) {
    response.event("", &chunk(line, calls), out);
    if line.get("done") == Some(&Value::Bool(true)) {
        response.end(out);
    }
}

/// The chunk that says what the line says.
fn chunk(line: &Map<String, Value>, calls: &mut u64) -> Map<String, Value> {
    let message = line.get("message").and_then(Value::as_object);
    let content = message.and_then(|message| message.get("content")).or_else(|| line.get("response"));
    let entries = message.and_then(|message| message.get("tool_calls")).and_then(Value::as_array);
    let calls: Vec<Value> = entries.into_iter().flatten().map(|entry| call(entry, calls)).collect();
    let count = |field: &str| line.get(field).and_then(Value::as_u64);
    let (input, output) = (count("prompt_eval_count"), count("eval_count"));
    let total = input.zip(output).and_then(|(input, output)| input.checked_add(output));
    let chunk = json!({
        "model": line.get("model"),
        "error": line.get("error"),
        "choices": [{
            "delta": {
                "content": content,
                "reasoning": message.unwrap_or(line).get("thinking"),
                "tool_calls": calls,
            },
            "finish_reason": line.get("done_reason"),
        }],
        "usage": { "prompt_tokens": input, "completion_tokens": output, "total_tokens": total },
    });
    match chunk {
        Value::Object(chunk) => chunk,
        _ => Map::new(),
    }
}

/// A call comes whole: the next one is another, even with the same name and id.
fn call(entry: &Value, calls: &mut u64) -> Value {
    let index = *calls;
    *calls += 1;
    json!({ "index": index, "id": entry.get("id"), "function": entry.get("function") })
}
