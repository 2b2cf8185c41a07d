//! The forms of known values.

use super::*;
use base64ct::{Base64, Base64Unpadded, Base64Url, Base64UrlUnpadded, Encoding};

/// What is left of a text without what is found of the value.
fn rest(value: &str, text: &str) -> String {
    let literals = Literals::values(&[(0, value)]).unwrap();
    assert!(literals.longest() >= value.trim().len());
    let mut left = text.as_bytes().to_vec();
    for hit in run(&literals, text).0 {
        assert!(hit.end - hit.start <= literals.longest() as u64);
        left[hit.start as usize..hit.end as usize].fill(0);
    }
    String::from_utf8(left).unwrap().replace('\0', "")
}

#[test]
fn escapes_of_several_writers_are_found() {
    let value = "pä\"ss\\w/o\n r\u{1}d<&>🦀+~*'!";
    let all = [
        value,
        r#"pä\"ss\\w/o\n r\u0001d<&>🦀+~*'!"#,
        r#"pä\"ss\\w\/o\n r\u0001d<&>🦀+~*'!"#,
        r#"p\u00e4\"ss\\w/o\n r\u0001d<&>\ud83e\udd80+~*'!"#,
        r#"p\u00E4\"ss\\w\/o\n r\u0001d<&>\uD83E\uDD80+~*'!"#,
        r#"pä\"ss\\w/o\n r\u0001d\u003c\u0026\u003e🦀+~*'!"#,
        r#"p\u00E4\"ss\\w/o\n r\u0001d\u003C\u0026\u003E\uD83E\uDD80+~*'!"#,
        "p%C3%A4%22ss%5Cw%2Fo%0A%20r%01d%3C%26%3E%F0%9F%A6%80%2B~*'!",
        "p%c3%a4%22ss%5cw%2fo%0a%20r%01d%3c%26%3e%f0%9f%a6%80%2b~*'!",
        "p%C3%A4%22ss%5Cw%2Fo%0A%20r%01d%3C%26%3E%F0%9F%A6%80%2B~%2A%27%21",
        "p%C3%A4%22ss%5Cw/o%0A%20r%01d%3C%26%3E%F0%9F%A6%80%2B~%2A%27%21",
        "p%C3%A4%22ss%5Cw/o%0A%20r%01d%3C&%3E%F0%9F%A6%80+~*'!",
        "p%C3%A4%22ss%5Cw%2Fo%0A+r%01d%3C%26%3E%F0%9F%A6%80%2B%7E*%27%21",
        "p%C3%A4%22ss%5Cw%2Fo%0A+r%01d%3C%26%3E%F0%9F%A6%80%2B~%2A%27%21",
        "70c3a42273735c772f6f0a2072 01643c263ef09fa6802b7e2a2721",
        "70C3A42273735C772F6F0A2072 01643C263EF09FA6802B7E2A2721",
    ];
    for text in all.map(|text| if text.starts_with("70") { text.replace(' ', "") } else { text.to_owned() }) {
        assert_eq!(rest(value, &format!("<{text}>")), "<>", "{text}");
    }
}

#[test]
fn white_space_around_a_value_is_no_part_of_it() {
    assert_eq!(rest(" secret\n", "a secret."), "a .");
    assert_eq!(rest("\tsecret\r\n", &Base64::encode_string(b"secret\n")), "Cg==");
}

#[test]
fn lines_of_a_value_are_found_alone_but_not_those_around_a_key() {
    let armour = |word: &str| ["-----", word, " PRIVATE ", "KEY-----"].concat();
    let (body, last) = ("MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\"", "BKcwggSjAg==");
    let key = format!("{}\r\n{body}\r\n{last}\r\n1234567\r\n{}\r\n", armour("BEGIN"), armour("END"));
    assert_eq!(rest(&key, &key), "\r\n");
    assert_eq!(
        rest(&key, &key.replace('\r', "").replace('\n', "\\n")),
        key.replace("\r\n", "\\n").replace(body, "").replace(last, "")
    );
    assert_eq!(rest(&key, &format!("{body}+{last}, MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\\\" 1234567")), "+,  1234567");
    assert_eq!(rest(&key, &armour("BEGIN")), armour("BEGIN"));
}

/// Each encoding of the bytes with and without padding.
fn base64(bytes: &[u8]) -> [String; 4] {
    [
        Base64::encode_string(bytes),
        Base64Unpadded::encode_string(bytes),
        Base64Url::encode_string(bytes),
        Base64UrlUnpadded::encode_string(bytes),
    ]
}

#[test]
fn base64_is_found_however_the_value_lies_in_it() {
    let mut dice = Dice::new(3);
    let any: Vec<char> = (' '..='~').chain("éß🦀中".chars()).filter(|character| *character != ' ').collect();
    for case in 0..600 {
        let length = 6 + dice.below(20);
        let value = dice.text(&any, length);
        let literals = Literals::values(&[(0, &value)]).unwrap();
        let (before, after) = (case % 7, dice.below(7));
        let strange = |dice: &mut Dice, length| (0..length).map(|_| dice.below(256) as u8).collect::<Vec<_>>();
        let (head, tail) = (strange(&mut dice, before), strange(&mut dice, after));
        for text in base64(&[&head, value.as_bytes(), &tail].concat()) {
            let hits = run(&literals, &text).0;
            // The characters all of whose bits are the value's.
            let (first, last) = ((before * 8).div_ceil(6), (before + value.len()) * 8 / 6);
            let covered = |at: usize| hits.iter().any(|hit| (hit.start as usize..hit.end as usize).contains(&at));
            assert!((first..last).all(covered), "{value:?} in {text}");
            if after == 0 {
                assert!((first..text.len()).all(covered), "{value:?} at the end of {text}");
            }
        }
    }
}

#[test]
fn base64_depends_on_nothing_before_the_value() {
    let literals = Literals::values(&[(0, "secret")]).unwrap();
    for (before, expected) in [("", "c2VjcmV0"), ("a", "NlY3JldA"), ("ab", "zZWNyZXQ")] {
        let text = base64([before, "secret"].concat().as_bytes());
        let hit = run(&literals, &text[1]).0.pop().unwrap();
        assert_eq!(&text[1][hit.start as usize..], expected);
    }
}
