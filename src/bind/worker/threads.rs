//! How the Worker's front reaches threads: by the objects that own them, or by Workers KV alone.

use super::home::InRequest;
use super::kv::Kv;
use super::{index, list, objects};
use crate::Millis;
use crate::bind::web::driver::ThreadDriver;
use crate::bind::web::envelope::Envelope;
use crate::bind::web::front::here;
use crate::bind::web::history::{Told, read};
use crate::bind::web::home::Soon;
use crate::bind::web::host::{Context, Host};
use crate::bind::web::list::{fill, listing, page};
use crate::bind::web::model::Means;
use crate::bind::web::platform::Env;
use crate::bind::web::threads::Threads;
use crate::error::Error;
use crate::http::{Caller, Config, Listed, Store};
use crate::run::{Reader, StoreOp, StoreReply, ThreadKeys};
use crate::wire::{Form, Wire};
use std::rc::Rc;
use wasm_bindgen::JsValue;
use web_sys::{Request, Response};

/// How long the platform lets work go on once its client has gone, or has had the whole response.
const ALONE: Millis = 30_000;
/// How many entries are looked at in Workers KV: each takes an operation, and so does each head, of 1,000.
const KV_ENTRIES: usize = 400;

/// The threads, as the configuration has them.
///
/// # Errors
/// [`crate::ErrorKind::NotConfigured`] if Workers KV is not bound.
pub fn reached(request: &Request, env: &Env, context: &Context, config: &Config) -> Result<Box<dyn Threads>, Error> {
    if config.store != Store::WorkersKv {
        return Ok(Box::new(ByObjects(env.clone())));
    }
    let signal = JsValue::from(request.signal()).into();
    let home = InRequest(Kv::open(env, config)?, Host::new(Some(signal), Some(context.clone()), ALONE));
    Ok(Box::new(ByKv(Rc::new(home), env.clone())))
}

struct ByObjects(Env);

impl Threads for ByObjects {
    fn index<'a>(&'a self, key: &'a str) -> Soon<'a, StoreReply> {
        Box::pin(index::load(&self.0, key))
    }

    fn list<'a>(&'a self, caller: &'a Caller, asked: Listed) -> Soon<'a, Result<Response, Error>> {
        Box::pin(list::answer(&self.0, caller, asked))
    }

    fn answer<'a>(&'a self, _config: &'a Config, envelope: Envelope) -> Soon<'a, Result<Response, Error>> {
        Box::pin(async move { objects::forward(&self.0, &envelope).await })
    }
}

struct ByKv(Rc<InRequest>, Env);

impl Threads for ByKv {
    fn index<'a>(&'a self, key: &'a str) -> Soon<'a, StoreReply> {
        Box::pin(self.0.0.perform(StoreOp::Load(key.to_owned())))
    }

    fn list<'a>(&'a self, caller: &'a Caller, asked: Listed) -> Soon<'a, Result<Response, Error>> {
        Box::pin(async move {
            let mut listing = listing(caller, asked)?.looking_at(KV_ENTRIES);
            fill(&mut listing, &|op| Box::pin(self.0.0.perform(op))).await?;
            page(listing)
        })
    }

    fn answer<'a>(&'a self, config: &'a Config, envelope: Envelope) -> Soon<'a, Result<Response, Error>> {
        let (home, means) = (self.0.clone(), Means::of(&self.1));
        let driver = ThreadDriver::new(home, means, config.clone(), &envelope.scope, &envelope.thread);
        Box::pin(here(driver, envelope))
    }

    fn document<'a>(
        &'a self,
        _config: &'a Config,
        scope: &'a str,
        thread: String,
        run: String,
    ) -> Soon<'a, Option<String>> {
        Box::pin(async move {
            let keys = ThreadKeys::new(scope, &thread).run(&run);
            let reader = Reader::folding(keys, Wire::Responses, Form::Now, false, 0);
            match read(reader, async |key| self.0.0.read(key).await).await {
                Ok(Told::Document(document)) => Some(document),
                _ => None,
            }
        })
    }
}
