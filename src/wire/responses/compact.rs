//! `POST /v1/responses/compact`: a run that sums a conversation up, and what becomes of its answer.
//!
//! The summary travels in a `compaction` item as `encrypted_content`: base64 of a header and the text. It is no secret,
//! and needs none: it is the run's answer, which the client may read, and what a client sends in its place counts no
//! more than any message of its own.

use super::RESPONSE;
use super::end::{End, refused};
use super::item::{Items, Kind, State};
use super::request::{self, Purpose};
use super::response::usage;
use super::summary;
use crate::json::{self, Raw};
use crate::wire::agui::Limits;
use crate::wire::{Asked, Context, Document, Names};
use crate::{Error, ErrorKind};
use serde_json::Value;

/// Understands a request to compact.
///
/// # Errors
/// As of [`super::parse`]; also if it names no model.
pub fn parse(body: &[u8], names: &Names<'_>, limits: &Limits) -> Result<Asked, Error> {
    request::understand(body, names, limits, Purpose::Compact)
}

/// True of a run that was asked to compact.
pub(super) fn is_asked(request: Option<&Value>) -> bool {
    request.and_then(|request| request.get("compact")).is_some_and(|value| value == true)
}

/// The compacted conversation: one item. A model that has not summed up has failed.
pub(super) fn document(cx: &Context<'_>, items: &Items, end: Option<&End<'_>>) -> Document {
    let whole = |state| matches!(state, State::Done | State::Cut);
    let said = items.list.iter().rev().find(|item| {
        item.kind == (Kind::Message { refusal: false }) && whole(item.state) && !item.text.trim().is_empty()
    });
    let told = end.and_then(|end| end.told.clone());
    let (Some(said), None) = (said, &told) else {
        let unsaid = || match end {
            Some(_) => ErrorKind::UpstreamRejected.into(),
            None => ErrorKind::RunActive.into(),
        };
        return refused(&told.unwrap_or_else(unsaid));
    };
    let item = Raw(json::object(|item| {
        item.fields(&[("id", &format!("cmp_{}", cx.run)), ("type", &"compaction")]);
        item.field("encrypted_content", &summary::sealed(&said.text));
    }));
    let nothing = || Raw(UNCOUNTED.to_owned());
    let usage = end.and_then(|end| usage(end.usage)).unwrap_or_else(nothing);
    let body = json::object(|body| {
        body.fields(&[("id", &format!("{RESPONSE}{}", cx.run)), ("object", &"response.compaction")]);
        body.fields(&[("created_at", &(cx.profile.created_at / 1000)), ("output", &vec![item]), ("usage", &usage)]);
        body.field("timing", &end.and_then(|end| end.timing.copied()));
    });
    Document { status: 200, body }
}

/// The usage of a provider that did not count: here the format has no null.
const UNCOUNTED: &str = concat!(
    r#"{"input_tokens":0,"input_tokens_details":{"cached_tokens":0},"output_tokens":0,"#,
    r#""output_tokens_details":{"reasoning_tokens":0},"total_tokens":0}"#
);
