//! Reads JSON text, also such as holds one half of a surrogate pair without the other.
//!
//! `"\ud83d"` is JSON by the grammar and no Unicode text. Services that cut text by UTF-16 units send
//! it, and so do browsers. The parser refuses it, and with it all that stands beside it. So where it
//! refuses a text, each lone half in it is written anew, in one pass, and the text is parsed again.

use serde_json::Value;
use std::borrow::Cow;
use std::fmt::Write;

/// In front of a half in marked text. No character, and so nobody's text.
const MARK: char = '\u{fdd0}';

/// A marked half's character is this much behind the half itself: it lies in U+E000 to U+E7FF.
const SHIFT: u16 = 0x0800;

/// Parses; a lone half becomes U+FFFD.
///
/// # Errors
/// What is no JSON, with its place.
pub(crate) fn read(json: &[u8]) -> serde_json::Result<Value> {
    let refused = match serde_json::from_slice(json) {
        Ok(value) => return Ok(value),
        Err(error) => error,
    };
    match rewritten(json, |_| r"\ufffd".to_owned()) {
        Some(json) => serde_json::from_slice(&json),
        None => Err(refused),
    }
}

/// Parses; a lone half is marked in its string, so that the other half, which may come with a later
/// text, can be put to it by [`units`]. True if there is any. Where the text itself holds the mark, a
/// lone half becomes U+FFFD.
///
/// # Errors
/// What is no JSON.
pub(crate) fn read_marked(json: &str) -> serde_json::Result<(Value, bool)> {
    let refused = match serde_json::from_str(json) {
        Ok(value) => return Ok((value, false)),
        Err(error) => error,
    };
    if json.contains(MARK) || json.to_ascii_lowercase().contains(r"\ufdd0") {
        return Ok((read(json.as_bytes())?, false));
    }
    let marked = |half: u16| {
        let mut escapes = String::new();
        // Writing to a string never fails.
        let _ = write!(escapes, "\\u{:04x}\\u{:04x}", u32::from(MARK), half + SHIFT);
        escapes
    };
    match rewritten(json.as_bytes(), marked) {
        Some(json) => Ok((serde_json::from_slice(&json)?, true)),
        None => Err(refused),
    }
}

/// A stretch of marked text.
#[derive(Debug, PartialEq)]
pub(crate) enum Unit<'a> {
    /// Text.
    Text(&'a str),
    /// Half a pair: U+D800 to U+DFFF.
    Half(u16),
}

/// The stretches of a marked text, none of them empty.
pub(crate) fn units(marked: &str) -> impl Iterator<Item = Unit<'_>> {
    marked.split(MARK).enumerate().flat_map(|(at, stretch)| {
        let mut rest = stretch.chars();
        let half = if at == 0 { None } else { rest.next().and_then(|c| u16::try_from(u32::from(c)).ok()) };
        let text = if half.is_some() { rest.as_str() } else { stretch };
        let text = Some(text).filter(|text| !text.is_empty()).map(Unit::Text);
        half.map(|unit| Unit::Half(unit.wrapping_sub(SHIFT))).into_iter().chain(text)
    })
}

/// A marked text with U+FFFD for each lone half.
pub(crate) fn replaced(marked: &str) -> Cow<'_, str> {
    if !marked.contains(MARK) {
        return Cow::Borrowed(marked);
    }
    let text = units(marked).map(|unit| match unit {
        Unit::Text(text) => text,
        Unit::Half(_) => "\u{fffd}",
    });
    Cow::Owned(text.collect())
}

/// A marked value with the halves that came to stand side by side put together, and U+FFFD for each lone one.
pub(crate) fn mended(value: Value) -> Value {
    let marked = super::text(&value);
    if !marked.contains(MARK) {
        return value;
    }
    let (mut text, mut high) = (String::with_capacity(marked.len()), None);
    for unit in units(&marked) {
        match (high.take(), unit) {
            (Some(first), Unit::Half(second)) if !is_high(second) => text.extend(pair(first, second)),
            (lone, unit) => {
                text.extend(lone.map(|_| char::REPLACEMENT_CHARACTER));
                match unit {
                    Unit::Text(more) => text.push_str(more),
                    Unit::Half(half) if is_high(half) => high = Some(half),
                    Unit::Half(_) => text.push(char::REPLACEMENT_CHARACTER),
                }
            }
        }
    }
    serde_json::from_str(&text).unwrap_or(value)
}

/// The character of a pair.
pub(crate) fn pair(high: u16, low: u16) -> Option<char> {
    char::decode_utf16([high, low]).next()?.ok()
}

/// True for the first half of a pair.
pub(crate) fn is_high(half: u16) -> bool {
    (0xD800..0xDC00).contains(&half)
}

/// JSON text with another escape for each lone half; none if it holds none. A backslash stands in
/// strings alone, so nothing else of the grammar matters.
fn rewritten(json: &[u8], escape: impl Fn(u16) -> String) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(json.len());
    let mut rest = json;
    let mut found = false;
    while let Some(at) = rest.iter().position(|byte| *byte == b'\\') {
        let (before, escaped) = rest.split_at(at);
        out.extend_from_slice(before);
        let kept = match (half(escaped), escaped.get(6..).and_then(half)) {
            (Some(high), Some(low)) if is_high(high) && !is_high(low) => 12,
            (Some(lone), _) => {
                out.extend_from_slice(escape(lone).as_bytes());
                found = true;
                rest = escaped.get(6..).unwrap_or_default();
                continue;
            }
            (None, _) => 2,
        };
        let (kept, after) = escaped.split_at(kept.min(escaped.len()));
        out.extend_from_slice(kept);
        rest = after;
    }
    out.extend_from_slice(rest);
    found.then_some(out)
}

/// The half that the text begins with, as an escape.
fn half(text: &[u8]) -> Option<u16> {
    hex(text).filter(|unit| (0xD800..0xE000).contains(unit))
}

/// The UTF-16 unit that the text begins with, as an escape.
pub(super) fn hex(text: &[u8]) -> Option<u16> {
    let digits = text.strip_prefix(br"\u")?.get(..4)?;
    digits.iter().try_fold(0, |unit, digit| Some(unit << 4 | char::from(*digit).to_digit(16)? as u16))
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_lone_half_becomes_the_replacement_character() {
        let list = [
            (r#""a\ud83d""#, "a\u{fffd}"),
            (r#""\uDE00b""#, "\u{fffd}b"),
            (r#""\ud83d\ud83d\ude00""#, "\u{fffd}😀"),
            (r#""\ude00\ud83d""#, "\u{fffd}\u{fffd}"),
            (r#""\ud83dx\ude00""#, "\u{fffd}x\u{fffd}"),
            (r#""\ud83d\n\\\ude00""#, "\u{fffd}\n\\\u{fffd}"),
            (r#""\\ud83d\ud83d""#, "\\ud83d\u{fffd}"),
            (r#""\ud83d\ufdd0""#, "\u{fffd}\u{fdd0}"),
        ];
        for (text, expected) in list {
            assert_eq!(read(text.as_bytes()).unwrap(), json!(expected), "{text}");
        }
        assert_eq!(read(br#"{"\ud83d":["\udead"]}"#).unwrap(), json!({"\u{fffd}": ["\u{fffd}"]}));
    }

    #[test]
    fn what_is_no_json_is_refused_all_the_same_and_at_the_same_place() {
        for text in [r#""\ud83"#, r#""\ud83d"#, r#"{"a":"\ud83d",}"#, "\\", r#""\ud8zz""#, r#""\u+d83""#, ""] {
            assert!(read(text.as_bytes()).is_err() && read_marked(text).is_err(), "{text}");
        }
        let error = read(br#"{"a":"\ud83d",}"#).unwrap_err();
        assert_eq!((error.line(), error.column()), (1, 15));
    }

    #[test]
    fn what_is_well_formed_is_not_touched() {
        for text in [r#""\ud83d\ude00\\""#, r#""\ufdd0\ue03d""#, "\"\u{fdd0}\"", "{}"] {
            let plain: Value = serde_json::from_str(text).unwrap();
            assert_eq!(read(text.as_bytes()).unwrap(), plain);
            assert_eq!(read_marked(text).unwrap(), (plain, false));
        }
    }

    #[test]
    fn marked_halves_are_told_from_the_text_around_them() {
        let (value, marked) = read_marked(r#""\ude00a\ud83d\ud83d\ue03d""#).unwrap();
        assert!(marked);
        let halves: Vec<Unit> = units(value.as_str().unwrap()).collect();
        let expected =
            [Unit::Half(0xDE00), Unit::Text("a"), Unit::Half(0xD83D), Unit::Half(0xD83D), Unit::Text("\u{e03d}")];
        assert_eq!(halves, expected);
        assert_eq!(replaced(value.as_str().unwrap()), "\u{fffd}a\u{fffd}\u{fffd}\u{e03d}");
        assert_eq!(pair(0xD83D, 0xDE00), Some('😀'));
    }

    #[test]
    fn halves_that_came_to_stand_side_by_side_are_put_together() {
        let half = |json: &str| read_marked(json).unwrap().0.as_str().unwrap().to_owned();
        let (high, low) = (half(r#""a\ud83d""#), half(r#""\ude00b""#));
        let whole = json!({"a": [format!("{high}{low}"), format!("{low}{high}"), format!("{high}{high}{low}")]});
        assert_eq!(mended(whole), json!({"a": ["a😀b", "\u{fffd}ba\u{fffd}", "a\u{fffd}a😀b"]}));
        let plain = json!({"a": ["b\"\\", 1, null]});
        assert_eq!(mended(plain.clone()), plain);
    }

    #[test]
    fn text_that_holds_the_mark_itself_is_not_marked() {
        for text in [r#""\uFDD0\ue03d\ud83d""#, "\"\u{fdd0}\u{e03d}\\ud83d\""] {
            assert_eq!(read_marked(text).unwrap(), (json!("\u{fdd0}\u{e03d}\u{fffd}"), false));
        }
    }
}
