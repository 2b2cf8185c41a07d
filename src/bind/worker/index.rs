//! The objects beside the threads' own: one per run, which knows in which thread it is, and one per scope,
//! which has the list of its runs. Both are asked for operations on their tables.

use super::objects;
use super::store::Table;
use crate::Millis;
use crate::bind::web::platform::{self, Env, Result, sleep};
use crate::error::{Error, ErrorKind};
use crate::json;
use crate::run::{Expect, Head, Part, Place, StoreOp, StoreReply, Tries, Version, place};
use crate::stored::{decode, stored};
use futures_util::future::{Either, select};
use js_sys::Promise;
use std::pin::pin;
use std::rc::Rc;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::{Request, Response};
use worker_sys::DurableObjectState;

/// How long an object may take to answer, in milliseconds.
const LONGEST: Millis = 10_000;

/// An operation, as the object is asked for it. Values are JSON text.
#[derive(Default)]
struct Asked {
    ask: String,
    key: String,
    value: Option<String>,
    /// The version that a save expects, empty for nothing; absent for any.
    expect: Option<String>,
    after: Option<String>,
    limit: Option<u32>,
    keys: Vec<String>,
}

/// What came of it.
#[derive(Default)]
struct Told {
    told: String,
    version: Option<String>,
    /// One value, or one for each key.
    values: Vec<String>,
    keys: Vec<String>,
}

stored!(Asked { ask, key, value, expect, after, limit, keys });
stored!(Told { told, version, values, keys });

#[wasm_bindgen]
pub struct IndexObject(Rc<Table>);

#[wasm_bindgen]
impl IndexObject {
    #[wasm_bindgen(constructor)]
    pub fn new(state: &DurableObjectState) -> Result<IndexObject> {
        Ok(IndexObject(Rc::new(Table::new(state)?)))
    }

    /// Performs an operation.
    pub fn fetch(&self, request: Request) -> Promise {
        let table = self.0.clone();
        platform::promise(async move {
            let body = platform::bytes(request.array_buffer()?).await?;
            let told = match decode::<Asked>(&body) {
                Some(asked) => answer(&table, asked).await,
                None => Told { told: "unavailable".to_owned(), ..Told::default() },
            };
            Response::new_with_opt_str(Some(&json::text(&told))).map(JsValue::from)
        })
    }
}

async fn answer(table: &Table, asked: Asked) -> Told {
    let with_values = asked.ask == "list";
    let mut told = told(table.perform(asked.op()).await);
    if with_values {
        for key in &told.keys {
            let value = match table.read(key).await {
                StoreReply::Found(value, _) => text(value),
                _ => String::new(),
            };
            told.values.push(value);
        }
    }
    told
}

impl Asked {
    /// What is asked of the object of an index entry or of a list.
    fn of(op: StoreOp) -> Self {
        let asked = |ask: &str, key| Asked { ask: ask.to_owned(), key, ..Asked::default() };
        match op {
            StoreOp::Load(key) => asked("load", key),
            StoreOp::Save { head: Some(Head { key, value, expect }), .. } => {
                let expect = match expect {
                    Expect::Absent => Some(String::new()),
                    Expect::Version(version) => Some(version.0),
                    Expect::Any => None,
                };
                Asked { value: Some(text(value)), expect, ..asked("save", key) }
            }
            StoreOp::Save { parts, head: None } => {
                let part = parts.into_iter().next();
                let (key, value) = part.map(|part| (part.key, part.value)).unwrap_or_default();
                Asked { value: Some(text(value)), ..asked("save", key) }
            }
            StoreOp::List { prefix, after, limit } => {
                Asked { after, limit: limit.try_into().ok(), ..asked("list", prefix) }
            }
            StoreOp::Delete(keys) => Asked { keys, ..asked("delete", String::new()) },
        }
    }

    fn op(self) -> StoreOp {
        match self.ask.as_str() {
            "save" => {
                let value = self.value.unwrap_or_default().into_bytes();
                let expect = match self.expect {
                    None => return StoreOp::Save { parts: vec![Part { key: self.key, value }], head: None },
                    Some(version) if version.is_empty() => Expect::Absent,
                    Some(version) => Expect::Version(Version(version)),
                };
                StoreOp::Save { parts: Vec::new(), head: Some(Head { key: self.key, value, expect }) }
            }
            "list" => {
                let limit = self.limit.and_then(|limit| limit.try_into().ok()).unwrap_or(0);
                StoreOp::List { prefix: self.key, after: self.after, limit }
            }
            "delete" => StoreOp::Delete(self.keys),
            _ => StoreOp::Load(self.key),
        }
    }
}

fn told(reply: StoreReply) -> Told {
    let (told, version, values, keys) = match reply {
        StoreReply::Found(value, version) => ("found", Some(version.0), vec![text(value)], Vec::new()),
        StoreReply::Saved(version) => ("saved", Some(version.0), Vec::new(), Vec::new()),
        StoreReply::Listed(keys) => ("listed", None, Vec::new(), keys),
        StoreReply::Missing => ("missing", None, Vec::new(), Vec::new()),
        StoreReply::Conflict => ("conflict", None, Vec::new(), Vec::new()),
        StoreReply::Deleted => ("deleted", None, Vec::new(), Vec::new()),
        StoreReply::Unavailable => ("unavailable", None, Vec::new(), Vec::new()),
        StoreReply::Uncertain => ("uncertain", None, Vec::new(), Vec::new()),
    };
    Told { told: told.to_owned(), version, values, keys }
}

impl Told {
    fn reply(self) -> StoreReply {
        let version = Version(self.version.unwrap_or_default());
        match self.told.as_str() {
            "found" => StoreReply::Found(self.values.into_iter().next().unwrap_or_default().into_bytes(), version),
            "saved" => StoreReply::Saved(version),
            "listed" => StoreReply::Listed(self.keys),
            "missing" => StoreReply::Missing,
            "conflict" => StoreReply::Conflict,
            "deleted" => StoreReply::Deleted,
            "unavailable" => StoreReply::Unavailable,
            _ => StoreReply::Uncertain,
        }
    }
}

fn text(value: Vec<u8>) -> String {
    String::from_utf8(value).unwrap_or_default()
}

/// Loads the entry of a run, some times over while its object is away.
pub async fn load(env: &Env, key: &str) -> StoreReply {
    platform::again(Tries::default(), &|| Box::pin(perform(env, StoreOp::Load(key.to_owned())))).await
}

/// Performs an operation on an index entry or on a list.
pub async fn perform(env: &Env, op: StoreOp) -> StoreReply {
    let reads = matches!(op, StoreOp::Load(_) | StoreOp::List { .. });
    match ask(env, op).await {
        Ok(told) => told.reply(),
        Err(_) if reads => StoreReply::Unavailable,
        Err(_) => StoreReply::Uncertain,
    }
}

/// Keys of a list with their values; a value that was deleted meanwhile is empty.
///
/// # Errors
/// [`ErrorKind::StoreUnavailable`].
pub async fn entries(env: &Env, list: StoreOp) -> std::result::Result<Vec<(String, String)>, Error> {
    match ask(env, list).await {
        Ok(told) if told.told == "listed" => Ok(told.keys.into_iter().zip(told.values).collect()),
        _ => Err(ErrorKind::StoreUnavailable.into()),
    }
}

/// Asks the object, and waits no longer than it may take: one that never answers is as one that is away.
async fn ask(env: &Env, op: StoreOp) -> Result<Told> {
    match select(pin!(asked(env, op)), pin!(sleep(LONGEST))).await {
        Either::Left((told, _)) => told,
        Either::Right(_) => Err(JsValue::NULL),
    }
}

async fn asked(env: &Env, op: StoreOp) -> Result<Told> {
    let key = op.key().unwrap_or_default().to_owned();
    let mut asked = Asked::of(op);
    // A run's object holds its entry under no name of its own.
    let name = match place(&key) {
        Place::List => key.rsplit_once('/').map_or("", |(list, _)| list),
        _ => {
            asked.key = String::new();
            &key
        }
    };
    let body = json::text(&asked);
    let response = objects::ask(env, "RUNS", name, "POST", Some(body.as_bytes())).await?;
    decode(&platform::bytes(response.array_buffer()?).await?).ok_or(JsValue::NULL)
}
