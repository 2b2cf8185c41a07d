//! JSON Patch (RFC 6902), as changes of state and activities are written.

use crate::json::{Json, Object};
use crate::{Error, ErrorKind};
use serde_json::Value;

/// A place in a JSON document (RFC 6901). A client fails on a path that is none.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Pointer(String);

impl Pointer {
    /// The place that these keys and positions lead to, from the document's root. None is the root.
    pub fn to<'k>(keys: impl IntoIterator<Item = &'k str>) -> Self {
        let escaped = keys.into_iter().map(|key| key.replace('~', "~0").replace('/', "~1"));
        Pointer(escaped.fold(String::new(), |path, key| path + "/" + &key))
    }

    /// Reads a pointer.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidInput`] if the text does not begin with `/`, or has a `~` without `0` or `1`
    /// behind it.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let escapes = text.split('~').skip(1).all(|rest| rest.starts_with(['0', '1']));
        if escapes && (text.is_empty() || text.starts_with('/')) {
            Ok(Pointer(text.to_owned()))
        } else {
            Err(Error::new(ErrorKind::InvalidInput))
        }
    }

    /// Its text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// One change.
#[derive(Clone, Debug, PartialEq)]
pub enum Operation<'a> {
    /// Sets a key, or inserts at a position; `-` is the end of a list.
    Add {
        /// Where.
        path: &'a Pointer,
        /// Any JSON.
        value: &'a Value,
    },
    /// Takes a value away.
    Remove {
        /// Where.
        path: &'a Pointer,
    },
    /// Sets what is there already.
    Replace {
        /// Where.
        path: &'a Pointer,
        /// Any JSON.
        value: &'a Value,
    },
    /// Takes a value to another place.
    Move {
        /// Whence.
        from: &'a Pointer,
        /// Where to.
        path: &'a Pointer,
    },
    /// Adds a value of one place at another.
    Copy {
        /// Whence.
        from: &'a Pointer,
        /// Where to.
        path: &'a Pointer,
    },
    /// Applies the whole patch only if this is there.
    Test {
        /// Where.
        path: &'a Pointer,
        /// Any JSON.
        value: &'a Value,
    },
}

impl Json for Pointer {
    fn write(&self, out: &mut String) {
        self.0.write(out);
    }
}

impl Json for Operation<'_> {
    fn write(&self, out: &mut String) {
        let (name, from, path, value) = match *self {
            Operation::Add { path, value } => ("add", None, path, Some(value)),
            Operation::Remove { path } => ("remove", None, path, None),
            Operation::Replace { path, value } => ("replace", None, path, Some(value)),
            Operation::Move { from, path } => ("move", Some(from), path, None),
            Operation::Copy { from, path } => ("copy", Some(from), path, None),
            Operation::Test { path, value } => ("test", None, path, Some(value)),
        };
        let from = from.map(Pointer::as_str);
        let mut operation = Object::begin(out);
        operation.fields(&[("op", &name), ("from", &from), ("path", path), ("value", &value)]).end();
    }
}
