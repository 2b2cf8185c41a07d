//! How the front reaches threads: by their objects, or by a store that it has itself.

use super::envelope::{Call, Envelope};
use super::home::Soon;
use super::platform;
use crate::Error;
use crate::http::{Caller, Config, Listed};
use crate::run::StoreReply;
use crate::wire::{Form, Wire};
use web_sys::Response;

/// The threads, as one request reaches them.
pub trait Threads {
    /// Loads the index entry of that key.
    fn index<'a>(&'a self, key: &'a str) -> Soon<'a, StoreReply>;

    /// A page of the list of runs that the caller may see.
    fn list<'a>(&'a self, caller: &'a Caller, asked: Listed) -> Soon<'a, Result<Response, Error>>;

    /// Answers what the front has admitted.
    fn answer<'a>(&'a self, config: &'a Config, envelope: Envelope) -> Soon<'a, Result<Response, Error>>;

    /// A response as it stands; none where there is no such.
    fn document<'a>(
        &'a self,
        config: &'a Config,
        scope: &'a str,
        thread: String,
        run: String,
    ) -> Soon<'a, Option<String>> {
        Box::pin(async move {
            let call = Call::Read { run, wire: Wire::Responses, form: Form::Now, had: 0 };
            let envelope = Envelope { scope: scope.to_owned(), thread, path: String::new(), call };
            let response = self.answer(config, envelope).await.ok().filter(|response| response.status() == 200)?;
            let body = platform::bytes(response.array_buffer().ok()?).await.ok()?;
            String::from_utf8(body).ok()
        })
    }
}
