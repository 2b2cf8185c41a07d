use super::*;
use crate::Millis;
use crate::event::{Event, Interrupt, Plain, ToolOutcome};
use crate::executor::Executor;
use crate::profile::Profile;
use crate::redact::PassThrough;
use crate::run::emitter::{Claim, Emitter, Totals};
use crate::run::fixture::{commit, input};
use crate::run::keys::ThreadKeys;
use crate::run::memory::MemoryStore;
use crate::run::scope::{Scope, ScopeKind};
use crate::run::store::{PartPointer, StoreOp, StoreReply, Traits};
use crate::signal::{Signal, Stop, Usage};
use crate::turn::{Decision, MAX_CALLS, TurnOutput};
use proptest::prelude::*;
use std::rc::Rc;

/// The longest id of a request, in bytes.
const ID: usize = 4_096;

fn usage(model: &str) -> ModelUsage {
    let [input, output, total, reasoning, cached_input, cache_write] = [Some(u64::MAX); 6];
    ModelUsage {
        model: Some(model.to_owned()),
        tokens: Usage { input, output, total, reasoning, cached_input, cache_write },
    }
}

/// A run with everything that its inputs allow, each made of this text; `check` sees its heads.
fn worst(unit: &str, check: &mut dyn FnMut(&Emitter, &RunKeys)) {
    let long = |bytes: usize| unit.repeat(bytes / unit.len());
    let mut asked = input(&long(ID));
    (asked.thread, asked.fingerprint) = (long(ID), "f".repeat(64));
    let scope = long(1_000);
    let keys = ThreadKeys::new(&scope, &asked.thread).run(&asked.run);
    let writer = "w".repeat(90);
    let claim = |writer: &str| Claim {
        keys: keys.clone(),
        scope: scope.clone(),
        writer: writer.to_owned(),
        traits: Traits::DURABLE_OBJECT,
        lease: Millis::MAX / 2,
    };
    let mut emitter = Emitter::start(claim(&writer), &asked, Profile::new(&long(ID), None, Millis::MAX), 1);
    let mut store = MemoryStore::new();
    commit(&mut emitter, &mut store);
    check(&emitter, &keys);
    let mut totals = Totals::default();
    for at in 0..300 {
        emitter.write(Plain::AttemptReset { ordinal: 1 }).unwrap();
        commit(&mut emitter, &mut store);
        crate::run::usage::count(&mut totals.usage, &usage(&format!("{at}{}", long(250))));
    }
    let tag = tag(&asked.run);
    let mut turn = TurnOutput::new(&tag, Rc::new(PassThrough), &[]);
    turn.signal(Signal::ResponseStart { model: None });
    for index in 0..MAX_CALLS as u32 {
        let id = format!("{index:02}{}", long(62));
        turn.signal(Signal::CallStart { index, id, name: String::new() });
    }
    let Some(Decision::Calls(said)) = turn.signal(Signal::ResponseEnd(Stop::Complete)) else { panic!("no calls") };
    let texts: Vec<String> = (0..8).map(|at| format!("{tag}-m999999{at}")).collect();
    for call in &said.calls {
        emitter.write(Plain::ToolStart { call: call.id.clone(), name: long(256) }).unwrap();
    }
    for message in &texts {
        emitter.write(Plain::IntermediateStart { message: message.clone() }).unwrap();
    }
    commit(&mut emitter, &mut store);
    assert_eq!(emitter.record().open.closing().len(), 72);
    check(&emitter, &keys);
    for call in said.calls {
        emitter.write(Plain::ToolEnd { call: call.id, outcome: ToolOutcome::Ok }).unwrap();
    }
    for message in texts {
        emitter.write(Plain::IntermediateEnd { message }).unwrap();
    }
    let interrupt = |at| Interrupt {
        id: format!("{tag}-i{at}"),
        reason: Interrupt::TOOL_CALL.into(),
        expires_at: Some(Millis::MAX),
        ..Interrupt::default()
    };
    let mut executor = Executor::new(Rc::new(asked), crate::provider::Format::ChatCompletions, "m", 1);
    let waiting = executor.wait_for((0..MAX_CALLS).map(interrupt).collect(), 1).unwrap();
    emitter.interrupt(waiting, totals).unwrap();
    commit(&mut emitter, &mut store);
    assert_eq!(emitter.record().status, Status::Interrupted);
    check(&emitter, &keys);
}

#[test]
fn the_head_stays_within_its_bound_by_whatever_its_inputs_are() {
    for unit in ["x", "\"", "\u{1}", "\\", "\u{2028}", "é", "🦀", "~", "="] {
        let mut least = usize::MAX;
        worst(unit, &mut |emitter, keys| {
            let stored = emitter.record().encode();
            assert!(stored.len() <= MAX_HEAD, "{unit:?}: {}", stored.len());
            assert_eq!(RunRecord::decode_under(&stored, keys).unwrap(), *emitter.record(), "{unit:?}");
            assert_eq!(RunRecord::decode(&stored).unwrap_err().code(), "record_unreadable", "its names are too long");
            assert_eq!(RunRecord::has_ended(&stored), emitter.record().is_ended(), "{unit:?}");
            assert_eq!(RunRecord::has_settled(&stored), emitter.record().stands(), "{unit:?}");
            let mut bare = emitter.record().clone();
            bare.marks.clear();
            least = least.min(MAX_HEAD - bare.encode().len());
        });
        // Room for some marks is left however much else there is.
        assert!(least > 512, "{unit:?}: {least}");
    }
}

#[test]
fn a_name_is_in_the_head_unless_it_is_long_and_known_from_the_key_either_way() {
    let record = |run: &str, thread: &str, scope: &str| {
        let keys = ThreadKeys::new(scope, thread).run(run);
        let claim =
            Claim { keys: keys.clone(), scope: scope.into(), writer: "w".into(), traits: Traits::MEMORY, lease: 0 };
        let asked = crate::input::RunInput { thread: thread.into(), ..input(run) };
        (Emitter::start(claim, &asked, Profile::new("m", None, 0), 0).record().clone(), keys)
    };
    let (short, keys) = record("r", "t", "s");
    assert_eq!(RunRecord::decode(&short.encode()), Ok(short.clone()));
    assert_eq!(RunRecord::decode_under(&short.encode(), &keys), Ok(short));
    let long = "\u{1}".repeat(171);
    for (run, thread, scope) in [(long.as_str(), "t", "s"), ("r", &long, "s"), ("r", "t", &long)] {
        let (record, keys) = record(run, thread, scope);
        assert_eq!(RunRecord::decode_under(&record.encode(), &keys), Ok(record.clone()));
        assert_eq!(RunRecord::decode(&record.encode()).unwrap_err().code(), "record_unreadable");
        assert!(!String::from_utf8(record.encode()).unwrap().contains(&"\\u0001".repeat(171)));
    }
}

#[test]
fn a_run_that_is_taken_over_again_and_again_has_a_bounded_table_of_writers() {
    let keys = ThreadKeys::new("s", "t").run("r");
    let mut emitter = crate::run::fixture::started(Traits::MEMORY);
    let mut store = MemoryStore::new();
    commit(&mut emitter, &mut store);
    let StoreReply::Found(first, _) = store.perform(StoreOp::Load(keys.head())) else { panic!() };
    for at in 0..1_000 {
        let StoreReply::Found(bytes, version) = store.perform(StoreOp::Load(keys.head())) else { panic!() };
        let record = RunRecord::decode_under(&bytes, &keys).unwrap();
        let claim = Claim { writer: format!("w{at}"), ..crate::run::fixture::claim("w", Traits::MEMORY) };
        let mut adopted = Emitter::adopt(claim, record, version);
        // It renews its lease, and is lost before it has said anything.
        adopted.seal(at, true);
        let op = adopted.poll().unwrap();
        assert!(matches!(store.perform(op), StoreReply::Saved(_)));
    }
    let StoreReply::Found(last, _) = store.perform(StoreOp::Load(keys.head())) else { panic!() };
    let record = RunRecord::decode_under(&last, &keys).unwrap();
    assert_eq!((record.writers.len(), record.revision), (2, 1_001));
    assert!(last.len() < first.len() + 100, "{} {}", first.len(), last.len());
}

#[test]
fn an_older_head_is_translated_and_a_newer_one_refused() {
    let asked = |open: &str| {
        format!(
            r#"{{"v":1,"run":"r","thread":"t","scope":"s","fingerprint":"f","status":"interrupted","revision":2,"sequence":3,
            "writer":"w","stride":1,"promise":{{"claim":"atomic","outcome":"atomic"}},"lease":0,
            "profile":{{"model":"m","created_at":0,"wires":{{}}}},"times":{{"started_at":0}},
            "interrupted":{{"open":[{open}],"turn":{{"writer":"w","pieces":1}}}}}}"#
        )
    };
    let open = r#"{"id":"r-i1","approval":true},{"id":"~x","expires_at":7},{"id":"=y"},{"id":""}"#;
    let record = RunRecord::decode(asked(open).as_bytes()).unwrap();
    let ids = |record: &RunRecord| -> Vec<String> {
        record.interrupted.as_ref().unwrap().open.iter().map(|open| open.id.clone()).collect()
    };
    assert_eq!((record.v, ids(&record)), (VERSION, ["r-i1", "~x", "=y", ""].map(str::to_owned).to_vec()));
    let written = String::from_utf8(record.encode()).unwrap();
    assert!(written.starts_with(r#"{"v":2,"#) && written.contains(r#""id":"~-i1""#), "{written}");
    assert_eq!(RunRecord::decode(written.as_bytes()), Ok(record));
    for (odd, code) in [
        (written.replace(r#"{"v":2,"#, r#"{"v":3,"#), "record_too_new"),
        (r#"{"v":3}"#.to_owned(), "record_too_new"),
        (r#"{"v":4294967295,"run":7}"#.to_owned(), "record_too_new"),
        (r#"{"v":"2"}"#.to_owned(), "record_unreadable"),
        (written.replace(r#""id":"~-i1""#, r#""id":"-i1""#), "record_unreadable"),
        (written.replace(r#""id":"~-i1""#, r#""id":"""#), "record_unreadable"),
    ] {
        assert_eq!(RunRecord::decode(odd.as_bytes()).unwrap_err().code(), code, "{odd}");
    }
}

fn text(max: usize) -> impl Strategy<Value = String> {
    prop::collection::vec(any::<char>(), 0..max).prop_map(String::from_iter)
}

fn short(max: usize) -> impl Strategy<Value = String> {
    text(max).prop_map(move |text| json::cut(&text, max).to_owned())
}

prop_compose! {
    /// A head with what its inputs may be, at any moment: open scopes and an outcome exclude each other.
    fn any_record()(
        (run, thread, scope, model) in (text(300), text(300), text(300), short(MAX_NAME)),
        ids in prop::collection::vec(short(64), 0..72),
        marks in prop::collection::vec((0u32..2, any::<u32>(), any::<u64>()), 0..65),
        models in prop::collection::vec(prop::option::of(short(256)), 0..9),
        ended in any::<bool>(), numbers in any::<[u64; 4]>(),
    ) -> RunRecord {
        let pointer = || PartPointer { writer: "w".repeat(80), pieces: u32::MAX };
        let tag = tag(&run);
        let writer = |from| Writer { token: "w".repeat(80), from, segments: u32::MAX };
        let mut open = OpenScopes::default();
        for id in ids.iter().filter(|_| !ended) {
            open.track(&Event::from(Plain::ToolStart { call: id.clone(), name: String::new() }));
        }
        let ask = |at| interrupts::OpenInterrupt { id: format!("{tag}-i{at}"), expires_at: Some(u64::MAX), approval: true };
        let interrupted = Interrupted { open: (0..64).map(ask).collect(), turn: pointer() };
        let usage = models.into_iter().map(|model| ModelUsage { model, ..usage("") }).collect();
        RunRecord {
            v: VERSION,
            status: if ended { Status::Interrupted } else { Status::Started },
            fingerprint: "f".repeat(64),
            revision: numbers[0],
            sequence: numbers[1],
            writer: "w".repeat(80),
            writers: vec![writer(1), writer(numbers[2])],
            marks: marks.into_iter().map(|(writer, segment, first)| Mark { writer, segment, first }).collect(),
            stride: 1,
            open,
            echo: Some(pointer()),
            withdrawn: Some(format!("{tag}-a")),
            failure: None,
            interrupted: ended.then_some(interrupted),
            usage: if ended { usage } else { Vec::new() },
            profile: Profile::new(&model, Some(crate::input::Protocol { major: u32::MAX, minor: u32::MAX }), u64::MAX),
            lease: numbers[3],
            times: Times { started_at: u64::MAX, ended_at: Some(u64::MAX) },
            promise: Promise::from(Traits::WORKERS_KV),
            run, thread, scope,
        }
    }
}

proptest! {
    #[test]
    fn any_head_fits_and_comes_back(mut record in any_record()) {
        let before = record.clone();
        record.fit(usize::MAX);
        let stored = record.encode();
        prop_assert!(stored.len() <= MAX_HEAD, "{}", stored.len());
        prop_assert_eq!(RunRecord::decode_under(&stored, &before.keys()), Ok(record.clone()));
        prop_assert!(record.marks.iter().all(|mark| before.marks.contains(mark)));
        prop_assert_eq!(RunRecord { marks: vec![], stride: 1, ..record }, RunRecord { marks: vec![], stride: 1, ..before });
    }

    #[test]
    fn marks_are_read_as_the_parser_reads_them(
        mut record in any_record(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), prop::sample::select(&b"{}[],:\"\\01a "[..])), 0..3),
    ) {
        record.marks.iter_mut().for_each(|mark| mark.first >>= mark.first % 64);
        let mut bytes = record.encode();
        let short = record.marks.iter().all(|mark| mark.first < 10_u64.pow(19));
        prop_assert_eq!(marks::taken(&bytes).is_some(), short && !record.marks.is_empty());
        let at = bytes.windows(8).position(|some| some == b"\"marks\":").unwrap();
        for (place, byte) in &changes {
            let length = bytes.len();
            bytes[(at + place.index(length)) % length] = *byte;
        }
        // With a space in front all is left to the parser.
        let parsed = RunRecord::decode_under(&[b" ", bytes.as_slice()].concat(), &record.keys());
        prop_assert_eq!(RunRecord::decode_under(&bytes, &record.keys()), parsed);
    }

    #[test]
    fn bytes_are_a_head_or_a_typed_error(record in any_record(), changes in prop::collection::vec(any::<(usize, u8)>(), 0..6)) {
        let mut bytes = record.encode();
        for (at, byte) in changes {
            let at = at % bytes.len();
            bytes[at] = byte;
        }
        if let Err(error) = RunRecord::decode_under(&bytes, &record.keys()) {
            prop_assert!(["record_unreadable", "record_too_new"].contains(&error.code()), "{error:?}");
        }
    }
}

#[test]
fn a_scope_of_every_kind_is_stored() {
    for kind in [ScopeKind::Intermediate, ScopeKind::Narration, ScopeKind::Thinking, ScopeKind::Tool, ScopeKind::Answer]
    {
        let scope = Scope { kind, id: "i".into(), public: true };
        assert_eq!(crate::stored::decode::<Scope>(json::text(&scope).as_bytes()), Some(scope));
    }
}
