//! What rules set besides their patterns: lengths, allowed values, what stands in front.

use super::{Make, Written};

#[test]
fn a_length_that_is_set_ends_a_candidate_as_early_as_can_be() {
    let make = Make::of(&[Written { longest: Some(6), ..Written::new("key", "k-[a-z]*!") }]);
    make.gives("k-abc! k-abcd!", "[REDACTED:key] k-abcd!");
    make.leaves("k-abc", "");
    // With the mark it would be seven.
    make.leaves("k-abcd", "k-abcd");
    let never = Make::of(&[Written { longest: Some(2), ..Written::new("key", "abc") }]);
    never.leaves("abab", "abab");
}

#[test]
fn of_what_stands_in_front_so_much_belongs_to_a_match_as_may() {
    let email = |not_after| {
        Make::of(&[Written { lookback: Some(("[a-z]", 4)), not_after, ..Written::new("email", "@[a-z]+") }])
    };
    email(None).gives("to me@home.", "to [REDACTED:email].");
    email(None).gives("@home", "@home");
    email(None).gives("abcdefg@home", "abc[REDACTED:email]");
    email(None).leaves("abcdefg", "abc");
    email(Some("[a-z]")).gives("abcdefg@home", "abcdefg@home");
    email(Some("[a-z]")).leaves("abcd", "");
    email(Some("[a-z]")).leaves("abcde", "abcde");
    email(Some("[a-z-]")).gives("-abcd@home +abcd@home", "-abcd@home +[REDACTED:email]");
    email(None).gives("a@b@c@d", "[REDACTED:email]");
    let short = Make::of(&[Written {
        lookback: Some(("[a-z]", 4)),
        longest: Some(7),
        ..Written::new("email", "@[a-z]+\\.[a-z]")
    }]);
    // From the third letter on it is short enough.
    short.gives("abcd@ef.g", "ab[REDACTED:email]");
    short.leaves("abcd@ef", "ab");
    // It can't be any more, and of the next one the letters from the second on could be in front.
    short.leaves("abcd@efgh", "abcd@e");
}

#[test]
fn an_allowed_value_leaves_once_it_is_known_to_be_no_more() {
    let number =
        Written { not_after: Some("[0-9]"), not_before: Some("[0-9]"), ..Written::new("number", "[0-9]{3,5}x?") };
    let make = Make { allow: vec!["123", "555X"], ..Make::of(&[number, Written::new("key", "k[a-z]{2,}")]) };
    make.gives("123 1234 555x 123x", "123 [REDACTED:number] [REDACTED:number]x [REDACTED:number]");
    make.gives("kabc", "[REDACTED:key]");
    let email =
        Written { lookback: Some(("[a-z]", 8)), not_after: Some("[a-z]"), ..Written::new("email", "@[a-z]{2}") };
    let make = Make { allow: vec!["Me@Us"], ..Make::of(&[email]) };
    make.gives("me@us you@us", "me@us [REDACTED:email]");
    let values = Make { allow: vec!["public-token"], values: vec!["public-token", "secret-token"], ..Make::default() };
    // What must never leave is never allowed.
    values.gives("public-token secret-token", "[REDACTED:value] [REDACTED:value]");
}

#[test]
fn a_term_is_told_what_stands_before_it_where_a_candidate_alone_was_read() {
    let make = Make {
        values: vec!["never-here"],
        terms: vec!["acme"],
        ..Make::of(&[Written::new("code", "9[0-9A-Z.-]{3,20}!")])
    };
    make.gives(
        "x 966.Z-acme, 966.ZAcme 9Z-é-acme",
        "x 966.Z-[REDACTED:blocklist], 966.ZAcme 9Z-é-[REDACTED:blocklist]",
    );
    make.gives("9A.-acme!", "9A.-[REDACTED:blocklist]!");
    // What is left out may end anywhere, behind a letter with which a term begins too.
    let make = Make { rules: Vec::new(), ..make };
    make.gives("ZAcme ZéAcme Zacme aacme\u{1680}acme", "ZAcme ZéAcme Zacme aacme\u{1680}[REDACTED:blocklist]");
}
