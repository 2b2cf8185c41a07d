//! The stream of a response: bytes → [`Signal`], in order and with one end.

use super::fields::{self, Object};
use crate::json::body::body;
use crate::json::read::{read, read_marked};
use crate::provider::halves::Halves;
use crate::signal::{Fault, Signal};
use crate::sse;
use serde_json::Value;

/// The most bytes of one event: 1 MiB.
pub const MAX_EVENT: usize = 1 << 20;
/// The most calls of a response.
const MAX_CALLS: usize = 128;

/// Decodes one response.
#[derive(Debug)]
pub struct Decoder {
    events: sse::Decoder,
    response: Response,
    halves: Halves,
}

/// What is known of the response so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Response {
    started: bool,
    over: bool,
    /// For each call, whether it has ended.
    calls: Vec<bool>,
}

impl Decoder {
    /// A decoder for a response of which nothing has come yet.
    pub fn new() -> Self {
        Decoder { events: sse::Decoder::new(MAX_EVENT), response: Response::default(), halves: Halves::default() }
    }
}

impl Default for Decoder {
    fn default() -> Self {
        Decoder::new()
    }
}

impl crate::provider::Decoder for Decoder {
    fn feed(&mut self, bytes: &[u8], out: &mut Vec<Signal>) {
        if self.response.over {
            return;
        }
        let (response, halves) = (&mut self.response, &mut self.halves);
        let fed = self.events.read(bytes, |event| {
            let from = out.len();
            let marked = response.event(&event.data, out);
            halves.settle(marked, from, out);
        });
        if fed.is_err() {
            self.fail(Fault::Malformed, out);
        }
    }

    fn finish(&mut self, out: &mut Vec<Signal>) {
        self.fail(Fault::Cut, out);
    }
}

impl Decoder {
    fn fail(&mut self, fault: Fault, out: &mut Vec<Signal>) {
        let from = out.len();
        self.response.end(Signal::Error(fault), out);
        self.halves.settle(false, from, out);
    }
}

/// A piece of a text, written as most are: it needs no parser.
fn piece(data: &[u8]) -> Option<Signal> {
    let rest = data.strip_prefix(br#"{"type":""#)?;
    let (signal, rest): (fn(String) -> Signal, _) = match rest.strip_prefix(b"text") {
        Some(rest) => (Signal::Text, rest),
        None => (Signal::Reasoning, rest.strip_prefix(b"reasoning")?),
    };
    let (delta, rest) = body(rest.strip_prefix(br#"","delta":""#)?)?;
    if rest != br#""}"# {
        return None;
    }
    delta.text().filter(|delta| !delta.is_empty()).map(signal)
}

/// The object, and whether its texts are marked. Those of a state are not: each stands for itself.
pub(super) fn object(data: &str) -> Option<(Object, bool)> {
    match read_marked(data).ok()? {
        (Value::Object(object), true) if object.get("type").and_then(Value::as_str) == Some("state") => {
            Some((read(data.as_bytes()).ok()?.as_object()?.clone(), false))
        }
        (Value::Object(object), marked) => Some((object, marked)),
        _ => None,
    }
}

impl Response {
    /// True once its end has been told.
    pub(super) fn is_over(&self) -> bool {
        self.over
    }

    /// Takes an event's payload. True if what was said holds marked halves of characters.
    fn event(&mut self, data: &[u8], out: &mut Vec<Signal>) -> bool {
        if let Some(piece) = piece(data).filter(|_| !self.over) {
            self.say(piece, out);
            return false;
        }
        let data = String::from_utf8_lossy(data);
        let data = data.trim();
        if self.over || data.is_empty() || data == "[DONE]" {
            return false;
        }
        let (read, marked) = match object(data) {
            Some((object, marked)) => (self.read(object, out), marked),
            None => (None, false),
        };
        if read.is_none() {
            self.end(Signal::Error(Fault::Malformed), out);
        }
        marked
    }

    /// None if the object is no signal that may stand here.
    pub(super) fn read(&mut self, mut object: Object, out: &mut Vec<Signal>) -> Option<()> {
        let signal = match object.get("type")?.as_str()? {
            "response_start" if !self.started => {
                self.started = true;
                Signal::ResponseStart { model: fields::model(&object)? }
            }
            "call_start" => self.call_started(&object)?,
            "call_name" => Signal::CallName { index: self.open_call(&object)?, name: fields::name(&object, "name")? },
            "call_args" => match fields::text(&object, "delta")? {
                Some(delta) => Signal::CallArgs { index: self.open_call(&object)?, delta },
                None => return Some(()),
            },
            "call_end" => self.call_ended(&object)?,
            "response_end" => {
                self.end(Signal::ResponseEnd(fields::stop(&object)?), out);
                return Some(());
            }
            "error" => {
                self.end(Signal::Error(fields::fault(&object)?), out);
                return Some(());
            }
            "state" => Signal::State(object.remove("snapshot")?),
            "kept" => Signal::Kept(object.remove("snapshot")?),
            other => match fields::plain(other, &object)? {
                Some(signal) => signal,
                None => return Some(()),
            },
        };
        self.say(signal, out);
        Some(())
    }

    fn say(&mut self, signal: Signal, out: &mut Vec<Signal>) {
        if !std::mem::replace(&mut self.started, true) {
            out.push(Signal::ResponseStart { model: None });
        }
        out.push(signal);
    }

    /// The response is over, with the end mark or with a fault.
    fn end(&mut self, end: Signal, out: &mut Vec<Signal>) {
        if std::mem::replace(&mut self.over, true) {
            return;
        }
        if matches!(end, Signal::ResponseEnd(_)) {
            for (index, _) in (0..).zip(std::mem::take(&mut self.calls)).filter(|(_, ended)| !ended) {
                self.say(Signal::CallEnd { index }, out);
            }
        }
        self.say(end, out);
    }

    fn call_started(&mut self, object: &Object) -> Option<Signal> {
        let next = u32::try_from(self.calls.len()).ok()?;
        if fields::index(object)?.unwrap_or(next) != next || self.calls.len() >= MAX_CALLS {
            return None;
        }
        self.calls.push(false);
        Some(Signal::CallStart { index: next, id: fields::name(object, "id")?, name: fields::name(object, "name")? })
    }

    fn call_ended(&mut self, object: &Object) -> Option<Signal> {
        let index = self.open_call(object)?;
        *self.calls.get_mut(usize::try_from(index).ok()?)? = true;
        Some(Signal::CallEnd { index })
    }

    /// The call that the object speaks of, which must have begun and not ended.
    fn open_call(&self, object: &Object) -> Option<u32> {
        let last = self.calls.len().checked_sub(1)?;
        let index = fields::index(object)?.unwrap_or(u32::try_from(last).ok()?);
        let ended = self.calls.get(usize::try_from(index).ok()?)?;
        (!ended).then_some(index)
    }
}
