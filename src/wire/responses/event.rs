//! The stream's events: their fields, their numbers, and the sizes of those that carry pieces.

use super::item::{self, Item, Kind, State, Written};
use crate::json::{self, Object, Raw};
use crate::sse::Frame;
use crate::wire::pieces;

/// Room for the number of an event, whose digits are not known before it is written.
const DIGITS: usize = 20;

/// An empty list.
const NONE: &[Raw] = &[];

/// Writes events, one behind the other.
pub(super) struct Writer<'a> {
    /// The next event's number.
    seq: &'a mut u64,
    run: &'a str,
    frames: &'a mut Vec<Frame>,
}

impl<'a> Writer<'a> {
    pub(super) fn new(seq: &'a mut u64, run: &'a str, frames: &'a mut Vec<Frame>) -> Self {
        Writer { seq, run, frames }
    }

    /// An event of the type; `fill` writes its other fields.
    pub(super) fn event(&mut self, kind: &str, fill: &dyn Fn(&mut Object<'_>)) {
        let data = written(kind, *self.seq, fill);
        *self.seq += 1;
        self.frames.push(Frame { event: Some(kind.to_owned()), ..Frame::new(data) });
    }

    /// The stream's end mark, which has neither name nor number.
    pub(super) fn done(&mut self) {
        self.frames.push(Frame::new("[DONE]"));
    }

    /// An item begins.
    pub(super) fn begins(&mut self, at: usize, item: &Item) {
        let empty = Item { text: String::new(), state: State::Open, ..item.clone() };
        self.of_item("response.output_item.added", at, &empty);
        if let Kind::Message { .. } = item.kind {
            self.of_part("response.content_part.added", at, &item.kind, "");
        }
    }

    /// A piece of an item's text, in as many events as it takes.
    pub(super) fn says(&mut self, at: usize, item: &Item, text: &str) {
        if item.kind == Kind::Reasoning && item.text.is_empty() && !text.is_empty() {
            self.of_part("response.reasoning_summary_part.added", at, &item.kind, "");
        }
        let kind = match item.kind {
            Kind::Reasoning => "response.reasoning_summary_text.delta",
            Kind::Message { refusal: false } => "response.output_text.delta",
            Kind::Message { refusal: true } => "response.refusal.delta",
            Kind::Call { .. } => "response.function_call_arguments.delta",
        };
        let run = self.run;
        let fill = |delta: &str, event: &mut Object<'_>| {
            place(run, at, &item.kind, event);
            event.field("delta", &delta);
            if item.kind == (Kind::Message { refusal: false }) {
                event.field("logprobs", &NONE);
            }
        };
        let around = written(kind, 0, &|event| fill("", event)).len() + DIGITS;
        for delta in pieces::delta_parts(text, around) {
            self.event(kind, &|event| fill(delta, event));
        }
    }

    /// An item ends, in the state that it has. One that was withdrawn says nothing of its text.
    pub(super) fn ends(&mut self, at: usize, item: &Item) {
        let (kind, text) = (&item.kind, &item.text);
        let (run, said) = (self.run, item.state != State::Withdrawn);
        match kind {
            Kind::Reasoning if said && !text.is_empty() => {
                self.event("response.reasoning_summary_text.done", &|event| {
                    place(run, at, kind, event);
                    event.field("text", text);
                });
                self.of_part("response.reasoning_summary_part.done", at, kind, text);
            }
            Kind::Message { refusal: true } if said => {
                self.event("response.refusal.done", &|event| {
                    place(run, at, kind, event);
                    event.field("refusal", text);
                });
                self.of_part("response.content_part.done", at, kind, text);
            }
            Kind::Message { refusal: false } if said => {
                self.event("response.output_text.done", &|event| {
                    place(run, at, kind, event);
                    event.fields(&[("text", text), ("logprobs", &NONE)]);
                });
                self.of_part("response.content_part.done", at, kind, text);
            }
            Kind::Call { name } => self.event("response.function_call_arguments.done", &|event| {
                place(run, at, kind, event);
                event.fields(&[("name", name), ("arguments", text)]);
            }),
            _ => {}
        }
        self.of_item("response.output_item.done", at, item);
    }

    fn of_item(&mut self, kind: &str, at: usize, item: &Item) {
        let item = Written { run: self.run, at, item };
        self.event(kind, &|event| {
            event.fields(&[("output_index", &(at as u64)), ("item", &item)]);
        });
    }

    /// An event of an item's one part.
    fn of_part(&mut self, kind: &str, at: usize, item: &Kind, text: &str) {
        let run = self.run;
        self.event(kind, &|event| {
            place(run, at, item, event);
            event.field("part", &item::part(item, text));
        });
    }
}

/// Where in the output an event belongs.
fn place(run: &str, at: usize, kind: &Kind, event: &mut Object<'_>) {
    event.fields(&[("item_id", &item::id(run, at, kind)), ("output_index", &(at as u64))]);
    match kind {
        Kind::Reasoning => event.field("summary_index", &0_u64),
        Kind::Message { .. } => event.field("content_index", &0_u64),
        Kind::Call { .. } => event,
    };
}

fn written(kind: &str, seq: u64, fill: &dyn Fn(&mut Object<'_>)) -> String {
    json::object(|event| {
        event.fields(&[("type", &kind), ("sequence_number", &seq)]);
        fill(event);
    })
}
