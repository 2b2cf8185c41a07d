//! One model call's stream: a recording's, or an upstream's over HTTP.

use super::platform::{self, Body, sleep};
use crate::http::Provider;
use crate::provider::Target;
use crate::provider::replay::{Playback, Recording};
use crate::run::{Input, ModelCall};
use web_sys::{AbortController, AbortSignal, RequestRedirect};

/// A stream that is being read, or waits to be opened by its first read.
pub enum ModelStream {
    /// A request that was not sent yet.
    Unsent { target: Target, body: Vec<u8>, signal: Option<AbortSignal> },
    /// An upstream's body.
    Open(Body),
    /// A recording's response.
    Recorded(Playback),
    /// There is nothing to read.
    Nothing,
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
        recording: Option<(&'static Recording, u32)>,
    ) -> Self {
        let abort = AbortController::new().ok();
        let stream = match (provider, recording) {
            (Provider::Upstream(upstream), _) => ModelStream::Unsent {
                target: upstream.format.target(&upstream.url, model, upstream.key.as_deref()),
                body,
                signal: abort.as_ref().map(AbortController::signal),
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
            ModelStream::Nothing => (ModelStream::Nothing, Input::Unreachable(call)),
            ModelStream::Recorded(mut playback) => match playback.next() {
                Some(chunk) => {
                    sleep(chunk.after_ms).await;
                    (ModelStream::Recorded(playback), Input::Bytes(call, chunk.bytes.to_vec()))
                }
                None => (ModelStream::Nothing, Input::Eof(call)),
            },
            ModelStream::Open(body) => read(body, call).await,
            ModelStream::Unsent { target, body, signal } => match send(&target, &body, signal.as_ref()).await {
                Ok(Sent::Stream(body)) => read(body, call).await,
                Ok(Sent::Empty) => (ModelStream::Nothing, Input::Eof(call)),
                Ok(Sent::Refused(status)) => (ModelStream::Nothing, Input::Refused(call, status)),
                Err(_) => (ModelStream::Nothing, Input::Unreachable(call)),
            },
        }
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
    match (response.status(), response.body()) {
        (200..=299, Some(body)) => Ok(Sent::Stream(Body::of(&body))),
        (200..=299, None) => Ok(Sent::Empty),
        (status, _) => Ok(Sent::Refused(status)),
    }
}
