//! The store of a Durable Object: one table in its SQLite, committed by an awaited sync.
//!
//! The output gate does not cover a body that is streamed from here, so nothing counts as saved
//! before `storage.sync()` has resolved.

use crate::bind::web::fresh::Fresh;
use crate::bind::web::platform::{Result, instance, log, now, sleep};
use crate::json;
use crate::run::{Expect, Head, LogLine, Part, StoreOp, StoreReply, Tries, Version};
use crate::stored::decode;
use crate::{ErrorKind, Millis};
use js_sys::{Array, ArrayBuffer, Date, Iterator, Object, Uint8Array};
use std::cell::{Cell, RefCell};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use worker_sys::{DurableObjectState, DurableObjectStorage, SqlStorage};

const CREATE: &str =
    "CREATE TABLE IF NOT EXISTS kv (key TEXT PRIMARY KEY, value BLOB NOT NULL, version INTEGER NOT NULL) WITHOUT ROWID";

/// The key under which an object keeps whose it is; no key of the layout begins so.
const OWNER: &str = "!owner";

/// The table.
pub struct Table {
    storage: DurableObjectStorage,
    sql: SqlStorage,
    /// Parts that were saved last. They never change.
    fresh: Fresh,
    /// Whether the table is known to be there.
    made: Cell<bool>,
    /// Whether the owner is known to be kept.
    owned: Cell<bool>,
    /// How often the alarm was set, and for when if the last time has failed.
    alarms: Cell<u64>,
    unset: Cell<Option<Option<Millis>>>,
    /// How often something was written, and how much of it is known to be durable.
    writes: Cell<u64>,
    durable: Cell<u64>,
    /// What was written and is not known to be durable yet: each key with its write.
    pending: RefCell<Vec<(String, u64)>>,
}

impl Table {
    /// Opens it; it is made by the first operation that needs it.
    pub fn new(state: &DurableObjectState) -> Result<Self> {
        let storage = state.storage()?;
        let sql = storage.sql();
        Ok(Table {
            storage,
            sql,
            fresh: Fresh::default(),
            made: Cell::default(),
            owned: Cell::default(),
            alarms: Cell::default(),
            unset: Cell::default(),
            writes: Cell::default(),
            durable: Cell::default(),
            pending: RefCell::default(),
        })
    }

    /// Sets the object's one alarm, or calls it off; some times over where the platform fails, unless another is
    /// wanted meanwhile. Until it is set nothing is saved. False once it was tried often enough.
    pub async fn set_alarm(&self, at: Option<Millis>) -> bool {
        let wish = self.alarms.get() + 1;
        self.alarms.set(wish);
        self.unset.set(None);
        let mut tries = Tries::default();
        while !self.tried_alarm(at, wish).await {
            let Some(again) = tries.again(now()) else {
                LogLine::of_answer(ErrorKind::StoreUnavailable, "", &instance()).iter().for_each(log);
                return false;
            };
            sleep(again.saturating_sub(now())).await;
            if self.alarms.get() != wish || self.unset.get().is_none() {
                break;
            }
        }
        true
    }

    /// True once that wish is done, or another is there.
    async fn tried_alarm(&self, at: Option<Millis>, wish: u64) -> bool {
        let set = self.try_alarm(at).await.is_ok();
        let is_last = self.alarms.get() == wish;
        if is_last {
            self.unset.set(if set { None } else { Some(at) });
        }
        set || !is_last
    }

    async fn try_alarm(&self, at: Option<Millis>) -> Result<()> {
        let options: Object = JsValue::UNDEFINED.unchecked_into();
        let set = match at {
            Some(at) => self.storage.set_alarm(Date::new(&(at as f64).into()), options)?,
            None => self.storage.delete_alarm(options)?,
        };
        JsFuture::from(set).await.map(drop)
    }

    /// True once the alarm is as it was wanted last: what is saved without it might never be looked after.
    async fn has_alarm(&self) -> bool {
        match self.unset.get() {
            Some(at) => self.tried_alarm(at, self.alarms.get()).await,
            None => true,
        }
    }

    /// Keeps whose thread this is, for an alarm that finds the object asleep. Committed with whatever
    /// is committed next; without a commit there is nothing to look after.
    pub fn remember_owner(&self, scope: &str, thread: &str) {
        let owner: &[&str] = &[scope, thread];
        let owner = json::text(&owner);
        if self.owned.get() {
            return;
        }
        let known = self.create().is_ok() && matches!(self.load(OWNER), Ok(StoreReply::Found(..)));
        self.owned.set(known || self.put(OWNER, owner.as_bytes()).is_ok());
    }

    /// Forgets whose thread this is: it has no run that an alarm might be for.
    pub fn forget_owner(&self) {
        if matches!(self.load(OWNER), Ok(StoreReply::Found(..))) {
            self.owned.set(false);
            let _ = self.delete(&[OWNER.to_owned()]);
        }
    }

    /// Whose thread this is: scope and thread, if it has had a run.
    pub fn owner(&self) -> Result<Option<(String, String)>> {
        let StoreReply::Found(bytes, _) = self.load(OWNER)? else { return Ok(None) };
        let owner = decode::<Vec<String>>(&bytes).and_then(|owner| owner.try_into().ok());
        Ok(owner.map(|[scope, thread]: [String; 2]| (scope, thread)))
    }

    /// Performs one operation. A load that throws is unavailable; a save that throws is uncertain,
    /// unless it threw before anything was written.
    pub async fn perform(&self, op: StoreOp) -> StoreReply {
        match op {
            StoreOp::Load(key) => self.read(&key).await,
            StoreOp::Save { .. } if !self.has_alarm().await => StoreReply::Unavailable,
            StoreOp::Save { parts, head } => {
                // No await between the writes: they are one transaction.
                match self.write(&parts, head) {
                    Ok(StoreReply::Saved(version)) => match self.synced(StoreReply::Saved(version)).await {
                        saved @ StoreReply::Saved(_) => {
                            self.fresh.keep(parts);
                            saved
                        }
                        reply => reply,
                    },
                    Ok(reply) => reply,
                    Err(_) => StoreReply::Uncertain,
                }
            }
            StoreOp::List { prefix, after, limit } => {
                self.list(&prefix, after.as_deref(), limit).map_or(StoreReply::Unavailable, StoreReply::Listed)
            }
            StoreOp::Delete(keys) => match self.delete(&keys) {
                Ok(()) => self.synced(StoreReply::Deleted).await,
                Err(_) => StoreReply::Uncertain,
            },
        }
    }

    /// The reply, once what was written is durable.
    async fn synced(&self, reply: StoreReply) -> StoreReply {
        if self.sync().await.is_ok() { reply } else { StoreReply::Uncertain }
    }

    async fn sync(&self) -> Result<()> {
        let writes = self.writes.get();
        JsFuture::from(self.storage.sync()?).await?;
        self.durable.set(self.durable.get().max(writes));
        self.pending.borrow_mut().retain(|(_, write)| *write > self.durable.get());
        Ok(())
    }

    /// A value is written, or deleted.
    fn wrote(&self, key: &str) {
        self.writes.set(self.writes.get() + 1);
        self.pending.borrow_mut().push((key.to_owned(), self.writes.get()));
    }

    /// Reads a value. What is written is seen by queries at once, but nobody is told of it before it is
    /// durable; where that can't be known, nothing is. What is written after is not waited for.
    pub async fn read(&self, key: &str) -> StoreReply {
        let Ok(reply) = self.load(key) else { return StoreReply::Unavailable };
        let write = self.pending.borrow().iter().rev().find(|(written, _)| written == key).map(|(_, write)| *write);
        while write.is_some_and(|write| self.durable.get() < write) {
            if self.sync().await.is_err() {
                return StoreReply::Unavailable;
            }
        }
        reply
    }

    /// Reads a value as it stands, durable or not.
    fn load(&self, key: &str) -> Result<StoreReply> {
        if let Some(value) = self.fresh.find(key) {
            return Ok(StoreReply::Found(value, Version::default()));
        }
        if !self.made.get() && next(&self.exec("SELECT 1 FROM sqlite_master WHERE name = 'kv'", &[])?)?.is_none() {
            return Ok(StoreReply::Missing);
        }
        self.made.set(true);
        let rows = self.exec("SELECT value, version FROM kv WHERE key = ?", &[key.into()])?;
        let Some(row) = next(&rows)? else { return Ok(StoreReply::Missing) };
        Ok(match (row.get(0).dyn_ref::<ArrayBuffer>(), row.get(1).as_f64()) {
            (Some(value), Some(number)) => StoreReply::Found(Uint8Array::new(value).to_vec(), version(number)),
            _ => StoreReply::Unavailable,
        })
    }

    fn write(&self, parts: &[Part], head: Option<Head>) -> Result<StoreReply> {
        self.create()?;
        if let Some(head) = &head {
            let found = self.version(&head.key)?;
            let holds = match &head.expect {
                Expect::Any => true,
                Expect::Absent => found.is_none(),
                Expect::Version(expected) => found.as_ref() == Some(expected),
            };
            if !holds {
                return Ok(StoreReply::Conflict);
            }
        }
        for part in parts {
            self.put(&part.key, &part.value)?;
        }
        let Some(head) = head else { return Ok(StoreReply::Saved(Version::default())) };
        self.put(&head.key, &head.value)?;
        Ok(StoreReply::Saved(self.version(&head.key)?.unwrap_or_default()))
    }

    fn version(&self, key: &str) -> Result<Option<Version>> {
        let row = next(&self.exec("SELECT version FROM kv WHERE key = ?", &[key.into()])?)?;
        Ok(row.and_then(|row| row.get(0).as_f64()).map(version))
    }

    fn put(&self, key: &str, value: &[u8]) -> Result<()> {
        self.wrote(key);
        let query =
            "INSERT INTO kv VALUES (?1, ?2, 1) ON CONFLICT (key) DO UPDATE SET value = ?2, version = version + 1";
        self.exec(query, &[key.into(), Uint8Array::from(value).into()]).map(drop)
    }

    fn list(&self, prefix: &str, after: Option<&str>, limit: usize) -> Result<Vec<String>> {
        self.create()?;
        let from = after.filter(|after| *after >= prefix);
        let query = if from.is_some() {
            "SELECT key FROM kv WHERE key > ? AND key < ? ORDER BY key LIMIT ?"
        } else {
            "SELECT key FROM kv WHERE key >= ? AND key < ? ORDER BY key LIMIT ?"
        };
        // No key holds a character so high: what is beyond the prefix is not even looked at.
        let end = format!("{prefix}{}", char::MAX);
        let bindings = [from.unwrap_or(prefix).into(), end.into(), (limit as f64).into()];
        let rows = self.exec(query, &bindings)?;
        let mut keys = Vec::new();
        while let Some(row) = next(&rows)? {
            keys.push(row.get(0).as_string().ok_or(JsValue::NULL)?);
        }
        Ok(keys)
    }

    fn delete(&self, keys: &[String]) -> Result<()> {
        self.create()?;
        self.fresh.retain(&mut |part| !keys.contains(&part.key));
        for key in keys {
            self.wrote(key);
            self.exec("DELETE FROM kv WHERE key = ?", &[key.into()])?;
        }
        Ok(())
    }

    fn create(&self) -> Result<()> {
        if !self.made.get() {
            self.exec(CREATE, &[])?;
            self.made.set(true);
        }
        Ok(())
    }

    /// Runs a query; its rows are arrays.
    fn exec(&self, query: &str, bindings: &[JsValue]) -> Result<Iterator> {
        Ok(self.sql.exec(query, bindings.iter().collect())?.raw())
    }
}

/// The next row, if there is one.
fn next(rows: &Iterator) -> Result<Option<Array>> {
    let next = rows.next()?;
    Ok(if next.done() { None } else { Some(next.value().unchecked_into()) })
}

/// A version as the rest knows it. It is counted from 1, so that a double holds it exactly.
fn version(number: f64) -> Version {
    Version((number as u64).to_string())
}
