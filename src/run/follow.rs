//! Follows a thread: reads its runs one after the other as they come, and never ends by itself.
//!
//! Each run is read by a [`Reader`] of its own on the canonical wire. It holds one run's head and one
//! segment at a time, however long the thread is. A run's ordinal is what its claim gave it
//! ([`super::Thread`]); one whose head is gone is retained no longer and passed over. One whose stored form is
//! damaged is passed over too, and the stream says so: else it would end there whenever somebody comes back. A
//! record that a newer version has written is not damaged: the stream ends, and goes on where that version runs.

use super::index::ActiveEntry;
use super::keys::ThreadKeys;
use super::reader::{Cursor, Need, Reader};
use super::record::RunRecord;
use super::sanitize::{LogLine, interrupted};
use super::store::Traits;
use crate::Millis;
use crate::error::{Error, ErrorKind};
use crate::event::View;
use crate::sse::Frame;
use crate::wire::{self, Wire};

mod position;

pub use position::{Position, Since};

/// What is looked for.
enum Stage {
    /// The thread's last run, to begin behind what it has said.
    Latest,
    /// The run of this ordinal among those that the thread has gone on from.
    Past,
    /// The run of this ordinal as the thread's last one.
    Last,
    /// The same among the past ones once more: the thread has gone on since it was not found there.
    PastAgain,
    /// The last run's head: without one it may yet lose its ordinal to another.
    Head(Found),
    /// That the ordinal is still that run's, now that it has a head: then it stays so.
    Confirm(Found),
    /// The run is known.
    Run(Box<Reader>),
}

/// The thread's last run.
#[derive(Clone)]
struct Found {
    run: String,
    /// Only what comes from now on is wanted of it.
    from_now: bool,
}

/// Reads all runs of one thread.
pub struct Follow {
    thread: String,
    name: String,
    keys: ThreadKeys,
    view: View,
    types: Option<Vec<String>>,
    at: Position,
    stage: Stage,
    /// A run that can't be read, to be told of.
    damaged: Option<Error>,
    level: u64,
    idle: bool,
    /// What the store says of the thread may be from before what the cursor says.
    behind: bool,
    failed: Option<Error>,
}

impl Follow {
    /// A reader of a thread in a scope. A thread that had no run yet is an empty one.
    pub fn new(scope: &str, thread: &str, view: View, since: Since) -> Self {
        let (at, stage) = match since {
            Since::After(position) => (position, Stage::Past),
            Since::Latest => (Position::START, Stage::Latest),
        };
        Follow {
            thread: thread.to_owned(),
            name: String::new(),
            keys: ThreadKeys::new(scope, thread),
            view,
            types: None,
            at,
            stage,
            damaged: None,
            level: 0,
            idle: false,
            behind: false,
            failed: None,
        }
    }

    /// Sends only events of these types, terminals too only if they are named.
    pub fn only(mut self, types: Vec<String>) -> Self {
        self.types = Some(types);
        self
    }

    /// Gives it a name, as of [`Reader::named`].
    pub fn named(mut self, name: String) -> Self {
        self.name = name;
        self
    }

    /// The run that is read, and when it is to be looked after, as of [`Reader::recover_at`].
    pub fn recover_at(&self, traits: Traits) -> Option<(&str, Millis)> {
        let Stage::Run(reader) = &self.stage else { return None };
        Some((reader.run(), reader.recover_at(traits)?))
    }

    /// Says whether what the store tells may be old: then a cursor ahead of it is no bad one.
    pub fn may_be_behind(&mut self, behind: bool) {
        self.behind = behind;
    }

    /// The line of the log for a failure. A stream that has had its time has not failed, and a cursor that
    /// is none is the client's own.
    pub fn log_line(&self, cause: &Error) -> Option<LogLine> {
        (!is_told(cause.kind())).then(|| interrupted(cause.kind(), "", &self.name).0)
    }

    /// What is wanted next, as of [`Reader::next`]; but there is no [`Need::End`], and [`Need::Wait`]
    /// names the level that [`Follow::wake`] was given last.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> Need {
        loop {
            if let Some(error) = &self.failed {
                return Need::Fail(
                    Frame::new(wire::canonical::stream_end(&self.thread, &self.told(error))),
                    error.clone(),
                );
            }
            if let Some(error) = self.damaged.take() {
                return self.pass(error);
            }
            if self.idle {
                return Need::Wait(self.level);
            }
            if let Some(key) = self.wanted() {
                return Need::Load(key);
            }
            let Stage::Run(reader) = &mut self.stage else { continue };
            match reader.next() {
                Need::Load(key) => return Need::Load(key),
                Need::Frames(frames) => {
                    let frames = self.stamped(frames);
                    if !frames.is_empty() {
                        return Need::Frames(frames);
                    }
                }
                Need::Wait(_) => self.idle = true,
                Need::End | Need::Document(_) => self.go_on(),
                // Its head is gone.
                Need::Fail(_, error) if error.kind() == ErrorKind::UnknownRun => self.go_on(),
                Need::Fail(_, error) | Need::Passed(_, error) => self.fails(error),
            }
        }
    }

    /// Takes the value that was wanted under that key.
    pub fn loaded(&mut self, key: &str, value: Option<&[u8]>) {
        if let Err(error) = self.take(key, value) {
            self.fails(error);
        }
    }

    /// What was wanted can't be had: the reader fails, no run is touched.
    pub fn fail(&mut self, error: Error) {
        self.failed = Some(error);
    }

    /// The stream must end, for a reason that its last frame names: [`ends`].
    pub fn stop(&mut self, reason: ErrorKind) {
        self.failed.get_or_insert(reason.into());
    }

    /// Something may be newer than what was seen: look again. `level` is how much is known to be new
    /// now, before anything is read, so that what comes while it is read is not slept through.
    pub fn wake(&mut self, level: u64) {
        self.level = level;
        self.idle = false;
        match &mut self.stage {
            Stage::Run(reader) => reader.wake(),
            Stage::Latest | Stage::Past => {}
            Stage::Head(found) | Stage::Confirm(found) if found.from_now => self.stage = Stage::Latest,
            _ => self.stage = Stage::Past,
        }
    }

    /// The key of what the stage looks for; a run's reader has its own.
    fn wanted(&self) -> Option<String> {
        match &self.stage {
            Stage::Latest | Stage::Last | Stage::Confirm(_) => Some(self.keys.active()),
            Stage::Past | Stage::PastAgain => Some(self.keys.past(self.at.ordinal)),
            Stage::Head(found) => Some(self.keys.run(&found.run).head()),
            Stage::Run(_) => None,
        }
    }

    fn take(&mut self, key: &str, value: Option<&[u8]>) -> Result<(), Error> {
        // What was asked for before a wake is wanted no more.
        if self.wanted().is_some_and(|wanted| wanted != key) {
            return Ok(());
        }
        match &mut self.stage {
            Stage::Run(reader) => reader.loaded(key, value),
            Stage::Head(found) => {
                let found = found.clone();
                self.head(found, value)?;
            }
            Stage::Past => match value {
                Some(bytes) => self.past(&ActiveEntry::decode(bytes)?),
                None => self.stage = Stage::Last,
            },
            Stage::PastAgain => match value {
                Some(bytes) => self.past(&ActiveEntry::decode(bytes)?),
                // The store is behind itself.
                None => self.idle = true,
            },
            Stage::Latest | Stage::Last | Stage::Confirm(_) => {
                let entry = value.map(ActiveEntry::decode).transpose()?;
                self.active(entry)?;
            }
        }
        Ok(())
    }

    fn head(&mut self, found: Found, value: Option<&[u8]>) -> Result<(), Error> {
        match value {
            Some(bytes) if found.from_now => {
                self.at.cursor = Cursor::after(RunRecord::decode_under(bytes, &self.keys.run(&found.run))?.sequence);
                self.stage = Stage::Confirm(found);
            }
            Some(_) => self.stage = Stage::Confirm(found),
            // All of it comes from now on.
            None if found.from_now => self.stage = Stage::Past,
            None => self.idle = true,
        }
        Ok(())
    }

    fn active(&mut self, entry: Option<ActiveEntry>) -> Result<(), Error> {
        let last = entry.as_ref().map_or(0, ActiveEntry::ordinal);
        let (first, gone) = entry.as_ref().map_or((1, false), |entry| (entry.first(), entry.is_gone()));
        match (&self.stage, entry) {
            (Stage::Latest, None) => self.stage = Stage::Past,
            (Stage::Latest | Stage::Confirm(Found { from_now: true, .. }), Some(_)) if gone => {
                self.at = Position::run(last.saturating_add(1));
                self.stage = Stage::Past;
            }
            // What is there no more is passed over.
            (Stage::Last, Some(_)) if self.at.ordinal < first => {
                self.at = Position::run(first);
                self.stage = Stage::Past;
            }
            (Stage::Last, Some(_)) if gone && last == self.at.ordinal => self.go_on(),
            (Stage::Latest, Some(entry)) => {
                self.at = Position::run(last);
                self.stage = Stage::Head(Found { run: entry.run, from_now: true });
            }
            (Stage::Confirm(found), Some(entry)) if entry.run == found.run && last == self.at.ordinal => {
                self.begin(&entry.run);
            }
            (Stage::Confirm(found), _) => self.stage = if found.from_now { Stage::Latest } else { Stage::Past },
            (_, Some(entry)) if last == self.at.ordinal => {
                self.stage = Stage::Head(Found { run: entry.run, from_now: false });
            }
            _ if last > self.at.ordinal => self.stage = Stage::PastAgain,
            _ if self.behind || self.at == Position::run(last.saturating_add(1)) => self.idle = true,
            // The thread never came that far: to wait here would pass for its silence.
            _ => return Err(ErrorKind::BadCursor.into()),
        }
        Ok(())
    }

    fn past(&mut self, entry: &ActiveEntry) {
        if entry.is_gone() { self.go_on() } else { self.begin(&entry.run) }
    }

    fn begin(&mut self, run: &str) {
        let reader = Reader::new(self.keys.run(run), self.view, Wire::Canonical, Some(self.at.cursor));
        self.stage = Stage::Run(Box::new(reader));
    }

    fn go_on(&mut self) {
        self.at = Position::run(self.at.ordinal.saturating_add(1));
        self.stage = Stage::Past;
    }

    /// What is read of a run may be damaged for ever; what the thread's own entry says must be known to go on.
    fn fails(&mut self, error: Error) {
        let of_a_run = matches!(self.stage, Stage::Past | Stage::PastAgain | Stage::Head(_) | Stage::Run(_));
        match of_a_run && error.kind() == ErrorKind::RecordUnreadable {
            true => self.damaged = Some(error),
            false => self.failed = Some(error),
        }
    }

    /// Whoever comes back with the frame's id goes on behind the run.
    fn pass(&mut self, error: Error) -> Need {
        let run = match &self.stage {
            Stage::Run(reader) => reader.keys().name(),
            Stage::Head(found) => &found.run,
            _ => "",
        };
        let line = interrupted(error.kind(), "", &self.name).0;
        let told = Error::with(error.kind(), format!("(reference {})", line.reference));
        let frame = Frame::new(wire::canonical::failure_of(run, &self.thread, &told));
        self.go_on();
        Need::Passed(Frame { id: Some(self.at.to_string()), ..frame }, error)
    }

    fn stamped(&self, frames: Vec<Frame>) -> Vec<Frame> {
        let mut kept: Vec<Frame> = frames.into_iter().filter(|frame| self.wants(&frame.data)).collect();
        for frame in &mut kept {
            frame.id = frame.id.take().map(|id| format!("{}-{id}", self.at.ordinal));
        }
        kept
    }

    fn told(&self, error: &Error) -> Error {
        match is_told(error.kind()) {
            true => error.kind().into(),
            false => interrupted(error.kind(), "", &self.name).1,
        }
    }

    fn wants(&self, data: &str) -> bool {
        self.types.as_ref().is_none_or(|types| types.iter().any(|kind| wire::is_of_type(data, kind)))
    }
}

/// When a stream that was opened at that time must end, and why: after `limit`, or, at `until`, with
/// the token that opened it.
pub fn ends(opened: Millis, limit: Millis, until: Option<Millis>) -> (Millis, ErrorKind) {
    let limit = opened.saturating_add(limit);
    match until {
        Some(until) if until <= limit => (until, ErrorKind::TokenExpired),
        _ => (limit, ErrorKind::StreamLimit),
    }
}

/// Whether a client is told as it is: why the stream had to end, or that its cursor is none.
fn is_told(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::StreamLimit | ErrorKind::TokenExpired | ErrorKind::BadCursor)
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
