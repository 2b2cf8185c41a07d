//! A reader with a client, which polls, and what every reader and every record has to show in the end.

use crate::common::{SCOPE, THREAD};
use crate::kv::Kv;
use crate::world::World;
use lastword::Millis;
use lastword::event::{Event, View};
use lastword::run::{
    Committed, Cursor, Guarantee, Need, Reader, RunKeys, RunRecord, StoreReply, ThreadKeys, Traits, decode_segment,
};
use lastword::sse::Frame;
use lastword::wire::Wire;
use std::collections::BTreeMap;

pub fn keys(run: &str) -> RunKeys {
    ThreadKeys::new(SCOPE, THREAD).run(run)
}

/// One reader from the start, and what it was sent.
pub struct Reading {
    pub instance: usize,
    pub run: String,
    reader: Reader,
    pub frames: Vec<Frame>,
    pub ended: bool,
    /// Why it was cut off, if it was.
    pub failed: Option<&'static str>,
    /// The head that it has read last, once all that it names was there.
    read: Option<Vec<u8>>,
}

impl Reading {
    pub fn new(instance: usize, run: &str) -> Self {
        let reader = Reader::new(keys(run), View::Operator, Wire::Canonical, Some(Cursor::START)).patient();
        Reading { instance, run: run.to_owned(), reader, frames: Vec::new(), ended: false, failed: None, read: None }
    }

    pub fn over(&self) -> bool {
        self.ended || self.failed.is_some()
    }

    pub fn recover_at(&self, traits: Traits) -> Option<Millis> {
        self.reader.recover_at(traits).filter(|_| !self.over())
    }

    /// Reads as far as it can now.
    pub fn poll(&mut self, kv: &mut Kv, now: Millis) {
        let head = keys(&self.run).head();
        let mut seen = match kv.read(now, self.instance, &head) {
            StoreReply::Found(value, _) => Some(value),
            _ => None,
        };
        // Nothing new is in it.
        if seen.is_some() && seen == self.read {
            return;
        }
        self.read = seen.clone();
        self.reader.wake();
        loop {
            match self.reader.next() {
                Need::Load(key) => {
                    let value = match seen.take_if(|_| key == head) {
                        None => match kv.read(now, self.instance, &key) {
                            StoreReply::Found(value, _) => Some(value),
                            _ => None,
                        },
                        value => value,
                    };
                    // What is not there, or is read once more, may be otherwise the next time.
                    self.read.take_if(|read| value.as_ref().is_none_or(|value| key == head && value != read));
                    self.reader.loaded(&key, value.as_deref());
                }
                Need::Frames(frames) => self.frames.extend(frames),
                Need::Wait(_) => return,
                Need::End | Need::Document(_) => return self.ended = true,
                Need::Fail(_, error) => return self.failed = Some(error.code()),
                Need::Passed(_, line) => panic!("{line:?}"),
            }
        }
    }
}

/// The events that a record names, from the parts that were really written. Its journal is dense, and the
/// record's end is its last event, the only one of its kind.
pub fn told(kv: &Kv, record: &RunRecord) -> Vec<Committed> {
    let mut events: Vec<Committed> = Vec::new();
    for (at, writer) in record.writers.iter().enumerate() {
        let until = record.writers.get(at + 1).map_or(record.sequence, |next| next.from - 1);
        for number in 0..writer.segments {
            let key = keys(&record.run).segment(&writer.token, number);
            let value = kv.value(&key).unwrap_or_else(|| panic!("{key} is named and there"));
            let part = decode_segment(value).unwrap();
            events.extend(part.into_iter().filter(|event| (writer.from..=until).contains(&event.seq())));
        }
    }
    let numbers: Vec<u64> = events.iter().map(Committed::seq).collect();
    assert_eq!(numbers, (1..=record.sequence).collect::<Vec<_>>(), "dense");
    let ends: Vec<u64> =
        events.iter().filter(|event| event.event().is_some_and(Event::is_terminal)).map(Committed::seq).collect();
    let expected: Vec<u64> = record.is_ended().then_some(record.sequence).into_iter().collect();
    assert_eq!(ends, expected, "one end, the last");
    assert_eq!((record.promise.claim, record.promise.outcome), promised(kv));
    events
}

fn promised(kv: &Kv) -> (Guarantee, Guarantee) {
    let guarantee = if kv.compares { Guarantee::Atomic } else { Guarantee::BestEffort };
    (guarantee, guarantee)
}

/// What a reader of that very record would be sent, by a store that holds it and all parts.
fn transcript(kv: &Kv, run: &str, head: &[u8]) -> Vec<Frame> {
    let mut reader = Reader::new(keys(run), View::Operator, Wire::Canonical, Some(Cursor::START));
    let mut frames = Vec::new();
    loop {
        match reader.next() {
            Need::Load(key) if key == keys(run).head() => reader.loaded(&key, Some(head)),
            Need::Load(key) => reader.loaded(&key, kv.value(&key)),
            Need::Frames(more) => frames.extend(more),
            Need::Wait(_) | Need::End => return frames,
            other => panic!("{other:?}"),
        }
    }
}

/// Every record that ever stood is whole, and every reader was sent the beginning of what one of them tells,
/// its whole if it has ended cleanly.
pub fn check(world: &World, run: &str) {
    if world.traits.min_interval > 0 {
        assert_eq!(world.kv.hasty, Vec::<String>::new(), "no instance writes a key twice within a second");
    }
    let head = keys(run).head();
    // What a writer's last record tells begins with all that its earlier ones told.
    let last: BTreeMap<String, &[u8]> =
        world.kv.history(&head).map(|head| (RunRecord::decode(head).unwrap().writer, head)).collect();
    let heads: Vec<&[u8]> = last.into_values().collect();
    for head in &heads {
        told(&world.kv, &RunRecord::decode(head).unwrap());
    }
    let transcripts: Vec<_> = heads.iter().map(|head| transcript(&world.kv, run, head)).collect();
    for reading in world.readings.iter().filter(|reading| reading.run == run) {
        let held = transcripts.iter().zip(&heads).any(|(transcript, head)| {
            let ended = RunRecord::decode(head).unwrap().is_ended();
            transcript.starts_with(&reading.frames)
                && (!reading.ended || (ended && transcript.len() == reading.frames.len()))
        });
        assert!(held || reading.frames.is_empty(), "no record ever held what a reader was sent");
    }
}

/// The record that stands.
pub fn standing(world: &World, run: &str) -> RunRecord {
    RunRecord::decode(world.kv.value(&keys(run).head()).expect("a head")).unwrap()
}
