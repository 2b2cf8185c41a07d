use super::*;
use crate::run::fixture::started;
use crate::run::record::Status;
use crate::run::store::Traits;

/// A head whose journal these writers wrote, each from there on.
fn head(writers: &[(&str, u64)], at: u64, revision: u64, status: Status) -> RunRecord {
    let writer = |(token, from): &(&str, u64)| Writer { token: (*token).into(), from: *from, segments: 1 };
    let mut record = started(Traits::WORKERS_KV).record().clone();
    record.writers = writers.iter().map(writer).collect();
    (record.revision, record.status, record.times.started_at) = (revision, status, at);
    record
}

const OPEN: Status = Status::Started;
const ENDED: Status = Status::Failed;

#[test]
fn one_writer_s_heads_follow_one_another() {
    let known = head(&[("a", 1)], 1, 5, OPEN);
    assert_eq!(turn(&known, &head(&[("a", 1)], 1, 6, OPEN)), Turn::On);
    assert_eq!(turn(&known, &head(&[("a", 1)], 1, 5, OPEN)), Turn::Old);
    assert_eq!(turn(&known, &head(&[("a", 1)], 1, 4, OPEN)), Turn::Old);
    assert_eq!(turn(&known, &head(&[("a", 1)], 1, 6, ENDED)), Turn::On);
}

#[test]
fn an_end_stands_whatever_its_revision_as_far_as_both_tell_the_same() {
    let known = head(&[("a", 1)], 1, 5, OPEN);
    assert_eq!(turn(&known, &head(&[("a", 1), ("s", 9)], 1, 4, ENDED)), Turn::Instead(8));
    assert_eq!(turn(&known, &head(&[("b", 1), ("s", 9)], 2, 2, ENDED)), Turn::Instead(0));
    let over = head(&[("a", 1), ("s", 9)], 1, 4, ENDED);
    assert_eq!(turn(&over, &head(&[("a", 1)], 1, 5, OPEN)), Turn::Old, "an end is not taken back");
    assert_eq!(turn(&over, &head(&[("b", 1)], 0, 3, ENDED)), Turn::Old);
}

#[test]
fn of_two_claims_the_first_is_followed_once_it_has_gone_on() {
    let (first, second) = (head(&[("a", 1)], 1, 2, OPEN), head(&[("b", 1)], 2, 7, OPEN));
    assert_eq!((turn(&second, &first), turn(&first, &second)), (Turn::Instead(0), Turn::Old));
    assert_eq!(turn(&second, &head(&[("a", 1)], 1, 1, OPEN)), Turn::Old, "it may yet give way");
    assert!(!head(&[("a", 1)], 1, 1, OPEN).is_settled() && first.is_settled());
}
