//! The output filter for `js/lastword/filter.mjs`, by functions that take and give numbers.
//!
//! Most pieces of a stream leave as they came; of those only a length is given back, and JavaScript cuts them
//! out of its own string, which costs less than to decode one.

use super::port::{self, Slots};
use crate::redact::{OutputFilter, Plan, Settings};
use crate::{Error, json};
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::prelude::wasm_bindgen;

/// The settings that were made ready last are kept so: a filter a message costs little then.
const PLANS: usize = 4;

/// More than that is pending only where a match is swallowed, which JavaScript need not collect.
const PENDING: usize = 16 * 1024;

/// What [`filter_push`] gives for a handle that no filter has: nothing left.
const NOTHING: i32 = 0;

struct Open {
    filter: OutputFilter,
    /// What has come and not left, as JavaScript has it too; nothing while `lost`.
    pending: Vec<u8>,
    /// Something was changed since nothing was last held back, so that it is not known what is pending.
    lost: bool,
}

thread_local! {
    static FILTERS: RefCell<Slots<Open>> = const { RefCell::new(Slots::new()) };
    /// The settings' JSON and what they have come to.
    static MADE: RefCell<Vec<(String, Rc<Plan>)>> = const { RefCell::new(Vec::new()) };
}

/// What is done with a filter, if there is one of that handle.
fn with<T>(handle: u32, work: impl FnOnce(&mut Open) -> T) -> Option<T> {
    FILTERS.with_borrow_mut(|filters| filters.get(handle).map(work))
}

/// A new filter by the settings that are in the input as JSON: its handle, or an error.
#[wasm_bindgen]
pub fn filter_new(length: u32) -> i32 {
    port::number(plan(&port::text(length)).map(|plan| {
        let open = Open { filter: OutputFilter::with(plan), pending: Vec::new(), lost: false };
        FILTERS.with_borrow_mut(|filters| filters.add(open))
    }))
}

/// Ends a filter. Its handle may be given to another.
#[wasm_bindgen]
pub fn filter_free(handle: u32) {
    FILTERS.with_borrow_mut(|filters| filters.take(handle));
}

/// Pushes so many bytes of the input. Gives
/// - n ≥ 0: so many UTF-16 units of what has come and not left yet leave now, as they are;
/// - -n-1: the output holds n bytes, which leave now. Of what has come nothing is to be kept.
#[wasm_bindgen]
pub fn filter_push(handle: u32, length: u32) -> i32 {
    let pushed = with(handle, |open| {
        port::with(|port| {
            port.clear();
            let bytes = port.input.get(..length as usize).unwrap_or_default();
            match std::str::from_utf8(bytes) {
                Ok(text) => open.push(text, &mut port.output),
                Err(_) => open.push(&String::from_utf8_lossy(bytes), &mut port.output),
            }
        })
    });
    pushed.unwrap_or(NOTHING)
}

/// Ends the message; gives what [`filter_push`] does. The filter is then as new.
#[wasm_bindgen]
pub fn filter_flush(handle: u32) -> i32 {
    let flushed = with(handle, |open| {
        port::with(|port| {
            port.clear();
            open.flush(&mut port.output)
        })
    });
    flushed.unwrap_or(NOTHING)
}

/// Drops what is held back. The filter is then as new.
#[wasm_bindgen]
pub fn filter_abort(handle: u32) {
    with(handle, |open| {
        open.filter.abort();
        open.renew();
    });
}

/// True once the filter has ended the message.
#[wasm_bindgen]
pub fn filter_blocked(handle: u32) -> bool {
    with(handle, |open| open.filter.blocked()).unwrap_or_default()
}

/// How many bytes are held back.
#[wasm_bindgen]
pub fn filter_held(handle: u32) -> u32 {
    with(handle, |open| open.filter.held() as u32).unwrap_or_default()
}

/// How often each rule has matched, as a JSON object.
#[wasm_bindgen]
pub fn filter_counts(handle: u32) -> i32 {
    let counts = with(handle, |open| {
        json::object(|object| {
            for (name, count) in open.filter.counts() {
                object.field(name, &count);
            }
        })
    });
    port::answer(counts.ok_or_else(port::gone))
}

/// Where rules have matched, as a JSON array.
#[wasm_bindgen]
pub fn filter_spans(handle: u32) -> i32 {
    let spans = with(handle, |open| {
        let mut text = String::from("[");
        for span in open.filter.spans() {
            if text.len() > 1 {
                text.push(',');
            }
            text.push_str(&json::object(|object| {
                object.field("rule", &span.rule).field("start", &span.start).field("end", &span.end);
            }));
        }
        text.push(']');
        text
    });
    port::answer(spans.ok_or_else(port::gone))
}

/// Settings made ready.
fn plan(text: &str) -> Result<Rc<Plan>, Error> {
    MADE.with_borrow_mut(|made| {
        if let Some((_, plan)) = made.iter().find(|(known, _)| known == text) {
            return Ok(plan.clone());
        }
        let plan = Rc::new(Plan::new(&Settings::parse(text)?)?);
        if made.len() >= PLANS {
            made.remove(0);
        }
        made.push((text.to_owned(), plan.clone()));
        Ok(plan)
    })
}

impl Open {
    fn push(&mut self, text: &str, out: &mut String) -> i32 {
        let unchanged = self.filter.push_into(text, out);
        if unchanged && !self.lost && self.leaves(text.as_bytes(), out.as_bytes()) && self.pending.len() <= PENDING {
            return units(out);
        }
        self.pending = Vec::new();
        self.lost = !self.filter.is_clear();
        -(out.len() as i32) - 1
    }

    fn flush(&mut self, out: &mut String) -> i32 {
        let unchanged = self.filter.flush_into(out);
        let whole = unchanged && !self.lost && self.pending == out.as_bytes();
        self.renew();
        if whole { units(out) } else { -(out.len() as i32) - 1 }
    }

    fn renew(&mut self) {
        self.pending.clear();
        self.lost = false;
    }

    /// True if what leaves is the next of what has come, which is not taken on trust: JavaScript is to cut it out
    /// of a text in which a secret may stand. Then it is pending no longer.
    fn leaves(&mut self, text: &[u8], out: &[u8]) -> bool {
        if self.pending.is_empty() {
            let (Some(left), Some(rest)) = (text.get(..out.len()), text.get(out.len()..)) else { return false };
            self.pending.extend_from_slice(rest);
            return left == out;
        }
        self.pending.extend_from_slice(text);
        if !self.pending.starts_with(out) {
            return false;
        }
        self.pending.drain(..out.len());
        true
    }
}

/// The length of a text as JavaScript counts it.
fn units(text: &str) -> i32 {
    if text.is_ascii() {
        return text.len() as i32;
    }
    text.bytes().map(|byte| i32::from(byte & 0xC0 != 0x80) + i32::from(byte >= 0xF0)).sum()
}
