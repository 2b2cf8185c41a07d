//! The object that owns a thread.

use super::home::Object;
use super::store::Table;
use crate::bind::web::driver::ThreadDriver;
use crate::bind::web::envelope::Envelope;
use crate::bind::web::model::Means;
use crate::bind::web::platform::{self, Env, now};
use crate::bind::web::thread::answer;
use crate::stored::decode;
use crate::{Error, ErrorKind, Millis};
use js_sys::Promise;
use std::cell::OnceCell;
use std::rc::Rc;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::{Request, Response};
use worker_sys::DurableObjectState;

/// How long after an alarm that finds a configuration that is not valid the next is, in milliseconds.
const MISCONFIGURED: Millis = 60_000;

#[wasm_bindgen]
pub struct ThreadObject(Rc<Owner>);

struct Owner {
    table: Rc<Table>,
    env: Env,
    driver: OnceCell<Rc<ThreadDriver>>,
}

#[wasm_bindgen]
impl ThreadObject {
    #[wasm_bindgen(constructor)]
    pub fn new(state: &DurableObjectState, env: Env) -> platform::Result<ThreadObject> {
        let table = Rc::new(Table::new(state)?);
        Ok(ThreadObject(Rc::new(Owner { table, env, driver: OnceCell::new() })))
    }

    /// Answers what the front has admitted.
    pub fn fetch(&self, request: Request) -> Promise {
        let owner = self.0.clone();
        platform::promise(async move { owner.fetch(&request).await.map(JsValue::from) })
    }

    /// The alarm has gone off.
    pub fn alarm(&self) -> Promise {
        let owner = self.0.clone();
        platform::promise(async move {
            // Where it can't be read the alarm is not taken for answered: the platform repeats it.
            if let Some((scope, thread)) = owner.table.owner()? {
                match owner.driver(&scope, &thread) {
                    Ok(driver) => driver.alarm(),
                    // Whoever mends the configuration does not come to this thread.
                    Err(_) if owner.table.set_alarm(Some(now() + MISCONFIGURED)).await => {}
                    Err(_) => return Err(JsValue::NULL),
                }
            }
            Ok(JsValue::UNDEFINED)
        })
    }
}

impl Owner {
    async fn fetch(&self, request: &Request) -> platform::Result<Response> {
        let body = platform::bytes(request.array_buffer()?).await?;
        let Some(envelope) = decode::<Envelope>(&body) else {
            return platform::told(&ErrorKind::Internal.into(), "", "");
        };
        let (run, path) = (envelope.call.run().to_owned(), envelope.path.clone());
        let answered = match self.driver(&envelope.scope, &envelope.thread) {
            Ok(driver) => answer(driver, envelope).await,
            Err(error) => Err(error),
        };
        answered.or_else(|error| platform::told(&error, &path, &run))
    }

    /// The driver of this object's one thread, made by the first call.
    fn driver(&self, scope: &str, thread: &str) -> Result<Rc<ThreadDriver>, Error> {
        if let Some(driver) = self.driver.get() {
            return Ok(driver.clone());
        }
        let config = platform::config(&self.env)?;
        let home = Rc::new(Object(self.table.clone(), self.env.clone()));
        let driver = ThreadDriver::new(home, Means::of(&self.env), config, scope, thread);
        Ok(self.driver.get_or_init(|| driver).clone())
    }
}
