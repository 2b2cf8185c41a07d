//! Ranges of characters as ranges of bytes.

/// A sequence of ranges of bytes: the encoding of every character of a range is one byte of each.
pub(super) type Sequence = Vec<(u8, u8)>;

/// By the length of an encoding from two bytes on: its first character, its last, and the mark in its first byte.
const LENGTHS: [(u32, u32, u8); 3] = [(0x80, 0x7FF, 0xC0), (0x800, 0xFFFF, 0xE0), (0x1_0000, 0x10_FFFF, 0xF0)];

/// The sequences for the characters from `low` to `high`, of those that are not ASCII.
///
/// They are right for texts in UTF-8 and wider than need be for others: what no such text holds may be in them,
/// if that makes them fewer.
pub(super) fn sequences(low: u32, high: u32) -> Vec<Sequence> {
    let mut out = Vec::new();
    for (length, (first, last, mark)) in (1u32..).zip(LENGTHS) {
        let (mut from, mut to) = (low.max(first), high.min(last));
        if from > to {
            continue;
        }
        // A three-byte encoding of 0 is none, so from the first on is from 0 on; likewise at the end of all.
        if from == first && length > 1 {
            from = 0;
        }
        if to == 0x10_FFFF {
            to = 0x13_FFFF;
        }
        // What is left to split; the lower part is last.
        let mut parts = vec![(from, to)];
        while let Some((from, to)) = parts.pop() {
            match cut(from, to, length) {
                Some(at) => {
                    parts.push((at, to));
                    parts.push((from, at - 1));
                }
                None => out.push(bytes(from, to, length, mark)),
            }
        }
    }
    out
}

/// Where a range must be cut so that its lower part is one sequence or nearer to it: none if it is one.
fn cut(from: u32, to: u32, length: u32) -> Option<u32> {
    (1..=length).find_map(|behind| {
        let mask = (1u32 << (6 * behind)) - 1;
        // With one beginning, what is behind it is any range. Else it must be all that there is.
        if from & !mask == to & !mask {
            None
        } else if from & mask != 0 {
            Some((from | mask) + 1)
        } else if to & mask != mask {
            Some(to & !mask)
        } else {
            None
        }
    })
}

/// The range as one sequence.
fn bytes(from: u32, to: u32, length: u32, mark: u8) -> Sequence {
    (0..=length)
        .rev()
        .map(|behind| {
            let part = |char: u32| {
                let bits = (char >> (6 * behind)) as u8;
                if behind == length { mark | bits } else { 0x80 | (bits & 0x3F) }
            };
            (part(from), part(to))
        })
        .collect()
}
