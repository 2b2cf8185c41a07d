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

/// The fewest bytes of a line that is looked for by itself.
const SHORTEST_LINE: usize = 8;

const ALPHABETS: [&[u8; 64]; 2] = [
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
];

/// What a way of percent-encoding leaves as it is besides letters and digits; where it is false, a space is
/// `%20`, else `+`.
const PERCENT: [(&[u8], bool); 6] = [
    (b"-_.!~*'()", false),
    (b"-_.~", false),
    (b"-_.~/", false),
    (b"-_.!~*'();,/?:@&=+$#", false),
    (b"*-._", true),
    (b"-_.~", true),
];

/// Calls `form` with each form of a value without white space around it; with some more than once.
pub(super) fn each(value: &str, form: &mut dyn FnMut(&str)) {
    plain(value, form);
    for digits in [LOWER, UPPER] {
        for (kept, plus) in PERCENT {
            form(&percent(value, kept, plus, digits));
        }
        let mut out = String::new();
        value.bytes().for_each(|byte| push_hex(u32::from(byte), 2, digits, &mut out));
        form(&out);
    }
    for alphabet in ALPHABETS {
        (0..3).for_each(|before| base64(value.as_bytes(), before, alphabet, form));
    }
    for line in value.split('\n').map(str::trim) {
        if (SHORTEST_LINE..value.len()).contains(&line.len()) && !line.starts_with("-----") {
            plain(line, form);
        }
    }
}

const LOWER: &[u8; 16] = b"0123456789abcdef";
const UPPER: &[u8; 16] = b"0123456789ABCDEF";

fn push_hex(number: u32, digits: u32, alphabet: &[u8; 16], out: &mut String) {
    for digit in (0..digits).rev() {
        push(alphabet, number >> (4 * digit) & 15, out);
    }
}

fn push(alphabet: &[u8], number: u32, out: &mut String) {
    if let Some(digit) = alphabet.get(number as usize) {
        out.push(char::from(*digit));
    }
}

/// The text and its escapes in JSON.
fn plain(text: &str, form: &mut dyn FnMut(&str)) {
    form(text);
    for choice in 0..16 {
        form(&escaped(text, choice));
    }
}

/// Bits of a choice: besides what must be, these are escaped: what is not ASCII, `<>&`, and `/`.
const ASCII: u8 = 1;
const HTML: u8 = 2;
const SLASH: u8 = 4;
/// The digits are in upper case.
const CAPITAL: u8 = 8;

/// A text within JSON's quotes.
fn escaped(text: &str, choice: u8) -> String {
    let chosen = |bit: u8| choice & bit != 0;
    let mut out = String::new();
    for character in text.chars() {
        let short = match character {
            '"' | '\\' => character,
            '/' if chosen(SLASH) => character,
            '\n' => 'n',
            '\r' => 'r',
            '\t' => 't',
            '\u{8}' => 'b',
            '\u{c}' => 'f',
            '<' | '>' | '&' if chosen(HTML) => '\0',
            '\0'..' ' => '\0',
            '\u{80}'.. if chosen(ASCII) => '\0',
            _ => {
                out.push(character);
                continue;
            }
        };
        if short != '\0' {
            out.push('\\');
            out.push(short);
            continue;
        }
        for unit in character.encode_utf16(&mut [0; 2]) {
            out.push_str("\\u");
            push_hex(u32::from(*unit), 4, if chosen(CAPITAL) { UPPER } else { LOWER }, &mut out);
        }
    }
    out
}

fn percent(text: &str, kept: &[u8], plus: bool, digits: &[u8; 16]) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || kept.contains(&byte) {
            out.push(char::from(byte));
        } else if plus && byte == b' ' {
            out.push('+');
        } else {
            out.push('%');
            push_hex(u32::from(byte), 2, digits, &mut out);
        }
    }
    out
}

/// Base64 of bytes with this many others before them, up to two, without what depends on those.
fn base64(value: &[u8], before: u32, alphabet: &[u8; 64], form: &mut dyn FnMut(&str)) {
    // Of the bytes before, the last character has two bits for each.
    let (mut bits, mut held, mut strange) = (0, 2 * before, before > 0);
    let mut out = String::new();
    for byte in value {
        bits = bits << 8 | u32::from(*byte);
        held += 8;
        while held >= 6 {
            held -= 6;
            if !std::mem::take(&mut strange) {
                push(alphabet, bits >> held & 63, &mut out);
            }
        }
    }
    form(&out);
    if held > 0 {
        push(alphabet, bits << (6 - held) & 63, &mut out);
        form(&out);
        out.push_str(if held == 2 { "==" } else { "=" });
        form(&out);
    }
}
