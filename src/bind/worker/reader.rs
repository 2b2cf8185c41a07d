//! The reading half of the driver: pulls a reader's frames into a streamed response.

use super::driver::ThreadDriver;
use super::platform::{self, instance, now, sleep};
use crate::event::View;
use crate::run::{Need, Reader};
use crate::sse::{Heartbeat, PING, RESPONSE_HEADERS};
use futures_channel::oneshot;
use futures_util::future::{Either, select};
use js_sys::{Promise, Uint8Array};
use std::cell::Cell;
use std::pin::pin;
use std::rc::Rc;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::{ReadableStream, Response};

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

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_name = ReadableStream, extends = ReadableStream)]
    type Pulled;

    #[wasm_bindgen(constructor, catch, js_class = ReadableStream)]
    fn new(source: Source, strategy: &JsValue) -> platform::Result<Pulled>;

    /// A `ReadableStreamDefaultController`.
    pub type Controller;

    #[wasm_bindgen(method, catch)]
    fn enqueue(this: &Controller, chunk: &Uint8Array) -> platform::Result<()>;

    #[wasm_bindgen(method, catch)]
    fn close(this: &Controller) -> platform::Result<()>;
}

/// What a streamed body is pulled from: an underlying source of the streams standard.
#[wasm_bindgen]
pub struct Source {
    /// Away while a pull is under way.
    attached: Rc<Cell<Option<Attached>>>,
    /// Dropped, it ends the pull that is under way.
    pull: Cell<Option<oneshot::Sender<()>>>,
}

#[wasm_bindgen]
impl Source {
    /// One more chunk, or the end.
    pub fn pull(&self, controller: Controller) -> Promise {
        let (pull, cancelled) = oneshot::channel();
        self.pull.set(Some(pull));
        let place = self.attached.clone();
        platform::promise(async move {
            let Some(mut attached) = place.take() else { return Ok(JsValue::UNDEFINED) };
            let next = match select(pin!(attached.next()), cancelled).await {
                Either::Left((next, _)) => next,
                Either::Right(_) => return Ok(JsValue::UNDEFINED),
            };
            match next {
                Some(bytes) => {
                    place.set(Some(attached));
                    controller.enqueue(&Uint8Array::from(bytes.as_slice()))?;
                }
                None => controller.close()?,
            }
            Ok(JsValue::UNDEFINED)
        })
    }

    /// The client has gone.
    pub fn cancel(self) {}
}

/// A response that streams what the reader gives. It is pulled: a slow client costs nothing.
pub fn stream(driver: Rc<ThreadDriver>, run: &str, view: View, reader: Reader) -> platform::Result<Response> {
    driver.attached(run, view);
    let heartbeat = Heartbeat::new(driver.config().heartbeat);
    let reader = reader.named(instance());
    let attached = Attached { driver, run: run.to_owned(), view, reader, heartbeat, over: false };
    let source = Source { attached: Rc::new(Cell::new(Some(attached))), pull: Cell::new(None) };
    // Nothing is made before it is asked for.
    let strategy = js_sys::Object::new();
    js_sys::Reflect::set(&strategy, &"highWaterMark".into(), &0.into())?;
    let body = Pulled::new(source, &strategy)?;
    Response::new_with_opt_readable_stream_and_init(Some(&body), &platform::head(200, &RESPONSE_HEADERS)?)
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
                        // A frame that can't be written is the reader's failure, said after what could be.
                        if let Err(error) = frame.encode(&mut bytes) {
                            self.reader.fail(error);
                            break;
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
                    platform::log(&self.reader.log_line(&error));
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
