//! The routes of wires that other services began: OpenAI's, Anthropic's, the AI SDK's.

use super::{Route, decode, id};
use crate::error::{Error, ErrorKind};
use crate::wire::responses::run_of;
use crate::wire::{Form, Wire};

/// A POST that begins a run whose body says all but its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Begin {
    /// The wire.
    pub wire: Wire,
    /// The conversation is to be summarised, not gone on with (`/v1/responses/compact`).
    pub compact: bool,
}

/// What is asked of a response that was begun.
#[derive(Clone, Debug, PartialEq)]
pub struct Stored {
    /// The run's id.
    pub run: String,
    /// What.
    pub ask: Ask,
}

/// What is asked of a stored response.
#[derive(Clone, Debug, PartialEq)]
pub enum Ask {
    /// The response as it stands, or its stream behind the first so many events.
    Read(Form, u64),
    /// Stop it.
    Cancel,
    /// Delete it.
    Delete,
    /// What it was given.
    Input(Page),
}

/// A page of what a response was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// `?order=asc`: the oldest first.
    pub ascending: bool,
    /// `?after=`: behind that item.
    pub after: Option<String>,
    /// `?limit=`: how many at most, 1 to 100.
    pub limit: usize,
}

/// What is asked of a chat's newest run.
#[derive(Clone, Debug, PartialEq)]
pub struct Chat {
    /// The chat, which is a thread.
    pub chat: String,
    /// What.
    pub ask: ChatAsk,
}

/// What is asked of a chat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChatAsk {
    /// Its stream, if it is at work.
    Resume,
    /// The messages so far.
    Messages,
    /// Stop it.
    Cancel,
}

/// The methods of such a path; none if it is none.
pub(super) fn methods(pieces: &[&str]) -> Option<&'static [&'static str]> {
    match pieces {
        ["v1", "responses"] | ["v1", "responses", "compact"] | ["v1", "chat", "completions"] => Some(&["POST"]),
        ["v1", "messages"] | ["api", "chat"] | ["api", "chat", _, "cancel"] => Some(&["POST"]),
        ["v1", "responses", _, "cancel"] => Some(&["POST"]),
        ["v1", "responses", _, "input_items"] | ["v1", "models"] => Some(&["GET"]),
        ["v1", "responses", _] => Some(&["GET", "DELETE"]),
        ["api", "chat", _, "stream"] | ["api", "chat", _] => Some(&["GET"]),
        _ => None,
    }
}

/// The wire whose errors a path's clients read, where that is none of our own.
pub fn wire(path: &str) -> Option<Wire> {
    match super::pieces(path).as_slice() {
        ["v1", "responses", ..] => Some(Wire::Responses),
        ["v1", "chat", "completions"] | ["v1", "models"] => Some(Wire::ChatCompletions),
        ["v1", "messages"] => Some(Wire::Messages),
        ["api", "chat", ..] => Some(Wire::UiStream),
        _ => None,
    }
}

/// Understands such a request; none if it is none.
pub(super) fn parse(method: &str, pieces: &[&str], query: &str) -> Result<Option<Route>, Error> {
    let begin = |wire, compact| Ok(Some(Route::Begin(Begin { wire, compact })));
    match pieces {
        ["v1", "responses"] => begin(Wire::Responses, false),
        ["v1", "responses", "compact"] => begin(Wire::Responses, true),
        ["v1", "chat", "completions"] => begin(Wire::ChatCompletions, false),
        ["v1", "messages"] => begin(Wire::Messages, false),
        ["api", "chat"] => begin(Wire::UiStream, false),
        ["v1", "models"] => Ok(Some(Route::Models)),
        ["v1", "responses", response, "cancel"] => stored(response, Ask::Cancel),
        ["v1", "responses", response, "input_items"] => stored(response, Ask::Input(page(query)?)),
        ["v1", "responses", response] if method == "DELETE" => stored(response, Ask::Delete),
        ["v1", "responses", response] => stored(response, read(query)?),
        ["api", "chat", chat, "stream"] => of_chat(chat, ChatAsk::Resume),
        ["api", "chat", chat, "cancel"] => of_chat(chat, ChatAsk::Cancel),
        ["api", "chat", chat] => of_chat(chat, ChatAsk::Messages),
        _ => Ok(None),
    }
}

/// An id that no response of ours has names a run that is not there.
fn stored(response: &str, ask: Ask) -> Result<Option<Route>, Error> {
    let run = run_of(&id(response)?).map(str::to_owned).ok_or(ErrorKind::UnknownRun)?;
    Ok(Some(Route::Stored(Stored { run, ask })))
}

fn of_chat(chat: &str, ask: ChatAsk) -> Result<Option<Route>, Error> {
    Ok(Some(Route::Chat(Chat { chat: id(chat)?, ask })))
}

/// `?stream=true&starting_after=N`: event N has been had.
fn read(query: &str) -> Result<Ask, Error> {
    let (mut form, mut had) = (Form::Now, 0);
    for (name, value) in values(query) {
        match name {
            "stream" if value == "true" => form = Form::Stream,
            "starting_after" => {
                let after = decode(value)?.parse::<u64>().ok().and_then(|after| after.checked_add(1));
                had = after.ok_or_else(|| invalid("starting_after must be a whole number."))?;
            }
            _ => {}
        }
    }
    Ok(Ask::Read(form, had))
}

fn page(query: &str) -> Result<Page, Error> {
    let mut page = Page { ascending: false, after: None, limit: 20 };
    for (name, value) in values(query) {
        let value = decode(value)?;
        match (name, value.as_str()) {
            ("order", "asc") => page.ascending = true,
            ("order", "desc") => page.ascending = false,
            ("order", _) => return Err(invalid("order must be asc or desc.")),
            ("limit", limit) => {
                let limit = limit.parse().ok().filter(|limit| (1..=100).contains(limit));
                page.limit = limit.ok_or_else(|| invalid("limit must be a whole number from 1 to 100."))?;
            }
            ("after", _) => page.after = Some(value),
            _ => {}
        }
    }
    Ok(page)
}

fn values(query: &str) -> impl Iterator<Item = (&str, &str)> {
    query.split('&').filter_map(|pair| pair.split_once('='))
}

fn invalid(detail: &str) -> Error {
    Error::with(ErrorKind::InvalidInput, detail)
}
