//! A turn's output for `js/lastword/turn.mjs`: signals in, decisions and events out. What it yields stays here, and
//! JavaScript has numbers of it.

use super::decode::list;
use super::port::{self, Slots};
use crate::error::{Error, ErrorKind};
use crate::json::{self, Json};
use crate::provider::signals;
use crate::redact::{Plans, Redaction, Settings};
use crate::run::encode_event;
use crate::signal::{Role, Stop};
use crate::stored::field;
use crate::turn::{ClientCalls, Decision, Early, Published, Rule, Said, TurnOutput};
use serde_json::{Map, Value};
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::prelude::wasm_bindgen;

/// How many settings are kept made ready.
const PLANS: usize = 4;

struct Turn {
    output: TurnOutput,
    signals: signals::Reader,
}

/// What only an emitter opens.
pub enum Token {
    Published(Published),
    Calls(ClientCalls),
    Early(Vec<Early>),
}

thread_local! {
    static TURNS: RefCell<Slots<Turn>> = const { RefCell::new(Slots::new()) };
    static TOKENS: RefCell<Slots<Token>> = const { RefCell::new(Slots::new()) };
    /// The settings' JSON and what they have come to.
    static MADE: RefCell<Vec<(String, Plans)>> = const { RefCell::new(Vec::new()) };
}

/// Takes a token: nobody can use it again.
pub fn token(handle: u32) -> Option<Token> {
    TOKENS.with_borrow_mut(|tokens| tokens.take(handle))
}

/// Drops a token that nobody has used.
#[wasm_bindgen]
pub fn token_free(handle: u32) {
    token(handle);
}

/// A new turn by the options that are in the input as JSON: its handle, or an error.
#[wasm_bindgen]
pub fn turn_new(length: u32) -> i32 {
    port::number(port::value(length).and_then(|options| {
        let turn = Turn { output: output(&options)?, signals: signals::Reader::new() };
        Ok(TURNS.with_borrow_mut(|turns| turns.add(turn)))
    }))
}

/// Ends a turn. Its handle may be given to another.
#[wasm_bindgen]
pub fn turn_free(handle: u32) {
    TURNS.with_borrow_mut(|turns| turns.take(handle));
}

/// Takes the signal that is in the input as JSON. The decision as JSON, if one has come; nothing else.
#[wasm_bindgen]
pub fn turn_signal(handle: u32, length: u32) -> i32 {
    let text = port::text(length);
    tried(handle, |turn| {
        let signals = turn.signals.read(&text)?;
        let decided = signals.into_iter().fold(None, |decided, signal| turn.output.signal(signal).or(decided));
        Ok(decided.as_ref().map(decision).unwrap_or_default())
    })
}

/// Takes a piece of the open message's text.
#[wasm_bindgen]
pub fn turn_push(handle: u32, length: u32) {
    let text = port::text(length);
    with(handle, |turn| turn.output.push(&text));
}

/// Ends the open message, if that one was the assistant's.
#[wasm_bindgen]
pub fn turn_message_ended(handle: u32, assistant: bool) {
    with(handle, |turn| turn.output.message_ended(if assistant { Role::Assistant } else { Role::Other }));
}

/// Releases the filter's tail into the open message.
#[wasm_bindgen]
pub fn turn_flush(handle: u32) {
    with(handle, |turn| turn.output.flush());
}

/// Ends the response, for the reason whose name is in the input. The decision as JSON.
#[wasm_bindgen]
pub fn turn_response_ended(handle: u32, length: u32) -> i32 {
    let stop = Stop::named(&port::text(length));
    tried(handle, |turn| {
        let unknown = || Error::with(ErrorKind::InvalidInput, format!("The reasons are {}.", Stop::NAMES.join(", ")));
        let stop = stop.ok_or_else(unknown)?;
        turn.signals = signals::Reader::new();
        Ok(decision(&turn.output.response_ended(stop)))
    })
}

/// Drops an attempt that failed and is made again.
#[wasm_bindgen]
pub fn turn_attempt_reset(handle: u32) {
    with(handle, |turn| {
        turn.signals = signals::Reader::new();
        turn.output.attempt_reset();
    });
}

/// The candidate's text as a JSON string; nothing if there is no candidate.
#[wasm_bindgen]
pub fn turn_candidate(handle: u32) -> i32 {
    tried(handle, |turn| Ok(turn.output.candidate().map(|text| json::text(&text)).unwrap_or_default()))
}

/// The narration of the response that halted the turn.
#[wasm_bindgen]
pub fn turn_halt_text(handle: u32) -> i32 {
    tried(handle, |turn| Ok(turn.output.halt_text().to_owned()))
}

/// Yields the answer: a token's handle, or an error. What replaces it, if something does, is in the input.
#[wasm_bindgen]
pub fn turn_publish(handle: u32, replaced: bool, length: u32) -> i32 {
    let text = replaced.then(|| port::text(length));
    yields(handle, |turn| turn.output.publish(text.as_deref()).map(Token::Published))
}

/// Yields the client's calls, which are in the input as JSON: a token's handle, or an error.
#[wasm_bindgen]
pub fn turn_hand_over(handle: u32, length: u32) -> i32 {
    let calls = port::value(length).and_then(|value| {
        let invalid =
            || Error::with(ErrorKind::InvalidInput, "Each call has an id, a name and arguments, all strings.");
        value.as_array().into_iter().flatten().map(call).collect::<Option<Vec<_>>>().ok_or_else(invalid)
    });
    yields(handle, |turn| turn.output.hand_over(calls?).map(Token::Calls))
}

/// What is to be written, as a JSON array; nothing if it is nothing.
#[wasm_bindgen]
pub fn turn_events(handle: u32) -> i32 {
    tried(handle, |turn| {
        let events = turn.output.take_events().into_iter();
        Ok(list(events.map(|event| encode_event(&event.into()))))
    })
}

/// What of an early answer is to be written: a token's handle; 0 if it is nothing.
#[wasm_bindgen]
pub fn turn_early(handle: u32) -> i32 {
    let steps = with(handle, |turn| turn.output.take_early()).unwrap_or_default();
    if steps.is_empty() {
        return 0;
    }
    TOKENS.with_borrow_mut(|tokens| tokens.add(Token::Early(steps)))
}

fn with<T>(handle: u32, work: impl FnOnce(&mut Turn) -> T) -> Option<T> {
    TURNS.with_borrow_mut(|turns| turns.get(handle).map(work))
}

fn tried(handle: u32, work: impl FnOnce(&mut Turn) -> Result<String, Error>) -> i32 {
    port::answer(with(handle, work).unwrap_or_else(|| Err(port::gone())))
}

fn yields(handle: u32, work: impl FnOnce(&mut Turn) -> Result<Token, Error>) -> i32 {
    let token = with(handle, work).unwrap_or_else(|| Err(port::gone()));
    port::number(token.map(|token| TOKENS.with_borrow_mut(|tokens| tokens.add(token))))
}

/// A turn by these options.
fn output(options: &Value) -> Result<TurnOutput, Error> {
    let empty = Map::new();
    let options = options.as_object().unwrap_or(&empty);
    let invalid = |name: &str| Error::with(ErrorKind::InvalidInput, format!("{name} is of another form."));
    let flag = |name: &str| field::<bool>(options, name).ok_or_else(|| invalid(name));
    let rule = Rule {
        withhold_truncated: flag("withholdTruncated")?,
        suppress_blank: flag("suppressBlank")?,
        early: flag("early")?,
    };
    let run = field::<Option<String>>(options, "run").ok_or_else(|| invalid("run"))?;
    let used = field::<Vec<String>>(options, "used").ok_or_else(|| invalid("used"))?;
    let most = field::<Option<u32>>(options, "maxText").ok_or_else(|| invalid("maxText"))?;
    let redaction = Redaction::new(plans(options.get("filter").unwrap_or(&Value::Null))?);
    let used: Vec<&str> = used.iter().map(String::as_str).collect();
    let turn = TurnOutput::new(&crate::digest::tag(run.as_deref().unwrap_or("turn")), Rc::new(redaction), &used)
        .rule(rule)
        .public_intermediate(flag("publicIntermediate")?)
        .public_thinking(flag("publicThinking")?);
    Ok(match most {
        Some(bytes) => turn.max_text(bytes as usize),
        None => turn,
    })
}

/// A filter's settings made ready: by default as they are by default, and none for `false`.
fn plans(settings: &Value) -> Result<Plans, Error> {
    let text = json::text(settings);
    MADE.with_borrow_mut(|made| {
        if let Some((_, plans)) = made.iter().find(|(known, _)| *known == text) {
            return Ok(plans.clone());
        }
        let plans = Plans::new(&match settings {
            Value::Bool(false) => Settings::off(),
            Value::Null | Value::Bool(true) => Settings::default(),
            _ => Settings::parse(&text)?,
        })?;
        if made.len() >= PLANS {
            made.remove(0);
        }
        made.push((text, plans.clone()));
        Ok(plans)
    })
}

fn decision(decision: &Decision) -> String {
    json::object(|told| {
        match decision {
            Decision::Candidate => told.field("type", &"candidate"),
            Decision::Calls(said) => {
                let calls: Vec<Called<'_>> = said.calls.iter().map(Called).collect();
                response("calls", said, told).field("calls", &calls)
            }
            Decision::Continue(said) => response("continue", said, told),
            Decision::Dead(kind) => {
                told.fields(&[("type", &"dead"), ("code", &kind.code()), ("message", &kind.sentence())])
            }
        };
    })
}

fn response<'t, 'o>(kind: &str, said: &Said, told: &'t mut json::Object<'o>) -> &'t mut json::Object<'o> {
    told.fields(&[("type", &kind), ("text", &said.text), ("kept", &said.kept)])
}

/// A call as JSON.
struct Called<'c>(&'c crate::input::Call);

impl Json for Called<'_> {
    fn write(&self, out: &mut String) {
        let mut call = json::Object::begin(out);
        call.fields(&[("id", &self.0.id), ("name", &self.0.name), ("arguments", &self.0.arguments)]);
        call.end();
    }
}

fn call(value: &Value) -> Option<crate::input::Call> {
    let fields = value.as_object()?;
    Some(crate::input::Call {
        id: field(fields, "id")?,
        name: field(fields, "name")?,
        arguments: field(fields, "arguments")?,
    })
}
