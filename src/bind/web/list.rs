//! A page of the list of runs where all of it is in one store: entries and heads are keys, and what a head says is told
//! as it can be seen.

use super::home::Soon;
use super::platform::{self, internal};
use crate::error::{Error, ErrorKind};
use crate::http::{self, Caller, Listed};
use crate::run::{HeadPlace, Listing, StoreOp, StoreReply, Wanted};
use web_sys::Response;

/// A listing of the runs that the caller may see.
///
/// # Errors
/// [`ErrorKind::Forbidden`] for another thread than the token's one, or what [`Listing::new`] gives.
pub fn listing(caller: &Caller, asked: Listed) -> Result<Listing, Error> {
    let thread = asked.thread.or_else(|| caller.thread.clone());
    if thread.as_ref().is_some_and(|thread| !caller.reaches(thread)) {
        return Err(ErrorKind::Forbidden.into());
    }
    Listing::new(&caller.namespace(), thread, asked.limit, asked.after.as_deref())
}

/// Answers with the page.
pub fn page(listing: Listing) -> Result<Response, Error> {
    let (records, next) = listing.page();
    platform::respond(&http::runs(&records, next.as_deref())).map_err(internal)
}

/// Fills the listing from a store.
///
/// # Errors
/// [`ErrorKind::StoreUnavailable`], or that what is there can't be read.
pub async fn fill<'a>(listing: &mut Listing, perform: &dyn Fn(StoreOp) -> Soon<'a, StoreReply>) -> Result<(), Error> {
    loop {
        match listing.wanted() {
            Wanted::Keys { prefix, after, limit } => {
                listing.listed(perform(StoreOp::List { prefix, after, limit }).await)?;
            }
            Wanted::Entries(keys) => {
                for key in keys {
                    listing.entry(&key, perform(StoreOp::Load(key.clone())).await)?;
                }
            }
            Wanted::Heads(places) => {
                for HeadPlace { key, .. } in places {
                    listing.head(&key, perform(StoreOp::Load(key.clone())).await)?;
                }
            }
            Wanted::Nothing => return Ok(()),
        }
    }
}
