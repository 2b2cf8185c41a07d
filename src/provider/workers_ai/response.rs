//! One response: events of either shape → [`Signal`], in order and with one end.

use crate::json;
use crate::provider::{chat_completions, framed};
use crate::signal::{Fault, Signal};
use serde_json::{Map, Value, json};

type Object = Map<String, Value>;

/// Where the indices begin of calls that come whole: above any that a model gives.
const WHOLE: u64 = 1 << 32;

/// What is known of the response so far. An event of the platform's own shape is read as the Chat Completions
/// chunk that says the same.
#[derive(Debug, Default)]
pub struct Response {
    chat: chat_completions::Response,
    /// How many calls have come whole.
    calls: u64,
}

impl framed::Response for Response {
    fn is_over(&self) -> bool {
        self.chat.is_over()
    }

    fn has_finish(&self) -> bool {
        self.chat.has_finish()
    }

    fn event(&mut self, name: &str, object: &Object, out: &mut Vec<Signal>) {
        if is_error(object) {
            return self.fail(Fault::Reported, out);
        }
        match object.contains_key("choices") {
            true => self.chat.event(name, object, out),
            false => {
                let chunk = self.chunk(object);
                self.chat.event(name, &chunk, out);
            }
        }
    }

    fn done(&mut self, out: &mut Vec<Signal>) {
        self.chat.done(out);
    }

    fn whole(&mut self, body: &Value, out: &mut Vec<Signal>) {
        let Some(body) = body.as_object() else { return self.fail(Fault::Malformed, out) };
        let answer = body.get("result").and_then(Value::as_object).unwrap_or(body);
        match answer {
            _ if is_error(body) => self.fail(Fault::Reported, out),
            answer if answer.contains_key("response") || answer.contains_key("tool_calls") => {
                self.event("", answer, out);
                self.end(out);
            }
            answer => self.chat.whole(&Value::Object(answer.clone()), out),
        }
    }

    fn end(&mut self, out: &mut Vec<Signal>) {
        self.chat.end(out);
    }

    fn fail(&mut self, fault: Fault, out: &mut Vec<Signal>) {
        self.chat.fail(fault, out);
    }
}

impl Response {
    fn chunk(&mut self, native: &Object) -> Object {
        let mut delta = Object::new();
        let mut chunk = Object::new();
        for (field, value) in native {
            let value = match (field.as_str(), value) {
                ("response", Value::Null) => continue,
                ("response", Value::String(text)) => Value::from(text.as_str()),
                ("response", other) => Value::from(json::text(other)),
                ("tool_calls", Value::Array(entries)) => entries.iter().map(|entry| self.call(entry)).collect(),
                (_, value) => value.clone(),
            };
            match field.as_str() {
                "response" => delta.insert("content".to_owned(), value),
                "tool_calls" | "reasoning" | "reasoning_content" => delta.insert(field.clone(), value),
                _ => chunk.insert(field.clone(), value),
            };
        }
        chunk.insert("choices".to_owned(), json!([{ "delta": delta }]));
        chunk
    }

    /// A call without a function of its own is whole: the next one is another, whatever its name.
    fn call(&mut self, entry: &Value) -> Value {
        let mut entry = entry.clone();
        if let Some(call) = entry.as_object_mut()
            && !["index", "function"].iter().any(|field| call.get(*field).is_some_and(|value| !value.is_null()))
        {
            call.insert("index".to_owned(), (WHOLE + self.calls).into());
            self.calls += 1;
        }
        entry
    }
}

/// True if the platform says so of the request. What a model's server says is read with its chunk.
fn is_error(object: &Object) -> bool {
    let some = |errors: &Value| errors.as_array().is_some_and(|errors| !errors.is_empty());
    object.get("success") == Some(&Value::Bool(false))
        || object.get("errors").is_some_and(some)
        || object.contains_key("internalCode")
}
