//! One model call's stream: a recording's, or an upstream's over HTTP.

use super::given::{self, Given};
use super::platform::{self, Ai, Body, Env, sleep};
use crate::http::Provider;
use crate::provider::Target;
use crate::provider::replay::{Playback, Recording};
use crate::run::{Input, ModelCall};
use js_sys::{JSON, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{AbortController, AbortSignal, ReadableStream, RequestRedirect, Response};

/// A stream that is being read, or waits to be opened by its first read.
pub enum ModelStream {
    /// A request that was not sent yet.
    Unsent { target: Target, body: Vec<u8>, signal: Option<AbortSignal> },
    /// A model that was not run yet, by the binding of Workers AI.
    Unrun { ai: Ai, model: String, body: Vec<u8> },
    /// The host's own upstream, which was not asked yet.
    Unopened { given: Given, body: Vec<u8>, signal: Option<AbortSignal>, run: String },
    /// Its stream.
    Given(given::Stream),
    /// An upstream's body.
    Open(Body),
    /// A recording's response.
    Recorded(Playback),
    /// All was given.
    Ended,
    /// There is nothing to read.
    Nothing,
}

/// What calls a model besides the network.
#[derive(Clone, Default)]
pub struct Means {
    /// The binding of Workers AI.
    pub ai: Option<Ai>,
    /// The host's own upstream.
    pub given: Option<Given>,
}

/// The name of the host's own upstream among the variables.
const GIVEN: &str = "LASTWORD_GIVEN";

impl Means {
    /// Those that the variables and bindings have.
    pub fn of(env: &Env) -> Self {
        let given = Reflect::get(env.as_ref(), &GIVEN.into()).ok().filter(JsValue::is_object);
        Means { ai: platform::ai(env), given: given.map(JsCast::unchecked_into) }
    }
}

/// A model call, and the way to let go of it.
pub struct Upstream {
    /// Which call it is.
    pub call: ModelCall,
    /// Away while a read is under way.
    pub stream: Option<ModelStream>,
    /// Ends whatever the network still does.
    pub abort: Option<AbortController>,
}

impl Upstream {
    /// A call that is not sent before it is read.
    pub fn new(
        call: ModelCall,
        body: Vec<u8>,
        provider: &Provider,
        model: &str,
        means: &Means,
        recording: Option<(&'static Recording, u32)>,
        run: &str,
    ) -> Self {
        let abort = AbortController::new().ok();
        let stream = match (provider, recording) {
            (Provider::Upstream(upstream), _) => ModelStream::Unsent {
                target: upstream.format.target(&upstream.url, model, upstream.key.as_deref()),
                body,
                signal: abort.as_ref().map(AbortController::signal),
            },
            (Provider::Given(_), _) => match &means.given {
                Some(given) => ModelStream::Unopened {
                    given: given.clone(),
                    body,
                    signal: abort.as_ref().map(AbortController::signal),
                    run: run.to_owned(),
                },
                None => ModelStream::Nothing,
            },
            (Provider::Binding, _) => match &means.ai {
                Some(ai) => ModelStream::Unrun { ai: ai.clone(), model: model.to_owned(), body },
                None => ModelStream::Nothing,
            },
            (Provider::Replay, Some((recording, first))) => {
                recording.response(first + call - 1).map_or(ModelStream::Nothing, ModelStream::Recorded)
            }
            (Provider::Replay, None) => ModelStream::Nothing,
        };
        Upstream { call, stream: Some(stream), abort }
    }

    /// Lets go: an open connection is closed.
    pub fn abort(self) {
        if let Some(abort) = self.abort {
            abort.abort();
        }
    }
}

impl ModelStream {
    /// Waits for one more chunk; gives the stream back and what the run is to be told.
    pub async fn next(self, call: ModelCall) -> (ModelStream, Input) {
        match self {
            ModelStream::Ended => (ModelStream::Nothing, Input::Eof(call)),
            ModelStream::Nothing => (ModelStream::Nothing, Input::Unreachable(call)),
            ModelStream::Recorded(mut playback) => match playback.next() {
                Some(chunk) => {
                    sleep(chunk.after_ms).await;
                    (ModelStream::Recorded(playback), Input::Bytes(call, chunk.bytes.to_vec()))
                }
                None => (ModelStream::Nothing, Input::Eof(call)),
            },
            ModelStream::Open(body) => read(body, call).await,
            ModelStream::Unopened { given, body, signal, run } => {
                match given::open(&given, &body, signal.as_ref(), call, &run).await {
                    Ok(stream) => give(stream, call).await,
                    Err(input) => (ModelStream::Nothing, input),
                }
            }
            ModelStream::Given(stream) => give(stream, call).await,
            ModelStream::Unsent { target, body, signal } => {
                begin(send(&target, &body, signal.as_ref()).await, call).await
            }
            ModelStream::Unrun { ai, model, body } => begin(run(&ai, &model, &body).await, call).await,
        }
    }
}

/// Reads the first chunk of what was sent for.
async fn begin(sent: platform::Result<Sent>, call: ModelCall) -> (ModelStream, Input) {
    match sent {
        Ok(Sent::Stream(body)) => read(body, call).await,
        Ok(Sent::Whole(bytes)) => (ModelStream::Ended, Input::Bytes(call, bytes)),
        Ok(Sent::Empty) => (ModelStream::Nothing, Input::Eof(call)),
        Ok(Sent::Refused(status)) => (ModelStream::Nothing, Input::Refused(call, status)),
        Err(_) => (ModelStream::Nothing, Input::Unreachable(call)),
    }
}

/// Runs a model by the binding. It gives a response, or, as its older versions do, a stream; a model that does not
/// stream gives its answer.
async fn run(ai: &Ai, model: &str, inputs: &[u8]) -> platform::Result<Sent> {
    let given = platform::run_ai(ai, model, inputs).await?;
    if let Some(response) = given.dyn_ref::<Response>() {
        return Ok(answered(response));
    }
    if let Some(stream) = given.dyn_ref::<ReadableStream>() {
        return Ok(Sent::Stream(Body::of(stream)));
    }
    let whole = JSON::stringify(&given)?.as_string().unwrap_or_default();
    Ok(Sent::Whole(whole.into_bytes()))
}

async fn give(stream: given::Stream, call: ModelCall) -> (ModelStream, Input) {
    match given::next(&stream).await {
        Some(bytes) => (ModelStream::Given(stream), Input::Bytes(call, bytes)),
        None => (ModelStream::Nothing, Input::Eof(call)),
    }
}

async fn read(body: Body, call: ModelCall) -> (ModelStream, Input) {
    match body.next().await {
        Ok(Some(bytes)) => (ModelStream::Open(body), Input::Bytes(call, bytes)),
        Ok(None) | Err(_) => (ModelStream::Nothing, Input::Eof(call)),
    }
}

enum Sent {
    Stream(Body),
    Whole(Vec<u8>),
    Empty,
    Refused(u16),
}

/// Posts the request. The body of a refusal is never read: it may hold anything. A redirection is a
/// refusal too, since the conversation and the key are for the configured address alone.
async fn send(target: &Target, body: &[u8], signal: Option<&AbortSignal>) -> platform::Result<Sent> {
    let headers = platform::headers(&[("content-type", "application/json")])?;
    for (name, value) in &target.headers {
        headers.set(name, value)?;
    }
    let request = platform::request("POST", Some(body));
    request.set_headers(&headers);
    request.set_signal(signal);
    request.set_redirect(RequestRedirect::Manual);
    let response = platform::fetch(&target.url, &request).await?;
    Ok(answered(&response))
}

fn answered(response: &Response) -> Sent {
    match (response.status(), response.body()) {
        (200..=299, Some(body)) => Sent::Stream(Body::of(&body)),
        (200..=299, None) => Sent::Empty,
        (status, _) => Sent::Refused(status),
    }
}
