//! The strings and numbers of JSON text, read where they stand.
//!
//! The parser makes a tree of a text. Where all of a text is known but for one string, this reads that string alone,
//! and exactly as the parser does: what it is not sure of it leaves to it.

use super::read::{hex, is_high, pair};
use crate::bytes;

/// What stands between the quotes of a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Body<'a> {
    raw: &'a [u8],
    /// It has no escapes.
    plain: bool,
}

/// The string whose opening quote stands before these bytes, and what stands behind it, its closing quote first. None
/// if it does not end, or holds what no string may hold.
pub(crate) fn body(bytes: &[u8]) -> Option<(Body<'_>, &[u8])> {
    let (mut end, mut plain) = (0, true);
    loop {
        end += bytes::unquoted(bytes.get(end..)?)?;
        match bytes.get(end)? {
            b'"' => {
                let (raw, rest) = bytes.split_at_checked(end)?;
                return Some((Body { raw, plain }, rest));
            }
            b'\\' => (end, plain) = (end + 2, false),
            _ => return None,
        }
    }
}

/// A whole number that stands first, and what stands behind it. None if it is none that is surely a `u64`.
pub(crate) fn number(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let length = bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (digits, behind) = bytes.split_at_checked(length)?;
    if !(1..20).contains(&length) || length > 1 && digits.first() == Some(&b'0') {
        return None;
    }
    let number = digits.iter().fold(0, |number, digit| number * 10 + u64::from(digit - b'0'));
    Some((number, behind))
}

/// The length of the object that stands first. Only of its strings and brackets anything is known then.
pub(crate) fn object_end(bytes: &[u8]) -> Option<usize> {
    let (mut at, mut depth) = (0_usize, 0_usize);
    loop {
        match bytes.get(at)? {
            b'"' => at += body(bytes.get(at + 1..)?)?.0.raw.len() + 1,
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.checked_sub(1)?,
            _ => {}
        }
        at += 1;
        if depth == 0 {
            return Some(at);
        }
    }
}

impl<'a> Body<'a> {
    /// The body as it stands there.
    pub(crate) fn raw(self) -> &'a [u8] {
        self.raw
    }

    /// True if it is surely a text.
    pub(crate) fn is_plain(self) -> bool {
        self.plain && self.raw.is_ascii()
    }

    /// The text. None where it is no UTF-8, or the parser might refuse it: then nothing is known of what it says.
    pub(crate) fn text(self) -> Option<String> {
        let text = std::str::from_utf8(self.raw).ok()?;
        if self.plain { Some(text.to_owned()) } else { unescaped(text) }
    }
}

fn unescaped(mut text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    while let Some(at) = bytes::find(text.as_bytes(), b'\\') {
        out.push_str(text.get(..at)?);
        let (character, length) = escape(text.as_bytes().get(at..)?)?;
        out.push(character);
        text = text.get(at + length..)?;
    }
    out.push_str(text);
    Some(out)
}

/// The character of an escape, and how many bytes it takes.
fn escape(bytes: &[u8]) -> Option<(char, usize)> {
    let plain = |character| Some((character, 2));
    match bytes.get(1)? {
        b'n' => plain('\n'),
        b'"' => plain('"'),
        b'\\' => plain('\\'),
        b'/' => plain('/'),
        b't' => plain('\t'),
        b'r' => plain('\r'),
        b'b' => plain('\u{8}'),
        b'f' => plain('\u{c}'),
        b'u' => {
            let unit = hex(bytes)?;
            match char::from_u32(u32::from(unit)) {
                Some(character) => Some((character, 6)),
                None if is_high(unit) => Some((pair(unit, hex(bytes.get(6..)?)?)?, 12)),
                None => None,
            }
        }
        _ => None,
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Bodies out of what means something in them.
    fn bodies() -> impl Strategy<Value = Vec<u8>> {
        let fixed: &[&[u8]] = &[
            br"\",
            b"\"",
            br"\n",
            br"\u",
            br"\u0000",
            br"\ud83d",
            br"\ude00",
            br"\uD83D\uDE00",
            br"\u+041",
            br"\u00e9",
            br"\/",
            br"\b",
            br"\f",
            br"\r",
            br"\t",
            br"\x",
            br"\\",
            br#"\""#,
            b"a",
            b"\n",
            b"\x7f",
            "é€🦀\u{2028}\u{fdd0}".as_bytes(),
            b"\xe2",
            b"\x82",
            b"\xff",
            b"a longer piece of text",
            b"0",
            b"f",
        ];
        let part = prop_oneof![8 => proptest::sample::select(fixed.to_vec()).prop_map(<[u8]>::to_vec), 1 => "[ -~]{0,20}".prop_map(String::into_bytes)];
        proptest::collection::vec(part, 0..8).prop_map(|parts| parts.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn what_is_read_is_what_the_parser_reads(bytes in bodies()) {
            let quoted = [b"\"".as_slice(), &bytes, b"\""].concat();
            let parsed: Option<String> = serde_json::from_slice(&quoted).ok();
            let read = body(&quoted[1..]).and_then(|(body, rest)| Some((body.text()?, rest)));
            let whole = read.filter(|(_, rest)| rest == b"\"").map(|(text, _)| text);
            prop_assert_eq!(whole, parsed);
        }
    }

    #[test]
    fn what_stands_behind_is_told() {
        let (body, rest) = body(br#"a\"b","c""#).unwrap();
        assert_eq!(
            (body.raw(), body.text().as_deref(), rest),
            (br#"a\"b"#.as_slice(), Some("a\"b"), br#"","c""#.as_slice())
        );
        for bad in [r"", r"a", r"\", r#"\""#, "a\u{1}\""] {
            assert_eq!(super::body(bad.as_bytes()), None, "{bad:?}");
        }
    }
}
