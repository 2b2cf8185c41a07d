//! The store of a Worker that has a Workers KV namespace alone.
//!
//! It promises no more than the platform does: nothing is compared and set in one step, a read may be
//! old, a key takes one write a second. Values are written one by one, the head last.

use crate::Millis;
use crate::bind::web::fresh::Fresh;
use crate::bind::web::platform::{Env, Result};
use crate::digest;
use crate::error::{Error, ErrorKind};
use crate::http::Config;
use crate::run::{Expect, Head, Part, RunRecord, StoreOp, StoreReply, Version, is_head};
use js_sys::{Array, Promise, Reflect, Uint8Array};
use std::cell::Cell;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

/// The name of the binding.
const BINDING: &str = "LASTWORD_KV";
/// How old a value may be that the platform's own cache gives, in seconds: the least that it takes.
const CACHE_TTL: u32 = 30;

#[wasm_bindgen]
extern "C" {
    /// A `KVNamespace`.
    type Namespace;

    #[wasm_bindgen(method, catch)]
    fn get(this: &Namespace, key: &str, options: &JsValue) -> Result<Promise>;

    #[wasm_bindgen(method, catch)]
    fn put(this: &Namespace, key: &str, value: &Uint8Array, options: &JsValue) -> Result<Promise>;

    #[wasm_bindgen(method, catch)]
    fn list(this: &Namespace, options: &JsValue) -> Result<Promise>;

    #[wasm_bindgen(method, catch)]
    fn delete(this: &Namespace, key: &str) -> Result<Promise>;
}

/// The namespace, as one invocation uses it.
pub struct Kv {
    namespace: Namespace,
    /// How long the head of a run that has ended, and how long anything else is kept after it was written, in seconds.
    ttl: Option<(u64, u64)>,
    /// What this invocation has saved last, heads too.
    fresh: Fresh,
    /// How many operations may be made before the invocation has to come to its end.
    most: u32,
    operations: Cell<u32>,
}

impl Kv {
    /// Opens the namespace. A run's parts and entries are kept as much longer as it may take, so that none is gone
    /// before its head.
    ///
    /// # Errors
    /// [`ErrorKind::NotConfigured`] if it is not bound.
    pub fn open(env: &Env, config: &Config) -> std::result::Result<Self, Error> {
        let namespace = Reflect::get(env.as_ref(), &BINDING.into()).unwrap_or_default();
        if !namespace.is_object() {
            return Err(Error::with(ErrorKind::NotConfigured, format!("The binding {BINDING} is missing.")));
        }
        let seconds = |span: Millis| span.div_ceil(1000);
        let ttl = config.keep.runs.map(|kept| (seconds(kept), seconds(kept.saturating_add(config.limits.run))));
        let (fresh, most, operations) = (Fresh::default(), config.operations, Cell::new(0));
        Ok(Kv { namespace: namespace.unchecked_into(), ttl, fresh, most, operations })
    }

    /// True once so many operations were made that the invocation has to come to its end.
    pub fn is_spent(&self) -> bool {
        self.operations.get() >= self.most
    }

    /// Performs one operation. What it loads is the store's own word, never what is remembered here.
    pub async fn perform(&self, op: StoreOp) -> StoreReply {
        match op {
            StoreOp::Load(key) => match self.load(&key).await {
                StoreReply::Found(value, _) => {
                    let version = version(&value);
                    StoreReply::Found(value, version)
                }
                reply => reply,
            },
            StoreOp::Save { parts, head } => self.save(parts, head).await,
            StoreOp::List { prefix, after, limit } => {
                self.keys(&prefix, after.as_deref(), limit).await.map_or(StoreReply::Unavailable, StoreReply::Listed)
            }
            StoreOp::Delete(keys) => {
                self.fresh.retain(&mut |part| !keys.contains(&part.key));
                for key in &keys {
                    if let Err(error) = self.settled(self.namespace.delete(key)).await {
                        return refused(&error);
                    }
                }
                StoreReply::Deleted
            }
        }
    }

    /// Reads a value for a reader: what was saved here is remembered, since the store may show it much later.
    pub async fn read(&self, key: &str) -> StoreReply {
        match self.fresh.find(key) {
            Some(value) => StoreReply::Found(value, Version::default()),
            None => self.load(key).await,
        }
    }

    /// True if [`Kv::read`] needs no operation for that key.
    pub fn remembers(&self, key: &str) -> bool {
        self.fresh.find(key).is_some()
    }

    /// A run's machine is done: a head that has not ended is nobody's any more, so the store has the word on it.
    pub fn over(&self) {
        self.fresh.retain(&mut |part| !is_head(&part.key) || RunRecord::has_ended(&part.value));
    }

    async fn load(&self, key: &str) -> StoreReply {
        let options = options(&[("type", &"arrayBuffer".into()), ("cacheTtl", &CACHE_TTL.into())]);
        match self.settled(self.namespace.get(key, &options)).await {
            Ok(value) if value.is_null() => StoreReply::Missing,
            Ok(value) => StoreReply::Found(Uint8Array::new(&value).to_vec(), Version::default()),
            Err(_) => StoreReply::Unavailable,
        }
    }

    /// Parts one by one, then the head. An expectation is looked at before anything is written; another writer
    /// may come between the look and the write, which the traits say.
    async fn save(&self, parts: Vec<Part>, head: Option<Head>) -> StoreReply {
        if let Some(Head { key, expect, .. }) = head.as_ref().filter(|head| head.expect != Expect::Any) {
            let holds = match (self.load(key).await, expect) {
                (StoreReply::Missing, Expect::Absent) => true,
                (StoreReply::Found(value, _), Expect::Version(expected)) => version(&value) == *expected,
                (StoreReply::Missing | StoreReply::Found(..), _) => false,
                _ => return StoreReply::Unavailable,
            };
            if !holds {
                return StoreReply::Conflict;
            }
        }
        for part in parts {
            if let Some(failed) = self.put(part).await {
                return failed;
            }
        }
        let Some(Head { key, value, .. }) = head else { return StoreReply::Saved(Version::default()) };
        let saved = version(&value);
        self.put(Part { key, value }).await.unwrap_or(StoreReply::Saved(saved))
    }

    /// Writes a value; what came of it, if it failed.
    async fn put(&self, part: Part) -> Option<StoreReply> {
        // A head that has not ended may be saved anew only after a part of its lease, or never.
        let ended = is_head(&part.key) && RunRecord::has_ended(&part.value);
        let ttl = self.ttl.map(|(head, rest)| if ended { head } else { rest });
        let options = ttl.map_or(JsValue::UNDEFINED, |ttl| options(&[("expirationTtl", &(ttl as f64).into())]));
        let put = self.namespace.put(&part.key, &Uint8Array::from(part.value.as_slice()), &options);
        if let Err(error) = self.settled(put).await {
            return Some(refused(&error));
        }
        self.fresh.retain(&mut |old| old.key != part.key);
        self.fresh.keep(vec![part]);
        None
    }

    /// The platform lists from the prefix's beginning: what comes before `after` is read and left out.
    async fn keys(&self, prefix: &str, after: Option<&str>, limit: usize) -> Result<Vec<String>> {
        let mut keys = Vec::new();
        let mut cursor = JsValue::UNDEFINED;
        loop {
            let options = options(&[("prefix", &prefix.into()), ("cursor", &cursor)]);
            let page = self.settled(self.namespace.list(&options)).await?;
            let field = |name: &str| Reflect::get(&page, &name.into());
            for entry in field("keys")?.unchecked_into::<Array>().iter() {
                let name = Reflect::get(&entry, &"name".into())?.as_string().unwrap_or_default();
                if after.is_none_or(|after| name.as_str() > after) {
                    keys.push(name);
                }
                if keys.len() >= limit {
                    return Ok(keys);
                }
            }
            if field("list_complete")?.is_truthy() {
                return Ok(keys);
            }
            cursor = field("cursor")?;
        }
    }

    async fn settled(&self, promise: Result<Promise>) -> Result<JsValue> {
        self.operations.set(self.operations.get().saturating_add(1));
        JsFuture::from(promise?).await
    }
}

/// What came of a write that has failed. One that came too soon, since a key takes one a second, was surely not made.
fn refused(error: &JsValue) -> StoreReply {
    let message = Reflect::get(error, &"message".into()).ok().and_then(|message| message.as_string());
    let soon = message.is_some_and(|message| message.contains("429"));
    if soon { StoreReply::Unavailable } else { StoreReply::Uncertain }
}

/// A value's version: the platform has none, so it is what the value itself says.
fn version(value: &[u8]) -> Version {
    Version(digest::hex(&[&String::from_utf8_lossy(value)]))
}

fn options(fields: &[(&str, &JsValue)]) -> JsValue {
    let options = js_sys::Object::new();
    for (name, value) in fields {
        let _ = Reflect::set(&options, &JsValue::from_str(name), value);
    }
    options.into()
}
