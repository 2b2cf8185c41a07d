//! The front: understands a request, admits it, and hands it to the object that owns the thread.

use super::envelope::{Call, Envelope};
use super::index;
use super::platform::Env;
use super::platform::{self, Body, internal};
use crate::error::{Error, ErrorKind};
use crate::event::View;
use crate::http::{Caller, Route, health};
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
    let (thread, call) = match route {
        Route::Start { after } => {
            let body = body(request).await?;
            let input = parse(body.as_bytes(), &Limits::default())?;
            config.model_for(input.model.as_deref())?;
            (input.thread, Call::Start { body, after: text(after) })
        }
        Route::Join { run, after } => located(env, &caller, run, |run| Call::Join { run, after: text(after) }).await?,
        Route::Record { run } => located(env, &caller, run, |run| Call::Record { run }).await?,
        Route::Cancel { run } => located(env, &caller, run, |run| Call::Cancel { run }).await?,
        Route::Events(events) => {
            if events.view == View::Operator && !caller.operator {
                return Err(ErrorKind::Forbidden.into());
            }
            let after = text(events.after);
            let (view, types) = (events.view, events.types);
            located(env, &caller, events.run, |run| Call::Events { run, after, view, types }).await?
        }
        Route::Health => return Err(ErrorKind::NotFound.into()),
    };
    forward(env, Envelope { scope: caller.scope, thread, call }).await
}

/// Finds a run's thread by the run's id alone. What the index does not know was never started.
async fn located(
    env: &Env,
    caller: &Caller,
    run: String,
    call: impl FnOnce(String) -> Call,
) -> Result<(String, Call), Error> {
    let entry = index::find(env, &caller.scope, &run).await?;
    Ok((entry.thread, call(run)))
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
