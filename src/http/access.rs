//! Who may do what.
//!
//! A token belongs to a scope, and a run to the scope whose token began it. Without any token the
//! service is not configured; local development is an explicit switch, never inferred.

use crate::digest;
use crate::error::{Error, ErrorKind};

/// The scope of local development.
const DEV: &str = "dev";

/// The configured tokens, as SHA-256 in lower-case hex.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Access {
    dev: bool,
    tokens: Vec<(String, String)>,
    operator: Option<String>,
}

/// Who asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    /// Whose runs it may see.
    pub scope: String,
    /// Whether it may have the operator's view.
    pub operator: bool,
}

impl Access {
    /// Reads the configuration: `dev` is `LASTWORD_DEV`, on for an exact `1`; `tokens` is
    /// `LASTWORD_TOKENS`, a comma-separated list of `scope=sha256hex`; `operator` is
    /// `LASTWORD_OPERATOR_TOKEN` itself.
    ///
    /// # Errors
    /// [`ErrorKind::NotConfigured`] if a token is no `scope=sha256hex`.
    pub fn parse(dev: Option<&str>, tokens: Option<&str>, operator: Option<&str>) -> Result<Self, Error> {
        let mut known = Vec::new();
        for entry in tokens.unwrap_or_default().split(',').map(str::trim).filter(|entry| !entry.is_empty()) {
            known.push(token(entry)?);
        }
        let operator = operator.filter(|token| !token.is_empty()).map(|token| digest::hex(&[token]));
        Ok(Access { dev: dev == Some("1"), tokens: known, operator })
    }

    /// Says who asks, by the `Authorization` header. An operator names the scope that it looks at
    /// in the header `Lastword-Scope`; with a single scope configured it need not.
    ///
    /// # Errors
    /// [`ErrorKind::NotConfigured`] if there is no token at all, [`ErrorKind::Unauthorized`] if
    /// this one is missing or wrong.
    pub fn caller(&self, authorization: Option<&str>, scope: Option<&str>) -> Result<Caller, Error> {
        if self.dev {
            return Ok(Caller { scope: DEV.to_owned(), operator: true });
        }
        if self.tokens.is_empty() && self.operator.is_none() {
            return Err(Error::with(ErrorKind::NotConfigured, "No token is configured."));
        }
        let token = authorization.and_then(bearer).ok_or(ErrorKind::Unauthorized)?;
        let given = digest::hex(&[token]);
        if self.operator.as_ref().is_some_and(|operator| equal(operator, &given)) {
            return self.operator(scope);
        }
        // Every token is compared, so that the time tells nothing of which one it was.
        let found = self.tokens.iter().fold(None, |found, (scope, known)| match equal(known, &given) {
            true => Some(scope),
            false => found,
        });
        let scope = found.ok_or(ErrorKind::Unauthorized)?;
        Ok(Caller { scope: scope.clone(), operator: false })
    }

    fn operator(&self, scope: Option<&str>) -> Result<Caller, Error> {
        let only = match self.tokens.as_slice() {
            [(only, _)] => Some(only.as_str()),
            _ => None,
        };
        let scope = scope.or(only).filter(|scope| !scope.is_empty());
        let scope = scope.ok_or_else(|| Error::with(ErrorKind::InvalidInput, "Lastword-Scope must name a scope."))?;
        Ok(Caller { scope: scope.to_owned(), operator: true })
    }
}

fn bearer(header: &str) -> Option<&str> {
    let (scheme, token) = header.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim()).filter(|token| !token.is_empty())
}

fn token(entry: &str) -> Result<(String, String), Error> {
    let is_digest = |hex: &str| hex.len() == 64 && hex.bytes().all(|byte| byte.is_ascii_hexdigit());
    match entry.split_once('=') {
        Some((scope, hex)) if !scope.is_empty() && is_digest(hex) => Ok((scope.to_owned(), hex.to_ascii_lowercase())),
        _ => Err(Error::with(ErrorKind::NotConfigured, "LASTWORD_TOKENS must be a list of scope=sha256hex.")),
    }
}

/// Compares two digests in a time that does not depend on them.
fn equal(a: &str, b: &str) -> bool {
    a.len() == b.len() && a.bytes().zip(b.bytes()).fold(0, |difference, (a, b)| difference | (a ^ b)) == 0
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;

    fn hex(token: &str) -> String {
        digest::hex(&[token])
    }

    fn access(tokens: &[(&str, &str)], operator: Option<&str>) -> Access {
        let list: Vec<_> = tokens.iter().map(|(scope, token)| format!("{scope}={}", hex(token))).collect();
        Access::parse(None, Some(&list.join(", ")), operator).unwrap()
    }

    #[test]
    fn nothing_configured_serves_nobody_and_development_is_an_exact_one() {
        for dev in [None, Some(""), Some("0"), Some("true")] {
            let access = Access::parse(dev, None, None).unwrap();
            assert_eq!(access.caller(Some("Bearer x"), None).unwrap_err().code(), "not_configured");
        }
        let caller = Access::parse(Some("1"), None, None).unwrap().caller(None, None).unwrap();
        assert_eq!(caller, Caller { scope: "dev".into(), operator: true });
    }

    #[test]
    fn a_token_opens_its_own_scope() {
        let access = access(&[("acme", "one"), ("globex", "two")], None);
        assert_eq!(
            access.caller(Some("Bearer two"), None).unwrap(),
            Caller { scope: "globex".into(), operator: false }
        );
        assert_eq!(access.caller(Some("bearer one"), Some("globex")).unwrap().scope, "acme");
        for wrong in [None, Some("one"), Some("Bearer "), Some("Bearer three"), Some("Basic one")] {
            assert_eq!(access.caller(wrong, None).unwrap_err().code(), "unauthorized", "{wrong:?}");
        }
    }

    #[test]
    fn a_digest_is_read_in_either_case_and_is_what_sha256_gives() {
        let upper = "2C26B46B68FFC68FF99B453C1D30413413422D706483BFA0F98A5E886266E7AE";
        let access = Access::parse(None, Some(&format!("acme={upper}")), None).unwrap();
        assert_eq!(access.caller(Some("Bearer foo"), None).unwrap().scope, "acme");
    }

    #[test]
    fn an_operator_names_the_scope() {
        let access = access(&[("acme", "one"), ("globex", "two")], Some("op"));
        let caller = access.caller(Some("Bearer op"), Some("globex")).unwrap();
        assert_eq!(caller, Caller { scope: "globex".into(), operator: true });
        assert_eq!(access.caller(Some("Bearer op"), None).unwrap_err().code(), "invalid_input");
        assert_eq!(self::access(&[("acme", "one")], Some("op")).caller(Some("Bearer op"), None).unwrap().scope, "acme");
    }

    #[test]
    fn a_token_that_is_no_digest_is_a_configuration_error() {
        for tokens in ["acme", "acme=xyz", &format!("={}", hex("x")), &format!("a={}", "é".repeat(32))] {
            assert_eq!(Access::parse(None, Some(tokens), None).unwrap_err().code(), "not_configured", "{tokens}");
        }
    }
}
