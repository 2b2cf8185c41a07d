//! Arguments of a call that come in pieces: values, each with the way to its place (`$.a.b[0]`).

use super::fields::{self, Object};
use crate::signal::Fault;
use serde_json::{Map, Value};

/// The most bytes of all pieces: 1 MiB.
const MAX_BYTES: usize = 1 << 20;

/// The most steps of a way.
const MAX_STEPS: usize = 64;

/// The highest index in a list.
const MAX_INDEX: usize = 1 << 16;

/// The arguments of one call so far.
#[derive(Debug)]
pub(super) struct Arguments {
    root: Value,
    /// The way to a text that the next piece may go on with.
    open: String,
    bytes: usize,
}

/// A step of a way.
#[derive(Debug, PartialEq)]
enum Step {
    Key(String),
    Index(usize),
}

impl Default for Arguments {
    fn default() -> Self {
        Arguments { root: Value::Object(Map::new()), open: String::new(), bytes: 0 }
    }
}

impl Arguments {
    /// Takes arguments that came as they are.
    pub(super) fn add(&mut self, arguments: &Object) {
        match &mut self.root {
            Value::Object(root) => root.extend(arguments.iter().map(|(name, value)| (name.clone(), value.clone()))),
            root => *root = Value::Object(arguments.clone()),
        }
    }

    /// Takes a piece. One without a value says nothing.
    ///
    /// # Errors
    /// [`Fault::Malformed`] for a way that leads nowhere, and past a bound.
    pub(super) fn piece(&mut self, piece: &Object) -> Result<(), Fault> {
        let path = fields::text(piece, "jsonPath").ok_or(Fault::Malformed)?;
        let Some(value) = value(piece) else { return Ok(()) };
        self.bytes += path.len() + value.as_str().map_or(8, str::len);
        let steps = steps(path).ok_or(Fault::Malformed)?;
        let goes_on = self.open == path;
        let slot = self.slot(steps)?;
        match (slot, value) {
            (Value::String(text), Value::String(more)) if goes_on => text.push_str(&more),
            (slot, value) => *slot = value,
        }
        self.open = if fields::flag(piece, "willContinue") { path.to_owned() } else { String::new() };
        Ok(())
    }

    /// All of them.
    pub(super) fn whole(self) -> Value {
        self.root
    }

    /// The place at the end of that way, which is made if it is not there.
    fn slot(&mut self, steps: Vec<Step>) -> Result<&mut Value, Fault> {
        let mut slot = &mut self.root;
        for step in steps {
            slot = match step {
                Step::Key(name) => {
                    if !slot.is_object() {
                        *slot = Value::Object(Map::new());
                    }
                    slot.as_object_mut().ok_or(Fault::Malformed)?.entry(name).or_insert(Value::Null)
                }
                Step::Index(index) => {
                    if !slot.is_array() {
                        *slot = Value::Array(Vec::new());
                    }
                    let list = slot.as_array_mut().ok_or(Fault::Malformed)?;
                    if index >= list.len() {
                        self.bytes += index - list.len();
                        if self.bytes > MAX_BYTES {
                            return Err(Fault::Malformed);
                        }
                        list.resize(index + 1, Value::Null);
                    }
                    list.get_mut(index).ok_or(Fault::Malformed)?
                }
            };
        }
        if self.bytes > MAX_BYTES { Err(Fault::Malformed) } else { Ok(slot) }
    }
}

/// The value of a piece.
fn value(piece: &Object) -> Option<Value> {
    let plain = ["stringValue", "numberValue", "boolValue"].iter().find_map(|field| piece.get(*field));
    plain.cloned().or(piece.get("nullValue").map(|_| Value::Null))
}

/// The steps of a way: `$`, then names behind a dot or in brackets and quotes, and indexes in brackets.
fn steps(path: &str) -> Option<Vec<Step>> {
    let mut rest = path.strip_prefix('$')?;
    let mut steps = Vec::new();
    while !rest.is_empty() {
        if steps.len() == MAX_STEPS {
            return None;
        }
        if let Some(name) = rest.strip_prefix('.') {
            let end = name.find(['.', '[']).unwrap_or(name.len());
            let (name, behind) = name.split_at_checked(end)?;
            (!name.is_empty()).then(|| steps.push(Step::Key(name.to_owned())))?;
            rest = behind;
            continue;
        }
        let inner = rest.strip_prefix('[')?;
        match inner.chars().next().filter(|quote| matches!(quote, '\'' | '"')) {
            Some(quote) => {
                let (name, behind) = quoted(inner.get(1..)?, quote)?;
                steps.push(Step::Key(name));
                rest = behind.strip_prefix(']')?;
            }
            None => {
                let (index, behind) = inner.split_once(']')?;
                let index: usize = index.parse().ok()?;
                steps.push(Step::Index(index).within()?);
                rest = behind;
            }
        }
    }
    Some(steps)
}

impl Step {
    fn within(self) -> Option<Step> {
        (!matches!(self, Step::Index(index) if index > MAX_INDEX)).then_some(self)
    }
}

/// A name up to its quote, and what stands behind that.
fn quoted(text: &str, quote: char) -> Option<(String, &str)> {
    let mut name = String::new();
    let mut characters = text.chars();
    loop {
        match characters.next()? {
            '\\' => name.push(characters.next()?),
            end if end == quote => return Some((name, characters.as_str())),
            other => name.push(other),
        }
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use serde_json::json;

    fn whole(pieces: Value) -> Result<Value, Fault> {
        let mut arguments = Arguments::default();
        for piece in pieces.as_array().unwrap() {
            arguments.piece(piece.as_object().unwrap())?;
        }
        Ok(arguments.whole())
    }

    #[test]
    fn pieces_stand_where_their_ways_lead() {
        let pieces = json!([
            {"jsonPath": "$.to.name", "stringValue": "A", "willContinue": true},
            {"jsonPath": "$.to.name", "stringValue": "nn", "willContinue": true},
            {"jsonPath": "$.to.name", "stringValue": ""},
            {"jsonPath": "$.list[0].n", "numberValue": 1},
            {"jsonPath": "$.list[0].on", "boolValue": true},
            {"jsonPath": "$.list[2]", "nullValue": "NULL_VALUE"},
            {"jsonPath": "$['a.b'][\"c'\\\"\"]", "stringValue": "d"},
            {"jsonPath": "$.nothing"},
        ]);
        assert_eq!(
            whole(pieces),
            Ok(json!({"to": {"name": "Ann"}, "list": [{"n": 1, "on": true}, null, null], "a.b": {"c'\"": "d"}}))
        );
    }

    #[test]
    fn a_text_goes_on_only_where_it_was_said_to() {
        let again = |first: bool| {
            whole(json!([
                {"jsonPath": "$.a", "stringValue": "b", "willContinue": first},
                {"jsonPath": "$.a", "stringValue": "c"},
            ]))
        };
        assert_eq!(again(true), Ok(json!({"a": "bc"})));
        assert_eq!(again(false), Ok(json!({"a": "c"})));
        let between = json!([
            {"jsonPath": "$.a", "stringValue": "b", "willContinue": true},
            {"jsonPath": "$.c", "stringValue": "d"},
            {"jsonPath": "$.a", "stringValue": "e"},
        ]);
        assert_eq!(whole(between), Ok(json!({"a": "e", "c": "d"})));
    }

    #[test]
    fn a_way_that_leads_nowhere_and_what_is_past_a_bound_is_malformed() {
        for path in
            ["", "a", "$a", "$.", "$..a", "$.a.", "$[", "$[]", "$[-1]", "$[x]", "$['a", "$['a'", "$[65537]", "$[0"]
        {
            assert_eq!(whole(json!([{"jsonPath": path, "stringValue": "a"}])), Err(Fault::Malformed), "{path}");
        }
        let deep = |steps: usize| whole(json!([{"jsonPath": format!("${}", "[0]".repeat(steps)), "numberValue": 1}]));
        assert!(deep(64).is_ok());
        assert_eq!(deep(65), Err(Fault::Malformed));
        let lists = |count: usize| {
            let pieces = (0..count).map(|at| json!({"jsonPath": format!("$.a{at}[65536]"), "numberValue": 1}));
            whole(pieces.collect())
        };
        assert!(lists(15).is_ok());
        assert_eq!(lists(16), Err(Fault::Malformed), "what is filled up counts too");
        let long = json!([{"jsonPath": "$.a", "stringValue": "x".repeat(MAX_BYTES)}]);
        assert_eq!(whole(long), Err(Fault::Malformed));
    }
}
