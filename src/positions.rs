//! Where things stand, by name.

use serde_json::{Map, Value};

/// A map from names to positions.
///
/// It is JSON's own map inside, since every further kind of tree would make the module larger by
/// several KB of code.
#[derive(Clone, Debug, Default)]
pub(crate) struct Positions(Map<String, Value>);

impl Positions {
    /// The name's position.
    pub(crate) fn of(&self, name: &str) -> Option<usize> {
        self.0.get(name)?.as_u64()?.try_into().ok()
    }

    /// True if the name has a position.
    pub(crate) fn contains(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// Gives the name a position, in place of the one that it had.
    pub(crate) fn insert(&mut self, name: &str, position: usize) {
        self.0.insert(name.to_owned(), position.into());
    }

    /// Takes the name's position away.
    pub(crate) fn remove(&mut self, name: &str) {
        self.0.remove(name);
    }
}
