//! The fingerprint of an input: SHA-256 of a canonical JSON text.
//!
//! Two inputs with the same fingerprint are the same request, so the text must not depend on key
//! order, on white space, or on how a number is spelt. The text's form has a version, which is hashed
//! with it: a change of form is a change of version.

use crate::digest;
use crate::input::{Answer, Word};
use crate::json::{Json, Object};
use serde_json::{Number, Value};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Hashed before the text. Raised with any change of the canonical form.
const FORM: &str = "lastword-fingerprint/1\n";

/// A value as it came, written in its canonical form.
pub(crate) struct Canon<'a>(pub(crate) &'a Value);

/// Some members of a value.
pub(crate) struct Picked<'a> {
    of: &'a Value,
    keys: &'static [&'static str],
}

/// The same members of each.
pub(crate) fn picks<'a>(items: impl Iterator<Item = &'a Value>, keys: &'static [&'static str]) -> Vec<Picked<'a>> {
    items.map(|of| Picked { of, keys }).collect()
}

/// Writes the members that are there; null counts as left out.
pub(crate) fn pick(value: &Value, keys: &[&str], object: &mut Object<'_>) {
    for key in keys {
        object.field(key, &value.get(key).filter(|member| !member.is_null()).map(Canon));
    }
}

/// The items of a list; none if there is no such list.
pub(crate) fn items<'a>(body: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
    body.get(key).and_then(Value::as_array).into_iter().flatten()
}

/// The fingerprint of a canonical text, as 64 hex digits.
pub(crate) fn of(text: &str) -> String {
    digest::hex(&[FORM, text])
}

impl Json for Canon<'_> {
    fn write(&self, out: &mut String) {
        match self.0 {
            Value::Number(number) => write_number(number, out),
            Value::Array(items) => {
                let items: Vec<_> = items.iter().map(Canon).collect();
                items.write(out);
            }
            Value::Object(map) => {
                // Sorted here, whatever order the map of the JSON library keeps.
                let mut keys: BinaryHeap<_> = map.keys().map(Reverse).collect();
                let mut object = Object::begin(out);
                while let Some(Reverse(key)) = keys.pop() {
                    object.field(key, &map.get(key).map(Canon));
                }
                object.end();
            }
            plain => plain.write(out),
        }
    }
}

impl Json for Picked<'_> {
    fn write(&self, out: &mut String) {
        let mut object = Object::begin(out);
        pick(self.of, self.keys, &mut object);
        object.end();
    }
}

/// An answer to an approval.
impl Json for Answer {
    fn write(&self, out: &mut String) {
        let mut object = Object::begin(out);
        object.field("interrupt", &self.interrupt);
        match &self.word {
            Word::Resolved(payload) => object.field("payload", &payload.as_ref().map(Canon)),
            Word::Cancelled => object.field("cancelled", &true),
        };
        object.end();
    }
}

/// The bounds within which every integer is a double and back.
const WHOLE: f64 = 9_007_199_254_740_992.0;

/// Integers as decimal digits, also where they were spelt `1.0` or `1e0`; anything else as the
/// shortest digits that give the same double back.
fn write_number(number: &Number, out: &mut String) {
    match number.as_f64() {
        Some(value) if number.is_f64() && value.fract() == 0.0 && value.abs() < WHOLE => {
            Value::from(value as i64).write(out);
        }
        _ => Value::from(number.clone()).write(out),
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use crate::json;
    use serde_json::json;

    fn text(value: &Value) -> String {
        json::text(&Canon(value))
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
        assert_eq!(parsed("0.1"), "0.1");
        assert_eq!(parsed("1e-1"), "0.1");
        assert_eq!(parsed("18446744073709551615"), "18446744073709551615");
        assert_eq!(parsed("1e300"), parsed("10E299"));
    }

    #[test]
    fn texts_are_escaped_where_json_demands_it_and_nowhere_else() {
        let value = json!("a\"b\\c\n\u{0}/\u{7f}🦀");
        assert_eq!(text(&value), "\"a\\\"b\\\\c\\n\\u0000/\u{7f}🦀\"");
        assert_eq!(serde_json::from_str::<Value>(&text(&value)).unwrap(), value);
    }

    #[test]
    fn the_form_is_what_it_was() {
        // A stored fingerprint must stay what it is: if this fails, raise the form's version.
        let value = json!({"messages": [{"role": "user", "content": "hi"}], "model": "m"});
        assert_eq!(of(&text(&value)), "dea613cd81d09292c1ab7402e509e15b7b33ea6189d4bab043be5f646beff65d");
    }
}
