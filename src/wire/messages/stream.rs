//! The stream's fold.

use super::block::{self, Kind, event};
use super::{error, stop_reason, usage, write_head};
use crate::event::{Event, Plain, Sealed};
use crate::json::{NULL, Raw};
use crate::sse::Frame;
use crate::wire::ending::{Ending, Told};
use crate::wire::{Context, Serializer, WHOLE_FRAME, approval, pieces};
use crate::{Error, ErrorKind, Millis};
use std::collections::VecDeque;

/// The fold of a run's events into those of a message.
///
/// Clients take one block after the other, while a run's texts and calls may be open at once: what is not at the front
/// waits. More than [`WHOLE_FRAME`] bytes of it is [`ErrorKind::StreamInterrupted`].
#[derive(Debug, Default)]
pub struct Stream {
    /// The index of the block at the front.
    index: u64,
    /// What has begun and is not wholly sent; the front is the one block that is open.
    blocks: VecDeque<Block>,
    /// The bytes that wait in them.
    waiting: usize,
    /// Some of the answer was sent.
    said: bool,
    /// The answer is a refusal.
    refusal: bool,
    /// There is a call.
    called: bool,
    /// Nothing more is sent.
    over: bool,
    /// What is sent now.
    out: Vec<Frame>,
}

#[derive(Debug)]
struct Block {
    id: String,
    kind: Kind,
    waiting: String,
    open: bool,
    ended: bool,
}

impl Stream {
    fn plain(&mut self, plain: &Plain) -> Result<(), Error> {
        match plain {
            Plain::NarrationStart { message } | Plain::ThinkingStart { message, public: true } => {
                self.begin(message, Kind::Thinking);
            }
            Plain::NarrationDelta { message, delta } | Plain::ThinkingDelta { message, public: true, delta } => {
                self.say(message, delta)?;
            }
            Plain::NarrationEnd { message } | Plain::ThinkingEnd { message, public: true } => self.end(message),
            _ => {}
        }
        Ok(())
    }

    fn sealed(&mut self, cx: &Context<'_>, sealed: &Sealed) -> Result<(), Error> {
        match sealed {
            Sealed::Started {} => self.out.push(start(cx)),
            Sealed::AnswerStart { message, refusal } => {
                self.refusal = *refusal;
                self.begin(message, Kind::Text);
            }
            Sealed::AnswerDelta { message, delta, .. } => self.say(message, delta)?,
            Sealed::AnswerEnd { message } => self.end(message),
            Sealed::AnswerWithdrawn { message } => self.withdraw(message),
            Sealed::CallStart { call, name, .. } => self.begin(call, Kind::Call(name.clone())),
            Sealed::CallArgs { call, delta } => self.say(call, delta)?,
            Sealed::CallEnd { call } => self.end(call),
            Sealed::Completed(_) | Sealed::Interrupted { .. } | Sealed::Cancelled { .. } | Sealed::Failed { .. } => {
                self.ended(cx, sealed)?;
            }
        }
        Ok(())
    }

    fn begin(&mut self, id: &str, kind: Kind) {
        self.called |= matches!(kind, Kind::Call(_));
        self.blocks.push_back(Block { id: id.to_owned(), kind, waiting: String::new(), open: false, ended: false });
        self.send();
    }

    fn say(&mut self, id: &str, delta: &str) -> Result<(), Error> {
        let Some(block) = self.blocks.iter_mut().rev().find(|block| block.id == id) else { return Ok(()) };
        block.waiting.push_str(delta);
        self.waiting += delta.len();
        self.send();
        if self.waiting > WHOLE_FRAME { Err(ErrorKind::StreamInterrupted.into()) } else { Ok(()) }
    }

    fn end(&mut self, id: &str) {
        if let Some(block) = self.blocks.iter_mut().rev().find(|block| block.id == id) {
            block.ended = true;
        }
        self.send();
    }

    /// Sends what waits at the front, and goes on to the next block when that one has ended.
    fn send(&mut self) {
        while let Some(block) = self.blocks.front_mut() {
            let index = self.index;
            // A text opens with its first piece: an empty block says nothing.
            if !block.open && (matches!(block.kind, Kind::Call(_)) || !block.waiting.is_empty()) {
                block.open = true;
                self.said |= block.kind == Kind::Text;
                self.out.push(block.kind.start(index, &block.id));
            }
            if !block.waiting.is_empty() {
                let text = std::mem::take(&mut block.waiting);
                self.waiting -= text.len();
                for data in pieces::delta_frames(&text, |part| block.kind.delta(index, part)) {
                    self.out.push(Frame { event: Some(block::DELTA.to_owned()), ..Frame::new(data) });
                }
            }
            if !block.ended {
                return;
            }
            if block.open {
                self.index += 1;
                self.out.push(block::stop(index));
            }
            self.blocks.pop_front();
        }
    }

    /// What of an answer was sent stays with the client, so nothing may follow it as if it were the answer.
    fn withdraw(&mut self, id: &str) {
        if self.said {
            return self.fail(&ErrorKind::StreamInterrupted.into());
        }
        self.refusal = false;
        if let Some(block) = self.blocks.iter_mut().rev().find(|block| block.id == id) {
            self.waiting -= block.waiting.len();
            block.waiting.clear();
            block.ended = true;
        }
        self.send();
    }

    /// An approval is a call of a tool that the client knows by name.
    fn ended(&mut self, cx: &Context<'_>, sealed: &Sealed) -> Result<(), Error> {
        let Some(ending) = Ending::of(cx, sealed) else { return Ok(()) };
        if let Some(told) = &ending.failed {
            self.fail(told);
            return Ok(());
        }
        if ending.interrupts.is_empty() && matches!(sealed, Sealed::Interrupted { .. }) {
            return Err(ErrorKind::RecordUnreadable.into());
        }
        for interrupt in ending.interrupts {
            let id = approval::call(interrupt);
            self.begin(&id, Kind::Call(approval::TOOL.to_owned()));
            self.say(&id, &approval::arguments(interrupt))?;
            self.end(&id);
        }
        self.finish(&ending);
        Ok(())
    }

    fn finish(&mut self, ending: &Ending<'_>) {
        self.blocks.iter_mut().for_each(|block| block.ended = true);
        self.send();
        if !self.said && !self.called {
            self.out.extend([Kind::Text.start(self.index, ""), block::stop(self.index)]);
        }
        let reason = stop_reason(self.called, self.refusal, ending.truncated);
        self.out.push(event("message_delta", |event| {
            event.object("delta", |delta| {
                delta.fields(&[("stop_reason", &reason), ("stop_sequence", &NULL)]);
            });
            usage::write(ending.usage, ending.timing, event);
        }));
        self.out.push(event("message_stop", |_| {}));
        self.over = true;
    }

    /// Behind an error there is nothing.
    fn fail(&mut self, told: &Told) {
        self.out.push(error::frame(told));
        self.over = true;
    }
}

impl Serializer for Stream {
    fn fold(&mut self, cx: &Context<'_>, _: Millis, event: &Event, out: &mut Vec<Frame>) -> Result<(), Error> {
        if !self.over {
            match event {
                Event::Plain(plain) => self.plain(plain)?,
                Event::Sealed(sealed) => self.sealed(cx, sealed)?,
            }
        }
        out.append(&mut self.out);
        Ok(())
    }
}

/// What the run cost is known at its end; clients demand counts here too, and replace them.
fn start(cx: &Context<'_>) -> Frame {
    event("message_start", |event| {
        event.object("message", |message| {
            write_head(cx, message);
            let none: Vec<Raw> = Vec::new();
            message.fields(&[("content", &none), ("stop_reason", &NULL), ("stop_sequence", &NULL)]);
            usage::write(&[], None, message);
        });
    })
}
