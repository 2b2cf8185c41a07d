//! What else of harmony's marks a server may leave in text and in names of tools (gpt-oss): none of it gets through.
//!
//! Harmony frames a message as `<|start|>role<|channel|>name<|message|>text<|end|>`. What [`super::Tags`] does not read as
//! thinking is read here, wherever it stands, in code too:
//!
//! - Text of the channel `final`, or of none, is text; of any other channel, a call's arguments that were left in text
//!   among them, reasoning, until `<|end|>`, `<|return|>`, `<|call|>`, or the item's end.
//! - What an item said in front of the channel `final` was reasoning.
//! - A header is at most 256 bytes; what is longer is text. Any mark that stands alone is dropped.
//! - A tool's name ends where a mark begins in it.

use crate::signal::{Role, Signal};

/// The marks.
const MARKS: [(&str, Mark); 7] = [
    ("<|start|>", Mark::Start),
    ("<|channel|>", Mark::Channel),
    ("<|message|>", Mark::Message),
    ("<|constrain|>", Mark::Other),
    ("<|end|>", Mark::End),
    ("<|return|>", Mark::End),
    ("<|call|>", Mark::End),
];
/// The most bytes of a header.
const MAX_HEADER: usize = 256;
/// Who may stand behind `<|start|>`.
const SPEAKER: &str = "assistant";

#[derive(Clone, Copy, Debug, PartialEq)]
enum Mark {
    Start,
    Channel,
    Message,
    End,
    Other,
}

/// What the text at hand is.
#[derive(Debug, Default, PartialEq)]
enum Place {
    #[default]
    Text,
    /// Another channel than the final one.
    Reasoning,
    /// A header so far: behind `<|start|>` who speaks, behind `<|channel|>` the channel's name.
    Header { channel: bool, text: String },
}

/// Takes marks out of the signals of one response.
#[derive(Debug, Default)]
pub(super) struct Debris {
    place: Place,
    /// What may yet become a mark.
    partial: String,
    /// The item has said anything.
    spoke: bool,
    /// White space behind a header belongs to it.
    bare: bool,
    /// The item is not the model's: it is left alone.
    other: bool,
}

impl Debris {
    /// Takes one signal; pushes what it comes to.
    pub(super) fn signal(&mut self, signal: Signal, out: &mut Vec<Signal>) {
        match signal {
            Signal::Text(text) if !self.other => self.text(&text, out),
            Signal::CallStart { index, id, name } => out.push(Signal::CallStart { index, id, name: bare(name) }),
            Signal::CallName { index, name } => out.push(Signal::CallName { index, name: bare(name) }),
            Signal::ResponseStart { .. } => {
                *self = Debris::default();
                out.push(signal);
            }
            Signal::ItemStart { role, .. } => {
                self.end(out);
                self.other = role == Role::Other;
                out.push(signal);
            }
            Signal::ItemEnd { .. }
            | Signal::Refusal(_)
            | Signal::ProviderTool { .. }
            | Signal::WasReasoning
            | Signal::CallEnd { .. }
            | Signal::ResponseEnd(_)
            | Signal::Error(_) => {
                self.end(out);
                out.push(signal);
            }
            other => out.push(other),
        }
    }

    fn text(&mut self, text: &str, out: &mut Vec<Signal>) {
        let held = std::mem::take(&mut self.partial) + text;
        let mut rest = held.as_str();
        while let Some(at) = rest.find('<') {
            let (before, from) = rest.split_at(at);
            self.say(before, out);
            rest = match MARKS.iter().find(|(mark, _)| from.starts_with(mark) || mark.starts_with(from)) {
                Some((mark, _)) if from.len() < mark.len() => {
                    self.partial = from.to_owned();
                    return;
                }
                Some((mark, kind)) => {
                    self.mark(*kind, out);
                    from.get(mark.len()..).unwrap_or_default()
                }
                None => {
                    self.say("<", out);
                    from.get(1..).unwrap_or_default()
                }
            };
        }
        self.say(rest, out);
    }

    fn mark(&mut self, mark: Mark, out: &mut Vec<Signal>) {
        match mark {
            Mark::Other => {}
            Mark::Start => self.place = Place::Header { channel: false, text: String::new() },
            Mark::Channel => self.place = Place::Header { channel: true, text: String::new() },
            Mark::End => self.place = Place::Text,
            Mark::Message => {
                let Place::Header { channel, text } = &self.place else { return };
                let name = text.split(|character: char| !character.is_ascii_alphanumeric()).next().unwrap_or_default();
                let last = *channel && name == "final";
                if last && std::mem::take(&mut self.spoke) {
                    out.push(Signal::WasReasoning);
                }
                self.place = if last || !*channel { Place::Text } else { Place::Reasoning };
                self.bare = true;
            }
        }
    }

    fn say(&mut self, text: &str, out: &mut Vec<Signal>) {
        if let Place::Header { text: header, .. } = &mut self.place {
            header.push_str(text);
            if header.len() > MAX_HEADER {
                self.no_header(out);
            }
            return;
        }
        let text = if self.bare { text.trim_start() } else { text };
        if text.is_empty() {
            return;
        }
        self.bare = false;
        out.push(match self.place {
            Place::Reasoning => Signal::Reasoning(text.to_owned()),
            _ => Signal::Text(text.to_owned()),
        });
        self.spoke |= self.place == Place::Text;
    }

    /// What was taken for a header is text.
    fn no_header(&mut self, out: &mut Vec<Signal>) {
        let Place::Header { channel, text } = std::mem::take(&mut self.place) else { return };
        let spoken = if channel { text.as_str() } else { text.strip_prefix(SPEAKER).unwrap_or(&text) };
        self.say(spoken, out);
    }

    /// The item is over, or what stands in the place of its end. A header that is not whole says nothing.
    fn end(&mut self, out: &mut Vec<Signal>) {
        let partial = std::mem::take(&mut self.partial);
        match self.place {
            Place::Header { channel: true, .. } => {}
            Place::Header { channel: false, .. } => self.no_header(out),
            _ => self.say(&partial, out),
        }
        *self = Debris { other: self.other, ..Debris::default() };
    }
}

/// A name without the mark in it, and what stands behind that.
fn bare(mut name: String) -> String {
    if let Some(at) = name.find("<|") {
        name.truncate(at);
    }
    name
}
