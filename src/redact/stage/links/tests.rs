use super::*;
use crate::redact::settings::{Allow, Links as Options};

fn stage(images: Option<&[&str]>, links: Option<&[&str]>, options: Options) -> Links {
    let list = |list: Option<&[&str]>| list.map(|list| list.iter().map(|host| (*host).to_owned()).collect());
    let allow = Allow { images: list(images), links: list(links), ..Allow::default() };
    Links::new(&allow, options).unwrap()
}

fn both() -> Links {
    stage(Some(&["img.ok", "*.cdn.ok"]), Some(&["ok.com", "*.ok.com"]), Options::default())
}

fn whole(stage: &mut Links, text: &str) -> String {
    let mut out = String::new();
    stage.push(text, &mut out);
    stage.flush(&mut out);
    out
}

#[test]
fn basics() {
    let mut s = both();
    for t in [
        "![a](https://evil.com/x?d=1 \"t\") z",
        "[t](https://evil.com) z",
        "see https://evil.com/a. ok",
        "a\n```\nhttps://evil.com\n```\nhttps://evil.com",
        "<img src='//evil.com/a'>",
        "[a]: <//evil.com> 'x'",
        "<https://evil.com>",
        "[x](https://ok.com/a?b#c) i<n; a<b",
        "<a href=\"https://ok.com\">x</a>",
    ] {
        eprintln!("{t:?}\n  {:?}", whole(&mut s, t));
    }
}
