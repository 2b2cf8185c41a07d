//! What a client was told of a run, whichever wire it reads.

use serde_json::Value;

/// What a client has put together when its stream or its document has ended. A field that its wire has no word for is
/// none.
#[derive(Clone, Debug, Default)]
pub struct Told {
    /// The published text; empty where there is none.
    pub text: String,
    /// Whether the text is marked as a refusal.
    pub refusal: Option<bool>,
    /// Whatever else was said in words: narration, thinking.
    pub aside: String,
    /// The calls for the client, in order.
    pub calls: Vec<Call>,
    /// The code of the failure.
    pub failure: Option<String>,
    /// Why it ended well.
    pub finish: Option<Finish>,
    /// Whether the wire says that the output limit cut the answer.
    pub truncated: Option<bool>,
    /// Tokens: read, written, both.
    pub usage: Option<(u64, u64, u64)>,
    /// The model's name.
    pub model: Option<String>,
    /// `ttft_ms`, `answer_ms`, `total_ms`.
    pub timing: Option<Value>,
    /// The run's id, or one made of it.
    pub id: Option<String>,
    /// The answer's id.
    pub message: Option<String>,
}

/// A call for the client.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    pub id: String,
    pub name: String,
    pub arguments: Value,
}

/// How a turn ended that did not fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finish {
    Done,
    Calls,
    Interrupt,
}

impl Call {
    /// A call whose arguments are JSON text, or none.
    pub fn new(id: &str, name: &str, arguments: &str) -> Call {
        let arguments = if arguments.is_empty() { "{}" } else { arguments };
        let arguments = serde_json::from_str(arguments).unwrap_or_else(|_| Value::from(arguments));
        Call { id: id.into(), name: name.into(), arguments }
    }
}

/// A member that is a text.
pub fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap_or_else(|| panic!("{key} of {value}"))
}

/// A member that is a text, if it is there.
pub fn maybe(value: &Value, key: &str) -> Option<String> {
    value[key].as_str().map(str::to_owned)
}

/// A usage whose tokens have these names; none where nobody counted any. A wire that demands all counts says 0 for one
/// that was not given.
pub fn tokens(usage: &Value, names: [&str; 3]) -> Option<(u64, u64, u64)> {
    let [input, output, total] = names.map(|name| usage[name].as_u64());
    let (read, written) = (input.unwrap_or_default(), output.unwrap_or_default());
    let counted = input.or(output).or(total).is_some();
    counted.then(|| (read, written, total.unwrap_or(read + written)))
}
