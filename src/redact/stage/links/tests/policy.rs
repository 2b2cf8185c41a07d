//! What the table in the stage's description says, line by line.

use super::*;

#[test]
fn each_kind_is_neutralised_as_the_table_says() {
    let table = [
        ("![alt](https://evil.com/a?d=1 \"t\") z", "[image removed: evil.com] z"),
        ("[text](https://evil.com/a 't') z", "[text] z"),
        ("[id]: <https://evil.com> 'x'", "[id]: [link removed: evil.com] 'x'"),
        ("see <https://evil.com/a>.", "see [link removed: evil.com]."),
        ("see https://evil.com/a, or www.evil.com!", "see [link removed: evil.com], or [link removed: evil.com]!"),
        ("a <img alt=x src='//evil.com/a'> b", "a [image removed: evil.com] b"),
        ("a <a href=https://evil.com>b</a>", "a [link removed: evil.com]b</a>"),
        ("<form action='//evil.com'>", "[link removed: evil.com]"),
        ("<script>x</script>", "&lt;script>x</script>"),
        ("<b onclick='x()'>", "&lt;b onclick='x()'>"),
        ("<p style='color:red'>", "<p style='color:red'>"),
        ("<p style='x:url(a)'>", "&lt;p style='x:url(a)'>"),
        ("x &#104;ttps://evil.com", "x &amp;#104;ttps://evil.com"),
        ("<p title='https://evil.com'>", "&lt;p title='[link removed: evil.com]'>"),
        ("[a](javascript:x)", "[a]"),
        ("![a](data:image/png;base64,AA==)", "[image removed: data]"),
        ("![a](https://ok.com/a.png)", "[image removed: ok.com]"),
        ("[a](https://img.ok/a.png)", "[a]"),
        ("[a](https://port.ok:8443/) [a](https://port.ok/)", "[a](https://port.ok:8443/) [a]"),
    ];
    for (text, expected) in table {
        assert_eq!(checked(&mut both(), text), expected);
    }
}

#[test]
fn a_kind_without_a_list_is_only_kept_from_harmful_schemes() {
    let text = "![a](https://a.org/x) [b](https://b.org/y) https://c.org [d](javascript:x) ![e](data:x)";
    let mut images = stage(Some(&[]), None, Options::default());
    let expected = "[image removed: a.org] [b](https://b.org/y) https://c.org [d] [image removed: data]";
    assert_eq!(checked(&mut images, text), expected);
    let mut links = stage(None, Some(&[]), Options::default());
    let expected = "![a](https://a.org/x) [b] [link removed: c.org] [d] [image removed: data]";
    assert_eq!(checked(&mut links, text), expected);
    assert!(Links::new(&Allow::default(), Options::default()).is_none());
}

#[test]
fn a_target_is_shown_and_a_query_is_cut_where_that_is_wanted() {
    let mut show = stage(None, Some(LINKS), Options { show_target: true, ..Options::default() });
    assert_eq!(checked(&mut show, "[a](https://www.evil.com/x?y 't')."), "[a] (evil.com).");
    let mut strip = stage(Some(IMAGES), Some(LINKS), Options { strip_query: true, ..Options::default() });
    let text = "[a](https://ok.com/x?y#z 't') https://ok.com?a=(b) <https://ok.com/a#b> ![i](https://img.ok/a.png?d=1) \
                <img src=\"https://img.ok/a?b\" alt=x> [r](/a?b) <a href='https://ok.com/p?q=1&amp;r'>x</a>";
    let expected = "[a](https://ok.com/x 't') https://ok.com <https://ok.com/a> ![i](https://img.ok/a.png) \
                    <img src=\"https://img.ok/a\" alt=x> [r](/a?b) <a href='https://ok.com/p'>x</a>";
    assert_eq!(checked(&mut strip, text), expected);
}

#[test]
fn what_is_shown_of_a_host_is_short_and_harmless() {
    let long = format!("![a](https://{}.evil.com/)", "x".repeat(200));
    assert_eq!(checked(&mut both(), &long), format!("[image removed: {}]", "x".repeat(100)));
    let odd = "![a](https://a](b)é`<i>_www.evil.com@www.www.x.org\\y)";
    assert_eq!(checked(&mut both(), odd), "[image removed: a]](b)é`<i>_[link removed: x.org])");
}

#[test]
fn nothing_larger_than_the_cap_is_held_and_nothing_of_it_leaves_as_it_was() {
    let long = "x".repeat(5000);
    for (text, start) in [
        (format!("![a](https://img.ok/{long}) z"), "[image removed: img.ok]"),
        (format!("[a](https://ok.com/{long}) z"), "[a]"),
        (format!("[a]: https://ok.com/{long} z"), "[a]: [link removed: ok.com] z"),
        (format!("https://ok.com/{long} z"), "[link removed: ok.com] z"),
        (format!("a <b title='{long}' src=//evil.com>"), "a &lt;b title='"),
        (format!("![{long}](//evil.com)"), "&#33;["),
        (format!("![a](data:{long})"), "[image removed: data]"),
        (format!("[a](//evil.com '{long}') z"), "[a] '"),
    ] {
        let out = whole(&mut both(), &text);
        assert!(out.starts_with(start), "{}", &out[..60]);
        assert_eq!(leaks(&out), Vec::<String>::new());
        let ends = (1..text.len()).filter(|at| at % 3 == 0);
        in_pieces(&mut both(), &text, ends, &out);
    }
}

#[test]
fn ordinary_text_is_not_held_and_what_is_refuted_leaves_at_once() {
    let mut links = both();
    for text in
        ["The answer ", "is [x] task ", "a < b ", "arr[0] ", "[^1] ", "as in [1]. ", "`code` ", "1. a\n", "```js\n"]
    {
        let mut out = String::new();
        links.push(text, &mut out);
        assert_eq!((&*out, links.held()), (text, 0));
    }
    let mut out = String::new();
    links.push("\n```\nplain", &mut out);
    assert!(links.passes(" more words"), "inside a line of prose a piece needs no copy");
    assert!(!links.passes("more https://x"));
    links.push(" ![", &mut out);
    assert!(!links.passes(""), "something is held back");
}

#[test]
fn a_reset_forgets_what_is_held_and_counts_stay() {
    let (mut links, mut out) = (both(), String::new());
    links.push("![a](//evil.com) ![b](//evi", &mut out);
    links.reset();
    links.push("l.com) z", &mut out);
    links.flush(&mut out);
    assert_eq!((&*out, links.count()), ("[image removed: evil.com] l.com) z", 1));
}

#[test]
fn work_grows_with_the_text_and_not_with_its_square() {
    for part in [
        "![",
        "<a ",
        "](",
        "<a b='",
        "](//evil.com \"",
        "https://ok.com/,",
        "](/",
        "![a](/",
        "&#1",
        "[x]:",
        "<a b=\"](\">",
        "https://ok.com/(",
        "<",
    ] {
        let text = part.repeat(40_000 / part.len());
        let (mut links, mut out) = (both(), String::new());
        links.push(&text, &mut out);
        links.run(&mut out, true);
        assert!(links.steps < text.len() * 6, "{} steps for {} bytes of {part:?}", links.steps, text.len());
    }
}
