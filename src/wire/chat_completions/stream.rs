//! The stream's fold.

use super::chunk::Head;
use super::{error, finish_reason, usage};
use crate::event::{Event, Plain, Sealed};
use crate::sse::Frame;
use crate::wire::ending::{Ending, Told};
use crate::wire::pieces::Around;
use crate::wire::{Context, Serializer, approval, pieces};
use crate::{Error, ErrorKind, Millis};

/// The fold of a run's events into chunks. Of the events it remembers only what the next chunk depends on.
#[derive(Debug, Default)]
pub struct Stream {
    /// The client asks for usage.
    usage: bool,
    /// Some of the answer was sent.
    said: bool,
    /// Whose reasoning was sent last.
    reasons: Option<String>,
    /// The calls that were sent, in order. They are few: a turn has a bound for them.
    calls: Vec<Call>,
    around: Around,
    /// Nothing more is sent.
    over: bool,
}

#[derive(Debug)]
struct Call {
    id: String,
    /// None of its arguments was sent.
    bare: bool,
}

impl Stream {
    /// With or without the client having asked for usage.
    pub fn new(usage: bool) -> Self {
        Stream { usage, ..Stream::default() }
    }

    fn plain(&mut self, head: &Head<'_>, plain: &Plain, out: &mut Vec<Frame>) {
        if let Plain::NarrationDelta { message, delta } | Plain::ThinkingDelta { message, public: true, delta } = plain
        {
            self.reasoning(head, message, delta, out);
        }
    }

    /// What one message reasoned stands a paragraph apart from what another did.
    fn reasoning(&mut self, head: &Head<'_>, message: &str, delta: &str, out: &mut Vec<Frame>) {
        if delta.is_empty() {
            return;
        }
        if self.reasons.as_deref() == Some(message) {
            return self.deltas(head, "reasoning_content", delta, out);
        }
        let apart = if self.reasons.is_some() { PARAGRAPH } else { "" };
        self.reasons = Some(message.to_owned());
        self.deltas(head, "reasoning_content", &[apart, delta].concat(), out);
    }

    fn sealed(&mut self, head: &Head<'_>, sealed: &Sealed, out: &mut Vec<Frame>) {
        match sealed {
            Sealed::Started {} => out.push(Frame::new(head.delta(|delta| {
                delta.field("role", &"assistant");
            }))),
            Sealed::AnswerDelta { refusal, delta, .. } if !delta.is_empty() => {
                self.said = true;
                self.deltas(head, if *refusal { "refusal" } else { "content" }, delta, out);
            }
            Sealed::AnswerWithdrawn { .. } if self.said => self.broken(&ErrorKind::StreamInterrupted.into(), out),
            Sealed::AnswerStart { .. }
            | Sealed::AnswerDelta { .. }
            | Sealed::AnswerEnd { .. }
            | Sealed::AnswerWithdrawn { .. } => {}
            Sealed::CallStart { call, name, .. } => self.begin_call(head, call, name, out),
            Sealed::CallArgs { call, delta } => self.arguments(head, call, delta, out),
            Sealed::CallEnd { call } => self.end_call(head, call, out),
            Sealed::Completed(_) | Sealed::Interrupted { .. } | Sealed::Cancelled { .. } | Sealed::Failed { .. } => {
                self.ended(head, sealed, out);
            }
        }
    }

    fn deltas(&mut self, head: &Head<'_>, member: &'static str, text: &str, out: &mut Vec<Frame>) {
        let chunk = |part: &str| {
            head.delta(|delta| {
                delta.field(member, &part);
            })
        };
        self.around.frames((member, ""), text, chunk, |data| out.push(Frame::new(data)));
    }

    fn begin_call(&mut self, head: &Head<'_>, id: &str, name: &str, out: &mut Vec<Frame>) {
        self.calls.push(Call { id: id.to_owned(), bare: true });
        let (index, none) = (self.calls.len() - 1, "");
        out.push(Frame::new(head.delta(|delta| {
            let call = crate::json::object(|call| {
                call.fields(&[("index", &(index as u64)), ("id", &id), ("type", &"function")]);
                call.object("function", |function| {
                    function.fields(&[("name", &name), ("arguments", &none)]);
                });
            });
            delta.field("tool_calls", &vec![crate::json::Raw(call)]);
        })));
    }

    fn arguments(&mut self, head: &Head<'_>, id: &str, text: &str, out: &mut Vec<Frame>) {
        let Some(index) = self.calls.iter().rposition(|call| call.id == id) else { return };
        if text.is_empty() {
            return;
        }
        if let Some(call) = self.calls.get_mut(index) {
            call.bare = false;
        }
        let chunk = |part: &str| {
            head.delta(|delta| {
                let call = crate::json::object(|call| {
                    call.field("index", &(index as u64)).object("function", |function| {
                        function.field("arguments", &part);
                    });
                });
                delta.field("tool_calls", &vec![crate::json::Raw(call)]);
            })
        };
        out.extend(pieces::delta_frames(text, chunk).into_iter().map(Frame::new));
    }

    /// Clients parse the arguments, so those that the model left out are an object without members.
    fn end_call(&mut self, head: &Head<'_>, id: &str, out: &mut Vec<Frame>) {
        if self.calls.iter().rev().any(|call| call.id == id && call.bare) {
            self.arguments(head, id, NO_ARGUMENTS, out);
        }
    }

    /// An answer without text is an empty text, where nothing else was said.
    fn ended(&mut self, head: &Head<'_>, sealed: &Sealed, out: &mut Vec<Frame>) {
        let Some(ending) = Ending::of(head.cx, sealed) else { return };
        if let Some(told) = &ending.failed {
            return self.broken(told, out);
        }
        for interrupt in ending.interrupts {
            let id = approval::call(interrupt);
            self.begin_call(head, &id, approval::TOOL, out);
            self.arguments(head, &id, &approval::arguments(interrupt), out);
        }
        self.over = true;
        let reason = finish_reason(!self.calls.is_empty(), ending.truncated);
        out.push(Frame::new(head.finish(reason, |delta| {
            if !self.said && self.calls.is_empty() {
                delta.field("content", &"");
            }
        })));
        if self.usage {
            out.push(Frame::new(head.closing(|chunk| usage::write(ending.usage, ending.timing, chunk))));
        }
        out.push(Frame::new(DONE));
    }

    /// Behind an error there is nothing.
    fn broken(&mut self, told: &Told, out: &mut Vec<Frame>) {
        self.over = true;
        out.push(Frame::new(error::body(told)));
    }
}

impl Serializer for Stream {
    fn fold(&mut self, cx: &Context<'_>, _: Millis, event: &Event, out: &mut Vec<Frame>) -> Result<(), Error> {
        if self.over {
            return Ok(());
        }
        let head = Head { cx, usage: self.usage };
        match event {
            Event::Plain(plain) => self.plain(&head, plain, out),
            Event::Sealed(sealed) => self.sealed(&head, sealed, out),
        }
        Ok(())
    }
}

/// The end mark of a stream that said all.
const DONE: &str = "[DONE]";

/// Between what two messages reasoned.
pub(super) const PARAGRAPH: &str = "\n\n";

/// The arguments of a call that has none.
pub(super) const NO_ARGUMENTS: &str = "{}";
