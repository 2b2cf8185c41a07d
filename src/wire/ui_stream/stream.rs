//! A run's events as the parts of one assistant message.

use super::continued::Continued;
use super::part::{self, Call, Kind};
use super::step::Step;
use super::terminal::{self, Asked};
use crate::event::{Event, Plain, Sealed, ToolOutcome};
use crate::json::Object;
use crate::positions::Positions;
use crate::sse::Frame;
use crate::wire::pieces::Around;
use crate::wire::{Context, Serializer};
use crate::{Error, Millis};
use serde_json::Value;

/// The stream's fold. It holds the arguments of the calls that are open, within the turn's own bound, and the id of
/// each call that has begun.
#[derive(Debug, Default)]
pub struct Stream {
    continued: Option<Continued>,
    whole: bool,
    step: Step,
    open: Vec<(Kind, String)>,
    calls: Vec<Open>,
    begun: Positions,
    parents: Vec<String>,
    refusal: bool,
    around: Around,
}

/// A call whose arguments are not whole.
#[derive(Debug)]
struct Open {
    id: String,
    name: String,
    ours: bool,
    arguments: String,
}

impl Stream {
    /// A stream of a run with that request ([`crate::input::Echo::request`]). Where the run goes on with a message,
    /// `whole` sends the parts that it has already too, for a client that resumes.
    pub fn new(request: Option<&Value>, whole: bool) -> Self {
        Stream { continued: request.and_then(Continued::of), whole, ..Stream::default() }
    }

    fn plain(&mut self, plain: &Plain, out: &mut Vec<Frame>) {
        match plain {
            Plain::NarrationDelta { message, delta } => part::narration(&mut self.around, message, delta, out),
            Plain::ThinkingStart { message, public: true } => self.open(Kind::Reasoning, message, out),
            Plain::ThinkingDelta { message, public: true, delta } => self.say(Kind::Reasoning, message, delta, out),
            Plain::ThinkingEnd { message, public: true } => self.close(Kind::Reasoning, message, out),
            Plain::ShownCallStart { call, name, parent } => self.call(call, name, parent, true, out),
            Plain::ShownCallArgs { call, delta } => self.argue(call, delta, out),
            Plain::ShownCallEnd { call } => self.called(call, out),
            Plain::ShownCallResult { call, content, outcome, .. } => self.result(call, content, *outcome, out),
            Plain::Working { step, .. } => out.push(part::working(*step)),
            _ => {}
        }
    }

    fn sealed(&mut self, cx: &Context<'_>, sealed: &Sealed, out: &mut Vec<Frame>) {
        match sealed {
            Sealed::Started {} => self.begin(cx, out),
            Sealed::AnswerStart { message, refusal } => {
                self.refusal = *refusal;
                self.open(Kind::Text, message, out);
            }
            Sealed::AnswerDelta { message, delta, .. } => self.say(Kind::Text, message, delta, out),
            Sealed::AnswerEnd { message } => self.close(Kind::Text, message, out),
            Sealed::AnswerWithdrawn { message } => {
                self.refusal = false;
                out.push(part::part(super::WITHDRAWN, |part| {
                    part.object("data", |data| {
                        data.field("text", message);
                    });
                }));
            }
            Sealed::CallStart { call, name, parent } => self.call(call, name, parent, false, out),
            Sealed::CallArgs { call, delta } => self.argue(call, delta, out),
            Sealed::CallEnd { call } => self.called(call, out),
            Sealed::Completed(_) | Sealed::Interrupted { .. } | Sealed::Cancelled { .. } | Sealed::Failed { .. } => {
                self.end(sealed, out);
            }
        }
    }

    /// `start`, and a step at once.
    fn begin(&mut self, cx: &Context<'_>, out: &mut Vec<Frame>) {
        let id =
            self.continued.as_ref().and_then(Continued::id).map_or_else(|| super::message_id(cx.run), str::to_owned);
        out.push(part::part("start", |part| {
            part.field("messageId", &id);
            part::metadata(part, |metadata| {
                about(cx, metadata);
                // The client adds to what it has: what the run before has said of its end is void.
                for name in terminal::MEMBERS.iter().filter(|_| self.continued.is_some()) {
                    metadata.field(name, &Value::Null);
                }
            });
        }));
        if let Some(continued) = self.continued.as_ref().filter(|_| self.whole) {
            continued.write(&mut self.step, out);
        }
        self.step.start(out);
    }

    fn open(&mut self, kind: Kind, id: &str, out: &mut Vec<Frame>) {
        self.step.enter(None, out);
        self.open.push((kind, id.to_owned()));
        out.push(kind.start(id));
    }

    fn say(&mut self, kind: Kind, id: &str, text: &str, out: &mut Vec<Frame>) {
        if !self.open.iter().any(|open| is(open, kind, id)) {
            self.open(kind, id, out);
        }
        kind.deltas(&mut self.around, id, text, out);
    }

    fn close(&mut self, kind: Kind, id: &str, out: &mut Vec<Frame>) {
        if let Some(at) = self.open.iter().position(|open| is(open, kind, id)) {
            self.open.remove(at);
            self.step.leave();
            out.push(kind.end(id));
        }
    }

    /// A call that a person has approved is in the message already.
    fn call(&mut self, id: &str, name: &str, parent: &str, ours: bool, out: &mut Vec<Frame>) {
        if !self.is_known(id) {
            self.step.enter(Some(parent), out);
            self.begun.insert(id, self.parents.len());
            self.parents.push(parent.to_owned());
            let open = Open { id: id.to_owned(), name: name.to_owned(), ours, arguments: String::new() };
            out.push(open.call().start());
            self.calls.push(open);
        }
    }

    fn argue(&mut self, id: &str, text: &str, out: &mut Vec<Frame>) {
        if let Some(open) = self.calls.iter_mut().find(|open| open.id == id) {
            open.arguments.push_str(text);
            part::arguments(&mut self.around, id, text, out);
        }
    }

    /// What one of ours was called with that is no JSON is text: it has run with that.
    fn called(&mut self, id: &str, out: &mut Vec<Frame>) {
        if let Some(at) = self.calls.iter().position(|open| open.id == id) {
            let open = self.calls.remove(at);
            self.step.leave();
            out.push(match part::input(&open.arguments) {
                Some(input) => open.call().available(&input),
                None if open.ours => open.call().available(&Value::String(open.arguments.clone())),
                None => open.call().unreadable(&open.arguments),
            });
        }
    }

    fn result(&mut self, id: &str, content: &str, outcome: ToolOutcome, out: &mut Vec<Frame>) {
        if !self.is_known(id) {
            return;
        }
        self.called(id, out);
        if let Some(parent) = self.begun.of(id).and_then(|at| self.parents.get(at)) {
            self.step.answered(parent);
        }
        let call = Call { id, name: "", ours: true, dynamic: false };
        out.push(match outcome {
            ToolOutcome::Ok => call.output(&Value::String(content.to_owned())),
            ToolOutcome::Error | ToolOutcome::Unknown => call.failed(content),
        });
    }

    /// What is open is closed first: nothing follows the end.
    fn end(&mut self, sealed: &Sealed, out: &mut Vec<Frame>) {
        while let Some((kind, id)) = self.open.last().cloned() {
            self.close(kind, &id, out);
        }
        while let Some(id) = self.calls.last().map(|open| open.id.clone()) {
            self.called(&id, out);
        }
        if let Sealed::Interrupted { interrupts, .. } = sealed {
            for interrupt in interrupts {
                let asked = Asked::of(interrupt);
                self.step.enter(None, out);
                self.step.leave();
                out.extend(asked.parts(interrupt, self.is_known(&asked.id)));
                self.begun.insert(&asked.id, self.parents.len());
            }
        }
        self.step.end(out);
        terminal::write(sealed, self.refusal, out);
        out.push(part::done());
    }

    fn is_known(&self, call: &str) -> bool {
        self.begun.contains(call) || self.continued.as_ref().is_some_and(|continued| continued.holds(call))
    }
}

impl Serializer for Stream {
    fn fold(&mut self, cx: &Context<'_>, _: Millis, event: &Event, out: &mut Vec<Frame>) -> Result<(), Error> {
        match event {
            Event::Plain(plain) => self.plain(plain, out),
            Event::Sealed(sealed) => self.sealed(cx, sealed, out),
        }
        Ok(())
    }
}

impl Open {
    fn call(&self) -> Call<'_> {
        Call { id: &self.id, name: &self.name, ours: self.ours, dynamic: false }
    }
}

fn is((kind, id): &(Kind, String), wanted: Kind, name: &str) -> bool {
    *kind == wanted && id == name
}

/// What a message tells of its run from the first on.
fn about(cx: &Context<'_>, metadata: &mut Object<'_>) {
    let model = Some(cx.profile.model.as_str()).filter(|model| !model.is_empty());
    metadata.fields(&[("run", &cx.run), ("thread", &cx.thread), ("model", &model)]);
    metadata.field("created_at", &cx.profile.created_at);
}
