//! What is asked of a chat, which is a thread: of its newest run, whatever its name.

use super::driver::ThreadDriver;
use super::envelope::{Call, Envelope};
use super::{history, platform, whole};
use crate::error::Error;
use crate::http;
use crate::run::{Input, RunRecord, Status, ThreadKeys};
use crate::wire::ui_stream::{self, Waiting};
use crate::wire::{Form, Wire};
use std::rc::Rc;
use web_sys::Response;

/// Answers what is about a chat. What is about its newest run becomes a call for that; any other is left.
pub async fn answer(
    driver: &Rc<ThreadDriver>,
    keys: &ThreadKeys,
    envelope: &mut Envelope,
) -> Result<Option<Response>, Error> {
    if !matches!(envelope.call, Call::Resume | Call::Messages | Call::Stop) {
        return Ok(None);
    }
    let mut newest = history::newest(driver, keys).await?;
    // One whose worker was lost is sealed first.
    if let Some((run, head)) = newest.take_if(|(_, head)| !head.is_ended()) {
        let _ = driver.ask(&run, |request| Input::Recover { request }).await;
        let after = history::head(driver, &keys.run(&run)).await.unwrap_or(head);
        newest = Some((run, after));
    }
    match (&envelope.call, newest) {
        (Call::Messages, newest) => messages(driver, keys, newest).await.map(Some),
        (Call::Resume, Some((run, head))) if !head.is_ended() => {
            envelope.call = Call::Read { run, wire: Wire::UiStream, form: Form::Stream, had: 0 };
            Ok(None)
        }
        (Call::Stop, Some((run, _))) => {
            envelope.call = Call::Cancel { run, wire: Wire::Canonical };
            Ok(None)
        }
        _ => platform::respond(&http::nothing_left()).map(Some).map_err(platform::internal),
    }
}

/// What was said up to the newest run's end; while it is at work only what it was given, since its stream tells the rest.
async fn messages(
    driver: &ThreadDriver,
    keys: &ThreadKeys,
    newest: Option<(String, RunRecord)>,
) -> Result<Response, Error> {
    let Some((run, head)) = newest else { return whole::json(&ui_stream::messages(&[], None)) };
    let of = keys.run(&run);
    if !head.is_ended() {
        return whole::json(&ui_stream::messages(&history::given(driver, &of).await?, None));
    }
    let said = history::conversation(driver, &of).await?;
    let interrupts = match head.status {
        Status::Interrupted => history::waits_for(driver, &of, &head).await?,
        _ => Vec::new(),
    };
    let waiting = Waiting { run: &run, interrupts: &interrupts };
    whole::json(&ui_stream::messages(&said, Some(waiting).filter(|waiting| !waiting.interrupts.is_empty())))
}
