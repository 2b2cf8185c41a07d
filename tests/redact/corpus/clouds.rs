//! Keys of clouds.

use super::Corpus;
use super::make::{BASE32, BASE64, HEX, URL64};
use super::surroundings::Edges;
use super::token::Token;

pub fn add(corpus: &mut Corpus) {
    let tokens = [
        Token {
            rule: "aws_key",
            starts: &[("AK", "IA"), ("AS", "IA"), ("AB", "IA"), ("AC", "CA")],
            alphabet: BASE32,
            least: 16,
            usual: 16,
        },
        Token {
            rule: "azure_key",
            starts: &[("Account", "Key="), ("SharedAccess", "Key=")],
            alphabet: BASE64,
            least: 32,
            usual: 86,
        },
        Token { rule: "google_token", starts: &[("ya", "29.")], alphabet: URL64, least: 20, usual: 120 },
        Token {
            rule: "digitalocean_token",
            starts: &[("dop", "_v1_"), ("doo", "_v1_"), ("dor", "_v1_")],
            alphabet: HEX,
            least: 20,
            usual: 64,
        },
    ];
    tokens.iter().for_each(|token| token.add(corpus));
    aws_secret(corpus);
    for text in ["AKIAabcdefghijklmnop", "Akia0123456789ABCDEF", "AIDA2345", "dop_v2_0123456789abcdef0123", "ya29"] {
        let rule = if text.starts_with("dop") { "digitalocean_token" } else { "aws_key" };
        corpus.leaves(rule, Edges::Strict, text);
    }
}

fn aws_secret(corpus: &mut Corpus) {
    let rule = "aws_secret";
    let names = [
        "aws_secret_access_key=",
        "AWS_SECRET_ACCESS_KEY: ",
        "secretAccessKey\": \"",
        "awsSecretAccessKey = '",
        "SecretAccessKey\\\":\\\"",
        "secret_access_key = ",
    ];
    for turn in 0..36 {
        let name = names[turn % names.len()];
        let secret = corpus.random.text(BASE64, 40);
        corpus.finds(rule, Edges::Token, &[name, &secret].concat());
        corpus.leaves(rule, Edges::Strict, &[name, &secret[..31]].concat());
        corpus.leaves(rule, Edges::Strict, &["the secret access key is ", &secret].concat());
        corpus.leaves(rule, Edges::Strict, &["xSecretAccessKey=", &secret].concat());
        corpus.leaves(rule, Edges::Strict, &["secret_word=", &secret].concat());
    }
    for text in [
        "secretAccessKey: process.env.AWS_SECRET_ACCESS_KEY",
        "AWS_SECRET_ACCESS_KEY=<secret>",
        "aws_secret_access_key=…",
        "SecretAccessKey",
    ] {
        corpus.leaves(rule, Edges::Strict, text);
    }
    corpus.leaves_lookalikes(rule);
}
