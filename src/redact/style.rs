//! What stands in the place of what was removed.

use super::settings::Style;
use crate::digest::push_hex;
use hmac::{Hmac, Mac};
use sha2::Sha256;

/// How many bytes of its digest a token shows.
const SHOWN: usize = 6;

/// How tokens are made. What no plan of a program makes so is left out of it.
#[derive(Clone, Debug)]
pub(crate) struct Tokens {
    key: Vec<u8>,
    make: fn(&str, &str, &[u8], &mut String),
}

impl Tokens {
    /// Under this key.
    pub(crate) fn keyed(key: &[u8]) -> Tokens {
        Tokens { key: key.to_vec(), make: token }
    }

    /// Where no style makes any.
    pub(crate) fn none() -> Tokens {
        Tokens { key: Vec::new(), make: |_, _, _, _| {} }
    }
}

/// Appends what stands in the place of a value that the rule has found.
pub(crate) fn show(style: &Style, name: &str, value: &str, tokens: &Tokens, out: &mut String) {
    match style {
        Style::Label => {
            out.push_str("[REDACTED:");
            out.push_str(name);
            out.push(']');
        }
        Style::Fixed(text) => out.push_str(text),
        Style::SameLength => stars(value, out),
        Style::LastFour => last_four(value, out),
        Style::Token => (tokens.make)(name, value, &tokens.key, out),
    }
}

/// Appends an asterisk for each character.
pub(crate) fn stars(value: &str, out: &mut String) {
    value.chars().for_each(|_| out.push('*'));
}

/// Appends the value with asterisks in place of all letters and digits but the last four; what is not ASCII
/// is taken for a letter. A value of four or fewer has none to show.
fn last_four(value: &str, out: &mut String) {
    let counts = |character: char| character.is_ascii_alphanumeric() || !character.is_ascii();
    let mut hidden = value.chars().filter(|&character| counts(character)).count();
    hidden = if hidden > 4 { hidden - 4 } else { hidden };
    for character in value.chars() {
        if counts(character) && hidden > 0 {
            hidden -= 1;
            out.push('*');
        } else {
            out.push(character);
        }
    }
}

/// Appends `[name:0123456789ab]`, of the value's HMAC-SHA-256 under the key.
fn token(name: &str, value: &str, key: &[u8], out: &mut String) {
    out.push('[');
    out.push_str(name);
    out.push(':');
    if let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(key) {
        mac.update(value.as_bytes());
        push_hex(mac.finalize().into_bytes().get(..SHOWN).unwrap_or_default(), out);
    }
    out.push(']');
}
