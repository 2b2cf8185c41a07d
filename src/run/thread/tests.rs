use super::claiming::LAST_ATTEMPT;
use super::*;
use crate::run::fixture;
use crate::run::index::IndexEntry;
use crate::run::keys::{self, ThreadKeys};
use crate::run::memory::MemoryStore;
use crate::run::record::{RunRecord, Status};
use crate::run::store::{Expect, Head};

fn input(run: &str, fingerprint: &str) -> Rc<RunInput> {
    Rc::new(RunInput { fingerprint: fingerprint.into(), ..fixture::input(run) })
}

fn thread() -> Thread {
    Thread::new("s", "t", 30_000, Traits::DURABLE_OBJECT)
}

/// Performs store operations until the thread wants nothing more; what else it said.
fn step(thread: &mut Thread, store: &mut MemoryStore, input: ThreadInput) -> Vec<ThreadAction> {
    let mut said = Vec::new();
    let mut actions: VecDeque<ThreadAction> = thread.step(1, input).into();
    while let Some(action) = actions.pop_front() {
        match action {
            ThreadAction::Store(op) => {
                let reply = store.perform(op);
                actions.extend(thread.step(1, ThreadInput::Store(reply)));
            }
            other => said.push(other),
        }
    }
    said
}

fn post(thread: &mut Thread, store: &mut MemoryStore, request: u32, run: &str, fingerprint: &str) -> Vec<ThreadAction> {
    step(thread, store, ThreadInput::Post { request, input: input(run, fingerprint) })
}

fn admits(actions: &[ThreadAction]) -> Vec<u32> {
    let admitted = actions.iter().filter_map(|action| match action {
        ThreadAction::Admit { request, .. } => Some(*request),
        _ => None,
    });
    admitted.collect()
}

fn refused(actions: &[ThreadAction]) -> Vec<(u32, &'static str)> {
    let refused = actions.iter().filter_map(|action| match action {
        ThreadAction::Reply(request, Reply::Refused(error)) => Some((*request, error.code())),
        _ => None,
    });
    refused.collect()
}

/// The head of a run, as the run's own machine would have left it.
fn leave_head(store: &mut MemoryStore, run: &str, status: Status) {
    let claim = crate::run::Claim {
        keys: ThreadKeys::new("s", "t").run(run),
        ..fixture::claim("w", crate::run::Traits::MEMORY)
    };
    let key = claim.keys.head();
    let profile = crate::profile::Profile::new("m", None, 0);
    let emitter = crate::run::Emitter::start(claim, &input(run, "f"), profile, 0);
    let record = RunRecord { status, ..emitter.record().clone() };
    let head = Head { key, value: record.encode(), expect: Expect::Any };
    store.perform(StoreOp::Save { parts: vec![], head: Some(head) });
}

#[test]
fn a_first_run_is_admitted_and_its_index_says_where_it_is() {
    let (mut thread, mut store) = (thread(), MemoryStore::new());
    assert_eq!(admits(&post(&mut thread, &mut store, 1, "a", "f")), [1]);
    let entry = IndexEntry::decode(store.value(&keys::index("s", "a")).unwrap()).unwrap();
    assert_eq!((entry.thread.as_str(), entry.fingerprint.as_str()), ("t", "f"));
}

#[test]
fn the_same_run_twice_is_given_to_one_machine() {
    let (mut thread, mut store) = (thread(), MemoryStore::new());
    post(&mut thread, &mut store, 1, "a", "f");
    assert_eq!(admits(&post(&mut thread, &mut store, 2, "a", "f")), [2]);
}

#[test]
fn another_input_under_a_taken_id_conflicts_even_from_another_thread() {
    let (mut first, mut store) = (thread(), MemoryStore::new());
    post(&mut first, &mut store, 1, "a", "f");
    let mut again = thread();
    assert_eq!(refused(&post(&mut again, &mut store, 2, "a", "g")), [(2, "run_conflict")]);
    let mut elsewhere = Thread::new("s", "t2", 30_000, Traits::DURABLE_OBJECT);
    assert_eq!(refused(&post(&mut elsewhere, &mut store, 3, "a", "f")), [(3, "run_conflict")]);
}

#[test]
fn a_busy_thread_refuses_before_anything_starts_and_is_free_once_the_run_has_ended() {
    let (mut thread, mut store) = (thread(), MemoryStore::new());
    post(&mut thread, &mut store, 1, "a", "f");
    leave_head(&mut store, "a", Status::Started);
    step(&mut thread, &mut store, ThreadInput::Settled { run: "a".into() });
    assert_eq!(refused(&post(&mut thread, &mut store, 2, "b", "f")), [(2, "thread_busy")]);
    leave_head(&mut store, "a", Status::Succeeded);
    step(&mut thread, &mut store, ThreadInput::Done { run: "a".into() });
    assert_eq!(admits(&post(&mut thread, &mut store, 3, "b", "f")), [3], "the refused claim is repeatable");
}

#[test]
fn a_reservation_without_a_start_does_not_hold_the_thread() {
    let (mut first, mut store) = (thread(), MemoryStore::new());
    post(&mut first, &mut store, 1, "a", "f");
    let mut second = thread();
    assert_eq!(admits(&post(&mut second, &mut store, 2, "b", "f")), [2]);
    let mut third = thread();
    assert_eq!(admits(&post(&mut third, &mut store, 3, "a", "f")), [3], "and may be claimed again");
}

#[test]
fn an_ended_run_is_joined_though_the_thread_has_gone_on() {
    let (mut thread, mut store) = (thread(), MemoryStore::new());
    for run in ["a", "b"] {
        post(&mut thread, &mut store, 1, run, "f");
        leave_head(&mut store, run, Status::Succeeded);
        step(&mut thread, &mut store, ThreadInput::Done { run: run.into() });
    }
    let before = store.clone();
    assert_eq!(admits(&post(&mut thread, &mut store, 2, "a", "f")), [2]);
    assert!(store.keys().eq(before.keys()));
}

#[test]
fn a_run_whose_worker_is_gone_is_sealed_before_the_next_is_admitted() {
    let (mut dead, mut store) = (thread(), MemoryStore::new());
    post(&mut dead, &mut store, 1, "a", "f");
    leave_head(&mut store, "a", Status::Started);
    let mut thread = thread();
    let said = post(&mut thread, &mut store, 2, "b", "f");
    assert_eq!(said, [ThreadAction::Recover { run: "a".into() }]);
    leave_head(&mut store, "a", Status::Failed);
    assert_eq!(admits(&step(&mut thread, &mut store, ThreadInput::Done { run: "a".into() })), [2]);
}

#[test]
fn claims_are_taken_one_at_a_time() {
    let (mut thread, mut store) = (thread(), MemoryStore::new());
    assert_eq!(admits(&post(&mut thread, &mut store, 1, "a", "f")), [1]);
    assert!(post(&mut thread, &mut store, 2, "b", "f").is_empty(), "b waits until a has its head");
    leave_head(&mut store, "a", Status::Started);
    assert_eq!(refused(&step(&mut thread, &mut store, ThreadInput::Settled { run: "a".into() })), [(2, "thread_busy")]);
}

#[test]
fn a_store_that_is_away_refuses_after_some_tries() {
    let mut thread = thread();
    let mut actions = thread.step(1, ThreadInput::Post { request: 1, input: input("a", "f") });
    let (mut now, mut tries) = (1, 0);
    loop {
        assert!(matches!(actions[..], [ThreadAction::Store(_)]), "{actions:?}");
        tries += 1;
        actions = thread.step(now, ThreadInput::Store(StoreReply::Unavailable));
        let Some(at) = thread.deadline() else { break };
        assert_eq!((thread.step(at - 1, ThreadInput::Tick), actions), (vec![], vec![]), "not before its time");
        now = at;
        actions = thread.step(now, ThreadInput::Tick);
    }
    assert_eq!((tries, now, refused(&actions)), (9, 2551, vec![(1, "store_unavailable")]));
}

#[test]
fn a_run_that_was_lost_before_it_began_is_begun_by_one_more_instance_and_then_only_ended() {
    let mut store = MemoryStore::new();
    for attempt in 1..LAST_ATTEMPT + 2 {
        let mut thread = thread();
        for request in 1..4 {
            let said = post(&mut thread, &mut store, request, "a", "f");
            let lost = attempt >= LAST_ATTEMPT;
            let admitted = |action: &ThreadAction| matches!(action, ThreadAction::Admit { lost: l, .. } if *l == lost);
            assert!(matches!(&said[..], [action] if admitted(action)), "{attempt}, {request}: {said:?}");
            // Refused, for a store that is away: the instance is there, so it counts once.
            step(&mut thread, &mut store, ThreadInput::Done { run: "a".into() });
        }
    }
    // A run that takes the thread is counted anew.
    let mut thread = thread();
    let said = post(&mut thread, &mut store, 1, "b", "f");
    assert!(matches!(said[..], [ThreadAction::Admit { lost: false, .. }]));
}

#[test]
fn a_claim_whose_save_was_uncertain_counts_once() {
    let mut store = MemoryStore::new();
    for _ in 0..LAST_ATTEMPT - 1 {
        let mut thread = thread();
        let (mut now, mut actions) = (1, thread.step(1, ThreadInput::Post { request: 1, input: input("a", "f") }));
        while admits(&actions).is_empty() {
            let reply = match actions.first() {
                Some(ThreadAction::Store(op)) => ThreadInput::Store(match store.perform(op.clone()) {
                    StoreReply::Saved(_) => StoreReply::Uncertain,
                    reply => reply,
                }),
                _ => {
                    now = thread.deadline().unwrap();
                    ThreadInput::Tick
                }
            };
            actions = thread.step(now, reply);
        }
        assert!(matches!(actions[..], [ThreadAction::Admit { lost: false, .. }]));
    }
}

#[test]
fn an_uncertain_claim_is_read_again() {
    let (mut thread, mut store) = (thread(), MemoryStore::new());
    let mut actions = thread.step(1, ThreadInput::Post { request: 1, input: input("a", "f") });
    let mut uncertain = 0;
    while admits(&actions).is_empty() {
        let Some(ThreadAction::Store(op)) = actions.first() else {
            let at = thread.deadline().unwrap();
            actions = thread.step(at, ThreadInput::Tick);
            continue;
        };
        let reply = match store.perform(op.clone()) {
            StoreReply::Saved(_) => {
                uncertain += 1;
                StoreReply::Uncertain
            }
            reply => reply,
        };
        actions = thread.step(1, ThreadInput::Store(reply));
    }
    assert_eq!((admits(&actions), uncertain), (vec![1], 3), "the index, the list and the thread");
}

#[test]
fn one_alarm_is_the_least_of_all_and_finds_the_dead() {
    let (mut thread, mut store) = (thread(), MemoryStore::new());
    let alarm = |run: &str, at| ThreadInput::Alarm { run: run.into(), at };
    assert_eq!(step(&mut thread, &mut store, alarm("a", Some(50))), [ThreadAction::SetAlarm(Some(50))]);
    assert_eq!(step(&mut thread, &mut store, alarm("b", Some(70))), []);
    assert_eq!(step(&mut thread, &mut store, alarm("a", None)), [ThreadAction::SetAlarm(Some(70))]);
    assert_eq!(step(&mut thread, &mut store, alarm("b", None)), [ThreadAction::SetAlarm(None)]);
    // A fresh instance knows no run: the thread's active one is looked after.
    let mut fresh = self::thread();
    post(&mut thread, &mut store, 1, "a", "f");
    let again = ThreadAction::SetAlarm(Some(30_001));
    let said = step(&mut fresh, &mut store, ThreadInput::AlarmFired);
    assert_eq!(said, [again.clone(), ThreadAction::Recover { run: "a".into() }], "set before anything can go wrong");
    assert_eq!(step(&mut fresh, &mut store, alarm("a", None)), [ThreadAction::SetAlarm(None)], "there was nothing");
    assert_eq!(
        step(&mut self::thread(), &mut MemoryStore::new(), ThreadInput::AlarmFired),
        [again, ThreadAction::SetAlarm(None)]
    );
    // A living run's alarm is set anew.
    step(&mut thread, &mut store, alarm("a", Some(10)));
    assert_eq!(step(&mut thread, &mut store, ThreadInput::AlarmFired), [ThreadAction::SetAlarm(Some(30_001))]);
}

#[test]
fn a_run_that_must_execute_once_is_refused_by_a_store_that_cannot_promise_it() {
    let once = |run| Rc::new(RunInput { exactly_once: true, ..fixture::input(run) });
    let mut kv = Thread::new("s", "t", 30_000, Traits::WORKERS_KV);
    let actions = kv.step(1, ThreadInput::Post { request: 1, input: once("a") });
    assert_eq!(
        (refused(&actions), actions.len()),
        (vec![(1, "exactly_once_unsupported")], 1),
        "and asks the store nothing"
    );
    let (mut thread, mut store) = (thread(), MemoryStore::new());
    assert_eq!(admits(&step(&mut thread, &mut store, ThreadInput::Post { request: 2, input: once("a") })), [2]);
}

#[test]
fn a_run_that_has_ended_is_deleted_though_somebody_joins_it_at_that_moment() {
    let (mut first, mut store) = (thread(), MemoryStore::new());
    post(&mut first, &mut store, 1, "a", "f");
    leave_head(&mut store, "a", Status::Succeeded);
    let mut thread = thread();
    assert_eq!(admits(&post(&mut thread, &mut store, 2, "a", "f")), [2]);
    let asked = step(&mut thread, &mut store, ThreadInput::Delete { request: 3, run: Some("a".into()) });
    assert!(asked.is_empty(), "it waits until whoever joins has been told: {asked:?}");
    step(&mut thread, &mut store, ThreadInput::Settled { run: "a".into() });
    let said = step(&mut thread, &mut store, ThreadInput::Done { run: "a".into() });
    assert!(said.contains(&ThreadAction::Reply(3, Reply::Deleted)), "{said:?}");
}

#[test]
fn a_run_at_work_is_not_deleted() {
    let (mut thread, mut store) = (thread(), MemoryStore::new());
    post(&mut thread, &mut store, 1, "a", "f");
    leave_head(&mut store, "a", Status::Started);
    step(&mut thread, &mut store, ThreadInput::Settled { run: "a".into() });
    let said = step(&mut thread, &mut store, ThreadInput::Delete { request: 2, run: Some("a".into()) });
    assert_eq!(refused(&said), [(2, "run_active")]);
}
