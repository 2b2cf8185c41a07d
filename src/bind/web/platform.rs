//! What the platform gives: time, randomness, variables, tasks, requests, responses.
//!
//! Over `worker-sys` and `web-sys`, the bindings under the `worker` crate: its own types bring a
//! serializer, an error and exported classes for every service that a Worker may use, which are
//! half as much again as all of this Worker.

use super::redaction;
use crate::http::{self, AI_BINDING, Answer, Config, Cors, Provider};
use crate::json;
use crate::run::{LogLine, StoreReply, Tries};
use crate::{Error, ErrorKind, Millis};
use futures_channel::oneshot;
use js_sys::{Function, JSON, Object, Promise, Reflect, Uint8Array};
use std::cell::{Cell, RefCell};
use std::panic::PanicHookInfo;
use std::pin::Pin;
use std::rc::Rc;
use wasm_bindgen::prelude::{Closure, wasm_bindgen};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, future_to_promise, spawn_local};
use web_sys::{Headers, ReadableStream, ReadableStreamDefaultReader, RequestInit, Response, ResponseInit, console};

/// What the platform throws is told to nobody.
pub type Result<T> = std::result::Result<T, JsValue>;

#[wasm_bindgen]
extern "C" {
    /// The Worker's variables, secrets and bindings.
    #[derive(Clone)]
    pub type Env;

    /// The binding of Workers AI.
    #[derive(Clone)]
    pub type Ai;

    #[wasm_bindgen(method, catch)]
    fn run(this: &Ai, model: &str, inputs: &JsValue, options: &JsValue) -> Result<Promise>;

    #[wasm_bindgen(js_namespace = crypto, js_name = randomUUID)]
    fn random_uuid() -> String;

    #[wasm_bindgen(js_namespace = globalThis, js_name = fetch)]
    fn fetch_url(url: &str, init: &RequestInit) -> Promise;

    #[wasm_bindgen(js_name = setTimeout)]
    fn set_timeout(then: &Closure<dyn FnMut()>, millis: i32) -> JsValue;

    /// Throws where it is called in nobody's time: when what waited is collected.
    #[wasm_bindgen(catch, js_name = clearTimeout)]
    fn clear_timeout(timer: &JsValue) -> Result<()>;
}

/// The time.
pub fn now() -> Millis {
    js_sys::Date::now() as Millis
}

/// Waits. Dropped, it waits no longer.
pub async fn sleep(span: Millis) {
    wait(span, false).await;
}

/// Waits, and lets a process end that has nothing else to do.
pub async fn doze(span: Millis) {
    wait(span, true).await;
}

async fn wait(span: Millis, idle: bool) {
    let (ring, rang) = oneshot::channel();
    let mut ring = Some(ring);
    let then = Closure::new(move || {
        if let Some(ring) = ring.take() {
            let _ = ring.send(());
        }
    });
    let timer = timer(&then, span);
    if idle && let Ok(unref) = Reflect::get(&timer.0, &"unref".into()) {
        let _ = unref.dyn_into::<Function>().map(|unref| unref.call0(&timer.0));
    }
    let _ = rang.await;
}

/// A timer for one who waits again and again, and mostly for something else: it is set anew only for an earlier moment.
pub struct Clock {
    rings: Rc<Rings>,
    then: Closure<dyn FnMut()>,
}

#[derive(Default)]
struct Rings {
    set: RefCell<Option<(Millis, Timer)>>,
    waiting: Cell<Option<oneshot::Sender<()>>>,
}

impl Clock {
    /// One that is not set yet.
    pub fn new() -> Self {
        let rings = Rc::new(Rings::default());
        let rung = rings.clone();
        let then = Closure::new(move || {
            rung.set.take();
            if let Some(waiting) = rung.waiting.take() {
                let _ = waiting.send(());
            }
        });
        Clock { rings, then }
    }

    /// Waits, as [`sleep`] does.
    pub async fn sleep(&self, span: Millis) {
        let at = now().saturating_add(span);
        loop {
            let is_set = self.rings.set.borrow().as_ref().is_some_and(|(due, _)| *due <= at);
            if !is_set {
                self.rings.set.replace(Some((at, timer(&self.then, at.saturating_sub(now())))));
            }
            let (ring, rang) = oneshot::channel();
            self.rings.waiting.set(Some(ring));
            let _ = rang.await;
            if now() >= at {
                return;
            }
        }
    }
}

fn timer(then: &Closure<dyn FnMut()>, span: Millis) -> Timer {
    Timer(set_timeout(then, span.try_into().unwrap_or(i32::MAX)))
}

struct Timer(JsValue);

impl Drop for Timer {
    fn drop(&mut self) {
        let _ = clear_timeout(&self.0);
    }
}

/// A name that no other instance ever had.
pub fn instance() -> String {
    random_uuid()
}

/// Writes a line to the log. What is no [`LogLine`] is written nowhere: it might hold anything.
pub fn log(line: &LogLine) {
    write(&line.encode().into());
}

thread_local! {
    /// What takes lines of the log in the console's place.
    static LOG: RefCell<Option<Function>> = const { RefCell::new(None) };
}

/// Lines of the log go there, or to the console.
pub fn log_to(log: Option<Function>) {
    LOG.set(log);
}

fn write(line: &JsValue) {
    let log = LOG.with_borrow(Clone::clone);
    match log {
        // A log that fails stops nothing.
        Some(log) => drop(log.call1(&JsValue::UNDEFINED, line)),
        None => console::error_1(line),
    }
}

/// Tells the log where a panic was. Its message is not for it: it may quote what was worked on.
pub fn log_panic(panic: &PanicHookInfo<'_>) {
    let place = panic.location().map(ToString::to_string);
    let line = json::object(|line| {
        line.fields(&[("code", &ErrorKind::Internal.code()), ("at", &place)]);
    });
    write(&line.into());
}

/// The configuration, from the Worker's variables and secrets.
pub fn config(env: &Env) -> std::result::Result<Config, Error> {
    let config = Config::read(|name| variable(env, name))?;
    // What the settings of the filter say is known to be good only once its plans are made.
    redaction::plans(&config)?;
    if config.provider == Provider::Binding && ai(env).is_none() {
        let detail = "LASTWORD_UPSTREAM_URL is missing, and there is no binding AI that would do without it.";
        return Err(Error::with(ErrorKind::NotConfigured, detail));
    }
    Ok(config)
}

/// The binding of Workers AI, if the Worker has it.
pub fn ai(env: &Env) -> Option<Ai> {
    Reflect::get(env.as_ref(), &AI_BINDING.into()).ok().filter(JsValue::is_object).map(JsCast::unchecked_into)
}

/// Runs a model by the binding, on inputs that are JSON text. A response is given as it came, its status too.
pub async fn run_ai(ai: &Ai, model: &str, inputs: &[u8]) -> Result<JsValue> {
    let inputs = JSON::parse(&String::from_utf8_lossy(inputs))?;
    let options = Object::new();
    Reflect::set(&options, &"returnRawResponse".into(), &true.into())?;
    JsFuture::from(ai.run(model, &inputs, &options)?).await
}

/// Which pages of other origins may call. It is read apart from the rest, so that they can read of a
/// configuration that is wrong.
pub fn cors(env: &Env) -> std::result::Result<Cors, Error> {
    Cors::parse(variable(env, "LASTWORD_ORIGINS").as_deref())
}

fn variable(env: &Env, name: &str) -> Option<String> {
    Reflect::get(env.as_ref(), &JsValue::from_str(name)).ok()?.as_string()
}

/// Lets work go on by itself. It is boxed so that all tasks are of one type: each further one costs code.
pub fn spawn(work: impl Future<Output = ()> + 'static) {
    let work: Pin<Box<dyn Future<Output = ()>>> = Box::pin(work);
    spawn_local(work);
}

/// A promise of what work gives. It is boxed as by [`spawn`].
pub fn promise(work: impl Future<Output = Result<JsValue>> + 'static) -> Promise {
    let work: Pin<Box<dyn Future<Output = Result<JsValue>>>> = Box::pin(work);
    future_to_promise(work)
}

/// Reads, some times over while the store is away. Boxed, so that all reads are one piece of code.
pub async fn again<'a>(
    mut tries: Tries,
    read: &dyn Fn() -> Pin<Box<dyn Future<Output = StoreReply> + 'a>>,
) -> StoreReply {
    loop {
        match (read().await, tries.again(now())) {
            (StoreReply::Unavailable, Some(at)) => sleep(at.saturating_sub(now())).await,
            (reply, _) => return reply,
        }
    }
}

/// Sends a request to an address.
pub async fn fetch(url: &str, init: &RequestInit) -> Result<Response> {
    Ok(JsFuture::from(fetch_url(url, init)).await?.unchecked_into())
}

/// What a request is made from.
pub fn request(method: &str, body: Option<&[u8]>) -> RequestInit {
    let init = RequestInit::new();
    init.set_method(method);
    if let Some(body) = body {
        init.set_body(&Uint8Array::from(body));
    }
    init
}

/// Headers by name.
pub fn headers(fields: &[(&str, &str)]) -> Result<Headers> {
    let headers = Headers::new()?;
    for (name, value) in fields {
        headers.set(name, value)?;
    }
    Ok(headers)
}

/// The bytes that a promise of an `ArrayBuffer` gives.
pub async fn bytes(buffer: Promise) -> Result<Vec<u8>> {
    Ok(Uint8Array::new(&JsFuture::from(buffer).await?).to_vec())
}

/// The head of a response.
pub fn head(status: u16, fields: &[(&str, &str)]) -> Result<ResponseInit> {
    let init = ResponseInit::new();
    init.set_status(status);
    let headers = headers(fields)?;
    init.set_headers(&headers);
    Ok(init)
}

/// A response of an answer.
pub fn respond(answer: &Answer) -> Result<Response> {
    let head = head(answer.status, &[])?;
    let headers = headers(&[])?;
    for (name, value) in &answer.headers {
        headers.set(name, value)?;
    }
    let body = Some(answer.body.as_str()).filter(|body| !body.is_empty());
    if body.is_some() {
        headers.set("content-type", "application/json")?;
    }
    head.set_headers(&headers);
    Response::new_with_opt_str_and_init(body, &head)
}

/// A response of an error. One that is our fault is logged under the reference that it carries; `run` is
/// the run's id, or empty.
pub fn told(error: &Error, path: &str, run: &str) -> Result<Response> {
    let line = LogLine::of_answer(error.kind(), run, &instance());
    if let Some(line) = &line {
        log(line);
    }
    respond(&http::refused(error, path, line.as_ref().map(|line| line.reference.as_str())))
}

/// The same response with these headers too.
pub fn with(response: Response, fields: &[(&str, String)]) -> Result<Response> {
    if fields.is_empty() {
        return Ok(response);
    }
    // The headers of a response that an object gave can't be changed.
    let init = ResponseInit::new();
    init.set_status(response.status());
    let headers = Headers::new_with_headers(&response.headers())?;
    for (name, value) in fields {
        headers.append(name, value)?;
    }
    init.set_headers(&headers);
    Response::new_with_opt_readable_stream_and_init(response.body().as_ref(), &init)
}

/// Sets a property of an object.
pub fn set(object: &JsValue, name: &str, value: &str) -> Result<()> {
    Reflect::set(object, &name.into(), &value.into()).map(drop)
}

/// What a client is told where the platform fails.
pub fn internal(_: JsValue) -> Error {
    ErrorKind::Internal.into()
}

/// A body that is read chunk by chunk. Dropped, it is read no further.
pub struct Body(ReadableStreamDefaultReader);

impl Body {
    /// Takes hold of a stream.
    pub fn of(stream: &ReadableStream) -> Self {
        Body(stream.get_reader().unchecked_into())
    }

    /// The next chunk, or the end.
    pub async fn next(&self) -> Result<Option<Vec<u8>>> {
        let read = JsFuture::from(self.0.read()).await?;
        if Reflect::get(&read, &"done".into())?.is_truthy() {
            return Ok(None);
        }
        let chunk: Uint8Array = Reflect::get(&read, &"value".into())?.unchecked_into();
        Ok(Some(chunk.to_vec()))
    }
}

impl Drop for Body {
    fn drop(&mut self) {
        let cancelled = JsFuture::from(self.0.cancel());
        spawn(async move {
            let _ = cancelled.await;
        });
    }
}
