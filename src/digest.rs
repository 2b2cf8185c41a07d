//! SHA-256, as 64 hex digits in lower case.

use crate::json;
use sha2::{Digest, Sha256};
use std::fmt::Write;

/// The longest id that stands for itself at the beginning of derived ids, in bytes as JSON writes it: the head
/// lists such ids.
const SHORT: usize = 64;

/// An id as the beginning of derived ids: itself if it is short, else a part of its hash.
pub(crate) fn tag(id: &str) -> String {
    if json::is_short(id, SHORT) { id.to_owned() } else { hex(&[id]).chars().take(32).collect() }
}

/// The digest of the pieces, one behind the other.
pub(crate) fn hex(pieces: &[&str]) -> String {
    let mut hash = Sha256::new();
    for piece in pieces {
        hash.update(piece);
    }
    let mut out = String::with_capacity(64);
    for byte in hash.finalize() {
        // Writing to a string never fails.
        let _ = write!(out, "{byte:02x}");
    }
    out
}
