//! The output filter for `js/lastword/filter.mjs`, by functions that take and give numbers.
//!
//! Texts go through two buffers that all filters share: JavaScript writes the input and reads the output.
//! Most pieces of a stream leave as they came; of those only a length is given back, and JavaScript cuts them
//! out of its own string, which costs less than to decode one.

use crate::redact::{OutputFilter, Plan, Settings};
use crate::{Error, json};
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::prelude::wasm_bindgen;

/// An output buffer that has grown beyond this is not kept.
const KEPT: usize = 256 * 1024;
/// The settings that were made ready last are kept so: a filter a message costs little then.
const PLANS: usize = 4;

/// More than that is pending only where a match is swallowed, which JavaScript need not collect.
const PENDING: usize = 16 * 1024;

/// What [`filter_push`] gives for a handle that no filter has: nothing left.
const NOTHING: i32 = 0;

#[derive(Default)]
struct Port {
    input: Vec<u8>,
    output: String,
    /// By handle less one.
    filters: Vec<Option<Open>>,
    /// Places in `filters` without one.
    vacant: Vec<u32>,
    /// The settings' JSON and what they have come to.
    plans: Vec<(String, Rc<Plan>)>,
}

struct Open {
    filter: OutputFilter,
    /// What has come and not left, as JavaScript has it too; nothing while `lost`.
    pending: Vec<u8>,
    /// Something was changed since nothing was last held back, so that it is not known what is pending.
    lost: bool,
}

thread_local! {
    static PORT: RefCell<Port> = RefCell::default();
}

fn with<T>(work: impl FnOnce(&mut Port) -> T) -> T {
    PORT.with_borrow_mut(work)
}

/// Makes the input buffer that long, in bytes, and gives its address. What was in it is gone.
#[wasm_bindgen]
pub fn filter_input(length: u32) -> u32 {
    with(|port| {
        if port.input.len() != length as usize {
            port.input = vec![0; length as usize];
        }
        address(&port.input)
    })
}

/// The address of the output buffer.
#[wasm_bindgen]
pub fn filter_output() -> u32 {
    with(|port| address(port.output.as_bytes()))
}

fn address(buffer: &[u8]) -> u32 {
    buffer.as_ptr().addr() as u32
}

/// A new filter by the settings that are in the input as JSON: its handle, above 0. If the settings are not
/// valid: -n, and the output holds n bytes, the error's code, a line break and why.
#[wasm_bindgen]
pub fn filter_new(length: u32) -> i32 {
    with(|port| match port.plan(length as usize) {
        Ok(plan) => port.open(OutputFilter::with(plan)),
        Err(error) => {
            port.output.clear();
            port.output.push_str(error.code());
            port.output.push('\n');
            port.output.push_str(error.detail().unwrap_or(error.kind().sentence()));
            -(port.output.len() as i32)
        }
    })
}

/// Ends a filter. Its handle may be given to another.
#[wasm_bindgen]
pub fn filter_free(handle: u32) {
    with(|port| {
        let at = handle.wrapping_sub(1);
        if port.filters.get_mut(at as usize).and_then(Option::take).is_some() {
            port.vacant.push(at);
        }
    });
}

/// Pushes so many bytes of the input. Gives
/// - n ≥ 0: so many UTF-16 units of what has come and not left yet leave now, as they are;
/// - -n-1: the output holds n bytes, which leave now. Of what has come nothing is to be kept.
#[wasm_bindgen]
pub fn filter_push(handle: u32, length: u32) -> i32 {
    with(|port| {
        let Some(open) = port.filters.get_mut(handle.wrapping_sub(1) as usize).and_then(Option::as_mut) else {
            return NOTHING;
        };
        let bytes = port.input.get(..length as usize).unwrap_or_default();
        clear(&mut port.output);
        match std::str::from_utf8(bytes) {
            Ok(text) => open.push(text, &mut port.output),
            Err(_) => open.push(&String::from_utf8_lossy(bytes), &mut port.output),
        }
    })
}

/// Ends the message; gives what [`filter_push`] does. The filter is then as new.
#[wasm_bindgen]
pub fn filter_flush(handle: u32) -> i32 {
    with(|port| {
        let Some(open) = port.filters.get_mut(handle.wrapping_sub(1) as usize).and_then(Option::as_mut) else {
            return NOTHING;
        };
        clear(&mut port.output);
        open.flush(&mut port.output)
    })
}

/// Drops what is held back. The filter is then as new.
#[wasm_bindgen]
pub fn filter_abort(handle: u32) {
    with(|port| {
        if let Some(open) = port.open_mut(handle) {
            open.filter.abort();
            open.renew();
        }
    });
}

/// True once the filter has ended the message.
#[wasm_bindgen]
pub fn filter_blocked(handle: u32) -> bool {
    with(|port| port.open_mut(handle).is_some_and(|open| open.filter.blocked()))
}

/// How many bytes are held back.
#[wasm_bindgen]
pub fn filter_held(handle: u32) -> u32 {
    with(|port| port.open_mut(handle).map_or(0, |open| open.filter.held() as u32))
}

/// Writes to the output, as a JSON object, how often each rule has matched. Gives its length in bytes.
#[wasm_bindgen]
pub fn filter_counts(handle: u32) -> u32 {
    with(|port| {
        let text = json::object(|object| {
            for (name, count) in port.open_mut(handle).into_iter().flat_map(|open| open.filter.counts()) {
                object.field(name, &count);
            }
        });
        port.answer(text)
    })
}

/// Writes to the output, as a JSON array, where rules have matched. Gives its length in bytes.
#[wasm_bindgen]
pub fn filter_spans(handle: u32) -> u32 {
    with(|port| {
        let mut text = String::from("[");
        for span in port.open_mut(handle).into_iter().flat_map(|open| open.filter.spans()) {
            if text.len() > 1 {
                text.push(',');
            }
            text.push_str(&json::object(|object| {
                object.field("rule", &span.rule).field("start", &span.start).field("end", &span.end);
            }));
        }
        text.push(']');
        port.answer(text)
    })
}

impl Port {
    /// The settings in the input, made ready.
    fn plan(&mut self, length: usize) -> Result<Rc<Plan>, Error> {
        let text = String::from_utf8_lossy(self.input.get(..length).unwrap_or_default());
        if let Some((_, plan)) = self.plans.iter().find(|(known, _)| *known == text) {
            return Ok(plan.clone());
        }
        let plan = Rc::new(Plan::new(&Settings::parse(&text)?)?);
        if self.plans.len() >= PLANS {
            self.plans.remove(0);
        }
        self.plans.push((text.into_owned(), plan.clone()));
        Ok(plan)
    }

    fn open(&mut self, filter: OutputFilter) -> i32 {
        let open = Some(Open { filter, pending: Vec::new(), lost: false });
        let at = match self.vacant.pop() {
            Some(at) => at as usize,
            None => {
                self.filters.push(None);
                self.filters.len() - 1
            }
        };
        if let Some(place) = self.filters.get_mut(at) {
            *place = open;
        }
        at as i32 + 1
    }

    fn open_mut(&mut self, handle: u32) -> Option<&mut Open> {
        self.filters.get_mut(handle.wrapping_sub(1) as usize)?.as_mut()
    }

    fn answer(&mut self, text: String) -> u32 {
        self.output = text;
        self.output.len() as u32
    }
}

fn clear(output: &mut String) {
    output.clear();
    if output.capacity() > KEPT {
        output.shrink_to(KEPT);
    }
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
