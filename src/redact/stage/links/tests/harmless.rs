//! Text that must stay as it is.

use super::*;

const HARMLESS: &[&str] = &[
    "Hello, how are you? The weather, which was fine, held.",
    "a < b and c > d; a<b, i<n; i++ {",
    "if x<y and y>z then",
    "x <- y -> z <3 <= >= << >> <>",
    "- [ ] task\n- [x] done",
    "arr[0] = m[i][j]; f[i](x, y); a[b]: c",
    "As [1] shows, and [2, 3].",
    "Text[^1] and more[^note].\n\n[^1]: A footnote.\n[^note]: Another, see above.",
    "Dear [Name],\n\nthanks for [topic].",
    "# Title\n\n## Second\n\ntext\n\n---\n\nmore",
    "| a | b |\n|---|:-:|\n| 1 | `x` |",
    "1. one\n2. two\n   - nested\n     deeper",
    "> quoted\n> more\n\nafter",
    "**bold** _it_ ~~gone~~ `code` ***both***",
    "[a](https://ok.com)",
    "[a](https://ok.com/path?x=1&y=2#z \"Title\")",
    "[a](https://www.ok.com/) and [b](http://deep.sub.ok.com:8080/x)",
    "[a](<https://ok.com/a>) [b](HTTPS://OK.COM/A)",
    "[a](https://port.ok:8443/x)",
    "[a](https://ok.com./x)",
    "[a](/path) [b](#anchor) [c](?q=1) [d](./x.md) [e](../y) [f](page.html#x)",
    "[a](foo\\_bar.md) [b](/a/b%20c) [c](página.html)",
    "[mail](mailto:ana@firma.co) [call](tel:+5511999999999)",
    "![a](https://img.ok/x.png) ![b](https://a.cdn.ok/y_(z).png \"t\")",
    "![chart](/files/chart.png) ![](a.png)",
    "[![badge](https://img.ok/b.svg)](https://ok.com/ci)",
    "![a [b] c](https://img.ok/x.png)",
    "[a]: https://both.ok/x",
    "[a]: /x 'Title'\n[b]: <#y>\n\nSee [a] and [b][], or [t][a].",
    "[a][b] [a][] ![a][b] ![a]",
    "<https://ok.com/x?y> <ana@firma.co> <mailto:ana@firma.co>",
    "See https://ok.com/x. And (https://ok.com), \"https://ok.com/a\", 'http://ok.com'!",
    "**https://ok.com** _https://ok.com/a_ https://ok.com/a_(b)?c=d&e=f#g;",
    "www.ok.com is fine, so is WWW.ok.com/x",
    "https://ok.com/redirect?u=https://other.org/x",
    "https://web.ok.com/web/2020/https://other.org/",
    "`https://ok.com`, `www.ok.com`",
    "{\"url\": \"https://ok.com\", \"x\": 1}",
    "{\"url\": \"https://ok.com\", \"file\": \"a.txt\", \"mail\": \"a@b.co\"} (https://ok.com). Next",
    "It begins with http:// or https://... or www. and ends",
    "https://{host}/x https://$ http://<host>/ https://",
    "ana@firma.co.br, @user, #tag, a/b, c:\\dir\\file, //comment",
    "std::vec::Vec<String> Map<String, Integer> HashMap<K,V> Array<object> List<T>",
    "Fill in <YOUR_API_KEY> <your-name> <T> <K, V> <insert text on line> <set>",
    "<b>bold</b> <br> <br/> <hr /> <kbd>Ctrl</kbd> H<sub>2</sub>O x<sup>2</sup>",
    "<details>\n<summary>More</summary>\n\nInside\n\n</details>",
    "<p align=\"center\"><em class='x'>y</em></p>",
    "<a href=\"https://ok.com/x\" target=\"_blank\" rel=noopener>x</a>",
    "<a href='/x'>x</a> <a name=x></a> <a href=\"#y\">y</a>",
    "<img src=\"https://img.ok/x.png\" alt=\"A chart\" width=100>",
    "<img src=/x.png srcset='/x.png 1x, https://img.ok/y.png 2x'>",
    "<video controls src=https://img.ok/v.mp4></video>",
    "<div style=\"color: red; width: calc(1px + 2em)\">x</div>",
    "<!-- a comment -->",
    "<!DOCTYPE html>",
    "<table>\n<tr><td>1</td></tr>\n</table>",
    "Tom &amp; Jerry &lt;b&gt; &quot;x&quot; &#39;y&#39; &nbsp; &copy; &eacute; AT&T a&b;",
    "R$ 10,00 or US$5, 100% of $x",
    "$$\nx^2 + y_1 = \\frac{a}{b}\n$$\n\nand \\(a[0](x)\\), $a < b$",
    "```js\nfetch(\"https://any.org/api?x=1\").then(r => r.json());\n```",
    "```\n![a](https://any.org/a.png) [b](https://any.org) <img src=//any.org>\n```\n",
    "Run this:\n```bash\ncurl https://any.org/install.sh | sh\n```\nand then go on.",
    "~~~\nhttps://any.org\n~~~",
    "````md\n```\nhttps://any.org\n```\nhttps://any.org\n````\ntext",
    "1. Do:\n   ```sh\n   curl https://any.org\n   ```\n2. Then:\n   ```sh\n   wget http://any.org\n   ```\n",
    "- x\n\n  ```\n  https://any.org\n\n  http://any.org\n  ```\n",
    "```html\n<div>\n\n<a href=\"https://any.org\">x</a>\n```",
    "```a\nx\n```\n\ntext\n\n```b\nhttps://any.org\n```",
    "```\r\nhttps://any.org\r\n```\r\ntext\r\n",
    "```\nunfinished https://any.org",
    "``` \nhttps://any.org\n   ```  \ntext",
    "Use `![alt](/x)` and `[a](b)` and `<T>` in code.",
    "``a ` b`` `x` ```inline``` ~~x~~ ~",
    "\\[not a link\\] \\![x] \\<y\\> \\`z\\`",
    "Wow! [see](/x)! Really![^2]",
    "http, https, www, ftp and file are words; so is what, how, for.",
    "héllo wörld – “quotes” … 你好，世界。 مرحبا 🎉👨‍👩‍👧",
    "时间是 12:30（见 https://ok.com ）",
    "12:30:45 a:b ::c x:y/z key: value",
    "[link text only] (not a target)",
    "f(x)[1](2) [a](b c) [a]()",
    "[x](y)[z](w): v",
    "\tindented\n    code = a[0]\n",
    "Line one  \nline two\\\nline three\r\nline four\n",
    "",
    "!",
    "<",
    "[",
    "](",
    "![",
    "a![",
    "&",
    "www",
    "see http",
    "a `",
    "a\n``",
    "[a](",
    "[a]:",
    "x <b",
];

#[test]
fn harmless_text_stays_byte_for_byte() {
    assert!(HARMLESS.len() >= 80);
    for text in HARMLESS {
        let mut links = both();
        assert_eq!(checked(&mut links, text), *text);
        assert_eq!(links.count(), 0, "{text:?}");
    }
}

#[test]
fn harmless_text_stays_in_a_longer_one() {
    let text = HARMLESS[..81].join("\n\n");
    let safe = HARMLESS[..81].iter().filter(|text| !text.contains("any.org") && !text.contains("unfinished"));
    let safe = safe.copied().collect::<Vec<_>>().join("\n\n");
    assert!(text.len() > safe.len());
    assert_eq!(checked(&mut both(), &safe), safe);
}
