//! The store of a Durable Object: one table in its SQLite, committed by an awaited sync.
//!
//! The output gate does not cover a body that is streamed from here, so nothing counts as saved
//! before `storage.sync()` has resolved.

use crate::run::{Expect, Head, StoreOp, StoreReply, Version};
use crate::stored::decode;
use worker::{Result, SqlStorage, SqlStorageValue, Storage};

const CREATE: &str =
    "CREATE TABLE IF NOT EXISTS kv (key TEXT PRIMARY KEY, value BLOB NOT NULL, version INTEGER NOT NULL) WITHOUT ROWID";

/// The key under which an object keeps whose it is; no key of the layout begins so.
const OWNER: &str = "!owner";

/// The table.
pub struct Table {
    storage: Storage,
    sql: SqlStorage,
}

impl Table {
    /// Opens it; it is made by the first operation that needs it.
    pub fn new(storage: Storage) -> Self {
        let sql = storage.sql();
        Table { storage, sql }
    }

    /// Keeps whose thread this is, for an alarm that finds the object asleep. Committed with whatever
    /// is committed next; without a commit there is nothing to look after.
    pub fn remember_owner(&self, scope: &str, thread: &str) {
        let owner = serde_json::json!([scope, thread]).to_string();
        if self.sql.exec(CREATE, None).is_ok() && !matches!(self.load(OWNER), Ok(StoreReply::Found(..))) {
            let _ = self.put(OWNER.to_owned(), owner.into_bytes());
        }
    }

    /// Whose thread this is: scope and thread.
    pub fn owner(&self) -> Option<(String, String)> {
        match self.load(OWNER) {
            Ok(StoreReply::Found(bytes, _)) => {
                let owner: Vec<String> = decode(&bytes)?;
                let [scope, thread] = owner.try_into().ok()?;
                Some((scope, thread))
            }
            _ => None,
        }
    }

    /// Performs one operation. A load that throws is unavailable; a save that throws is uncertain,
    /// unless it threw before anything was written.
    pub async fn perform(&self, op: StoreOp) -> StoreReply {
        match op {
            StoreOp::Load(key) => self.load(&key).unwrap_or(StoreReply::Unavailable),
            StoreOp::Save { parts, head } => {
                // No await between the writes: they are one transaction.
                let written = self.write(parts.into_iter().map(|part| (part.key, part.value)).collect(), head);
                match written {
                    Ok(StoreReply::Saved(version)) => match self.storage.sync().await {
                        Ok(()) => StoreReply::Saved(version),
                        Err(_) => StoreReply::Uncertain,
                    },
                    Ok(reply) => reply,
                    Err(_) => StoreReply::Uncertain,
                }
            }
            StoreOp::List { prefix, after, limit } => {
                self.list(&prefix, after.as_deref(), limit).map_or(StoreReply::Unavailable, StoreReply::Listed)
            }
            StoreOp::Delete(keys) => match self.delete(&keys) {
                Ok(()) => match self.storage.sync().await {
                    Ok(()) => StoreReply::Deleted,
                    Err(_) => StoreReply::Uncertain,
                },
                Err(_) => StoreReply::Uncertain,
            },
        }
    }

    /// Reads a value without waiting.
    pub fn load(&self, key: &str) -> Result<StoreReply> {
        let rows = match self.sql.exec("SELECT value, version FROM kv WHERE key = ?", vec![key.into()]) {
            Ok(rows) => rows,
            Err(_) => {
                self.sql.exec(CREATE, None)?;
                return Ok(StoreReply::Missing);
            }
        };
        match rows.raw().next().transpose()?.as_deref() {
            Some([SqlStorageValue::Blob(value), SqlStorageValue::Integer(version)]) => {
                Ok(StoreReply::Found(value.clone(), Version(version.to_string())))
            }
            Some(_) => Ok(StoreReply::Unavailable),
            None => Ok(StoreReply::Missing),
        }
    }

    fn write(&self, parts: Vec<(String, Vec<u8>)>, head: Option<Head>) -> Result<StoreReply> {
        self.sql.exec(CREATE, None)?;
        let Some(head) = head else {
            for (key, value) in parts {
                self.put(key, value)?;
            }
            return Ok(StoreReply::Saved(Version::default()));
        };
        let version = self.version(&head.key)?;
        let holds = match &head.expect {
            Expect::Any => true,
            Expect::Absent => version.is_none(),
            Expect::Version(expected) => version.is_some_and(|version| version.to_string() == expected.0),
        };
        if !holds {
            return Ok(StoreReply::Conflict);
        }
        for (key, value) in parts {
            self.put(key, value)?;
        }
        self.put(head.key.clone(), head.value)?;
        let version = self.version(&head.key)?.unwrap_or_default();
        Ok(StoreReply::Saved(Version(version.to_string())))
    }

    fn version(&self, key: &str) -> Result<Option<i64>> {
        let rows = self.sql.exec("SELECT version FROM kv WHERE key = ?", vec![key.into()])?;
        Ok(match rows.raw().next().transpose()?.as_deref() {
            Some([SqlStorageValue::Integer(version)]) => Some(*version),
            _ => None,
        })
    }

    fn put(&self, key: String, value: Vec<u8>) -> Result<()> {
        let query =
            "INSERT INTO kv VALUES (?1, ?2, 1) ON CONFLICT (key) DO UPDATE SET value = ?2, version = version + 1";
        self.sql.exec(query, vec![key.as_str().into(), value.into()]).map(drop)
    }

    fn list(&self, prefix: &str, after: Option<&str>, limit: usize) -> Result<Vec<String>> {
        self.sql.exec(CREATE, None)?;
        let from = after.filter(|after| *after >= prefix);
        let query = if from.is_some() {
            "SELECT key FROM kv WHERE key > ? AND substr(key, 1, ?) = ? ORDER BY key LIMIT ?"
        } else {
            "SELECT key FROM kv WHERE key >= ? AND substr(key, 1, ?) = ? ORDER BY key LIMIT ?"
        };
        let length = prefix.chars().count() as i64;
        let bindings = vec![from.unwrap_or(prefix).into(), length.into(), prefix.into(), (limit as i64).into()];
        let rows = self.sql.exec(query, bindings)?;
        let key = |row: Result<Vec<SqlStorageValue>>| match row?.into_iter().next() {
            Some(SqlStorageValue::String(key)) => Ok(key),
            _ => Err(worker::Error::from("no key")),
        };
        rows.raw().map(key).collect()
    }

    fn delete(&self, keys: &[String]) -> Result<()> {
        self.sql.exec(CREATE, None)?;
        for key in keys {
            self.sql.exec("DELETE FROM kv WHERE key = ?", vec![key.as_str().into()])?;
        }
        Ok(())
    }
}
