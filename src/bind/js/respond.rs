//! A stream in, a client's streaming response out, for `js/lastword/respond.mjs`.

use crate::Millis;
use crate::bind::web::driver::ThreadDriver;
use crate::bind::web::given::Given;
use crate::bind::web::host::{Context, Signal};
use crate::bind::web::model::Means;
use crate::bind::web::own::Own;
use crate::bind::web::platform::{self, Env, Result};
use crate::bind::web::reader::{Attached, Reading};
use crate::bind::web::source;
use crate::bind::web::space::{Asked, Space as Threads};
use crate::bind::web::store::Store;
use crate::digest;
use crate::error::{Error, ErrorKind};
use crate::event::View;
use crate::input::RunInput;
use crate::profile::Profile;
use crate::run::{Cursor, Input, Reader, Reply, RunKeys, ThreadKeys};
use crate::stored::{decode, readable};
use crate::wire::{Context as Frames, Form, Wire};
use js_sys::{Array, Promise};
use std::rc::Rc;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::Response;

/// What is told of a run when it is over: its text, what it hands over, and how it ended.
const TOLD: &[&str] = &["content", "content_withdrawn", "tool_call", "tool_call_args"];

/// Which run, and how it is read.
struct Which {
    scope: String,
    thread: String,
    run: String,
    to: Wire,
    operator: bool,
    after: Option<String>,
    /// In milliseconds.
    heartbeat: Millis,
}

readable!(Which { scope, thread, run, to, operator, after, heartbeat });

/// The runs of a store.
#[wasm_bindgen]
pub struct Space(Rc<Threads>);

#[wasm_bindgen]
impl Space {
    /// The runs of a store; `stays` is true in a process that goes on when a request is over.
    #[wasm_bindgen(constructor)]
    pub fn new(store: Store, stays: bool) -> Space {
        Space(Rc::new(Threads::new(store, stays)))
    }

    /// Runs what `given` says, or joins the run that is there. Gives the response, and whether the run began so; or, of
    /// what is refused, nothing, false, code, why, and the frame that says so.
    pub fn respond(
        &self,
        env: Env,
        which: String,
        given: Given,
        signal: Option<Signal>,
        context: Option<Context>,
    ) -> Promise {
        let space = self.0.clone();
        answered(which, async move |which: &Which| {
            let config = platform::config(&env)?;
            let asked = Asked { signal, context };
            let driver = space.driver(&config, Means::default(), asked, &which.scope, &which.thread);
            let reply = driver.post_own(Rc::new(input(which)), Own { config, given }).await;
            let reply = reply.unwrap_or(Reply::Refused(ErrorKind::Internal.into()));
            let started = reply == Reply::Started;
            if !started {
                driver.forget_own(&which.run);
            }
            if let Reply::Refused(error) = reply {
                return Err(error);
            }
            Ok((read(driver, which, started)?, started))
        })
    }

    /// Reads a run again, or on. Gives what [`Space::respond`] does.
    pub fn replay(&self, env: Env, which: String) -> Promise {
        let space = self.0.clone();
        answered(which, async move |which: &Which| {
            let config = platform::config(&env)?;
            let driver = space.driver(&config, Means::default(), Asked::default(), &which.scope, &which.thread);
            match driver.ask(&which.run, |request| Input::Recover { request }).await {
                Ok(Reply::Refused(error)) => return Err(error),
                Ok(Reply::Unknown) => return Err(ErrorKind::UnknownRun.into()),
                Ok(_) => {}
                Err(_) => return Err(ErrorKind::Internal.into()),
            }
            Ok((read(driver, which, false)?, false))
        })
    }

    /// Cancels a run. Gives the status that it has then, or `asked` where another process has it.
    pub fn cancel(&self, env: Env, which: String) -> Promise {
        let space = self.0.clone();
        told(async move {
            let (config, which) = (platform::config(&env)?, named(&which)?);
            let driver = space.driver(&config, Means::default(), Asked::default(), &which.scope, &which.thread);
            match driver.ask(&which.run, |request| Input::Cancel { request }).await {
                Ok(Reply::Refused(error)) => Err(error),
                Ok(Reply::Unknown) => Err(ErrorKind::UnknownRun.into()),
                Ok(Reply::Ended(status)) => Ok(status.name().into()),
                Ok(Reply::CancelAsked) => Ok("asked".into()),
                _ => Err(ErrorKind::Internal.into()),
            }
        })
    }

    /// What became of a run, once it is over: frames of the canonical wire.
    pub fn done(&self, env: Env, which: String) -> Promise {
        let space = self.0.clone();
        told(async move {
            let (config, which) = (platform::config(&env)?, named(&which)?);
            let driver = space.driver(&config, Means::default(), Asked::default(), &which.scope, &which.thread);
            driver.over(&which.run).await;
            let reader = Reader::new(keys(&which), View::Customer, Wire::Canonical, Some(Cursor::START));
            let reader = reader.only(TOLD.iter().map(ToString::to_string).collect());
            let mut reader = Attached::unseen(driver, Reading::run(which.run, reader));
            let mut frames = Vec::new();
            while let Some(bytes) = reader.next().await {
                frames.extend(bytes);
            }
            Ok(JsValue::from_str(&String::from_utf8_lossy(&frames)))
        })
    }
}

fn keys(which: &Which) -> RunKeys {
    ThreadKeys::new(&which.scope, &which.thread).run(&which.run)
}

/// The input of a run whose upstream is given: there is nothing that the model is told.
fn input(which: &Which) -> RunInput {
    RunInput {
        thread: which.thread.clone(),
        run: which.run.clone(),
        messages: Vec::new(),
        tools: Vec::new(),
        context: Vec::new(),
        resume: Vec::new(),
        model: None,
        settings: Default::default(),
        echo: Default::default(),
        fingerprint: digest::hex(&["given upstream", &which.thread, &which.run]),
        protocol: None,
        exactly_once: false,
    }
}

/// A response that reads the run on its wire.
fn read(driver: Rc<ThreadDriver>, which: &Which, started: bool) -> std::result::Result<Response, Error> {
    let view = if which.operator { View::Operator } else { View::Customer };
    let after = which.after.as_deref().map(Cursor::parse).transpose()?;
    let cursor = if started { Some(Cursor::START) } else { after };
    let reader = match which.to {
        Wire::AgUi | Wire::Canonical => Reader::new(keys(which), view, which.to, cursor),
        wire => Reader::folding(keys(which), wire, Form::Stream, true, 0),
    };
    let attached = Attached::new(driver, view, Reading::run(which.run.clone(), reader)).beating(which.heartbeat);
    source::response(attached, which.to.headers()).map_err(platform::internal)
}

fn named(which: &str) -> std::result::Result<Which, Error> {
    decode(which.as_bytes()).ok_or_else(|| ErrorKind::InvalidInput.into())
}

/// A promise of a response and whether the run began with it, or of an error and its frame.
fn answered(
    which: String,
    work: impl AsyncFnOnce(&Which) -> std::result::Result<(Response, bool), Error> + 'static,
) -> Promise {
    told(async move {
        let which = named(&which)?;
        Ok(match work(&which).await {
            Ok((response, started)) => Array::of2(&response.into(), &started.into()).into(),
            Err(error) => refused(&which, error),
        })
    })
}

/// What is refused, and the frame that says so on the wire.
fn refused(which: &Which, error: Error) -> JsValue {
    let profile = Profile::new("", None, 0);
    let frame = which.to.failure(&Frames { run: &which.run, thread: &which.thread, profile: &profile }, &error);
    let frame = frame.to_bytes().unwrap_or_default();
    let why = error.detail().unwrap_or(error.kind().sentence());
    let frame = JsValue::from_str(&String::from_utf8_lossy(&frame));
    Array::of5(&JsValue::NULL, &false.into(), &error.code().into(), &why.into(), &frame).into()
}

/// A promise that an error rejects as `[code, why]`.
fn told(work: impl Future<Output = std::result::Result<JsValue, Error>> + 'static) -> Promise {
    platform::promise(async move { work.await.map_err(said) as Result<JsValue> })
}

fn said(error: Error) -> JsValue {
    let why = error.detail().unwrap_or(error.kind().sentence());
    Array::of2(&error.code().into(), &why.into()).into()
}
