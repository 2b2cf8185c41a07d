//! A reader: a cursor with a view and a wire. It pulls, and reads nothing but what is committed.
//!
//! Live, resumed and late readers are the same code, so there is no seam between them, no queue to
//! overflow and no number to reserve. A slow one lags behind in the store and costs nothing.

use super::journal::{self, Committed};
use super::keys::RunKeys;
use super::locate::Locator;
use super::record::RunRecord;
use super::sanitize::{LogLine, interrupted};
use super::store::{Owner, Traits};
use crate::Millis;
use crate::error::{Error, ErrorKind};
use crate::event::{Event, Plain, View};
use crate::input::Protocol;
use crate::sse::Frame;
use crate::wire::agui::Prelude;
use crate::wire::{Document, Wire};
pub use cursor::Cursor;
use fold::Fold;
use large::Gathering;
use std::collections::VecDeque;
use turn::{Turn, turn};

mod cursor;
mod fold;
mod frames;
mod large;
mod opening;
mod turn;

/// How often a part of an ended run is looked for in vain before it is taken for lost. At a look every 10 seconds that
/// is ten times what a read of Workers KV may be old.
const MOST_MISSED: u32 = 64;

/// What a reader wants next.
#[derive(Debug, PartialEq)]
pub enum Need {
    /// The value under this key, or the word that there is none: [`Reader::loaded`].
    Load(String),
    /// Write these.
    Frames(Vec<Frame>),
    /// Nothing until the head has a newer revision than this; then [`Reader::wake`].
    Wait(u64),
    /// Everything is said.
    End,
    /// The reader can't go on; the run is not touched. The frame says so on the wire.
    Fail(Frame, Error),
    /// Write this and nothing else: the answer of a reader that is no stream. Behind it is the end.
    Document(Document),
    /// A run of the thread can't be read. The frame says so, and leads past it: the reader goes on behind it.
    Passed(Frame, Error),
}

/// Where a reader begins.
enum Opening {
    /// Reading on from a cursor.
    Tail,
    /// Joining: gathers the input, then folds events up to the cut.
    Prelude { pieces: Vec<u8>, next: u32, prelude: Option<Box<Prelude>>, cut: u64 },
    /// Gathering the input, of which the wire sends back some.
    Request { pieces: Vec<u8>, next: u32 },
}

/// Reads one run.
pub struct Reader {
    keys: RunKeys,
    name: String,
    view: View,
    wire: Wire,
    types: Option<Vec<String>>,
    older: bool,
    cursor: Cursor,
    opening: Opening,
    head: Option<RunRecord>,
    /// A claim that may yet give way to another: nothing of it is told.
    claim: Option<RunRecord>,
    locator: Locator,
    stale: bool,
    patient: bool,
    blocked: bool,
    /// How often the part that is wanted was not there.
    missed: u32,
    /// What is left of the segment that was loaded last.
    rest: VecDeque<Committed>,
    /// The event of it that is being loaded.
    gathering: Option<Gathering>,
    /// The newest state up to the cut, if it is still to be loaded.
    state: Option<Committed>,
    /// What it remembers, on a wire that needs memory.
    fold: Option<Fold>,
    queue: Vec<Frame>,
    document: Option<Document>,
    ended: bool,
    failed: Option<Error>,
}

impl Reader {
    /// A reader from a cursor, or, without one, from what a client that joins needs first. The
    /// client that began a run reads from [`Cursor::START`].
    pub fn new(keys: RunKeys, view: View, wire: Wire, cursor: Option<Cursor>) -> Self {
        let opening = match cursor {
            None if wire.has_prelude() => Opening::Prelude { pieces: Vec::new(), next: 0, prelude: None, cut: 0 },
            _ => Opening::Tail,
        };
        Reader {
            keys,
            name: String::new(),
            view,
            wire,
            types: None,
            older: false,
            cursor: cursor.unwrap_or(Cursor::START),
            opening,
            head: None,
            claim: None,
            locator: Locator::default(),
            stale: true,
            patient: false,
            blocked: false,
            missed: 0,
            rest: VecDeque::new(),
            gathering: None,
            state: None,
            fold: None,
            queue: Vec::new(),
            document: None,
            ended: false,
            failed: None,
        }
    }

    /// Sends only frames of these types, by the wire's own names. Terminals are always sent.
    pub fn only(mut self, types: Vec<String>) -> Self {
        self.types = Some(types);
        self
    }

    /// Speaks to a client that has declared this version, or none: what it can't know is left out, though
    /// the client that began the run may. It is never sent more than that one.
    pub fn declared(mut self, protocol: Option<Protocol>) -> Self {
        self.older = protocol.is_none_or(|protocol| protocol < Protocol::V1);
        self
    }

    /// Waits for a head that is not there: it is known to exist, and the store's reads may be old.
    pub fn patient(mut self) -> Self {
        self.patient = true;
        self
    }

    /// From when on the run's writer can't be alive, if no newer head is seen before: then whoever drives the
    /// reader tells a machine [`super::Input::Recover`]. Nothing for a run that has ended, nor where no other
    /// instance can have the run: what no machine holds there is looked after at once.
    pub fn recover_at(&self, traits: Traits) -> Option<Millis> {
        let head = self.head.as_ref().or(self.claim.as_ref());
        let head = head.filter(|head| !head.is_ended() && traits.owner == Owner::Shared)?;
        Some(head.lease.saturating_add(traits.staleness).saturating_add(1))
    }

    /// Gives it a name that no other reader ever had, so that its failure has a reference of its own.
    pub fn named(mut self, name: String) -> Self {
        self.name = name;
        self
    }

    /// The line of the log for a failure: it carries the reference that the frame does.
    pub fn log_line(&self, cause: &Error) -> LogLine {
        interrupted(cause.kind(), self.run(), &self.name).0
    }

    /// What is wanted next. Repeats itself until it is given; so it is no iterator.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> Need {
        if !self.queue.is_empty() {
            return Need::Frames(std::mem::take(&mut self.queue));
        }
        if let Some(document) = self.document.take() {
            return Need::Document(document);
        }
        if let Some(error) = &self.failed {
            return Need::Fail(self.failure(error), error.clone());
        }
        if self.ended {
            return Need::End;
        }
        if self.stale {
            return Need::Load(self.keys.head());
        }
        let Some(head) = self.head.as_ref() else {
            return Need::Wait(self.claim.as_ref().map_or(0, |claim| claim.revision));
        };
        if let Some(key) = self.next_part(head).filter(|_| !self.blocked) {
            return Need::Load(key);
        }
        if !head.is_ended() || !self.locator.is_past(head) || self.gathering.is_some() {
            return Need::Wait(head.revision);
        }
        if self.cursor.seq <= head.sequence {
            return Need::End;
        }
        // The run never came that far: to end here would pass for its end.
        let error = Error::new(ErrorKind::BadCursor);
        self.failed = Some(error.clone());
        Need::Fail(self.failure(&error), error)
    }

    /// Takes the value that was wanted under that key.
    pub fn loaded(&mut self, key: &str, value: Option<&[u8]>) {
        let taken = if key == self.keys.head() {
            self.head_loaded(value)
        } else {
            match value {
                None => self.part_missed(),
                Some(bytes) => {
                    self.missed = 0;
                    self.part_loaded(bytes)
                }
            }
        };
        if let Err(error) = taken {
            self.failed = Some(error);
        }
    }

    /// What was wanted can't be had: the reader fails, the run is not touched.
    pub fn fail(&mut self, error: Error) {
        self.failed = Some(error);
    }

    /// The head may be newer than what was seen: look again.
    pub fn wake(&mut self) {
        self.stale = true;
        self.blocked = false;
    }

    pub(super) fn keys(&self) -> &RunKeys {
        &self.keys
    }

    fn next_part(&self, head: &RunRecord) -> Option<String> {
        if let (Opening::Prelude { next, prelude: None, .. } | Opening::Request { next, .. }, Some(echo)) =
            (&self.opening, &head.echo)
            && *next < echo.pieces
        {
            return Some(self.keys.echo(&echo.writer, *next));
        }
        if let Some(gathering) = &self.gathering {
            return gathering.wanted(&self.keys, head);
        }
        self.locator.wanted(head).map(|(writer, number)| self.keys.segment(writer, number))
    }

    fn head_loaded(&mut self, value: Option<&[u8]>) -> Result<(), Error> {
        self.stale = false;
        let Some(bytes) = value else {
            // One that was there has been deleted.
            return match self.patient || self.head.is_none() && self.claim.is_some() {
                false => Err(ErrorKind::UnknownRun.into()),
                true => Ok(()),
            };
        };
        let mut head = RunRecord::decode_under(bytes, &self.keys)?;
        if self.older {
            head.profile.protocol = None;
        }
        if self.head.is_none() && !head.is_settled() {
            self.claim = Some(head);
            return Ok(());
        }
        match self.head.as_ref().map_or(Turn::On, |known| turn(known, &head)) {
            Turn::Old => return Ok(()),
            Turn::On => {}
            Turn::Instead(shared) => self.turns(shared)?,
        }
        if self.head.is_none() {
            match &mut self.opening {
                Opening::Tail => {
                    self.locator = Locator::at(self.cursor.seq.saturating_sub(u64::from(self.cursor.k != u32::MAX)))
                }
                Opening::Prelude { cut, .. } => {
                    *cut = if head.is_ended() { head.sequence.saturating_sub(1) } else { head.sequence };
                }
                Opening::Request { .. } => {}
            }
        }
        self.head = Some(head);
        self.request_due()?;
        self.prelude_due()
    }

    /// Another head stands. What was told so far must be in it too.
    fn turns(&mut self, shared: u64) -> Result<(), Error> {
        let position = self.locator.position();
        let told = match &self.opening {
            Opening::Tail | Opening::Request { .. } => position,
            Opening::Prelude { cut, .. } => position.max(*cut),
        };
        if told > shared {
            return Err(ErrorKind::MaybeStale.into());
        }
        self.locator = Locator::at(position);
        Ok(())
    }

    /// A named part that is missing means a store that is behind its own head: wait. But not for ever, once no newer
    /// head can come.
    fn part_missed(&mut self) -> Result<(), Error> {
        self.blocked = true;
        self.missed += 1;
        match self.missed > MOST_MISSED && self.head.as_ref().is_some_and(RunRecord::is_ended) {
            true => Err(ErrorKind::RecordUnreadable.into()),
            false => Ok(()),
        }
    }

    fn part_loaded(&mut self, bytes: &[u8]) -> Result<(), Error> {
        if let Opening::Prelude { pieces, next, prelude: None, .. } = &mut self.opening {
            pieces.extend_from_slice(bytes);
            *next += 1;
            return self.prelude_due();
        }
        if let Opening::Request { pieces, next } = &mut self.opening {
            pieces.extend_from_slice(bytes);
            *next += 1;
            return self.request_due();
        }
        if let Some(gathering) = &mut self.gathering {
            let Some(whole) = gathering.loaded(bytes)? else { return Ok(()) };
            let opens = gathering.opens;
            self.gathering = None;
            match opens {
                true => self.state_loaded(&whole)?,
                false => self.event(&whole)?,
            }
        } else if let Some(head) = &self.head {
            self.rest = self.locator.loaded(head, journal::decode(bytes)?).into();
            if self.locator.is_lost() {
                return Err(ErrorKind::RecordUnreadable.into());
            }
        }
        while self.gathering.is_none()
            && let Some(committed) = self.rest.pop_front()
        {
            self.committed(committed)?;
        }
        Ok(())
    }

    /// Takes the next event, or what says where it stands. What the view does not see is not loaded, and of the
    /// states up to the cut only the newest is.
    fn committed(&mut self, committed: Committed) -> Result<(), Error> {
        match committed.large().filter(|_| self.view.sees(committed.audience())) {
            Some(large) if large.state && self.is_before_cut(&committed) => self.state = Some(committed.clone()),
            Some(_) => {
                self.gathering = Some(Gathering::of(committed, false));
                return Ok(());
            }
            None => {}
        }
        self.event(&committed)
    }

    fn event(&mut self, committed: &Committed) -> Result<(), Error> {
        let seen = self.view.sees(committed.audience());
        if let Opening::Prelude { prelude: Some(prelude), cut, .. } = &mut self.opening {
            let (seq, cut) = (committed.seq(), *cut);
            if seq <= cut {
                if let Some(event) = committed.event().filter(|_| seen) {
                    prelude.fold(event);
                    self.state.take_if(|_| matches!(event, Event::Plain(Plain::State { .. })));
                }
                return match self.state.take_if(|_| seq == cut) {
                    Some(state) => {
                        self.gathering = Some(Gathering::of(state, true));
                        Ok(())
                    }
                    None if seq == cut => self.open(),
                    None => Ok(()),
                };
            }
        }
        let terminal = committed.event().is_some_and(Event::is_terminal);
        self.ended |= terminal;
        // An ended run whose last event is of a type that this version does not know: no clean end.
        if !terminal && self.head.as_ref().is_some_and(|head| head.is_ended() && head.sequence == committed.seq()) {
            let known = committed.event().is_some();
            return Err(if known { ErrorKind::RecordUnreadable } else { ErrorKind::RecordTooNew }.into());
        }
        match committed.event().filter(|_| seen) {
            Some(event) if self.fold(committed.at(), event)? => Ok(()),
            Some(event) => self.queue_frames(committed, event),
            None => Ok(()),
        }
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
