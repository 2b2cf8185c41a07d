//! What all of the binding share: the buffers through which texts and bytes cross the border, and the places of
//! what JavaScript holds by number.
//!
//! JavaScript writes the input and reads an output, and copies what it reads before the next call. Where a function
//! gives an `i32` for a text, that is its length in bytes in the output; -n is an error, for which the output holds n
//! bytes: its code, a line break, and why.

use crate::{Error, ErrorKind, json};
use std::cell::RefCell;
use wasm_bindgen::prelude::wasm_bindgen;

/// An output buffer that has grown beyond this is not kept.
const KEPT: usize = 256 * 1024;

/// The buffers.
#[derive(Default)]
pub struct Port {
    pub input: Vec<u8>,
    pub output: String,
    /// What is to be read as bytes.
    pub raw: Vec<u8>,
}

thread_local! {
    static PORT: RefCell<Port> = RefCell::default();
}

/// Works with the buffers. Not to be called within itself.
pub fn with<T>(work: impl FnOnce(&mut Port) -> T) -> T {
    PORT.with_borrow_mut(work)
}

/// Makes the input buffer that long, in bytes, and gives its address. What was in it is gone.
#[wasm_bindgen]
pub fn port_input(length: u32) -> u32 {
    with(|port| {
        if port.input.len() != length as usize {
            port.input = vec![0; length as usize];
        }
        address(&port.input)
    })
}

/// The address of the output that is text.
#[wasm_bindgen]
pub fn port_output() -> u32 {
    with(|port| address(port.output.as_bytes()))
}

/// The address of the output that is bytes.
#[wasm_bindgen]
pub fn port_raw() -> u32 {
    with(|port| address(&port.raw))
}

fn address(buffer: &[u8]) -> u32 {
    buffer.as_ptr().addr() as u32
}

impl Port {
    /// So many bytes of the input.
    pub fn bytes(&self, length: u32) -> &[u8] {
        self.input.get(..length as usize).unwrap_or_default()
    }

    /// Empties the output, for a text that is written into it.
    pub fn clear(&mut self) {
        self.output.clear();
        if self.output.capacity() > KEPT {
            self.output.shrink_to(KEPT);
        }
    }
}

/// So many bytes of the input, as text.
pub fn text(length: u32) -> String {
    with(|port| String::from_utf8_lossy(port.bytes(length)).into_owned())
}

/// So many bytes of the input, as JSON.
pub fn value(length: u32) -> Result<serde_json::Value, Error> {
    let read = with(|port| json::read::read(port.bytes(length)));
    read.map_err(|_| ErrorKind::MalformedJson.into())
}

/// A text as an answer, or an error.
pub fn answer(given: Result<String, Error>) -> i32 {
    match given {
        Ok(text) => put(text),
        Err(error) => refuse(&error),
    }
}

/// A number as an answer, or an error.
pub fn number(given: Result<i32, Error>) -> i32 {
    given.unwrap_or_else(|error| refuse(&error))
}

/// A text as an answer.
pub fn put(text: String) -> i32 {
    with(|port| {
        port.output = text;
        port.output.len() as i32
    })
}

/// An error as an answer.
pub fn refuse(error: &Error) -> i32 {
    let why = error.detail().unwrap_or(error.kind().sentence());
    -put(format!("{}\n{why}", error.code()))
}

/// The error of a number that stands for nothing.
pub fn gone() -> Error {
    Error::with(ErrorKind::Internal, "What is called was freed.")
}

/// What JavaScript holds by number, from 1 on.
pub struct Slots<T> {
    /// By number less one.
    items: Vec<Option<T>>,
    /// Places without one.
    vacant: Vec<u32>,
}

impl<T> Slots<T> {
    pub const fn new() -> Self {
        Slots { items: Vec::new(), vacant: Vec::new() }
    }

    /// Its number.
    pub fn add(&mut self, item: T) -> i32 {
        let at = match self.vacant.pop() {
            Some(at) => at,
            None => {
                self.items.push(None);
                self.items.len() as u32 - 1
            }
        };
        if let Some(place) = self.items.get_mut(at as usize) {
            *place = Some(item);
        }
        at as i32 + 1
    }

    pub fn get(&mut self, number: u32) -> Option<&mut T> {
        self.items.get_mut(number.wrapping_sub(1) as usize)?.as_mut()
    }

    /// Takes it out. Its number may be given to another.
    pub fn take(&mut self, number: u32) -> Option<T> {
        let at = number.wrapping_sub(1);
        let item = self.items.get_mut(at as usize)?.take()?;
        self.vacant.push(at);
        Some(item)
    }
}
