//! What a method and a path ask for.

use crate::error::{Error, ErrorKind};
use crate::event::View;
use crate::run::{Cursor, Position, Since};

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
    /// `GET /v1/runs/{run}/events`
    Events(Events),
    /// `GET /v1/threads/{thread}/events`
    Follow(Followed),
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
        let wanted = self::method(path).ok_or(ErrorKind::NotFound)?;
        if method != wanted {
            return Err(Error::with(ErrorKind::MethodNotAllowed, format!("It takes {wanted}.")));
        }
        let query = path.split_once('?').map_or("", |(_, query)| query);
        let last_event_id = last_event_id.filter(|id| !id.is_empty());
        if let ["v1", "threads", thread, "events"] = pieces(path).as_slice() {
            return Ok(Route::Follow(followed(thread, query, last_event_id)?));
        }
        let after = last_event_id.map(Cursor::parse).transpose()?;
        match pieces(path).as_slice() {
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
        match self {
            Route::Join { .. } | Route::Events(_) | Route::Follow(_) => true,
            Route::Health | Route::Start { .. } | Route::Record { .. } | Route::Cancel { .. } => false,
        }
    }

    /// The run that the path names, if it names one.
    pub fn run(&self) -> Option<&str> {
        match self {
            Route::Health | Route::Start { .. } | Route::Follow(_) => None,
            Route::Join { run, .. } | Route::Record { run } | Route::Cancel { run } => Some(run),
            Route::Events(events) => Some(&events.run),
        }
    }
}

/// The one method that a path takes; none if there is no such route.
pub fn method(path: &str) -> Option<&'static str> {
    match pieces(path).as_slice() {
        ["health"] | ["agui", "runs", _] | ["v1", "runs", _] => Some("GET"),
        ["v1", "runs" | "threads", _, "events"] => Some("GET"),
        ["agui"] | ["v1", "runs", _, "cancel"] => Some("POST"),
        _ => None,
    }
}

/// The value of `Allow` where a route takes that method.
pub(super) fn allow(method: &str) -> String {
    format!("{method}, OPTIONS")
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
    fn a_token_in_the_query_is_for_streams_that_are_read() {
        for (method, path, takes) in [
            ("GET", "/agui/runs/r?token=a%2Eb", true),
            ("GET", "/v1/runs/r/events?view=customer&token=a%2Eb&after=1", true),
            ("GET", "/v1/threads/t/events?token=a%2Eb", true),
            ("GET", "/v1/runs/r?token=a%2Eb", false),
            ("POST", "/agui?token=a%2Eb", false),
            ("POST", "/v1/runs/r/cancel?token=a%2Eb", false),
        ] {
            assert_eq!(Route::parse(method, path, None).unwrap().takes_token(), takes, "{path}");
            assert_eq!(token(path).unwrap().as_deref(), Some("a.b"));
        }
        assert_eq!(token("/agui/runs/r").unwrap(), None);
        assert_eq!(token("/agui/runs/r?nottoken=x").unwrap(), None);
        assert_eq!(token("/agui/runs/r?token=%FF").unwrap_err().code(), "invalid_input");
    }

    #[test]
    fn knows_which_run_is_meant() {
        let run = |method, path| Route::parse(method, path, None).unwrap().run().map(str::to_owned);
        for (method, path) in [
            ("GET", "/agui/runs/r"),
            ("GET", "/v1/runs/r"),
            ("GET", "/v1/runs/r/events"),
            ("POST", "/v1/runs/r/cancel"),
        ] {
            assert_eq!(run(method, path).as_deref(), Some("r"));
        }
        assert_eq!((run("GET", "/health"), run("POST", "/agui")), (None, None));
    }

    #[test]
    fn a_thread_takes_a_position_of_its_own_kind() {
        let path = "/v1/threads/t%2F1/events";
        let followed = |path: &str, header| match Route::parse("GET", path, header).unwrap() {
            Route::Follow(followed) => followed,
            other => panic!("{other:?}"),
        };
        let whole =
            Followed { thread: "t/1".into(), since: Since::After(Position::START), view: View::Customer, types: None };
        assert_eq!(followed(path, None), whole);
        assert_eq!(followed(path, Some("")), whole);
        let query = format!("{path}?after=latest&view=operator&types=content");
        let narrow = Followed { view: View::Operator, types: Some(vec!["content".into()]), ..whole };
        assert_eq!(followed(&query, None), Followed { since: Since::Latest, ..narrow.clone() });
        let since = Since::After(Position::parse("2-7.1").unwrap());
        assert_eq!(followed(&query, Some("2-7.1")), Followed { since, ..narrow }, "the header wins");
        for (query, header) in [("after=7", None), ("after=0-1", None), ("", Some("7")), ("", Some("latest"))] {
            let path = format!("{path}?{query}");
            assert_eq!(Route::parse("GET", &path, header).unwrap_err().code(), "bad_cursor", "{path} {header:?}");
        }
        assert_eq!(code("POST", path), "method_not_allowed");
        assert_eq!(code("GET", "/v1/threads/t"), "not_found");
    }

    #[test]
    fn says_what_is_wrong() {
        assert_eq!(code("GET", "/nowhere"), "not_found");
        assert_eq!(code("GET", "/v1/runs"), "not_found");
        assert_eq!(code("DELETE", "/agui"), "method_not_allowed");
        assert_eq!(code("HEAD", "/health"), "method_not_allowed");
        assert_eq!(code("GET", "/v1/runs/%FF/cancel"), "method_not_allowed");
        assert_eq!(code("GET", "/v1/runs/r/events?after=x"), "bad_cursor");
        assert_eq!(code("GET", "/v1/runs/r/events?view=god"), "invalid_input");
        assert_eq!(code("GET", "/v1/runs/%FF"), "invalid_input");
        assert_eq!(code("GET", "/v1/runs/%2"), "invalid_input");
        assert_eq!(code("GET", &format!("/v1/runs/{}", "x".repeat(4097))), "invalid_input");
        assert_eq!(Route::parse("POST", "/agui", Some("1.2.3")).unwrap_err().code(), "bad_cursor");
    }
}
