//! A simulated key-value store that many instances share: as weak as it is told to be.

use lastword::Millis;
use lastword::run::{Expect, Head, StoreOp, StoreReply, Version};
use std::collections::BTreeMap;

/// Numbers that follow from a seed.
pub struct Dice(pub u64);

impl Dice {
    /// A number up to, not with, `below`.
    pub fn roll(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % below.max(1)
    }
}

/// How old a read is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Lag {
    /// Everybody sees what is there.
    None,
    /// Each read is up to so old, each by another span: what was seen may be gone again in the next read.
    Random(Millis),
    /// Whoever wrote sees it at once, anybody else so much later.
    Others(Millis),
}

/// What becomes of one operation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fault {
    /// It is not performed, and the answer says so.
    Unavailable,
    /// It is not performed, and nobody knows.
    Dropped,
    /// It is performed, and nobody knows.
    Unheard,
    /// A read gives what stood there before the last write, or nothing.
    Old,
    /// The answer takes so long.
    Slow(Millis),
    /// It takes so long until it is performed.
    Late(Millis),
}

struct Written {
    at: Millis,
    by: usize,
    /// Nothing once it is deleted.
    value: Option<Vec<u8>>,
}

/// The store.
pub struct Kv {
    values: BTreeMap<String, Vec<Written>>,
    pub lag: Lag,
    /// It compares, as Redis does.
    pub compares: bool,
    /// One write a second to a key; the next is refused.
    pub limited: bool,
    /// Of a hundred saves so many give no answer; every other of them is performed.
    pub uncertain: u64,
    pub dice: Dice,
    /// How many operations each instance has made, and how many writes were refused.
    pub ops: BTreeMap<usize, usize>,
    pub refused: usize,
    /// Keys that one instance has written twice within a second, and when each has written which last.
    pub hasty: Vec<String>,
    tried: BTreeMap<(usize, String), Millis>,
    /// What becomes of the operation of that number, counted over all.
    pub fault: Option<(usize, Fault)>,
    pub count: usize,
}

impl Kv {
    pub fn new(lag: Lag, seed: u64) -> Self {
        Kv {
            values: BTreeMap::new(),
            lag,
            compares: false,
            limited: true,
            uncertain: 0,
            dice: Dice(seed),
            ops: BTreeMap::new(),
            refused: 0,
            hasty: Vec::new(),
            tried: BTreeMap::new(),
            fault: None,
            count: 0,
        }
    }

    /// The value that stands.
    pub fn value(&self, key: &str) -> Option<&[u8]> {
        self.values.get(key)?.last()?.value.as_deref()
    }

    /// All that was ever written under a key.
    pub fn history(&self, key: &str) -> impl Iterator<Item = &[u8]> {
        self.values.get(key).into_iter().flatten().filter_map(|written| written.value.as_deref())
    }

    /// The same, each with when.
    pub fn timed(&self, key: &str) -> impl Iterator<Item = (Millis, &[u8])> {
        self.values.get(key).into_iter().flatten().filter_map(|written| Some((written.at, written.value.as_deref()?)))
    }

    /// Keys that have a value now.
    pub fn keys(&self) -> Vec<&str> {
        self.values.keys().map(String::as_str).filter(|key| self.value(key).is_some()).collect()
    }

    /// What an instance has written another knows nothing of.
    pub fn forget(&mut self, who: usize) {
        self.tried.retain(|(writer, _), _| *writer != who);
    }

    /// How much longer the next operation takes to be performed.
    pub fn late(&mut self) -> Option<Millis> {
        match self.fault.take_if(|(at, fault)| *at == self.count + 1 && matches!(fault, Fault::Late(_))) {
            Some((_, Fault::Late(span))) => Some(span),
            _ => None,
        }
    }

    /// What an instance reads now.
    pub fn read(&mut self, now: Millis, who: usize, key: &str) -> StoreReply {
        let (lag, span) = match self.lag {
            Lag::None => (0, 0),
            Lag::Random(span) => (self.dice.roll(span + 1), 0),
            Lag::Others(span) => (0, span),
        };
        let visible = |written: &&Written| written.at + if written.by == who { lag } else { lag.max(span) } <= now;
        let all = self.values.get(key).map_or(&[][..], Vec::as_slice);
        let seen = all.iter().enumerate().rfind(|(_, written)| visible(written));
        match seen.and_then(|(at, written)| Some((at, written.value.clone()?))) {
            Some((at, value)) => StoreReply::Found(value, Version(at.to_string())),
            None => StoreReply::Missing,
        }
    }

    /// Performs an operation; how long its answer takes beside the way.
    pub fn perform(&mut self, now: Millis, who: usize, op: StoreOp) -> (StoreReply, Millis) {
        self.count += 1;
        *self.ops.entry(who).or_default() += 1;
        let fault = self.fault.filter(|(at, _)| *at == self.count).map(|(_, fault)| fault);
        let saves = !matches!(op, StoreOp::Load(_));
        let reply = match fault {
            None if saves && self.dice.roll(100) < self.uncertain => {
                if self.dice.roll(2) == 0 {
                    self.apply(now, who, op);
                }
                StoreReply::Uncertain
            }
            None | Some(Fault::Slow(_)) => self.apply(now, who, op),
            Some(Fault::Unavailable) => StoreReply::Unavailable,
            Some(Fault::Dropped) if saves => StoreReply::Uncertain,
            Some(Fault::Unheard) if saves => {
                self.apply(now, who, op);
                StoreReply::Uncertain
            }
            Some(Fault::Old) => match op {
                StoreOp::Load(key) => self.before(&key),
                other => self.apply(now, who, other),
            },
            Some(_) => StoreReply::Unavailable,
        };
        (reply, if let Some(Fault::Slow(span)) = fault { span } else { 0 })
    }

    fn before(&self, key: &str) -> StoreReply {
        match self.values.get(key).map_or(&[][..], Vec::as_slice) {
            [.., Written { value: Some(before), .. }, _] => StoreReply::Found(before.clone(), Version("old".into())),
            _ => StoreReply::Missing,
        }
    }

    fn apply(&mut self, now: Millis, who: usize, op: StoreOp) -> StoreReply {
        match op {
            StoreOp::Load(key) => self.read(now, who, &key),
            StoreOp::Save { parts, head } => {
                assert!(parts.len() + usize::from(head.is_some()) == 1, "one value at a time");
                for part in parts {
                    if !self.put(now, who, part.key, Some(part.value)) {
                        return StoreReply::Unavailable;
                    }
                }
                head.map_or(StoreReply::Saved(Version::default()), |head| self.put_head(now, who, head))
            }
            // A list may be old for whoever has written too.
            StoreOp::List { prefix, after, limit } => {
                let from = after.clone().unwrap_or(prefix.clone());
                let some: Vec<String> = self.values.range(from..).map(|(key, _)| key.clone()).collect();
                let listed = some.into_iter().take_while(|key| key.starts_with(&prefix));
                let listed = listed.filter(|key| after.as_ref() != Some(key)).collect::<Vec<_>>().into_iter();
                let there = listed.filter(|key| matches!(self.read(now, usize::MAX, key), StoreReply::Found(..)));
                StoreReply::Listed(there.take(limit).collect())
            }
            StoreOp::Delete(keys) => {
                let gone = |key| self.put(now, who, key, None);
                if keys.into_iter().all(gone) { StoreReply::Deleted } else { StoreReply::Unavailable }
            }
        }
    }

    fn put_head(&mut self, now: Millis, who: usize, head: Head) -> StoreReply {
        let version = self.values.get(&head.key).map(|all| Version((all.len() - 1).to_string()));
        let holds = match &head.expect {
            Expect::Any => true,
            expect => {
                assert!(self.compares, "{} is saved as if the store compared", head.key);
                *expect == version.map_or(Expect::Absent, Expect::Version)
            }
        };
        if !holds {
            return StoreReply::Conflict;
        }
        match self.put(now, who, head.key.clone(), Some(head.value)) {
            true => StoreReply::Saved(Version((self.values[&head.key].len() - 1).to_string())),
            false => StoreReply::Unavailable,
        }
    }

    fn put(&mut self, now: Millis, who: usize, key: String, value: Option<Vec<u8>>) -> bool {
        if self.tried.insert((who, key.clone()), now).is_some_and(|last| now < last + 1_000) {
            self.hasty.push(key.clone());
        }
        let all = self.values.entry(key).or_default();
        if self.limited && all.last().is_some_and(|last| now < last.at + 1_000) {
            self.refused += 1;
            return false;
        }
        all.push(Written { at: now, by: who, value });
        true
    }
}
