//! JSON Patch (RFC 6902), applied to a state within bounds.

use crate::json;
use crate::json::read::mended;
use crate::signal::Fault;
use serde_json::{Map, Value};

/// The most operations of one patch.
const MAX_OPERATIONS: usize = 1024;

/// The value with all operations applied, or none if one does not fit it: a patch applies whole or not at all.
///
/// # Errors
/// [`Fault::Malformed`] past a bound: the value may grow to `max` bytes of JSON.
pub(super) fn patched(value: &Value, operations: &[Value], max: usize) -> Result<Option<Value>, Fault> {
    if operations.len() > MAX_OPERATIONS {
        return Err(Fault::Malformed);
    }
    let mut patched = value.clone();
    let mut size = json::text(value).len();
    for operation in operations {
        let Some(grown) = operation.as_object().and_then(|operation| apply(&mut patched, operation)) else {
            return Ok(None);
        };
        size += grown;
        if size > max {
            return Err(Fault::Malformed);
        }
    }
    Ok(Some(patched))
}

/// Applies one operation; gives by how many bytes at most the value has grown. None if it does not fit.
fn apply(value: &mut Value, operation: &Map<String, Value>) -> Option<usize> {
    let text = |name: &str| operation.get(name).and_then(Value::as_str);
    let path = text("path")?;
    let given = || operation.get("value").cloned().map(mended);
    match text("op")? {
        "add" => add(value, path, given()?),
        "replace" => {
            let (given, place) = (given()?, value.pointer_mut(path)?);
            let grown = json::text(&given).len();
            *place = given;
            Some(grown)
        }
        "remove" => remove(value, path).map(|_| 0),
        "move" => {
            let from = text("from")?;
            let into_itself = path.strip_prefix(from).is_some_and(|rest| rest.starts_with('/'));
            let moved = if into_itself { None } else { remove(value, from) };
            // Its bytes were counted where it was.
            add(value, path, moved?).map(|_| 0)
        }
        "copy" => {
            let copied = value.pointer(text("from")?)?.clone();
            add(value, path, copied)
        }
        "test" => (value.pointer(path)? == &given()?).then_some(0),
        _ => None,
    }
}

fn add(value: &mut Value, path: &str, given: Value) -> Option<usize> {
    let grown = json::text(&given).len() + path.len() + 8;
    let Some((parent, key)) = path.rsplit_once('/') else {
        *value = path.is_empty().then_some(given)?;
        return Some(grown);
    };
    match value.pointer_mut(parent)? {
        Value::Object(members) => _ = members.insert(unescaped(key), given),
        Value::Array(items) if key == "-" => items.push(given),
        Value::Array(items) => {
            let at = index(key).filter(|at| *at <= items.len())?;
            items.insert(at, given);
        }
        _ => return None,
    }
    Some(grown)
}

fn remove(value: &mut Value, path: &str) -> Option<Value> {
    let Some((parent, key)) = path.rsplit_once('/') else {
        return path.is_empty().then(|| value.take());
    };
    match value.pointer_mut(parent)? {
        Value::Object(members) => members.remove(&unescaped(key)),
        Value::Array(items) => {
            let at = index(key).filter(|at| *at < items.len())?;
            Some(items.remove(at))
        }
        _ => None,
    }
}

/// An array's index as RFC 6901 writes it: digits, and no zero in front.
fn index(key: &str) -> Option<usize> {
    let plain = key == "0" || (!key.starts_with('0') && key.bytes().all(|byte| byte.is_ascii_digit()));
    key.parse().ok().filter(|_| plain)
}

fn unescaped(key: &str) -> String {
    key.replace("~1", "/").replace("~0", "~")
}
