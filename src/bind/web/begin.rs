//! A POST that begins a run: what it names beside its body, and what of it is found elsewhere first.

use super::platform::instance;
use super::threads::Threads;
use crate::error::{Error, ErrorKind};
use crate::http::{Begin, Caller, Config};
use crate::run::{IndexEntry, StoreReply, index_key};
use crate::wire::agui::Limits;
use crate::wire::{Asked, Form, Names, Wire, idempotency_key, responses};

/// A request that begins a run, and where.
pub struct Begun {
    pub run: String,
    pub thread: String,
    pub body: String,
    pub form: Form,
}

/// Finds runs by their names.
pub struct Finder<'a> {
    pub threads: &'a dyn Threads,
    pub config: &'a Config,
    pub caller: &'a Caller,
    pub scope: &'a str,
}

/// Understands the request. `header` gives a header's value.
pub async fn understand(
    begin: Begin,
    body: String,
    header: impl Fn(&str) -> Option<String>,
    finder: &Finder<'_>,
) -> Result<Begun, Error> {
    let limits = &finder.config.input;
    let body = match begin.wire {
        Wire::Responses => resolved(body, finder).await?,
        _ => body,
    };
    let own = matches!(begin.wire, Wire::AgUi | Wire::UiStream);
    let key = header("idempotency-key").or_else(|| idempotency_key(body.as_bytes()));
    let key = key.filter(|_| begin.wire != Wire::AgUi);
    let run = named(key, "Idempotency-Key", limits)?.unwrap_or_else(|| instance().replace('-', ""));
    let thread = named(header("lastword-thread").filter(|_| !own), "Lastword-Thread", limits)?;
    let asked = parse(begin, body.as_bytes(), &Names { run: &run, thread: thread.as_deref() }, limits)?;
    finder.config.model_for(asked.input.model.as_deref())?;
    let (run, mut home) = (asked.input.run, asked.input.thread);
    if let Some(previous) = asked.previous {
        let of = finder.thread_of(&previous).await?;
        if thread.is_some_and(|thread| thread != of) {
            let detail = "Lastword-Thread must be the previous response's.";
            return Err(Error::with(ErrorKind::InvalidInput, detail));
        }
        home = of;
    }
    Ok(Begun { run, thread: home, body, form: asked.form })
}

/// Parses the body of a request.
pub fn parse(begin: Begin, body: &[u8], names: &Names<'_>, limits: &Limits) -> Result<Asked, Error> {
    match begin.compact {
        true => responses::compact::parse(body, names, limits),
        false => begin.wire.parse(body, names, limits),
    }
}

fn named(name: Option<String>, header: &str, limits: &Limits) -> Result<Option<String>, Error> {
    match name {
        Some(name) if name.is_empty() || name.len() > limits.id => {
            let detail = format!("{header} must have 1 to {} bytes.", limits.id);
            Err(Error::with(ErrorKind::InvalidInput, detail))
        }
        name => Ok(name),
    }
}

/// A body with the items in their place that it refers to by their ids.
async fn resolved(body: String, finder: &Finder<'_>) -> Result<String, Error> {
    let mut documents = Vec::new();
    for run in responses::references(body.as_bytes()) {
        documents.extend(finder.document(run).await);
    }
    if documents.is_empty() {
        return Ok(body);
    }
    String::from_utf8(responses::resolved(body.as_bytes(), &documents)).map_err(|_| ErrorKind::Internal.into())
}

impl Finder<'_> {
    /// The thread of a run.
    ///
    /// # Errors
    /// [`ErrorKind::UnknownRun`], or what a store that may be behind makes of it; [`ErrorKind::RunDeleted`];
    /// [`ErrorKind::StoreUnavailable`].
    pub async fn thread_of(&self, run: &str) -> Result<String, Error> {
        let loaded = self.threads.index(&index_key(self.scope, run)).await;
        let entry = entry(loaded).map_err(|error| self.config.told(error))?;
        Ok(entry.thread)
    }

    /// A response as it stands; none where the caller has no such.
    async fn document(&self, run: String) -> Option<String> {
        let thread = self.thread_of(&run).await.ok().filter(|thread| self.caller.reaches(thread))?;
        self.threads.document(self.config, self.scope, thread, run).await
    }
}

/// The entry of a run, by what its load has given.
fn entry(loaded: StoreReply) -> Result<IndexEntry, Error> {
    match loaded {
        StoreReply::Found(bytes, _) => IndexEntry::of_run(&bytes),
        StoreReply::Missing => Err(ErrorKind::UnknownRun.into()),
        _ => Err(ErrorKind::StoreUnavailable.into()),
    }
}
