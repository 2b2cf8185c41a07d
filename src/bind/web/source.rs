//! A streamed body: what the platform pulls a reader through.

use super::platform::{self, doze};
use super::reader::Attached;
use crate::Millis;
use crate::sse::RESPONSE_HEADERS;
use futures_channel::oneshot;
use futures_util::future::{Either, select};
use js_sys::{Promise, Uint8Array};
use std::cell::Cell;
use std::pin::pin;
use std::rc::Rc;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::{ReadableStream, Response};

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
///
/// A client that has gone is not surely told of: then nothing is pulled any more, and the stream is collected
/// some time. That happens in nobody's time, where nothing of the platform may be called. So a reader that is not
/// pulled for a heartbeat dozes: for its run it is not there, until it is pulled again.
#[wasm_bindgen]
pub struct Source(Rc<Shared>);

struct Shared {
    /// Away while a pull is under way.
    attached: Cell<Option<Attached>>,
    pulls: Cell<u32>,
    /// Dropped, it ends the pull that is under way.
    pull: Cell<Option<oneshot::Sender<()>>>,
    /// Dropped, nobody looks any more whether the reader dozes.
    look: Cell<Option<oneshot::Sender<()>>>,
}

#[wasm_bindgen]
impl Source {
    /// One more chunk, or the end.
    pub fn pull(&self, controller: Controller) -> Promise {
        let (pull, cancelled) = oneshot::channel();
        let shared = self.0.clone();
        shared.pull.set(Some(pull));
        shared.pulls.set(shared.pulls.get().wrapping_add(1));
        platform::promise(async move {
            let Some(mut attached) = shared.attached.take() else { return Ok(JsValue::UNDEFINED) };
            attached.rouse();
            let next = match select(pin!(attached.next()), cancelled).await {
                Either::Left((next, _)) => next,
                Either::Right(_) => return Ok(JsValue::UNDEFINED),
            };
            let Some(bytes) = next else {
                shared.over();
                return controller.close().map(|()| JsValue::UNDEFINED);
            };
            let span = attached.patience();
            shared.attached.set(Some(attached));
            let taken = controller.enqueue(&Uint8Array::from(bytes.as_slice()));
            match taken {
                Ok(()) => shared.look_after(span),
                Err(_) => shared.over(),
            }
            taken.map(|()| JsValue::UNDEFINED)
        })
    }

    /// The client has gone.
    pub fn cancel(self) {
        self.0.over();
    }
}

/// A response that streams what the reader gives, with these headers too. It is pulled: a slow client costs nothing.
pub fn response(attached: Attached, more: &[(&str, &str)]) -> platform::Result<Response> {
    response_with(attached, &[&RESPONSE_HEADERS[..], more].concat())
}

/// The same with these headers alone.
pub fn response_with(attached: Attached, headers: &[(&str, &str)]) -> platform::Result<Response> {
    let body = Source::stream(attached)?;
    Response::new_with_opt_readable_stream_and_init(Some(&body), &platform::head(200, headers)?)
}

impl Source {
    /// A stream that is pulled from what is attached. Nothing is made before it is asked for.
    fn stream(attached: Attached) -> platform::Result<ReadableStream> {
        let span = attached.patience();
        let shared = Rc::new(Shared {
            attached: Cell::new(Some(attached)),
            pulls: Cell::default(),
            pull: Cell::default(),
            look: Cell::default(),
        });
        shared.clone().look_after(span);
        let strategy = js_sys::Object::new();
        js_sys::Reflect::set(&strategy, &"highWaterMark".into(), &0.into())?;
        Ok(Pulled::new(Source(shared), &strategy)?.into())
    }
}

impl Shared {
    /// Nothing is read any more.
    fn over(&self) {
        self.pull.take();
        self.look.take();
        self.attached.take();
    }

    /// Sees to it that the reader dozes once it has not been pulled for that long.
    fn look_after(self: Rc<Self>, span: Millis) {
        let looks = self.look.take();
        if looks.is_some() {
            return self.look.set(looks);
        }
        let (look, mut over) = oneshot::channel::<()>();
        self.look.set(Some(look));
        platform::spawn(async move {
            loop {
                let pulls = self.pulls.get();
                if let Either::Left(_) = select(&mut over, pin!(doze(span))).await {
                    return;
                }
                if pulls == self.pulls.get()
                    && let Some(mut attached) = self.attached.take()
                {
                    attached.is_here(false);
                    self.attached.set(Some(attached));
                    self.look.take();
                    return;
                }
            }
        });
    }
}
