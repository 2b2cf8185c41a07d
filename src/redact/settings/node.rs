//! A place in the JSON of settings: what stands there, and how it is named where it is wrong.

use crate::error::{Error, ErrorKind};
use crate::redact::rules::rules;
use serde_json::{Map, Value};

/// The longest name that an error repeats, in bytes.
const SHOWN: usize = 48;

/// A value and the way to it.
#[derive(Clone, Copy)]
pub(super) struct Node<'a> {
    value: &'a Value,
    from: Option<&'a Node<'a>>,
    step: Step<'a>,
}

#[derive(Clone, Copy)]
enum Step<'a> {
    Root,
    Field(&'a str),
    Item(usize),
}

impl<'a> Node<'a> {
    /// The whole.
    pub(super) fn root(value: &'a Value) -> Self {
        Node { value, from: None, step: Step::Root }
    }

    /// What stands under a name of this one.
    pub(super) fn field(&'a self, name: &'a str, value: &'a Value) -> Node<'a> {
        Node { value, from: Some(self), step: Step::Field(name) }
    }

    /// An error that says what this place must be or is. What stands there is never in it.
    pub(super) fn wrong(&self, what: &str) -> Error {
        let mut detail = String::new();
        self.path(&mut detail);
        if detail.is_empty() {
            detail.push_str("The whole");
        }
        detail.push(' ');
        detail.push_str(what);
        detail.push('.');
        Error::with(ErrorKind::InvalidFilter, detail)
    }

    pub(super) fn is_null(&self) -> bool {
        self.value.is_null()
    }

    pub(super) fn object(&self) -> Option<&'a Map<String, Value>> {
        self.value.as_object()
    }

    pub(super) fn text(&self) -> Option<&'a str> {
        self.value.as_str()
    }

    pub(super) fn flag(&self) -> Result<bool, Error> {
        self.value.as_bool().ok_or_else(|| self.wrong("must be true or false"))
    }

    /// A text that is not empty.
    pub(super) fn word(&self) -> Result<&'a str, Error> {
        self.text().filter(|text| !text.is_empty()).ok_or_else(|| self.wrong("must be a text that is not empty"))
    }

    /// A whole number from `least` to `most`.
    pub(super) fn number(&self, least: usize, most: usize) -> Result<usize, Error> {
        let number = self.value.as_u64().and_then(|number| usize::try_from(number).ok());
        let number = number.filter(|number| (least..=most).contains(number));
        number.ok_or_else(|| {
            let mut what = String::from("must be a whole number from ");
            decimal(least, &mut what);
            what.push_str(" to ");
            decimal(most, &mut what);
            self.wrong(&what)
        })
    }

    /// The items of a list.
    pub(super) fn items(&'a self) -> Result<Vec<Node<'a>>, Error> {
        let items = self.value.as_array().ok_or_else(|| self.wrong("must be a list"))?;
        let mut nodes = Vec::with_capacity(items.len());
        for (at, value) in items.iter().enumerate() {
            nodes.push(Node { value, from: Some(self), step: Step::Item(at) });
        }
        Ok(nodes)
    }

    /// A list of texts.
    pub(super) fn words(&self) -> Result<Vec<String>, Error> {
        let mut words = Vec::new();
        for item in self.items()? {
            words.push(item.word()?.to_owned());
        }
        Ok(words)
    }

    /// The fields of an object, each under its name of several words in snake case. Null is as good as none.
    ///
    /// # Errors
    /// For what is no object, has a field twice, or one that `known` does not have.
    pub(super) fn fields(&'a self, known: &'static [&'static str]) -> Result<Vec<(&'static str, Node<'a>)>, Error> {
        let object = self.object().ok_or_else(|| self.wrong("must be an object"))?;
        let mut fields: Vec<(&str, Node<'a>)> = Vec::new();
        for (name, value) in object {
            let (node, name) = (self.field(name, value), snake(name));
            let Some(name) = known.iter().find(|known| **known == name) else {
                // A slip is shown; what is no name may be a value in the wrong place.
                let slip = known.iter().any(|known| is_near(known, &name));
                let node = if slip { node } else { self.field("", value) };
                return Err(node.wrong("is not known"));
            };
            if fields.iter().any(|(other, _)| other == name) {
                return Err(node.wrong("is given twice"));
            }
            if !node.is_null() {
                fields.push((name, node));
            }
        }
        Ok(fields)
    }

    fn path(&self, out: &mut String) {
        if let Some(from) = self.from {
            from.path(out);
        }
        match self.step {
            Step::Root => {}
            Step::Item(at) => {
                out.push('[');
                decimal(at, out);
                out.push(']');
            }
            Step::Field(name) => {
                if !out.is_empty() {
                    out.push('.');
                }
                // A field's name is nobody's secret, unless somebody has put one there by mistake.
                let plain =
                    name.len() <= SHOWN && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-*".contains(&b));
                out.push_str(if plain && !name.is_empty() { name } else { "?" });
            }
        }
    }
}

/// True for what can be told of a name that is no rule's and no group's: it is a slip in one of theirs. Anything else may
/// be a value in the wrong place.
pub(in crate::redact) fn is_slip(name: &str) -> bool {
    let others = ["all", "values", "patterns", "value", "blocklist", "default"];
    let mut known = rules().iter().flat_map(|rule| [rule.name].into_iter().chain(rule.groups.iter().copied()));
    known.any(|known| is_near(known, name)) || others.iter().any(|known| is_near(known, name))
}

/// True if the two differ by at most two letters that stand together.
fn is_near(one: &str, other: &str) -> bool {
    let same = |(one, other): &(u8, u8)| one == other;
    let before = one.bytes().zip(other.bytes()).take_while(same).count();
    let behind = one.bytes().rev().zip(other.bytes().rev()).take_while(same).count();
    before + behind + 2 >= one.len().max(other.len())
}

/// A name in snake case: `maxHold` is `max_hold`.
pub(super) fn snake(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 2);
    for (at, character) in name.chars().enumerate() {
        if character.is_ascii_uppercase() && at > 0 {
            out.push('_');
        }
        out.push(character.to_ascii_lowercase());
    }
    out
}

pub(super) fn decimal(number: usize, out: &mut String) {
    crate::json::Json::write(&(number as u64), out);
}
