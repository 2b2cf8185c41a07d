//! Runs that are read by the Worker itself: what comes before a run, what a chat has said, what a response was given.

use super::driver::ThreadDriver;
use crate::error::{Error, ErrorKind};
use crate::event::{Interrupt, View};
use crate::run::{Cursor, Need, Reader, RunKeys, RunRecord, StoreReply, ThreadKeys, decode_echo, newest_run};
use crate::sse::Frame;
use crate::stored::{Stored, parse};
use crate::wire::{Wire, agui};
use serde_json::Value;

/// What a reader gives that waits for nothing.
pub enum Told {
    /// The frames up to where it would wait, or to the end.
    Frames(Vec<Frame>),
    /// Its document.
    Document(String),
}

/// Reads a run as far as it has come. `load` gives a value that is durable.
///
/// # Errors
/// What the reader fails with, or [`ErrorKind::StoreUnavailable`].
pub async fn read(mut reader: Reader, load: impl AsyncFn(&str) -> StoreReply) -> Result<Told, Error> {
    let mut frames = Vec::new();
    loop {
        match reader.next() {
            Need::Load(key) => match load(&key).await {
                StoreReply::Found(bytes, _) => reader.loaded(&key, Some(&bytes)),
                StoreReply::Missing => reader.loaded(&key, None),
                _ => return Err(ErrorKind::StoreUnavailable.into()),
            },
            Need::Frames(more) => frames.extend(more),
            Need::Document(document) if document.status == 200 => return Ok(Told::Document(document.body)),
            Need::Document(_) => return Err(ErrorKind::UnknownRun.into()),
            Need::Wait(_) | Need::End => return Ok(Told::Frames(frames)),
            Need::Fail(_, error) | Need::Passed(_, error) => return Err(error),
        }
    }
}

/// The conversation up to the end of a run, as AG-UI messages.
///
/// # Errors
/// [`ErrorKind::UnknownRun`], [`ErrorKind::ThreadBusy`] if the run has not ended, or as of [`read`].
pub async fn conversation(driver: &ThreadDriver, keys: &RunKeys) -> Result<Vec<Value>, Error> {
    let head = head(driver, keys).await?;
    if !head.is_ended() {
        return Err(ErrorKind::ThreadBusy.into());
    }
    let reader = Reader::new(keys.clone(), View::Customer, Wire::AgUi, None);
    let Told::Frames(frames) = read(reader, async |key| driver.load(key).await).await? else {
        return Err(ErrorKind::RecordUnreadable.into());
    };
    Ok(agui::conversation(frames.iter().map(|frame| frame.data.as_str())))
}

/// What a run was given, as AG-UI messages.
///
/// # Errors
/// [`ErrorKind::UnknownRun`], [`ErrorKind::RecordUnreadable`], or [`ErrorKind::StoreUnavailable`].
pub async fn given(driver: &ThreadDriver, keys: &RunKeys) -> Result<Vec<Value>, Error> {
    let head = head(driver, keys).await?;
    let mut bytes = Vec::new();
    let Some(echo) = head.echo else { return Ok(Vec::new()) };
    for piece in 0..echo.pieces {
        match driver.load(&keys.echo(&echo.writer, piece)).await {
            StoreReply::Found(more, _) => bytes.extend(more),
            StoreReply::Missing => return Err(ErrorKind::RecordUnreadable.into()),
            _ => return Err(ErrorKind::StoreUnavailable.into()),
        }
    }
    Ok(decode_echo(&bytes)?.messages)
}

/// The head of a run.
///
/// # Errors
/// [`ErrorKind::UnknownRun`], [`ErrorKind::StoreUnavailable`], or that it can't be read.
pub async fn head(driver: &ThreadDriver, keys: &RunKeys) -> Result<RunRecord, Error> {
    match driver.load(&keys.head()).await {
        StoreReply::Found(bytes, _) => RunRecord::decode_under(&bytes, keys),
        StoreReply::Missing => Err(ErrorKind::UnknownRun.into()),
        _ => Err(ErrorKind::StoreUnavailable.into()),
    }
}

/// The thread's newest run that has begun, if any has, and its head.
///
/// # Errors
/// [`ErrorKind::StoreUnavailable`], or that its entry or its head can't be read.
pub async fn newest(driver: &ThreadDriver, keys: &ThreadKeys) -> Result<Option<(String, RunRecord)>, Error> {
    let (run, before) = match driver.load(&keys.active()).await {
        StoreReply::Found(bytes, _) => newest_run(&bytes)?,
        StoreReply::Missing => return Ok(None),
        _ => return Err(ErrorKind::StoreUnavailable.into()),
    };
    for run in std::iter::once(run).chain(before) {
        match head(driver, &keys.run(&run)).await {
            Err(error) if error.kind() == ErrorKind::UnknownRun => {}
            head => return Ok(Some((run, head?))),
        }
    }
    Ok(None)
}

/// What an interrupted run waits for.
///
/// # Errors
/// As of [`read`].
pub async fn waits_for(driver: &ThreadDriver, keys: &RunKeys, head: &RunRecord) -> Result<Vec<Interrupt>, Error> {
    let last = Cursor::after(head.sequence.saturating_sub(1));
    let reader = Reader::new(keys.clone(), View::Customer, Wire::Canonical, Some(last));
    let Told::Frames(frames) = read(reader, async |key| driver.load(key).await).await? else { return Ok(Vec::new()) };
    let last = frames.last().and_then(|frame| parse(frame.data.as_bytes()));
    let interrupts = last.as_ref().and_then(|frame| frame.get("interrupts")).and_then(Stored::read);
    interrupts.ok_or_else(|| ErrorKind::RecordUnreadable.into())
}
