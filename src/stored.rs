//! The stored form of values: read from parsed JSON, where a field that is missing reads as null, and
//! written by [`crate::json`].
//!
//! Deliberately less than a deserializer: every type is read from one parsed form, so that the
//! module stays small. A stored value is ours, so it is read or it is not; there is no detail to tell.

use crate::error::{Error, ErrorKind};
use serde_json::{Map, Value};

/// A type that can be read from its stored form.
pub(crate) trait Stored: Sized {
    /// None if the value is of another form.
    fn read(value: &Value) -> Option<Self>;
}

/// Parses and reads.
pub(crate) fn decode<T: Stored>(bytes: &[u8]) -> Option<T> {
    T::read(&parse(bytes)?)
}

/// Parses a value that says its version in `v`, of which this code knows those up to `newest`. The version is
/// asked first: nothing else of a newer value is looked at.
///
/// # Errors
/// [`ErrorKind::RecordTooNew`], or [`ErrorKind::RecordUnreadable`] for what is no such value.
pub(crate) fn versioned(bytes: &[u8], newest: u32) -> Result<(u32, Value), Error> {
    let unreadable = || Error::new(ErrorKind::RecordUnreadable);
    let value = parse(bytes).ok_or_else(unreadable)?;
    let version = value.as_object().and_then(|fields| field(fields, "v")).ok_or_else(unreadable)?;
    if version > newest { Err(ErrorKind::RecordTooNew.into()) } else { Ok((version, value)) }
}

/// Reads a value of which all versions so far have one form.
///
/// # Errors
/// As of [`versioned`].
pub(crate) fn decode_versioned<T: Stored>(bytes: &[u8], newest: u32) -> Result<T, Error> {
    let (_, value) = versioned(bytes, newest)?;
    T::read(&value).ok_or_else(|| ErrorKind::RecordUnreadable.into())
}

/// Parses JSON text. The one place where stored bytes become values.
pub(crate) fn parse(bytes: &[u8]) -> Option<Value> {
    serde_json::from_slice(bytes).ok()
}

/// Reads one field of an object.
pub(crate) fn field<T: Stored>(fields: &Map<String, Value>, name: &str) -> Option<T> {
    T::read(fields.get(name).unwrap_or(&Value::Null))
}

impl Stored for String {
    fn read(value: &Value) -> Option<Self> {
        value.as_str().map(str::to_owned)
    }
}

impl Stored for usize {
    fn read(value: &Value) -> Option<Self> {
        value.as_u64()?.try_into().ok()
    }
}

impl Stored for u64 {
    fn read(value: &Value) -> Option<Self> {
        value.as_u64()
    }
}

impl Stored for u32 {
    fn read(value: &Value) -> Option<Self> {
        value.as_u64().and_then(|number| number.try_into().ok())
    }
}

/// Absent means off.
impl Stored for bool {
    fn read(value: &Value) -> Option<Self> {
        if value.is_null() { Some(false) } else { value.as_bool() }
    }
}

impl Stored for Value {
    fn read(value: &Value) -> Option<Self> {
        Some(value.clone())
    }
}

impl<T: Stored> Stored for Option<T> {
    fn read(value: &Value) -> Option<Self> {
        if value.is_null() { Some(None) } else { T::read(value).map(Some) }
    }
}

/// Absent means empty.
impl<T: Stored> Stored for Vec<T> {
    fn read(value: &Value) -> Option<Self> {
        match value {
            Value::Null => Some(Vec::new()),
            Value::Array(items) => {
                let mut read = Vec::with_capacity(items.len());
                for item in items {
                    read.push(T::read(item)?);
                }
                Some(read)
            }
            _ => None,
        }
    }
}

/// Implements [`Stored`] for a struct whose fields stand under their own names.
macro_rules! readable {
    ($name:ident { $($field:ident),* $(,)? }) => {
        impl $crate::stored::Stored for $name {
            fn read(value: &serde_json::Value) -> Option<Self> {
                let fields = value.as_object()?;
                Some($name { $($field: $crate::stored::field(fields, stringify!($field))?,)* })
            }
        }
    };
}

/// Implements [`Stored`] and [`Json`](crate::json::Json) for a struct whose fields are stored under
/// their own names.
macro_rules! stored {
    ($name:ident { $($field:ident),* $(,)? }) => {
        $crate::stored::readable!($name { $($field),* });

        impl $crate::json::Json for $name {
            fn write(&self, out: &mut String) {
                let mut object = $crate::json::Object::begin(out);
                object.fields(&[$((stringify!($field), &self.$field)),*]).end();
            }
        }
    };
}

/// Implements [`Stored`] and [`Json`](crate::json::Json) for an enum without data, each variant
/// under a name of its own.
macro_rules! stored_names {
    ($name:ident { $($variant:ident = $text:literal),* $(,)? }) => {
        impl $crate::stored::Stored for $name {
            fn read(value: &serde_json::Value) -> Option<Self> {
                $name::named(value.as_str()?)
            }
        }

        impl $crate::json::Json for $name {
            fn write(&self, out: &mut String) {
                self.name().write(out);
            }
        }

        impl $name {
            /// All names, in the order of the variants.
            #[allow(dead_code)]
            pub const NAMES: &'static [&'static str] = &[$($text,)*];

            /// The one of that name.
            #[allow(dead_code)]
            pub fn named(name: &str) -> Option<Self> {
                match name {
                    $($text => Some($name::$variant),)*
                    _ => None,
                }
            }

            /// The name under which it is stored.
            pub fn name(self) -> &'static str {
                match self {
                    $($name::$variant => $text,)*
                }
            }
        }
    };
}

pub(crate) use {readable, stored, stored_names};

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use serde_json::json;

    #[derive(Debug, PartialEq)]
    struct Sample {
        text: String,
        number: u32,
        maybe: Option<u64>,
        list: Vec<bool>,
    }
    stored!(Sample { text, number, maybe, list });

    #[test]
    fn what_is_written_is_read_again() {
        for maybe in [None, Some(3)] {
            let sample = Sample { text: "a\"b".into(), number: 7, maybe, list: vec![true] };
            assert_eq!(decode::<Sample>(crate::json::text(&sample).as_bytes()), Some(sample));
        }
    }

    #[test]
    fn reads_what_is_there_and_nothing_of_another_form() {
        let whole = json!({"text": "t", "number": 7, "maybe": 9, "list": [true, false], "newer": 1});
        let sample = Sample { text: "t".into(), number: 7, maybe: Some(9), list: vec![true, false] };
        assert_eq!(Sample::read(&whole), Some(sample));
        let least = Sample { text: "t".into(), number: 7, maybe: None, list: vec![] };
        assert_eq!(decode::<Sample>(br#"{"text":"t","number":7}"#), Some(least));
        for other in [
            json!({"number": 7}),
            json!({"text": "t", "number": -1}),
            json!({"text": "t", "number": 7, "list": 1}),
            json!([]),
        ] {
            assert_eq!(Sample::read(&other), None, "{other}");
        }
        assert_eq!(decode::<Sample>(b"{"), None);
    }
}
