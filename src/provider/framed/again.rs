//! Events that say nearly the same as one before.
//!
//! Of some hundred bytes of a provider's event only a piece of text is new, and perhaps a number or padding. So the
//! last event that was parsed is kept, as it stood and as its object. Two of the same form that come one behind the other
//! show where they differ: in strings, or in whole numbers. An event that differs there alone is read by that, into the
//! kept object, which is then the one that the parser would have made: all else is equal byte for byte, and a string
//! that this is not sure of is left to the parser.
//!
//! Where the response says of an object that it tells one of these texts and nothing else ([`Response::tells`]),
//! not even the object is needed.

use super::Response;
use crate::bytes;
use crate::json::body::{Body, body, number};
use crate::signal::Signal;
use compare::Compared;
use serde_json::{Map, Value};
use std::ops::Range;

mod compare;

/// The most places at which events may differ.
const MAX_PLACES: usize = 8;
/// The longest event that is kept.
const MAX_LENGTH: usize = 16 << 10;
/// So many events are kept in vain before it is done rarely: two in a row of each [`REST`].
const PATIENCE: u32 = 32;
const REST: u32 = 64;

/// A step on the way to a value in an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step<'a> {
    /// The member of that name.
    Key(&'a str),
    /// The element at that position.
    At(usize),
}

/// The event that was parsed last.
#[derive(Debug)]
pub(super) struct Again {
    name: String,
    line: Vec<u8>,
    object: Map<String, Value>,
    places: Vec<Place>,
    tells: Option<Tells>,
    /// Events were compared, and differ in the places at most.
    ready: bool,
    /// How many were kept since one was read.
    vain: u32,
}

/// Where others of its form differ from it.
#[derive(Debug)]
struct Place {
    kind: Kind,
    /// In the line: a number, or what stands between quotes.
    range: Range<usize>,
    /// In the object.
    path: Vec<Key>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Text,
    Number,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Key {
    Name(String),
    At(usize),
}

/// All that the event tells: the text at a place.
#[derive(Clone, Copy, Debug)]
struct Tells {
    place: usize,
    signal: fn(String) -> Signal,
}

/// What stands at a place.
#[derive(Clone, Copy)]
enum Found<'a> {
    Text(Body<'a>),
    Number(u64),
}

impl Default for Again {
    fn default() -> Self {
        Again {
            name: String::new(),
            line: Vec::new(),
            object: Map::new(),
            places: Vec::new(),
            tells: None,
            ready: false,
            vain: 0,
        }
    }
}

impl Again {
    /// Takes an event. False if it has to be parsed.
    pub(super) fn read<R: Response>(
        &mut self,
        name: &str,
        line: &[u8],
        response: &mut R,
        out: &mut Vec<Signal>,
    ) -> bool {
        if !self.ready || name != self.name {
            return false;
        }
        let mut found = [Found::Number(0); MAX_PLACES];
        if self.find(line, &mut found).is_none() {
            return false;
        }
        let told = self.tells.and_then(|tells| tells.signal(&found));
        match told {
            Some(signal) => out.push(signal),
            None if self.fill(&found).is_some() => response.event(name, &self.object, out),
            None => return false,
        }
        self.vain = 0;
        true
    }

    /// Takes an event that had to be parsed, behind what it said.
    pub(super) fn parsed<R: Response>(&mut self, name: &str, line: &[u8], object: Map<String, Value>, response: &R) {
        let whole = line.starts_with(b"{") && line.ends_with(b"}") && line.len() <= MAX_LENGTH;
        if !whole || self.vain >= PATIENCE && self.vain % REST > 1 {
            self.vain = self.vain.saturating_add(1);
            self.ready = false;
            self.line.clear();
            return;
        }
        let same = name == self.name;
        let places = if same { Compared::places(&self.line, line, &self.places, &object) } else { None };
        self.ready = places.is_some();
        self.places = places.unwrap_or_default();
        self.object = object;
        self.tells = self.told(response);
        self.line.clear();
        self.line.extend_from_slice(line);
        if !same {
            name.clone_into(&mut self.name);
        }
        self.vain = self.vain.saturating_add(1);
    }

    /// What stands at each place, if nothing else differs.
    fn find<'a>(&self, line: &'a [u8], found: &mut [Found<'a>; MAX_PLACES]) -> Option<()> {
        let (mut rest, mut at) = (line, 0);
        for (place, found) in self.places.iter().zip(found) {
            rest = bytes::behind(rest, self.line.get(at..place.range.start)?)?;
            at = place.range.end;
            match place.kind {
                Kind::Text => {
                    let (body, behind) = body(rest)?;
                    (*found, rest) = (Found::Text(body), behind);
                }
                Kind::Number => {
                    let (number, behind) = number(rest)?;
                    (*found, rest) = (Found::Number(number), behind);
                }
            }
        }
        bytes::behind(rest, self.line.get(at..)?)?.is_empty().then_some(())
    }

    /// Makes the object that of the event.
    fn fill(&mut self, found: &[Found<'_>; MAX_PLACES]) -> Option<()> {
        for (place, found) in self.places.iter().zip(found) {
            let mut steps = place.path.iter();
            let Key::Name(first) = steps.next()? else { return None };
            let mut value = self.object.get_mut(first)?;
            for step in steps {
                value = match step {
                    Key::Name(name) => value.get_mut(name)?,
                    Key::At(at) => value.get_mut(at)?,
                };
            }
            *value = match found {
                Found::Text(body) => Value::String(body.text()?),
                Found::Number(number) => Value::from(*number),
            };
        }
        Some(())
    }

    /// What events of this form tell, if it is one text, beside places that nobody reads.
    fn told<R: Response>(&self, response: &R) -> Option<Tells> {
        let read = |place: &Place| !matches!(&*place.path, [Key::Name(name)] if !R::reads(name));
        let mut places = self.places.iter().enumerate().filter(|(_, place)| read(place));
        let (Some((at, place)), None) = (places.next(), places.next()) else { return None };
        let path: Vec<Step> = place.path.iter().map(Key::step).collect();
        let signal = response.tells(&self.object, &path).filter(|_| place.kind == Kind::Text)?;
        Some(Tells { place: at, signal })
    }
}

impl Tells {
    /// The signal, if the text is not empty, and the others are certainly texts too.
    fn signal(self, found: &[Found<'_>; MAX_PLACES]) -> Option<Signal> {
        let mut text = None;
        for (at, found) in found.iter().enumerate() {
            match found {
                Found::Text(body) if at == self.place => text = Some(*body),
                Found::Text(body) if body.is_plain() => {}
                Found::Text(_) => return None,
                Found::Number(_) => {}
            }
        }
        text?.text().filter(|text| !text.is_empty()).map(self.signal)
    }
}

impl Key {
    fn step(&self) -> Step<'_> {
        match self {
            Key::Name(name) => Step::Key(name),
            Key::At(at) => Step::At(*at),
        }
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
