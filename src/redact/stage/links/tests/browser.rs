//! What a browser would load or open for a page, told independently of the stage.

/// An address that a page names, with its character references decoded.
#[derive(Debug)]
pub struct Address {
    pub image: bool,
    pub address: String,
}

/// Every address of the page; and everything that runs or styles, as `javascript:`.
pub fn addresses(html: &str) -> Vec<Address> {
    let c: Vec<char> = html.chars().collect();
    let mut found = Vec::new();
    let mut at = 0;
    let mut text = String::new();
    let mut code = 0;
    while at < c.len() {
        let next = c.get(at + 1).copied().unwrap_or(' ');
        if c[at] != '<' || !(next.is_ascii_alphabetic() || matches!(next, '/' | '!' | '?')) {
            if code == 0 {
                text.push(c[at]);
            }
            at += 1;
            continue;
        }
        in_text(&text, &mut found);
        text.clear();
        if starts(&c, at, "<!--") {
            let mut end = at + 2;
            while end < c.len() && !starts(&c, end, "-->") {
                end += 1;
            }
            at = end + 3;
            continue;
        }
        if matches!(next, '!' | '?') || next == '/' && !c.get(at + 2).is_some_and(char::is_ascii_alphabetic) {
            while at < c.len() && c[at] != '>' {
                at += 1;
            }
            at += 1;
            continue;
        }
        let closing = next == '/';
        let (name, attributes, end) = tag(&c, at + if closing { 2 } else { 1 });
        at = end;
        if matches!(&*name, "code" | "pre" | "a") {
            code = if closing { (code - 1).max(0) } else { code + 1 };
        }
        if closing {
            continue;
        }
        for (attribute, value) in &attributes {
            judge(&name, attribute, &decode(value), &mut found);
        }
        if matches!(&*name, "script" | "style") || name == "base" && !attributes.is_empty() {
            found.push(Address { image: true, address: format!("javascript:{name}") });
        }
        if matches!(&*name, "script" | "style" | "textarea" | "title" | "xmp" | "iframe" | "noembed" | "noframes") {
            let close = format!("</{name}");
            while at < c.len() && !starts(&c, at, &close) {
                at += 1;
            }
        }
    }
    in_text(&text, &mut found);
    found
}

fn starts(c: &[char], at: usize, what: &str) -> bool {
    what.chars().enumerate().all(|(i, w)| c.get(at + i).is_some_and(|c| c.eq_ignore_ascii_case(&w)))
}

type Attributes = Vec<(String, String)>;

fn tag(c: &[char], mut at: usize) -> (String, Attributes, usize) {
    let space = |c: char| matches!(c, ' ' | '\t' | '\n' | '\r' | '\x0c');
    let get = |at: usize| c.get(at).copied();
    let mut name = String::new();
    while let Some(b) = get(at).filter(|b| !space(*b) && !matches!(b, '/' | '>')) {
        name.push(b.to_ascii_lowercase());
        at += 1;
    }
    let mut attributes = Vec::new();
    loop {
        while get(at).is_some_and(|b| space(b) || b == '/') {
            at += 1;
        }
        match get(at) {
            // The page goes on behind the message and may end the tag.
            None => return (name, attributes, at),
            Some('>') => return (name, attributes, at + 1),
            _ => {}
        }
        let (mut attribute, mut value) = (String::new(), String::new());
        while let Some(b) = get(at).filter(|b| !space(*b) && !matches!(b, '/' | '>')) {
            if b == '=' && !attribute.is_empty() {
                break;
            }
            attribute.push(b.to_ascii_lowercase());
            at += 1;
        }
        while get(at).is_some_and(space) {
            at += 1;
        }
        if get(at) == Some('=') {
            at += 1;
            while get(at).is_some_and(space) {
                at += 1;
            }
            if let Some(quote) = get(at).filter(|b| matches!(b, '"' | '\'')) {
                at += 1;
                while let Some(b) = get(at).filter(|b| *b != quote) {
                    value.push(b);
                    at += 1;
                }
                at += 1;
            } else {
                while let Some(b) = get(at).filter(|b| !space(*b) && *b != '>') {
                    value.push(b);
                    at += 1;
                }
            }
        }
        attributes.push((attribute, value));
    }
}

fn judge(name: &str, attribute: &str, value: &str, found: &mut Vec<Address>) {
    let link = matches!(name, "a" | "area") && attribute == "href"
        || matches!(attribute, "action" | "formaction" | "ping" | "cite" | "longdesc");
    let lower = value.to_ascii_lowercase();
    let mut add = |address: &str| found.push(Address { image: !link, address: address.to_owned() });
    match attribute {
        "src" | "href" | "xlink:href" | "action" | "formaction" | "ping" | "cite" | "longdesc" | "poster"
        | "background" | "data" | "lowsrc" => add(value),
        "srcset" => value.split(',').for_each(|part| add(part.split_whitespace().next().unwrap_or(""))),
        "srcdoc" => add("javascript:srcdoc"),
        "content" if name == "meta" => {
            if let Some((_, target)) = lower.split_once("url=") {
                add(target)
            }
        }
        _ if attribute.starts_with("on") && !value.is_empty() => add("javascript:handler"),
        "style" | "fill" | "mask" | "filter" | "cursor" | "clip-path"
            if ["url(", "image-set", "@import", "\\"].iter().any(|word| lower.contains(word)) =>
        {
            add("javascript:style");
        }
        _ => {}
    }
}

/// Addresses that a reader finds in a text that is neither code nor a link already.
fn in_text(text: &str, found: &mut Vec<Address>) {
    let text = decode(text);
    let lower = text.to_ascii_lowercase();
    for (at, _) in lower.char_indices() {
        let rest = &lower[at..];
        let scheme = ["http://", "https://", "ftp://", "www."].iter().find(|scheme| rest.starts_with(**scheme));
        let Some(scheme) = scheme else { continue };
        let before = lower[..at].chars().next_back().unwrap_or(' ');
        if before.is_ascii_alphanumeric() || inside_address(&lower[..at]) {
            continue;
        }
        // Some readers end an address at other characters too.
        for ends in ["<", "<>\"'`|[]{}()^"] {
            let end = rest.find(|c: char| c.is_whitespace() || ends.contains(c)).unwrap_or(rest.len());
            let address = rest[..end].trim_end_matches(|c: char| "?!.,:;*_~".contains(c));
            if address.len() > scheme.len() && address[scheme.len()..].contains(|c: char| c.is_alphanumeric()) {
                let scheme = if *scheme == "www." { "http://" } else { "" };
                found.push(Address { image: false, address: format!("{scheme}{address}") });
            }
        }
    }
}

/// True if the text ends inside an address: a reader takes what follows for a part of it.
fn inside_address(text: &str) -> bool {
    let start = text.rfind(|c: char| c.is_whitespace() || "<>\"'`|[]{}()^,".contains(c)).map_or(0, |at| at + 1);
    let word = text.get(start..).unwrap_or("");
    (word.contains("://") || word.contains("www.")) && word.ends_with(['/', '='])
}

fn decode(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let end = rest[1..].find(|c: char| !c.is_ascii_alphanumeric() && c != '#').map_or(rest.len(), |at| at + 1);
        let name = &rest[1..end];
        let number = name.strip_prefix('#').and_then(|n| match n.strip_prefix(['x', 'X']) {
            Some(hex) => u32::from_str_radix(hex, 16).ok(),
            None => n.parse().ok(),
        });
        let c = number.and_then(char::from_u32).or(match name {
            "amp" => Some('&'),
            "lt" => Some('<'),
            "gt" => Some('>'),
            "quot" => Some('"'),
            "colon" => Some(':'),
            "sol" => Some('/'),
            "bsol" => Some('\\'),
            "period" => Some('.'),
            "Tab" => Some('\t'),
            "NewLine" => Some('\n'),
            _ => None,
        });
        match c {
            Some(c) => {
                out.push(c);
                rest = rest[end..].strip_prefix(';').unwrap_or(&rest[end..]);
            }
            None => {
                out.push('&');
                rest = &rest[1..];
            }
        }
    }
    out.push_str(rest);
    out
}

/// The host that a browser asks, `Err` with the scheme if it is no host, `Ok(None)` for the page's own.
pub fn host(address: &str) -> Result<Option<String>, String> {
    let address = address.trim_matches(|c: char| c <= ' ');
    let address: String = address.chars().filter(|c| !matches!(c, '\t' | '\n' | '\r')).collect();
    let address = address.replace('\\', "/");
    let end = address.find(|c: char| !(c.is_ascii_alphanumeric() || "+-.".contains(c))).unwrap_or(address.len());
    let rest = if address[end..].starts_with(':') && address.starts_with(|c: char| c.is_ascii_alphabetic()) {
        let scheme = address[..end].to_ascii_lowercase();
        if !matches!(&*scheme, "http" | "https" | "ftp") {
            return if matches!(&*scheme, "mailto" | "tel") { Ok(None) } else { Err(scheme) };
        }
        &address[end + 1..]
    } else if address.starts_with("//") {
        &address[..]
    } else {
        return Ok(None);
    };
    let rest = rest.trim_start_matches('/');
    let authority = rest.split(['/', '?', '#']).next().unwrap_or("");
    let host = authority.rsplit('@').next().unwrap_or("");
    let host = host.split(':').next().unwrap_or("").trim_end_matches('.');
    let host = percent(host).to_ascii_lowercase();
    // A browser refuses such a host.
    let forbidden = host.contains(|c: char| c <= ' ' || "#/:<>?@[\\]^|%\x7f".contains(c));
    // Nobody can own a name whose last two labels are not plain.
    let plain = |label: &str| !label.is_empty() && label.chars().all(|c| c.is_alphanumeric() || c == '-');
    let labels: Vec<&str> = host.rsplit('.').take(2).collect();
    Ok(Some(host.clone()).filter(|_| !forbidden && labels.len() == 2 && labels.iter().all(|label| plain(label))))
}

fn percent(text: &str) -> String {
    let bytes = text.as_bytes();
    let (mut out, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        let hex = text.get(at + 1..at + 3).and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match hex.filter(|_| bytes[at] == b'%') {
            Some(b) => {
                out.push(b);
                at += 3;
            }
            None => {
                out.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}
