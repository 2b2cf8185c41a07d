//! The tables against Unicode's own.

use super::context::Context;
use super::*;
use icu_properties::props::{
    BidiClass, DefaultIgnorableCodePoint, Emoji, EnumeratedProperty, GeneralCategory, JoiningType, Script,
    UnifiedIdeograph,
};
use icu_properties::{CodePointMapData, CodePointSetData};

fn every() -> impl Iterator<Item = char> {
    ('\u{80}'..=char::MAX).filter(|c| !hidden(*c))
}

fn is<P: EnumeratedProperty + 'static>(c: char) -> P {
    CodePointMapData::<P>::new().get(c)
}

fn has(c: char, context: Context) -> bool {
    Context::of(c).any(context)
}

#[test]
fn all_that_is_ignorable_or_steers_direction_is_known() {
    let ignorable = CodePointSetData::new::<DefaultIgnorableCodePoint>();
    for c in '\0'..=char::MAX {
        let direction = matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}');
        let annotation = ('\u{fff9}'..='\u{fffb}').contains(&c);
        assert_eq!(hidden(c), ignorable.contains(c) || direction || annotation, "{}", c.escape_unicode());
        let found = first(c.encode_utf8(&mut [0; 4])).is_some();
        assert_eq!(found, hidden(c), "{}", c.escape_unicode());
    }
}

#[test]
fn emoji_are_known_and_nothing_of_letters_or_digits_is_taken_for_one() {
    let emoji = CodePointSetData::new::<Emoji>();
    for c in every() {
        let symbol = !matches!(
            is(c),
            GeneralCategory::UppercaseLetter
                | GeneralCategory::LowercaseLetter
                | GeneralCategory::OtherLetter
                | GeneralCategory::DecimalNumber
                | GeneralCategory::SpaceSeparator
        ) || c == 'ℹ';
        assert!(has(c, Context::EMOJI) || !emoji.contains(c), "{}", c.escape_unicode());
        assert!(symbol || !has(c, Context::EMOJI), "{}", c.escape_unicode());
    }
    assert!((' '..='\u{a8}').all(|c| !has(c, Context::EMOJI)));
}

#[test]
fn joined_scripts_are_known_and_no_other_is_taken_for_one() {
    let mut letters = 0;
    for c in every() {
        let joins = matches!(is(c), JoiningType::DualJoining | JoiningType::RightJoining | JoiningType::LeftJoining);
        assert!(has(c, Context::CURSIVE) || !joins, "{}", c.escape_unicode());
        assert!(has(c, Context::JOINED) || !has(c, Context::CURSIVE), "{}", c.escape_unicode());
        let never = matches!(
            is(c),
            Script::Latin
                | Script::Greek
                | Script::Cyrillic
                | Script::Han
                | Script::Hiragana
                | Script::Katakana
                | Script::Hangul
                | Script::Hebrew
                | Script::Thai
                | Script::Lao
                | Script::Tibetan
                | Script::Georgian
        );
        assert!(!never || !has(c, Context::JOINED), "{}", c.escape_unicode());
        let indic = matches!(
            is(c),
            Script::Devanagari
                | Script::Bengali
                | Script::Gurmukhi
                | Script::Gujarati
                | Script::Oriya
                | Script::Tamil
                | Script::Telugu
                | Script::Kannada
                | Script::Malayalam
                | Script::Sinhala
                | Script::Khmer
                | Script::Myanmar
                | Script::Javanese
                | Script::Balinese
                | Script::Mongolian
                | Script::Arabic
                | Script::Syriac
                | Script::Nko
                | Script::Adlam
        );
        let in_other_blocks = ('\u{19e0}'..='\u{19ff}').contains(&c)
            || ('\u{116d0}'..='\u{116e3}').contains(&c)
            || ('\u{10e60}'..='\u{10e7e}').contains(&c)
            || ('\u{102e0}'..='\u{102fb}').contains(&c);
        assert!(!indic || in_other_blocks || has(c, Context::JOINED), "{}", c.escape_unicode());
        letters += u32::from(joins);
    }
    assert!(letters > 500, "{letters}");
    let viramas: String = every().filter(|c| has(*c, Context::VIRAMA)).collect();
    assert_eq!(viramas, "\u{94d}\u{9cd}\u{a4d}\u{acd}\u{b4d}\u{bcd}\u{c4d}\u{ccd}\u{d4d}\u{dca}");
}

#[test]
fn right_to_left_ideographs_and_mongolian_are_known() {
    let unified = CodePointSetData::new::<UnifiedIdeograph>();
    for c in every() {
        let right_to_left = matches!(is(c), BidiClass::RightToLeft | BidiClass::ArabicLetter);
        assert!(has(c, Context::RIGHT_TO_LEFT) || !right_to_left, "{}", c.escape_unicode());
        let left_to_right = is::<BidiClass>(c) == BidiClass::LeftToRight;
        assert!(!left_to_right || !has(c, Context::RIGHT_TO_LEFT), "{}", c.escape_unicode());
        assert!(has(c, Context::IDEOGRAPH) || !unified.contains(c), "{}", c.escape_unicode());
        let han = matches!(is(c), Script::Han | Script::Unknown);
        assert!(han || !has(c, Context::IDEOGRAPH), "{}", c.escape_unicode());
        assert!(
            !has(c, Context::MONGOLIAN) || matches!(is(c), Script::Mongolian | Script::Unknown),
            "{}",
            c.escape_unicode()
        );
        assert!(
            !has(c, Context::HEBREW_POINT) || matches!(is(c), Script::Hebrew | Script::Unknown),
            "{}",
            c.escape_unicode()
        );
    }
}

#[test]
fn plain_text_of_latin_script_passes_without_a_copy() {
    let texts = [
        "Straße, „größer“ – das sind 5 m² für 20 °C; »so« … Fußgängerübergänge!",
        "Não há ação nº 5ª: «coração», pão — maçã… R$ 10,00 às 3h.",
        "plain ASCII, `code` & more\r\n\ttabbed ",
    ];
    for text in texts {
        let (stage, escapes) = (Invisible::default(), crate::redact::stage::Escapes::default());
        assert!(stage.passes(text) && escapes.passes(text), "{text}");
    }
    let mut stage = Invisible::default();
    assert!(!stage.passes("a\u{ad}b") && !stage.passes("\u{200b}") && !stage.passes("🏴"));
    let mut out = String::new();
    stage.push("字", &mut out);
    assert!(stage.passes("漢字") && !stage.passes("a") && stage.passes(""));
}
