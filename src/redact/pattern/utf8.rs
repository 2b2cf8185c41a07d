//! Ranges of characters as ranges of bytes.
//!
//! They are right for texts in UTF-8 and wider than need be for others: what no such text holds may be in them,
//! if that makes them fewer.

/// By how many bytes follow the first one, from one on: the first such character, and the last.
const LENGTHS: [(u32, u32); 3] = [(0x80, 0x7FF), (0x800, 0xFFFF), (0x1_0000, 0x10_FFFF)];

/// Parts of a range of characters: from, to, and how many bytes follow the first. The bytes of each part are one range for every
/// place.
pub(super) fn parts(low: u32, high: u32) -> Vec<(u32, u32, u32)> {
    let mut out = Vec::new();
    for (&(first, last), behind) in LENGTHS.iter().zip(1..) {
        let (mut from, mut to) = (low.max(first), high.min(last));
        if from > to {
            continue;
        }
        // A three-byte encoding of 0 is none, so from the first on is from 0 on; likewise at the end of all.
        if from == first && behind > 1 {
            from = 0;
        }
        if to == 0x10_FFFF {
            to = 0x13_FFFF;
        }
        while from <= to {
            let end = end(from, to, behind);
            out.push((from, end, behind));
            from = end + 1;
        }
    }
    out
}

/// Where the first part of a range ends.
fn end(from: u32, mut to: u32, behind: u32) -> u32 {
    for place in (1..=behind).rev() {
        let mask = (1 << (6 * place)) - 1;
        // With one beginning, what is behind it is any range. Else it must be all that there is.
        if from & !mask != to & !mask {
            if from & mask != 0 {
                to = from | mask;
            } else if to & mask != mask {
                to = (to & !mask) - 1;
            }
        }
    }
    to
}

/// The byte of a character behind which so many follow, of the `behind` that follow the first.
pub(super) fn byte(char: u32, follow: u32, behind: u32) -> u8 {
    let bits = char >> (6 * follow);
    if follow < behind { (0x80 | bits & 0x3F) as u8 } else { (0xF0 << (3 - behind) | bits) as u8 }
}
