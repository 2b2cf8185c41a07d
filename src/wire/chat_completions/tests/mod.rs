//! The request's parser.

mod approvals;
mod fields;
mod messages;
mod same;

use super::parse;
use crate::Error;
use crate::wire::agui::Limits;
use crate::wire::{Asked, Names};
use serde_json::{Value, json};

fn names() -> Names<'static> {
    Names { run: "run-1", thread: None }
}

/// Understands a body.
fn read(body: &Value) -> Result<Asked, Error> {
    parse(body.to_string().as_bytes(), &names(), &Limits::default())
}

/// The smallest body, with these fields besides.
fn with(fields: Value) -> Value {
    let mut body = json!({"model": "m", "messages": [{"role": "user", "content": "Hi"}]});
    let (Value::Object(body), Value::Object(fields)) = (&mut body, fields) else { panic!("an object") };
    body.extend(fields);
    Value::Object(std::mem::take(body))
}

/// Why a body is refused: the code, and the detail.
fn refused(body: &Value) -> (&'static str, String) {
    let error = read(body).expect_err(&body.to_string());
    (error.code(), error.detail().unwrap_or_default().to_owned())
}
