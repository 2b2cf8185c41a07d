//! Where the format puts what it says: one function a field, without memory.

use crate::signal::{Stop, Usage};
use serde_json::{Map, Value};

/// A JSON object.
pub(super) type Object = Map<String, Value>;

/// The most bytes of a model's name; a longer one is left out.
const MAX_MODEL: usize = 256;

/// A field's text, if it is a text and not empty.
pub(super) fn text<'a>(object: &'a Object, field: &str) -> Option<&'a str> {
    object.get(field).and_then(Value::as_str).filter(|text| !text.is_empty())
}

/// A field that is an object.
pub(super) fn object<'a>(object: &'a Object, field: &str) -> Option<&'a Object> {
    object.get(field).and_then(Value::as_object)
}

/// What an event is: its JSON says so, or else its name.
pub(super) fn kind<'a>(event: &'a Object, name: &'a str) -> &'a str {
    text(event, "type").unwrap_or(name)
}

/// True if the event says that the response died.
pub(super) fn is_error(event: &Object, kind: &str) -> bool {
    kind == "error" || object(event, "error").is_some() || text(event, "error").is_some()
}

/// The model's name, if the message states one.
pub(super) fn model(message: &Object) -> Option<String> {
    text(message, "model").filter(|name| name.len() <= MAX_MODEL).map(str::to_owned)
}

/// Why the message ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Finish {
    /// As any format has it.
    Stop(Stop),
    /// The provider broke it off.
    Refusal,
}

/// What a reason means. An unknown one means that the model was done; what it called is asked of its calls.
pub(super) fn finish(reason: &str) -> Finish {
    match reason {
        "max_tokens" | "model_context_window_exceeded" => Finish::Stop(Stop::Length),
        "pause_turn" => Finish::Stop(Stop::Pause),
        "refusal" => Finish::Refusal,
        _ => Finish::Stop(Stop::Complete),
    }
}

/// What the provider says of a refusal, for the person who asked.
pub(super) fn explanation(holder: &Object) -> Option<&str> {
    text(object(holder, "stop_details")?, "explanation")
}

/// Tokens as the format counts them, cumulative in one message: those read from a cache, and those written to one,
/// stand beside the other ones read.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Counts {
    input: Option<u64>,
    cache_read: Option<u64>,
    cache_write: Option<u64>,
    output: Option<u64>,
    thinking: Option<u64>,
}

impl Counts {
    /// Takes what `usage` says anew.
    pub(super) fn read(&mut self, usage: &Object) {
        let count = |field: &str| usage.get(field).and_then(Value::as_u64);
        let thinking = object(usage, "output_tokens_details").and_then(|more| more.get("thinking_tokens"));
        *self = Counts {
            input: count("input_tokens").or(self.input),
            cache_read: count("cache_read_input_tokens").or(self.cache_read),
            cache_write: count("cache_creation_input_tokens").or(self.cache_write),
            output: count("output_tokens").or(self.output),
            thinking: thinking.and_then(Value::as_u64).or(self.thinking),
        };
    }

    /// Both together.
    pub(super) fn and(self, other: Counts) -> Counts {
        Counts {
            input: sum([self.input, other.input]),
            cache_read: sum([self.cache_read, other.cache_read]),
            cache_write: sum([self.cache_write, other.cache_write]),
            output: sum([self.output, other.output]),
            thinking: sum([self.thinking, other.thinking]),
        }
    }

    /// As every provider's tokens are counted here: all that was read, with what of it a cache had.
    pub(super) fn usage(self) -> Usage {
        let input = self.input.and_then(|input| sum([Some(input), self.cache_read, self.cache_write]));
        Usage {
            input,
            output: self.output,
            total: input.zip(self.output).and_then(|(input, output)| input.checked_add(output)),
            reasoning: self.thinking,
            cached_input: self.cache_read,
            cache_write: self.cache_write,
        }
    }
}

/// The sum of what is known; none if nothing is.
fn sum<const N: usize>(counts: [Option<u64>; N]) -> Option<u64> {
    counts.into_iter().flatten().reduce(u64::saturating_add)
}
