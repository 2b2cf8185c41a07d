//! One response: events → [`Signal`], in order and with one end.

use super::blocks::Blocks;
use super::fields::{self, Counts, Finish, Object};
use crate::provider::framed;
use crate::signal::{Fault, Signal, Stop, Usage};
use serde_json::{Map, Value};

/// What a refusal says where the provider gives no words for it.
pub(super) const REFUSED: &str = "The model declined to answer.";

/// What is known of the response so far.
#[derive(Debug, Default)]
pub struct Response {
    started: bool,
    over: bool,
    message: Message,
    /// Tokens of messages that are void. They were spent all the same.
    void: Counts,
    told: Usage,
}

/// The message that stands.
#[derive(Debug, Default)]
struct Message {
    model: Option<String>,
    /// The provider's id.
    id: String,
    /// It was announced a second time, with these tokens. A block that begins again then says that it was begun anew.
    repeated: Option<Counts>,
    blocks: Blocks,
    counts: Counts,
    finish: Option<Finish>,
    explanation: Option<String>,
}

impl framed::Response for Response {
    fn is_over(&self) -> bool {
        self.over
    }

    fn has_finish(&self) -> bool {
        self.message.finish.is_some()
    }

    fn event(&mut self, name: &str, event: &Object, out: &mut Vec<Signal>) {
        if self.over {
            return;
        }
        if let Err(fault) = self.try_read(fields::kind(event, name), event, out) {
            self.fail(fault, out);
        }
    }

    fn done(&mut self, out: &mut Vec<Signal>) {
        if self.has_finish() {
            self.end(out);
        }
    }

    fn whole(&mut self, body: &Value, out: &mut Vec<Signal>) {
        let Some(body) = body.as_object() else { return self.fail(Fault::Malformed, out) };
        let kind = fields::kind(body, "");
        let read = match kind {
            _ if fields::is_error(body, kind) => Err(Fault::Reported),
            _ if !body.get("content").is_some_and(Value::is_array) => Err(Fault::Malformed),
            _ => self.message_start(body, out),
        };
        match read {
            Ok(()) => self.end(out),
            Err(fault) => self.fail(fault, out),
        }
    }

    fn end(&mut self, out: &mut Vec<Signal>) {
        if self.over {
            return;
        }
        self.start(out);
        let stop = match self.message.finish.unwrap_or(Finish::Stop(Stop::Complete)) {
            Finish::Stop(stop) => stop,
            Finish::Refusal => {
                self.refuse(out);
                Stop::Complete
            }
        };
        let blocks = &mut self.message.blocks;
        blocks.end(stop, out);
        let goes_on = stop == Stop::Pause || blocks.have_calls();
        let kept = if goes_on { std::mem::take(blocks).kept() } else { None };
        out.extend(kept.map(|blocks| Signal::Kept(Map::from_iter([("anthropic".to_owned(), blocks)]).into())));
        out.push(Signal::ResponseEnd(stop));
        self.over = true;
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
            out.push(Signal::ResponseStart { model: self.message.model.clone() });
        }
    }

    fn try_read(&mut self, kind: &str, event: &Object, out: &mut Vec<Signal>) -> Result<(), Fault> {
        if fields::is_error(event, kind) {
            return Err(Fault::Reported);
        }
        let index = event.get("index").and_then(Value::as_u64);
        match kind {
            "message_start" => {
                return fields::object(event, "message").map_or(Ok(()), |message| self.began(message, out));
            }
            "message" if event.get("content").is_some_and(Value::is_array) => return self.began(event, out),
            "content_block_start" => {
                let Some(block) = fields::object(event, "content_block") else { return Ok(()) };
                if let Some(counts) = self.message.repeated.filter(|_| self.message.blocks.knows(index)) {
                    let (model, id) = (self.message.model.clone(), std::mem::take(&mut self.message.id));
                    self.begin_anew(Message { model, id, counts, ..Message::default() }, out);
                }
                self.start(out);
                self.message.blocks.begin(index, block, out)?;
            }
            "content_block_delta" => {
                let Some(delta) = fields::object(event, "delta") else { return Ok(()) };
                self.start(out);
                self.message.blocks.go_on(index, delta, out)?;
            }
            "message_delta" => {
                self.ended(fields::object(event, "delta").unwrap_or(event));
                self.usage(event, out);
            }
            "message_stop" => framed::Response::end(self, out),
            _ => {}
        }
        Ok(())
    }

    /// A message begins: the first, the same once more, or another in its place.
    fn began(&mut self, message: &Object, out: &mut Vec<Signal>) -> Result<(), Fault> {
        let id = fields::text(message, "id").unwrap_or_default();
        if !self.message.blocks.has_begun() && self.message.finish.is_none() {
            return self.message_start(message, out);
        }
        if self.message.finish.is_some() {
            // The message before it is whole, so it stands.
            framed::Response::end(self, out);
            return Ok(());
        }
        if id == self.message.id {
            let mut counts = Counts::default();
            fields::object(message, "usage").into_iter().for_each(|usage| counts.read(usage));
            self.message.repeated = Some(counts);
            return Ok(());
        }
        self.begin_anew(Message { model: fields::model(message), ..Message::default() }, out);
        self.message_start(message, out)
    }

    /// Takes what a message says of itself, and the blocks that it has from the first.
    fn message_start(&mut self, message: &Object, out: &mut Vec<Signal>) -> Result<(), Fault> {
        self.message.id = fields::text(message, "id").unwrap_or_default().to_owned();
        self.message.model = fields::model(message).or(self.message.model.take());
        self.start(out);
        self.usage(message, out);
        let content = message.get("content").and_then(Value::as_array);
        for (index, block) in (0..).zip(content.into_iter().flatten()) {
            if let Some(block) = block.as_object() {
                self.message.blocks.begin(Some(index), block, out)?;
            }
        }
        self.ended(message);
        Ok(())
    }

    /// All that came is void, and that message begins in its place.
    fn begin_anew(&mut self, message: Message, out: &mut Vec<Signal>) {
        self.void = self.void.and(self.message.counts);
        self.message = message;
        out.push(Signal::ResponseStart { model: self.message.model.clone() });
        self.started = true;
        self.told = Usage::default();
        self.tell_usage(out);
    }

    /// The provider broke the message off. What of it has come is no answer, and neither are its calls.
    fn refuse(&mut self, out: &mut Vec<Signal>) {
        let text = self.message.explanation.take().unwrap_or_else(|| REFUSED.to_owned());
        if self.message.blocks.has_begun() {
            self.begin_anew(Message { model: self.message.model.clone(), ..Message::default() }, out);
        }
        out.push(Signal::Refusal(text));
    }

    /// Takes why the message ended, if it says so. A refusal holds against what comes behind it.
    fn ended(&mut self, holder: &Object) {
        let Some(reason) = fields::text(holder, "stop_reason") else { return };
        self.message.explanation = fields::explanation(holder).map(str::to_owned).or(self.message.explanation.take());
        if self.message.finish != Some(Finish::Refusal) {
            self.message.finish = Some(fields::finish(reason));
        }
    }

    fn usage(&mut self, holder: &Object, out: &mut Vec<Signal>) {
        if let Some(usage) = fields::object(holder, "usage") {
            self.message.counts.read(usage);
            self.tell_usage(out);
        }
    }

    fn tell_usage(&mut self, out: &mut Vec<Signal>) {
        let usage = self.message.counts.and(self.void).usage();
        if usage != self.told {
            self.start(out);
            out.push(Signal::Usage(usage.clone()));
            self.told = usage;
        }
    }
}
