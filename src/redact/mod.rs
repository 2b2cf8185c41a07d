//! Redaction of what leaves.
//!
//! For now the only implementation lets everything pass; the trait is what the turn already uses.

mod audit;
mod check;
mod filter;
mod json;
mod literals;
mod matcher;
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
    Allow, Choice, HARD_HOLD, Links, MAX_HOLD, Mode, Overflow, Pattern, Settings, Style, Value as Known,
};

/// A filter over one channel's stream. Its output must not depend on how the input was cut.
pub trait Filter {
    /// Takes a piece and returns what may leave now; possibly nothing.
    fn push(&mut self, text: &str) -> String;
    /// Ends the message: returns what was held back. The filter is then as new.
    fn flush(&mut self) -> String;
    /// Drops what was held back, unseen. The filter is then as new.
    fn reset(&mut self);
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
}

/// Makes the filters of a run: one a channel, a fresh state a message.
pub trait Redactor {
    /// A new filter for the channel.
    fn filter(&self, channel: Channel) -> Box<dyn Filter>;

    /// A whole text at once.
    fn whole(&self, channel: Channel, text: &str) -> String {
        let mut filter = self.filter(channel);
        let mut out = filter.push(text);
        out.push_str(&filter.flush());
        out
    }
}

/// A JSON value whose every text, names of fields too, has gone through the redactor. Of two fields
/// whose names become the same, the later stays.
pub fn value(redactor: &dyn Redactor, channel: Channel, value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(redactor.whole(channel, &text)),
        Value::Array(items) => items.into_iter().map(|item| self::value(redactor, channel, item)).collect(),
        Value::Object(fields) => Value::Object(
            fields
                .into_iter()
                .map(|(name, item)| (redactor.whole(channel, &name), self::value(redactor, channel, item)))
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
