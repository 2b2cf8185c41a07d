//! Items that a request names by their ids instead of bringing them.
//!
//! An item's id holds its run's ([`super::item::id`]), so whoever can load runs can put the items in their places
//! before the request is parsed.

use crate::json::{self, read};
use serde_json::Value;

/// The most runs whose items one request may name.
const MOST: usize = 32;

/// The runs whose items the request names, each once. None where the body is no such request: the parser says why.
pub fn references(body: &[u8]) -> Vec<String> {
    let mut runs: Vec<String> = Vec::new();
    // Most requests name none, and need not be parsed for it.
    if !body.windows(MARK.len()).any(|window| window == MARK) {
        return runs;
    }
    let Ok(value) = read::read(body) else { return runs };
    for item in value.get("input").and_then(Value::as_array).into_iter().flatten() {
        if let Some(run) = named(item).and_then(run_of)
            && runs.len() < MOST
            && !runs.iter().any(|known| known == run)
        {
            runs.push(run.to_owned());
        }
    }
    runs
}

const MARK: &[u8] = b"item_reference";

/// The body with the items of these Responses, each as JSON text, in the place of references to them.
pub fn resolved(body: &[u8], responses: &[String]) -> Vec<u8> {
    let Ok(mut value) = read::read(body) else { return body.to_vec() };
    let mut outputs: Vec<Value> = responses.iter().filter_map(|text| read::read(text.as_bytes()).ok()).collect();
    let items: Vec<Value> = outputs
        .iter_mut()
        .filter_map(|response| response.get_mut("output").and_then(Value::as_array_mut))
        .flat_map(std::mem::take)
        .collect();
    for place in value.get_mut("input").and_then(Value::as_array_mut).into_iter().flatten() {
        let found = named(place).and_then(|id| items.iter().find(|item| text(item, "id") == Some(id)));
        if let Some(item) = found.cloned() {
            *place = item;
        }
    }
    json::text(&value).into_bytes()
}

/// The id that a reference names.
fn named(item: &Value) -> Option<&str> {
    text(item, "id").filter(|_| text(item, "type") == Some("item_reference"))
}

fn text<'v>(value: &'v Value, key: &str) -> Option<&'v str> {
    value.get(key).and_then(Value::as_str)
}

/// The run of an item, from the item's id.
fn run_of(id: &str) -> Option<&str> {
    let (kind, rest) = id.split_once('_')?;
    let (run, at) = rest.rsplit_once('_')?;
    let ours = matches!(kind, "msg" | "fc") && !run.is_empty() && at.bytes().all(|byte| byte.is_ascii_digit());
    ours.then_some(run)
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_references_run_is_in_its_id() {
        let reference = |id: &str| json!({ "type": "item_reference", "id": id });
        let input = ["msg_run_1_0", "fc_run_1_2", "rs_run_1_1", "msg_x", "msg__0", "msg_b_0", "other"].map(reference);
        let body = json!({ "input": input }).to_string();
        assert_eq!(references(body.as_bytes()), ["run_1", "b"]);
        assert!(references(br#"{"input":[{"type":"message","id":"msg_a_0"}]}"#).is_empty());
        assert!(references(b"item_reference").is_empty());
    }

    #[test]
    fn what_is_found_stands_in_the_references_place() {
        let item = json!({ "id": "msg_a_0", "type": "message", "role": "assistant", "content": [] });
        let body = json!({ "model": "m", "input": [
            { "type": "item_reference", "id": "msg_a_0" },
            { "type": "item_reference", "id": "msg_b_0" },
            { "role": "user", "content": "x" },
        ]});
        let response = json!({ "output": [item] }).to_string();
        let value: Value =
            serde_json::from_slice(&resolved(body.to_string().as_bytes(), &[response, "?".into()])).unwrap();
        assert_eq!(value["input"][0], item);
        assert_eq!(value["input"][1]["id"], "msg_b_0");
        assert_eq!(value["input"][2], body["input"][2]);
        assert_eq!(resolved(b"no json", &[]), b"no json");
    }
}
