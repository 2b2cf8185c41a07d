//! The fingerprint of an input: SHA-256 of a canonical JSON text.
//!
//! Two inputs with the same fingerprint are the same request, so the text must not depend on key
//! order, on white space, on how a number is spelt, or on how the JSON library is configured. That is
//! why the writer is our own. The text's form has a version, which is hashed with it: a change of form
//! is a change of version.

use serde_json::{Number, Value};
use sha2::{Digest, Sha256};
use std::fmt::{self, Write};

/// Hashed before the text. Raised with any change of the canonical form.
const FORM: &str = "lastword-fingerprint/1\n";

/// A JSON value that is put together from borrowed pieces.
pub(crate) enum Canon<'a> {
    /// A string.
    Text(&'a str),
    /// Any value as it came.
    Json(&'a Value),
    /// An array.
    List(Vec<Canon<'a>>),
    /// An object, in any order; no key stands twice.
    Map(Vec<(&'a str, Canon<'a>)>),
}

/// The fingerprint of a value, as 64 hex digits.
pub(crate) fn of(value: &Canon<'_>) -> String {
    let mut hash = Hash(Sha256::new_with_prefix(FORM));
    // Hashing never fails.
    let _ = value.write(&mut hash);
    let mut hex = String::with_capacity(64);
    for byte in hash.0.finalize() {
        let _ = write!(hex, "{byte:02x}");
    }
    hex
}

struct Hash(Sha256);

impl Write for Hash {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.update(text);
        Ok(())
    }
}

impl Canon<'_> {
    fn write(&self, out: &mut dyn Write) -> fmt::Result {
        match self {
            Canon::Text(text) => write_text(text, out),
            Canon::Json(value) => write_value(value, out),
            Canon::List(items) => write_all(items.iter(), '[', ']', out, |item, out| item.write(out)),
            Canon::Map(map) => {
                let mut order: Vec<usize> = (0..map.len()).collect();
                order.sort_unstable_by_key(|at| map.get(*at).map(|(key, _)| *key));
                let members = order.into_iter().filter_map(|at| map.get(at));
                write_all(members, '{', '}', out, |(key, value), out| {
                    write_text(key, out)?;
                    out.write_char(':')?;
                    value.write(out)
                })
            }
        }
    }
}

fn write_value(value: &Value, out: &mut dyn Write) -> fmt::Result {
    match value {
        Value::Null => out.write_str("null"),
        Value::Bool(value) => write!(out, "{value}"),
        Value::Number(number) => write_number(number, out),
        Value::String(text) => write_text(text, out),
        Value::Array(items) => write_all(items.iter(), '[', ']', out, write_value),
        Value::Object(map) => {
            // Sorted here, whatever order the map of the JSON library keeps.
            let pairs: Vec<(&String, &Value)> = map.iter().collect();
            let mut order: Vec<usize> = (0..pairs.len()).collect();
            order.sort_unstable_by_key(|at| pairs.get(*at).map(|(key, _)| key.as_str()));
            let members = order.into_iter().filter_map(|at| pairs.get(at));
            write_all(members, '{', '}', out, |(key, value), out| {
                write_text(key, out)?;
                out.write_char(':')?;
                write_value(value, out)
            })
        }
    }
}

fn write_all<T>(
    items: impl Iterator<Item = T>,
    open: char,
    close: char,
    out: &mut dyn Write,
    write: impl Fn(T, &mut dyn Write) -> fmt::Result,
) -> fmt::Result {
    out.write_char(open)?;
    for (index, item) in items.enumerate() {
        if index > 0 {
            out.write_char(',')?;
        }
        write(item, out)?;
    }
    out.write_char(close)
}

/// The bounds within which every integer is a double and back.
const WHOLE: f64 = 9_007_199_254_740_992.0;

/// Integers as decimal digits, also where they were spelt `1.0` or `1e0`; anything else as the
/// shortest digits that give the same double back.
fn write_number(number: &Number, out: &mut dyn Write) -> fmt::Result {
    if let Some(value) = number.as_i64() {
        return write!(out, "{value}");
    }
    if let Some(value) = number.as_u64() {
        return write!(out, "{value}");
    }
    match number.as_f64() {
        Some(value) if value.fract() == 0.0 && value.abs() < WHOLE => {
            write!(out, "{}", value as i64)
        }
        Some(value) => write!(out, "{value:e}"),
        None => write!(out, "{number}"),
    }
}

fn write_text(text: &str, out: &mut dyn Write) -> fmt::Result {
    out.write_char('"')?;
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| c == '"' || c == '\\' || c < ' ') {
        let (plain, special) = rest.split_at(at);
        out.write_str(plain)?;
        let mut characters = special.chars();
        match characters.next() {
            Some(c @ ('"' | '\\')) => write!(out, "\\{c}")?,
            Some(c) => write!(out, "\\u{:04x}", u32::from(c))?,
            None => {}
        }
        rest = characters.as_str();
    }
    out.write_str(rest)?;
    out.write_char('"')
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn text(value: &Value) -> String {
        let mut out = String::new();
        Canon::Json(value).write(&mut out).unwrap();
        out
    }

    fn parsed(json: &str) -> String {
        text(&serde_json::from_str(json).unwrap())
    }

    #[test]
    fn keys_are_sorted_and_nothing_stands_between() {
        assert_eq!(
            parsed(r#" { "b" : [ 1 , null ] , "a" : { "y" : true , "x" : "é" } } "#),
            r#"{"a":{"x":"é","y":true},"b":[1,null]}"#
        );
    }

    #[test]
    fn a_number_has_one_form_however_it_was_spelt() {
        for spelling in ["100", "100.0", "1e2", "1.0E+2"] {
            assert_eq!(parsed(spelling), "100");
        }
        assert_eq!(parsed("-0.0"), "0");
        assert_eq!(parsed("0.1"), "1e-1");
        assert_eq!(parsed("18446744073709551615"), "18446744073709551615");
        assert_eq!(parsed("1e300"), "1e300");
    }

    #[test]
    fn texts_are_escaped_where_json_demands_it_and_nowhere_else() {
        let value = json!("a\"b\\c\n\u{0}/\u{7f}🦀");
        assert_eq!(text(&value), "\"a\\\"b\\\\c\\u000a\\u0000/\u{7f}🦀\"");
        assert_eq!(serde_json::from_str::<Value>(&text(&value)).unwrap(), value);
    }

    #[test]
    fn borrowed_pieces_write_as_the_value_they_make() {
        let inner = json!({"z": 1});
        let map = vec![("b", Canon::List(vec![Canon::Text("t"), Canon::Json(&inner)])), ("a", Canon::Text("u"))];
        let mut out = String::new();
        Canon::Map(map).write(&mut out).unwrap();
        assert_eq!(out, r#"{"a":"u","b":["t",{"z":1}]}"#);
    }

    #[test]
    fn the_form_is_what_it_was() {
        // A stored fingerprint must stay what it is: if this fails, raise the form's version.
        let value = json!({"messages": [{"role": "user", "content": "hi"}], "model": "m"});
        assert_eq!(of(&Canon::Json(&value)), "dea613cd81d09292c1ab7402e509e15b7b33ea6189d4bab043be5f646beff65d");
    }
}
