//! The front: understands a request, admits it, and hands it to the object that owns the thread.

use super::begin::{self, Finder};
use super::driver::ThreadDriver;
use super::envelope::{Call, Envelope};
use super::platform::{self, Body, Env, internal, now};
use super::thread;
use super::threads::Threads;
use crate::error::{Error, ErrorKind};
use crate::event::View;
use crate::http::{
    self, Answer, Ask, Begin, Caller, Chat, ChatAsk, Config, Credentials, Events, Followed, Page, Route, Stored,
};
use crate::run::Cursor;
use crate::wire::{Form, Wire, responses};
use futures_channel::oneshot;
use std::rc::Rc;
use web_sys::{Request, Response};

/// How a request reaches threads, by the configuration.
pub type Reached<'a> = &'a dyn Fn(&Config) -> Result<Box<dyn Threads>, Error>;

/// Answers a request. Every answer, an error too, says which other origins may read it.
pub async fn fetch(request: &Request, env: &Env, reached: Reached<'_>) -> platform::Result<Response> {
    let url = request.url();
    let path = url.splitn(4, '/').nth(3).unwrap_or_default();
    let mut about = About::default();
    let (headers, answered) = match platform::cors(env) {
        Ok(cors) => {
            let answered = answer(request, path, env, reached, &mut about).await;
            (cors.headers(header(request, "origin").as_deref()), answered)
        }
        Err(error) => (Vec::new(), Err(error)),
    };
    let response = answered.or_else(|error| platform::told(&error, path, &about.run))?;
    let response = platform::with(response, &headers)?;
    if response.status() == 200
        && let Some((frame, ends)) = &about.broken
    {
        platform::set(&response, "lastFrame", frame)?;
        platform::set(&response, "ends", ends)?;
    }
    Ok(response)
}

/// What a request turns out to be about.
#[derive(Default)]
struct About {
    /// The run, for the log.
    run: String,
    /// What `js/worker/stream.mjs` is to say should the stream break off: [`Envelope::broken`].
    broken: Option<(String, String)>,
}

/// Whatever fails on the platform's side is told as such and nothing more.
async fn answer(
    request: &Request,
    path: &str,
    env: &Env,
    reached: Reached<'_>,
    about: &mut About,
) -> Result<Response, Error> {
    let header = |name: &str| header(request, name);
    let method = request.method();
    if method == "OPTIONS" {
        return platform::respond(&http::options(path)?).map_err(internal);
    }
    let route = Route::parse(&method, path, header("last-event-id").as_deref())?;
    about.run.push_str(route.run().unwrap_or_default());
    let config = platform::config(env)?;
    let threads = reached(&config)?;
    if route == Route::Health {
        return platform::respond(&http::health(&config)).map_err(internal);
    }
    let token = if route.takes_token() { http::token(path)? } else { None };
    let caller = config.access.caller(
        &Credentials {
            authorization: header("authorization").as_deref(),
            api_key: header("x-api-key").as_deref(),
            token: token.as_deref(),
            scope: header("lastword-scope").as_deref(),
            user: header("lastword-user").as_deref(),
        },
        now(),
    )?;
    let scope = caller.namespace();
    if route == Route::Models {
        return platform::respond(&http::models(&config)).map_err(internal);
    }
    if let Route::List(listed) = route {
        return threads.list(&caller, listed).await;
    }
    let deletes = match &route {
        Route::Stored(Stored { ask: Ask::Delete, .. }) => Some(deleted_response(path)),
        _ => None,
    };
    let mut form = Form::Stream;
    let (thread, call) = match asked(route, &caller)? {
        Asked::Start { begin, after } => {
            let body = body(request, config.input.body).await?;
            let finder = Finder { threads: &*threads, config: &config, caller: &caller, scope: &scope };
            let begun = begin::understand(begin, body, header, &finder).await?;
            about.run.push_str(&begun.run);
            form = begun.form;
            let begin::Begun { run, thread, body, .. } = begun;
            (thread, Call::Start { run, wire: begin.wire, compact: begin.compact, body, after })
        }
        // What the index does not know was never started.
        Asked::Of { run, call } => {
            let finder = Finder { threads: &*threads, config: &config, caller: &caller, scope: &scope };
            match finder.thread_of(&run).await {
                // It is as it was asked to be.
                Err(error) if error.kind() == ErrorKind::RunDeleted && matches!(call, Call::Delete { .. }) => {
                    return platform::respond(&deletes.unwrap_or_else(http::deleted)).map_err(internal);
                }
                thread => (thread?, call),
            }
        }
        Asked::In { thread, call } => (thread, call),
    };
    if !caller.reaches(&thread) {
        // Whoever names a thread is told that it is not theirs; of a run, not even that it is there.
        let names_it =
            matches!(call, Call::Start { .. } | Call::Follow { .. } | Call::Resume | Call::Messages | Call::Stop);
        return Err(match names_it {
            true => ErrorKind::Forbidden.into(),
            false => config.told(ErrorKind::UnknownRun.into()),
        });
    }
    let envelope = Envelope { scope, thread, path: path.to_owned(), call };
    about.broken = envelope.broken(form);
    match (threads.answer(&config, envelope).await, deletes) {
        (Ok(response), Some(deleted)) if response.status() == 204 => platform::respond(&deleted).map_err(internal),
        (answered, _) => answered,
    }
}

/// What a client is told whose response is deleted.
fn deleted_response(path: &str) -> Answer {
    let id = path.split('?').next().and_then(|path| path.rsplit('/').next()).unwrap_or_default();
    Answer { status: 200, headers: Vec::new(), body: responses::deleted(id) }
}

/// What a route asks of a thread.
enum Asked {
    /// A run that the body describes, with its thread.
    Start { begin: Begin, after: Option<String> },
    /// A run whose thread the index knows.
    Of { run: String, call: Call },
    /// A thread that the path names.
    In { thread: String, call: Call },
}

fn asked(route: Route, caller: &Caller) -> Result<Asked, Error> {
    let (run, call) = match route {
        Route::Start { after } => {
            let begin = Begin { wire: Wire::AgUi, compact: false };
            return Ok(Asked::Start { begin, after: text(after) });
        }
        Route::Begin(begin) => return Ok(Asked::Start { begin, after: None }),
        Route::Stored(Stored { ask: Ask::Delete, .. }) if !caller.may_delete() => {
            return Err(ErrorKind::Forbidden.into());
        }
        Route::Stored(Stored { run, ask }) => (run.clone(), stored(run, ask)),
        Route::Chat(Chat { chat, ask }) => {
            let call = match ask {
                ChatAsk::Resume => Call::Resume,
                ChatAsk::Messages => Call::Messages,
                ChatAsk::Cancel => Call::Stop,
            };
            return Ok(Asked::In { thread: chat, call });
        }
        Route::Join { run, after } => (run.clone(), Call::Join { run, after: text(after) }),
        Route::Record { run } => (run.clone(), Call::Record { run }),
        Route::Cancel { run } => (run.clone(), Call::Cancel { run, wire: Wire::Canonical }),
        Route::Delete { .. } | Route::DeleteThread { .. } if !caller.may_delete() => {
            return Err(ErrorKind::Forbidden.into());
        }
        Route::Delete { run } => (run.clone(), Call::Delete { run: Some(run) }),
        Route::DeleteThread { thread } => return Ok(Asked::In { thread, call: Call::Delete { run: None } }),
        Route::Events(Events { view: View::Operator, .. }) | Route::Follow(Followed { view: View::Operator, .. })
            if !caller.operator =>
        {
            return Err(ErrorKind::Forbidden.into());
        }
        Route::Follow(Followed { thread, since, view, types }) => {
            let call = Call::Follow { since: since.to_string(), view, types, until: caller.until };
            return Ok(Asked::In { thread, call });
        }
        Route::Events(Events { run, after, view, types }) => {
            (run.clone(), Call::Events { run, after: text(after), view, types })
        }
        Route::Health | Route::List(_) | Route::Models => return Err(ErrorKind::NotFound.into()),
    };
    Ok(Asked::Of { run, call })
}

fn stored(run: String, ask: Ask) -> Call {
    match ask {
        Ask::Read(form, had) => Call::Read { run, wire: Wire::Responses, form, had },
        Ask::Cancel => Call::Cancel { run, wire: Wire::Responses },
        Ask::Delete => Call::Delete { run: Some(run) },
        Ask::Input(Page { ascending, after, limit }) => {
            Call::Input { run, ascending, after, limit: limit.try_into().unwrap_or(u32::MAX) }
        }
    }
}

/// Answers here as a thread's object would. The work goes on though the client goes, as long as the platform allows.
pub async fn here(driver: Rc<ThreadDriver>, envelope: Envelope) -> Result<Response, Error> {
    let (answered, answer) = oneshot::channel();
    let work = thread::answer(driver.clone(), envelope);
    driver.home().spawn(Box::pin(async move {
        let _ = answered.send(work.await);
    }));
    let answer = answer.await.unwrap_or_else(|_| Err(ErrorKind::Internal.into()));
    answer.map_err(|error| driver.config().told(error))
}

fn header(request: &Request, name: &str) -> Option<String> {
    request.headers().get(name).ok().flatten()
}

/// The body, read no further than its limit, and not at all where it says that it is longer.
async fn body(request: &Request, limit: usize) -> Result<String, Error> {
    let kind = header(request, "content-type").unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    if kind != "application/json" {
        return Err(ErrorKind::UnsupportedMediaType.into());
    }
    let too_large = || Error::with(ErrorKind::BodyTooLarge, format!("The limit is {limit} bytes."));
    let length = header(request, "content-length").and_then(|length| length.parse::<u64>().ok());
    if length.is_some_and(|length| length > limit as u64) {
        return Err(too_large());
    }
    let mut bytes = Vec::new();
    if let Some(stream) = request.body() {
        let body = Body::of(&stream);
        while let Some(chunk) = body.next().await.map_err(|_| Error::new(ErrorKind::MalformedJson))? {
            bytes.extend_from_slice(&chunk);
            if bytes.len() > limit {
                return Err(too_large());
            }
        }
    }
    String::from_utf8(bytes).map_err(|_| Error::with(ErrorKind::MalformedJson, "It is not UTF-8."))
}

fn text(cursor: Option<Cursor>) -> Option<String> {
    cursor.map(|cursor| cursor.to_string())
}
