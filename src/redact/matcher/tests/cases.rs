//! Texts by hand: overlaps, touching spans, growth, ends, styles, modes.

use super::{Make, Written};
use crate::redact::settings::{Mode, Overflow, Style};

/// The rules of most of these tests.
fn rules() -> Make {
    let email = Written {
        lookback: Some(("[a-z.]", 8)),
        not_after: Some("[a-z.]"),
        not_before: Some("[a-z]"),
        ..Written::new("email", "@(?:[a-z]+\\.)+[a-z]{2,}")
    };
    let number = Written {
        not_after: Some("[0-9]"),
        not_before: Some("[0-9]"),
        ..Written::new("number", "[0-9]{3}(?:-?[0-9]{2})?")
    };
    Make::of(&[
        Written { not_after: Some("[a-z]"), ..Written::new("key", "sk-[a-z0-9]{4,}") },
        email,
        number,
        Written::new("short", "abcdef"),
        Written::new("long", "defghi"),
    ])
}

#[test]
fn what_no_rule_can_want_leaves_at_once() {
    let make = rules();
    make.gives("", "");
    make.gives("plain text, with dots. And s, sk, sk-, sk-abc.", "plain text, with dots. And s, sk, sk-, sk-abc.");
    make.leaves("a word ", "a word ");
    make.leaves("a word", "a ");
    make.leaves("a wordword", "a ");
    make.leaves("a wordwordw", "a wordwordw");
    make.leaves("a task-", "a task-");
    make.leaves("see sk-", "see ");
    make.leaves("see sk-ab ", "see sk-ab ");
    make.leaves("12", "");
    make.leaves("1 23", "1 ");
    make.leaves("1234", "");
    make.leaves("123456", "123456");
}

#[test]
fn a_span_leaves_as_a_label_as_soon_as_it_is_one_and_the_rest_is_swallowed() {
    let make = rules();
    make.gives("a sk-abcd b", "a [REDACTED:key] b");
    make.leaves("a sk-abcd", "a ");
    make.leaves("a sk-abcde", "a [REDACTED:key]");
    make.leaves("a sk-abcdefghijklmnopqrstuvwxyz0123456789", "a [REDACTED:key]");
    make.gives("sk-abcdefghijklmnopqrstuvwxyz0123456789", "[REDACTED:key]");
    make.gives("mail ana@firma.co", "mail [REDACTED:email]");
    make.gives("mail ana@firma.com.br.", "mail [REDACTED:email].");
    // What it might grow by is held, and goes on as it is if it does not.
    make.leaves("mail ana@firma.co.", "mail [REDACTED:email]");
    make.gives("mail ana@firma.co.b ok", "mail [REDACTED:email].b ok");
    make.gives("123", "[REDACTED:number]");
    make.gives("123-4", "[REDACTED:number]-4");
    make.gives("123-45", "[REDACTED:number]");
    make.gives("123-4567", "[REDACTED:number]-4567");
}

#[test]
fn overlapping_matches_are_one_span_and_touching_ones_are_two() {
    let make = rules();
    make.gives("xabcdefghi!", "x[REDACTED:short]!");
    make.gives("abcdefdefghi", "[REDACTED:short][REDACTED:long]");
    make.gives("abcdefabcdef", "[REDACTED:short][REDACTED:short]");
    // The key's candidate is the earlier one, but the other matched first.
    make.gives("sk-abcdefghi", "[REDACTED:key]");
    let own = Make::of(&[Written::new("outer", "aXbcYd"), Written::new("inner", "bc")]);
    own.gives("aXbcYd.", "[REDACTED:inner].");
    own.leaves("aXbcY", "");
    own.gives("aXbcY.", "aX[REDACTED:inner]Y.");
    let own = Make::of(&[Written::new("self", "aabaa")]);
    own.gives("aabaabaabaab", "[REDACTED:self]b");
    own.gives("aabaaabaa", "[REDACTED:self]");
    own.gives("aabaaaabaa", "[REDACTED:self][REDACTED:self]");
    let own =
        Make::of(&[Written::new("first", "same"), Written::new("second", "[a-z]ame"), Written::new("third", "ame")]);
    own.gives("same name", "[REDACTED:first] [REDACTED:second]");
}

#[test]
fn a_secret_that_begins_another_leaves_nothing_of_it() {
    let make = Make { values: vec!["hunter2", "hunter2-and-more"], ..Make::default() };
    make.gives("(hunter2)", "([REDACTED:value])");
    make.gives("(hunter2-and-more)", "([REDACTED:value])");
    make.leaves("(hunter2-and-mor", "([REDACTED:value]");
    make.gives("(hunter2-and-mor)", "([REDACTED:value]-and-mor)");
}

#[test]
fn literals_and_patterns_are_one_union() {
    let make = Make { values: vec!["sk-abcdefg"], terms: vec!["red tape"], ..rules() };
    make.gives("sk-abcdefgh", "[REDACTED:key]");
    make.gives("Cut the Red  Tape, 123", "Cut the [REDACTED:blocklist], [REDACTED:number]");
    make.gives("Cut the red tapes", "Cut the red tapes");
    make.gives("red tape@firma.co", "[REDACTED:blocklist]");
    make.leaves("Cut the re", "Cut the ");
    let tie = Make { values: vec!["abcdef"], ..Make::of(&[Written::new("same", "abcdef")]) };
    tie.gives("abcdef", "[REDACTED:value]");
}

#[test]
fn characters_of_more_bytes_are_never_cut() {
    let make = Make::of(&[Written::new("accents", "é{2}x"), Written::new("any", "日.本")]);
    make.gives("aéÉééx日", "aéÉ[REDACTED:accents]日");
    make.gives("日é本日😀本", "[REDACTED:any][REDACTED:any]");
    make.leaves("aé", "a");
    make.leaves("aéé", "a");
    make.leaves("aééé", "aé");
    make.gives("ééé日日日本", "ééé日[REDACTED:any]");
}

#[test]
fn guards_ask_of_the_text_and_not_of_what_has_left() {
    let make = Make::of(&[
        Written::new("word", "\\bcat\\b"),
        Written { not_after: Some("[0-9]"), ..Written::new("digit", "7x") },
        Written::new("start", "^go"),
        Written::new("end", "stop$"),
    ]);
    make.gives("cat cat's concat cats", "[REDACTED:word] [REDACTED:word]'s concat cats");
    make.gives("catcat cat", "catcat [REDACTED:word]");
    make.gives("17x cat7x", "17x cat[REDACTED:digit]");
    make.gives("go go stop stop", "[REDACTED:start] go stop [REDACTED:end]");
    // A text of its own has nothing before it.
    let mut matcher = make.matcher();
    let mut out = String::new();
    matcher.push("1", &mut out);
    matcher.flush(&mut out);
    matcher.push("7x", &mut out);
    matcher.flush(&mut out);
    assert_eq!(out, "1[REDACTED:digit]");
}

#[test]
fn every_style_shows_what_it_says() {
    let styled = |style: Style| {
        let mut make = rules();
        make.rules[1].style = style.clone();
        make.rules[2].style = style;
        make
    };
    styled(Style::Fixed("***".to_owned())).gives("a ana@firma.co b", "a *** b");
    styled(Style::SameLength).gives("a ana@firma.co.br b", "a *************** b");
    styled(Style::SameLength).leaves("a ana@firma.co.br", "a ************");
    styled(Style::LastFour).gives("a ana@firma.co b", "a ***@***ma.co b");
    styled(Style::LastFour).gives("123-45.", "*23-45.");
    styled(Style::LastFour).gives("123.", "***.");
    styled(Style::LastFour).leaves("a ana@firma.co.b", "a ");
    // HMAC-SHA-256 of `ana@firma.co` under `key`.
    let token = styled(Style::Token);
    let shown = token.whole("ana@firma.co");
    assert_eq!(shown.len(), "[email:0123456789ab]".len());
    token.gives("ana@firma.co, ana@firma.co.", &format!("{shown}, {shown}."));
    assert_ne!(token.whole("ana@firma.com"), shown);
    let four = Make::of(&[Written { style: Style::SameLength, ..Written::new("wide", "日本+") }]);
    four.gives("x日本本本y", "x****y");
}

#[test]
fn a_value_that_is_waited_for_too_long_becomes_a_label() {
    let number =
        Written { hold: Some(6), style: Style::LastFour, ..Written::new("number", "[0-9](?:[0-9]|-[0-9]){0,99}") };
    let make = Make::of(&[number]);
    make.gives("12-34.", "12-34.".replace("12-34", "**-**").as_str());
    make.gives("123456.", "**3456.");
    make.leaves("123456", "");
    make.leaves("1234567", "[REDACTED:number]");
    make.gives("1234567.", "[REDACTED:number].");
    make.gives("123456789012345678901234567890.", "[REDACTED:number].");
}

#[test]
fn a_blocked_text_ends_before_what_was_found() {
    let make = Make { mode: Mode::Block, ..rules() };
    make.gives("a sk-abcd b", "a ");
    make.gives("a sk-abc b", "a sk-abc b");
    let mut matcher = make.matcher();
    let mut out = String::new();
    matcher.push("a sk-abcd", &mut out);
    assert!(!matcher.blocked());
    matcher.push(" ", &mut out);
    assert!(matcher.blocked());
    assert_eq!(matcher.held(), 0);
    matcher.push("more and more", &mut out);
    matcher.flush(&mut out);
    matcher.push("more", &mut out);
    assert!(matcher.blocked());
    assert_eq!(out, "a ");
    matcher.abort();
    assert!(!matcher.blocked());
    matcher.push("more ", &mut out);
    assert_eq!(out, "a more ");
    // The end of the text may be what tells.
    let mut matcher = make.matcher();
    matcher.push("123", &mut out);
    matcher.flush(&mut out);
    assert!(matcher.blocked());
    assert_eq!(out, "a more ");
}

#[test]
fn an_aborted_text_leaves_nothing_to_the_next() {
    let make = rules();
    let mut matcher = make.matcher();
    let mut out = String::new();
    matcher.push("a sk-abc", &mut out);
    assert_eq!((out.as_str(), matcher.held()), ("a ", 6));
    matcher.abort();
    assert_eq!(matcher.held(), 0);
    matcher.push("defg ", &mut out);
    matcher.flush(&mut out);
    assert_eq!(out, "a defg ");
}

#[test]
fn what_holds_back_too_much_is_taken_for_a_match_let_go_or_ends_the_text() {
    let quoted =
        |overflow| Make::of(&[Written { overflow: Some((8, overflow)), ..Written::new("quoted", "\"[^\"]*\"") }]);
    for overflow in [Overflow::Redact, Overflow::Release, Overflow::Abort] {
        quoted(overflow).gives("say \"1234567\".", "say [REDACTED:quoted].");
        quoted(overflow).leaves("say \"1234567", "say ");
    }
    quoted(Overflow::Redact).gives("say \"12345678901234567890\".", "say [REDACTED:quoted].");
    quoted(Overflow::Redact).leaves("say \"12345678", "say ");
    quoted(Overflow::Redact).leaves("say \"123456789", "say [REDACTED:quoted]");
    quoted(Overflow::Redact).gives("say \"123456789012", "say [REDACTED:quoted]");
    quoted(Overflow::Release).gives("say \"123456789012, \"x\".", "say \"123456789012, [REDACTED:quoted].");
    quoted(Overflow::Abort).gives("say \"12345678901234567890\".", "say ");
    // It counts from the last match, and at borders of characters.
    let list =
        |overflow| Make::of(&[Written { overflow: Some((6, overflow)), ..Written::new("list", "<[^>]*(?:>[^>]*)*>") }]);
    list(Overflow::Redact).gives("<1234>1234>é89>", "[REDACTED:list]");
    list(Overflow::Release).gives("<1234>1234>12345678>", "[REDACTED:list]12345678>");
    list(Overflow::Release).gives("<1234>éééé>", "[REDACTED:list]éééé>");
    list(Overflow::Abort).gives("a <1234>12345678>", "a [REDACTED:list]");
    list(Overflow::Abort).leaves("a <1234>1234567", "a [REDACTED:list]");
}
