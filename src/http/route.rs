//! What a method and a path ask for.

use crate::error::{Error, ErrorKind};
use crate::event::View;
use crate::run::Cursor;

/// The longest run id that a path may name, in bytes, once decoded.
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
    /// `GET /v1/runs/{run}/events`
    Events(Events),
    /// `POST /v1/runs/{run}/cancel`
    Cancel {
        /// The run's id.
        run: String,
    },
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

impl Route {
    /// Understands a request. `path` is as it came, with its query if it has one; `last_event_id`
    /// is the header's value.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`], [`ErrorKind::MethodNotAllowed`], [`ErrorKind::BadCursor`], or
    /// [`ErrorKind::InvalidInput`] naming the parameter.
    pub fn parse(method: &str, path: &str, last_event_id: Option<&str>) -> Result<Self, Error> {
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        let pieces: Vec<&str> = path.trim_matches('/').split('/').collect();
        let header = last_event_id.filter(|id| !id.is_empty()).map(Cursor::parse).transpose();
        match pieces.as_slice() {
            ["health"] => only(method, "GET", || Ok(Route::Health)),
            ["agui"] => only(method, "POST", || Ok(Route::Start { after: header? })),
            ["agui", "runs", run] => only(method, "GET", || Ok(Route::Join { run: id(run)?, after: header? })),
            ["v1", "runs", run] => only(method, "GET", || Ok(Route::Record { run: id(run)? })),
            ["v1", "runs", run, "events"] => only(method, "GET", || Ok(Route::Events(events(run, query, header?)?))),
            ["v1", "runs", run, "cancel"] => only(method, "POST", || Ok(Route::Cancel { run: id(run)? })),
            _ => Err(ErrorKind::NotFound.into()),
        }
    }
}

fn only(method: &str, wanted: &str, route: impl FnOnce() -> Result<Route, Error>) -> Result<Route, Error> {
    if method == wanted {
        return route();
    }
    Err(Error::with(ErrorKind::MethodNotAllowed, format!("It takes {wanted}.")))
}

fn events(run: &str, query: &str, header: Option<Cursor>) -> Result<Events, Error> {
    let mut events = Events { run: id(run)?, after: header, view: View::Customer, types: None };
    for (name, value) in query.split('&').filter_map(|pair| pair.split_once('=')) {
        let value = decode(value)?;
        match name {
            "after" if header.is_none() => events.after = Some(Cursor::parse(&value)?),
            "view" => events.view = view(&value)?,
            "types" => {
                events.types = Some(value.split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect())
            }
            _ => {}
        }
    }
    Ok(events)
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
        return Err(Error::with(ErrorKind::InvalidInput, "The run's id must have 1 to 4096 bytes."));
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
mod tests {
    use super::*;

    fn code(method: &str, path: &str) -> &'static str {
        Route::parse(method, path, None).unwrap_err().code()
    }

    #[test]
    fn knows_every_route() {
        let run = || "r/1".to_owned();
        for (method, path, route) in [
            ("GET", "/health", Route::Health),
            ("POST", "/agui", Route::Start { after: None }),
            ("GET", "/agui/runs/r%2F1", Route::Join { run: run(), after: None }),
            ("GET", "/v1/runs/r%2F1", Route::Record { run: run() }),
            ("POST", "/v1/runs/r%2F1/cancel", Route::Cancel { run: run() }),
        ] {
            assert_eq!(Route::parse(method, path, None).unwrap(), route);
        }
    }

    #[test]
    fn events_take_a_cursor_a_view_and_types() {
        let path = "/v1/runs/r/events?after=3.1&view=operator&types=content,task_completed";
        let events = Events {
            run: "r".into(),
            after: Some(Cursor::parse("3.1").unwrap()),
            view: View::Operator,
            types: Some(vec!["content".into(), "task_completed".into()]),
        };
        assert_eq!(Route::parse("GET", path, None).unwrap(), Route::Events(events.clone()));
        let header = Route::parse("GET", path, Some("7")).unwrap();
        assert_eq!(header, Route::Events(Events { after: Some(Cursor::after(7)), ..events }), "the header wins");
    }

    #[test]
    fn says_what_is_wrong() {
        assert_eq!(code("GET", "/nowhere"), "not_found");
        assert_eq!(code("GET", "/v1/runs"), "not_found");
        assert_eq!(code("DELETE", "/agui"), "method_not_allowed");
        assert_eq!(code("GET", "/v1/runs/r/events?after=x"), "bad_cursor");
        assert_eq!(code("GET", "/v1/runs/r/events?view=god"), "invalid_input");
        assert_eq!(code("GET", "/v1/runs/%FF"), "invalid_input");
        assert_eq!(code("GET", "/v1/runs/%2"), "invalid_input");
        assert_eq!(code("GET", &format!("/v1/runs/{}", "x".repeat(4097))), "invalid_input");
        assert_eq!(Route::parse("POST", "/agui", Some("1.2.3")).unwrap_err().code(), "bad_cursor");
    }
}
