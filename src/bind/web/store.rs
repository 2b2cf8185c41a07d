//! A store that the host gives: an object with the four operations of the contract.

use super::fresh::Fresh;
use super::home::{Home, Soon};
use super::host::Host;
use super::platform::{Result, sleep};
use crate::Millis;
use crate::run::{Expect, Head, Part, StoreOp, StoreReply, Version};
use futures_util::future::{Either, select};
use js_sys::{Array, Object, Promise, Reflect, Uint8Array};
use std::pin::pin;
use std::rc::Rc;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

/// How long a store may take to answer, in milliseconds.
const LONGEST: Millis = 10_000;
/// What a store says that surely has not written.
const NOT_WRITTEN: &str = "store_unavailable";

#[wasm_bindgen]
extern "C" {
    /// A store as `js/lastword/stores/store.d.ts` has it.
    #[derive(Clone)]
    pub type Store;

    #[wasm_bindgen(method, catch)]
    fn load(this: &Store, key: &str) -> Result<JsValue>;

    #[wasm_bindgen(method, catch)]
    fn save(this: &Store, parts: &Array, head: &JsValue) -> Result<JsValue>;

    #[wasm_bindgen(method, catch)]
    fn list(this: &Store, prefix: &str, after: Option<&str>, limit: f64) -> Result<JsValue>;

    #[wasm_bindgen(method, catch)]
    fn delete(this: &Store, keys: &Array) -> Result<JsValue>;
}

/// The store.
pub struct Given {
    store: Store,
}

impl Given {
    /// Takes hold of a store.
    pub fn new(store: Store) -> Self {
        Given { store }
    }

    /// Performs one operation.
    pub async fn perform(&self, op: StoreOp) -> StoreReply {
        let late = match op {
            StoreOp::Save { .. } | StoreOp::Delete(_) => StoreReply::Uncertain,
            StoreOp::Load(_) | StoreOp::List { .. } => StoreReply::Unavailable,
        };
        match select(pin!(self.performed(op)), pin!(sleep(LONGEST))).await {
            Either::Left((reply, _)) => reply,
            Either::Right(_) => late,
        }
    }

    async fn performed(&self, op: StoreOp) -> StoreReply {
        match op {
            StoreOp::Load(key) => self
                .asked(self.store.load(&key))
                .await
                .and_then(|found| found_in(&found))
                .unwrap_or(StoreReply::Unavailable),
            StoreOp::Save { parts, head } => self.saved(&parts, head.as_ref()).await,
            StoreOp::List { prefix, after, limit } => {
                let listed = self.asked(self.store.list(&prefix, after.as_deref(), limit as f64)).await;
                let keys = listed.ok().filter(JsValue::is_array).map(|keys| {
                    let keys = keys.unchecked_into::<Array>();
                    keys.iter().filter_map(|key| key.as_string()).collect()
                });
                keys.map_or(StoreReply::Unavailable, StoreReply::Listed)
            }
            StoreOp::Delete(keys) => {
                let keys = keys.iter().map(|key| JsValue::from_str(key)).collect::<Array>();
                self.asked(self.store.delete(&keys)).await.map_or_else(|error| refused(&error), |_| StoreReply::Deleted)
            }
        }
    }

    async fn saved(&self, parts: &[Part], head: Option<&Head>) -> StoreReply {
        let given = parts.iter().map(|part| part_of(&part.key, &part.value)).collect::<Result<Array>>();
        let given = given.and_then(|parts| Ok((parts, head.map(head_of).transpose()?)));
        let Ok((given, head)) = given else { return StoreReply::Unavailable };
        match self.asked(self.store.save(&given, &head.unwrap_or_default())).await {
            Ok(version) if version.is_null() => StoreReply::Conflict,
            Ok(version) => StoreReply::Saved(Version(version.as_string().unwrap_or_default())),
            Err(error) => refused(&error),
        }
    }

    /// A store may answer at once, or by a promise.
    async fn asked(&self, answer: Result<JsValue>) -> Result<JsValue> {
        JsFuture::from(Promise::resolve(&answer?)).await
    }
}

fn found_in(found: &JsValue) -> Result<StoreReply> {
    if found.is_undefined() || found.is_null() {
        return Ok(StoreReply::Missing);
    }
    let value = Reflect::get(found, &"value".into())?;
    let version = Reflect::get(found, &"version".into())?.as_string().unwrap_or_default();
    let bytes = value.dyn_ref::<Uint8Array>().ok_or(JsValue::NULL)?.to_vec();
    Ok(StoreReply::Found(bytes, Version(version)))
}

/// What came of a write that has failed.
fn refused(error: &JsValue) -> StoreReply {
    let code = Reflect::get(error, &"code".into()).ok().and_then(|code| code.as_string());
    if code.as_deref() == Some(NOT_WRITTEN) { StoreReply::Unavailable } else { StoreReply::Uncertain }
}

fn part_of(key: &str, value: &[u8]) -> Result<Object> {
    let part = Object::new();
    Reflect::set(&part, &"key".into(), &key.into())?;
    Reflect::set(&part, &"value".into(), &Uint8Array::from(value))?;
    Ok(part)
}

fn head_of(head: &Head) -> Result<JsValue> {
    let object = part_of(&head.key, &head.value)?;
    let expect = match &head.expect {
        Expect::Absent => JsValue::NULL,
        Expect::Version(version) => JsValue::from_str(&version.0),
        Expect::Any => JsValue::UNDEFINED,
    };
    Reflect::set(&object, &"expect".into(), &expect)?;
    Ok(object.into())
}

/// A thread in a given store, in a request or in a process.
pub struct InStore {
    /// The store.
    pub given: Rc<Given>,
    /// The parts that were saved last here: they never change.
    pub fresh: Fresh,
    /// What keeps its work going.
    pub host: Host,
    /// True where others may write too.
    pub shared: bool,
    /// True in a process that goes on.
    pub stays: bool,
}

/// How often a run in a request asks whether its host ends.
const WATCH: Millis = 2_000;

impl Home for InStore {
    fn perform(&self, op: StoreOp) -> Soon<'_, StoreReply> {
        Box::pin(async move {
            let parts = match &op {
                StoreOp::Save { parts, .. } => parts.clone(),
                StoreOp::Delete(keys) => {
                    self.fresh.retain(&mut |part| !keys.contains(&part.key));
                    Vec::new()
                }
                _ => Vec::new(),
            };
            let reply = self.given.perform(op).await;
            if matches!(reply, StoreReply::Saved(_)) {
                self.fresh.keep(parts);
            }
            reply
        })
    }

    fn read<'a>(&'a self, key: &'a str) -> Soon<'a, StoreReply> {
        Box::pin(async move {
            match self.fresh.find(key) {
                Some(value) => StoreReply::Found(value, Version::default()),
                None => self.given.perform(StoreOp::Load(key.to_owned())).await,
            }
        })
    }

    fn has_timers(&self) -> bool {
        self.stays
    }

    fn spawn(&self, work: Soon<'static, ()>) {
        // Where the platform takes nothing more, the work goes on as long as its request does.
        let _ = self.host.keep(work);
    }

    fn watch(&self) -> Millis {
        if self.stays { Millis::MAX } else { WATCH }
    }

    fn ends(&self) -> Option<Millis> {
        self.host.ends()
    }

    fn is_shared(&self) -> bool {
        self.shared
    }
}
