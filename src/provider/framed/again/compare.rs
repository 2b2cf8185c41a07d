//! Where two texts of the same form differ.

use super::{Key, Kind, MAX_PLACES, Place};
use crate::json::body::{body, number};
use serde_json::{Map, Value};
use std::ops::Range;

/// Two texts on the way through both of them. Each is a JSON object that the parser has taken.
pub(super) struct Compared<'a> {
    one: Text<'a>,
    other: Text<'a>,
    /// What the second has come to.
    object: &'a Map<String, Value>,
    path: Vec<Key>,
    /// Those that are known already.
    known: &'a [Place],
    places: Vec<Place>,
}

struct Text<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Compared<'a> {
    /// Where the second differs from the first, or may by what is known; none if it is of another form.
    pub(super) fn places(
        one: &'a [u8],
        other: &'a [u8],
        known: &'a [Place],
        object: &'a Map<String, Value>,
    ) -> Option<Vec<Place>> {
        let (one, other) = (Text { bytes: one, at: 0 }, Text { bytes: other, at: 0 });
        let mut compared = Compared { one, other, object, path: Vec::new(), known, places: Vec::new() };
        compared.value()?;
        let ended = compared.one.rest().is_empty() && compared.other.rest().is_empty();
        (ended && !compared.places.is_empty()).then_some(compared.places)
    }

    fn value(&mut self) -> Option<()> {
        self.same(Text::space)?;
        match self.other.rest().first()? {
            b'"' => self.text(),
            b'{' => self.members(),
            b'[' => self.elements(),
            b'0'..=b'9' => self.number(),
            _ => self.same(Text::word),
        }
    }

    fn text(&mut self) -> Option<()> {
        let (one, other) = (self.one.string()?, self.other.string()?);
        match one.0 != other.0 || self.is_known(Kind::Text) {
            true => self.add(Kind::Text, other.1),
            false => Some(()),
        }
    }

    fn number(&mut self) -> Option<()> {
        let from = self.other.at;
        let (one, other) = (self.one.word(), self.other.word());
        if one == other && !self.is_known(Kind::Number) {
            return Some(());
        }
        let whole = |text: &[u8]| number(text).is_some_and(|(_, behind)| behind.is_empty());
        (whole(one) && whole(other)).then_some(())?;
        self.add(Kind::Number, from..self.other.at)
    }

    fn members(&mut self) -> Option<()> {
        let (mut count, places) = (0, self.places.len());
        self.byte(b'{')?;
        self.same(Text::space)?;
        while self.other.rest().first() != Some(&b'}') {
            if count > 0 {
                self.byte(b',')?;
                self.same(Text::space)?;
            }
            let (one, other) = (self.one.string()?.0, self.other.string()?.0);
            // With an escape it would be another name.
            if one != other || other.contains(&b'\\') {
                return None;
            }
            self.path.push(Key::Name(String::from_utf8(other.to_vec()).ok()?));
            self.same(Text::space)?;
            self.byte(b':')?;
            self.value()?;
            self.path.pop();
            self.same(Text::space)?;
            count += 1;
        }
        self.byte(b'}')?;
        // Of members of one name only the last is in the object, so it is not known whose value stands at a place.
        (self.places.len() == places || self.size() == Some(count)).then_some(())
    }

    fn elements(&mut self) -> Option<()> {
        let mut count = 0;
        self.byte(b'[')?;
        self.same(Text::space)?;
        while self.other.rest().first() != Some(&b']') {
            if count > 0 {
                self.byte(b',')?;
            }
            self.path.push(Key::At(count));
            self.value()?;
            self.path.pop();
            self.same(Text::space)?;
            count += 1;
        }
        self.byte(b']')
    }

    /// How many members the object at the path has.
    fn size(&self) -> Option<usize> {
        let Some((Key::Name(first), path)) = self.path.split_first() else { return Some(self.object.len()) };
        let mut value = self.object.get(first)?;
        for key in path {
            value = match key {
                Key::Name(name) => value.get(name)?,
                Key::At(at) => value.get(at)?,
            };
        }
        value.as_object().map(Map::len)
    }

    fn is_known(&self, kind: Kind) -> bool {
        self.known.iter().any(|place| place.kind == kind && place.path == self.path)
    }

    fn add(&mut self, kind: Kind, range: Range<usize>) -> Option<()> {
        self.places.push(Place { kind, range, path: self.path.clone() });
        (self.places.len() <= MAX_PLACES).then_some(())
    }

    fn byte(&mut self, wanted: u8) -> Option<()> {
        (self.one.next() == Some(wanted) && self.other.next() == Some(wanted)).then_some(())
    }

    fn same(&mut self, take: impl Fn(&mut Text<'a>) -> &'a [u8]) -> Option<()> {
        (take(&mut self.one) == take(&mut self.other)).then_some(())
    }
}

impl<'a> Text<'a> {
    fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    fn next(&mut self) -> Option<u8> {
        let byte = self.rest().first().copied();
        self.at += 1;
        byte
    }

    fn while_it(&mut self, is: impl Fn(&u8) -> bool) -> &'a [u8] {
        let rest = self.rest();
        let length = rest.iter().take_while(|byte| is(byte)).count();
        self.at += length;
        rest.get(..length).unwrap_or_default()
    }

    fn space(&mut self) -> &'a [u8] {
        self.while_it(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'))
    }

    /// A number or a name.
    fn word(&mut self) -> &'a [u8] {
        self.while_it(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'))
    }

    /// What stands between the quotes of a string, and where.
    fn string(&mut self) -> Option<(&'a [u8], Range<usize>)> {
        (self.next()? == b'"').then_some(())?;
        let (body, _) = body(self.rest())?;
        let from = self.at;
        self.at += body.raw().len() + 1;
        Some((body.raw(), from..from + body.raw().len()))
    }
}
