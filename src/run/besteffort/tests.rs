use super::*;
use crate::run::fixture::{claim, input};
use crate::run::record::{Status, Writer};
use crate::run::{Emitter, Version};

const KV: Traits = Traits::WORKERS_KV;

/// A head by that writer, claimed then, of that revision.
fn head(writer: &str, at: Millis, revision: u64) -> RunRecord {
    let profile = crate::profile::Profile::new("m", None, 0);
    let mut emitter = Emitter::start(claim(writer, KV), &input("r"), profile, at);
    emitter.seal(at, false);
    let writers = vec![Writer { token: writer.into(), from: 1, segments: 1 }];
    RunRecord { revision, writers, lease: at + 30_000, ..emitter.record().clone() }
}

/// The head by which another ends it.
fn sealed(record: &RunRecord, writer: &str) -> RunRecord {
    let emitter = Emitter::adopt(claim(writer, KV), record.clone(), Version::default());
    let revision = record.revision + 1;
    RunRecord { revision, writer: writer.into(), status: Status::Failed, ..emitter.record().clone() }
}

fn sees(own: &RunRecord, seen: &RunRecord) -> Sight {
    judge(seen, own, true, KV, 5_000)
}

#[test]
fn of_two_claims_that_see_each_other_the_same_one_goes_on() {
    for (a, b) in [(("w1", 1), ("w2", 2)), (("w2", 1), ("w1", 2)), (("w1", 1), ("w2", 1))] {
        let (first, second) = (head(a.0, a.1, 3), head(b.0, b.1, 1));
        assert_eq!((sees(&first, &second), sees(&second, &first)), (Sight::Rival, Sight::Stands));
    }
}

#[test]
fn a_claim_that_was_not_written_yet_comes_after_every_other() {
    let (first, second) = (head("w1", 1, 1), head("w2", 2, 1));
    assert_eq!(judge(&second, &first, false, KV, 5_000), Sight::Stands);
    assert_eq!(judge(&second, &first, false, KV, 500_000), Sight::Stands, "dead or not");
}

#[test]
fn what_is_old_or_of_a_writer_that_is_gone_stops_nobody() {
    let own = head("w2", 2, 5);
    assert_eq!(sees(&own, &own), Sight::Own);
    assert_eq!(sees(&own, &head("w2", 2, 4)), Sight::Old);
    let gone = head("w1", 1, 9);
    assert_eq!(judge(&gone, &own, true, KV, gone.lease + KV.staleness), Sight::Stands);
    assert_eq!(judge(&gone, &own, true, KV, gone.lease + KV.staleness + 1), Sight::Rival);
}

#[test]
fn an_end_stops_everybody_and_whoever_ends_a_run_leaves_it_to_a_writer_that_lives() {
    let (own, other) = (head("w1", 1, 5), head("w2", 2, 5));
    assert_eq!(sees(&own, &sealed(&own, "w9")), Sight::Stands);
    assert_eq!(sees(&own, &sealed(&other, "w9")), Sight::Stands, "though its claim came later");
    let ends = sealed(&own, "w9");
    assert_eq!(sees(&ends, &own), Sight::Old, "what it took over");
    assert_eq!(sees(&ends, &head("w1", 1, 6)), Sight::Stands, "it has gone on");
    assert_eq!(sees(&ends, &other), Sight::Stands);
    assert_eq!(ends.writers.first().map(|Writer { token, .. }| token.as_str()), Some("w1"));
}
