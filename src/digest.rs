//! SHA-256, as 64 hex digits in lower case.

use crate::json;
use sha2::{Digest, Sha256};

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
    push_hex(&hash.finalize(), &mut out);
    out
}

/// Appends bytes as hex digits in lower case.
pub(crate) fn push_hex(bytes: &[u8], out: &mut String) {
    for digit in bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]) {
        out.extend(char::from_digit(u32::from(digit), 16));
    }
}
