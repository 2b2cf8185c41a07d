//! Terminal escapes.
//!
//! What would steer a terminal is removed; the text between stays. That is: the control characters up to U+001F
//! except tab, newline and carriage return, DEL, U+0080 to U+009F, and whatever a sequence that they open has in it.
//! A carriage return stays, since it ends lines together with a newline, and takes nothing away by itself.
//!
//! The sequences, and where they end (ECMA-48, read as xterm reads it):
//!
//! - `ESC` and one character, with characters from space to `/` between (designations of character sets and such).
//! - CSI (`ESC [`, U+009B): up to the first character from `@` to `~`.
//! - OSC (`ESC ]`, U+009D: titles, links, the clipboard): up to BEL or ST. Of a link the text stays, since it stands
//!   between two of these.
//! - DCS, SOS, PM, APC (`ESC P X ^ _`, U+0090, U+0098, U+009E, U+009F), and the title of screen (`ESC k`): up to ST,
//!   which is `ESC \` or U+009C. BEL does not end these.
//! - `ESC` in any of them ends it and opens the next. CAN and SUB end it. Any other control character in the first two
//!   kinds takes effect while the sequence goes on, so a tab, newline or carriage return there stays; in the strings it
//!   belongs to the payload, a newline too. U+0080 to U+009F in the first two kinds end them and begin anew.
//! - Text that was decoded wrongly has characters from U+0080 to U+009F by mistake: `”` in UTF-8, read as Latin-1, is
//!   `â`, U+0080, U+009D. So where UTF-8 read byte by byte would go on (one to three characters behind U+00C2 to U+00F4,
//!   all beyond ASCII) such a character opens nothing and goes alone. And a string that one opened ends at a newline,
//!   which stays: what follows in the text is not lost.
//! - In the first two kinds U+00A0 to U+00FF count as the characters 128 below. Any other character beyond ASCII ends
//!   them, and stays.
//! - An invisible character in a sequence goes with it, and is for the sequence as if it were not there: so
//!   `ESC U+200B [` opens a CSI, whether the next stage removes that character or not.
//!
//! A string that nothing ends swallows the rest of the text, as it would on the screen. Nothing is ever held back, so
//! there is no bound to set: what is in a sequence is dropped as it comes. Of a payload no character leaves.

use super::Stage;
use super::invisible::hidden;

/// Removes terminal escapes.
#[derive(Default)]
pub(crate) struct Escapes {
    state: State,
    /// A string was opened by a single character, and ends at a newline.
    short: bool,
    /// If what stands before was decoded wrongly, so many characters of it may follow.
    wrong: u8,
    count: u64,
}

#[derive(Clone, Copy, Default, PartialEq)]
enum State {
    #[default]
    Text,
    /// Behind `ESC`.
    Escape,
    /// Behind `ESC` and a character from space to `/`.
    Designation,
    Csi,
    Osc,
    /// DCS, SOS, PM, APC.
    Control,
}

impl Escapes {
    /// Takes a character that is not plain text; true if it stays.
    fn step(&mut self, c: char) -> bool {
        use State::*;
        let state = self.state;
        let wrong = self.wrong > 0;
        self.wrong = wrong_behind(self.wrong, c);
        if matches!(state, Osc | Control) {
            self.state = match c {
                '\n' if self.short => Text,
                '\u{1b}' => Escape,
                '\u{18}' | '\u{1a}' | '\u{9c}' => Text,
                '\u{07}' if state == Osc => Text,
                _ => return false,
            };
            self.short &= c != '\u{1b}';
            return c == '\n';
        }
        if is_control(c) {
            let opened = match c {
                '\u{1b}' => Escape,
                '\u{80}'.. if wrong => Text,
                '\u{9b}' => Csi,
                '\u{9d}' => Osc,
                '\u{90}' | '\u{98}' | '\u{9e}' | '\u{9f}' => Control,
                '\u{18}' | '\u{1a}' | '\u{80}'.. => Text,
                _ => state,
            };
            // A sequence counts once, and so does any other character that is removed outside of one.
            self.count += u64::from(state == Text || opened != state);
            self.state = opened;
            if opened != state {
                self.short = c != '\u{1b}';
            }
            return false;
        }
        if state == Text || is_layout(c) {
            return true;
        }
        if hidden(c) {
            return false;
        }
        let (next, stays) = match (state, u32::from(c)) {
            (_, 0x100..) => (Text, true),
            (Csi, code) => (if code & 0x7f < 0x40 { Csi } else { Text }, false),
            (_, code) => match code & 0x7f {
                ..0x30 => (Designation, false),
                0x5b if state == Escape => (Csi, false),
                0x5d if state == Escape => (Osc, false),
                0x50 | 0x58 | 0x5e | 0x5f | 0x6b if state == Escape => (Control, false),
                _ => (Text, false),
            },
        };
        self.state = next;
        stays
    }
}

/// Where the first control character stands, the text's length if there is none.
fn control(text: &str) -> usize {
    let bytes = text.as_bytes();
    let at = super::find(bytes, |at, byte| match byte {
        ..0x20 => !is_layout(char::from(byte)),
        0x7f => true,
        0xc2 => bytes.get(at + 1).is_some_and(|next| *next < 0xa0),
        _ => false,
    });
    at.unwrap_or(text.len())
}

/// How many more characters of one decoded wrongly may follow this one, with so many before it.
fn wrong_behind(wrong: u8, c: char) -> u8 {
    match c {
        ..'\u{80}' => 0,
        '\u{c2}'..='\u{df}' => 1,
        '\u{e0}'..='\u{ef}' => 2,
        '\u{f0}'..='\u{f4}' => 3,
        _ => wrong.saturating_sub(1),
    }
}

/// The same behind a text; its last three characters tell.
fn wrong_after(wrong: u8, text: &str) -> u8 {
    let last = text.char_indices().rev().nth(2).and_then(|(at, _)| text.get(at..)).unwrap_or(text);
    last.chars().fold(wrong, wrong_behind)
}

fn is_layout(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r')
}

fn is_control(c: char) -> bool {
    matches!(c, ..'\u{20}' | '\u{7f}'..='\u{9f}') && !is_layout(c)
}

impl Stage for Escapes {
    fn push(&mut self, text: &str, out: &mut String) {
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            let plain = self.state == State::Text && !is_control(c);
            let end = if plain { control(rest) } else { c.len_utf8() };
            let stays = plain || self.step(c);
            let (done, behind) = rest.split_at_checked(end).unwrap_or((rest, ""));
            if plain {
                self.wrong = wrong_after(self.wrong, done);
            }
            if stays {
                out.push_str(done);
            }
            rest = behind;
        }
    }

    fn flush(&mut self, _out: &mut String) {
        self.reset();
    }

    fn reset(&mut self) {
        *self = Escapes { count: self.count, ..Escapes::default() };
    }

    fn passes(&self, text: &str) -> bool {
        self.state == State::Text && control(text) == text.len() && wrong_after(self.wrong, text) == self.wrong
    }

    fn count(&self) -> u64 {
        self.count
    }
}
