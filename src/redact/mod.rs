//! Redaction of what leaves: what a turn asks of it, and the filter that does it.

mod audit;
mod check;
mod filter;
mod json;
mod literals;
mod matcher;
#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::indexing_slicing)]
mod pack;
mod pattern;
mod plan;
mod redaction;
mod rules;
mod settings;
mod stage;
mod style;
mod table;

use serde_json::Value;
pub use settings::{
    Allow, Choice, HARD_HOLD, Links, MAX_HOLD, Mode, Overflow, Pattern, Secrets, Settings, Style, Value as Known,
};

/// A filter over one channel's stream. Its output must not depend on how the input was cut.
pub trait Filter {
    /// Takes a piece and returns what may leave now; possibly nothing.
    fn push(&mut self, text: &str) -> String;
    /// Ends the message: returns what was held back. The filter is then as new.
    fn flush(&mut self) -> String;
    /// Drops what was held back, unseen. The filter is then as new.
    fn reset(&mut self);
    /// True once the filter has found what it blocks: the text ends there, and whatever is pushed later is
    /// swallowed. It stays true, behind [`Filter::flush`] too, until [`Filter::reset`].
    fn blocked(&self) -> bool {
        false
    }
}

/// A whole text that has gone through a filter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Redacted {
    /// What may leave of it.
    pub text: String,
    /// The filter blocks what comes next in it: the text ends there.
    pub blocked: bool,
}

/// What a text is, since rules differ by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channel {
    /// An assistant message's text.
    Text,
    /// Reasoning.
    Thinking,
    /// A call's arguments, for a tool that we run.
    ToolArguments,
    /// A call's arguments, for a tool that the client runs.
    ClientArguments,
    /// A tool's result.
    ToolOutput,
    /// A text inside the host's state.
    State,
    /// A name that somebody else goes by: a tool's, a model's, a call's id.
    Name,
}

/// Makes the filters of a run: one a channel, a fresh state a message.
pub trait Redactor {
    /// A new filter for the channel.
    fn filter(&self, channel: Channel) -> Box<dyn Filter>;

    /// A whole text at once.
    fn whole(&self, channel: Channel, text: &str) -> Redacted {
        let mut filter = self.filter(channel);
        let mut text = filter.push(text);
        text.push_str(&filter.flush());
        Redacted { text, blocked: filter.blocked() }
    }

    /// What all its filters have found so far: how often each rule, by name, and no value.
    fn found(&self) -> Vec<(String, u64)> {
        Vec::new()
    }

    /// A call's arguments, which are JSON more often than not and stay what they were.
    fn arguments(&self, channel: Channel, text: &str) -> Redacted {
        self.whole(channel, text)
    }
}

/// A JSON value whose every text, names of fields too, has gone through the redactor. Of two fields
/// whose names become the same, the later stays.
pub fn value(redactor: &dyn Redactor, channel: Channel, value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(redactor.whole(channel, &text).text),
        Value::Array(items) => items.into_iter().map(|item| self::value(redactor, channel, item)).collect(),
        Value::Object(fields) => Value::Object(
            fields
                .into_iter()
                .map(|(name, item)| (redactor.whole(channel, &name).text, self::value(redactor, channel, item)))
                .collect(),
        ),
        other => other,
    }
}

/// Lets everything pass.
#[derive(Clone, Copy, Debug, Default)]
pub struct PassThrough;

impl Filter for PassThrough {
    fn push(&mut self, text: &str) -> String {
        text.to_owned()
    }

    fn flush(&mut self) -> String {
        String::new()
    }

    fn reset(&mut self) {}
}

impl Redactor for PassThrough {
    fn filter(&self, _channel: Channel) -> Box<dyn Filter> {
        Box::new(PassThrough)
    }
}
