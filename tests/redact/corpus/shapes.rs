//! Shapes in which people and programs write what the rules look for, beside those of the other files.

use super::Corpus;
use super::make::{self, BASE64, DIGITS, HEX, LETTERS, URL64};
use super::surroundings::Edges;

pub fn add(corpus: &mut Corpus) {
    keys(corpus);
    escapes(corpus);
    credentials(corpus);
    numbers(corpus);
    phones(corpus);
    addresses(corpus);
}

/// Kinds of keys that only a few have.
fn keys(corpus: &mut Corpus) {
    let hex = corpus.random.text(HEX, 32);
    let long = corpus.random.text(LETTERS, 60);
    let uuid = [&hex[..8], "-", &hex[8..12], "-4", &hex[12..15], "-a", &hex[15..18], "-", &hex[18..30]].concat();
    let application = corpus.random.text(DIGITS, 16);
    for (rule, one, two, body) in [
        ("openai_key", "sk-", "None-", &long),
        ("openai_key", "sk-", "lf-", &uuid),
        ("gitlab_token", "gl", "ffct-", &long),
        ("gitlab_token", "GR13", "48941", &long),
        ("slack_token", "xo", "xd-", &long),
        ("mercadopago_token", "TE", "ST-", &[&application, "-112233-", &hex, "-44556677"].concat()),
        ("service_key", "$aact", "_prod_", &long),
        ("service_key", "$aact", "_hmlg_", &long),
        ("service_key", "dp.s", "t.dev.", &long),
        ("service_key", "AGE-SEC", "RET-KEY-1", &long.to_uppercase()),
    ] {
        corpus.finds(rule, Edges::Token, &[one, two, body.as_str()].concat());
        corpus.leaves(rule, Edges::Strict, &[one, two, &body[..9]].concat());
    }
    // Encrypted tokens, by the members with which their headers begin.
    for start in ["JwMnMiOi", "JwMmMiOj", "JpdiI6I", "J0YWciOi", "JhcHUiOi", "JhcHYiOi", "Jjcml0Ijpb"] {
        let token = ["ey", start, &corpus.random.text(LETTERS, 90), ".", &corpus.random.text(URL64, 40), ".", &long];
        corpus.finds("jwt", Edges::Token, &token.concat());
    }
    // Brazil's issuers.
    for issuer in ["504175", "506699", "627780"] {
        let card = make::card(&mut corpus.random, issuer, 16);
        corpus.finds("card", Edges::Number, &card);
        corpus.leaves("card", Edges::Number, &make::last_changed(&card, 3));
    }
}

/// Behind the small letters of an escape a key stands, but none in a word.
fn escapes(corpus: &mut Corpus) {
    let body = corpus.random.text(LETTERS, 40);
    for escape in ["\\u003d", "\\u003c", "%3d", "%2c", "%3f", "%5b"] {
        for (rule, one, two) in
            [("anthropic_key", "sk-", "ant-"), ("stripe_key", "rk_", "live_"), ("openai_key", "sk", "-")]
        {
            corpus.finds_in(rule, Edges::Strict, escape, &[one, two, &body].concat(), "\\u0026");
        }
    }
    for escape in ["\\u003e", "\\u003d", "%3a", "%2e", "%3D"] {
        for (rule, one, two) in [("github_token", "gh", "p_"), ("google_key", "AI", "za"), ("groq_key", "gs", "k_")] {
            corpus.finds_in(rule, Edges::Strict, escape, &[one, two, &body].concat(), "&x");
        }
    }
    for word in ["ta", "de", "fla", "ma", "di", "hu"] {
        corpus.leaves("openai_key", Edges::Strict, &[word, "sk-", &body].concat());
        corpus.leaves("stripe_key", Edges::Strict, &[word, "sk_test_", &body].concat());
    }
}

/// Names of secrets and of headers as settings, code and people have them.
fn credentials(corpus: &mut Corpus) {
    let secret = corpus.random.text(BASE64, 40);
    for name in [
        "aws_secret_key=",
        "aws_secret_access_key   =   ",
        "secret_access_key\t=\t",
        "AWS Secret Access Key: ",
        "AWS Secret Access Key [None]: ",
        "Secret access key**: `",
        "secret-access-key ",
        "secretAccessKey => '",
        "aws secret access key ",
        "SecretAccessKey>",
        "SECRET_KEY=",
    ] {
        corpus.finds("aws_secret", Edges::Token, &[name, &secret].concat());
    }
    for text in [
        "the secret key: it is kept by whoever made it",
        "secret_key = os.environ['SECRET_KEY']",
        "secret_key: /run/secrets/key",
        "aws_secret_access_key = var.aws_secret_access_key",
        "a secret key exchange",
    ] {
        corpus.leaves("aws_secret", Edges::Strict, text);
    }
    for before in [
        "Authorization:  Basic ",
        "Authorization' => 'Basic ",
        "Authorization\"] = \"Basic ",
        "Authorization\", \"Basic ",
        "Authorization:** `Basic ",
        "Authorization: Basic  ",
    ] {
        corpus.finds("basic_credentials", Edges::Token, &[before, "YWRtaW46c2VuaGE="].concat());
    }
    let token = ["5", &corpus.random.text(LETTERS, 31)].concat();
    for before in
        ["Authorization: Token ", "authorization\": \"token ", "Authorization = 'ApiKey ", "authorization: api-key "]
    {
        corpus.finds("bearer_token", Edges::Token, &[before, &token].concat());
        corpus.leaves("bearer_token", Edges::Strict, &[before, "your-token-goes-here-and-is-long"].concat());
    }
    let long = corpus.random.text(LETTERS, 128);
    for (user, password) in
        [("sa", "P@ssw0rd"), ("ana", "a@b@c"), ("app", long.as_str()), (&long[..60], "senha"), ("a%40x.com", "senha")]
    {
        // Of more than one at sign in it the first two end it.
        let value = ["//", user, ":", password, "@"].concat();
        let end = value.match_indices('@').nth(1).map_or(value.len(), |(at, _)| at + 1);
        corpus.finds_in("url_credentials", Edges::Strict, "mssql:", &value[..end], "/x");
    }
}

/// Signs between the digits: none, others, and those of typographers.
fn numbers(corpus: &mut Corpus) {
    for _ in 0..6 {
        let cpf = make::cpf(&mut corpus.random);
        let parts = [&cpf[..3], &cpf[3..6], &cpf[6..9], &cpf[9..]];
        for (joint, last) in [
            (" ", " "),
            ("-", "-"),
            (".", "/"),
            (".", "."),
            (".", ""),
            (".", "\u{2011}"),
            (".", "–"),
            (" ", "-"),
            (".", " "),
        ] {
            let value = [&parts[..3].join(joint), last, parts[3]].concat();
            corpus.finds("cpf", Edges::Number, &value);
            corpus.leaves("cpf", Edges::Strict, &make::last_changed(&value, 4));
        }
        corpus.finds("cpf", Edges::Number, &[&cpf[..9], "/", &cpf[9..]].concat());
        let cnpj = make::cnpj(&mut corpus.random, DIGITS);
        let parts = [&cnpj[..2], &cnpj[2..5], &cnpj[5..8], &cnpj[8..12], &cnpj[12..]];
        for joints in [
            [" ", " ", " ", " "],
            [" ", " ", "/", "-"],
            [".", ".", "-", "-"],
            [".", ".", "/", ""],
            [".", ".", "/", "–"],
        ] {
            let value: String =
                parts.iter().zip([""].iter().chain(&joints)).flat_map(|(part, joint)| [*joint, *part]).collect();
            corpus.finds("cnpj", Edges::Number, &value);
            corpus.leaves("cnpj", Edges::Strict, &make::last_changed(&value, 4));
        }
        let card = make::card(&mut corpus.random, "4", 16);
        for joint in ["\u{a0}", "\u{202f}", "\u{2011}", "\u{2010}"] {
            corpus.finds("card", Edges::Number, &make::grouped(&card, &[4, 4, 4], joint));
            let iban = make::iban(&mut corpus.random, "DE", 22, DIGITS);
            let joint = if joint.starts_with('\u{2010}') { "-" } else { joint };
            if joint != "\u{2011}" {
                corpus.finds("iban", Edges::Number, &make::grouped(&iban, &[4, 4, 4, 4, 4], joint));
            }
        }
    }
}

fn phones(corpus: &mut Corpus) {
    for turn in 0..4 {
        let [one, two] = [corpus.random.text("123456789", 4), corpus.random.text("123456789", 4)];
        for text in [
            ["(0xx11) 3", &one[..3], "-", &two].concat(),
            ["(0 11) 9", &one, "-", &two].concat(),
            ["(11) - 9", &one, "-", &two].concat(),
            ["(11)  9", &one, "-", &two].concat(),
            ["(11) 9", &one, "–", &two].concat(),
            ["(11)\u{a0}9", &one, "\u{2011}", &two].concat(),
            ["+55 11 9", &one, "\u{2011}", &two].concat(),
            ["(21) 2024-1", &one[..3]].concat(),
        ] {
            corpus.finds("br_phone", Edges::Strict, &text);
        }
        for text in [["+44\u{a0}20\u{a0}", &one, "\u{a0}", &two], ["+1\u{2011}415\u{2011}555\u{2011}", &one, "", ""]] {
            corpus.finds("phone_number", Edges::Strict, &text.concat());
        }
        let (from, to) = (2000 + turn, 2001 + turn * 9);
        let digits = corpus.random.text("123456789", 6);
        for text in [
            format!("(21) {from}-{to}"),
            format!("anos (31) {from}-{to}."),
            // Tables of numbers with signs.
            format!("+23.{digits}\t+50.{digits}"),
            format!("+85.{digits}, +37.{digits}"),
            format!("+4.{digits} -67.5"),
            "+67 -57 -76 -82 +12".to_owned(),
            "+43 -52 -23 -39 -98".to_owned(),
            "+61.2 34.5 67.8 90.1".to_owned(),
            "+91.5 82.4 73.3 64.2".to_owned(),
            format!("+25.08.20{}", 10 + turn),
            format!("+31.12.20{} 23:59", 10 + turn),
        ] {
            let rule = if text.starts_with('+') { "phone_number" } else { "br_phone" };
            corpus.leaves(rule, Edges::Strict, &text);
        }
    }
}

fn addresses(corpus: &mut Corpus) {
    for (before, after) in [("_", "_"), ("__", "__"), ("", "_backup"), ("*", "*")] {
        corpus.finds_in("ipv4", Edges::Strict, before, "200.147.67.142", after);
        corpus.finds_in("ipv6", Edges::Strict, before, "2804:14c:5ba0:8d00::7f80", after);
    }
    for (before, after) in [("*", "_"), ("*", "__"), ("", "_x")] {
        corpus.finds_in("email", Edges::Strict, before, "ana@example.com", after);
        corpus.finds_in("whatsapp_id", Edges::Strict, before, "5511912345678@c.us", after);
    }
    corpus.finds_in("ipv6", Edges::Strict, "\\n", "2001:4860:4860::8888", "\\n");
    for text in [
        "ana%40example.com",
        "ana.maria%2Bx%40mail.example.com.br",
        "ana@bücher.example",
        "ana@exämple.com",
        "SRS0=aB1c=XY=example.org=ana.maria.da.silva@forwarding.example.net",
    ] {
        // An equals sign ends a local part.
        let (before, value) = text.rsplit_once('=').map_or(("", text), |(before, value)| (before, value));
        let before = if before.is_empty() { String::new() } else { [before, "="].concat() };
        corpus.finds_in("email", Edges::Strict, &before, value, "");
    }
    for text in ["npm/%40scope/foo@1.0.0", "lodash%404.17.21", "?q=100%40off", "%40media.screen", "git%40github.com"] {
        corpus.leaves("email", Edges::Strict, text);
    }
    for text in ["Chrome/120.0.0.0", "115.0.0.7", "Edg/119.0.0.0 Safari", "64.0.0.0/2"] {
        corpus.leaves("ipv4", Edges::Strict, text);
    }
}
