//! A call's arguments: redacted on the decoded strings, and valid JSON after.
//!
//! What is not redacted stays byte for byte: white space, the order and the doubles of fields, the forms of
//! numbers and escapes.

use crate::json::{self, read::read};
use std::ops::Range;

/// Redacts JSON text. Each string, names of fields too, is decoded, given to `redact`, which answers with what
/// is to stand instead, if anything, and encoded anew only if that differs. A number is given as it is
/// written, and what is to stand instead becomes a string. Valid JSON is valid after, however deep.
///
/// Half of a surrogate pair without the other is U+FFFD where it is decoded. What is no JSON, say because it
/// was cut, is given to `redact` as one text: with its escapes decoded if there are any, and as it is if nothing is
/// found so.
pub(super) fn arguments(text: &str, redact: &mut dyn FnMut(&str) -> Option<String>) -> String {
    let Some(tokens) = tokens(text.as_bytes()) else {
        let plain = unescaped(text);
        let found = redact(&plain).filter(|instead| *instead != plain);
        return match found {
            None if plain != text => redact(text).unwrap_or_else(|| text.to_owned()),
            found => found.unwrap_or(plain),
        };
    };
    replaced(text, &tokens, |token| {
        let text = decoded(text.get(token.at.clone())?);
        redact(&text).filter(|instead| *instead != text)
    })
}

/// Redacts in JSON text what only the name of a field tells, as it would in a text: each string or number behind a
/// name, and each string of a list behind it, is given to `redact` once more with the name and all between them, and
/// only the value changes.
pub(super) fn fields(text: &str, redact: &mut dyn FnMut(&str) -> Option<String>) -> String {
    let Some(tokens) = tokens(text.as_bytes()) else { return text.to_owned() };
    replaced(text, &tokens, |token| {
        let (at, name) = (token.at.clone(), tokens.get(token.of?)?.at.clone());
        let raw = text.get(at.clone())?;
        let quote = if raw.starts_with('"') { "\"" } else { "" };
        let between = if token.listed { ":" } else { text.get(name.end..at.start)? };
        if token.listed && quote.is_empty() {
            return None;
        }
        let name = decoded(text.get(name)?);
        let name = name.get(name.ceil_char_boundary(name.len().saturating_sub(NAME))..)?;
        let before = ["\"", name, "\"", between, quote].concat();
        let all = [&before, &*decoded(raw), quote].concat();
        let found = redact(&all).filter(|found| *found != all)?;
        let value = found.strip_prefix(&before).unwrap_or_else(|| found.strip_prefix('"').unwrap_or(&found));
        Some(value.strip_suffix(quote).unwrap_or(value).to_owned())
    })
}

/// How much of a name's end its value is looked at with, in bytes.
const NAME: usize = 64;

/// The text with a string in the place of each token for which there is one.
fn replaced(text: &str, tokens: &[Token], mut instead: impl FnMut(&Token) -> Option<String>) -> String {
    let (mut out, mut done) = (String::new(), 0);
    for token in tokens {
        let Some(instead) = instead(token) else { continue };
        out.push_str(text.get(done..token.at.start).unwrap_or_default());
        out.push_str(&json::text(&instead));
        done = token.at.end;
    }
    out.push_str(text.get(done..).unwrap_or_default());
    out
}

/// A string's text, or a number as it is written.
fn decoded(raw: &str) -> String {
    let plain = raw.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    let value = match plain {
        Some(text) if text.contains('\\') => read(raw.as_bytes()).ok(),
        _ => None,
    };
    value.as_ref().and_then(|value| value.as_str()).or(plain).unwrap_or(raw).to_owned()
}

/// The text with JSON's escapes decoded wherever they stand; what is none stays.
fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(rest.get(..at).unwrap_or_default());
        rest = rest.get(at..).unwrap_or_default();
        // A pair of halves, one alone, and the short ones.
        let escape = [12, 6, 2].into_iter().find_map(|length| {
            let quoted = ["\"", rest.get(..length)?, "\""].concat();
            let text = read(quoted.as_bytes()).ok()?.as_str()?.to_owned();
            (length != 12 || rest.get(6..8) == Some("\\u")).then_some((length, text))
        });
        let (length, text) = escape.unwrap_or((1, "\\".to_owned()));
        out.push_str(&text);
        rest = rest.get(length..).unwrap_or_default();
    }
    out.push_str(rest);
    out
}

/// A string or number.
struct Token {
    at: Range<usize>,
    /// Of a value the token of its field's name.
    of: Option<usize>,
    /// It stands in a list.
    listed: bool,
}

/// What may come next.
#[derive(Clone, Copy, PartialEq)]
enum Next {
    Value,
    /// A value, or the end of the list.
    Item,
    Name,
    /// A name, or the end of the object.
    Field,
    Colon,
    /// A comma, an end, or nothing more.
    After,
}

/// Where the strings and numbers of JSON text stand; none if it is no JSON.
fn tokens(text: &[u8]) -> Option<Vec<Token>> {
    let (mut tokens, mut next, mut at) = (Vec::new(), Next::Value, 0);
    // What ends each that is open, and the name that what stands in it is under.
    let mut open: Vec<(u8, Option<usize>)> = Vec::new();
    while let Some(byte) = text.get(at).copied() {
        let rest = text.get(at..)?;
        let mut length = 1;
        let (of, listed) = open.last().map_or((None, false), |(end, name)| (*name, *end == b']'));
        let number = tokens.len();
        let token = |length: usize, of| Token { at: at..at + length, of, listed };
        next = match (next, byte) {
            (_, b' ' | b'\t' | b'\n' | b'\r') => next,
            (Next::Value | Next::Item, b'{') => {
                open.push((b'}', None));
                Next::Field
            }
            (Next::Value | Next::Item, b'[') => {
                open.push((b']', of));
                Next::Item
            }
            (Next::Value | Next::Item | Next::Name | Next::Field, b'"') => {
                length = string(rest)?;
                if matches!(next, Next::Value | Next::Item) {
                    tokens.push(token(length, of));
                    Next::After
                } else {
                    tokens.push(token(length, None));
                    open.last_mut()?.1 = Some(number);
                    Next::Colon
                }
            }
            (Next::Value | Next::Item, b'-' | b'0'..=b'9') => {
                length = digits(rest)?;
                tokens.push(token(length, of));
                Next::After
            }
            (Next::Value | Next::Item, b't' | b'f' | b'n') => {
                let words: [&[u8]; 3] = [b"true", b"false", b"null"];
                length = words.iter().find(|word| rest.starts_with(word))?.len();
                Next::After
            }
            (Next::Colon, b':') => Next::Value,
            (Next::After, b',') => {
                if open.last()?.0 == b'}' {
                    Next::Name
                } else {
                    Next::Value
                }
            }
            (Next::After | Next::Item | Next::Field, b'}' | b']') if open.pop()?.0 == byte => Next::After,
            _ => return None,
        };
        at += length;
    }
    (next == Next::After && open.is_empty()).then_some(tokens)
}

/// How long the string is that the text begins with.
fn string(text: &[u8]) -> Option<usize> {
    let mut at = 1;
    loop {
        at += match text.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => match text.get(at + 1)? {
                b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => 2,
                b'u' if text.get(at + 2..at + 6)?.iter().all(u8::is_ascii_hexdigit) => 6,
                _ => return None,
            },
            0..=0x1F => return None,
            _ => 1,
        };
    }
}

/// How long the number is that the text begins with.
fn digits(text: &[u8]) -> Option<usize> {
    let run = |from: usize| {
        let count = text.iter().skip(from).take_while(|byte| byte.is_ascii_digit()).count();
        (count > 0).then_some(from + count)
    };
    let is = |at: usize, any: &[u8]| text.get(at).is_some_and(|byte| any.contains(byte));
    let from = usize::from(is(0, b"-"));
    let mut at = if is(from, b"0") { from + 1 } else { run(from)? };
    if is(at, b".") {
        at = run(at + 1)?;
    }
    if is(at, b"eE") {
        at = run(at + 1 + usize::from(is(at + 1, b"+-")))?;
    }
    Some(at)
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::Value;

    /// Takes `secret` and runs of sixteen digits away.
    fn redacted(text: &str) -> Option<String> {
        if text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_digit()) {
            return Some("[card]".to_owned());
        }
        text.contains("secret").then(|| text.replace("secret", "[\"gone\"]"))
    }

    fn run(text: &str) -> String {
        arguments(text, &mut redacted)
    }

    #[test]
    fn strings_are_redacted_decoded_and_all_else_stays() {
        let all = [
            (r#"{"to": "a\u002fb", "n" : 1.50e+2,"n":-0 }"#, r#"{"to": "a\u002fb", "n" : 1.50e+2,"n":-0 }"#),
            (r#" {"secret":["secret"]} "#, r#" {"[\"gone\"]":["[\"gone\"]"]} "#),
            (r#"{"a":"\u0073ecr\u0065t\n\/ok","b":"\/"}"#, r#"{"a":"[\"gone\"]\n/ok","b":"\/"}"#),
            (r#"{"card":4111111111111111,"same":"4111111111111111"}"#, r#"{"card":"[card]","same":"[card]"}"#),
            (r#""\ud83d\ude00 \ud83d secret""#, "\"\u{1f600} \u{fffd} [\\\"gone\\\"]\""),
            (r#"["\ud83d","\ude00",""]"#, r#"["\ud83d","\ude00",""]"#),
            ("4111111111111111", "\"[card]\""),
        ];
        for (text, expected) in all {
            assert_eq!(run(text), expected);
        }
    }

    #[test]
    fn what_is_no_json_is_one_text() {
        for text in ["", " ", r#"{"a":"secret"#, "secret", r#"{"a":"secret"}}"#, r#"["secret",]"#, "[\"secret\n\"]"] {
            let mut seen = Vec::new();
            let out = arguments(text, &mut |text| {
                seen.push(text.to_owned());
                redacted(text)
            });
            assert_eq!((out, seen), (text.replace("secret", "[\"gone\"]"), vec![text.to_owned()]));
        }
    }

    #[test]
    fn depth_is_no_matter() {
        let deep = "[".repeat(100_000) + r#"{"secret":1}"# + &"]".repeat(100_000);
        assert_eq!(run(&deep), deep.replace("secret", r#"[\"gone\"]"#));
    }

    #[test]
    fn json_is_what_the_parser_takes_for_it() {
        let scraps = [
            "{",
            "}",
            "[",
            "]",
            ":",
            ",",
            "\"a\"",
            "\"\\n\"",
            "\"\\x\"",
            "\"\\u00e\"",
            "\"\\u00e9\"",
            "0",
            "-",
            "1",
            ".5",
            "e9",
            "E+1",
            "true",
            "nul",
            "null",
            "false",
            " ",
            "\t",
            "\u{b}",
            "é",
            "\"é\"",
            "\"\u{1}\"",
            "\\",
            "\"",
            "00",
            "-1.0e-1",
        ];
        proptest!(ProptestConfig::with_cases(20_000), |(picks in prop::collection::vec(0..scraps.len(), 0..8))| {
            let text: String = picks.iter().map(|at| scraps[*at]).collect();
            // The parser knows no number above some size, which is JSON all the same.
            let parsed = read(text.as_bytes());
            let large = parsed.as_ref().is_err_and(|error| error.to_string().contains("out of range"));
            prop_assert!(large || tokens(text.as_bytes()).is_some() == parsed.is_ok(), "{}", text);
        });
    }

    /// A value as some writer may write it, and its strings and numbers in order.
    fn written() -> impl Strategy<Value = (String, Vec<String>)> {
        let letter = prop_oneof![
            Just(("secret".to_owned(), "secret".to_owned())),
            Just((r"\u0073ecret".to_owned(), "secret".to_owned())),
            Just((r#"\""#.to_owned(), "\"".to_owned())),
            Just((r"\\".to_owned(), "\\".to_owned())),
            Just((r"\ud83e\uDD80".to_owned(), "🦀".to_owned())),
            Just((r"\udd80".to_owned(), "\u{fffd}".to_owned())),
            "[a-zé {}\\[\\],:]".prop_map(|text| (text.clone(), text)),
        ];
        let string = prop::collection::vec(letter, 0..5).prop_map(|letters| {
            let (raw, text): (Vec<_>, Vec<_>) = letters.into_iter().unzip();
            (format!("\"{}\"", raw.concat()), vec![text.concat()])
        });
        let number = prop_oneof!["-?(0|[1-9][0-9]{0,3})(\\.[0-9]{1,2})?([eE][+-]?[0-9])?", "[1-9][0-9]{15}"];
        let leaf = prop_oneof![
            string.clone(),
            number.prop_map(|text| (text.clone(), vec![text])),
            "(true|false|null)".prop_map(|text| (text, Vec::new())),
        ];
        leaf.prop_recursive(4, 32, 4, move |inner| {
            let join = |parts: Vec<(String, Vec<String>)>, open: &str, close: &str| {
                let (raw, texts): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
                (format!("{open} {}{close}", raw.join(" ,\n")), texts.concat())
            };
            let field = (string.clone(), inner.clone())
                .prop_map(|(name, item)| (format!("{}:{}", name.0, item.0), [name.1, item.1].concat()));
            prop_oneof![
                prop::collection::vec(inner, 0..4).prop_map(move |items| join(items, "[", "]")),
                prop::collection::vec(field, 0..4).prop_map(move |fields| join(fields, "{", "}")),
            ]
        })
    }

    proptest! {
        #[test]
        fn each_string_and_number_is_given_once_and_what_comes_is_json((text, texts) in written()) {
            let mut seen = Vec::new();
            let same = arguments(&text, &mut |text| {
                seen.push(text.to_owned());
                None
            });
            prop_assert_eq!(&same, &text);
            prop_assert_eq!(&seen, &texts);
            prop_assert_eq!(&arguments(&text, &mut |text| Some(text.to_owned())), &text);

            let out = run(&text);
            let mut after = Vec::new();
            let again = arguments(&out, &mut |text| {
                after.push(text.to_owned());
                None
            });
            let expected: Vec<String> = texts.iter().map(|text| redacted(text).unwrap_or_else(|| text.clone())).collect();
            prop_assert_eq!(again, out.clone());
            prop_assert_eq!(after, expected);
            prop_assert!(read(out.as_bytes()).is_ok());
        }

        #[test]
        fn any_text_is_taken(text in "\\PC*", cut in any::<prop::sample::Index>()) {
            run(&text);
            let json = json::text(&Value::from(text));
            let mut at = cut.index(json.len());
            while !json.is_char_boundary(at) {
                at -= 1;
            }
            run(&json[..at]);
        }
    }
}
