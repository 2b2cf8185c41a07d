//! The stream's fold.

use super::chunk::Head;
use super::{error, finish_reason, usage};
use crate::event::{Event, Plain, Sealed};
use crate::sse::Frame;
use crate::wire::ending::{Ending, Told};
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

    fn plain(&mut self, head: &Head<'_>, plain: &Plain) -> Vec<String> {
        match plain {
            Plain::NarrationDelta { message, delta } | Plain::ThinkingDelta { message, public: true, delta } => {
                self.reasoning(head, message, delta)
            }
            _ => Vec::new(),
        }
    }

    /// What one message reasoned stands a paragraph apart from what another did.
    fn reasoning(&mut self, head: &Head<'_>, message: &str, delta: &str) -> Vec<String> {
        if delta.is_empty() {
            return Vec::new();
        }
        let apart = self.reasons.as_ref().is_some_and(|last| last != message);
        self.reasons = Some(message.to_owned());
        let text = if apart { format!("{PARAGRAPH}{delta}") } else { delta.to_owned() };
        deltas(head, "reasoning_content", &text)
    }

    fn sealed(&mut self, head: &Head<'_>, sealed: &Sealed) -> Vec<String> {
        match sealed {
            Sealed::Started {} => vec![head.delta(|delta| {
                delta.field("role", &"assistant");
            })],
            Sealed::AnswerDelta { refusal, delta, .. } if !delta.is_empty() => {
                self.said = true;
                deltas(head, if *refusal { "refusal" } else { "content" }, delta)
            }
            Sealed::AnswerWithdrawn { .. } if self.said => self.broken(&ErrorKind::StreamInterrupted.into()),
            Sealed::AnswerStart { .. }
            | Sealed::AnswerDelta { .. }
            | Sealed::AnswerEnd { .. }
            | Sealed::AnswerWithdrawn { .. } => Vec::new(),
            Sealed::CallStart { call, name, .. } => vec![self.begin_call(head, call, name)],
            Sealed::CallArgs { call, delta } => self.arguments(head, call, delta),
            Sealed::CallEnd { call } => self.end_call(head, call),
            Sealed::Completed(_) | Sealed::Interrupted { .. } | Sealed::Cancelled { .. } | Sealed::Failed { .. } => {
                self.ended(head, sealed)
            }
        }
    }

    fn begin_call(&mut self, head: &Head<'_>, id: &str, name: &str) -> String {
        self.calls.push(Call { id: id.to_owned(), bare: true });
        let (index, none) = (self.calls.len() - 1, "");
        head.delta(|delta| {
            let call = crate::json::object(|call| {
                call.fields(&[("index", &(index as u64)), ("id", &id), ("type", &"function")]);
                call.object("function", |function| {
                    function.fields(&[("name", &name), ("arguments", &none)]);
                });
            });
            delta.field("tool_calls", &vec![crate::json::Raw(call)]);
        })
    }

    fn arguments(&mut self, head: &Head<'_>, id: &str, text: &str) -> Vec<String> {
        let Some(index) = self.calls.iter().rposition(|call| call.id == id) else { return Vec::new() };
        if text.is_empty() {
            return Vec::new();
        }
        if let Some(call) = self.calls.get_mut(index) {
            call.bare = false;
        }
        pieces::delta_frames(text, |part| {
            head.delta(|delta| {
                let call = crate::json::object(|call| {
                    call.field("index", &(index as u64)).object("function", |function| {
                        function.field("arguments", &part);
                    });
                });
                delta.field("tool_calls", &vec![crate::json::Raw(call)]);
            })
        })
    }

    /// Clients parse the arguments, so those that the model left out are an object without members.
    fn end_call(&mut self, head: &Head<'_>, id: &str) -> Vec<String> {
        match self.calls.iter().rev().any(|call| call.id == id && call.bare) {
            true => self.arguments(head, id, NO_ARGUMENTS),
            false => Vec::new(),
        }
    }

    /// An answer without text is an empty text, where nothing else was said.
    fn ended(&mut self, head: &Head<'_>, sealed: &Sealed) -> Vec<String> {
        let Some(ending) = Ending::of(head.cx, sealed) else { return Vec::new() };
        if let Some(told) = &ending.failed {
            return self.broken(told);
        }
        let mut frames = Vec::new();
        for interrupt in ending.interrupts {
            let id = approval::call(interrupt);
            frames.push(self.begin_call(head, &id, approval::TOOL));
            frames.extend(self.arguments(head, &id, &approval::arguments(interrupt)));
        }
        self.over = true;
        let reason = finish_reason(!self.calls.is_empty(), ending.truncated);
        frames.push(head.finish(reason, |delta| {
            if !self.said && self.calls.is_empty() {
                delta.field("content", &"");
            }
        }));
        if self.usage {
            frames.push(head.closing(|chunk| usage::write(ending.usage, ending.timing, chunk)));
        }
        frames.push(DONE.to_owned());
        frames
    }

    /// Behind an error there is nothing.
    fn broken(&mut self, told: &Told) -> Vec<String> {
        self.over = true;
        vec![error::body(told)]
    }
}

impl Serializer for Stream {
    fn fold(&mut self, cx: &Context<'_>, _: Millis, event: &Event) -> Result<Vec<Frame>, Error> {
        if self.over {
            return Ok(Vec::new());
        }
        let head = Head { cx, usage: self.usage };
        let frames = match event {
            Event::Plain(plain) => self.plain(&head, plain),
            Event::Sealed(sealed) => self.sealed(&head, sealed),
        };
        Ok(frames.into_iter().map(Frame::new).collect())
    }
}

/// The end mark of a stream that said all.
const DONE: &str = "[DONE]";

/// Between what two messages reasoned.
pub(super) const PARAGRAPH: &str = "\n\n";

/// The arguments of a call that has none.
pub(super) const NO_ARGUMENTS: &str = "{}";

fn deltas(head: &Head<'_>, member: &str, text: &str) -> Vec<String> {
    pieces::delta_frames(text, |part| {
        head.delta(|delta| {
            delta.field(member, &part);
        })
    })
}
