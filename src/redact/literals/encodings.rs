//! The forms in which a known value may stand in a text.
//!
//! White space around a value is no part of it. Its forms are:
//! - itself,
//! - JSON's escapes, as the writers of JSON choose them: with or without `\/`, with `\u` for what is not ASCII
//!   and for `<`, `>` and `&`, or without; the digits in lower or upper case,
//! - percent-encoding as a component, a path, a whole URL and a form (`+` for a space), the digits in either case,
//! - Base64 in both alphabets, and as a part of something larger that is in Base64: at each of the three ways in
//!   which its bytes can lie there, the characters that depend on nothing before the value; at its end also the
//!   character that holds its last bits and zeros, and the padding,
//! - hexadecimal, in lower or in upper case,
//! - of a value of several lines each line of at least eight bytes, itself and with JSON's escapes. Lines that
//!   begin with five hyphens are left out: those around a key in PEM are the same for everybody.
//!
//! Forms of encoded forms, and Base64 that is broken into lines, are not looked for.

use super::SHORTEST;

/// The fewest bytes of a line that is looked for by itself.
const SHORTEST_LINE: usize = 8;

const ALPHABETS: [&[u8; 64]; 2] = [
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
];

/// What a way of percent-encoding leaves as it is besides letters and digits; where it is false, a space is
/// `%20`, else `+`.
const PERCENT: [(&str, bool); 6] = [
    ("-_.!~*'()", false),
    ("-_.~", false),
    ("-_.~/", false),
    ("-_.!~*'();,/?:@&=+$#", false),
    ("*-._", true),
    ("-_.~", true),
];

/// Calls `form` with each form of a value without white space around it; with some more than once.
pub(super) fn each(value: &str, form: &mut dyn FnMut(&[u8])) {
    let mut long = |bytes: &[u8]| {
        if bytes.len() >= SHORTEST {
            form(bytes);
        }
    };
    plain(value, &mut long);
    for (kept, plus) in PERCENT {
        for digits in [HEX, HEX_UPPER] {
            long(&percent(value, kept, plus, digits));
        }
    }
    for digits in [HEX, HEX_UPPER] {
        let mut out = Vec::new();
        value.bytes().for_each(|byte| push_hex(u32::from(byte), 2, digits, &mut out));
        long(&out);
    }
    for alphabet in ALPHABETS {
        (0..3).for_each(|before| base64(value.as_bytes(), before, alphabet, &mut long));
    }
    if value.contains(['\n', '\r']) {
        for line in value.split(['\n', '\r']).map(str::trim) {
            if line.len() >= SHORTEST_LINE && !line.starts_with("-----") {
                plain(line, &mut long);
            }
        }
    }
}

const HEX: &[u8; 16] = b"0123456789abcdef";
const HEX_UPPER: &[u8; 16] = b"0123456789ABCDEF";

fn push_hex(number: u32, digits: u32, alphabet: &[u8; 16], out: &mut Vec<u8>) {
    for digit in (0..digits).rev() {
        out.extend(alphabet.get((number >> (4 * digit) & 15) as usize));
    }
}

/// The text and its escapes in JSON.
fn plain(text: &str, form: &mut dyn FnMut(&[u8])) {
    form(text.as_bytes());
    for choice in 0_u8..16 {
        let chosen = |bit: u8| choice >> bit & 1 == 1;
        form(&escaped(text, chosen(0), chosen(1), chosen(2), if chosen(3) { HEX_UPPER } else { HEX }));
    }
}

/// A text within JSON's quotes; what is escaped besides what must be: what is not ASCII, `<>&`, and `/`.
fn escaped(text: &str, ascii: bool, html: bool, slash: bool, digits: &[u8; 16]) -> Vec<u8> {
    let mut out = Vec::new();
    for character in text.chars() {
        let short = match character {
            '"' | '\\' => Some(character),
            '/' if slash => Some(character),
            '\n' => Some('n'),
            '\r' => Some('r'),
            '\t' => Some('t'),
            '\u{8}' => Some('b'),
            '\u{c}' => Some('f'),
            _ => None,
        };
        if let Some(short) = short {
            out.extend([b'\\', short as u8]);
        } else if character < ' ' || html && matches!(character, '<' | '>' | '&') || ascii && !character.is_ascii() {
            for unit in character.encode_utf16(&mut [0; 2]) {
                out.extend(br"\u");
                push_hex(u32::from(*unit), 4, digits, &mut out);
            }
        } else {
            out.extend(character.encode_utf8(&mut [0; 4]).bytes());
        }
    }
    out
}

fn percent(text: &str, kept: &str, plus: bool, digits: &[u8; 16]) -> Vec<u8> {
    let mut out = Vec::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || kept.as_bytes().contains(&byte) {
            out.push(byte);
        } else if plus && byte == b' ' {
            out.push(b'+');
        } else {
            out.push(b'%');
            push_hex(u32::from(byte), 2, digits, &mut out);
        }
    }
    out
}

/// Base64 of bytes with this many others before them, up to two, without what depends on those.
fn base64(value: &[u8], before: usize, alphabet: &[u8; 64], form: &mut dyn FnMut(&[u8])) {
    let (mut out, mut bits, mut held) = (Vec::new(), 0_u32, 0);
    let sextet = |bits: u32| alphabet.get((bits & 63) as usize);
    for byte in std::iter::repeat_n(&0, before).chain(value) {
        bits = bits << 8 | u32::from(*byte);
        held += 8;
        while held >= 6 {
            held -= 6;
            out.extend(sextet(bits >> held));
        }
    }
    // Of one byte before, two characters have bits; of two, three.
    let strange = if before == 0 { 0 } else { before + 1 };
    let mut known = out.split_off(strange.min(out.len()));
    form(&known);
    if held > 0 {
        known.extend(sextet(bits << (6 - held)));
        form(&known);
        known.extend(std::iter::repeat_n(b'=', (6 - held) / 2));
        form(&known);
    }
}
