//! A store on disk: what it keeps is not in memory, but for where it stands.

use crate::common::agent::Store;
use crate::counted::aside;
use lastword::run::{Expect, Head, StoreOp, StoreReply, Version};
use std::collections::BTreeMap;
use std::fs::File;
use std::os::unix::fs::FileExt;

/// Values one behind the other in a file that is gone with the process.
pub struct Disk {
    file: File,
    end: u64,
    places: BTreeMap<String, (u64, usize, u64)>,
    version: u64,
    pub segments: usize,
}

impl Disk {
    pub fn new() -> Self {
        let path = std::env::temp_dir().join(format!("lastword-{}-{:p}", std::process::id(), &()));
        let file = File::options().read(true).write(true).create_new(true).open(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        Disk { file, end: 0, places: BTreeMap::new(), version: 0, segments: 0 }
    }

    pub fn load(&self, key: &str) -> Option<Vec<u8>> {
        let (at, length, _) = self.places.get(key)?;
        let mut value = vec![0; *length];
        self.file.read_exact_at(&mut value, *at).unwrap();
        Some(value)
    }

    fn put(&mut self, key: String, value: &[u8]) -> u64 {
        self.file.write_all_at(value, self.end).unwrap();
        self.version += 1;
        self.segments += usize::from(key.contains("/public/journal/"));
        let place = (self.end, value.len(), self.version);
        aside(|| self.places.insert(key.as_str().to_owned(), place));
        self.end += value.len() as u64;
        self.version
    }

    fn holds(&self, head: &Head) -> bool {
        let version = self.places.get(&head.key).map(|(_, _, version)| version.to_string());
        match &head.expect {
            Expect::Any => true,
            Expect::Absent => version.is_none(),
            Expect::Version(expected) => version.as_ref() == Some(&expected.0),
        }
    }
}

impl Store for Disk {
    fn perform(&mut self, op: StoreOp) -> StoreReply {
        match op {
            StoreOp::Load(key) => match (self.load(&key), self.places.get(&key)) {
                (Some(value), Some((_, _, version))) => StoreReply::Found(value, Version(version.to_string())),
                _ => StoreReply::Missing,
            },
            StoreOp::Save { parts, head } => {
                if head.as_ref().is_some_and(|head| !self.holds(head)) {
                    return StoreReply::Conflict;
                }
                for part in parts {
                    self.put(part.key, &part.value);
                }
                let version = head.map(|head| self.put(head.key, &head.value).to_string());
                StoreReply::Saved(Version(version.unwrap_or_default()))
            }
            _ => StoreReply::Unavailable,
        }
    }
}
