//! One response: chunks → [`Signal`], in order and with one end.

use super::fields::{self, Object};
use super::parts::Parts;
use crate::provider::framed;
use crate::signal::{Fault, Signal, Stop, Usage};
use serde_json::Value;

/// What is known of the response so far.
#[derive(Debug, Default)]
pub struct Response {
    started: bool,
    over: bool,
    parts: Parts,
    /// Why it ended, once a chunk said so.
    finish: Option<Stop>,
    usage: Usage,
}

impl framed::Response for Response {
    const LISTS: bool = true;

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
        if let Err(fault) = self.try_read(chunk, out) {
            self.fail(fault, out);
        }
    }

    fn done(&mut self, out: &mut Vec<Signal>) {
        if self.has_finish() {
            self.end(out);
        }
    }

    fn whole(&mut self, body: &Value, out: &mut Vec<Signal>) {
        let one = std::slice::from_ref(body);
        let chunks = body.as_array().map_or(one, Vec::as_slice);
        if chunks.is_empty() {
            return self.fail(Fault::Malformed, out);
        }
        for chunk in chunks {
            match chunk.as_object().filter(|chunk| fields::is_response(chunk) || fields::is_error(chunk)) {
                Some(chunk) => self.event("", chunk, out),
                None => return self.fail(Fault::Malformed, out),
            }
        }
        match self.has_finish() {
            true => self.end(out),
            false => self.fail(Fault::Cut, out),
        }
    }

    fn end(&mut self, out: &mut Vec<Signal>) {
        if self.over {
            return;
        }
        self.start(None, out);
        let stop = self.finish.unwrap_or(Stop::Complete);
        self.parts.end(stop, out);
        out.push(Signal::ResponseEnd(stop));
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
    fn start(&mut self, model: Option<String>, out: &mut Vec<Signal>) {
        if !std::mem::replace(&mut self.started, true) {
            out.push(Signal::ResponseStart { model });
        }
    }

    fn try_read(&mut self, chunk: &Object, out: &mut Vec<Signal>) -> Result<(), Fault> {
        self.start(fields::model(chunk).map(str::to_owned), out);
        if fields::is_error(chunk) {
            return Err(Fault::Reported);
        }
        if fields::is_blocked(chunk) {
            self.finish = Some(Stop::ContentFilter);
        }
        for candidate in fields::first_candidates(chunk) {
            for part in
                fields::object(candidate, "content").into_iter().flat_map(|content| fields::objects(content, "parts"))
            {
                self.parts.read(part, out)?;
            }
            self.finish(fields::finish(candidate)?);
        }
        let usage = fields::usage(chunk, &self.usage);
        if usage != self.usage {
            out.push(Signal::Usage(usage.clone()));
            self.usage = usage;
        }
        Ok(())
    }

    /// Of two reasons the graver holds: what was filtered or cut must not pass for whole.
    fn finish(&mut self, stop: Option<Stop>) {
        let Some(stop) = stop else { return };
        let graver =
            [Stop::ContentFilter, Stop::Length].into_iter().find(|one| self.finish == Some(*one) || stop == *one);
        self.finish = Some(graver.unwrap_or(stop));
    }
}
