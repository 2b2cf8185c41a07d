//! Fields of the body's own types, and what of them is kept for the Response.

use crate::Error;
use crate::wire::field::Field;
use serde_json::{Map, Value};

/// A member that is true or false, where it is there.
pub(super) fn flag(of: &Field<'_, '_>, key: &'static str) -> Result<Option<bool>, Error> {
    let Some(field) = of.optional(key) else { return Ok(None) };
    field.value().as_bool().map(Some).ok_or_else(|| field.must("be true or false"))
}

/// A member that is a whole number from 1, where it is there.
pub(super) fn whole(of: &Field<'_, '_>, key: &'static str) -> Result<Option<u64>, Error> {
    let Some(field) = of.optional(key) else { return Ok(None) };
    let number = field.value().as_u64().filter(|number| *number > 0);
    number.map(Some).ok_or_else(|| field.must("be a whole number from 1"))
}

/// A member that is a string, where it is there.
pub(super) fn string<'v>(of: &Field<'_, 'v>, key: &'static str) -> Result<Option<&'v str>, Error> {
    of.optional(key).map(|field| field.string()).transpose()
}

/// Keeps what was said.
pub(super) fn kept<T: Into<Value>>(echo: &mut Map<String, Value>, key: &str, value: Option<T>) {
    if let Some(value) = value {
        echo.insert(key.to_owned(), value.into());
    }
}
