//! Records and readers for `js/lastword/record.mjs`, which loads what a reader wants.

use super::port::{self, Slots};
use crate::Millis;
use crate::error::{Error, ErrorKind};
use crate::event::View;
use crate::http;
use crate::json::{self, Json, Object, Raw};
use crate::run::{Cursor, Need, Reader, RunKeys, RunRecord, ThreadKeys, Tries};
use crate::sse::Frame;
use crate::stored::{Stored, field};
use crate::wire::{Form, Wire};
use serde_json::{Map, Value};
use std::cell::RefCell;
use wasm_bindgen::prelude::wasm_bindgen;

struct Reading {
    reader: Reader,
    wire: Wire,
    /// Of the load that is wanted now.
    tries: Tries,
}

thread_local! {
    static READERS: RefCell<Slots<Reading>> = const { RefCell::new(Slots::new()) };
}

/// A stored head as clients are told it. In the input are a run's place as JSON, perhaps empty, and the head.
#[wasm_bindgen]
pub fn record_decode(place: u32, head: u32) -> i32 {
    let bytes = port::with(|port| {
        let head = port.input.get(place as usize..).and_then(|rest| rest.get(..head as usize));
        head.unwrap_or_default().to_vec()
    });
    let record = match place {
        0 => RunRecord::decode(&bytes),
        _ => keys_in(place).and_then(|keys| RunRecord::decode_under(&bytes, &keys)),
    };
    port::answer(record.map(|record| http::record(&record).body))
}

/// The key of the head of the run whose place is in the input as JSON.
#[wasm_bindgen]
pub fn record_key(place: u32) -> i32 {
    port::answer(keys_in(place).map(|keys| keys.head()))
}

/// A reader by the options that are in the input as JSON: its handle, or an error.
#[wasm_bindgen]
pub fn reader_new(length: u32) -> i32 {
    port::number(port::value(length).and_then(|options| {
        let reading = reading(&options)?;
        Ok(READERS.with_borrow_mut(|readers| readers.add(reading)))
    }))
}

/// Ends a reader. Its handle may be given to another.
#[wasm_bindgen]
pub fn reader_free(handle: u32) {
    READERS.with_borrow_mut(|readers| readers.take(handle));
}

/// The headers of the reader's wire besides those of every event stream, as a JSON object.
#[wasm_bindgen]
pub fn reader_headers(handle: u32) -> i32 {
    let headers = with(handle, |reading| {
        json::object(|headers| {
            for (name, value) in reading.wire.headers() {
                headers.field(name, value);
            }
        })
    });
    port::answer(headers.ok_or_else(port::gone))
}

/// What the reader wants next, as JSON: `load` (a key), `frames`, `wait`, `failed` (a frame), or nothing behind the end.
#[wasm_bindgen]
pub fn reader_next(handle: u32) -> i32 {
    let need = with(handle, |reading| match reading.reader.next() {
        Need::Load(key) => said("load", &key),
        Need::Frames(frames) => said("frames", &frames.iter().map(Told).collect::<Vec<_>>()),
        Need::Wait(seen) => said("wait", &seen),
        Need::Fail(frame, _) | Need::Passed(frame, _) => said("failed", &Told(&frame)),
        Need::Document(document) => said("frames", &vec![Raw(document.body)]),
        Need::End => String::new(),
    });
    port::answer(need.ok_or_else(port::gone))
}

/// Gives the reader what it wanted: in the input are the key and the value, of these lengths.
#[wasm_bindgen]
pub fn reader_loaded(handle: u32, key: u32, length: u32, there: bool) {
    let (key, value) = super::store::found(0, key, length);
    with(handle, |reading| {
        reading.tries = Tries::of_reader();
        reading.reader.loaded(&key.0, there.then_some(value.as_slice()));
    });
}

/// What it wanted could not be read now: when to try again, in milliseconds since the Unix epoch; 0 once it has failed.
#[wasm_bindgen]
pub fn reader_missed(handle: u32, now: f64) -> f64 {
    let again = with(handle, |reading| {
        let again = reading.tries.again(now as Millis);
        if again.is_none() {
            reading.reader.fail(ErrorKind::StoreUnavailable.into());
        }
        again
    });
    again.flatten().unwrap_or_default() as f64
}

/// There may be more than the reader has seen.
#[wasm_bindgen]
pub fn reader_wake(handle: u32) {
    with(handle, |reading| reading.reader.wake());
}

/// Nothing more will come of the run here.
#[wasm_bindgen]
pub fn reader_fail(handle: u32) {
    with(handle, |reading| reading.reader.fail(ErrorKind::StoreUnavailable.into()));
}

fn with<T>(handle: u32, work: impl FnOnce(&mut Reading) -> T) -> Option<T> {
    READERS.with_borrow_mut(|readers| readers.get(handle).map(work))
}

fn reading(options: &Value) -> Result<Reading, Error> {
    let fields = object(options)?;
    let keys = keys(fields)?;
    let wire: Wire = get(fields, "to")?;
    let after: Option<String> = get(fields, "after")?;
    let view = match (get::<Option<View>>(fields, "view")?, wire) {
        (Some(view), Wire::Canonical) => view,
        (Some(View::Operator), _) => return Err(invalid("view: only the canonical wire has the operator's")),
        _ => View::Customer,
    };
    let reader = match wire {
        Wire::Canonical | Wire::AgUi => {
            let cursor = after.as_deref().map(Cursor::parse).transpose()?;
            Reader::new(keys, view, wire, cursor)
        }
        _ => {
            let bad = || Error::new(ErrorKind::BadCursor);
            let had = after.as_deref().unwrap_or("0").parse::<u64>().map_err(|_| bad())?;
            Reader::folding(keys, wire, Form::Stream, get(fields, "usage")?, had)
        }
    };
    let reader = match get::<Option<Vec<String>>>(fields, "types")? {
        Some(types) => reader.only(types),
        None => reader,
    };
    let reader = if get(fields, "patient")? { reader.patient() } else { reader };
    Ok(Reading { reader: reader.named(get(fields, "name")?), wire, tries: Tries::of_reader() })
}

fn keys_in(length: u32) -> Result<RunKeys, Error> {
    let place = port::value(length)?;
    keys(object(&place)?)
}

fn keys(fields: &Map<String, Value>) -> Result<RunKeys, Error> {
    let (scope, thread, run): (String, String, String) =
        (get(fields, "scope")?, get(fields, "thread")?, get(fields, "run")?);
    Ok(ThreadKeys::new(&scope, &thread).run(&run))
}

fn object(value: &Value) -> Result<&Map<String, Value>, Error> {
    value.as_object().ok_or_else(|| invalid("options"))
}

fn get<T: Stored>(fields: &Map<String, Value>, name: &str) -> Result<T, Error> {
    field(fields, name).ok_or_else(|| invalid(name))
}

fn invalid(name: &str) -> Error {
    Error::with(ErrorKind::InvalidInput, format!("{name} is of another form."))
}

fn said(name: &str, value: &dyn Json) -> String {
    json::object(|need| {
        need.field(name, value);
    })
}

/// A frame as JSON.
struct Told<'f>(&'f Frame);

impl Json for Told<'_> {
    fn write(&self, out: &mut String) {
        let mut frame = Object::begin(out);
        frame.fields(&[("id", &self.0.id), ("event", &self.0.event), ("data", &self.0.data)]);
        frame.end();
    }
}
