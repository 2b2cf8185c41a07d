//! A page of the list of runs: the scope's object has the entries, each thread's the heads of its runs.

use super::{index, objects};
use crate::bind::web::envelope::{Call, Envelope};
use crate::bind::web::list::{listing, page};
use crate::bind::web::platform::{self, Env, spawn};
use crate::error::Error;
use crate::http::{Caller, Listed};
use crate::run::{HeadPlace, StoreOp, StoreReply, Version, Wanted};
use futures_channel::oneshot;
use web_sys::Response;

/// How many objects are asked at once.
const WIDTH: usize = 8;

/// Answers with the runs that the caller may see.
///
/// # Errors
/// As of [`listing`], or [`crate::ErrorKind::StoreUnavailable`].
pub async fn answer(env: &Env, caller: &Caller, asked: Listed) -> Result<Response, Error> {
    let scope = caller.namespace();
    let mut listing = listing(caller, asked)?;
    let mut entries = Vec::new();
    loop {
        match listing.wanted() {
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
            Wanted::Nothing => return page(listing),
        }
    }
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
    let Ok(response) = objects::forward(env, &envelope).await else { return StoreReply::Unavailable };
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
