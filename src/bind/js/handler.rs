//! The Worker's routes over a given store, for `js/lastword/handler.mjs`.

use crate::Error;
use crate::bind::web::envelope::Envelope;
use crate::bind::web::front::{self, here};
use crate::bind::web::home::Soon;
use crate::bind::web::host::{Context, Signal};
use crate::bind::web::list::{fill, listing, page};
use crate::bind::web::model::Means;
use crate::bind::web::platform::{self, Env};
use crate::bind::web::space::{Asked, Space};
use crate::bind::web::store::Store;
use crate::bind::web::threads::Threads;
use crate::http::{Caller, Config, Listed};
use crate::run::{StoreOp, StoreReply};
use js_sys::Promise;
use std::cell::Cell;
use std::rc::Rc;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::{Request, Response};

/// What answers requests.
#[wasm_bindgen]
pub struct Handler {
    space: Rc<Space>,
    env: Env,
}

#[wasm_bindgen]
impl Handler {
    /// A handler over a store. `env` has the settings as the Worker's variables; `stays` is true in a process that
    /// goes on when a request is over.
    #[wasm_bindgen(constructor)]
    pub fn new(store: Store, env: Env, stays: bool) -> Handler {
        Handler { space: Rc::new(Space::new(store, stays)), env }
    }

    /// Answers a request.
    pub fn fetch(&self, request: Request, context: Option<Context>) -> Promise {
        let (space, env) = (self.space.clone(), self.env.clone());
        platform::promise(async move {
            let reached = |_: &Config| -> Result<Box<dyn Threads>, Error> {
                let signal: Signal = JsValue::from(request.signal()).into();
                let asked = Cell::new(Asked { signal: Some(signal), context: context.clone() });
                Ok(Box::new(InSpace { space: space.clone(), means: Means::of(&env), asked }))
            };
            front::fetch(&request, &env, &reached).await.map(JsValue::from)
        })
    }
}

/// What is wrong with settings: code, a line break and why.
#[wasm_bindgen]
pub fn fault(env: Env) -> Option<String> {
    let error = platform::config(&env).err()?;
    Some(format!("{}\n{}", error.code(), error.detail().unwrap_or(error.kind().sentence())))
}

struct InSpace {
    space: Rc<Space>,
    means: Means,
    asked: Cell<Asked>,
}

impl Threads for InSpace {
    fn index<'a>(&'a self, key: &'a str) -> Soon<'a, StoreReply> {
        Box::pin(self.space.given().perform(StoreOp::Load(key.to_owned())))
    }

    fn list<'a>(&'a self, caller: &'a Caller, asked: Listed) -> Soon<'a, Result<Response, Error>> {
        Box::pin(async move {
            let mut listing = listing(caller, asked)?;
            fill(&mut listing, &|op| Box::pin(self.space.given().perform(op))).await?;
            page(listing)
        })
    }

    fn answer<'a>(&'a self, config: &'a Config, envelope: Envelope) -> Soon<'a, Result<Response, Error>> {
        let asked = self.asked.take();
        let driver = self.space.driver(config, self.means.clone(), asked, &envelope.scope, &envelope.thread);
        Box::pin(here(driver, envelope))
    }
}
