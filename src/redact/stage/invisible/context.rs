//! What a visible character means for the invisible ones next to it.
//!
//! The tables are coarse where a finer one would change nothing that is seen: blocks of a script with its digits and
//! punctuation, blocks of symbols with those that are no emoji. The tests hold them against Unicode's own.

/// What an invisible character next to this one may be for, as a set.
#[derive(Clone, Copy, Default, PartialEq)]
pub(super) struct Context(u16);

impl Context {
    pub(super) const NONE: Context = Context(0);
    /// An emoji, or a symbol that may become one.
    pub(super) const EMOJI: Context = Context(1);
    /// Of a script that the joiners shape.
    pub(super) const JOINED: Context = Context(1 << 1);
    /// Of a script that is written joined up.
    pub(super) const CURSIVE: Context = Context(1 << 2);
    /// The virama of a script of India.
    pub(super) const VIRAMA: Context = Context(1 << 3);
    /// Of a script that is written from right to left.
    pub(super) const RIGHT_TO_LEFT: Context = Context(1 << 4);
    /// A Chinese character.
    pub(super) const IDEOGRAPH: Context = Context(1 << 5);
    /// A letter of Mongolian.
    pub(super) const MONGOLIAN: Context = Context(1 << 6);
    /// A point or accent of Hebrew.
    pub(super) const HEBREW_POINT: Context = Context(1 << 7);
    /// What is on keys of a telephone.
    pub(super) const KEY: Context = Context(1 << 8);
    /// The key around it.
    pub(super) const KEYCAP: Context = Context(1 << 9);
    /// The flag of which tags make another.
    pub(super) const BLACK_FLAG: Context = Context(1 << 10);
    /// It has a variation selector already.
    pub(super) const VARIED: Context = Context(1 << 11);

    pub(super) fn any(self, other: Context) -> bool {
        self.0 & other.0 != 0
    }

    /// What it is with this invisible character behind it.
    pub(super) fn behind(self, c: char) -> Context {
        match c {
            '\u{200c}'..='\u{200f}' | '\u{61c}' => Context::NONE,
            _ => Context((self.0 | Context::VARIED.0) & !Context::BLACK_FLAG.0),
        }
    }

    /// What a visible character means.
    pub(super) fn of(c: char) -> Context {
        let code = u32::from(c);
        if code < 0xa9 {
            return if matches!(c, '0'..='9' | '#' | '*') { Context::KEY } else { Context::NONE };
        }
        let mut set = match code {
            0x20e3 => Context::KEYCAP.0,
            0x1f3f4 => Context::BLACK_FLAG.0,
            0x20000..0x3d000 => Context::IDEOGRAPH.0,
            0xdca => Context::VIRAMA.0,
            // The blocks of these nine scripts are laid out alike.
            0x900..0xd80 if code & 0x7f == 0x4d => Context::VIRAMA.0,
            _ => 0,
        };
        let table: &[Range] = match code >> 16 {
            0 => &PLANE_0,
            1 => &PLANE_1,
            _ => &[],
        };
        let low = code as u16;
        for (_, _, kind) in table.iter().filter(|(from, to, _)| (*from..=*to).contains(&low)) {
            set |= kind.0;
        }
        Context(set)
    }
}

/// From and to within a plane, and what they mean.
type Range = (u16, u16, Context);

const EMOJI: Context = Context::EMOJI;
const JOINED: Context = Context::JOINED;
const CURSIVE: Context = Context(Context::JOINED.0 | Context::CURSIVE.0);
const RIGHT_TO_LEFT: Context = Context::RIGHT_TO_LEFT;

static PLANE_0: [Range; 47] = [
    (0xa9, 0xa9, EMOJI),
    (0xae, 0xae, EMOJI),
    (0x203c, 0x203c, EMOJI),
    (0x2049, 0x2049, EMOJI),
    (0x2122, 0x2122, EMOJI),
    (0x2139, 0x2139, EMOJI),
    (0x2194, 0x21aa, EMOJI),
    (0x231a, 0x231b, EMOJI),
    (0x2328, 0x2328, EMOJI),
    (0x23cf, 0x23fa, EMOJI),
    (0x24c2, 0x24c2, EMOJI),
    (0x25aa, 0x25fe, EMOJI),
    (0x2600, 0x2767, EMOJI),
    (0x2795, 0x27bf, EMOJI),
    (0x2934, 0x2935, EMOJI),
    (0x2b05, 0x2b55, EMOJI),
    (0x3030, 0x3030, EMOJI),
    (0x303d, 0x303d, EMOJI),
    (0x3297, 0x3299, EMOJI),
    (0x0591, 0x05c7, Context::HEBREW_POINT),
    (0x0590, 0x08ff, RIGHT_TO_LEFT),
    (0x0600, 0x077f, CURSIVE),
    (0x07c0, 0x07ff, CURSIVE),
    (0x0840, 0x08ff, CURSIVE),
    (0x0900, 0x0dff, JOINED),
    (0x1000, 0x109f, JOINED),
    (0x1700, 0x1734, JOINED),
    (0x1780, 0x17ff, JOINED),
    (0x1800, 0x18af, CURSIVE),
    (0x1820, 0x18aa, Context::MONGOLIAN),
    (0x1a20, 0x1bff, JOINED),
    (0x1cd0, 0x1cff, JOINED),
    (0xa800, 0xa82f, JOINED),
    (0xa840, 0xa87f, CURSIVE),
    (0xa880, 0xa8ff, JOINED),
    (0xa930, 0xa95f, JOINED),
    (0xa980, 0xa9ff, JOINED),
    (0xaa60, 0xaa7f, JOINED),
    (0xaae0, 0xaaff, JOINED),
    (0xabc0, 0xabff, JOINED),
    (0x3400, 0x4dbf, Context::IDEOGRAPH),
    (0x4e00, 0x9fff, Context::IDEOGRAPH),
    (0xf900, 0xfaff, Context::IDEOGRAPH),
    (0xfb1d, 0xfdff, RIGHT_TO_LEFT),
    (0xfb50, 0xfdff, JOINED),
    (0xfe70, 0xfefe, RIGHT_TO_LEFT),
    (0xfe70, 0xfefe, JOINED),
];

static PLANE_1: [Range; 18] = [
    (0x0800, 0x0fff, RIGHT_TO_LEFT),
    (0x0a00, 0x0a5f, JOINED),
    (0x0ac0, 0x0aff, CURSIVE),
    (0x0b80, 0x0baf, CURSIVE),
    (0x0d00, 0x0d3f, CURSIVE),
    (0x0ec0, 0x0eff, CURSIVE),
    (0x0f30, 0x0fdf, CURSIVE),
    (0x1000, 0x1fff, JOINED),
    (0x6100, 0x613f, JOINED),
    (0x6d40, 0x6d7f, JOINED),
    (0xe800, 0xefff, RIGHT_TO_LEFT),
    (0xe900, 0xe95f, CURSIVE),
    (0xee00, 0xeeff, JOINED),
    (0xf000, 0xf64f, EMOJI),
    (0xf680, 0xf6ff, EMOJI),
    (0xf7d0, 0xf7ff, EMOJI),
    (0xf900, 0xfaff, EMOJI),
    (0xfc00, 0xfffd, EMOJI),
];
