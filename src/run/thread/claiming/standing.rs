//! What a claim finds of runs that are gone, and its own place in the list of runs.

use super::super::super::index::{ActiveEntry, Kept};
use super::super::super::record::RunRecord;
use super::super::super::store::StoreReply;
use super::super::Thread;
use super::Stage;
use crate::Millis;
use crate::error::{Error, ErrorKind};

/// What a claim carries from one entry of the thread to the next, and when it was made first.
#[derive(Default)]
pub(super) struct Standing {
    kept: Kept,
    /// The entry's ordinal is taken although the entry is not kept: nothing of the thread is left.
    pub taken: bool,
    /// When the run was claimed first.
    pub at: Millis,
}

impl Standing {
    pub(super) fn new(now: Millis) -> Self {
        Standing { at: now, ..Standing::default() }
    }

    /// What the thread's entry is to say on.
    pub(super) fn kept(&self) -> Option<Kept> {
        Some(self.kept.clone()).filter(|kept| *kept != Kept::default())
    }

    /// There is no entry.
    pub(super) fn nothing(&mut self) {
        (self.kept, self.taken) = (Kept::default(), false);
    }

    /// The thread's entry was loaded. True if its run is gone.
    pub(super) fn of(&mut self, entry: &ActiveEntry) -> bool {
        self.kept = entry.kept();
        self.kept.gone = false;
        self.taken = entry.is_gone() && entry.first() > entry.ordinal();
        entry.is_gone()
    }

    /// True if the turn of that interrupted run is gone.
    pub(super) fn is_spent(&self, run: &str) -> bool {
        self.kept.spent.as_deref() == Some(run)
    }

    /// The thread's last run, unless it waits with what is gone: then it waits for nobody.
    pub(super) fn waiting<'r>(&self, last: Option<&'r RunRecord>) -> Option<&'r RunRecord> {
        last.filter(|record| !self.is_spent(&record.run))
    }

    /// Why an answer to the thread's last run comes too late, if it does.
    pub(super) fn too_late(&self, last: Option<&RunRecord>, answers: bool) -> Option<Error> {
        let spent = answers && last.is_some_and(|record| self.is_spent(&record.run));
        let detail = "What it waits with is kept no longer; a new run may begin.";
        spent.then(|| Error::with(ErrorKind::InterruptExpired, detail))
    }
}

impl Thread {
    /// The run is being put into the list: a save that nobody knows of is looked for.
    pub(super) fn listing(&mut self, now: Millis, stage: Stage, reply: &StoreReply) {
        match (stage, reply) {
            (Stage::SaveListed, StoreReply::Saved(_)) | (Stage::LoadListed, StoreReply::Found(..)) => self.enter(),
            (Stage::SaveListed, _) => self.go(Stage::LoadListed),
            (_, StoreReply::Missing) => self.again(now, Some(Stage::SaveListed)),
            _ => self.again(now, None),
        }
    }
}
