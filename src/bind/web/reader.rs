//! The reading half of the driver: pulls a reader's frames into a streamed response.

use super::driver::ThreadDriver;
use super::look::Looks;
use super::platform::{self, Clock, instance, now, sleep};
use crate::event::View;
use crate::run::{Follow, LogLine, Need, Reader, RunRecord, StoreReply, is_head};
use crate::sse::{Frame, Heartbeat, PING};
use crate::{Error, ErrorKind, Millis};
use futures_channel::oneshot;
use futures_util::future::{Either, pending, select};
use std::pin::{Pin, pin};
use std::rc::Rc;

/// Room for what stands around a frame's payload.
const AROUND: usize = 32;

/// What a document may have before it.
const WHITE: &[u8] = b" ";

/// What is read.
pub enum Reading {
    /// One run.
    Run(String, Box<Reader>),
    /// A thread's runs one after the other, until that time for that reason.
    Thread(Box<Follow>, (Millis, ErrorKind)),
}

impl Reading {
    /// Reads one run.
    pub fn run(run: String, reader: Reader) -> Self {
        Reading::Run(run, Box::new(reader.named(instance())))
    }

    /// Reads one run that has ended, whose head is at hand.
    pub fn ended(key: &str, run: String, reader: Reader, head: StoreReply) -> Self {
        let mut reading = Self::run(run, reader);
        reading.loaded(key, head);
        reading
    }

    /// Follows a thread, until that time for that reason.
    pub fn thread(follow: Follow, ends: (Millis, ErrorKind)) -> Self {
        Reading::Thread(Box::new(follow.named(instance())), ends)
    }

    /// True where one document is given.
    pub fn is_document(&self) -> bool {
        matches!(self, Reading::Run(_, reader) if reader.is_document())
    }

    fn next(&mut self) -> Need {
        match self {
            Reading::Run(_, reader) => reader.next(),
            Reading::Thread(follow, (end, reason)) => {
                if now() >= *end {
                    follow.stop(*reason);
                }
                follow.next()
            }
        }
    }

    fn loaded(&mut self, key: &str, reply: StoreReply) {
        let value = match reply {
            StoreReply::Found(bytes, _) => Some(bytes),
            StoreReply::Missing => None,
            _ => return self.fail(ErrorKind::StoreUnavailable.into()),
        };
        match self {
            Reading::Run(_, reader) => reader.loaded(key, value.as_deref()),
            Reading::Thread(follow, _) => follow.loaded(key, value.as_deref()),
        }
    }

    fn fail(&mut self, error: Error) {
        match self {
            Reading::Run(_, reader) => reader.fail(error),
            Reading::Thread(follow, _) => follow.fail(error),
        }
    }

    /// The reader comes, or goes: the runs that it may see are told.
    fn attach(&self, driver: &Rc<ThreadDriver>, view: View, here: bool) {
        match self {
            Reading::Run(run, _) if here => driver.attached(run, view),
            Reading::Run(run, _) => driver.detached(run, view),
            Reading::Thread(..) => driver.followed(view, here),
        }
    }

    /// Resolves once there may be more than what was seen.
    fn news(&self, driver: &ThreadDriver, seen: u64) -> oneshot::Receiver<()> {
        match self {
            Reading::Run(run, _) => driver.watches().newer(run, seen),
            Reading::Thread(..) => driver.watches().higher(seen),
        }
    }

    /// The platform is about to take no more reads: the client goes on by its cursor.
    fn spent(&mut self) {
        match self {
            Reading::Run(_, reader) => reader.fail(ErrorKind::StreamLimit.into()),
            Reading::Thread(follow, _) => follow.stop(ErrorKind::StreamLimit),
        }
    }

    /// True if what is read is written right here.
    fn is_beside(&self, driver: &ThreadDriver) -> bool {
        matches!(self, Reading::Run(run, _) if driver.drives(run))
    }

    /// Looks again.
    fn wake(&mut self, driver: &ThreadDriver) {
        match self {
            Reading::Run(_, reader) => reader.wake(),
            Reading::Thread(follow, _) => follow.wake(driver.watches().level()),
        }
    }

    /// Sees to it that somebody is at work on what is waited for.
    fn await_more(&self, driver: &Rc<ThreadDriver>) {
        match self {
            // Where another instance may be at work, that is looked for once its time is over.
            Reading::Run(..) if driver.home().is_shared() => {}
            Reading::Run(run, _) => driver.awaited(run),
            Reading::Thread(..) => driver.thread_awaited(),
        }
    }

    /// Has a run sealed whose writer can't be alive any more.
    fn recover(&self, driver: &Rc<ThreadDriver>) {
        let traits = driver.config().traits;
        let lost = match self {
            Reading::Run(run, reader) => reader.recover_at(traits).map(|at| (run.as_str(), at)),
            Reading::Thread(follow, _) => follow.recover_at(traits),
        };
        if let Some((run, _)) = lost.filter(|(_, at)| *at <= now()) {
            driver.awaited(run);
        }
    }

    fn log_line(&self, cause: &Error) -> Option<LogLine> {
        match self {
            Reading::Run(_, reader) => Some(reader.log_line(cause)),
            Reading::Thread(follow, _) => follow.log_line(cause),
        }
    }

    fn end(&self) -> Millis {
        match self {
            Reading::Run(..) => Millis::MAX,
            Reading::Thread(_, (end, _)) => *end,
        }
    }
}

/// A load, or news that there may be more. Boxed, so that waiting for either is one piece of code.
type Asked = Pin<Box<dyn Future<Output = Option<(StoreReply, String)>>>>;

/// One reader. While it is here, its run knows that somebody of its view watches.
pub struct Attached {
    driver: Rc<ThreadDriver>,
    view: View,
    reading: Reading,
    heartbeat: Heartbeat,
    clock: Rc<Clock>,
    /// A load that was not done at the last heartbeat.
    loading: Option<Asked>,
    /// Where nobody tells of news.
    looks: Option<Looks>,
    here: bool,
    over: bool,
    /// What was given is to be given again.
    again: Option<Vec<u8>>,
    /// The status of the document that was given last.
    status: Option<u16>,
}

impl Drop for Attached {
    fn drop(&mut self) {
        self.is_here(false);
    }
}

impl Attached {
    /// A reader that has come just now.
    pub fn new(driver: Rc<ThreadDriver>, view: View, mut reading: Reading) -> Self {
        if let Reading::Thread(..) = &reading {
            reading.wake(&driver);
        }
        let heartbeat = Heartbeat::new(driver.config().heartbeat);
        let looks = driver.looks();
        let mut attached = Attached {
            driver,
            view,
            reading,
            heartbeat,
            clock: Rc::new(Clock::new()),
            loading: None,
            looks,
            here: false,
            over: false,
            again: None,
            status: None,
        };
        attached.is_here(true);
        // The first byte of a document tells its status, which waits for the run's end as long as it may.
        if attached.is_document() {
            attached.heartbeat.wrote(now());
        }
        attached
    }

    /// Another silence than the thread's.
    pub fn beating(mut self, heartbeat: Millis) -> Self {
        self.heartbeat = Heartbeat::new(heartbeat);
        self
    }

    /// A reader that no run is told of: nothing is committed sooner for it.
    pub fn unseen(driver: Rc<ThreadDriver>, reading: Reading) -> Self {
        let mut attached = Self::new(driver, View::Customer, reading);
        attached.is_here(false);
        attached
    }

    fn is_document(&self) -> bool {
        self.reading.is_document()
    }

    /// The status of the document that was given, if one was.
    pub fn status(&self) -> Option<u16> {
        self.status
    }

    /// Takes back what was given last, to give it again.
    pub fn give_back(&mut self, bytes: Vec<u8>) {
        self.again = Some(bytes);
    }

    /// How long it may not be pulled before it dozes.
    pub fn patience(&self) -> Millis {
        self.driver.config().heartbeat
    }

    /// The runs that it may see are told whether it is here.
    pub fn is_here(&mut self, here: bool) {
        if std::mem::replace(&mut self.here, here) != here {
            self.reading.attach(&self.driver, self.view, here);
        }
    }

    /// One that has dozed is here again. What has come meanwhile it was not told of.
    pub fn rouse(&mut self) {
        if !self.here {
            self.is_here(true);
            self.reading.wake(&self.driver);
        }
    }

    /// The next bytes, or the end. There is no clean end before the terminal.
    pub async fn next(&mut self) -> Option<Vec<u8>> {
        if let Some(bytes) = self.again.take() {
            return Some(bytes);
        }
        while !self.over {
            if let (Some(looks), Reading::Thread(follow, _)) = (&self.looks, &mut self.reading) {
                follow.may_be_behind(looks.may_be_behind(now()));
            }
            match self.reading.next() {
                Need::Load(key) if self.driver.home().is_spent(&key) && !self.reading.is_beside(&self.driver) => {
                    self.reading.spent();
                }
                Need::Load(key) => {
                    let load = self.loading.take().unwrap_or_else(|| {
                        let driver = self.driver.clone();
                        let pause = self.looks.as_mut().map_or(0, Looks::before_load);
                        Box::pin(async move {
                            if pause > 0 {
                                sleep(pause).await;
                            }
                            Some((driver.load(&key).await, key))
                        })
                    });
                    if let Some(ping) = self.until(load, true).await {
                        return Some(self.wrote(ping));
                    }
                }
                Need::Frames(frames) => {
                    let size = |frame: &Frame| frame.data.len() + AROUND;
                    let mut bytes = Vec::with_capacity(frames.iter().map(size).sum());
                    for frame in frames {
                        // A frame that can't be written is the reader's failure, said after what could be.
                        if let Err(error) = frame.encode(&mut bytes) {
                            self.reading.fail(error);
                            break;
                        }
                    }
                    if let Some(looks) = &mut self.looks {
                        looks.news();
                    }
                    return Some(self.wrote(bytes));
                }
                Need::Wait(seen) => {
                    let first = self.looks.as_mut().is_none_or(|looks| looks.behind(seen));
                    let news: Asked = if first || self.reading.is_beside(&self.driver) {
                        let news = self.reading.news(&self.driver, seen);
                        Box::pin(async move { news.await.ok().and(None) })
                    } else {
                        Box::pin(pending())
                    };
                    if let Some(ping) = self.until(news, false).await {
                        return Some(self.wrote(ping));
                    }
                }
                Need::Document(document) => {
                    self.status = Some(document.status);
                    return Some(self.wrote(document.body.into_bytes()));
                }
                Need::End => return None,
                need @ (Need::Fail(..) | Need::Passed(..)) => {
                    self.over = matches!(need, Need::Fail(..));
                    let (Need::Fail(frame, error) | Need::Passed(frame, error)) = need else { continue };
                    if let Some(line) = self.reading.log_line(&error) {
                        platform::log(&line);
                    }
                    if self.is_document() {
                        self.status = Some(error.kind().status().max(500));
                        return Some(self.wrote(frame.data.into_bytes()));
                    }
                    return Some(self.wrote(frame.to_bytes().unwrap_or_default()));
                }
            }
        }
        None
    }

    /// Waits for what was asked for, or for the heartbeat. A load that is not done by then is waited for on;
    /// where news are, the head is read again, since a wake may be lost.
    async fn until(&mut self, asked: Asked, loads: bool) -> Option<Vec<u8>> {
        let (span, ping) = self.silence();
        let look = self.looks.as_ref().filter(|_| !loads).map_or(span, Looks::pause);
        let clock = self.clock.clone();
        match select(asked, pin!(clock.sleep(span.min(look)))).await {
            Either::Left((Some((reply, key)), _)) if self.is_missed(&key, &reply) => {}
            Either::Left((Some((reply, key)), _)) => self.reading.loaded(&key, reply),
            Either::Left((None, _)) => self.reading.wake(&self.driver),
            Either::Right(_) if look < span => {
                self.looks.iter_mut().for_each(Looks::looked);
                self.reading.recover(&self.driver);
                self.reading.wake(&self.driver);
            }
            Either::Right((_, asked)) => {
                if loads {
                    self.loading = Some(asked);
                } else {
                    self.reading.wake(&self.driver);
                }
                self.reading.await_more(&self.driver);
                self.reading.recover(&self.driver);
                return ping;
            }
        }
        None
    }

    /// True for a head that the store does not show as it stands, and may yet.
    fn is_missed(&mut self, key: &str, reply: &StoreReply) -> bool {
        let beside = self.reading.is_beside(&self.driver);
        let Some(looks) = self.looks.as_mut().filter(|_| is_head(key)) else { return false };
        let stands = match reply {
            StoreReply::Found(head, _) => beside || RunRecord::has_settled(head),
            reply => *reply != StoreReply::Missing,
        };
        looks.head(now(), stands)
    }

    /// How long the wire may yet be silent, and the heartbeat that is due then, unless the stream ends.
    fn silence(&self) -> (Millis, Option<Vec<u8>>) {
        let now = now();
        let (silence, left) = (self.heartbeat.wait(now), self.reading.end().saturating_sub(now));
        let ping: &[u8] = if self.is_document() { WHITE } else { PING };
        (silence.min(left), (silence < left).then(|| ping.to_vec()))
    }

    fn wrote(&mut self, bytes: Vec<u8>) -> Vec<u8> {
        self.heartbeat.wrote(now());
        bytes
    }
}
