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
        for byte in low..=high {
            if let Some(word) = self.0.get_mut(usize::from(byte >> 6)) {
                *word |= 1 << (byte & 63);
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
}

/// The last character.
const LAST: u32 = 0x10_FFFF;
/// The first that is not ASCII.
const WIDE: u32 = 0x80;

/// A set of characters: ranges, ascending and apart. It may span numbers that are no character; no text holds
/// them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Chars(pub(super) Vec<(u32, u32)>);

impl Chars {
    /// Adds the characters from `low` to `high`.
    pub(super) fn add(&mut self, mut low: u32, mut high: u32) {
        let mut at = 0;
        while let Some(&(first, last)) = self.0.get(at) {
            if last.saturating_add(1) < low {
                at += 1;
            } else if high.saturating_add(1) < first {
                break;
            } else {
                low = low.min(first);
                high = high.max(last);
                self.0.remove(at);
            }
        }
        self.0.insert(at, (low, high));
    }

    /// Adds another set.
    pub(super) fn join(&mut self, other: &Chars) {
        for &(low, high) in &other.0 {
            self.add(low, high);
        }
    }

    /// All characters that are not in it.
    pub(super) fn not(&self) -> Chars {
        let mut out = Vec::new();
        let mut from = 0;
        for &(low, high) in &self.0 {
            if low > from {
                out.push((from, low - 1));
            }
            from = high.saturating_add(1);
        }
        if from <= LAST {
            out.push((from, LAST));
        }
        Chars(out)
    }

    /// Adds the other case of its ASCII letters.
    pub(super) fn fold(&mut self) {
        for upper in u32::from(b'A')..=u32::from(b'Z') {
            let lower = upper | 32;
            let has = |char| self.0.iter().any(|&(low, high)| low <= char && char <= high);
            if has(upper) || has(lower) {
                self.add(upper, upper);
                self.add(lower, lower);
            }
        }
    }

    /// As bytes beside a place. None if it parts the characters that are not ASCII, since one byte can't tell them apart.
    pub(super) fn side(&self) -> Option<Side> {
        let mut bytes = ByteSet::default();
        for &(low, high) in &self.0 {
            if high >= WIDE {
                if low > WIDE || high != LAST {
                    return None;
                }
                bytes.add(0x80, 0xFF);
            }
            if low < WIDE {
                bytes.add(low as u8, high.min(WIDE - 1) as u8);
            }
        }
        Some(Side { bytes, edge: false })
    }
}
