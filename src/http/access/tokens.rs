//! The configured tokens: a scope each, known by their digest alone.

use crate::digest;
use crate::error::{Error, ErrorKind};

/// Tokens by scope, as SHA-256 in lower-case hex.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Tokens(Vec<(String, String)>);

impl Tokens {
    /// Reads a comma-separated list of `scope=sha256hex`.
    pub(super) fn parse(list: &str) -> Result<Self, Error> {
        let mut known = Vec::new();
        for entry in list.split(',').map(str::trim).filter(|entry| !entry.is_empty()) {
            known.push(token(entry)?);
        }
        Ok(Tokens(known))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The scope of the token with this digest. Every token is compared, so that the time tells nothing
    /// of which one it was.
    pub(super) fn scope_of(&self, digest: &str) -> Option<&str> {
        self.0.iter().fold(None, |found, (scope, known)| match equal(known, digest) {
            true => Some(scope.as_str()),
            false => found,
        })
    }

    /// The scope, where there is only one token.
    pub(super) fn only(&self) -> Option<&str> {
        match self.0.as_slice() {
            [(only, _)] => Some(only),
            _ => None,
        }
    }
}

fn token(entry: &str) -> Result<(String, String), Error> {
    let is_digest = |hex: &str| hex.len() == 64 && hex.bytes().all(|byte| byte.is_ascii_hexdigit());
    match entry.split_once('=') {
        Some((scope, hex)) if super::is_scope(scope) && is_digest(hex) => {
            Ok((scope.to_owned(), hex.to_ascii_lowercase()))
        }
        _ => Err(Error::with(
            ErrorKind::NotConfigured,
            "LASTWORD_TOKENS must be a list of scope=sha256hex, each scope without a slash.",
        )),
    }
}

/// The digest under which a token is known.
pub(super) fn digest(token: &str) -> String {
    digest::hex(&[token])
}

/// Compares two digests in a time that does not depend on them.
pub(super) fn equal(a: &str, b: &str) -> bool {
    a.len() == b.len() && a.bytes().zip(b.bytes()).fold(0, |difference, (a, b)| difference | (a ^ b)) == 0
}
