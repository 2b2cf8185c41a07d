//! The whole message.

use super::block::Kind;
use super::{error, stop_reason, usage, write_head};
use crate::ErrorKind;
use crate::event::Sealed;
use crate::json::{self, NULL, Raw};
use crate::wire::ending::Ending;
use crate::wire::{Context, Document, Item, Output, approval};

/// The whole answer. A run that failed, or asks for an approval that the client has no word for, is an error.
pub fn document(cx: &Context<'_>, output: &Output) -> Document {
    if let Some(Sealed::Interrupted { interrupts, .. }) = &output.end
        && interrupts.is_empty()
    {
        return error::document(&ErrorKind::RecordUnreadable.into());
    }
    match output.end.as_ref().and_then(|sealed| Ending::of(cx, sealed)) {
        Some(Ending { failed: Some(told), .. }) => error::document(&told),
        Some(ending) => Document { status: 200, body: message(cx, output, &ending) },
        None => error::document(&ErrorKind::Internal.into()),
    }
}

fn message(cx: &Context<'_>, output: &Output, ending: &Ending<'_>) -> String {
    let interrupts = ending.interrupts;
    let (mut said, mut called, mut refusal) = (false, !interrupts.is_empty(), false);
    let mut content: Vec<Raw> = Vec::new();
    for item in &output.items {
        match item {
            Item::Reasoning { id, text, .. } if !text.is_empty() => content.push(Kind::Thinking.whole(id, text)),
            Item::Answer { id, text, refusal: refuses, withdrawn: false } => {
                refusal = *refuses;
                if !text.is_empty() {
                    said = true;
                    content.push(Kind::Text.whole(id, text));
                }
            }
            Item::Call { id, name, arguments, .. } => {
                called = true;
                content.push(Kind::Call(name.clone()).whole(id, arguments));
            }
            Item::Reasoning { .. } | Item::Answer { .. } | Item::Shown { .. } => {}
        }
    }
    for interrupt in interrupts {
        let ask = Kind::Call(approval::TOOL.to_owned());
        content.push(ask.whole(&approval::call(interrupt), &approval::arguments(interrupt)));
    }
    if !said && !called {
        content.push(Kind::Text.whole("", ""));
    }
    json::object(|message| {
        write_head(cx, message);
        let reason = stop_reason(called, refusal, ending.truncated);
        message.fields(&[("content", &content), ("stop_reason", &reason), ("stop_sequence", &NULL)]);
        usage::write(ending.usage, ending.timing, message);
    })
}
