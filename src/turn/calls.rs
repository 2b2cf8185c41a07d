//! The function calls of one response, gathered until it ends.

use super::{MAX_ARGUMENTS, MAX_CALLS};
use crate::error::ErrorKind;
use crate::input::Call;
use crate::json;
use crate::positions::Positions;

/// The longest call id that passes through, in bytes as JSON writes it: the head lists it while its call runs.
const MAX_ID: usize = 64;
/// The longest tool name, in bytes.
const MAX_NAME: usize = 256;

/// Gathers calls and gives each an id that is unique in the thread.
pub(super) struct Calls {
    tag: String,
    used: Positions,
    derived: u32,
    open: Vec<(u32, Call)>,
    bytes: usize,
}

impl Calls {
    pub(super) fn new(tag: &str, used: &[&str]) -> Self {
        let mut calls =
            Calls { tag: tag.to_owned(), used: Positions::default(), derived: 0, open: Vec::new(), bytes: 0 };
        for (at, id) in used.iter().enumerate() {
            calls.used.insert(id, at);
        }
        calls
    }

    pub(super) fn started(&mut self, index: u32, id: &str, name: &str) -> Result<(), ErrorKind> {
        if self.open.len() >= MAX_CALLS || name.len() > MAX_NAME {
            return Err(ErrorKind::OutputLimit);
        }
        let id = self.unique(id);
        self.open.push((index, Call { id, name: name.to_owned(), arguments: String::new() }));
        Ok(())
    }

    pub(super) fn named(&mut self, index: u32, name: &str) -> Result<(), ErrorKind> {
        if name.len() > MAX_NAME {
            return Err(ErrorKind::OutputLimit);
        }
        if let Some(call) = self.find(index) {
            call.name = name.to_owned();
        }
        Ok(())
    }

    pub(super) fn argued(&mut self, index: u32, delta: &str) -> Result<(), ErrorKind> {
        self.bytes += delta.len();
        if self.bytes > MAX_ARGUMENTS {
            return Err(ErrorKind::OutputLimit);
        }
        if let Some(call) = self.find(index) {
            call.arguments.push_str(delta);
        }
        Ok(())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// All calls of the response, in order; the next response begins without any.
    pub(super) fn take(&mut self) -> Vec<Call> {
        self.bytes = 0;
        self.open.drain(..).map(|(_, call)| call).collect()
    }

    /// Drops the calls of a response that was not decided. Nobody has heard of them: their ids are free.
    pub(super) fn discard(&mut self) {
        for call in self.take() {
            self.used.remove(&call.id);
        }
    }

    fn find(&mut self, index: u32) -> Option<&mut Call> {
        self.open.iter_mut().rev().find(|(at, _)| *at == index).map(|(_, call)| call)
    }

    /// An id passes through unless it is empty, too long, or used in the thread.
    fn unique(&mut self, id: &str) -> String {
        let mut id = id.to_owned();
        while id.is_empty() || !json::is_short(&id, MAX_ID) || self.used.contains(&id) {
            self.derived += 1;
            id = format!("{}-x{}", self.tag, self.derived);
            if !self.used.contains(&id) {
                break;
            }
        }
        self.used.insert(&id, self.open.len());
        id
    }
}
