//! Answers that are no streams.

use super::compact;
use super::end::{End, refused};
use super::item::Items;
use super::response::Response;
use crate::Millis;
use crate::json;
use crate::wire::{Context, Document, Form, Output};
use serde_json::Value;

/// The Response, once the run has ended, or as it stands before: then without output. A run that has failed is an
/// error with a status of its own, unless it was asked how it stands: then it is a Response that says so.
pub fn document(cx: &Context<'_>, request: Option<&Value>, output: &Output, form: Form, at: Millis) -> Document {
    let mut items = Items::of(output);
    let end = output.end.as_ref().and_then(|sealed| End::of(cx, &mut items, sealed));
    if form != Form::Now
        && let Some(told) = end.as_ref().and_then(|end| end.told.as_ref())
    {
        return refused(told);
    }
    if compact::is_asked(request) {
        return compact::document(cx, &items, end.as_ref());
    }
    let status = end.as_ref().map_or("in_progress", |end| end.status);
    let end = end.as_ref().map(|end| (end, at));
    let none = Items::default();
    let items = if end.is_some() { &items } else { &none };
    Document { status: 200, body: json::text(&Response { cx, request, items, status, end }) }
}

/// What the deletion of a Response is answered with.
pub fn deleted(id: &str) -> String {
    json::object(|body| {
        body.fields(&[("id", &id), ("object", &"response"), ("deleted", &true)]);
    })
}
