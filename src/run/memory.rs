//! The store in memory: for tests, and for a host that needs nothing to survive.

use super::store::{Expect, Head, StoreOp, StoreReply, Traits, Version};
use std::collections::BTreeMap;
use std::ops::Bound;

/// Keeps values in a map. Every operation is atomic and certain.
#[derive(Clone, Debug, Default)]
pub struct MemoryStore {
    values: BTreeMap<String, (Vec<u8>, u64)>,
    last: u64,
}

impl MemoryStore {
    /// An empty store.
    pub fn new() -> Self {
        MemoryStore::default()
    }

    /// What this store is.
    pub fn traits(&self) -> Traits {
        Traits::MEMORY
    }

    /// The value under a key.
    pub fn value(&self, key: &str) -> Option<&[u8]> {
        self.values.get(key).map(|(value, _)| value.as_slice())
    }

    /// All keys, in order.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.values.keys().map(String::as_str)
    }

    /// Performs one operation.
    pub fn perform(&mut self, op: StoreOp) -> StoreReply {
        match op {
            StoreOp::Load(key) => match self.values.get(&key) {
                Some((value, version)) => StoreReply::Found(value.clone(), Version(version.to_string())),
                None => StoreReply::Missing,
            },
            StoreOp::Save { parts, head } => {
                if head.as_ref().is_some_and(|head| !self.holds(head)) {
                    return StoreReply::Conflict;
                }
                for part in parts {
                    self.put(part.key, part.value);
                }
                match head {
                    Some(head) => StoreReply::Saved(Version(self.put(head.key, head.value).to_string())),
                    None => StoreReply::Saved(Version::default()),
                }
            }
            StoreOp::List { prefix, after, limit } => {
                let from = match after.filter(|after| *after >= prefix) {
                    Some(after) => Bound::Excluded(after),
                    None => Bound::Included(prefix.clone()),
                };
                let keys = self.values.range((from, Bound::Unbounded)).map(|(key, _)| key);
                StoreReply::Listed(keys.take_while(|key| key.starts_with(&prefix)).take(limit).cloned().collect())
            }
            StoreOp::Delete(keys) => {
                for key in keys {
                    self.values.remove(&key);
                }
                StoreReply::Deleted
            }
        }
    }

    fn holds(&self, head: &Head) -> bool {
        let version = self.values.get(&head.key).map(|(_, version)| version.to_string());
        match &head.expect {
            Expect::Any => true,
            Expect::Absent => version.is_none(),
            Expect::Version(expected) => version.as_ref() == Some(&expected.0),
        }
    }

    fn put(&mut self, key: String, value: Vec<u8>) -> u64 {
        self.last += 1;
        self.values.insert(key, (value, self.last));
        self.last
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use crate::run::store::Part;

    fn save(store: &mut MemoryStore, key: &str, expect: Expect) -> StoreReply {
        let head = Head { key: key.into(), value: b"v".to_vec(), expect };
        store.perform(StoreOp::Save {
            parts: vec![Part { key: format!("{key}.part"), value: vec![1] }],
            head: Some(head),
        })
    }

    #[test]
    fn a_save_happens_only_under_its_expectation() {
        let mut store = MemoryStore::new();
        let StoreReply::Saved(first) = save(&mut store, "a", Expect::Absent) else { panic!("not saved") };
        assert_eq!(save(&mut store, "a", Expect::Absent), StoreReply::Conflict);
        let StoreReply::Saved(second) = save(&mut store, "a", Expect::Version(first.clone())) else {
            panic!("not saved")
        };
        assert_ne!(first, second);
        assert_eq!(save(&mut store, "a", Expect::Version(first)), StoreReply::Conflict);
        assert!(matches!(save(&mut store, "a", Expect::Any), StoreReply::Saved(_)));
    }

    #[test]
    fn a_conflict_writes_no_part() {
        let mut store = MemoryStore::new();
        assert_eq!(save(&mut store, "a", Expect::Version(Version("9".into()))), StoreReply::Conflict);
        assert_eq!(store.keys().count(), 0);
    }

    #[test]
    fn lists_in_order_and_deletes() {
        let mut store = MemoryStore::new();
        for key in ["b/2", "a/1", "b/1", "b/3", "c"] {
            save(&mut store, key, Expect::Any);
        }
        let list = |store: &mut MemoryStore, after: Option<&str>, limit| {
            let after = after.map(str::to_owned);
            match store.perform(StoreOp::List { prefix: "b/".into(), after, limit }) {
                StoreReply::Listed(keys) => keys,
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(list(&mut store, None, 3), ["b/1", "b/1.part", "b/2"]);
        assert_eq!(list(&mut store, Some("b/2"), 9), ["b/2.part", "b/3", "b/3.part"]);
        assert_eq!(store.perform(StoreOp::Delete(vec!["b/1".into(), "nothing".into()])), StoreReply::Deleted);
        assert_eq!(store.perform(StoreOp::Load("b/1".into())), StoreReply::Missing);
    }
}
