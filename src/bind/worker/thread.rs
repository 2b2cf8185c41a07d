//! The object that owns a thread: its runs, their records and journals.

use super::driver::ThreadDriver;
use super::envelope::{Call, Envelope};
use super::store::Table;
use super::{platform, reader};
use crate::error::{Error, ErrorKind};
use crate::event::View;
use crate::http;
use crate::run::{Cursor, Input, Reader, Reply, RunRecord, StoreReply, ThreadKeys};
use crate::stored::decode;
use crate::wire::Wire;
use crate::wire::agui::{Limits, parse};
use std::cell::RefCell;
use std::rc::Rc;
use worker::{DurableObject, Env, Request, Response, Result, State, durable_object};

#[durable_object(alarm)]
pub struct ThreadObject {
    state: Rc<State>,
    env: Env,
    driver: RefCell<Option<Rc<ThreadDriver>>>,
}

impl DurableObject for ThreadObject {
    fn new(state: State, env: Env) -> Self {
        ThreadObject { state: Rc::new(state), env, driver: RefCell::new(None) }
    }

    async fn fetch(&self, mut request: Request) -> Result<Response> {
        let Some(envelope) = decode::<Envelope>(&request.bytes().await?) else {
            return platform::refuse(&ErrorKind::Internal.into());
        };
        let answer = match self.driver(&envelope.scope, &envelope.thread) {
            Ok(driver) => answer(driver, envelope).await,
            Err(error) => Err(error),
        };
        match answer {
            Ok(response) => Ok(response),
            Err(error) => platform::refuse(&error),
        }
    }

    async fn alarm(&self) -> Result<Response> {
        if let Some((scope, thread)) = Table::new(self.state.storage()).owner()
            && let Ok(driver) = self.driver(&scope, &thread)
        {
            driver.alarm();
        }
        Response::ok("")
    }
}

impl ThreadObject {
    /// The driver of this object's one thread, made by the first call.
    fn driver(&self, scope: &str, thread: &str) -> std::result::Result<Rc<ThreadDriver>, Error> {
        if let Some(driver) = self.driver.borrow().as_ref() {
            return Ok(driver.clone());
        }
        let config = platform::config(&self.env)?;
        let driver = ThreadDriver::new(self.state.clone(), self.env.clone(), config, scope, thread);
        *self.driver.borrow_mut() = Some(driver.clone());
        Ok(driver)
    }
}

async fn answer(driver: Rc<ThreadDriver>, envelope: Envelope) -> std::result::Result<Response, Error> {
    let keys = |run: &str| ThreadKeys::new(&envelope.scope, &envelope.thread).run(run);
    match envelope.call {
        Call::Start { body, after } => {
            let input = Rc::new(parse(body.as_bytes(), &Limits::default())?);
            let run = input.run.clone();
            let started = settled(driver.post(input).await)? == Reply::Started;
            let cursor = if started { Some(Cursor::START) } else { cursor(after)? };
            stream(driver, &run, View::Customer, Reader::new(keys(&run), View::Customer, Wire::AgUi, cursor))
        }
        Call::Join { run, after } => {
            settled(driver.ask(&run, |request| Input::Recover { request }).await)?;
            let reader = Reader::new(keys(&run), View::Customer, Wire::AgUi, cursor(after)?);
            stream(driver, &run, View::Customer, reader)
        }
        Call::Events { run, after, view, types } => {
            settled(driver.ask(&run, |request| Input::Recover { request }).await)?;
            let reader = Reader::new(keys(&run), view, Wire::Canonical, cursor(after)?);
            let reader = types.into_iter().fold(reader, Reader::only);
            stream(driver, &run, view, reader)
        }
        Call::Record { run } => {
            settled(driver.ask(&run, |request| Input::Recover { request }).await)?;
            match driver.load(&keys(&run).head()) {
                StoreReply::Found(bytes, _) => respond(&http::record(&RunRecord::decode(&bytes)?)),
                StoreReply::Missing => Err(ErrorKind::UnknownRun.into()),
                _ => Err(ErrorKind::StoreUnavailable.into()),
            }
        }
        Call::Cancel { run } => match settled(driver.ask(&run, |request| Input::Cancel { request }).await)? {
            Reply::Ended(status) => respond(&http::status(&run, status)),
            _ => Err(ErrorKind::Internal.into()),
        },
    }
}

/// A reply that lets the request go on, or the error that it is.
fn settled(reply: Reply) -> std::result::Result<Reply, Error> {
    match reply {
        Reply::Refused(error) => Err(error),
        Reply::Unknown => Err(ErrorKind::UnknownRun.into()),
        reply => Ok(reply),
    }
}

fn cursor(after: Option<String>) -> std::result::Result<Option<Cursor>, Error> {
    after.as_deref().map(Cursor::parse).transpose()
}

fn stream(driver: Rc<ThreadDriver>, run: &str, view: View, from: Reader) -> std::result::Result<Response, Error> {
    reader::stream(driver, run, view, from).map_err(|_| ErrorKind::Internal.into())
}

fn respond(answer: &http::Answer) -> std::result::Result<Response, Error> {
    platform::respond(answer).map_err(|_| ErrorKind::Internal.into())
}
