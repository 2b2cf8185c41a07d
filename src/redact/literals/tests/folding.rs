//! Case folding against the standard library.

use super::*;
use std::fmt::Write;

/// Upper case and then lower case, until nothing changes, but for what Unicode's table says otherwise: the
/// dotless i stays, and Cherokee folds to upper case.
pub(super) fn reference(character: char) -> Vec<char> {
    let once = |character: &char| -> Vec<char> {
        match character {
            'ı' => vec!['ı'],
            '\u{13A0}'..='\u{13FD}' | '\u{AB70}'..='\u{ABBF}' => character.to_uppercase().collect(),
            _ => character.to_uppercase().flat_map(char::to_lowercase).collect(),
        }
    };
    let mut folded = vec![character];
    loop {
        let again = folded.iter().flat_map(once).collect();
        if again == folded {
            return folded;
        }
        folded = again;
    }
}

fn folded(character: char) -> Vec<char> {
    let mut symbols = Vec::new();
    fold::each(u32::from(character), &mut |symbol| symbols.push(char::from_u32(symbol).unwrap()));
    symbols
}

/// The tables as they should be.
fn tables() -> String {
    let all: Vec<(u32, Vec<u32>)> = ('\u{80}'..=char::MAX)
        .map(|character| (u32::from(character), reference(character).into_iter().map(u32::from).collect()))
        .filter(|(from, to): &(u32, Vec<u32>)| to[..] != [*from])
        .collect();
    let ones: Vec<(u32, u32)> = all.iter().filter(|(_, to)| to.len() == 1).map(|(from, to)| (*from, to[0])).collect();
    let (mut out, mut rest) = (String::new(), &ones[..]);
    while let Some((from, to)) = rest.first().copied() {
        let length = |step: u32| {
            (0_u32..).zip(rest).take_while(|(at, pair)| **pair == (from + step * at, to + step * at)).count()
        };
        let (every, second) = (length(1), length(2));
        let kind = u8::from(second > every) | if from > 0xFFFF { 2 } else { 0 };
        write!(out, "(0x{:04x}, 0x{:04x}, {}, {kind}), ", from & 0xFFFF, to & 0xFFFF, every.max(second)).unwrap();
        rest = &rest[every.max(second)..];
    }
    for (from, to) in all.iter().filter(|(from, to)| to.len() > 1 && !(0x1F80..=0x1FAF).contains(from)) {
        let mut to = to.iter().map(|to| format!("0x{to:04x}")).collect::<Vec<_>>();
        to.resize(3, "0".to_owned());
        write!(out, "[0x{from:04x}, {}], ", to.join(", ")).unwrap();
    }
    out
}

#[test]
fn every_character_folds_as_the_standard_library_would_have_it() {
    // An older or newer library knows other characters.
    let same = char::UNICODE_VERSION.0 == 17;
    for character in '\0'..=char::MAX {
        let (folded, expected) = (folded(character), reference(character));
        let known = same || expected != [character] && folded != [character];
        assert!(!known || folded == expected, "{character:?} gave {folded:?}, the tables should be: {}", tables());
        for symbol in &folded {
            assert_eq!(self::folded(*symbol), [*symbol], "what is folded stays");
        }
    }
}

#[test]
fn letters_with_a_folding_of_their_own() {
    let all = [
        ("ẞ", "ss"),
        ("ß", "ss"),
        ("ſ", "s"),
        ("K", "k"),
        ("ς", "σ"),
        ("Σ", "σ"),
        ("İ", "i\u{307}"),
        ("ı", "ı"),
        ("I", "i"),
        ("ﬃ", "ffi"),
    ];
    for (from, to) in all {
        assert_eq!(from.chars().flat_map(folded).collect::<String>(), to);
    }
}

#[test]
fn white_space_is_what_unicode_says() {
    for character in '\0'..=char::MAX {
        assert_eq!(fold::is_space(u32::from(character)), character.is_whitespace(), "{character:?}");
    }
}

#[test]
fn a_character_has_no_more_bytes_than_the_widths_of_what_it_folds_to() {
    for character in ('\0'..=char::MAX).filter(|character| !character.is_whitespace()) {
        let folded = folded(character);
        assert!((1..=3).contains(&folded.len()));
        let widths: usize = folded.iter().map(|symbol| fold::width(u32::from(*symbol))).sum();
        assert!(widths >= character.len_utf8(), "{character:?}");
        assert_eq!(fold::lead(u32::from(character)), character.to_string().as_bytes()[0]);
    }
}

#[test]
fn a_character_is_a_letter_or_digit_by_its_first_byte() {
    for character in '\0'..=char::MAX {
        let byte = character.to_string().as_bytes()[0];
        assert_eq!(is_word(u32::from(character)), is_word_byte(byte), "{character:?}");
    }
}

#[test]
fn only_a_letter_stands_behind_the_first_of_several() {
    // So no term begins within a character, which the cursor relies on.
    for character in '\0'..=char::MAX {
        let folded = folded(character);
        assert!(folded.len() == 1 || folded.iter().all(|symbol| is_word(u32::from(*symbol))), "{character:?}");
    }
}

#[test]
fn matches_begin_with_no_other_bytes_than_is_said() {
    let terms = Literals::terms(&[(0, "kilo"), (0, "strom"), (0, "ω"), (0, "😀"), (0, "ss")]).unwrap();
    let firsts = ['k', 's', 'ω', '😀'];
    let mut expected = vec![false; 256];
    for character in ('\0'..=char::MAX).filter(|character| firsts.contains(&reference(*character)[0])) {
        expected[usize::from(character.to_string().as_bytes()[0])] = true;
    }
    for byte in 0..=255 {
        assert_eq!(terms.begins(byte), expected[usize::from(byte)], "{byte:x}");
    }
}
