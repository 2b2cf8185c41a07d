//! The list of models.

use crate::Millis;
use crate::json::{self, Json, Raw};
use crate::wire::agui::iso;
use serde_json::Value;

/// The body of `GET /v1/models`: the models on offer, from `created` on (milliseconds since the epoch). It is OpenAI's
/// list with the members of Anthropic's beside, so that the official clients of both read it.
pub fn models(names: &[&str], created: Millis) -> String {
    let data: Vec<_> = names.iter().map(|name| model(name, created)).collect();
    json::object(|list| {
        let end = |name: Option<&&str>| name.map_or(Value::Null, |name| Value::from(*name));
        list.fields(&[("object", &"list"), ("data", &data), ("has_more", &false)]);
        list.fields(&[("first_id", &end(names.first())), ("last_id", &end(names.last()))]);
    })
}

fn model(name: &str, created: Millis) -> Raw {
    let (seconds, time) = (created / 1000, iso(created));
    let fields: [(&str, &dyn Json); 7] = [
        ("id", &name),
        ("object", &"model"),
        ("created", &seconds),
        ("owned_by", &"lastword"),
        ("type", &"model"),
        ("display_name", &name),
        ("created_at", &time),
    ];
    Raw(json::object(|model| {
        model.fields(&fields);
    }))
}
