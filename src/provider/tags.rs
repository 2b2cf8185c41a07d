//! Thinking that a model puts into its text between tags: `<think>so</think>answer`.
//!
//! Off unless it is asked for, since a text that talks about a tag must stay whole. Where it is on,
//! for the text of each message item, whose pieces may be cut anywhere:
//!
//! - The tags are `<think>`, `<thinking>` and `<reasoning>`, in small letters and without attributes.
//!   Harmony's marks, which gpt-oss may leave in text, count as such: `<|channel|>analysis<|message|>`
//!   and `<|channel|>commentary<|message|>` open what `<|end|>` closes; `<|start|>assistant` and
//!   `<|channel|>final<|message|>` in front of text are dropped.
//! - An opening tag counts only where the item begins, or directly behind a closing tag; white space
//!   may stand between. Further on it is text. What it opens is reasoning until its own closing tag,
//!   or until the item's end: then nothing is left for an answer.
//! - A closing tag, `<|end|>` excepted, counts without an opening one too, once, since a template may
//!   have the opening tag in the prompt: all of the item's text in front of it was reasoning, and [`Signal::WasReasoning`]
//!   says so. Once an item has had a closing tag and then text, all tags in it are text.
//! - A closing tag in code is text: between backticks on one line, or, where no tag is open, in a
//!   fenced block.
//! - White space around what lies between tags belongs to the tags: in front of an opening tag, behind
//!   it, and behind a closing one. It is dropped.
//!
//! What else of harmony's marks is in the text, or in a tool's name, is taken out behind that (`debris`). Where a server
//! has stripped the marks and left their words (`analysisHmmassistantfinalFine.`), they can't be told from text.
//!
//! Held back is only what may yet be a tag, or white space in front of one, at most [`MAX_SPACE`]
//! bytes of it. Time is linear in the text.

mod code;
mod debris;

use super::{Decoder, Format};
use crate::signal::{Role, Signal};
use code::Code;
use debris::Debris;

/// The most white space in front of an item's text that is held back: 1 KiB.
pub const MAX_SPACE: usize = 1 << 10;

const TAGS: [Tag; 5] = [
    Tag { open: "<think>", close: "</think>", alone: true },
    Tag { open: "<thinking>", close: "</thinking>", alone: true },
    Tag { open: "<reasoning>", close: "</reasoning>", alone: true },
    Tag { open: "<|channel|>analysis<|message|>", close: "<|end|>", alone: false },
    Tag { open: "<|channel|>commentary<|message|>", close: "<|end|>", alone: false },
];

/// What stands in front of text that is no reasoning.
const MARKS: [&str; 2] = ["<|start|>assistant", "<|channel|>final<|message|>"];

#[derive(Clone, Copy, Debug, PartialEq)]
struct Tag {
    open: &'static str,
    close: &'static str,
    /// The closing tag counts without the opening one.
    alone: bool,
}

/// A decoder whose text is searched for thinking tags.
pub struct Tagged {
    decoder: Box<dyn Decoder>,
    tags: Tags,
    debris: Debris,
}

impl Tagged {
    /// Searches the text of what that decoder says.
    pub fn new(decoder: Box<dyn Decoder>) -> Self {
        Tagged { decoder, tags: Tags::default(), debris: Debris::default() }
    }
}

impl Tagged {
    fn read(&mut self, said: Vec<Signal>, out: &mut Vec<Signal>) {
        let mut read = Vec::new();
        said.into_iter().for_each(|signal| self.tags.signal(signal, &mut read));
        read.into_iter().for_each(|signal| self.debris.signal(signal, out));
    }
}

impl Decoder for Tagged {
    fn feed(&mut self, bytes: &[u8], out: &mut Vec<Signal>) {
        let mut said = Vec::new();
        self.decoder.feed(bytes, &mut said);
        self.read(said, out);
    }

    fn finish(&mut self, out: &mut Vec<Signal>) {
        let mut said = Vec::new();
        self.decoder.finish(&mut said);
        self.read(said, out);
    }

    fn has_finished(&self) -> bool {
        self.decoder.has_finished()
    }

    fn format(&self) -> Option<Format> {
        self.decoder.format()
    }
}

/// Turns the signals of one response into such as keep reasoning apart from text.
#[derive(Debug, Default)]
pub struct Tags {
    place: Place,
    /// White space in front of the item's text.
    space: String,
    /// What may yet become a tag.
    partial: String,
    code: Code,
    /// An item has begun, so its whole text may come with its end.
    open: bool,
    /// Text of the item has come, or a refusal.
    came: bool,
    /// What the signal at hand comes to.
    said: Said,
}

/// Where in an item's text the next character stands.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Place {
    /// Behind nothing but white space.
    #[default]
    Start,
    /// In text, and no tag has come.
    Text,
    /// Directly behind an opening tag, or behind white space that follows it.
    Opened(Tag),
    /// In the reasoning of that tag.
    Inside(Tag),
    /// Directly behind a closing tag, or behind white space that follows it.
    Closed,
    /// In text behind all tags, or in an item that is not the model's.
    Rest,
}

/// Signals that are being made: neighbouring characters are one piece.
#[derive(Debug, Default)]
struct Said {
    signals: Vec<Signal>,
}

impl Tags {
    /// Takes one signal; pushes what it comes to.
    pub fn signal(&mut self, signal: Signal, out: &mut Vec<Signal>) {
        match signal {
            Signal::Text(text) => {
                self.came |= !text.is_empty();
                self.text(&text);
            }
            Signal::ItemEnd { text: whole } => self.item_ended(whole),
            // What is held back belongs to what is void.
            Signal::ResponseStart { .. } => {
                *self = Tags::default();
                self.said.signals.push(signal);
            }
            Signal::ItemStart { role, .. } => {
                self.end_item();
                self.open = true;
                self.came = false;
                if role == Role::Other {
                    self.place = Place::Rest;
                }
                self.said.signals.push(signal);
            }
            // A refusal is an item of its own; text behind a tool of the provider's begins anew, and so does
            // text behind what the provider itself says was reasoning.
            Signal::Refusal(_)
            | Signal::ProviderTool { .. }
            | Signal::WasReasoning
            | Signal::ResponseEnd(_)
            | Signal::Error(_) => {
                self.came |= matches!(&signal, Signal::Refusal(text) if !text.is_empty());
                self.end_item();
                self.said.signals.push(signal);
            }
            Signal::CallEnd { .. } => {
                self.release();
                self.said.signals.push(signal);
            }
            other => self.said.signals.push(other),
        }
        out.append(&mut self.said.signals);
    }

    /// The whole text that a provider repeats counts only if nothing was streamed.
    fn item_ended(&mut self, whole: Option<String>) {
        match whole {
            Some(text) if self.open && !self.came => self.text(&text),
            _ => {}
        }
        self.end_item();
        self.open = false;
        self.came = false;
        self.said.signals.push(Signal::ItemEnd { text: None });
    }

    fn end_item(&mut self) {
        self.release();
        self.place = Place::Start;
        self.code = Code::default();
    }

    fn text(&mut self, text: &str) {
        let mut rest = text.chars();
        while self.place != Place::Rest {
            match rest.next() {
                Some(character) => self.character(character),
                None => return,
            }
        }
        self.said.text(rest.as_str());
    }

    fn character(&mut self, character: char) {
        if self.partial.is_empty() && character != '<' {
            return self.plain(character);
        }
        if self.partial.is_empty() && self.is_in_code() {
            return self.plain(character);
        }
        self.partial.push(character);
        match self.expected().find(|(tag, _)| tag.starts_with(&self.partial)) {
            Some((tag, to)) if tag.len() == self.partial.len() => self.tag(to),
            Some(_) => {}
            None => self.give_up(),
        }
    }

    /// The partial tag is none, but a later `<` in it may begin another.
    fn give_up(&mut self) {
        let held = std::mem::take(&mut self.partial);
        let mut held = held.chars();
        held.next().into_iter().for_each(|first| self.plain(first));
        held.for_each(|character| self.character(character));
    }

    /// The tags that count here, and where each leads.
    fn expected(&self) -> impl Iterator<Item = (&'static str, Place)> + use<> {
        let place = self.place;
        let begins = matches!(place, Place::Start | Place::Closed);
        let marks = MARKS.into_iter().filter(move |_| begins).map(|mark| (mark, Place::Closed));
        let tags = TAGS.into_iter().flat_map(move |tag| {
            let open = begins.then_some((tag.open, Place::Opened(tag)));
            let close = match place {
                Place::Start | Place::Text => tag.alone,
                Place::Opened(opened) | Place::Inside(opened) => opened == tag,
                Place::Closed | Place::Rest => false,
            };
            open.into_iter().chain(close.then_some((tag.close, Place::Closed)))
        });
        tags.chain(marks)
    }

    fn is_in_code(&mut self) -> bool {
        match self.place {
            Place::Text => self.code.is_fenced() || self.code.is_inline(),
            Place::Inside(_) => self.code.is_inline(),
            _ => false,
        }
    }

    fn tag(&mut self, to: Place) {
        if self.place == Place::Text {
            self.said.signals.push(Signal::WasReasoning);
        }
        self.partial.clear();
        self.space.clear();
        self.code = Code::default();
        self.place = to;
    }

    /// A character that belongs to no tag.
    fn plain(&mut self, character: char) {
        let is_space = matches!(character, ' ' | '\t' | '\r' | '\n');
        match self.place {
            Place::Start if is_space && self.space.len() < MAX_SPACE => self.space.push(character),
            Place::Opened(_) | Place::Closed if is_space => {}
            _ => {
                self.begin();
                self.code.read(character);
                self.put(character);
            }
        }
    }

    /// The white space is over, and no tag has come behind it.
    fn begin(&mut self) {
        self.place = match self.place {
            Place::Start => Place::Text,
            Place::Opened(tag) => Place::Inside(tag),
            Place::Closed => Place::Rest,
            other => other,
        };
        let space = std::mem::take(&mut self.space);
        for character in space.chars() {
            self.code.read(character);
            self.put(character);
        }
    }

    fn put(&mut self, character: char) {
        match self.place {
            Place::Inside(_) => self.said.reasoning(character),
            _ => self.said.text(character.encode_utf8(&mut [0; 4])),
        }
    }

    /// Nothing more can come that would make a tag of what is held.
    fn release(&mut self) {
        if !self.partial.is_empty() || !self.space.is_empty() {
            self.begin();
        }
        for character in std::mem::take(&mut self.partial).chars() {
            self.put(character);
        }
    }
}

impl Said {
    fn text(&mut self, piece: &str) {
        match self.signals.last_mut() {
            _ if piece.is_empty() => {}
            Some(Signal::Text(text)) => text.push_str(piece),
            _ => self.signals.push(Signal::Text(piece.to_owned())),
        }
    }

    fn reasoning(&mut self, character: char) {
        match self.signals.last_mut() {
            Some(Signal::Reasoning(text)) => text.push(character),
            _ => self.signals.push(Signal::Reasoning(character.to_string())),
        }
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
