//! One response: events → [`Signal`], in order and with one end.

use super::calls::Calls;
use super::fields::{Object, text};
use super::messages::Messages;
use super::patch::patched;
use crate::json;
use crate::json::read::mended;
use crate::provider::framed;
use crate::signal::{Fault, Signal, Stop, Usage};
use serde_json::{Map, Value};

/// The most bytes of a state, as JSON.
const MAX_STATE: usize = 4 << 20;

/// What is known of the response so far.
#[derive(Debug, Default)]
pub struct Response {
    started: bool,
    over: bool,
    messages: Messages,
    calls: Calls,
    state: Option<Value>,
    /// Messages that came whole, of which the last may say what was not streamed.
    snapshot: Vec<Value>,
}

impl framed::Response for Response {
    fn is_over(&self) -> bool {
        self.over
    }

    fn has_finish(&self) -> bool {
        false
    }

    fn event(&mut self, _: &str, event: &Object, out: &mut Vec<Signal>) {
        if self.over {
            return;
        }
        self.start(out);
        if let Err(fault) = self.read(event, out) {
            self.fail(fault, out);
        }
    }

    fn done(&mut self, _: &mut Vec<Signal>) {}

    fn whole(&mut self, body: &Value, out: &mut Vec<Signal>) {
        let refused = body.get("error").is_some() || body.get("type").is_some_and(|kind| kind == "RUN_ERROR");
        self.fail(if refused { Fault::Reported } else { Fault::Malformed }, out);
    }

    fn end(&mut self, out: &mut Vec<Signal>) {
        self.fail(Fault::Cut, out);
    }

    fn fail(&mut self, fault: Fault, out: &mut Vec<Signal>) {
        if self.over {
            return;
        }
        self.start(out);
        out.push(Signal::Error(fault));
        self.over = true;
    }
}

impl Response {
    fn start(&mut self, out: &mut Vec<Signal>) {
        if !std::mem::replace(&mut self.started, true) {
            out.push(Signal::ResponseStart { model: None });
        }
    }

    fn read(&mut self, event: &Object, out: &mut Vec<Signal>) -> Result<(), Fault> {
        let kind = text(event, "type").ok_or(Fault::Malformed)?;
        match kind {
            "TEXT_MESSAGE_START" => self.messages.start(event, out)?,
            "TEXT_MESSAGE_CONTENT" | "TEXT_MESSAGE_CHUNK" => self.messages.say(event, out)?,
            "TEXT_MESSAGE_END" => self.messages.end(text(event, "messageId").unwrap_or_default(), out),
            "REASONING_MESSAGE_CONTENT" | "REASONING_MESSAGE_CHUNK" | "THINKING_TEXT_MESSAGE_CONTENT" => {
                let delta = text(event, "delta").filter(|delta| !delta.is_empty());
                out.extend(delta.map(|delta| Signal::Reasoning(delta.to_owned())));
            }
            "TOOL_CALL_START" => self.calls.start(event)?,
            "TOOL_CALL_ARGS" | "TOOL_CALL_CHUNK" => self.calls.say(event)?,
            "TOOL_CALL_RESULT" => {
                // The answer comes behind it, and a snapshot that came before does not have it.
                self.messages.answer_is_due();
                self.snapshot.clear();
                self.calls.answered(text(event, "toolCallId").unwrap_or_default(), out);
            }
            "STATE_SNAPSHOT" => {
                let state = event.get("snapshot").cloned().unwrap_or_default();
                self.is_now(mended(state), out)?;
            }
            "STATE_DELTA" => {
                let operations = event.get("delta").and_then(Value::as_array).ok_or(Fault::Malformed)?;
                let state = self.state.take().unwrap_or_else(|| Value::Object(Map::new()));
                match patched(&state, operations, MAX_STATE)? {
                    Some(changed) => self.is_now(changed, out)?,
                    None => self.state = Some(state),
                }
            }
            "MESSAGES_SNAPSHOT" => {
                self.snapshot = event.get("messages").and_then(Value::as_array).cloned().unwrap_or_default();
            }
            "RUN_FINISHED" => self.finished(event, out)?,
            "RUN_ERROR" => return Err(Fault::Reported),
            _ => {}
        }
        Ok(())
    }

    fn is_now(&mut self, state: Value, out: &mut Vec<Signal>) -> Result<(), Fault> {
        if json::text(&state).len() > MAX_STATE {
            return Err(Fault::Malformed);
        }
        out.push(Signal::State(state.clone()));
        self.state = Some(state);
        Ok(())
    }

    fn finished(&mut self, event: &Object, out: &mut Vec<Signal>) -> Result<(), Fault> {
        let outcome = event.get("outcome").and_then(Value::as_object).and_then(|outcome| text(outcome, "type"));
        if matches!(outcome, Some("cancelled" | "interrupt")) {
            return Err(Fault::Reported);
        }
        self.messages.close(out);
        if !self.messages.have_spoken() {
            self.unstreamed(out)?;
        }
        if let Some(usage) = usage(event) {
            out.push(Signal::Usage(usage));
        }
        self.calls.end(out);
        out.push(Signal::ResponseEnd(Stop::Complete));
        self.over = true;
        Ok(())
    }

    /// The last message of the snapshot, if it is the assistant's. One with calls, where calls were streamed, is what
    /// was said before them.
    fn unstreamed(&mut self, out: &mut Vec<Signal>) -> Result<(), Fault> {
        let snapshot = std::mem::take(&mut self.snapshot);
        let last =
            snapshot.iter().rev().filter_map(Value::as_object).find(|message| text(message, "role") != Some("tool"));
        let Some(last) = last.filter(|message| text(message, "role") == Some("assistant")) else { return Ok(()) };
        let calls = last.get("toolCalls").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        if self.calls.have_begun() && !calls.is_empty() {
            return Ok(());
        }
        self.messages.whole(text(last, "content").unwrap_or_default(), out);
        for call in calls.iter().filter_map(Value::as_object) {
            let id = text(call, "id").unwrap_or_default();
            let is_answered = |message: &Value| message.get("toolCallId").is_some_and(|of| of == id);
            if let Some(function) = call.get("function").and_then(Value::as_object) {
                let answered = snapshot.iter().any(is_answered);
                self.calls.whole(id, function, answered, out)?;
            }
        }
        Ok(())
    }
}

fn usage(event: &Object) -> Option<Usage> {
    let entries: Vec<_> = event.get("usage")?.as_array()?.iter().filter_map(Value::as_object).collect();
    let sum = |name: &str| {
        let counts = entries.iter().filter_map(|entry| entry.get(name)?.as_u64());
        counts.reduce(|sum, count| sum.saturating_add(count))
    };
    let usage = Usage {
        input: sum("inputTokens"),
        output: sum("outputTokens"),
        total: sum("totalTokens"),
        reasoning: sum("reasoningTokens"),
        cached_input: sum("cachedInputTokens"),
        cache_write: sum("cacheWriteInputTokens"),
    };
    (usage != Usage::default()).then_some(usage)
}
