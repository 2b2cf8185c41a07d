//! Tokens that are signed, private keys, and what stands in headers and URLs.

use super::Corpus;
use super::make::{BASE64, LETTERS, URL64};
use super::surroundings::Edges;

pub fn add(corpus: &mut Corpus) {
    jwt(corpus);
    private_key(corpus);
    basic(corpus);
    bearer(corpus);
    url(corpus);
}

/// Base64 in the form for URLs.
fn base64url(bytes: &str) -> String {
    let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".as_bytes();
    let mut out = String::new();
    for chunk in bytes.as_bytes().chunks(3) {
        let number =
            chunk.iter().fold(0usize, |number, byte| number << 8 | usize::from(*byte)) << (8 * (3 - chunk.len()));
        let signs = [number >> 18, number >> 12 & 63, number >> 6 & 63, number & 63];
        signs.iter().take(chunk.len() + 1).for_each(|sign| out.push(char::from(alphabet[*sign])));
    }
    out
}

fn jwt(corpus: &mut Corpus) {
    let rule = "jwt";
    let headers = [
        r#"{"alg":"HS256","typ":"JWT"}"#,
        r#"{"typ":"JWT","alg":"RS256"}"#,
        r#"{"kid":"0a1b","alg":"ES256"}"#,
        r#"{"alg":"none"}"#,
        r#"{"cty":"JWT","alg":"HS512"}"#,
        r#"{"jku":"https://a.example/k","alg":"RS512"}"#,
        r#"{"x5t":"abc","alg":"RS256","typ":"at+jwt"}"#,
        r#"{"ppt":"shaken","alg":"ES256"}"#,
        r#"{"x5c":["TUlJQ"],"alg":"ES256"}"#,
        r#"{"jwk":{"kty":"EC","crv":"P-256"},"alg":"ES256","typ":"dpop+jwt","x":"0000000000"}"#,
        r#"{"epk":{"kty":"EC","crv":"P-256"},"alg":"ECDH-ES","enc":"A128GCM","x":"0000000000"}"#,
    ];
    for turn in 0..44 {
        let payload = format!(
            r#"{{"sub":"{}","iat":{}}}"#,
            corpus.random.text(LETTERS, 12),
            1_700_000_000 + corpus.random.below(99_999_999)
        );
        let header = base64url(headers[turn % headers.len()]);
        let signature = corpus.random.text(URL64, 43 + turn);
        let value = [&header, ".", &base64url(&payload), ".", &signature].concat();
        match turn % 11 {
            // The last part is empty; its dot is no part of the match.
            3 => corpus.finds_in(rule, Edges::Strict, "", value.rsplit_once('.').unwrap().0, ". "),
            6 => corpus.finds_in(rule, Edges::Token, "Bearer ", &value, ""),
            _ => corpus.finds(rule, Edges::Token, &value),
        }
    }
    for turn in 0..6 {
        let header = base64url(r#"{"alg":"RSA-OAEP","enc":"A256GCM"}"#);
        let header = if turn % 2 == 0 { header } else { base64url(r#"{"enc":"A128GCM","alg":"dir"}"#) };
        let parts: Vec<String> = [if turn % 2 == 0 { 342 } else { 0 }, 16, 63, 22]
            .iter()
            .map(|length| corpus.random.text(URL64, *length))
            .collect();
        corpus.finds(rule, Edges::Token, &[&header, ".", &parts.join(".")].concat());
    }
    // JSON in base64 that is no token: a page's cursor, a map of sources; a header that is cut; a word before.
    for turn in 0..24 {
        let cursor = format!(
            r#"{{"after":{},"size":20,"order":"{}"}}"#,
            corpus.random.below(99_999),
            corpus.random.text(LETTERS, 9 + turn)
        );
        corpus.leaves(rule, Edges::Strict, &base64url(&cursor));
        corpus.leaves(
            rule,
            Edges::Strict,
            &["sourceMappingURL=data:application/json;base64,", &base64url(&cursor), "."].concat(),
        );
        let cut = &base64url(headers[turn % 7])[..4 + turn % 15];
        corpus.leaves(rule, Edges::Strict, &[cut, "…"].concat());
        let letter = corpus.random.pick(&["k", "h", "J", "s"]);
        corpus.leaves(rule, Edges::Strict, &[letter, &base64url(headers[turn % 7]), ".", &base64url(&cursor)].concat());
    }
    for text in ["header.payload.signature", "eyJ...", "xxxxx.yyyyy.zzzzz", "they.can.go", "eyJhbGciOi"] {
        corpus.leaves(rule, Edges::Strict, text);
    }
    corpus.leaves_lookalikes(rule);
}

fn private_key(corpus: &mut Corpus) {
    let rule = "private_key";
    let kinds = ["", "RSA ", "EC ", "DSA ", "OPENSSH ", "ENCRYPTED ", "PGP "];
    let (begin, end, dashes) = ("-----BEG", "-----EN", "-----");
    for turn in 0..42 {
        let kind = kinds[turn % kinds.len()];
        let block = if kind == "PGP " { " BLOCK" } else { "" };
        let line = [kind, "PRIVATE", " KEY", block, dashes].concat();
        let newline = ["\n", "\\n", "\r\n", "\\r\\n", " "][turn % 5];
        let mut value = [begin, "IN ", &line, newline].concat();
        if turn % 7 == 1 {
            value += &["Proc-Type: 4,ENCRYPTED", newline, "DEK-Info: AES-128-CBC,0123456789ABCDEF", newline, newline]
                .concat();
        }
        if turn % 7 == 6 {
            value += &["Comment: made by hand (v1.2) <x@y>", newline, newline].concat();
        }
        for _ in 0..2 + turn % 3 {
            value += &[&corpus.random.text(BASE64, 64), newline].concat();
        }
        value += &[&corpus.random.text(BASE64, 5 + turn), "==", newline].concat();
        // Where the header is on the same line as all, what ends it isn't seen.
        if newline == " " && value.contains(": ") {
            continue;
        }
        let ended = [&value, end, "D ", &line].concat();
        match turn % 6 {
            // The line that ends it never comes.
            0 => corpus.finds_in(rule, Edges::Strict, "", &value, ". "),
            1 => corpus.finds_in(rule, Edges::Strict, "", &value[..value.len() - newline.len() - 9], "(…)"),
            _ => corpus.finds(rule, Edges::Token, &ended),
        }
    }
    // As lines of a program, of a quotation and of a list.
    let line = ["PRIVATE", " KEY", dashes].concat();
    for joint in ["\\n\"\n  + \"", "\n> ", "\n * ", "\n# ", "\\n' +\n'", "\n// "] {
        let body = [corpus.random.text(BASE64, 64), corpus.random.text(BASE64, 64), corpus.random.text(BASE64, 20)]
            .join(joint);
        corpus.finds(rule, Edges::Strict, &[begin, "IN ", &line, joint, &body, joint, end, "D ", &line].concat());
    }
    let public = [
        "PUBLIC KEY",
        "RSA PUBLIC KEY",
        "CERTIFICATE",
        "CERTIFICATE REQUEST",
        "PGP PUBLIC KEY BLOCK",
        "PGP MESSAGE",
        "DH PARAMETERS",
        "X509 CRL",
    ];
    for turn in 0..32 {
        let kind = public[turn % public.len()];
        let body = [corpus.random.text(BASE64, 64), corpus.random.text(BASE64, 44)].join("\n");
        corpus.leaves(
            rule,
            Edges::Strict,
            &[begin, "IN ", kind, dashes, "\n", &body, "\n", end, "D ", kind, dashes].concat(),
        );
    }
    for text in [
        "BEGIN PRIVATE KEY",
        "----BEGIN PRIVATE KEY----",
        "-----END PRIVATE KEY-----",
        "----- BEGIN PRIVATE KEY -----",
        "-----begin private key-----",
        "-----BEGIN PRIVATE KEYS-----",
        "-----BEGIN PRIVATEKEY-----",
        "| ----- | -----------: |",
        "--------------------",
        "-----BEGIN MY OWN SPECIAL PRIVATE KEY-----",
        "-----BEGIN",
        "-----BEGIN PRIVATE",
    ] {
        corpus.leaves(rule, Edges::Strict, text);
    }
    corpus.leaves_lookalikes(rule);
}

fn basic(corpus: &mut Corpus) {
    let rule = "basic_credentials";
    let forms = [
        "Authorization: Basic ",
        "authorization: basic ",
        "Authorization\": \"Basic ",
        "authorization\\\": \\\"Basic ",
        "AUTHORIZATION=Basic ",
        "Authorization':'Basic ",
    ];
    for turn in 0..34 {
        let credentials =
            base64url(&format!("{}:{}", corpus.random.text(LETTERS, 5), corpus.random.text(LETTERS, 5 + turn)));
        let padding = ["", "=", "=="][turn % 3];
        let value = [forms[turn % forms.len()], &credentials, padding].concat();
        let before = if turn % 4 == 0 { "Proxy-" } else { "" };
        corpus.finds_in(rule, Edges::Token, before, &value, "");
        let letter = corpus.random.pick(&["x", "s"]);
        corpus.leaves(rule, Edges::Strict, &[letter, "Authorization: Basic ", &credentials].concat());
        corpus.leaves(rule, Edges::Strict, &["Authentication: Basic ", &credentials].concat());
    }
    for text in [
        "Authorization: Basic authentication",
        "Authorization: Basic credentials",
        "Authorization: Basic <credentials>",
        "Authorization: Basic …",
        "Basic Authorization",
        "WWW-Authenticate: Basic realm=\"x\"",
        "Authorization: Digest dXNlcjpwYXNzd29yZA",
        "authorization is basic knowledge",
        "Authorization: Basic ${token}",
        "Authorization:",
        "Authorization: Basic",
        "Authorization: Basic Auth",
    ] {
        corpus.leaves(rule, Edges::Strict, text);
    }
    corpus.leaves_lookalikes(rule);
}

fn bearer(corpus: &mut Corpus) {
    let rule = "bearer_token";
    for turn in 0..36 {
        let word = ["Bearer ", "bearer ", "BEARER ", "Bearer%20", "Bearer  "][turn % 5];
        let long = corpus.random.text(URL64, 33 + turn);
        let first = turn % 10;
        let (head, tail) = (corpus.random.text("abcdefGHIJKL", first), corpus.random.text(LETTERS, 16));
        let value = match turn % 3 {
            0 => [word, &long, "a"].concat(),
            1 => [word, &head, "7", &tail].concat(),
            _ => [word, &head, "0", &tail, ".", &tail, "+/=="].concat(),
        };
        let before = ["Authorization: ", "", "\"authorization\": \"", "-H 'Authorization: "][turn % 4];
        corpus.finds_in(rule, Edges::Strict, before, &value, " ");
        let letters = corpus.random.text("abcdefghijklmnopqrstuvwxyz", 31);
        corpus.leaves(rule, Edges::Strict, &["Bearer ", &letters].concat());
        corpus.leaves(rule, Edges::Strict, &["Bearer ", &head, "7", &tail[..14 - first]].concat());
        let letter = corpus.random.pick(&["x", "o", "a"]);
        corpus.leaves(rule, Edges::Strict, &[letter, "bearer ", &letters, "1234567890abcdef"].concat());
    }
    for text in [
        "Bearer token",
        "Bearer tokens are opaque",
        "bearer authentication/authorization",
        "Authorization: Bearer <token>",
        "Bearer $TOKEN",
        "Bearer {token}",
        "Bearer YOUR_ACCESS_TOKEN_HERE",
        "Bearer ...",
        "Bearer …",
        "the bearer 1234567890",
        "bearer-0123456789abcdef0123456789abcdef",
        "forbearer 99",
    ] {
        corpus.leaves(rule, Edges::Strict, text);
    }
    corpus.leaves_lookalikes(rule);
}

fn url(corpus: &mut Corpus) {
    let rule = "url_credentials";
    let schemes = ["postgres:", "https:", "redis:", "amqp:", "mongodb+srv:", "ftp:", "mysql:", ""];
    for turn in 0..36 {
        let user = corpus.random.text(LETTERS, turn % 20);
        let word = corpus.random.text("ABCDEFabcdef0123456789!$%&*+,.;=^_~-", 3 + turn);
        let value = ["//", &user, ":", &word, "@"].concat();
        // What follows is no name of a host on the Internet: that would be an address of e-mail too.
        corpus.finds_in(rule, Edges::Strict, schemes[turn % schemes.len()], &value, "db/x");
    }
    let others = [
        "https://example.com:8080/path@2",
        "http://localhost:3000",
        "https://example.com/@ana",
        "https://example.com/a:b@c",
        "postgres://<user>:<password>@db",
        "https://${USER}:${PASS}@db",
        "// TODO: ask @ana",
        "https://user@host/x",
        "ssh://git@host/x",
        "http://a b:c@d",
        "//cdn.example.com/x.js",
        "https://example.com?x=a:b@c",
        "mailto:ana",
        "https://medium.com/@ana:",
        "a//b:c",
        "http://[::1]:8080/",
        "https://host:443",
        "http://{user}:{pass}@db",
        "http://user:\"quoted\"@db",
        "//x:y/z@w",
    ];
    for text in others.iter().cycle().take(40) {
        corpus.leaves(rule, Edges::Strict, text);
    }
    corpus.leaves_lookalikes(rule);
}
