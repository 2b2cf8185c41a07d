//! The front: understands a request, admits it, and hands it to the object that owns the thread.

use super::envelope::{Call, Envelope};
use super::index;
use super::platform::Env;
use super::platform::{self, Body, internal};
use crate::error::{Error, ErrorKind};
use crate::event::View;
use crate::http::{Caller, Events, Route, health};
use crate::run::{Cursor, ThreadKeys, Traits};
use crate::wire::agui::{Limits, parse};
use web_sys::{Request, Response};

/// Answers a request; whatever fails on the platform's side is told as such and nothing more.
pub async fn answer(request: &Request, env: &Env) -> Result<Response, Error> {
    let url = request.url();
    let path = url.splitn(4, '/').nth(3).unwrap_or_default();
    let header = |name: &str| header(request, name);
    let route = Route::parse(&request.method(), path, header("last-event-id").as_deref())?;
    let config = platform::config(env)?;
    if route == Route::Health {
        let answer = health(&config, "durable-object", Traits::DURABLE_OBJECT);
        return platform::respond(&answer).map_err(internal);
    }
    let caller = config.access.caller(header("authorization").as_deref(), header("lastword-scope").as_deref())?;
    let (thread, call) = match asked(route, &caller)? {
        Asked::Start { after } => {
            let body = body(request).await?;
            let input = parse(body.as_bytes(), &Limits::default())?;
            config.model_for(input.model.as_deref())?;
            (input.thread, Call::Start { run: input.run, body, after })
        }
        // What the index does not know was never started.
        Asked::Of { run, call } => (index::find(env, &caller.scope, &run).await?.thread, call),
    };
    forward(env, Envelope { scope: caller.scope, thread, call }).await
}

/// What a route asks of a thread.
enum Asked {
    /// A run that the body describes, with its thread.
    Start { after: Option<String> },
    /// A run whose thread the index knows.
    Of { run: String, call: Call },
}

fn asked(route: Route, caller: &Caller) -> Result<Asked, Error> {
    let (run, call) = match route {
        Route::Start { after } => return Ok(Asked::Start { after: text(after) }),
        Route::Join { run, after } => (run.clone(), Call::Join { run, after: text(after) }),
        Route::Record { run } => (run.clone(), Call::Record { run }),
        Route::Cancel { run } => (run.clone(), Call::Cancel { run }),
        Route::Events(Events { view: View::Operator, .. }) if !caller.operator => {
            return Err(ErrorKind::Forbidden.into());
        }
        Route::Events(Events { run, after, view, types }) => {
            (run.clone(), Call::Events { run, after: text(after), view, types })
        }
        Route::Health => return Err(ErrorKind::NotFound.into()),
    };
    Ok(Asked::Of { run, call })
}

async fn forward(env: &Env, envelope: Envelope) -> Result<Response, Error> {
    let name = ThreadKeys::new(&envelope.scope, &envelope.thread).active();
    let body = envelope.encode();
    platform::ask(env, "THREADS", &name, "POST", Some(body.as_bytes())).await.map_err(internal)
}

fn header(request: &Request, name: &str) -> Option<String> {
    request.headers().get(name).ok().flatten()
}

/// The body, read no further than its limit.
async fn body(request: &Request) -> Result<String, Error> {
    let kind = header(request, "content-type").unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    if kind != "application/json" {
        return Err(ErrorKind::UnsupportedMediaType.into());
    }
    let limit = Limits::default().body;
    let mut bytes = Vec::new();
    if let Some(stream) = request.body() {
        let body = Body::of(&stream);
        while let Some(chunk) = body.next().await.map_err(|_| Error::new(ErrorKind::MalformedJson))? {
            bytes.extend_from_slice(&chunk);
            if bytes.len() > limit {
                return Err(ErrorKind::BodyTooLarge.into());
            }
        }
    }
    String::from_utf8(bytes).map_err(|_| Error::with(ErrorKind::MalformedJson, "It is not UTF-8."))
}

fn text(cursor: Option<Cursor>) -> Option<String> {
    cursor.map(|cursor| cursor.to_string())
}
