//! How a run ends: `finish`, `abort` or `error`, with what there is to tell of it in the message's metadata.

use super::part::{self, Call};
use crate::ErrorKind;
use crate::event::{Completion, Failure, Interrupt, ModelUsage, Sealed};
use crate::json::{Json, Object};
use crate::signal::Usage;
use crate::sse::Frame;
use crate::wire::{approval, cost};
use serde_json::{Value, json};

/// What the metadata tells of a run's end.
pub(super) const MEMBERS: [&str; 9] =
    ["usage", "timing", "truncated", "fallback", "refusal", "pending", "interrupts", "cancelled", "error"];

/// The last parts of a run, its steps ended.
pub(super) fn write(sealed: &Sealed, refusal: bool, out: &mut Vec<Frame>) {
    match sealed {
        Sealed::Completed(completion) => out.push(finish(reason(completion), |metadata| {
            write_usage(&completion.usage, metadata);
            metadata.object("timing", |timing| {
                let times = completion.timing;
                timing.fields(&[("ttft_ms", &times.ttft_ms), ("answer_ms", &times.answer_ms)]);
                timing.field("total_ms", &times.total_ms);
            });
            metadata.flag("truncated", completion.truncated).flag("fallback", completion.fallback);
            metadata.flag("refusal", refusal).list("pending", &completion.pending);
        })),
        Sealed::Interrupted { interrupts, usage } => out.push(finish("tool-calls", |metadata| {
            write_usage(usage, metadata);
            metadata.list("interrupts", &interrupts.iter().map(Question).collect::<Vec<_>>());
        })),
        Sealed::Cancelled { usage } => {
            out.push(told(|metadata| {
                write_usage(usage, metadata);
                metadata.field("cancelled", &true);
            }));
            out.push(part::plain("abort"));
        }
        Sealed::Failed { failure, usage, .. } => {
            out.push(told(|metadata| {
                write_usage(usage, metadata);
                metadata.object("error", |error| {
                    error.fields(&[("code", &failure.code), ("reference", &referred(failure))]);
                });
            }));
            out.push(part::error(&sentence(failure)));
        }
        _ => out.push(part::error(ErrorKind::RecordUnreadable.sentence())),
    }
}

/// The call that a question is about.
pub(super) struct Asked {
    pub id: String,
    pub name: String,
    pub input: Value,
}

impl Asked {
    /// The interrupt's metadata names tool and arguments. One that does not is a call of its own kind, which holds
    /// what is asked.
    pub(super) fn of(interrupt: &Interrupt) -> Self {
        let id = interrupt.call.clone().unwrap_or_else(|| approval::call(interrupt));
        let told = |key: &str| interrupt.metadata.as_ref().and_then(|metadata| metadata.get(key));
        let question = || match &interrupt.message {
            Some(message) => json!({ "message": message, "reason": interrupt.reason }),
            None => json!({ "reason": interrupt.reason }),
        };
        match told("tool").and_then(Value::as_str) {
            Some(name) => Asked { id, name: name.to_owned(), input: told("input").cloned().unwrap_or_else(question) },
            None => Asked { id, name: approval::TOOL.to_owned(), input: question() },
        }
    }

    /// The question: the call, unless it stands in the message already, and that it waits.
    pub(super) fn parts(&self, interrupt: &Interrupt, is_known: bool) -> Vec<Frame> {
        let call = Call { id: &self.id, name: &self.name, ours: true, dynamic: false };
        let asks = call.asks(&interrupt.id, interrupt.message.as_deref());
        if is_known { vec![asks] } else { vec![call.start(), call.available(&self.input), asks] }
    }
}

/// An interrupt in the message's metadata: what no part has a place for.
struct Question<'a>(&'a Interrupt);

impl Json for Question<'_> {
    fn write(&self, out: &mut String) {
        let interrupt = self.0;
        let mut object = Object::begin(out);
        object.fields(&[("id", &interrupt.id), ("reason", &interrupt.reason), ("message", &interrupt.message)]);
        object.fields(&[("call", &interrupt.call), ("response_schema", &interrupt.response_schema)]);
        object.field("expires_at", &interrupt.expires_at);
        object.end();
    }
}

fn finish(reason: &str, fill: impl FnOnce(&mut Object<'_>)) -> Frame {
    part::part("finish", |part| {
        part.field("finishReason", &reason);
        part::metadata(part, fill);
    })
}

fn told(fill: impl FnOnce(&mut Object<'_>)) -> Frame {
    part::part("message-metadata", |part| part::metadata(part, fill))
}

fn reason(completion: &Completion) -> &'static str {
    match (completion.pending.is_empty(), completion.truncated) {
        (false, _) => "tool-calls",
        (true, true) => "length",
        (true, false) => "stop",
    }
}

fn referred(failure: &Failure) -> Option<&str> {
    Some(failure.reference.as_str()).filter(|reference| !reference.is_empty())
}

/// The code's fixed sentence, with the code, and the reference under which the host's log has the cause.
fn sentence(failure: &Failure) -> String {
    match referred(failure) {
        Some(reference) => format!("{} ({}, reference {reference})", failure.message, failure.code),
        None => format!("{} ({})", failure.message, failure.code),
    }
}

/// The tokens of all models together, under the names of the client's own `LanguageModelUsage`.
fn write_usage(usage: &[ModelUsage], metadata: &mut Object<'_>) {
    let tokens = cost::sum(usage);
    if tokens != Usage::default() {
        metadata.object("usage", |usage| {
            usage.fields(&[("inputTokens", &tokens.input), ("outputTokens", &tokens.output)]);
            usage.fields(&[("totalTokens", &tokens.total), ("reasoningTokens", &tokens.reasoning)]);
            usage
                .fields(&[("cachedInputTokens", &tokens.cached_input), ("cacheWriteInputTokens", &tokens.cache_write)]);
        });
    }
}
