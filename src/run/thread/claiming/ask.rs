//! What a claim asks of the store at each of its stages.

use super::super::super::index::{ActiveEntry, IndexEntry, ListEntry, VERSION};
use super::super::super::keys::{self, ThreadKeys};
use super::super::super::store::{Expect, Head, Part, StoreOp};
use super::super::{Thread, ThreadAction};
use super::Stage;
use crate::json::{self, Json};

impl Thread {
    /// Asks the store for what the stage needs.
    pub(in super::super) fn ask(&mut self) {
        let keys = ThreadKeys::new(&self.scope, &self.thread);
        let until = self.may_begin_until();
        let Some(claim) = &self.claiming else { return };
        let (stage, run) = (claim.stage, &claim.input.run);
        let past = claim.past.clone().map(|value| Part { key: keys.past(claim.ordinal), value });
        let at = claim.standing.at;
        let op = match stage {
            Stage::LoadActive | Stage::LookActive => StoreOp::Load(keys.active()),
            Stage::OtherHead => StoreOp::Load(keys.run(claim.other.as_deref().unwrap_or_default()).head()),
            Stage::SaveIndex => {
                let (thread, fingerprint) = (self.thread.clone(), claim.input.fingerprint.clone());
                let (at, deleted_at) = (Some(at), None);
                let entry = IndexEntry { v: VERSION, run: run.clone(), thread, fingerprint, at, deleted_at };
                save(Vec::new(), keys::index(&self.scope, run), &entry, self.expects(None))
            }
            Stage::LoadIndex => StoreOp::Load(keys::index(&self.scope, run)),
            Stage::OwnHead => StoreOp::Load(keys.run(run).head()),
            Stage::SaveListed => {
                let value = ListEntry::of(&claim.input, &self.thread).encode();
                StoreOp::Save { parts: vec![Part { key: keys::listed(&self.scope, at, run), value }], head: None }
            }
            Stage::LoadListed => StoreOp::Load(keys::listed(&self.scope, at, run)),
            Stage::SavePast => StoreOp::Save { parts: past.into_iter().collect(), head: None },
            Stage::SaveActive => {
                let ordinal = claim.ordinal.saturating_add((past.is_some() || claim.standing.taken).into());
                let kept = claim.standing.kept();
                let (thread, answers, ordinal) = (self.thread.clone(), claim.of.clone(), Some(ordinal));
                // One that another instance may yet begin was not lost there.
                let lost = !claim.own || !self.may_begin(claim.until);
                let attempt = claim.attempts.saturating_add(lost.into());
                let attempts = Some(attempt).filter(|attempt| *attempt > 1);
                let run = run.clone();
                let entry = ActiveEntry { v: VERSION, thread, run, answers, ordinal, attempts, until, kept };
                let parts = past.into_iter().filter(|_| self.traits.batch).collect();
                let op = save(parts, keys.active(), &entry, self.expects(claim.active.clone()));
                if let Some(claim) = &mut self.claiming {
                    claim.saved = Some(attempt);
                }
                op
            }
            Stage::Admitted | Stage::Recovering => return,
        };
        self.out.push(ThreadAction::Store(op));
    }
}

fn save(parts: Vec<Part>, key: String, entry: &dyn Json, expect: Expect) -> StoreOp {
    let value = json::text(entry).into_bytes();
    StoreOp::Save { parts, head: Some(Head { key, value, expect }) }
}
