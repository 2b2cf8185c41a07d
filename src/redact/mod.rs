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
#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::indexing_slicing)]
mod written;

pub use filter::{OutputFilter, Span};
pub use plan::Plan;
pub use redaction::{Plans, Redaction};
pub use rules::{Rule, rules};
use serde_json::Value;
pub use settings::{
    Allow, Choice, HARD_HOLD, Links, MAX_HOLD, MAX_VALUE, Mode, Overflow, Pattern, Secrets, Settings, Style,
    Value as Known,
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

    /// A call's arguments. Of JSON each string, names of fields too, goes through a filter as it is decoded, and
    /// each number as it is written, which becomes a string if it changes; all else stays byte for byte, and
    /// the text is JSON after. What is no JSON is one text. [`Redaction`] looks at each value once more with its name.
    fn arguments(&self, channel: Channel, text: &str) -> Redacted {
        let mut blocked = false;
        let text = json::arguments(text, &mut |text| {
            let redacted = self.whole(channel, text);
            blocked |= redacted.blocked;
            Some(redacted.text)
        });
        Redacted { text, blocked }
    }
}

/// A JSON value that has gone through the redactor as arguments do. Of two fields whose names become the same, the
/// later stays.
pub fn value(redactor: &dyn Redactor, channel: Channel, value: Value) -> Value {
    let text = crate::json::text(&value);
    let redacted = redactor.arguments(channel, &text).text;
    if redacted == text { value } else { crate::stored::parse(redacted.as_bytes()).unwrap_or(Value::Null) }
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

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use serde_json::json;

    /// Takes away every seven, and ends a text before an eight.
    #[derive(Default)]
    struct Sevens(bool);

    impl Filter for Sevens {
        fn push(&mut self, text: &str) -> String {
            let (before, rest) = text.split_at(text.find('8').unwrap_or(text.len()));
            self.0 |= !rest.is_empty();
            before.replace('7', "[7]")
        }

        fn flush(&mut self) -> String {
            String::new()
        }

        fn reset(&mut self) {}

        fn blocked(&self) -> bool {
            self.0
        }
    }

    struct All;

    impl Redactor for All {
        fn filter(&self, _channel: Channel) -> Box<dyn Filter> {
            Box::new(Sevens::default())
        }
    }

    #[test]
    fn every_text_and_number_of_a_value_is_redacted() {
        let before = json!({"a7": [7, -17.5, 1e300, 16, true, null, "7", {"b": 0.7}], "c": "d"});
        let after = json!({"a[7]": ["[7]", "-1[7].5", 1e300, 16, true, null, "[7]", {"b": "0.[7]"}], "c": "d"});
        assert_eq!(value(&All, Channel::State, before), after);
        assert_eq!(value(&All, Channel::State, json!(70)), json!("[7]0"));
        let untouched = json!({"n": [0, u64::MAX - 7, -1.5, 2.0]});
        assert_eq!(value(&PassThrough, Channel::State, untouched.clone()), untouched);
    }

    #[test]
    fn arguments_are_redacted_as_json_and_say_if_they_are_blocked() {
        let arguments = |text| All.arguments(Channel::ToolArguments, text);
        let redacted = |text: &str, blocked| Redacted { text: text.to_owned(), blocked };
        assert_eq!(arguments(r#"{"\u0037": 7, "n":1.0}"#), redacted(r#"{"[7]": "[7]", "n":1.0}"#, false));
        assert_eq!(arguments(r#"["28","7"]"#), redacted(r#"["2","[7]"]"#, true));
        assert_eq!(arguments(r#"{"cut":"7"#), redacted(r#"{"cut":"[7]"#, false));
    }
}
