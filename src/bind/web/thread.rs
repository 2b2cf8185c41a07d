//! What a thread answers: its runs, their records and journals.

use super::driver::ThreadDriver;
use super::envelope::{Call, Envelope};
use super::platform::{self, internal, now};
use super::reader::{Attached, Reading};
use super::source;
use super::{begin, chat, history, whole};
use crate::error::{Error, ErrorKind};
use crate::event::View;
use crate::http::{self, Begin};
use crate::input::{Protocol, RunInput};
use crate::run::{Cursor, Follow, Input, Reader, Reply, RunKeys, RunRecord, Since, StoreReply, ThreadKeys, ends};
use crate::wire::{Form, Names, Wire, responses};
use std::rc::Rc;
use web_sys::Response;

/// Answers what the front has admitted, by the thread's driver.
pub async fn answer(driver: Rc<ThreadDriver>, mut envelope: Envelope) -> Result<Response, Error> {
    let keys = ThreadKeys::new(&envelope.scope, &envelope.thread);
    if let Some(answer) = chat::answer(&driver, &keys, &mut envelope).await? {
        return Ok(answer);
    }
    let mut manner = Manner::default();
    // A run that has ended needs nobody to look after it, and its head is read once.
    let ended = match &envelope.call {
        Call::Join { run, .. } | Call::Events { run, .. } | Call::Read { run, .. } | Call::Record { run } => {
            ended(&keys.run(run), driver.load(&keys.run(run).head()).await)
        }
        _ => None,
    };
    let reply = match &envelope.call {
        _ if ended.is_some() => None,
        Call::Start { run, wire, compact, body, .. } => {
            let begin = Begin { wire: *wire, compact: *compact };
            let (input, asked) = begun(&driver, &keys, begin, run, &envelope.thread, body).await?;
            manner = asked;
            Some(driver.post(Rc::new(input)))
        }
        Call::Cancel { run, .. } => Some(driver.ask(run, |request| Input::Cancel { request })),
        Call::Join { run, .. }
        | Call::Events { run, .. }
        | Call::Read { run, .. }
        | Call::Input { run, .. }
        | Call::Record { run }
        | Call::Head { run } => Some(driver.ask(run, |request| Input::Recover { request })),
        Call::Delete { run } => Some(driver.delete(run.clone())),
        Call::Follow { .. } => {
            driver.thread_awaited();
            None
        }
        Call::Resume | Call::Messages | Call::Stop => return Err(ErrorKind::Internal.into()),
    };
    let reply = match reply {
        Some(reply) => settled(reply.await.unwrap_or(Reply::Refused(ErrorKind::Internal.into())))?,
        None => Reply::Join,
    };
    match (&envelope.call, &ended) {
        (Call::Record { .. }, Some((record, _))) => return respond(&http::record(record)),
        (Call::Record { run }, None) => return record(&keys.run(run), driver.load(&keys.run(run).head()).await),
        (Call::Head { run }, _) => return head(driver.load(&keys.run(run).head()).await),
        (Call::Input { run, ascending, after, limit }, _) => {
            let given = history::given(&driver, &keys.run(run)).await?;
            let limit = usize::try_from(*limit).unwrap_or(usize::MAX);
            return whole::json(&responses::input_items(&given, *ascending, after.as_deref(), limit));
        }
        (Call::Join { after: Some(after), .. } | Call::Events { after: Some(after), .. }, Some((record, _)))
            if Cursor::parse(after)?.is_last_of(record) =>
        {
            return respond(&http::nothing_left());
        }
        _ => {}
    }
    let head = ended.map(|(_, head)| head);
    answered(driver, envelope, &keys, reply, manner, head).await
}

/// How a client that posts wants its answer.
#[derive(Default)]
struct Manner {
    /// What it has declared.
    protocol: Option<Protocol>,
    form: Form,
    usage: bool,
}

/// The input that a client posts, behind the conversation that it goes on with.
async fn begun(
    driver: &ThreadDriver,
    keys: &ThreadKeys,
    begin: Begin,
    run: &str,
    thread: &str,
    body: &str,
) -> Result<(RunInput, Manner), Error> {
    let limits = &driver.config().input;
    let mut asked = begin::parse(begin, body.as_bytes(), &Names { run, thread: Some(thread) }, limits)?;
    if asked.previous.is_none() && asked.goes_on() {
        asked.previous = history::newest(driver, keys).await?.map(|(run, _)| run).filter(|newest| newest != run);
    }
    if let Some(previous) = asked.previous.take() {
        let conversation = history::conversation(driver, &keys.run(&previous)).await?;
        asked = asked.behind(conversation, limits)?;
    }
    let mut input = asked.input;
    input.exactly_once |= driver.config().exactly_once;
    let manner = Manner { protocol: input.protocol, form: asked.form, usage: asked.usage };
    Ok((input, manner))
}

/// The record of a run that has ended, and its bytes.
fn ended(keys: &RunKeys, head: StoreReply) -> Option<(RunRecord, StoreReply)> {
    let StoreReply::Found(bytes, _) = &head else { return None };
    let record = RunRecord::decode_under(bytes, keys).ok().filter(RunRecord::is_ended)?;
    Some((record, head))
}

/// What the client is sent once the run has replied. `manner` is that of a client that posts, `head` the head of a run
/// that has ended.
async fn answered(
    driver: Rc<ThreadDriver>,
    envelope: Envelope,
    keys: &ThreadKeys,
    reply: Reply,
    manner: Manner,
    head: Option<StoreReply>,
) -> Result<Response, Error> {
    let reading = |run: String, reader: Reader| match head {
        Some(head) => Reading::ended(&keys.run(&run).head(), run, reader, head),
        None => Reading::run(run, reader),
    };
    match envelope.call {
        Call::Start { run, wire, .. } if wire != Wire::AgUi => {
            let reader = Reader::folding(keys.run(&run), wire, manner.form, manner.usage, 0);
            folded(driver, wire, reading(run, reader)).await
        }
        // A stream that is resumed is told the parts too that its message had before.
        Call::Read { run, wire, form, had } => {
            let reader = Reader::folding(keys.run(&run), wire, form, wire == Wire::UiStream, had);
            folded(driver, wire, reading(run, reader)).await
        }
        Call::Start { run, after, .. } => {
            let cursor = if reply == Reply::Started { Some(Cursor::START) } else { cursor(after)? };
            let reader = Reader::new(keys.run(&run), View::Customer, Wire::AgUi, cursor).declared(manner.protocol);
            stream(driver, View::Customer, &[], reading(run, reader))
        }
        Call::Join { run, after } => {
            let reader = Reader::new(keys.run(&run), View::Customer, Wire::AgUi, cursor(after)?);
            stream(driver, View::Customer, &[], reading(run, reader))
        }
        Call::Events { run, after, view, types } => {
            let reader = Reader::new(keys.run(&run), view, Wire::Canonical, cursor(after)?);
            let reader = types.into_iter().fold(reader, Reader::only);
            stream(driver, view, &[], reading(run, reader))
        }
        Call::Follow { since, view, types, until } => {
            let follow = Follow::new(&envelope.scope, &envelope.thread, view, Since::parse(&since)?);
            let follow = types.into_iter().fold(follow, Follow::only);
            let ends = ends(now(), driver.config().stream, until);
            stream(driver, view, &[], Reading::thread(follow, ends))
        }
        Call::Cancel { run, wire: Wire::Responses } => {
            let reader = Reader::folding(keys.run(&run), Wire::Responses, Form::Now, false, 0);
            folded(driver, Wire::Responses, Reading::run(run, reader)).await
        }
        Call::Cancel { run, .. } => match reply {
            Reply::Ended(status) => respond(&http::status(&run, status)),
            Reply::CancelAsked => respond(&http::cancel_asked(&run)),
            _ => Err(ErrorKind::Internal.into()),
        },
        Call::Delete { .. } => respond(&http::deleted()),
        _ => Err(ErrorKind::Internal.into()),
    }
}

/// The answer of a reader on a wire that needs memory: a stream or a document.
async fn folded(driver: Rc<ThreadDriver>, wire: Wire, reading: Reading) -> Result<Response, Error> {
    if reading.is_document() {
        return whole::response(Attached::new(driver, View::Customer, reading)).await;
    }
    stream(driver, View::Customer, wire.headers(), reading)
}

fn record(keys: &RunKeys, head: StoreReply) -> Result<Response, Error> {
    match head {
        StoreReply::Found(bytes, _) => respond(&http::record(&RunRecord::decode_under(&bytes, keys)?)),
        StoreReply::Missing => Err(ErrorKind::UnknownRun.into()),
        _ => Err(ErrorKind::StoreUnavailable.into()),
    }
}

fn head(head: StoreReply) -> Result<Response, Error> {
    match head {
        StoreReply::Found(mut bytes, _) => Response::new_with_opt_u8_array(Some(&mut bytes)).map_err(internal),
        StoreReply::Missing => Err(ErrorKind::UnknownRun.into()),
        _ => Err(ErrorKind::StoreUnavailable.into()),
    }
}

/// A reply that lets the request go on, or the error that it is.
fn settled(reply: Reply) -> Result<Reply, Error> {
    match reply {
        Reply::Refused(error) => Err(error),
        Reply::Unknown => Err(ErrorKind::UnknownRun.into()),
        reply => Ok(reply),
    }
}

fn cursor(after: Option<String>) -> Result<Option<Cursor>, Error> {
    after.as_deref().map(Cursor::parse).transpose()
}

fn stream(driver: Rc<ThreadDriver>, view: View, headers: &[(&str, &str)], reading: Reading) -> Result<Response, Error> {
    source::response(Attached::new(driver, view, reading), headers).map_err(internal)
}

fn respond(answer: &http::Answer) -> Result<Response, Error> {
    platform::respond(answer).map_err(internal)
}
