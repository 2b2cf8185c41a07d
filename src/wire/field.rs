//! A value of the body with the way to it, so that an error can name the field.

use crate::{Error, ErrorKind};
use serde_json::{Map, Number, Value};
use std::fmt;

/// A value inside the body. `'v` is the body's life, `'n` that of the way to it.
#[derive(Clone, Copy)]
pub(crate) struct Field<'n, 'v> {
    value: &'v Value,
    up: Option<&'n Field<'n, 'v>>,
    step: Step,
}

#[derive(Clone, Copy)]
enum Step {
    Body,
    Key(&'static str),
    Index(usize),
}

impl<'n, 'v> Field<'n, 'v> {
    /// The body itself.
    pub(crate) fn body(value: &'v Value) -> Self {
        Field { value, up: None, step: Step::Body }
    }

    /// The value as it came.
    pub(crate) fn value(&self) -> &'v Value {
        self.value
    }

    /// The error that this field must be otherwise.
    pub(crate) fn must(&self, demand: impl fmt::Display) -> Error {
        Error::with(ErrorKind::InvalidInput, format!("{self} must {demand}."))
    }

    /// A member that must be there.
    pub(crate) fn required<'m>(&'m self, key: &'static str) -> Result<Field<'m, 'v>, Error> {
        self.member(key).ok_or_else(|| {
            let missing = Field { value: self.value, up: Some(self), step: Step::Key(key) };
            Error::with(ErrorKind::InvalidInput, format!("{missing} is required."))
        })
    }

    /// A member that may be left out. Null is accepted as left out.
    pub(crate) fn optional<'m>(&'m self, key: &'static str) -> Option<Field<'m, 'v>> {
        self.member(key).filter(|member| !member.value.is_null())
    }

    fn member<'m>(&'m self, key: &'static str) -> Option<Field<'m, 'v>> {
        let value = self.value.get(key)?;
        Some(Field { value, up: Some(self), step: Step::Key(key) })
    }

    /// The field as an object.
    pub(crate) fn object(&self) -> Result<&'v Map<String, Value>, Error> {
        self.value.as_object().ok_or_else(|| self.must("be an object"))
    }

    /// The field as a string.
    pub(crate) fn string(&self) -> Result<&'v str, Error> {
        self.value.as_str().ok_or_else(|| self.must("be a string"))
    }

    /// A member that must be there and be a string.
    pub(crate) fn text(&self, key: &'static str) -> Result<String, Error> {
        self.required(key)?.string().map(str::to_owned)
    }

    /// The field as an integer above 0.
    pub(crate) fn count(&self) -> Result<u64, Error> {
        self.value.as_u64().filter(|count| *count > 0).ok_or_else(|| self.must("be an integer above 0"))
    }

    /// A member that is true or false, where it is there.
    pub(crate) fn flag(&self, key: &'static str) -> Result<Option<bool>, Error> {
        let read = |member: Field<'_, '_>| member.value.as_bool().ok_or_else(|| member.must("be a boolean"));
        self.optional(key).map(read).transpose()
    }

    /// A member that is a number, where it is there.
    pub(crate) fn number(&self, key: &'static str) -> Result<Option<Number>, Error> {
        let read = |member: Field<'_, '_>| member.value.as_number().cloned().ok_or_else(|| member.must("be a number"));
        self.optional(key).map(read).transpose()
    }

    /// The field as a string of at most `max` bytes.
    pub(crate) fn id(&self, max: usize) -> Result<&'v str, Error> {
        let id = self.string()?;
        if id.len() > max {
            return Err(self.must(format_args!("be at most {max} bytes long")));
        }
        Ok(id)
    }

    /// The field as a string of 1 to `max` bytes.
    pub(crate) fn name(&self, max: usize) -> Result<&'v str, Error> {
        let name = self.id(max)?;
        if name.is_empty() { Err(self.must("not be empty")) } else { Ok(name) }
    }

    /// The field as an array of at most `max` items.
    pub(crate) fn items<'m>(&'m self, max: usize) -> Result<impl Iterator<Item = Field<'m, 'v>>, Error> {
        let items = self.value.as_array().ok_or_else(|| self.must("be an array"))?;
        if items.len() > max {
            return Err(self.must(format_args!("hold at most {max} items")));
        }
        let item = move |(index, value)| Field { value, up: Some(self), step: Step::Index(index) };
        Ok(items.iter().enumerate().map(item))
    }

    /// The field as an array of at most `max` items, each read by `read`.
    pub(crate) fn list<T>(
        &self,
        max: usize,
        read: impl Fn(&Field<'_, 'v>) -> Result<T, Error>,
    ) -> Result<Vec<T>, Error> {
        let mut list = Vec::new();
        for item in self.items(max)? {
            list.push(read(&item)?);
        }
        Ok(list)
    }

    /// Checks that `metadata` is an object, where it is there.
    pub(crate) fn metadata(&self) -> Result<(), Error> {
        self.optional("metadata").map_or(Ok(()), |metadata| metadata.object().map(drop))
    }

    /// Checks that members which are not used are strings, where they are there.
    pub(crate) fn strings(&self, keys: &[&'static str]) -> Result<(), Error> {
        keys.iter().filter_map(|key| self.optional(key)).try_for_each(|member| member.string().map(drop))
    }
}

impl fmt::Display for Field<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let inside = self.up.filter(|up| !matches!(up.step, Step::Body));
        if let Some(up) = inside {
            write!(f, "{up}")?;
        }
        match self.step {
            Step::Body => f.write_str("the body"),
            Step::Key(key) if inside.is_some() => write!(f, ".{key}"),
            Step::Key(key) => f.write_str(key),
            Step::Index(index) => write!(f, "[{index}]"),
        }
    }
}
