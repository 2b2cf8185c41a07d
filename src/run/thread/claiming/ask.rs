//! What a claim asks of the store at each of its stages.

use super::super::super::index::{ActiveEntry, IndexEntry, ListEntry, VERSION, save};
use super::super::super::keys;
use super::super::super::store::{Part, StoreOp};
use super::super::{Thread, ThreadAction};
use super::Stage;

impl Thread {
    /// Asks the store for what the stage needs.
    pub(in super::super) fn ask(&mut self) {
        let keys = &self.keys;
        let thread = keys.thread().to_owned();
        let until = self.may_begin_until();
        let Some(claim) = &self.claiming else { return };
        let (stage, run) = (claim.stage, &claim.input.run);
        let past = claim.past.clone().map(|value| Part { key: keys.past(claim.ordinal), value });
        let at = claim.standing.at;
        let op = match stage {
            Stage::LoadActive | Stage::LookActive => StoreOp::Load(keys.active()),
            Stage::OtherHead => StoreOp::Load(keys.run(claim.other.as_deref().unwrap_or_default()).head()),
            Stage::SaveIndex => {
                let fingerprint = claim.input.fingerprint.clone();
                let (at, deleted_at) = (Some(at), None);
                let entry = IndexEntry { v: VERSION, run: run.clone(), thread, fingerprint, at, deleted_at };
                save(Vec::new(), keys::index(keys.scope(), run), &entry, self.traits.expects(None))
            }
            Stage::LoadIndex => StoreOp::Load(keys::index(keys.scope(), run)),
            Stage::OwnHead => StoreOp::Load(keys.run(run).head()),
            Stage::SaveListed => {
                let value = ListEntry::of(&claim.input, &thread).encode();
                StoreOp::Save { parts: vec![Part { key: keys::listed(keys.scope(), at, run), value }], head: None }
            }
            Stage::LoadListed => StoreOp::Load(keys::listed(keys.scope(), at, run)),
            Stage::SavePast => StoreOp::Save { parts: past.into_iter().collect(), head: None },
            Stage::SaveActive => {
                let ordinal = claim.ordinal.saturating_add((past.is_some() || claim.standing.taken).into());
                let kept = claim.standing.kept();
                let (answers, ordinal) = (claim.of.clone(), Some(ordinal));
                // One that another instance may yet begin was not lost there.
                let lost = !claim.own || !self.may_begin(claim.until);
                let attempt = claim.attempts.saturating_add(lost.into());
                let attempts = Some(attempt).filter(|attempt| *attempt > 1);
                let run = run.clone();
                let entry = ActiveEntry { v: VERSION, thread, run, answers, ordinal, attempts, until, kept };
                let parts = past.into_iter().filter(|_| self.traits.batch).collect();
                let op = save(parts, keys.active(), &entry, self.traits.expects(claim.active.clone()));
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
