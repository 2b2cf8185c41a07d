//! The list of a scope's runs, the newest first.
//!
//! Each claim puts an entry into it before the run has a head, so an entry may stand for nothing: its run
//! never began, or its id was claimed by another input. Such a one is passed over. What is told of a run is
//! its head as it stands now, so a run under way is told as one. A page is continued behind the last entry
//! that it has looked at: runs that begin meanwhile come before the first page and move nothing.

use super::index::ListEntry;
use super::keys::{self, ThreadKeys};
use super::record::RunRecord;
use super::store::StoreReply;
use crate::error::{Error, ErrorKind};

/// The most runs of a page.
const MAX_LIMIT: usize = 100;
/// The most entries that are looked at for one page: many may stand for nothing, or for other threads' runs.
const MAX_ENTRIES: usize = 1_000;

/// What a listing wants next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// These keys, in order, after one, at most so many.
    Keys {
        /// The prefix.
        prefix: String,
        /// Only keys greater than this.
        after: Option<String>,
        /// At most so many.
        limit: usize,
    },
    /// The values of these keys of the list, in any order.
    Entries(Vec<String>),
    /// The heads of these runs as they stand now, in any order.
    Heads(Vec<HeadPlace>),
    /// Nothing: the page is whole.
    Nothing,
}

/// Where a head is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeadPlace {
    /// The run's thread.
    pub thread: String,
    /// The run.
    pub run: String,
    /// The head's key.
    pub key: String,
}

/// One entry on its way.
struct Entry {
    key: String,
    stands_for: Option<Stands>,
    head: Head,
}

struct Stands {
    place: HeadPlace,
    fingerprint: String,
}

enum Head {
    NotAsked,
    Asked,
    /// The entry stands for nothing.
    None,
    Found(Box<RunRecord>),
}

/// One page of the list.
pub struct Listing {
    scope: String,
    thread: Option<String>,
    limit: usize,
    after: Option<String>,
    looked_at: usize,
    most: usize,
    entries: Vec<Entry>,
    /// Entries behind these are known to be there.
    more: bool,
    listed: bool,
    records: Vec<RunRecord>,
    next: Option<String>,
    over: bool,
}

impl Listing {
    /// A page of at most `limit` runs, 1 to 100, behind the cursor that the page before has given; of one
    /// thread's alone if one is named.
    ///
    /// # Errors
    /// [`ErrorKind::BadCursor`] if the cursor is none of this list's, [`ErrorKind::InvalidInput`] for the limit.
    pub fn new(scope: &str, thread: Option<String>, limit: usize, cursor: Option<&str>) -> Result<Self, Error> {
        if !(1..=MAX_LIMIT).contains(&limit) {
            return Err(Error::with(
                ErrorKind::InvalidInput,
                format!("limit must be a whole number from 1 to {MAX_LIMIT}."),
            ));
        }
        let after = match cursor {
            Some(cursor) if !is_cursor(cursor) => return Err(ErrorKind::BadCursor.into()),
            cursor => cursor.map(|cursor| format!("{}{cursor}", keys::list(scope))),
        };
        Ok(Listing {
            scope: scope.to_owned(),
            thread,
            limit,
            after,
            looked_at: 0,
            most: MAX_ENTRIES,
            entries: Vec::new(),
            more: false,
            listed: false,
            records: Vec::new(),
            next: None,
            over: false,
        })
    }

    /// Looks at so many entries at most, 1 to 1,000, where each costs the host something.
    pub fn looking_at(mut self, most: usize) -> Self {
        self.most = most.clamp(1, MAX_ENTRIES);
        self
    }

    /// What is wanted next. The same is not asked for twice.
    pub fn wanted(&mut self) -> Wanted {
        loop {
            if self.over {
                return Wanted::Nothing;
            }
            if !self.listed {
                // One more than is looked at: whether there is one says whether there is another page.
                let limit = self.room() + 1;
                return Wanted::Keys { prefix: keys::list(&self.scope), after: self.after.clone(), limit };
            }
            let unread: Vec<String> = self
                .entries
                .iter()
                .filter(|entry| matches!(entry.head, Head::NotAsked) && entry.stands_for.is_none())
                .map(|entry| entry.key.clone())
                .collect();
            if !unread.is_empty() {
                return Wanted::Entries(unread);
            }
            let mut places = Vec::new();
            for entry in &mut self.entries {
                if let (Head::NotAsked, Some(stands)) = (&entry.head, &entry.stands_for) {
                    places.push(stands.place.clone());
                    entry.head = Head::Asked;
                }
            }
            if !places.is_empty() {
                return Wanted::Heads(places);
            }
            if self.entries.iter().any(|entry| matches!(entry.head, Head::Asked)) {
                return Wanted::Heads(Vec::new());
            }
            self.gather();
        }
    }

    /// Takes the keys that were wanted.
    ///
    /// # Errors
    /// [`ErrorKind::StoreUnavailable`] if they can't be had.
    pub fn listed(&mut self, reply: StoreReply) -> Result<(), Error> {
        let StoreReply::Listed(mut keys) = reply else { return Err(ErrorKind::StoreUnavailable.into()) };
        let room = self.room();
        self.more = keys.len() > room;
        keys.truncate(room);
        self.entries = keys.into_iter().map(|key| Entry { key, stands_for: None, head: Head::NotAsked }).collect();
        self.listed = true;
        Ok(())
    }

    /// Takes the value of a key of the list.
    ///
    /// # Errors
    /// [`ErrorKind::StoreUnavailable`] if it can't be had.
    pub fn entry(&mut self, key: &str, reply: StoreReply) -> Result<(), Error> {
        let Some(entry) = self.entries.iter_mut().find(|entry| entry.key == key) else { return Ok(()) };
        entry.head = Head::None;
        let bytes = match reply {
            StoreReply::Found(bytes, _) => bytes,
            // It was deleted meanwhile.
            StoreReply::Missing => return Ok(()),
            _ => return Err(ErrorKind::StoreUnavailable.into()),
        };
        let Ok(ListEntry { run, thread, fingerprint, .. }) = ListEntry::decode(&bytes) else { return Ok(()) };
        if self.thread.as_ref().is_none_or(|only| *only == thread) {
            let key = ThreadKeys::new(&self.scope, &thread).run(&run).head();
            entry.stands_for = Some(Stands { place: HeadPlace { thread, run, key }, fingerprint });
            entry.head = Head::NotAsked;
        }
        Ok(())
    }

    /// Takes a head that was wanted. One that can't be read is passed over: who asks for that run is told.
    ///
    /// # Errors
    /// [`ErrorKind::StoreUnavailable`] if it can't be had.
    pub fn head(&mut self, key: &str, reply: StoreReply) -> Result<(), Error> {
        let bytes = match reply {
            StoreReply::Found(bytes, _) => bytes,
            StoreReply::Missing => Vec::new(),
            _ => return Err(ErrorKind::StoreUnavailable.into()),
        };
        for entry in &mut self.entries {
            let Some(stands) = entry.stands_for.as_ref().filter(|stands| stands.place.key == key) else { continue };
            if matches!(entry.head, Head::Asked) {
                let Stands { place: HeadPlace { thread, run, .. }, fingerprint } = stands;
                let keys = ThreadKeys::new(&self.scope, thread).run(run);
                let own = RunRecord::decode_under(&bytes, &keys).ok();
                // Where the store can't claim at once, a first head may yet give way to another's.
                let own = own.filter(|record| record.fingerprint == *fingerprint && record.is_settled());
                entry.head = own.map_or(Head::None, |record| Head::Found(Box::new(record)));
            }
        }
        Ok(())
    }

    /// The page, once nothing is wanted: the runs, and the cursor of the next page if there is one.
    pub fn page(self) -> (Vec<RunRecord>, Option<String>) {
        (self.records, self.next)
    }

    /// How many entries are looked at next.
    fn room(&self) -> usize {
        // Of one thread only some are told: they are looked for in larger steps.
        let step = if self.thread.is_some() { MAX_LIMIT } else { self.limit - self.records.len().min(self.limit) };
        step.min(self.most - self.looked_at)
    }

    /// Every entry that was listed is decided.
    fn gather(&mut self) {
        for entry in std::mem::take(&mut self.entries) {
            if self.records.len() >= self.limit {
                self.more = true;
                break;
            }
            self.looked_at += 1;
            self.after = Some(entry.key);
            if let Head::Found(record) = entry.head {
                // A store that claims by re-reading may have listed a run twice.
                if !self.records.iter().any(|known| known.run == record.run) {
                    self.records.push(*record);
                }
            }
        }
        self.listed = false;
        self.over = !self.more || self.records.len() >= self.limit || self.looked_at >= self.most;
        if self.over && self.more {
            let prefix = keys::list(&self.scope);
            self.next = self.after.as_deref().and_then(|key| key.strip_prefix(&prefix)).map(str::to_owned);
        }
    }
}

/// True for what a key of the list ends with.
fn is_cursor(text: &str) -> bool {
    let is_hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    let is_piece = |byte: u8| byte.is_ascii_alphanumeric() || b"-_%~".contains(&byte);
    text.split_at_checked(17).is_some_and(|(time, run)| {
        let mut time = time.bytes();
        let dash = time.next_back() == Some(b'-');
        dash && time.all(is_hex) && (1..=65).contains(&run.len()) && run.bytes().all(is_piece)
    })
}
