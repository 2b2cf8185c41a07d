//! What a method and a path ask for.

use crate::error::{Error, ErrorKind};
use crate::event::View;
use crate::run::{Cursor, Position, Since};

mod wires;

pub use wires::{Ask, Begin, Chat, ChatAsk, Page, Stored, wire};

/// The longest id that a path may name, in bytes, once decoded.
const MAX_ID: usize = 4096;

/// One request, understood.
#[derive(Clone, Debug, PartialEq)]
pub enum Route {
    /// `GET /health`
    Health,
    /// `POST /agui`
    Start {
        /// From `Last-Event-ID`: only what comes after it.
        after: Option<Cursor>,
    },
    /// `GET /agui/runs/{run}`
    Join {
        /// The run's id.
        run: String,
        /// From `Last-Event-ID`: only what comes after it.
        after: Option<Cursor>,
    },
    /// `GET /v1/runs/{run}`
    Record {
        /// The run's id.
        run: String,
    },
    /// `GET /v1/runs`
    List(Listed),
    /// `DELETE /v1/runs/{run}`
    Delete {
        /// The run's id.
        run: String,
    },
    /// `DELETE /v1/threads/{thread}`
    DeleteThread {
        /// The thread's id.
        thread: String,
    },
    /// `GET /v1/runs/{run}/events`
    Events(Events),
    /// `GET /v1/threads/{thread}/events`
    Follow(Followed),
    /// `POST /v1/runs/{run}/cancel`
    Cancel {
        /// The run's id.
        run: String,
    },
    /// `POST /v1/responses`, `/v1/responses/compact`, `/v1/chat/completions`, `/v1/messages`, `/api/chat`
    Begin(Begin),
    /// `/v1/responses/{id}` and what is below it
    Stored(Stored),
    /// `/api/chat/{chat}` and what is below it
    Chat(Chat),
    /// `GET /v1/models`
    Models,
}

/// What a reader of the canonical wire asks for.
#[derive(Clone, Debug, PartialEq)]
pub struct Events {
    /// The run's id.
    pub run: String,
    /// Only what comes after it: `Last-Event-ID`, else `?after=`.
    pub after: Option<Cursor>,
    /// `?view=operator`, else the customer's.
    pub view: View,
    /// `?types=a,b`: only these; absent for all.
    pub types: Option<Vec<String>>,
}

/// Which page of the list of runs is asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Listed {
    /// `?limit=`: how many runs at most.
    pub limit: usize,
    /// `?after=`: behind which cursor, if not from the beginning.
    pub after: Option<String>,
    /// `?thread=`: of that thread alone.
    pub thread: Option<String>,
}

/// What a reader of a thread's continuous stream asks for.
#[derive(Clone, Debug, PartialEq)]
pub struct Followed {
    /// The thread's id.
    pub thread: String,
    /// From where: `Last-Event-ID`, else `?after=`, which may be `latest`, else the beginning.
    pub since: Since,
    /// `?view=operator`, else the customer's.
    pub view: View,
    /// `?types=a,b`: only these; absent for all.
    pub types: Option<Vec<String>>,
}

impl Route {
    /// Understands a request. `path` is as it came, with its query if it has one; `last_event_id`
    /// is the header's value.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`], [`ErrorKind::MethodNotAllowed`], [`ErrorKind::BadCursor`], or
    /// [`ErrorKind::InvalidInput`] naming the parameter.
    pub fn parse(method: &str, path: &str, last_event_id: Option<&str>) -> Result<Self, Error> {
        let wanted = methods(path).ok_or(ErrorKind::NotFound)?;
        if !wanted.contains(&method) {
            let detail = format!("It takes {}.", wanted.join(" and "));
            return Err(Error::with(ErrorKind::MethodNotAllowed, detail));
        }
        let query = path.split_once('?').map_or("", |(_, query)| query);
        let last_event_id = last_event_id.filter(|id| !id.is_empty());
        if let ["v1", "threads", thread, "events"] = pieces(path).as_slice() {
            return Ok(Route::Follow(followed(thread, query, last_event_id)?));
        }
        if let Some(route) = wires::parse(method, &pieces(path), query)? {
            return Ok(route);
        }
        let after = last_event_id.map(Cursor::parse).transpose()?;
        match pieces(path).as_slice() {
            ["v1", "runs", run] if method == "DELETE" => Ok(Route::Delete { run: id(run)? }),
            ["v1", "threads", thread] => Ok(Route::DeleteThread { thread: id(thread)? }),
            ["v1", "runs"] => Ok(Route::List(listed(query)?)),
            ["health"] => Ok(Route::Health),
            ["agui"] => Ok(Route::Start { after }),
            ["agui", "runs", run] => Ok(Route::Join { run: id(run)?, after }),
            ["v1", "runs", run] => Ok(Route::Record { run: id(run)? }),
            ["v1", "runs", run, "events"] => Ok(Route::Events(events(run, query, after)?)),
            ["v1", "runs", run, "cancel"] => Ok(Route::Cancel { run: id(run)? }),
            _ => Err(ErrorKind::NotFound.into()),
        }
    }

    /// True if a browser token may come as the query value `token`: an `EventSource` can set no header.
    pub fn takes_token(&self) -> bool {
        matches!(self, Route::Join { .. } | Route::Events(_) | Route::Follow(_))
    }

    /// The run that the path names, if it names one.
    pub fn run(&self) -> Option<&str> {
        match self {
            Route::Join { run, .. } | Route::Record { run } | Route::Cancel { run } | Route::Delete { run } => {
                Some(run)
            }
            Route::Events(events) => Some(&events.run),
            Route::Stored(stored) => Some(&stored.run),
            _ => None,
        }
    }
}

/// The methods that a path takes; none if there is no such route.
pub fn methods(path: &str) -> Option<&'static [&'static str]> {
    match pieces(path).as_slice() {
        ["health"] | ["agui", "runs", _] | ["v1", "runs"] => Some(&["GET"]),
        ["v1", "runs" | "threads", _, "events"] => Some(&["GET"]),
        ["agui"] | ["v1", "runs", _, "cancel"] => Some(&["POST"]),
        ["v1", "runs", _] => Some(&["GET", "DELETE"]),
        ["v1", "threads", _] => Some(&["DELETE"]),
        other => wires::methods(other),
    }
}

/// The value of `Allow` where a route takes these methods.
pub(super) fn allow(methods: &[&str]) -> String {
    format!("{}, OPTIONS", methods.join(", "))
}

/// The value of `token` in a path's query.
///
/// # Errors
/// [`ErrorKind::InvalidInput`] if it is not percent-encoded UTF-8.
pub fn token(path: &str) -> Result<Option<String>, Error> {
    let query = path.split_once('?').map_or("", |(_, query)| query);
    query.split('&').find_map(|pair| pair.strip_prefix("token=")).map(decode).transpose()
}

fn pieces(path: &str) -> Vec<&str> {
    let path = path.split_once('?').map_or(path, |(path, _)| path);
    path.trim_matches('/').split('/').collect()
}

fn listed(query: &str) -> Result<Listed, Error> {
    let mut read = Listed { limit: 20, after: None, thread: None };
    for (name, value) in query.split('&').filter_map(|pair| pair.split_once('=')) {
        // What encodes forms writes a space as `+`.
        let value = decode(&value.replace('+', " "))?;
        match name {
            // What is no number is told as what is out of bounds is.
            "limit" => read.limit = value.parse().unwrap_or(0),
            "after" => read.after = Some(value),
            "thread" => read.thread = Some(value),
            _ => {}
        }
    }
    Ok(read)
}

fn events(run: &str, query: &str, header: Option<Cursor>) -> Result<Events, Error> {
    let query = Query::parse(query)?;
    let after = query.after.filter(|_| header.is_none()).map(|after| Cursor::parse(&after)).transpose()?;
    Ok(Events { run: id(run)?, after: header.or(after), view: query.view, types: query.types })
}

fn followed(thread: &str, query: &str, header: Option<&str>) -> Result<Followed, Error> {
    let query = Query::parse(query)?;
    let since = match (header, query.after) {
        (Some(header), _) => Since::After(Position::parse(header)?),
        (None, Some(after)) => Since::parse(&after)?,
        (None, None) => Since::After(Position::START),
    };
    Ok(Followed { thread: id(thread)?, since, view: query.view, types: query.types })
}

/// The query of a stream of events.
struct Query {
    after: Option<String>,
    view: View,
    types: Option<Vec<String>>,
}

impl Query {
    fn parse(query: &str) -> Result<Self, Error> {
        let mut read = Query { after: None, view: View::Customer, types: None };
        for (name, value) in query.split('&').filter_map(|pair| pair.split_once('=')) {
            let value = decode(value)?;
            match name {
                "after" => read.after = Some(value),
                "view" => read.view = view(&value)?,
                "types" => {
                    read.types = Some(value.split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect())
                }
                _ => {}
            }
        }
        Ok(read)
    }
}

fn view(value: &str) -> Result<View, Error> {
    match value {
        "customer" => Ok(View::Customer),
        "operator" => Ok(View::Operator),
        _ => Err(Error::with(ErrorKind::InvalidInput, "view must be customer or operator.")),
    }
}

fn id(piece: &str) -> Result<String, Error> {
    let id = decode(piece)?;
    if id.is_empty() || id.len() > MAX_ID {
        return Err(Error::with(ErrorKind::InvalidInput, "The id must have 1 to 4096 bytes."));
    }
    Ok(id)
}

/// Undoes percent-encoding. A `+` stands for itself.
fn decode(text: &str) -> Result<String, Error> {
    let bad = || Error::with(ErrorKind::InvalidInput, "The address is not percent-encoded UTF-8.");
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let mut digit = || rest.next().and_then(|byte| char::from(byte).to_digit(16)).ok_or_else(bad);
        let (high, low) = (digit()?, digit()?);
        bytes.push((high * 16 + low) as u8);
    }
    String::from_utf8(bytes).map_err(|_| bad())
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
