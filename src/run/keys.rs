//! Where things are: the layout of keys. It is part of the stored format and can't be changed.
//!
//! `1/{scope}/!index/{run}` names a run's thread; `1/{scope}/!list/{time}-{run}` stands for it in the list
//! of runs, the newest first; `1/{scope}/{thread}/!active` names the thread's
//! last run, `1/{scope}/{thread}/!runs/{ordinal}` each run before it;
//! `1/{scope}/{thread}/{run}/head` decides a run's outcome and points to its parts;
//! `1/{scope}/{thread}/{run}/end` keeps its end where the store can't compare, and
//! `1/{scope}/{thread}/{run}/cancel` asks whoever writes it to cancel the run.
//! Under `public/` is all that the run's own customer may be sent; `private/` is raw.

use crate::Millis;
use crate::digest;
use std::fmt::Write;

/// The version of this layout, the first piece of every key.
const LAYOUT: &str = "1";
/// The longest escaped id that stands in a key as itself, in bytes.
const MAX_ID: usize = 64;

/// The keys of one thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadKeys {
    base: String,
    scope: String,
    thread: String,
}

/// The keys of one run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunKeys {
    base: String,
    scope: String,
    thread: String,
    run: String,
}

/// What kind of key it is, so that a host can send each to where it lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The index of runs: found by a run's id alone.
    Index,
    /// The list of a scope's runs.
    List,
    /// Everything that one thread owns.
    Thread,
}

/// The key of the index entry of a run.
pub fn index(scope: &str, run: &str) -> String {
    format!("{LAYOUT}/{}/!index/{}", escape(scope), escape(run))
}

/// What the keys of a scope's list of runs begin with.
pub fn list(scope: &str) -> String {
    format!("{LAYOUT}/{}/!list/", escape(scope))
}

/// The key of a run in its scope's list: of two runs the one that was claimed later comes first, and of two
/// claimed in one millisecond the one whose escaped id is less.
pub fn listed(scope: &str, at: Millis, run: &str) -> String {
    format!("{}{:016x}-{}", list(scope), !at, escape(run))
}

/// Where a key lives.
pub fn place(key: &str) -> Place {
    match key.split('/').nth(2) {
        Some("!index") => Place::Index,
        Some("!list") => Place::List,
        _ => Place::Thread,
    }
}

/// True for the key of a run's head. What else ends so is an index entry, of a run of that name.
pub fn is_head(key: &str) -> bool {
    key.ends_with("/head") && key.split('/').count() == 5
}

impl ThreadKeys {
    /// The keys of a thread in a scope.
    pub fn new(scope: &str, thread: &str) -> Self {
        let base = format!("{LAYOUT}/{}/{}", escape(scope), escape(thread));
        ThreadKeys { base, scope: scope.to_owned(), thread: thread.to_owned() }
    }

    /// The thread's scope, raw.
    pub fn scope(&self) -> &str {
        &self.scope
    }

    /// The thread's id, raw.
    pub fn thread(&self) -> &str {
        &self.thread
    }

    /// Names the thread's last claimed run.
    pub fn active(&self) -> String {
        format!("{}/!active", self.base)
    }

    /// Names a run that the thread has gone on from, by its ordinal.
    pub fn past(&self, ordinal: u32) -> String {
        format!("{}/!runs/{ordinal:08}", self.base)
    }

    /// What the keys of [`ThreadKeys::past`] begin with.
    pub fn pasts(&self) -> String {
        format!("{}/!runs/", self.base)
    }

    /// The keys of one of its runs.
    pub fn run(&self, run: &str) -> RunKeys {
        let base = format!("{}/{}", self.base, escape(run));
        RunKeys { base, scope: self.scope.clone(), thread: self.thread.clone(), run: run.to_owned() }
    }
}

impl RunKeys {
    /// The run's scope, raw.
    pub fn scope(&self) -> &str {
        &self.scope
    }

    /// Its thread's id, raw.
    pub fn thread(&self) -> &str {
        &self.thread
    }

    /// The run's id, raw.
    pub fn name(&self) -> &str {
        &self.run
    }

    /// What all its keys begin with. The head is among the first of them.
    pub fn all(&self) -> String {
        format!("{}/", self.base)
    }

    /// What the keys of all that is raw begin with.
    pub fn private(&self) -> String {
        format!("{}/private/", self.base)
    }

    /// The head.
    pub fn head(&self) -> String {
        format!("{}/head", self.base)
    }

    /// Is there once somebody wants the run cancelled whose instance does not hold it. The run looks for it
    /// beside its saves.
    pub fn cancel(&self) -> String {
        format!("{}/cancel", self.base)
    }

    /// The record of the run's end once more, where the store can't compare: nothing that is saved as the head
    /// afterwards can hide it.
    pub fn end(&self) -> String {
        format!("{}/end", self.base)
    }

    /// A journal segment: numbered densely from 0 per writer, so that a reader can bisect.
    pub fn segment(&self, writer: &str, number: u32) -> String {
        format!("{}/public/journal/{}/{number:08}", self.base, escape(writer))
    }

    /// A piece of an event that is too large for a segment.
    pub fn event(&self, writer: &str, sequence: u64, piece: u32) -> String {
        format!("{}/public/event/{}/{sequence:016}-{piece:04}", self.base, escape(writer))
    }

    /// A piece of the run's input as it came, for readers that join.
    pub fn echo(&self, writer: &str, piece: u32) -> String {
        format!("{}/public/echo/{}/{piece:08}", self.base, escape(writer))
    }

    /// A piece of the turn that an interrupted run has left, for the run that goes on with it. Raw: no
    /// reader ever asks for it.
    pub fn turn(&self, writer: &str, piece: u32) -> String {
        format!("{}/private/turn/{}/{piece:08}", self.base, escape(writer))
    }
}

/// The ordinal that a key of [`ThreadKeys::past`] ends with.
pub fn ordinal(key: &str) -> Option<u32> {
    key.rsplit('/').next()?.parse().ok()
}

/// An id as a piece of a key: letters, digits, `-` and `_` stand for themselves, any other byte is
/// `%XX`; what would be longer than 64 bytes is `~` and the SHA-256 of the id. No id gives an empty
/// piece, a dot, a slash, or a leading `!`.
pub fn escape(id: &str) -> String {
    let mut out = String::new();
    for byte in id.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' => out.push(byte.into()),
            _ => {
                let _ = write!(out, "%{byte:02X}");
            }
        }
        if out.len() > MAX_ID {
            return format!("~{}", hash(id));
        }
    }
    if out.is_empty() { "%".to_owned() } else { out }
}

/// An id as the beginning of derived ids.
pub fn tag(id: &str) -> String {
    digest::tag(id)
}

/// SHA-256 as 64 hex digits.
pub fn hash(text: &str) -> String {
    digest::hex(&[text])
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_layout_stands() {
        let keys = ThreadKeys::new("acme", "t 1");
        assert_eq!(keys.active(), "1/acme/t%201/!active");
        assert_eq!(keys.past(7), "1/acme/t%201/!runs/00000007");
        assert_eq!((place(&keys.past(7)), ordinal(&keys.past(7))), (Place::Thread, Some(7)));
        assert!(keys.past(7).starts_with(&keys.pasts()));
        let run = keys.run("r/1");
        assert_eq!(run.head(), "1/acme/t%201/r%2F1/head");
        assert_eq!(run.end(), "1/acme/t%201/r%2F1/end");
        assert_eq!(run.cancel(), "1/acme/t%201/r%2F1/cancel");
        assert_eq!(run.segment("i1-2", 7), "1/acme/t%201/r%2F1/public/journal/i1-2/00000007");
        assert_eq!(run.echo("i1-2", 0), "1/acme/t%201/r%2F1/public/echo/i1-2/00000000");
        assert_eq!(run.event("i1-2", 7, 3), "1/acme/t%201/r%2F1/public/event/i1-2/0000000000000007-0003");
        assert_eq!((run.scope(), run.thread(), run.name()), ("acme", "t 1", "r/1"));
        assert_eq!(run.turn("i1-2", 0), "1/acme/t%201/r%2F1/private/turn/i1-2/00000000");
        assert!(is_head(&run.head()) && is_head(&keys.run("head").head()));
        for other in [keys.active(), run.echo("head", 0), index("acme", "head"), index("acme/t", "head")] {
            assert!(!is_head(&other), "{other}");
        }
        assert!(run.head().starts_with(&run.all()) && run.turn("w", 0).starts_with(&run.private()));
        assert_eq!(index("acme", "r/1"), "1/acme/!index/r%2F1");
        assert_eq!(listed("acme", 0x18c, "r/1"), "1/acme/!list/fffffffffffffe73-r%2F1");
        assert!(listed("acme", 2, "a") < listed("acme", 1, "a"), "the newest first");
        assert_eq!(place(&list("acme")), Place::List);
        assert_eq!(place(&index("acme", "r")), Place::Index);
        assert_eq!(place(&run.head()), Place::Thread);
        assert_eq!(place(&ThreadKeys::new("acme", "!index").run("r").head()), Place::Thread);
    }

    #[test]
    fn hostile_ids_stay_in_their_place() {
        let long = "x".repeat(4096);
        for id in ["..", "a/b", "line\nbreak", "\0", "\u{1F600}", "%2F", "~", "!active", "", &long] {
            let piece = escape(id);
            assert!(piece.len() <= 65 && !piece.is_empty(), "{piece}");
            assert!(!piece.contains(['/', '.', '!', '\n', '\0']), "{piece}");
        }
        assert_eq!(escape(&long).len(), 65);
    }

    proptest! {
        #[test]
        fn different_ids_give_different_pieces(a in ".{0,90}", b in ".{0,90}") {
            prop_assert_eq!(a == b, escape(&a) == escape(&b));
        }
    }
}
