//! A page of the list of runs: the scope's object has the entries, each thread's the heads of its runs. In
//! Workers KV all of them are keys, and what a head says is told as it can be seen.

use super::envelope::{Call, Envelope};
use super::index;
use super::kv::Kv;
use super::platform::{self, Env, internal, spawn};
use crate::error::{Error, ErrorKind};
use crate::http::{self, Caller, Listed};
use crate::run::{HeadPlace, Listing, StoreOp, StoreReply, Version, Wanted};
use futures_channel::oneshot;
use web_sys::Response;

/// How many objects are asked at once.
const WIDTH: usize = 8;
/// How many entries are looked at in Workers KV: each takes an operation, and so does each head, of 1,000.
const KV_ENTRIES: usize = 400;

/// Answers with the runs that the caller may see.
///
/// # Errors
/// [`ErrorKind::Forbidden`] for another thread than the token's one, what [`Listing::new`] gives, or
/// [`ErrorKind::StoreUnavailable`].
pub async fn answer(env: &Env, kv: Option<&Kv>, caller: &Caller, asked: Listed) -> Result<Response, Error> {
    let thread = asked.thread.or_else(|| caller.thread.clone());
    if thread.as_ref().is_some_and(|thread| !caller.reaches(thread)) {
        return Err(ErrorKind::Forbidden.into());
    }
    let scope = caller.namespace();
    let mut listing = Listing::new(&scope, thread, asked.limit, asked.after.as_deref())?;
    if kv.is_some() {
        listing = listing.looking_at(KV_ENTRIES);
    }
    let mut entries = Vec::new();
    loop {
        let wanted = listing.wanted();
        if let Some(kv) = kv {
            if wanted == Wanted::Nothing {
                break;
            }
            there(kv, &mut listing, wanted).await?;
            continue;
        }
        match wanted {
            Wanted::Keys { prefix, after, limit } => {
                entries = index::entries(env, StoreOp::List { prefix, after, limit }).await?;
                listing.listed(StoreReply::Listed(entries.iter().map(|(key, _)| key.clone()).collect()))?;
            }
            Wanted::Entries(keys) => {
                for key in keys {
                    let value = entries.iter().find(|(known, _)| *known == key).map(|(_, value)| value);
                    let value = value.filter(|value| !value.is_empty()).map(|value| value.clone().into_bytes());
                    let found = |value| StoreReply::Found(value, Version::default());
                    listing.entry(&key, value.map_or(StoreReply::Missing, found))?;
                }
            }
            Wanted::Heads(places) => {
                for some in places.chunks(WIDTH) {
                    let asked: Vec<_> = some.iter().map(|place| head(env, &scope, place)).collect();
                    for (place, reply) in some.iter().zip(asked) {
                        listing.head(&place.key, reply.await.unwrap_or(StoreReply::Unavailable))?;
                    }
                }
            }
            Wanted::Nothing => break,
        }
    }
    let (records, next) = listing.page();
    platform::respond(&http::runs(&records, next.as_deref())).map_err(internal)
}

async fn there(kv: &Kv, listing: &mut Listing, wanted: Wanted) -> Result<(), Error> {
    match wanted {
        Wanted::Keys { prefix, after, limit } => {
            listing.listed(kv.perform(StoreOp::List { prefix, after, limit }).await)?;
        }
        Wanted::Entries(keys) => {
            for key in keys {
                listing.entry(&key, kv.perform(StoreOp::Load(key.clone())).await)?;
            }
        }
        Wanted::Heads(places) => {
            for HeadPlace { key, .. } in places {
                listing.head(&key, kv.perform(StoreOp::Load(key.clone())).await)?;
            }
        }
        Wanted::Nothing => {}
    }
    Ok(())
}

/// Asks a thread's object for the head of a run as it stands now; one whose worker is lost is sealed first.
fn head(env: &Env, scope: &str, place: &HeadPlace) -> oneshot::Receiver<StoreReply> {
    let (told, reply) = oneshot::channel();
    let call = Call::Head { run: place.run.clone() };
    let envelope = Envelope { scope: scope.to_owned(), thread: place.thread.clone(), path: String::new(), call };
    let env = env.clone();
    spawn(async move {
        let _ = told.send(loaded(&env, envelope).await);
    });
    reply
}

async fn loaded(env: &Env, envelope: Envelope) -> StoreReply {
    let Ok(response) = envelope.forward(env).await else { return StoreReply::Unavailable };
    match response.status() {
        200 => match response.array_buffer().map(platform::bytes) {
            Ok(bytes) => {
                bytes.await.map_or(StoreReply::Unavailable, |head| StoreReply::Found(head, Version::default()))
            }
            Err(_) => StoreReply::Unavailable,
        },
        // It never began, or can't be read.
        404 | 410 | 500 => StoreReply::Missing,
        _ => StoreReply::Unavailable,
    }
}
