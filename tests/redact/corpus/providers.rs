//! Keys of model providers.

use super::Corpus;
use super::make::{HEX, LETTERS, URL64};
use super::surroundings::Edges;
use super::token::Token;

pub fn add(corpus: &mut Corpus) {
    let tokens = [
        Token {
            rule: "anthropic_key",
            starts: &[("sk-ant-", "api03-"), ("sk-ant-", "sid01-"), ("sk-ant-", "oat01-")],
            alphabet: URL64,
            least: 14,
            usual: 95,
        },
        Token { rule: "openrouter_key", starts: &[("sk-or", "-v1-")], alphabet: HEX, least: 20, usual: 64 },
        Token {
            rule: "openai_key",
            starts: &[("sk-", "proj-"), ("sk-", "svcacct-"), ("sk-", "admin-"), ("sk", "-")],
            alphabet: LETTERS,
            least: 20,
            usual: 48,
        },
        Token { rule: "google_key", starts: &[("AI", "za"), ("GOC", "SPX-")], alphabet: URL64, least: 24, usual: 35 },
        Token { rule: "groq_key", starts: &[("gs", "k_")], alphabet: LETTERS, least: 20, usual: 52 },
        Token { rule: "xai_key", starts: &[("xa", "i-")], alphabet: LETTERS, least: 20, usual: 80 },
        Token { rule: "perplexity_key", starts: &[("ppl", "x-")], alphabet: LETTERS, least: 20, usual: 48 },
        Token {
            rule: "huggingface_token",
            starts: &[("h", "f_"), ("api_", "org_")],
            alphabet: LETTERS,
            least: 20,
            usual: 34,
        },
        Token { rule: "replicate_token", starts: &[("r", "8_")], alphabet: LETTERS, least: 20, usual: 37 },
    ];
    tokens.iter().for_each(|token| token.add(corpus));
    // The first form of OpenAI's takes no hyphens; names of classes, branches and languages are none.
    for name in [
        "task-force",
        "risk-averse-investors",
        "sk-button-primary-large-rounded",
        "sk-SK",
        "desk-0123456789abcdef0123",
        "disk-aaaaaaaaaaaaaaaaaaaaaaaa",
        "mask-0a1b2c3d4e5f60718293a4b5",
        "a-sk-e-d-q-u-e-s-t-i-o-n-s-a-b-c",
        "sk-learn",
        "SK-PROJ-ABCDEFGHIJKLMNOPQRSTUVWXYZ",
    ] {
        corpus.leaves("openai_key", Edges::Strict, name);
    }
    // What is longer than today's keys goes whole.
    for length in [200, 400, 600] {
        let body = corpus.random.text(URL64, length);
        corpus.finds("anthropic_key", Edges::Token, &["sk-", "ant-", "admin09-", &body].concat());
        corpus.finds("openai_key", Edges::Token, &["sk-", "proj-", &body].concat());
    }
}
