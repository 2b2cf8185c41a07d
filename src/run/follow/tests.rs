use super::*;
use crate::run::store::StoreOp;
use proptest::prelude::*;
use std::collections::VecDeque;
use world::{End, Op, START, World, follow, played, pull, sample, script};

mod world;

const VIEWS: [View; 2] = [View::Operator, View::Customer];

fn ids(frames: &[Frame]) -> Vec<Position> {
    frames.iter().map(|frame| Position::parse(frame.id.as_deref().unwrap()).unwrap()).collect()
}

fn kind(frame: &Frame) -> String {
    serde_json::from_str::<serde_json::Value>(&frame.data).unwrap()["type"].as_str().unwrap().to_owned()
}

#[test]
fn positions_read_and_write_themselves() {
    for text in ["1-0", "3-7", "12-12.3"] {
        assert_eq!(Since::parse(text).unwrap().to_string(), text);
    }
    assert_eq!(Since::parse("latest").unwrap().to_string(), "latest");
    for text in ["", "7", "-", "0-1", "1-", "-1", "+1-1", "1-x", "1-1-1", "4294967296-1", "1-1.0", "Latest"] {
        assert_eq!(Since::parse(text).unwrap_err().code(), "bad_cursor", "{text}");
    }
    assert!(Position::parse("1-9").unwrap() < Position::parse("2-1.1").unwrap());
    assert!(Position::parse("2-1.1").unwrap() < Position::parse("2-1").unwrap());
}

#[test]
fn it_goes_on_across_runs_whatever_their_end_and_then_waits() {
    let world = sample();
    assert_eq!(world.begun, ["r0", "r1", "r3", "r2", "r4"]);
    for view in VIEWS {
        let frames = world.read(view, START);
        assert_eq!(frames, world.whole(view));
        assert!(ids(&frames).is_sorted_by(|a, b| a < b), "{:?}", ids(&frames));
        let terminals: Vec<_> = frames.iter().map(kind).filter(|kind| kind.ends_with("ed")).collect();
        let [done, failed, cancelled] = ["task_completed", "task_failed", "task_cancelled"];
        let started = "task_started";
        let each = [started, done, started, failed, started, cancelled, started, cancelled, started, done];
        assert_eq!(terminals, each);
    }
    assert!(world.read(View::Customer, START).iter().all(|frame| !kind(frame).starts_with("intermediate")));
}

#[test]
fn behind_any_position_comes_exactly_the_rest() {
    let world = sample();
    for view in VIEWS {
        let whole = world.whole(view);
        for (at, position) in ids(&whole).into_iter().enumerate() {
            assert_eq!(world.read(view, Since::After(position)), whole[at + 1..], "{view:?} after {position}");
        }
    }
}

#[test]
fn a_reader_that_comes_back_to_a_long_thread_finds_its_place_in_few_loads() {
    let world = played(&[(1, End::Answer); 300]);
    let loads = |since| {
        let (mut follow, mut loads) = (follow(View::Operator, since), 0);
        loop {
            match follow.next() {
                Need::Load(key) => {
                    loads += 1;
                    follow.loaded(&key, world.store.value(&key));
                }
                Need::Frames(frames) => assert!(frames.len() < 20, "one segment at a time"),
                other => break assert_eq!(other, Need::Wait(0)),
            }
        }
        loads
    };
    let positions = ids(&world.whole(View::Operator));
    let last = loads(Since::After(positions[positions.len() - 2]));
    assert!(last <= 12 && loads(Since::Latest) <= 12, "{last} loads");
    assert!(loads(START) <= 300 * 6, "a few a run: {}", loads(START));
}

#[test]
fn a_filter_leaves_the_named_types_alone_and_nothing_else() {
    let world = sample();
    for types in [&["content"][..], &["task_failed", "task_started"], &["intermediate"], &["nothing"], &[]] {
        let types: Vec<String> = types.iter().map(|kind| (*kind).to_owned()).collect();
        let mut frames = Vec::new();
        let need = pull(&world, &mut follow(View::Operator, START).only(types.clone()), &mut frames);
        let wanted: Vec<_> = world.whole(View::Operator).into_iter().filter(|f| types.contains(&kind(f))).collect();
        assert_eq!((frames, need), (wanted, Need::Wait(world.level)), "{types:?}");
    }
}

#[test]
fn an_unknown_thread_is_an_empty_one_and_its_first_run_is_heard_of() {
    for since in [START, Since::Latest] {
        let mut world = World::new();
        let mut follow = follow(View::Customer, since);
        let mut frames = Vec::new();
        assert_eq!(pull(&world, &mut follow, &mut frames), Need::Wait(0));
        script(&[(1, End::Answer)]).into_iter().for_each(|op| world.act(op));
        pull(&world, &mut follow, &mut frames);
        assert_eq!(frames, world.whole(View::Customer));
    }
}

#[test]
fn latest_is_what_comes_from_now_on() {
    let ops = script(&[(1, End::Answer), (3, End::Fail), (1, End::Answer)]);
    for now in 1..ops.len() {
        let mut world = World::new();
        ops[..now].iter().cloned().for_each(|op| world.act(op));
        let had = world.whole(View::Operator).len();
        let mut follow = follow(View::Operator, Since::Latest);
        let mut frames = Vec::new();
        pull(&world, &mut follow, &mut frames);
        assert_eq!(frames, [], "nothing is new yet");
        ops[now..].iter().cloned().for_each(|op| world.act(op));
        pull(&world, &mut follow, &mut frames);
        assert_eq!(frames, world.whole(View::Operator)[had..], "from step {now} on");
    }
}

#[test]
fn a_position_that_the_thread_never_came_to_is_told_so() {
    let world = sample();
    let last = *ids(&world.whole(View::Operator)).last().unwrap();
    assert_eq!(world.read(View::Operator, Since::After(last)), []);
    assert_eq!(world.read(View::Operator, Since::parse("6-0").unwrap()), [], "the next run's beginning");
    for ahead in ["5-99", "6-1", "7-0"] {
        let mut follow = follow(View::Operator, Since::parse(ahead).unwrap());
        let Need::Fail(frame, error) = pull(&world, &mut follow, &mut vec![]) else { panic!("{ahead}") };
        assert_eq!((error.code(), frame.id), ("bad_cursor", None));
        assert_eq!(kind(&Frame::new(frame.data)), "stream_end");
        // Unless what is read may be older than what the client has had: then it may yet come to be seen. But a run
        // that is seen to have ended comes no further.
        let mut follow = super::Follow::new("s", "t", View::Operator, Since::parse(ahead).unwrap());
        follow.may_be_behind(true);
        let need = pull(&world, &mut follow, &mut vec![]);
        assert_eq!(matches!(need, Need::Wait(_)), !ahead.starts_with("5-"), "{ahead} {need:?}");
        follow.may_be_behind(false);
        follow.wake(world.level + 1);
        assert!(matches!(pull(&world, &mut follow, &mut vec![]), Need::Fail(..)), "{ahead}");
    }
    let empty = pull(&World::new(), &mut follow(View::Operator, Since::After(last)), &mut vec![]);
    assert!(matches!(empty, Need::Fail(..)), "{empty:?}");
}

#[test]
fn it_says_why_it_must_end() {
    assert_eq!(ends(100, 50, None), (150, ErrorKind::StreamLimit));
    assert_eq!(ends(100, 50, Some(151)), (150, ErrorKind::StreamLimit));
    assert_eq!(ends(100, 50, Some(120)), (120, ErrorKind::TokenExpired));
    assert_eq!(ends(Millis::MAX, 50, None).0, Millis::MAX);
    let world = sample();
    for (reason, code) in [(ErrorKind::StreamLimit, "stream_limit"), (ErrorKind::TokenExpired, "token_expired")] {
        let (mut follow, mut frames) = (follow(View::Customer, START), Vec::new());
        pull(&world, &mut follow, &mut frames);
        follow.stop(reason);
        let Need::Fail(frame, error) = follow.next() else { panic!() };
        assert_eq!(error.kind(), reason);
        let told: serde_json::Value = serde_json::from_str(&frame.data).unwrap();
        let (message, thread) = (reason.sentence(), "t");
        let meta = serde_json::json!({ "thread": thread });
        let wanted = serde_json::json!({"type": "stream_end", "code": code, "message": message, "meta": meta});
        assert_eq!((told, frame.id), (wanted, None));
    }
}

/// What a reader is sent whose load of that number, from 1, gives something else, and how many loads it asked for.
fn with_load(world: &World, at: usize, harm: &dyn Fn(&mut Follow, &str)) -> (Vec<Frame>, Need, usize) {
    let (mut follow, mut frames, mut loads) = (follow(View::Operator, START), Vec::new(), 0);
    let need = loop {
        match follow.next() {
            Need::Load(key) => {
                loads += 1;
                match loads == at {
                    true => harm(&mut follow, &key),
                    false => follow.loaded(&key, world.store.value(&key)),
                }
            }
            Need::Frames(more) => frames.extend(more),
            Need::Passed(frame, _) => frames.push(frame),
            other => break other,
        }
    };
    assert!(matches!(need, Need::Wait(_)) || matches!(follow.next(), Need::Fail(..)), "and stays so");
    (frames, need, loads)
}

#[test]
fn a_load_that_fails_or_gives_what_a_newer_version_wrote_is_an_error_after_a_prefix_and_never_an_end() {
    let world = sample();
    let whole = world.whole(View::Operator);
    let newer = |follow: &mut Follow, key: &str| {
        let newer = world.store.value(key).map(|_| &br#"{"v":99}"#[..]);
        follow.loaded(key, newer);
    };
    let away = |follow: &mut Follow, _: &str| follow.fail(ErrorKind::StoreUnavailable.into());
    for (code, harm) in [("store_unavailable", &away as &dyn Fn(&mut Follow, &str)), ("record_too_new", &newer)] {
        let mut failures = 0;
        for at in 1.. {
            let (frames, need, loads) = with_load(&world, at, harm);
            assert_eq!(frames, whole[..frames.len()], "load {at}");
            if at > loads {
                break;
            }
            // Whether there is a head is asked once more than what it says.
            if need == Need::Wait(0) {
                assert_eq!(frames, whole);
                continue;
            }
            let Need::Fail(frame, error) = need else { panic!("{need:?}") };
            assert_eq!(error.code(), code);
            failures += 1;
            assert!(frame.id.is_none() && frame.data.contains(r#""code":"stream_interrupted""#));
        }
        assert!(failures > 20, "{failures}");
    }
}

#[test]
fn a_run_whose_record_is_damaged_is_said_to_be_and_passed_over() {
    let world = sample();
    let whole = world.whole(View::Operator);
    let garbage = |follow: &mut Follow, key: &str| {
        let damaged = world.store.value(key).map(|_| &b"garbage"[..]);
        follow.loaded(key, damaged);
    };
    let mut passed = 0;
    for at in 1.. {
        let (frames, need, loads) = with_load(&world, at, &garbage);
        if at > loads {
            assert!(passed > 15, "{passed}");
            break;
        }
        let said = frames.iter().position(|frame| kind(frame) == "error");
        let Some(said) = said else {
            if need == Need::Wait(0) {
                assert_eq!(frames, whole);
                continue;
            }
            // The thread's own entry: what comes next can't be known.
            let Need::Fail(frame, error) = need else { panic!("{need:?}") };
            assert_eq!((error.code(), frames.as_slice()), ("record_unreadable", &whole[..frames.len()]));
            assert!(frame.data.contains(r#""code":"stream_interrupted""#));
            continue;
        };
        passed += 1;
        // A prefix, the word of it, and all runs behind it; whoever comes back there goes on there.
        assert_eq!((need, &frames[..said]), (Need::Wait(0), &whole[..said]), "load {at}");
        assert!(
            frames[said].data.contains(r#""code":"record_unreadable""#) && frames[said].data.contains("(reference ")
        );
        let next = Position::parse(frames[said].id.as_deref().unwrap()).unwrap();
        let rest: Vec<_> = whole.iter().filter(|frame| ids(&[(*frame).clone()])[0] > next).cloned().collect();
        assert_eq!(frames[said + 1..], rest);
        assert_eq!(world.read(View::Operator, Since::After(next)), rest);
        assert!(said == 0 || ids(&whole[said - 1..said])[0] < next);
    }
}

#[test]
fn a_claim_that_is_lost_between_two_keys_neither_loses_nor_moves_a_run() {
    let runs = [(1, End::Answer), (0, End::NoHead), (1, End::Fail), (1, End::Cancel)];
    let claims = played(&runs).claims;
    assert!(claims > 15, "{claims}");
    for crash in 1..=claims {
        let mut world = World::new();
        world.crash = Some(crash);
        script(&runs).into_iter().for_each(|op| world.act(op));
        assert_eq!(world.read(View::Operator, START), world.whole(View::Operator), "lost before {crash}");
        assert_eq!(world.begun.len(), 4);
    }
}

/// Nothing wakes who finds that the thread has gone on between two of his reads.
#[test]
fn a_run_that_becomes_a_past_one_while_it_is_looked_for_is_found() {
    let mut world = played(&[(1, End::Answer)]);
    let mut follow = follow(View::Operator, START);
    let Need::Load(past) = follow.next() else { panic!() };
    follow.loaded(&past, world.store.value(&past));
    world.act(Op::Claim("r1".into()));
    let mut frames = Vec::new();
    assert_eq!(pull(&world, &mut follow, &mut frames), Need::Wait(world.level));
    assert_eq!(frames, world.whole(View::Operator));
    // A store that is behind itself is waited for, not asked without end.
    let mut stale = self::follow(View::Operator, START);
    while let Need::Load(key) = stale.next() {
        stale.loaded(&key, world.store.value(&key).filter(|_| key != past));
    }
    assert_eq!(stale.next(), Need::Wait(0));
    frames.clear();
    pull(&world, &mut stale, &mut frames);
    assert_eq!(frames, world.whole(View::Operator));
}

#[test]
fn a_thread_of_before_there_were_ordinals_goes_on_from_its_last_run() {
    let mut world = played(&[(1, End::Answer)]);
    let old = br#"{"v":1,"thread":"t","run":"r0"}"#;
    let key = ThreadKeys::new("s", "t").active();
    let part = crate::run::store::Part { key, value: old.to_vec() };
    world.store.perform(StoreOp::Save { parts: vec![part], head: None });
    assert_eq!(world.read(View::Operator, START), world.whole(View::Operator));
    for op in [Op::Claim("r1".into()), Op::Start("r1".into()), Op::End(End::Answer)] {
        world.act(op);
    }
    let active = world.store.value(&ThreadKeys::new("s", "t").active()).unwrap();
    assert_eq!(ActiveEntry::decode(active).unwrap().ordinal(), 2);
    assert_eq!(world.store.value(&ThreadKeys::new("s", "t").past(1)), Some(&old[..]), "kept as it was");
    assert_eq!(world.read(View::Operator, START), world.whole(View::Operator));
}

#[test]
fn a_run_that_is_retained_no_longer_is_passed_over() {
    let mut world = sample();
    let keep: Vec<Frame> = world.whole(View::Operator);
    let gone: Vec<String> = world.store.keys().filter(|key| key.contains("/r1/")).map(str::to_owned).collect();
    assert!(gone.len() > 1);
    world.store.perform(StoreOp::Delete(gone));
    let kept: Vec<_> = keep.into_iter().filter(|frame| !frame.id.as_deref().unwrap().starts_with("2-")).collect();
    assert_eq!(world.read(View::Operator, START), kept);
}

fn runs() -> impl Strategy<Value = Vec<(usize, End)>> {
    let end = prop_oneof![Just(End::Answer), Just(End::Fail), Just(End::Cancel), Just(End::NoHead)];
    prop::collection::vec((0usize..4, end), 1..6)
}

proptest! {
    /// Whenever it reads, and whatever happens between two of its reads, it gets the same; it is woken
    /// by the level alone, so no wake may be lost.
    #[test]
    fn any_interleaving_of_runs_and_reads_gives_the_whole(
        runs in runs(), moments in prop::collection::vec(any::<bool>(), 1..400), customer in any::<bool>()
    ) {
        let view = if customer { View::Customer } else { View::Operator };
        let (mut world, mut ops) = (World::new(), VecDeque::from(script(&runs)));
        let (mut live, mut frames) = (follow(view, START), Vec::new());
        for moment in moments {
            if moment {
                ops.pop_front().into_iter().for_each(|op| world.act(op));
                continue;
            }
            match live.next() {
                Need::Load(key) => live.loaded(&key, world.store.value(&key)),
                Need::Frames(more) => frames.extend(more),
                Need::Wait(level) if level < world.level => live.wake(world.level),
                Need::Wait(_) => {}
                other => panic!("{other:?}"),
            }
        }
        ops.into_iter().for_each(|op| world.act(op));
        pull(&world, &mut live, &mut frames);
        let whole = world.whole(view);
        prop_assert_eq!(&frames, &whole);
        for (at, position) in ids(&whole).into_iter().enumerate() {
            prop_assert_eq!(&world.read(view, Since::After(position)), &whole[at + 1..]);
        }
    }
}
