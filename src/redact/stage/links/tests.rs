//! The stage by itself: tables of attacks and of harmless text, random text, and what a renderer makes of it.

mod attacks;
mod browser;
mod harmless;
mod policy;
mod random;

use super::super::Stage;
use super::Links;
use crate::redact::settings::{Allow, HARD_HOLD, Links as Options};

/// The hosts that are allowed in these tests.
const IMAGES: &[&str] = &["img.ok", "*.cdn.ok", "both.ok"];
const LINKS: &[&str] = &["ok.com", "*.ok.com", "port.ok:8443", "both.ok"];

fn stage(images: Option<&[&str]>, links: Option<&[&str]>, options: Options) -> Links {
    let list = |list: Option<&[&str]>| list.map(|list| list.iter().map(|host| (*host).to_owned()).collect());
    let allow = Allow { images: list(images), links: list(links), ..Allow::default() };
    Links::new(&allow, options).unwrap()
}

fn both() -> Links {
    stage(Some(IMAGES), Some(LINKS), Options::default())
}

fn whole(stage: &mut Links, text: &str) -> String {
    let mut out = String::new();
    stage.push(text, &mut out);
    stage.flush(&mut out);
    out
}

/// The text in pieces that end at these places. Each output is a prefix of the whole one, and no more than the
/// cap is held back.
fn in_pieces(stage: &mut Links, text: &str, ends: impl Iterator<Item = usize>, expected: &str) {
    let (mut out, mut start) = (String::new(), 0);
    for end in ends.chain([text.len()]) {
        let piece = &text[start..end];
        if stage.passes(piece) {
            out.push_str(piece);
        } else {
            stage.push(piece, &mut out);
        }
        start = end;
        assert!(expected.starts_with(&out), "{text:?} gave {out:?} up to {end}, not of {expected:?}");
        assert!(stage.held() <= HARD_HOLD, "{} bytes held of {text:?}", stage.held());
    }
    stage.flush(&mut out);
    assert_eq!(out, expected, "{text:?} in pieces");
}

/// The output, which is the same for every cut in two and in single characters, and stays when it is read again.
fn checked(stage: &mut Links, text: &str) -> String {
    let out = whole(stage, text);
    let borders = || (1..text.len()).filter(|at| text.is_char_boundary(*at));
    for at in borders() {
        in_pieces(stage, text, [at].into_iter(), &out);
    }
    in_pieces(stage, text, borders(), &out);
    assert_eq!(whole(stage, &out), out, "read again, {text:?}");
    out
}

fn allowed(host: &str, image: bool) -> bool {
    let image = image && host == "img.ok" || host.ends_with(".cdn.ok");
    // Inside of a tag one list is enough, also for who shows the tag as text.
    image || host == "img.ok" || host == "ok.com" || host.ends_with(".ok.com") || matches!(host, "port.ok" | "both.ok")
}

/// What a renderer's page would load or open although it must not.
fn leaks(text: &str) -> Vec<String> {
    use pulldown_cmark::{Options, Parser, html};
    let mut all = Options::all();
    // Not in the middle of a message.
    all.remove(Options::ENABLE_YAML_STYLE_METADATA_BLOCKS | Options::ENABLE_PLUSES_DELIMITED_METADATA_BLOCKS);
    all.remove(Options::ENABLE_SMART_PUNCTUATION);
    let mut found = Vec::new();
    for options in [Options::empty(), Options::ENABLE_TABLES, all] {
        let mut page = String::new();
        html::push_html(&mut page, Parser::new_ext(text, options));
        for address in browser::addresses(&page) {
            match browser::host(&address.address) {
                Ok(None) => {}
                Ok(Some(host)) if allowed(&host, address.image) => {}
                _ => found.push(format!("{address:?}")),
            }
        }
    }
    found
}
