//! Sets of bytes and of characters.

/// A set of bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ByteSet(pub(crate) [u64; 4]);

impl ByteSet {
    /// True if the byte is in it.
    pub(crate) fn contains(&self, byte: u8) -> bool {
        self.0.get(usize::from(byte >> 6)).is_some_and(|word| word >> (byte & 63) & 1 == 1)
    }

    /// Adds the bytes from `low` to `high`.
    pub(super) fn add(&mut self, low: u8, high: u8) {
        for (word, of) in self.0.iter_mut().zip(0..) {
            for bit in 0..64 {
                let byte = of * 64 + bit;
                *word |= u64::from(low <= byte && byte <= high) << bit;
            }
        }
    }
}

/// What may stand on one side of a place: a byte of a set, or nothing because the text starts or ends there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Side {
    /// The bytes that may.
    pub(super) bytes: ByteSet,
    /// Nothing may.
    pub(super) edge: bool,
}

impl Side {
    /// Whatever stands there.
    pub(super) const ANY: Side = Side { bytes: ByteSet([u64::MAX; 4]), edge: true };
    /// The text's edge.
    pub(super) const EDGE: Side = Side { bytes: ByteSet([0; 4]), edge: true };

    /// All that it is not.
    pub(super) fn not(self) -> Side {
        Side { bytes: ByteSet(self.bytes.0.map(|word| !word)), edge: !self.edge }
    }

    /// True if this may stand there; `None` is the edge.
    pub(super) fn has(&self, byte: Option<u8>) -> bool {
        byte.map_or(self.edge, |byte| self.bytes.contains(byte))
    }
}

/// The last character.
const LAST: u32 = 0x10_FFFF;
/// The first that is not ASCII.
const WIDE: u32 = 0x80;

/// A set of characters as ranges. They may span numbers that are no character; no text holds them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Chars(pub(super) Vec<(u32, u32)>);

impl Chars {
    /// The last of the range in which the character is.
    fn range(&self, char: u32) -> Option<u32> {
        self.0.iter().find(|range| range.0 <= char && char <= range.1).map(|range| range.1)
    }

    /// All characters that are not in it, ascending.
    pub(super) fn not(&self) -> Chars {
        let mut out = Vec::new();
        let mut from = 0;
        while from <= LAST {
            if let Some(last) = self.range(from) {
                from = last + 1;
                continue;
            }
            let next = self.0.iter().map(|range| range.0).filter(|&low| low > from).min().unwrap_or(LAST + 1);
            out.push((from, next - 1));
            from = next;
        }
        Chars(out)
    }

    /// Adds the other case of its ASCII letters.
    pub(super) fn fold(&mut self) {
        for upper in 0x41..=0x5A {
            let lower = upper | 32;
            if self.range(upper).or(self.range(lower)).is_some() {
                self.0.push((upper, upper));
                self.0.push((lower, lower));
            }
        }
    }

    /// As bytes beside a place, if it is ascending. None if it parts the characters that are not ASCII, since
    /// one byte can't tell them apart.
    pub(super) fn side(&self) -> Option<Side> {
        let mut bytes = ByteSet::default();
        for &(low, high) in &self.0 {
            if high < WIDE {
                bytes.add(low as u8, high as u8);
            } else if low <= WIDE && high == LAST {
                bytes.add(low as u8, 0xFF);
            } else {
                return None;
            }
        }
        Some(Side { bytes, edge: false })
    }
}
