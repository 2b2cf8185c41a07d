//! Store operations and replies as they cross the border.

use super::port;
use crate::json::{self, Json, NULL, Object};
use crate::run::{Expect, Head, Part, StoreOp, StoreReply, Version};

/// Puts an operation into the raw output and gives its length: four bytes, the length of a JSON object, that object,
/// and then the values to which it gives the lengths.
pub fn put(op: &StoreOp) -> u32 {
    let (told, values) = told(op);
    port::with(|port| {
        port.raw.clear();
        port.raw.extend_from_slice(&(told.len() as u32).to_le_bytes());
        port.raw.extend_from_slice(told.as_bytes());
        values.iter().for_each(|value| port.raw.extend_from_slice(value));
        port.raw.len() as u32
    })
}

fn told(op: &StoreOp) -> (String, Vec<&[u8]>) {
    let mut values: Vec<&[u8]> = Vec::new();
    let told = json::object(|told| {
        match op {
            StoreOp::Load(key) => told.fields(&[("op", &"load"), ("key", key)]),
            StoreOp::Save { parts, head } => {
                values.extend(parts.iter().map(|part| part.value.as_slice()));
                values.extend(head.iter().map(|head| head.value.as_slice()));
                let parts: Vec<_> = parts.iter().map(Saved).collect();
                told.fields(&[("op", &"save"), ("parts", &parts), ("head", &head.as_ref().map(Deciding))])
            }
            StoreOp::List { prefix, after, limit } => {
                told.fields(&[("op", &"list"), ("prefix", prefix), ("after", after), ("limit", &(*limit as u64))])
            }
            StoreOp::Delete(keys) => told.fields(&[("op", &"delete"), ("keys", keys)]),
        };
    });
    (told, values)
}

struct Saved<'p>(&'p Part);

impl Json for Saved<'_> {
    fn write(&self, out: &mut String) {
        let mut part = Object::begin(out);
        part.fields(&[("key", &self.0.key), ("length", &(self.0.value.len() as u64))]);
        part.end();
    }
}

struct Deciding<'h>(&'h Head);

impl Json for Deciding<'_> {
    fn write(&self, out: &mut String) {
        let mut head = Object::begin(out);
        head.fields(&[("key", &self.0.key), ("length", &(self.0.value.len() as u64))]);
        match &self.0.expect {
            Expect::Absent => head.field("expect", &NULL),
            Expect::Version(version) => head.field("expect", &version.0),
            Expect::Any => &mut head,
        };
        head.end();
    }
}

/// A reply of that kind: 0 found, 1 missing, 2 saved, 3 conflict, 4 unavailable, else uncertain. In the input are a
/// version and a value, of these lengths.
pub fn reply(kind: u32, version: u32, length: u32) -> StoreReply {
    match kind {
        0 => {
            let (version, value) = found(0, version, length);
            StoreReply::Found(value, version)
        }
        1 => StoreReply::Missing,
        2 => StoreReply::Saved(found(0, version, 0).0),
        3 => StoreReply::Conflict,
        4 => StoreReply::Unavailable,
        _ => StoreReply::Uncertain,
    }
}

/// A version and a value of these lengths, which stand in the input from there on.
pub fn found(from: u32, version: u32, length: u32) -> (Version, Vec<u8>) {
    port::with(|port| {
        let rest = port.input.get(from as usize..).unwrap_or_default();
        let (version, rest) = rest.split_at_checked(version as usize).unwrap_or_default();
        let value = rest.get(..length as usize).unwrap_or_default();
        (Version(String::from_utf8_lossy(version).into_owned()), value.to_vec())
    })
}
