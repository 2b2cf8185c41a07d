//! The commit machine for `js/lastword/record.mjs`, which performs its store operations and feeds back the replies.

use super::port::{self, Slots};
use super::store;
use super::turn::{self, Token};
use crate::error::{Error, ErrorKind};
use crate::event::{Interrupt, Plain, Timing};
use crate::executor::Executor;
use crate::http;
use crate::input::RunInput;
use crate::json;
use crate::profile::Profile;
use crate::provider::Format;
use crate::run::{Claim, Emitter, Pace, Progress, RunRecord, ThreadKeys, Totals, count_usage, decode_plain, failure};
use crate::stored::{Stored, field};
use crate::wire::agui;
use crate::{Millis, event::ModelUsage};
use serde_json::{Map, Value};
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::prelude::wasm_bindgen;

/// What a writer's emitter does not know itself.
struct Writing {
    emitter: Emitter,
    pace: Pace,
    run: String,
    writer: String,
    fingerprint: String,
    /// Of a run that it has begun.
    input: Option<Rc<RunInput>>,
    model: String,
    started: Millis,
    usage: Vec<ModelUsage>,
    /// To the first text that was written.
    ttft: Option<Millis>,
}

thread_local! {
    static WRITERS: RefCell<Slots<Writing>> = const { RefCell::new(Slots::new()) };
}

/// An emitter of a run that nobody has begun yet, by the options in the input: its handle, or an error.
#[wasm_bindgen]
pub fn emitter_start(length: u32, now: f64) -> i32 {
    port::number(port::value(length).and_then(|options| {
        let options = Options::read(&options)?;
        let body = json::text(options.fields.get("input").unwrap_or(&Value::Null));
        let input = Rc::new(agui::keep(body.as_bytes(), &agui::Limits::default())?);
        let now = now as Millis;
        let profile = options.profile(&input, now)?;
        let claim = options.claim()?;
        let pace = Pace::new(claim.traits, claim.lease);
        let writing = Writing {
            run: input.run.clone(),
            writer: claim.writer.clone(),
            fingerprint: input.fingerprint.clone(),
            model: profile.model.clone(),
            emitter: Emitter::start(claim, &input, profile, now),
            input: Some(input),
            started: now,
            usage: Vec::new(),
            ttft: None,
            pace,
        };
        Ok(WRITERS.with_borrow_mut(|writers| writers.add(writing)))
    }))
}

/// An emitter that ends a run whose writer is gone, by the options in the input. Behind them, in bytes, are the
/// version and the value of its head.
///
/// Refused for a run that has ended ([`ErrorKind::RunEnded`]), or whose writer may live ([`ErrorKind::RunActive`]).
#[wasm_bindgen]
pub fn emitter_adopt(length: u32, version: u32, head: u32, now: f64) -> i32 {
    port::number(port::value(length).and_then(|options| {
        let options = Options::read(&options)?;
        let claim = options.claim()?;
        let (version, head) = store::found(length, version, head);
        let record = RunRecord::decode_under(&head, &claim.keys)?;
        let now = now as Millis;
        if record.is_ended() {
            return Err(ErrorKind::RunEnded.into());
        }
        if claim.traits.owner == crate::run::Owner::Shared && !claim.traits.is_over(record.lease, now) {
            return Err(ErrorKind::RunActive.into());
        }
        let mut pace = Pace::new(claim.traits, claim.lease);
        pace.saved(now);
        let writing = Writing {
            run: record.run.clone(),
            writer: claim.writer.clone(),
            fingerprint: record.fingerprint.clone(),
            model: record.profile.model.clone(),
            started: record.times.started_at,
            emitter: Emitter::adopt(claim, record, version),
            input: None,
            usage: Vec::new(),
            ttft: None,
            pace,
        };
        Ok(WRITERS.with_borrow_mut(|writers| writers.add(writing)))
    }))
}

/// Ends an emitter. Its handle may be given to another.
#[wasm_bindgen]
pub fn emitter_free(handle: u32) {
    WRITERS.with_borrow_mut(|writers| writers.take(handle));
}

/// Writes the events in the input, a JSON array of `{type, data}`: all of them, or none and an error. 1 if nothing
/// more is to be written before a commit.
#[wasm_bindgen]
pub fn emitter_write(handle: u32, length: u32, now: f64) -> i32 {
    let events = port::value(length).and_then(|events| match events {
        Value::Array(events) => events.iter().map(plain).collect::<Result<Vec<_>, _>>(),
        _ => Err(Error::with(ErrorKind::InvalidInput, "Events are a list.")),
    });
    did(handle, |writing| {
        for event in events? {
            writing.note(&event, now as Millis);
            writing.emitter.write(event)?;
        }
        Ok(i32::from(Pace::is_full(&writing.emitter)))
    })
}

/// Writes, or ends the run with, what a token holds.
#[wasm_bindgen]
pub fn emitter_take(handle: u32, token: u32, now: f64) -> i32 {
    did(handle, |writing| {
        let used = || Error::with(ErrorKind::InvalidInput, "It was used before.");
        let mut totals = writing.totals(now as Millis);
        match turn::token(token).ok_or_else(used)? {
            Token::Early(steps) => {
                for step in steps {
                    writing.emitter.write_early(step)?;
                }
            }
            Token::Published(published) => {
                totals.timing.answer_ms = Some(totals.timing.total_ms);
                writing.emitter.succeed(published, totals)?;
            }
            Token::Calls(calls) => writing.emitter.hand_over(calls, totals)?,
        }
        Ok(0)
    })
}

/// Ends a run that somebody has stopped.
#[wasm_bindgen]
pub fn emitter_cancel(handle: u32, now: f64) -> i32 {
    did(handle, |writing| {
        let totals = writing.totals(now as Millis);
        writing.emitter.cancel(totals).map(|()| 0)
    })
}

/// Ends a run that has failed, with the code that is in the input.
#[wasm_bindgen]
pub fn emitter_fail(handle: u32, length: u32, now: f64) -> i32 {
    let code = port::text(length);
    did(handle, |writing| {
        let unknown = || Error::with(ErrorKind::InvalidInput, "There is no such code of an error.");
        let kind = ErrorKind::ALL.iter().copied().find(|kind| kind.code() == code).ok_or_else(unknown)?;
        let totals = writing.totals(now as Millis);
        let failure = failure(kind, &writing.run, &writing.writer);
        writing.emitter.fail(failure, totals).map(|()| 0)
    })
}

/// Ends a run that waits for a person, with the interrupts in the input: a JSON array.
#[wasm_bindgen]
pub fn emitter_interrupt(handle: u32, length: u32, now: f64) -> i32 {
    let interrupts = port::value(length).and_then(|value| {
        let invalid = || Error::with(ErrorKind::InvalidInput, "Each interrupt has an id and a reason, both strings.");
        Vec::<Interrupt>::read(&value).ok_or_else(invalid)
    });
    did(handle, |writing| {
        let adopted = || Error::with(ErrorKind::InvalidInput, "Only the writer that began a run interrupts it.");
        let input = writing.input.clone().ok_or_else(adopted)?;
        let mut executor = Executor::new(input, Format::Signals, &writing.model, 1);
        let waiting = executor.wait_for(interrupts?, 1)?;
        let totals = writing.totals(now as Millis);
        writing.emitter.interrupt(waiting, totals).map(|()| 0)
    })
}

/// How many customers and operators read along.
#[wasm_bindgen]
pub fn emitter_readers(handle: u32, customers: u32, operators: u32) {
    with(handle, |writing| writing.pace.readers = (customers as usize, operators as usize));
}

/// What is to be done next: n bytes in the raw output, a store operation; else 0. `hurried` is whether somebody waits
/// for what was written.
#[wasm_bindgen]
pub fn emitter_next(handle: u32, now: f64, hurried: bool) -> u32 {
    let op = with(handle, |writing| {
        writing.pace.seal(now as Millis, &mut writing.emitter, hurried);
        writing.emitter.poll()
    });
    op.flatten().map_or(0, |op| store::put(&op))
}

/// When to ask for what is next, in milliseconds since the Unix epoch, if nothing is written before; 0 for never.
#[wasm_bindgen]
pub fn emitter_deadline(handle: u32) -> f64 {
    let due = with(handle, |writing| {
        let idle = !writing.emitter.is_busy() && !writing.emitter.record().is_ended();
        writing.pace.deadline().filter(|_| idle)
    });
    due.flatten().unwrap_or_default() as f64
}

/// True if all that was written is durable.
#[wasm_bindgen]
pub fn emitter_is_through(handle: u32) -> bool {
    with(handle, |writing| !writing.emitter.is_busy() && writing.emitter.pending_bytes() == 0).unwrap_or(true)
}

/// Lets a commit that waits go on.
#[wasm_bindgen]
pub fn emitter_retry(handle: u32) {
    with(handle, |writing| writing.emitter.retry());
}

/// Takes the store's reply, as [`store::reply`] reads it. What it came to, as JSON: `{"is"}`, and what belongs to it.
#[wasm_bindgen]
pub fn emitter_replied(handle: u32, now: f64, kind: u32, version: u32, length: u32) -> i32 {
    let reply = store::reply(kind, version, length);
    let now = now as Millis;
    let told = with(handle, |writing| {
        let progress = writing.emitter.replied(now, reply);
        if let Progress::Committed(_) = progress {
            writing.pace.committed(now, writing.emitter.record().lease);
        }
        json::object(|told| {
            match &progress {
                Progress::None => told.field("is", &"on"),
                Progress::Committed(_) => told.field("is", &"committed"),
                Progress::RetryAt(at) => told.fields(&[("is", &"waiting"), ("at", at)]),
                Progress::Lost(None) | Progress::GaveUp => told.field("is", &"away"),
                Progress::Unseen => told.field("is", &"unseen"),
                Progress::Unreadable(error) => told.fields(&[("is", &"unreadable"), ("code", &error.code())]),
                Progress::Lost(Some(record)) => {
                    let same = record.fingerprint == writing.fingerprint;
                    let record = json::Raw(http::record(record).body);
                    told.fields(&[("is", &"lost"), ("same", &same), ("record", &record)])
                }
            };
        })
    });
    port::answer(told.ok_or_else(port::gone))
}

/// The record that the store acknowledged last, as clients are told it.
#[wasm_bindgen]
pub fn emitter_record(handle: u32) -> i32 {
    let record = with(handle, |writing| http::record(writing.emitter.record()).body);
    port::answer(record.ok_or_else(port::gone))
}

fn with<T>(handle: u32, work: impl FnOnce(&mut Writing) -> T) -> Option<T> {
    WRITERS.with_borrow_mut(|writers| writers.get(handle).map(work))
}

fn did(handle: u32, work: impl FnOnce(&mut Writing) -> Result<i32, Error>) -> i32 {
    port::number(with(handle, work).unwrap_or_else(|| Err(port::gone())))
}

fn plain(event: &Value) -> Result<Plain, Error> {
    let kind = event.get("type").and_then(Value::as_str).unwrap_or_default();
    decode_plain(kind, event.get("data").unwrap_or(&Value::Null))
}

impl Writing {
    /// Takes note of what an event says of the whole run.
    fn note(&mut self, event: &Plain, now: Millis) {
        match event {
            Plain::ResponseEnded { usage, .. } => count_usage(&mut self.usage, usage),
            Plain::IntermediateStart { .. } if self.ttft.is_none() => {
                self.ttft = Some(now.saturating_sub(self.started));
            }
            _ => {}
        }
    }

    fn totals(&self, now: Millis) -> Totals {
        let total_ms = now.saturating_sub(self.started);
        Totals { usage: self.usage.clone(), timing: Timing { ttft_ms: self.ttft, answer_ms: None, total_ms } }
    }
}

/// What an emitter is made with.
struct Options<'o> {
    fields: &'o Map<String, Value>,
}

impl<'o> Options<'o> {
    fn read(options: &'o Value) -> Result<Self, Error> {
        let fields = options.as_object().ok_or(ErrorKind::InvalidInput)?;
        Ok(Options { fields })
    }

    fn get<T: Stored>(&self, name: &str) -> Result<T, Error> {
        let invalid = || Error::with(ErrorKind::InvalidInput, format!("{name} is of another form."));
        field(self.fields, name).ok_or_else(invalid)
    }

    fn claim(&self) -> Result<Claim, Error> {
        let (scope, thread, run): (String, String, String) =
            (self.get("scope")?, self.get("thread")?, self.get("run")?);
        Ok(Claim {
            keys: ThreadKeys::new(&scope, &thread).run(&run),
            scope,
            writer: self.get("writer")?,
            traits: self.get("traits")?,
            lease: self.get("lease")?,
        })
    }

    fn profile(&self, input: &RunInput, now: Millis) -> Result<Profile, Error> {
        let model = self.get::<Option<String>>("model")?.or_else(|| input.model.clone()).unwrap_or_default();
        Ok(Profile {
            public_intermediate: self.get("publicIntermediate")?,
            public_thinking: self.get("publicThinking")?,
            public_tools: self.get("publicTools")?,
            public_working: self.get("publicWorking")?,
            ..Profile::new(&model, input.protocol, now)
        })
    }
}
