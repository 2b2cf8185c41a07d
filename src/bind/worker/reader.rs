//! The reading half of the driver: pulls a reader's frames into a streamed response.

use super::driver::ThreadDriver;
use super::platform::{now, sleep};
use crate::event::View;
use crate::run::{Need, Reader};
use crate::sse::{Heartbeat, PING, RESPONSE_HEADERS};
use futures_util::future::{Either, select};
use std::pin::pin;
use std::rc::Rc;
use worker::{Response, Result};

/// One attached reader. While it lives, its run knows that somebody of its view watches.
struct Attached {
    driver: Rc<ThreadDriver>,
    run: String,
    view: View,
    reader: Reader,
    heartbeat: Heartbeat,
    over: bool,
}

impl Drop for Attached {
    fn drop(&mut self) {
        self.driver.detached(&self.run, self.view);
    }
}

/// A response that streams what the reader gives. It is pulled: a slow client costs nothing.
pub fn stream(driver: Rc<ThreadDriver>, run: &str, view: View, reader: Reader) -> Result<Response> {
    driver.attached(run, view);
    let heartbeat = Heartbeat::new(driver.config().heartbeat);
    let attached = Attached { driver, run: run.to_owned(), view, reader, heartbeat, over: false };
    let chunks = futures_util::stream::unfold(attached, |mut attached| async move {
        let bytes = attached.next().await?;
        Some((Ok::<_, worker::Error>(bytes), attached))
    });
    let response = Response::from_stream(chunks)?;
    for (name, value) in RESPONSE_HEADERS {
        response.headers().set(name, value)?;
    }
    Ok(response)
}

impl Attached {
    /// The next bytes, or the end. There is no clean end before the terminal.
    async fn next(&mut self) -> Option<Vec<u8>> {
        while !self.over {
            match self.reader.next() {
                Need::Load(key) => self.driver.load_into(&mut self.reader, &key),
                Need::Frames(frames) => {
                    let mut bytes = Vec::new();
                    for frame in frames {
                        if frame.encode(&mut bytes).is_err() {
                            self.over = true;
                        }
                    }
                    return Some(self.wrote(bytes));
                }
                Need::Wait(revision) => {
                    if let Some(ping) = self.wait(revision).await {
                        return Some(self.wrote(ping));
                    }
                }
                Need::End => return None,
                Need::Fail(frame, error) => {
                    worker::console_error!(
                        "{}",
                        serde_json::json!({"code": error.code(), "run": self.run, "reader": true})
                    );
                    self.over = true;
                    return Some(self.wrote(frame.to_bytes().unwrap_or_default()));
                }
            }
        }
        None
    }

    /// Waits for news, or for the heartbeat. Either way the head is read again: a wake may be lost.
    async fn wait(&mut self, revision: u64) -> Option<Vec<u8>> {
        let news = pin!(self.driver.newer(&self.run, revision));
        let silence = pin!(sleep(self.heartbeat.wait(now())));
        let ping = match select(news, silence).await {
            Either::Left(_) => None,
            Either::Right(_) => Some(PING.to_vec()),
        };
        self.reader.wake();
        ping
    }

    fn wrote(&mut self, bytes: Vec<u8>) -> Vec<u8> {
        self.heartbeat.wrote(now());
        bytes
    }
}
