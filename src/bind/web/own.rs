//! What runs bring that have an upstream of their own, until their machine is made.

use super::given::Given;
use crate::http::Config;
use std::cell::RefCell;

/// What one run brings.
pub struct Own {
    /// Its configuration, of which the store is the thread's.
    pub config: Config,
    /// Its upstream.
    pub given: Given,
}

/// What the runs of a thread bring, by their ids, in the order in which they were posted.
#[derive(Default)]
pub struct Owns(RefCell<Vec<(String, Own)>>);

impl Owns {
    /// A run is posted.
    pub fn bring(&self, run: &str, own: Own) {
        self.0.borrow_mut().push((run.to_owned(), own));
    }

    /// Takes what was brought first for the run.
    pub fn take(&self, run: &str) -> Option<Own> {
        let mut owns = self.0.borrow_mut();
        let at = owns.iter().position(|(id, _)| id == run)?;
        Some(owns.remove(at).1)
    }
}
