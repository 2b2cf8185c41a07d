//! One chunk of the stream, as JSON text.

use crate::json::{self, Json, NULL, Object, Raw};
use crate::wire::Context;

/// What every chunk of a stream says.
pub(super) struct Head<'a> {
    /// The run.
    pub cx: &'a Context<'a>,
    /// True if the client asks for usage: then every chunk has the field.
    pub usage: bool,
}

impl Head<'_> {
    /// A chunk with a piece of the message.
    pub(super) fn delta(&self, fill: impl FnOnce(&mut Object<'_>)) -> String {
        self.choice(&NULL, fill)
    }

    /// The chunk that ends the message.
    pub(super) fn finish(&self, reason: &str, fill: impl FnOnce(&mut Object<'_>)) -> String {
        self.choice(&reason, fill)
    }

    /// The chunk that tells usage, behind the end of the message.
    pub(super) fn closing(&self, fill: impl FnOnce(&mut Object<'_>)) -> String {
        json::object(|chunk| {
            self.begin(chunk);
            chunk.field("choices", &Raw("[]".into()));
            fill(chunk);
        })
    }

    fn choice(&self, reason: &dyn Json, fill: impl FnOnce(&mut Object<'_>)) -> String {
        let choice = json::object(|choice| {
            choice
                .field("index", &0_u32)
                .object("delta", fill)
                .fields(&[("logprobs", &NULL), ("finish_reason", reason)]);
        });
        json::object(|chunk| {
            self.begin(chunk);
            chunk.field("choices", &[Raw(choice)].as_slice());
            if self.usage {
                chunk.field("usage", &NULL);
            }
        })
    }

    fn begin(&self, chunk: &mut Object<'_>) {
        begin(self.cx, "chat.completion.chunk", chunk);
    }
}

/// What a chunk and a completion begin with.
pub(super) fn begin(cx: &Context<'_>, object: &str, out: &mut Object<'_>) {
    let created = cx.profile.created_at / 1000;
    let id = format!("chatcmpl-{}", cx.run);
    out.fields(&[("id", &id), ("object", &object), ("created", &created), ("model", &cx.profile.model)]);
}
