//! A place in a text, and what of literals ends or is still possible there.

use super::tree::ROOT;
use super::{Hit, Literals, RUN, fold, is_word, is_word_byte};

/// Goes over one text, a byte at a time. All calls take the literals that it goes over the text for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cursor {
    /// The longest beginning of a literal that the text ends with.
    state: u16,
    /// Behind the last byte. Values alone need it.
    at: u64,
    /// The character before is a letter or digit, or the bytes of one.
    after_word: bool,
    /// How many characters of white space are the last ones.
    run: u8,
    /// The character whose bytes are not all here: how many are missing, the bits so far, where it starts.
    missing: u8,
    bits: u32,
    start: u64,
    /// Where the last folded characters start, by their number, of which only the last bits count. Terms alone
    /// need it.
    starts: Vec<u64>,
    symbols: usize,
    steps: u64,
}

impl Cursor {
    /// Takes the byte at this position. Gives what ends before it, which only this byte decides.
    pub(crate) fn step(&mut self, literals: &Literals, byte: u8, position: u64) -> Option<Hit> {
        let hit = self.hit(literals, Some(byte), position);
        if literals.terms {
            self.decode(literals, byte, position);
        } else {
            self.at = position.saturating_add(1);
            self.state = literals.tree.follow(self.state, u32::from(byte), false, &mut self.steps);
        }
        hit
    }

    /// Takes the end of the text, which is at this position. The cursor is then as new but for its count.
    pub(crate) fn end(&mut self, literals: &Literals, position: u64) -> Option<Hit> {
        let hit = self.hit(literals, None, position);
        self.reset();
        hit
    }

    /// Begins anew: nothing stands before.
    pub(crate) fn reset(&mut self) {
        let starts = std::mem::take(&mut self.starts);
        *self = Cursor { starts, steps: self.steps, ..Cursor::default() };
    }

    /// Where the earliest literal that is still possible starts, one that ends here among them, since what
    /// follows decides. Exact where a character ends; within one it may be too small.
    pub(crate) fn frontier(&self, literals: &Literals) -> Option<u64> {
        match self.state {
            ROOT if self.missing > 0 => Some(self.start),
            ROOT => None,
            state => Some(self.back(literals, literals.tree.node(state).depth)),
        }
    }

    /// True if no literal is possible here, and the text is not within a character.
    pub(crate) fn is_idle(&self) -> bool {
        self.state == ROOT && self.missing == 0
    }

    /// Leaves out a piece of the text, whole characters: an [idle](Cursor::is_idle) cursor may leave out that in
    /// which no match can begin, by its bytes ([`Literals::begins`]) or by what stands before each. Only the last
    /// character counts: it is what stands before the next. The piece ends at that position, perhaps within a
    /// character.
    pub(crate) fn skip(&mut self, literals: &Literals, skipped: &[u8], end: u64) {
        if !literals.terms {
            return;
        }
        let last = skipped.iter().rposition(|byte| byte & 0xC0 != 0x80).unwrap_or_default();
        let position = end.saturating_sub((skipped.len() - last) as u64);
        for byte in skipped.get(last..).unwrap_or_default() {
            self.decode(literals, *byte, position);
        }
        // The last one might begin something, if another stood before it than does.
        self.state = ROOT;
    }

    /// How often it has gone from one node to another, or stayed.
    pub(crate) fn steps(&self) -> u64 {
        self.steps
    }

    /// What ends here.
    fn hit(&self, literals: &Literals, next: Option<u8>, end: u64) -> Option<Hit> {
        if self.state == ROOT || self.missing > 0 {
            return None;
        }
        let node = literals.tree.node(self.state);
        let within = literals.terms && is_word(node.symbol) && next.is_some_and(is_word_byte);
        let found = node.longest > 0 && !within;
        found.then(|| Hit { start: self.back(literals, node.longest), end, rule: node.rule })
    }

    /// Where the last symbols start.
    fn back(&self, literals: &Literals, symbols: u16) -> u64 {
        if literals.terms {
            let place = self.symbols.wrapping_sub(usize::from(symbols)) & literals.ring;
            return self.starts.get(place).copied().unwrap_or_default();
        }
        self.at.saturating_sub(u64::from(symbols))
    }

    /// Takes a byte of a character.
    fn decode(&mut self, literals: &Literals, byte: u8, position: u64) {
        let bits = u32::from(byte);
        match byte {
            // Most text: an ASCII character with which no term begins here.
            0..0x80 if self.state == ROOT && (is_word_byte(byte) && self.after_word || !literals.begins(byte)) => {
                (self.after_word, self.run, self.missing) = (is_word_byte(byte), 0, 0);
                return;
            }
            0x80..=0xBF if self.missing > 0 => {
                self.bits = self.bits << 6 | bits & 0x3F;
                self.missing -= 1;
            }
            // As text is valid, this is an ASCII character or the first byte of another.
            _ => {
                self.start = position;
                self.missing = byte.leading_ones().saturating_sub(1).min(3) as u8;
                self.bits = if self.missing == 0 { bits } else { bits & (0x3F >> self.missing) };
            }
        }
        if self.missing == 0 {
            self.character(literals, self.bits);
        }
    }

    /// Takes a character.
    fn character(&mut self, literals: &Literals, character: u32) {
        if fold::is_space(character) {
            self.run = self.run.saturating_add(1);
            match self.run {
                1 => self.symbol(literals, fold::SPACE),
                2..=RUN => {}
                _ => self.state = ROOT,
            }
            return;
        }
        self.run = 0;
        fold::each(character, &mut |symbol| self.symbol(literals, symbol));
    }

    /// Takes a folded character.
    fn symbol(&mut self, literals: &Literals, symbol: u32) {
        if self.starts.is_empty() {
            self.starts = vec![0; literals.ring + 1];
        }
        if let Some(start) = self.starts.get_mut(self.symbols & literals.ring) {
            *start = self.start;
        }
        self.symbols = self.symbols.wrapping_add(1);
        let word = is_word(symbol);
        let within = word && self.after_word;
        self.state = literals.tree.follow(self.state, symbol, within, &mut self.steps);
        self.after_word = word;
    }
}
