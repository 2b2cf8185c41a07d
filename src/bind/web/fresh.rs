//! What this instance has saved last, for readers beside the writer: live readers ask for it at once, and
//! each read of a store costs.

use crate::run::Part;
use std::cell::RefCell;

/// The most values, and the most bytes of them, that are kept.
const MOST: (usize, usize) = (64, 1 << 20);

/// Values that are durable, newest last.
#[derive(Default)]
pub struct Fresh(RefCell<Vec<Part>>);

impl Fresh {
    /// The value under that key, if it is kept.
    pub fn find(&self, key: &str) -> Option<Vec<u8>> {
        self.0.borrow().iter().rev().find(|part| part.key == key).map(|part| part.value.clone())
    }

    /// Keeps values, and lets go of the oldest.
    pub fn keep(&self, parts: Vec<Part>) {
        let mut fresh = self.0.borrow_mut();
        fresh.extend(parts);
        let mut bytes = 0;
        let kept = fresh.iter().rev().take(MOST.0).take_while(|part| {
            bytes += part.value.len();
            bytes <= MOST.1
        });
        let old = fresh.len() - kept.count();
        fresh.drain(..old);
    }

    /// Keeps only the values that `keeps` is true for.
    pub fn retain(&self, keeps: &mut dyn FnMut(&Part) -> bool) {
        self.0.borrow_mut().retain(|part| keeps(part));
    }
}
