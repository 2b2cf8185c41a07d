//! Tokens of code hosts and of package registries.

use super::Corpus;
use super::make::{LETTERS, URL64};
use super::surroundings::Edges;
use super::token::Token;

pub fn add(corpus: &mut Corpus) {
    let tokens = [
        Token {
            rule: "github_token",
            starts: &[("gh", "p_"), ("gh", "o_"), ("gh", "u_"), ("gh", "s_"), ("gh", "r_"), ("github_", "pat_")],
            alphabet: LETTERS,
            least: 20,
            usual: 36,
        },
        Token {
            rule: "gitlab_token",
            starts: &[
                ("gl", "pat-"),
                ("gl", "dt-"),
                ("gl", "rt-"),
                ("gl", "cbt-"),
                ("gl", "ptt-"),
                ("gl", "ft-"),
                ("glso", "at-"),
            ],
            alphabet: URL64,
            least: 20,
            usual: 20,
        },
        Token { rule: "npm_token", starts: &[("np", "m_")], alphabet: LETTERS, least: 20, usual: 36 },
        Token { rule: "pypi_token", starts: &[("pypi-", "AgE")], alphabet: URL64, least: 20, usual: 160 },
    ];
    tokens.iter().for_each(|token| token.add(corpus));
    for _ in 0..6 {
        let (one, two) = (corpus.random.text(LETTERS, 22), corpus.random.text(LETTERS, 59));
        corpus.finds("github_token", Edges::Token, &["github", "_pat_", &one, "_", &two].concat());
        let (one, two) = (corpus.random.text(URL64, 27), corpus.random.text(LETTERS, 9));
        corpus.finds("gitlab_token", Edges::Token, &["glp", "at-", &one, ".01.", &two].concat());
    }
    for text in [
        "github_pattern_matching_in_the_code",
        "npm_lifecycle_event_and_npm_package_name",
        "ghp_is_the_prefix_of_tokens",
    ] {
        corpus.leaves("github_token", Edges::Strict, text);
        corpus.leaves("npm_token", Edges::Strict, text);
    }
    corpus.leaves("pypi_token", Edges::Strict, "pypi-attestations-are-published-since-long");
    corpus.leaves("gitlab_token", Edges::Strict, "glpattern-matching-is-no-token-of-anyone");
}
