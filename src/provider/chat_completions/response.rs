//! One response: chunk objects → [`Signal`], in order and with one end.

use super::calls::Calls;
use super::fields::{self, Object};
use crate::provider::framed::{self, Step};
use crate::signal::{Fault, Signal, Stop, Usage};
use serde_json::Value;

/// What is known of the response so far.
#[derive(Debug, Default)]
pub struct Response {
    started: bool,
    over: bool,
    /// The stop reason, once a `finish_reason` came.
    finish: Option<Stop>,
    usage: Usage,
    calls: Calls,
    /// Something was streamed: a whole `message` would only say it again.
    spoke: bool,
}

impl framed::Response for Response {
    fn is_over(&self) -> bool {
        self.over
    }

    fn has_finish(&self) -> bool {
        self.finish.is_some()
    }

    fn event(&mut self, _: &str, chunk: &Object, out: &mut Vec<Signal>) {
        if self.over {
            return;
        }
        match self.try_read(chunk, out) {
            Ok(()) => {}
            Err(fault) => self.fail(fault, out),
        }
    }

    /// A piece of text or reasoning behind the first: a `message` is no longer read then, and neither is a model.
    fn tells(&self, chunk: &Object, path: &[Step<'_>]) -> Option<fn(String) -> Signal> {
        let [Step::Key("choices"), Step::At(0), Step::Key("delta"), Step::Key(field)] = path else { return None };
        let mut choices = fields::first_choices(chunk);
        let (choice, None) = (choices.next()?, choices.next()) else { return None };
        let still = self.started && self.spoke && fields::usage(chunk) == Usage::default();
        let errs = fields::is_error(chunk) || fields::is_error(choice);
        let ends = [chunk, choice].into_iter().any(|holder| fields::finish_reason(holder).is_some());
        if !still || errs || ends || chunk.get("choices")?.as_array()?.len() > 1 {
            return None;
        }
        fields::lone_text(choice.get("delta")?.as_object()?, field)
    }

    fn reads(name: &str) -> bool {
        matches!(name, "error" | "object" | "model" | "choices" | "finish_reason" | "usage" | "x_groq")
    }

    fn done(&mut self, out: &mut Vec<Signal>) {
        self.end(out);
    }

    fn whole(&mut self, body: &Value, out: &mut Vec<Signal>) {
        let body = body.as_object();
        let answers = body.into_iter().flat_map(fields::first_choices);
        let answers = { answers }.any(|choice| choice.get("message").is_some_and(Value::is_object));
        match body.filter(|body| answers || fields::is_error(body)) {
            None => self.fail(Fault::Malformed, out),
            Some(body) => {
                self.event("", body, out);
                self.end(out);
            }
        }
    }

    fn end(&mut self, out: &mut Vec<Signal>) {
        if self.over {
            return;
        }
        self.start(None, out);
        self.calls.end(out);
        out.push(Signal::ResponseEnd(self.finish.unwrap_or(Stop::Complete)));
        self.over = true;
    }

    fn fail(&mut self, fault: Fault, out: &mut Vec<Signal>) {
        if self.over {
            return;
        }
        self.start(None, out);
        out.push(Signal::Error(fault));
        self.over = true;
    }
}

impl Response {
    /// The first chunk may come without the model's name; the start waits for it until anything else is due.
    fn start(&mut self, model: Option<String>, out: &mut Vec<Signal>) {
        if !std::mem::replace(&mut self.started, true) {
            out.push(Signal::ResponseStart { model });
        }
    }

    fn try_read(&mut self, chunk: &Object, out: &mut Vec<Signal>) -> Result<(), Fault> {
        if fields::is_error(chunk) {
            return Err(Fault::Reported);
        }
        if let Some(model) = fields::model(chunk) {
            self.start(Some(model.to_owned()), out);
        }
        self.calls.next_chunk();
        for choice in fields::first_choices(chunk) {
            self.choice(choice, out)?;
        }
        self.finish_reason(chunk)?;
        self.usage(fields::usage(chunk), out);
        Ok(())
    }

    fn choice(&mut self, choice: &Object, out: &mut Vec<Signal>) -> Result<(), Fault> {
        if fields::is_error(choice) {
            return Err(Fault::Reported);
        }
        if let Some(delta) = choice.get("delta").and_then(Value::as_object) {
            self.delta(delta, out)?;
        }
        if let (false, Some(message)) = (self.spoke, choice.get("message").and_then(Value::as_object)) {
            self.delta(message, out)?;
        }
        self.finish_reason(choice)
    }

    fn delta(&mut self, delta: &Object, out: &mut Vec<Signal>) -> Result<(), Fault> {
        let mut said = Vec::new();
        fields::reasoning(delta, &mut said);
        fields::content(delta, &mut said)?;
        fields::refusal(delta, &mut said);
        self.calls.read(delta, &mut said)?;
        if !said.is_empty() {
            self.spoke = true;
            self.start(None, out);
            out.append(&mut said);
        }
        Ok(())
    }

    /// Of two reasons the graver holds: what was filtered or cut must not pass for whole.
    fn finish_reason(&mut self, holder: &Object) -> Result<(), Fault> {
        let Some(reason) = fields::finish_reason(holder) else { return Ok(()) };
        let stop = fields::stop(reason)?;
        let graver =
            [Stop::ContentFilter, Stop::Length].into_iter().find(|grave| self.finish == Some(*grave) || stop == *grave);
        self.finish = Some(graver.unwrap_or(stop));
        Ok(())
    }

    fn usage(&mut self, usage: Usage, out: &mut Vec<Signal>) {
        if usage != Usage::default() && usage != self.usage {
            self.start(None, out);
            out.push(Signal::Usage(usage.clone()));
            self.usage = usage;
        }
    }
}
