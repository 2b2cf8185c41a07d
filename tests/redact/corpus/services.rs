//! Keys of other services.

use super::Corpus;
use super::make::{BASE64, DIGITS, HEX, LETTERS, UPPERS, URL64};
use super::surroundings::Edges;
use super::token::Token;

pub fn add(corpus: &mut Corpus) {
    let tokens = [
        Token {
            rule: "stripe_key",
            starts: &[("sk_", "live_"), ("rk_", "live_"), ("sk_", "test_"), ("rk_", "test_")],
            alphabet: LETTERS,
            least: 16,
            usual: 99,
        },
        Token { rule: "webhook_secret", starts: &[("whs", "ec_")], alphabet: BASE64, least: 20, usual: 32 },
        Token { rule: "meta_token", starts: &[("EA", "A")], alphabet: LETTERS, least: 40, usual: 190 },
        Token {
            rule: "service_key",
            starts: &[
                ("lin_", "api_"),
                ("shp", "at_"),
                ("shp", "ss_"),
                ("sb", "p_"),
                ("sb_", "secret_"),
                ("hv", "s."),
                ("tv", "ly-dev-"),
                ("lsv2", "_pt_"),
                ("PM", "AK-"),
                ("nt", "n_"),
                ("dp", ".pt."),
                ("$aa", "ct_"),
            ],
            alphabet: LETTERS,
            least: 20,
            usual: 40,
        },
    ];
    tokens.iter().for_each(|token| token.add(corpus));
    slack(corpus);
    sendgrid(corpus);
    mercado_pago(corpus);
    telegram(corpus);
}

fn slack(corpus: &mut Corpus) {
    let rule = "slack_token";
    for turn in 0..32 {
        let kind = ["b", "p", "a-2", "r", "s", "e.xoxp-1"][turn % 6];
        let (team, user) = (corpus.random.text(DIGITS, 12), corpus.random.text(DIGITS, 13));
        let secret = corpus.random.text(LETTERS, 24);
        let value = match turn % 8 {
            6 => ["xa", "pp-1-A", &corpus.random.text(UPPERS, 10), "-", &user, "-", &corpus.random.text(HEX, 64)]
                .concat(),
            7 => ["hooks.slack", ".com/services/T", &team[..9], "/B", &user[..9], "/", &secret].concat(),
            // The kind of a rotated token stands before another token; that one is found.
            5 => ["xox", "p-", &team, "-", &user, "-", &secret].concat(),
            _ => ["xo", "x", &kind[..1], "-", &team, "-", &user, "-", &secret].concat(),
        };
        corpus.finds(rule, Edges::Token, &value);
    }
    for text in [
        "xoxo-hugs-and-kisses-from-all-of-us",
        "xoxb-your-token-goes-right-here",
        "xoxb-...",
        "xoxb-12345",
        "xapp-1-A",
        "XOXB-123456789012-1234567890",
        "hooks.slack.com/services",
        "hooks.slack.com/services/T…/B…/…",
        "slack.com/services/T0123456/B0123456/abcdefghijklmn",
        "xoxz-123456789012-123456789012",
        "boxb-123456789012-1234567890",
        "xoxb_123456789012_1234567890",
    ] {
        corpus.leaves(rule, Edges::Strict, text);
    }
    corpus.leaves_lookalikes(rule);
}

fn sendgrid(corpus: &mut Corpus) {
    let rule = "sendgrid_key";
    for _ in 0..32 {
        let (id, secret) = (corpus.random.text(URL64, 22), corpus.random.text(URL64, 43));
        corpus.finds(rule, Edges::Token, &["S", "G.", &id, ".", &secret].concat());
        let letter = corpus.random.pick(&["M", "x", "o"]);
        let secret = corpus.random.text(URL64, 15);
        corpus.leaves(rule, Edges::Strict, &["SG.", &id, ".", &secret].concat());
        corpus.leaves(rule, Edges::Strict, &[letter, "SG.", &id, ".", &secret, "0"].concat());
    }
    for text in [
        "SG.",
        "SG.<id>.<secret>",
        "MSG.length",
        "SG.Holdings.Limited",
        "sg.0123456789abcdef012345.0123456789abcdef0123456789abcdef",
    ] {
        corpus.leaves(rule, Edges::Strict, text);
    }
    corpus.leaves_lookalikes(rule);
}

fn mercado_pago(corpus: &mut Corpus) {
    let rule = "mercadopago_token";
    for turn in 0..32 {
        let (application, user) = (corpus.random.text(DIGITS, 16), corpus.random.text(DIGITS, 9));
        let hex = corpus.random.text(HEX, 32);
        let value = match turn % 3 {
            0 => ["APP_", "USR-", &hex[..8], "-", &hex[8..12], "-", &hex[12..16], "-", &hex[16..20], "-", &hex[20..]]
                .concat(),
            _ => ["APP_", "USR-", &application, "-112233-", &hex, "-", &user].concat(),
        };
        corpus.finds(rule, Edges::Token, &value);
        let letter = corpus.random.pick(&["M", "x", "o"]);
        corpus.leaves(rule, Edges::Strict, &["APP_USR-", &hex[..18]].concat());
        corpus.leaves(rule, Edges::Strict, &[letter, "APP_USR-", &hex].concat());
    }
    for text in [
        "APP_USR-",
        "APP_USR-<token>",
        "APP_USER-0123456789abcdef0123456789",
        "APP_USR-…",
        "app_usr-0123456789abcdef0123456789",
    ] {
        corpus.leaves(rule, Edges::Strict, text);
    }
    corpus.leaves_lookalikes(rule);
}

fn telegram(corpus: &mut Corpus) {
    let rule = "telegram_token";
    for turn in 0..34 {
        let bot = corpus.random.text(DIGITS, 8 + turn % 3);
        let secret = corpus.random.text(URL64, 33);
        let value = [&bot, ":A", "A", &secret].concat();
        match turn % 4 {
            0 => corpus.finds_in(rule, Edges::Strict, "api.telegram.org/bot", &value, "/getMe"),
            _ => corpus.finds(rule, Edges::Number, &value),
        }
        corpus.leaves(rule, Edges::Strict, &[&bot, ":AA", &secret[..29]].concat());
        corpus.leaves(rule, Edges::Strict, &["x", &bot, ":AA", &secret].concat());
        corpus.leaves(rule, Edges::Strict, &[&bot[..7], ":AA", &secret].concat());
    }
    for text in
        ["12:34:56", "123456789:AB0123456789012345678901234567890123", "123456789: AA", "1234567890:aa", "localhost:AA"]
    {
        corpus.leaves(rule, Edges::Strict, text);
    }
    corpus.leaves_lookalikes(rule);
}
