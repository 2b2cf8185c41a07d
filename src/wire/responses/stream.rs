//! The stream: a fold of a run's events into the Response's own.

use super::end::{End, write_told};
use super::event::Writer;
use super::item::{Item, Items, Kind, State};
use super::response::Response;
use crate::event::{Event, Plain, Sealed};
use crate::sse::Frame;
use crate::wire::{Context, Serializer};
use crate::{Error, Millis};
use serde_json::Value;

/// The stream's fold. It keeps what a Response object repeats: the request, the answer, the calls, and of reasoning as
/// much as such an object has.
#[derive(Debug, Default)]
pub struct Stream {
    request: Option<Value>,
    /// The next event's number.
    seq: u64,
    items: Items,
    /// A message that has ended. Whether it is whole comes with the run's end, which is what follows it.
    ending: Option<usize>,
}

impl Stream {
    /// Sends back what the request said.
    pub fn new(request: Option<&Value>) -> Self {
        Stream { request: request.cloned(), ..Stream::default() }
    }
}

impl Serializer for Stream {
    fn fold(&mut self, cx: &Context<'_>, at: Millis, event: &Event, out: &mut Vec<Frame>) -> Result<(), Error> {
        let mut seq = self.seq;
        let mut out = Writer::new(&mut seq, cx.run, out);
        match event {
            Event::Plain(plain) => self.plain(plain, &mut out),
            Event::Sealed(Sealed::Started {}) => self.begin(cx, &mut out),
            Event::Sealed(sealed) if event.is_terminal() => self.end(cx, at, sealed, &mut out),
            Event::Sealed(sealed) => self.sealed(sealed, &mut out),
        }
        self.seq = seq;
        Ok(())
    }
}

impl Stream {
    /// A Response that runs in the background is queued first.
    fn begin(&self, cx: &Context<'_>, out: &mut Writer<'_>) {
        let request = self.request.as_ref();
        let queued = request.and_then(|request| request.get("background")).is_some_and(|value| value == true);
        let mut say = |kind: &str, status: &str| {
            let response = Response { cx, request, items: &self.items, status, end: None };
            out.event(kind, &|event| {
                event.field("response", &response);
            });
        };
        say("response.created", if queued { "queued" } else { "in_progress" });
        if queued {
            say("response.queued", "queued");
        }
        say("response.in_progress", "in_progress");
    }

    fn plain(&mut self, plain: &Plain, out: &mut Writer<'_>) {
        match plain {
            Plain::NarrationStart { message } | Plain::ThinkingStart { message, public: true } => {
                self.open(message, Kind::Reasoning, out);
            }
            Plain::NarrationDelta { message, delta } | Plain::ThinkingDelta { message, public: true, delta } => {
                self.say(message, delta, out);
            }
            Plain::NarrationEnd { message } | Plain::ThinkingEnd { message, public: true } => {
                self.close(self.items.find(message), State::Done, out);
            }
            _ => {}
        }
    }

    fn sealed(&mut self, sealed: &Sealed, out: &mut Writer<'_>) {
        match sealed {
            Sealed::AnswerStart { message, refusal } => self.open(message, Kind::Message { refusal: *refusal }, out),
            Sealed::AnswerDelta { message, delta, .. } => self.say(message, delta, out),
            Sealed::AnswerEnd { message } => {
                if let Some(at) = self.items.find(message) {
                    self.items.close(at, State::Done);
                    // The last message of the output alone may turn out to be cut.
                    match self.ending {
                        Some(later) if later > at => {
                            self.items.list.get(at).into_iter().for_each(|item| out.ends(at, item))
                        }
                        _ => {
                            self.ended(out);
                            self.ending = Some(at);
                        }
                    }
                }
            }
            Sealed::AnswerWithdrawn { message } => self.close(self.items.find(message), State::Withdrawn, out),
            Sealed::CallStart { call, name, .. } => self.open(call, Kind::Call { name: name.clone() }, out),
            Sealed::CallArgs { call, delta } => self.say(call, delta, out),
            Sealed::CallEnd { call } => self.close(self.items.find(call), State::Done, out),
            _ => {}
        }
    }

    fn open(&mut self, key: &str, kind: Kind, out: &mut Writer<'_>) {
        self.ended(out);
        let at = self.items.open(key, kind);
        if let Some(item) = self.items.list.get(at) {
            out.begins(at, item);
        }
    }

    fn say(&mut self, key: &str, text: &str, out: &mut Writer<'_>) {
        let Some(at) = self.items.find(key) else { return };
        if let Some(item) = self.items.list.get(at) {
            out.says(at, item, text);
        }
        self.items.say(at, text);
    }

    fn close(&mut self, at: Option<usize>, state: State, out: &mut Writer<'_>) {
        let Some(at) = at else { return };
        if let Some(item) = self.items.list.get_mut(at) {
            item.state = state;
            out.ends(at, item);
        }
        self.items.close(at, state);
    }

    /// Says the end of a message that nothing has cut.
    fn ended(&mut self, out: &mut Writer<'_>) {
        if let Some(at) = self.ending.take()
            && let Some(item) = self.items.list.get(at)
        {
            out.ends(at, item);
        }
    }

    fn end(&mut self, cx: &Context<'_>, at: Millis, sealed: &Sealed, out: &mut Writer<'_>) {
        let ending = self.ending.take();
        for at in 0..self.items.list.len() {
            let open = |item: &&Item| item.kind == Kind::Reasoning && item.state == State::Open;
            self.close(self.items.list.get(at).filter(open).map(|_| at), State::Done, out);
        }
        let unsaid = |(at, item): (usize, &Item)| item.state == State::Open || Some(at) == ending;
        let unsaid: Vec<bool> = self.items.list.iter().enumerate().map(unsaid).collect();
        let Some(end) = End::of(cx, &mut self.items, sealed) else { return };
        for (at, item) in self.items.list.iter().enumerate() {
            let unsaid = unsaid.get(at).copied();
            if unsaid.is_none() {
                out.begins(at, item);
                out.says(at, item, &item.text);
            }
            if unsaid.unwrap_or(true) {
                out.ends(at, item);
            }
        }
        if let Some(told) = &end.told {
            out.event("error", &|event| {
                event.object("error", |error| write_told(told, error));
            });
        }
        let kind = match end.status {
            "completed" => "response.completed",
            "incomplete" => "response.incomplete",
            _ => "response.failed",
        };
        let (request, status) = (self.request.as_ref(), end.status);
        let response = Response { cx, request, items: &self.items, status, end: Some((&end, at)) };
        out.event(kind, &|event| {
            event.field("response", &response);
        });
        out.done();
    }
}
