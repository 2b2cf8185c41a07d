mod random;

use super::*;

/// The automaton of one pattern.
fn one(pattern: &str) -> Result<Dfa, PatternError> {
    compile(&[Source { rule: 0, pattern, not_after: None, not_before: None }], 2000)
}

/// Every match of any rule: start, end, rule.
fn matches(dfa: &Dfa, text: &[u8]) -> Vec<(usize, usize, u16)> {
    let mut found = Vec::new();
    for start in 0..text.len() {
        let before = start.checked_sub(1).map_or(dfa.classes, |at| dfa.class[usize::from(text[at])].into());
        let mut state = dfa.start[before];
        for at in start..=text.len() {
            let class = text.get(at).map_or(dfa.classes, |&byte| dfa.class[usize::from(byte)].into());
            state = dfa.row(state.into())[class];
            found.extend(dfa.sets[usize::from(dfa.matched[usize::from(state)])].iter().map(|&rule| (start, at, rule)));
        }
    }
    found
}

fn spans(pattern: &str, text: &str) -> Vec<(usize, usize)> {
    let dfa = one(pattern).unwrap_or_else(|error| panic!("{pattern}: {error:?}"));
    matches(&dfa, text.as_bytes()).into_iter().map(|(start, end, _)| (start, end)).collect()
}

#[test]
fn finds_every_match() {
    assert_eq!(spans("a+b?", "aab"), [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3)]);
    assert_eq!(spans("(?:ab|c){2}", "abcab"), [(0, 3), (2, 5)]);
    assert_eq!(spans("x{2,}", "xxx"), [(0, 2), (0, 3), (1, 3)]);
}

#[test]
fn guards_look_at_one_byte_on_each_side() {
    assert_eq!(spans("\\bab\\b", "ab cab ab"), [(0, 2), (7, 9)]);
    assert_eq!(spans("\\Ba", "aa a"), [(1, 2)]);
    assert_eq!(spans("a\\B", "aa a"), [(0, 1)]);
    // A character that is not ASCII is of a word on both sides.
    assert_eq!(spans("\\ba\\b", "éa aé a"), [(8, 9)]);
    assert_eq!(spans("^a+", "aaba"), [(0, 1), (0, 2)]);
    assert_eq!(spans("a+$", "abaa"), [(2, 4), (3, 4)]);
    assert_eq!(spans("^a$", "a"), [(0, 1)]);
    assert_eq!(spans("^a$", "a\na"), []);
    assert_eq!(spans("(?<!\\d)\\d{2}(?!\\d)", "12 123 45"), [(0, 2), (7, 9)]);
    assert_eq!(spans("(?<=[ ])a", "a a"), [(2, 3)]);
    assert_eq!(spans("a(?=b)", "aab"), [(1, 2)]);
    assert_eq!(spans("a(?=[^b])", "aab a"), [(0, 1)]);
    // Two guards at one place must both hold, and one may stand in the middle.
    assert_eq!(spans("a(?=[b-y])(?=[x-z])", "abazaxay"), [(4, 5), (6, 7)]);
    assert_eq!(spans("a(?!b)(?<=a)[^c]", "abacadae"), [(4, 6), (6, 8)]);
    assert_eq!(spans("(?:a(?!b)|ab(?!c))[a-d]", "abcabdaa"), [(3, 6), (6, 8)]);
}

#[test]
fn a_rule_has_guards_of_its_own() {
    let word = Some("[A-Za-z0-9_]");
    let sources = [
        Source { rule: 4, pattern: "ab+", not_after: word, not_before: None },
        Source { rule: 2, pattern: "ab+", not_after: None, not_before: word },
        Source { rule: 2, pattern: "b", not_after: Some("[^a]"), not_before: None },
    ];
    let dfa = compile(&sources, 100).unwrap();
    let expected = [(0, 1, 2), (2, 4, 4), (2, 5, 2), (2, 5, 4), (3, 4, 2)];
    assert_eq!(matches(&dfa, b"b abb"), expected);
    assert_eq!(dfa.sets, [&[][..], &[2], &[2, 4], &[4]]);
    assert_eq!(compile(&[], 10).map(|dfa| (dfa.states(), dfa.gap(false), dfa.longest())), Ok((1, Some(0), Some(0))));
}

#[test]
fn case_is_ignored_where_it_is_said_and_of_ascii_alone() {
    assert_eq!(spans("(?i)a[b-c]É", "ABÉ aCÉ abé"), [(0, 4), (5, 9)]);
    assert_eq!(spans("a(?i:b)b", "aBb abB"), [(0, 3)]);
    assert_eq!(spans("(?i:[^a])", "aAb"), [(2, 3)]);
    assert_eq!(spans("(?i)k", "kK\u{212A}"), [(0, 1), (1, 2)]);
    assert_eq!(spans("(?i)a(?!B)", "abac"), [(2, 3)]);
}

#[test]
fn characters_are_whole() {
    assert_eq!(spans(".", "a\né日𝄞"), [(0, 1), (2, 4), (4, 7), (7, 11)]);
    assert_eq!(spans("[^é]", "éè"), [(2, 4)]);
    assert_eq!(spans("[à-ü]{2}", "aéè"), [(1, 5)]);
    assert_eq!(
        spans("[\\u{7F0}-\\u{810}]", "\u{7EF}\u{7F0}\u{7FF}\u{800}\u{810}\u{811}"),
        [(2, 4), (4, 6), (6, 9), (9, 12)]
    );
    assert_eq!(
        spans("[\\uFFFE-\\u{10001}]", "\u{FFFD}\u{FFFE}\u{10000}\u{10001}\u{10002}"),
        [(3, 6), (6, 10), (10, 14)]
    );
    assert_eq!(spans("[\\x41\\u0042\\u{1F600}]", "AB😀"), [(0, 1), (1, 2), (2, 6)]);
}

#[test]
fn what_is_meant_by_itself() {
    assert_eq!(spans("[a-]", "a-b"), [(0, 1), (1, 2)]);
    assert_eq!(spans("[-a]", "a-b"), [(0, 1), (1, 2)]);
    assert_eq!(spans("[\\]\\\\[^]", "]\\[^x").len(), 4);
    assert_eq!(spans("\\.\\/\\-\\ #", "./- #"), [(0, 5)]);
    assert_eq!(spans("[\\d-]", "1-x"), [(0, 1), (1, 2)]);
    assert_eq!(spans("a??b{2}?", "abb"), [(0, 3), (1, 3)]);
}

#[test]
fn what_is_refused_is_refused_where_it_stands() {
    for (pattern, at, reason) in [
        ("", 0, "it matches the empty text"),
        ("a*", 0, "it matches the empty text"),
        ("a|\\b", 0, "it matches the empty text"),
        ("(?:a{0}|b)?^", 0, "it matches the empty text"),
        ("a(b", 1, "this group is not closed"),
        ("é(?:b", 2, "this group is not closed"),
        ("ab)c", 2, "this closes no group"),
        ("a[bc", 1, "this class is not closed"),
        ("a[]b]", 1, "this class is empty"),
        ("[^\\s\\S]", 0, "this class is empty"),
        ("a]", 1, "this closes nothing; escape it if it is meant"),
        ("a}", 1, "this closes nothing; escape it if it is meant"),
        ("[ac-b]", 2, "this range is from high to low"),
        ("[a-\\d]", 2, "a range can't end with a class"),
        ("*a", 0, "there is nothing to repeat"),
        ("a|+", 2, "there is nothing to repeat"),
        ("(?:{2})", 3, "there is nothing to repeat"),
        ("a^*", 2, "there is nothing to repeat"),
        ("a\\b+", 3, "there is nothing to repeat"),
        ("a**", 2, "this is repeated already"),
        ("a{2}{3}", 4, "this is repeated already"),
        ("a+??", 3, "this is repeated already"),
        ("a{", 2, "a number is missing; escape the brace if it is meant"),
        ("a{,3}", 2, "a number is missing; escape the brace if it is meant"),
        ("a{2,x}", 4, "a number is missing; escape the brace if it is meant"),
        ("a{2", 1, "a repetition is {2}, {2,} or {2,5}"),
        ("a{3,2}", 1, "this repetition is from more to less"),
        ("a{257}", 2, "a repetition counts to 256 at most"),
        ("a{1,99999999999999999999}", 4, "a repetition counts to 256 at most"),
        ("(a)\\1", 3, "there are no references to groups"),
        ("\\k<a>", 0, "there are no references to groups"),
        ("a\\p{L}", 1, "there are no classes by Unicode's names"),
        ("a\\q", 1, "this escape is unknown"),
        ("a\\", 1, "this escape is unknown"),
        ("[\\b]", 1, "this escape is unknown"),
        ("\\0", 0, "this escape is unknown"),
        ("a\\x4", 1, "this is no number of a character"),
        ("\\uD800", 0, "this is no number of a character"),
        ("\\u{110000}", 0, "this is no number of a character"),
        ("\\u{}", 0, "this is no number of a character"),
        ("\\u{41", 0, "this number of a character is not closed"),
        ("a(?<n>b)", 1, "groups can't have names"),
        ("a(?P<n>b)", 1, "groups can't have names"),
        ("a(?m:b)", 1, "of flags there is i alone: (?i:...), or (?i) in front of all"),
        ("a(?i)b", 1, "of flags there is i alone: (?i:...), or (?i) in front of all"),
        ("a(?=bc)", 5, "a look-around may hold one class and nothing else"),
        ("a(?!(b))", 4, "a look-around may hold one class and nothing else"),
        ("a(?!)", 4, "a look-around may hold one class and nothing else"),
        ("(?<=a*)b", 5, "a look-around may hold one class and nothing else"),
        ("(?<!é)b", 4, "what is not ASCII must be in this class all or not at all"),
        ("a\\bb", 0, "it can't match anything"),
        ("a^b", 0, "it can't match anything"),
    ] {
        assert_eq!(one(pattern), Err(PatternError { source: 0, at, reason }), "{pattern}");
    }
    // The source is named too, and of a guard the place in its class.
    let good = Source { rule: 0, pattern: "a", not_after: None, not_before: None };
    let error = |bad| compile(&[good, bad, good], 100).map(|_| ()).unwrap_err();
    assert_eq!(
        (error(Source { pattern: "bc*?+", ..good }).source, error(Source { pattern: "bc*?+", ..good }).at),
        (1, 4)
    );
    let error = error(Source { not_before: Some("[a-c]d"), ..good });
    assert_eq!(error, PatternError { source: 1, at: 5, reason: "only one class may stand here" });
    assert_eq!(compile(&[good, Source { rule: 1, pattern: "a^b", ..good }], 100).map(|_| ()).unwrap_err().source, 1);
}

#[test]
fn nothing_grows_without_a_bound() {
    let deep = |depth: usize| ["(".repeat(depth), "a".to_owned(), ")".repeat(depth)].concat();
    assert!(one(&deep(64)).is_ok());
    assert_eq!(
        one(&deep(65)).unwrap_err(),
        PatternError { source: 0, at: 64, reason: "groups are nested more than 64 deep" }
    );
    assert!(one(&"a".repeat(1000)).is_ok());
    assert_eq!(one(&"a".repeat(1001)).unwrap_err().at, 1000);
    let large = "with its repetitions the pattern comes to too much";
    let states = "the pattern needs too many states; make it shorter or less repeated";
    for (pattern, at, reason) in [
        ("(x{256}){256}", 8, large),
        ("y((((x?){200}){200}){200}){200}", 14, large),
        ("y(((((x{0}){256}){256}){256}){256})", 17, large),
        ("y(((((){256}){256}){256}){256})", 13, large),
        ("a(.{256}){2}", 9, large),
        ("(a|b)*a(a|b){12}", 0, states),
        ("(.*x){20}.{99}y", 0, states),
    ] {
        let error = one(pattern).map(|dfa| dfa.states()).unwrap_err();
        assert_eq!(error, PatternError { source: 0, at, reason }, "{pattern}");
    }
    for (pattern, most) in [
        ("((a*)*)*b", 5),
        ("(a|a)*(a|a)*b", 5),
        ("(((a+)+)+)+", 5),
        ("(a?){99}a{99}", 300),
        (".{0,99}x", 1100),
        ("(a*b*c*d*e*f*g*h*){40}z", 400),
    ] {
        let states = one(pattern).map(|dfa| dfa.states());
        assert!(states.is_ok_and(|states| states <= most), "{pattern}: {states:?}");
    }
}

#[test]
fn it_is_known_how_much_is_held() {
    let bounds = |pattern| one(pattern).map(|dfa| (dfa.gap(false), dfa.longest())).unwrap();
    assert_eq!(bounds("abc"), (Some(3), Some(3)));
    assert_eq!(bounds("ab{3,5}c?"), (Some(4), Some(7)));
    assert_eq!(bounds("ab{20,}"), (Some(21), None));
    assert_eq!(bounds("ab{4}(?:-c{6})*"), (Some(7), None));
    assert_eq!(bounds("a+b"), (None, None));
    assert_eq!(bounds("ab(?:c+d)?"), (None, None));
    assert_eq!(bounds("a(?:bcd)?"), (Some(3), Some(4)));
    assert_eq!(bounds("é"), (Some(2), Some(2)));
    assert_eq!(bounds("ab\\b"), (Some(2), Some(2)));
    // What comes to no match counts for nothing.
    assert_eq!(bounds("ab|ac\\b(?:d+)e"), (Some(2), Some(2)));
    let dfa = one("ab{4,8}").unwrap();
    assert_eq!((dfa.gap(false), dfa.gap(true)), (Some(5), Some(9)));
}
