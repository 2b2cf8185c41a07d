//! Keys of clouds.

use super::Corpus;
use super::make::{BASE32, HEX, URL64};
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
    for text in ["AKIAabcdefghijklmnop", "Akia0123456789ABCDEF", "AIDA2345", "dop_v2_0123456789abcdef0123", "ya29"] {
        let rule = if text.starts_with("dop") { "digitalocean_token" } else { "aws_key" };
        corpus.leaves(rule, Edges::Strict, text);
    }
}
