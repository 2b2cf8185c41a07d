//! Writes JSON text: the one way in which everything here is written.
//!
//! Fields stand in the order in which they are written, and an absent value has no key. Deliberately
//! less than a serializer: nothing is generic over what is written to, so that the module stays small.
//! Reading is `serde_json`'s, into [`Value`]; see [`crate::stored`], and [`read`] for what others wrote.

pub(crate) mod body;
pub(crate) mod read;

use crate::bytes;
use serde_json::{Map, Number, Value};
use std::fmt::Write;

/// The room that a text is begun with: most need no more.
const ROOM: usize = 120;

/// A value that can be written.
pub(crate) trait Json {
    /// Appends the value.
    fn write(&self, out: &mut String);

    /// True if an object has no key for it.
    fn is_absent(&self) -> bool {
        false
    }
}

/// What stands where a format wants a key and there is no value.
pub(crate) const NULL: &Value = &Value::Null;

/// JSON text that stands as it is.
pub(crate) struct Raw(pub(crate) String);

/// The value as JSON text.
pub(crate) fn text(value: &dyn Json) -> String {
    let mut out = String::with_capacity(ROOM);
    value.write(&mut out);
    out
}

/// True if JSON writes the text in at most `max` bytes, its quotes aside.
pub(crate) fn is_short(text: &str, max: usize) -> bool {
    cut(text, max).len() == text.len()
}

/// The beginning of a text that JSON writes in at most `max` bytes, its quotes aside.
pub(crate) fn cut(text: &str, max: usize) -> &str {
    let mut left = max;
    let fits = |character: &char| {
        let size = match character {
            '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' | '"' | '\\' => 2,
            character if is_escaped(*character) => 6,
            character => character.len_utf8(),
        };
        left.checked_sub(size).inspect(|rest| left = *rest).is_some()
    };
    let end = text.chars().take_while(fits).map(char::len_utf8).sum();
    text.get(..end).unwrap_or_default()
}

/// An object as JSON text; `fill` writes its fields.
pub(crate) fn object(fill: impl FnOnce(&mut Object<'_>)) -> String {
    let mut out = String::with_capacity(ROOM);
    fill(&mut Object::begin(&mut out));
    out.push('}');
    out
}

/// An object that is being written.
pub(crate) struct Object<'o> {
    out: &'o mut String,
    empty: bool,
}

impl<'o> Object<'o> {
    /// Begins an object; [`Object::end`] ends it.
    pub(crate) fn begin(out: &'o mut String) -> Self {
        out.push('{');
        Object { out, empty: true }
    }

    /// Writes a field, unless its value is absent.
    pub(crate) fn field(&mut self, name: &str, value: &dyn Json) -> &mut Self {
        if !value.is_absent() {
            self.key(name);
            value.write(self.out);
        }
        self
    }

    /// Writes fields, in this order.
    pub(crate) fn fields(&mut self, fields: &[(&str, &dyn Json)]) -> &mut Self {
        for (name, value) in fields {
            self.field(name, *value);
        }
        self
    }

    /// Writes a field that is an object of its own.
    pub(crate) fn object(&mut self, name: &str, fill: impl FnOnce(&mut Object<'_>)) -> &mut Self {
        self.key(name);
        let mut inner = Object::begin(self.out);
        fill(&mut inner);
        inner.end();
        self
    }

    /// Writes a field only if the flag is set.
    pub(crate) fn flag(&mut self, name: &str, set: bool) -> &mut Self {
        if set { self.field(name, &true) } else { self }
    }

    /// Writes a list only if something is in it.
    pub(crate) fn list<T: Json>(&mut self, name: &str, items: &[T]) -> &mut Self {
        if items.is_empty() { self } else { self.field(name, &items) }
    }

    /// Ends the object.
    pub(crate) fn end(&mut self) {
        self.out.push('}');
    }

    fn key(&mut self, name: &str) {
        if !std::mem::take(&mut self.empty) {
            self.out.push(',');
        }
        write_text(name, self.out);
        self.out.push(':');
    }
}

impl Json for &str {
    fn write(&self, out: &mut String) {
        write_text(self, out);
    }
}

impl Json for String {
    fn write(&self, out: &mut String) {
        write_text(self, out);
    }
}

impl Json for Raw {
    fn write(&self, out: &mut String) {
        out.push_str(&self.0);
    }
}

impl Json for bool {
    fn write(&self, out: &mut String) {
        out.push_str(if *self { "true" } else { "false" });
    }
}

impl Json for u64 {
    fn write(&self, out: &mut String) {
        match u32::try_from(*self) {
            Ok(small) => small.write(out),
            Err(_) => {
                (self / 10).write(out);
                ((self % 10) as u32).write(out);
            }
        }
    }
}

impl Json for u32 {
    fn write(&self, out: &mut String) {
        if *self > 9 {
            (self / 10).write(out);
        }
        out.push((b'0' + (self % 10) as u8) as char);
    }
}

impl Json for i64 {
    fn write(&self, out: &mut String) {
        let _ = write!(out, "{self}");
    }
}

impl Json for Number {
    fn write(&self, out: &mut String) {
        let _ = write!(out, "{self}");
    }
}

impl<T: Json> Json for Option<T> {
    fn write(&self, out: &mut String) {
        match self {
            Some(value) => value.write(out),
            None => out.push_str("null"),
        }
    }

    fn is_absent(&self) -> bool {
        self.as_ref().is_none_or(T::is_absent)
    }
}

impl<T: Json> Json for &[T] {
    fn write(&self, out: &mut String) {
        out.push('[');
        for (at, item) in self.iter().enumerate() {
            if at > 0 {
                out.push(',');
            }
            item.write(out);
        }
        out.push(']');
    }
}

impl<T: Json> Json for Vec<T> {
    fn write(&self, out: &mut String) {
        self.as_slice().write(out);
    }
}

impl Json for Value {
    fn write(&self, out: &mut String) {
        match self {
            Value::Null => out.push_str("null"),
            Value::Bool(value) => value.write(out),
            Value::Number(number) => number.write(out),
            Value::String(text) => write_text(text, out),
            Value::Array(items) => items.write(out),
            Value::Object(fields) => fields.write(out),
        }
    }
}

impl Json for &Value {
    fn write(&self, out: &mut String) {
        Value::write(self, out);
    }
}

impl Json for Map<String, Value> {
    fn write(&self, out: &mut String) {
        let mut object = Object::begin(out);
        for (name, value) in self {
            object.field(name, value);
        }
        object.end();
    }
}

impl Json for &Map<String, Value> {
    fn write(&self, out: &mut String) {
        Map::write(self, out);
    }
}

/// A string with its quotes. Escaped is what JSON forbids in it, and U+2028 and U+2029, at which some
/// clients of an event stream cut lines.
fn write_text(text: &str, out: &mut String) {
    out.reserve(text.len() + 2);
    out.push('"');
    write_body(text, out);
    out.push('"');
}

/// The same without the quotes.
pub(crate) fn write_body(text: &str, out: &mut String) {
    let (mut written, mut at) = (0, 0);
    while let Some(found) = text.as_bytes().get(at..).and_then(bytes::special) {
        at += found;
        let Some(character) = text.get(at..).and_then(|rest| rest.chars().next()) else { break };
        if is_escaped(character) {
            out.push_str(text.get(written..at).unwrap_or_default());
            write_escape(character, out);
            written = at + character.len_utf8();
        }
        at += character.len_utf8();
    }
    out.push_str(text.get(written..).unwrap_or_default());
}

fn write_escape(character: char, out: &mut String) {
    match character {
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        '\u{8}' => out.push_str("\\b"),
        '\u{c}' => out.push_str("\\f"),
        '"' | '\\' => out.extend(['\\', character]),
        other => {
            // Writing to a string never fails.
            let _ = write!(out, "\\u{:04x}", u32::from(other));
        }
    }
}

fn is_escaped(character: char) -> bool {
    matches!(character, '\0'..='\u{1f}' | '"' | '\\' | '\u{2028}' | '\u{2029}')
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn any_value_comes_back_as_it_was_written() {
        let every: String = (0..0x2100).filter_map(char::from_u32).chain("🦀\u{2028}".chars()).collect();
        let value =
            json!({"text": every, "list": [1, -1, 0.5, 1e300, u64::MAX, true, null, {}, []], "a\"b": {"c": "d"}});
        let plain = value.to_string();
        assert_eq!(text(&value), plain.replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029"));
        assert_eq!(serde_json::from_str::<Value>(&text(&value)).unwrap(), value);
    }

    #[test]
    fn a_text_is_cut_where_json_has_no_more_room_for_it() {
        let every: String = (0..0x100).chain(0x2020..0x2030).filter_map(char::from_u32).chain("🦀".chars()).collect();
        for from in 0..every.chars().count() {
            let all: String = every.chars().skip(from).collect();
            for max in 0..20 {
                let cut = cut(&all, max);
                let size = |text: &str| super::text(&text).len() - 2;
                assert!(all.starts_with(cut) && size(cut) <= max, "{cut:?} {max}");
                let next: String = all.chars().take(cut.chars().count() + 1).collect();
                assert!(next == cut || size(&next) > max, "{next:?} {max}");
                assert_eq!(is_short(&all, max), size(&all) <= max);
            }
        }
    }

    #[test]
    fn fields_stand_in_order_and_an_absent_one_has_no_key() {
        let none: Option<u64> = None;
        let written = object(|object| {
            object.field("z", &"t").field("none", &none).field("some", &Some(7_u64)).flag("off", false);
            object.flag("on", true).list::<String>("empty", &[]).list("list", &["a", "b"]);
            object.object("inner", |inner| {
                inner.field("nothing", &Vec::<u32>::new());
            });
        });
        assert_eq!(written, r#"{"z":"t","some":7,"on":true,"list":["a","b"],"inner":{"nothing":[]}}"#);
    }
}
