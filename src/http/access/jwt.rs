//! Browser tokens: short-lived JSON Web Tokens (RFC 7519) that a backend signs with the shared key.
//!
//! `HS256` and nothing else; whatever else a token's header asks for is refused, unread.

use crate::Millis;
use crate::error::{Error, ErrorKind};
use crate::stored;
use base64ct::{Base64UrlUnpadded, Encoding};
use hmac::{Hmac, Mac};
use serde_json::{Map, Value};
use sha2::Sha256;
use std::fmt;

/// The least bytes of a key: as many as the hash gives (RFC 7518, 3.2).
const MIN_KEY: usize = 32;
/// The most bytes of a token.
const MAX_TOKEN: usize = 4096;

/// The key that browser tokens are signed with. It is never shown.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct TokenKey(String);

/// What a token says of whoever holds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Claims {
    pub scope: String,
    pub user: Option<String>,
    pub thread: Option<String>,
    pub expires: Millis,
}

impl TokenKey {
    pub(super) fn parse(key: &str) -> Result<Self, Error> {
        if key.len() < MIN_KEY {
            let detail = format!("LASTWORD_TOKEN_KEY must have at least {MIN_KEY} bytes.");
            return Err(Error::with(ErrorKind::NotConfigured, detail));
        }
        Ok(TokenKey(key.to_owned()))
    }

    /// What a token says, if it is signed with this key and has not expired at `now`. Until the
    /// signature is checked nothing is told of the rest.
    pub(super) fn verify(&self, token: &str, now: Millis) -> Result<Claims, Error> {
        let wrong = || Error::new(ErrorKind::Unauthorized);
        let (signed, signature) = token.rsplit_once('.').filter(|_| token.len() <= MAX_TOKEN).ok_or_else(wrong)?;
        let (header, claims) = signed.split_once('.').ok_or_else(wrong)?;
        let header = object(header).ok_or_else(wrong)?;
        // A critical extension is one that must be understood, and none is.
        if header.get("alg").and_then(Value::as_str) != Some("HS256") || header.contains_key("crit") {
            return Err(wrong());
        }
        let mut mac = Hmac::<Sha256>::new_from_slice(self.0.as_bytes()).map_err(|_| wrong())?;
        mac.update(signed.as_bytes());
        mac.verify_slice(&decoded(signature).ok_or_else(wrong)?).map_err(|_| wrong())?;
        claimed(&object(claims).ok_or_else(wrong)?, now)
    }
}

impl fmt::Debug for TokenKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TokenKey")
    }
}

fn claimed(claims: &Map<String, Value>, now: Millis) -> Result<Claims, Error> {
    let seconds = |name: &str| claims.get(name).map(|value| value.as_f64().ok_or_else(|| must(name, "be a number")));
    let reached = |seconds: f64| now as f64 >= seconds * 1000.0;
    let expires = seconds("exp").unwrap_or_else(|| Err(must("exp", "say when it expires, in seconds")))?;
    if reached(expires) {
        return Err(ErrorKind::TokenExpired.into());
    }
    if seconds("nbf").transpose()?.is_some_and(|begins| !reached(begins)) {
        return Err(must("nbf", "have passed"));
    }
    let text = |name: &str, is_good: fn(&str) -> bool| match claims.get(name) {
        None => Ok(None),
        Some(value) => match value.as_str().filter(|text| is_good(text)) {
            Some(text) => Ok(Some(text.to_owned())),
            None => Err(must(name, "be a string within its bounds")),
        },
    };
    Ok(Claims {
        scope: text("scope", super::is_scope)?.ok_or_else(|| must("scope", "name a scope"))?,
        user: text("user", super::is_user)?.map_or_else(|| text("sub", super::is_user), |user| Ok(Some(user)))?,
        thread: text("thread", |thread| !thread.is_empty())?,
        expires: (expires * 1000.0) as Millis,
    })
}

fn must(claim: &str, demand: &str) -> Error {
    Error::with(ErrorKind::Unauthorized, format!("The token's claim {claim} must {demand}."))
}

fn object(part: &str) -> Option<Map<String, Value>> {
    match stored::parse(&decoded(part)?)? {
        Value::Object(fields) => Some(fields),
        _ => None,
    }
}

fn decoded(part: &str) -> Option<Vec<u8>> {
    Base64UrlUnpadded::decode_vec(part).ok()
}

#[cfg(all(test, not(target_arch = "wasm32")))]
pub(super) mod tests {
    use super::*;
    use serde_json::json;

    pub fn key() -> String {
        "0123456789abcdef".repeat(2)
    }

    /// Signs a token as a backend does.
    pub fn token(header: &Value, claims: &Value, key: &str) -> String {
        let part = |value: &Value| Base64UrlUnpadded::encode_string(value.to_string().as_bytes());
        let signed = format!("{}.{}", part(header), part(claims));
        let mut mac = Hmac::<Sha256>::new_from_slice(key.as_bytes()).unwrap();
        mac.update(signed.as_bytes());
        let signature = Base64UrlUnpadded::encode_string(&mac.finalize().into_bytes());
        format!("{signed}.{signature}")
    }

    pub fn hs256(claims: &Value) -> String {
        token(&json!({"alg": "HS256", "typ": "JWT"}), claims, &key())
    }

    fn verify(token: &str) -> Result<Claims, &'static str> {
        TokenKey::parse(&key()).unwrap().verify(token, 1_000_500).map_err(|error| error.code())
    }

    fn claims(scope: &str, user: Option<&str>, thread: Option<&str>, expires: Millis) -> Claims {
        Claims { scope: scope.into(), user: user.map(str::to_owned), thread: thread.map(str::to_owned), expires }
    }

    #[test]
    fn takes_what_another_implementation_has_signed() {
        // Made by `node:crypto`, as in the README. It expires in the year 2100.
        let parts = [
            "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9",
            "eyJzY29wZSI6ImFjbWUiLCJ1c2VyIjoiYW5uIiwiZXhwIjo0MTAyNDQ0ODAwfQ",
            "_VdjPIhh-Qc0_qnIO2ARhlGT0jEvy73H-otDKojnbqk",
        ];
        assert_eq!(verify(&parts.join(".")), Ok(claims("acme", Some("ann"), None, 4_102_444_800_000)));
        assert_eq!(
            hs256(&json!({"exp": 4102444800_u64, "scope": "acme", "user": "ann"})).split('.').next(),
            Some(parts[0])
        );
    }

    #[test]
    fn says_scope_user_and_thread() {
        let of = |value| verify(&hs256(&value));
        assert_eq!(
            of(json!({"scope": "acme", "user": "u", "thread": "t", "exp": 1001})),
            Ok(claims("acme", Some("u"), Some("t"), 1_001_000))
        );
        assert_eq!(
            of(json!({"scope": "acme", "sub": "s", "exp": 1001.5})),
            Ok(claims("acme", Some("s"), None, 1_001_500))
        );
        assert_eq!(
            of(json!({"scope": "acme", "user": "u", "sub": "s", "exp": 1e12})),
            Ok(claims("acme", Some("u"), None, 1_000_000_000_000_000))
        );
    }

    #[test]
    fn expires_at_its_second_and_begins_at_its_other() {
        let of = |value| verify(&hs256(&value));
        assert_eq!(of(json!({"scope": "acme", "exp": 1000.5})), Err("token_expired"));
        assert_eq!(of(json!({"scope": "acme", "exp": -1})), Err("token_expired"));
        assert!(of(json!({"scope": "acme", "exp": 1001, "nbf": 1000})).is_ok());
        assert_eq!(of(json!({"scope": "acme", "exp": 1002, "nbf": 1001})), Err("unauthorized"));
    }

    #[test]
    fn a_claim_that_is_missing_or_of_another_form_is_named() {
        for (claims, name) in [
            (json!({"scope": "acme"}), "exp"),
            (json!({"scope": "acme", "exp": "1001"}), "exp"),
            (json!({"exp": 1001}), "scope"),
            (json!({"scope": 7, "exp": 1001}), "scope"),
            (json!({"scope": "", "exp": 1001}), "scope"),
            (json!({"scope": "acme/u", "exp": 1001}), "scope"),
            (json!({"scope": "acme", "exp": 1001, "user": ""}), "user"),
            (json!({"scope": "acme", "exp": 1001, "user": 7}), "user"),
            (json!({"scope": "acme", "exp": 1001, "user": "u".repeat(257)}), "user"),
            (json!({"scope": "acme", "exp": 1001, "sub": null}), "sub"),
            (json!({"scope": "acme", "exp": 1001, "thread": ["t"]}), "thread"),
            (json!({"scope": "acme", "exp": 1001, "thread": ""}), "thread"),
        ] {
            let error = TokenKey::parse(&key()).unwrap().verify(&hs256(&claims), 1_000_500).unwrap_err();
            assert_eq!(error.code(), "unauthorized", "{claims}");
            assert!(error.detail().unwrap().contains(&format!("claim {name} ")), "{claims}: {error}");
        }
    }

    #[test]
    fn no_other_algorithm_key_or_form_is_taken() {
        let good = json!({"scope": "acme", "exp": 1001});
        for alg in [json!("none"), json!("hs256"), json!("HS384"), json!("RS256"), json!(["HS256"]), json!(null)] {
            assert_eq!(verify(&token(&json!({"alg": alg}), &good, &key())), Err("unauthorized"), "{alg}");
        }
        assert_eq!(verify(&token(&json!({}), &good, &key())), Err("unauthorized"));
        let critical = json!({"alg": "HS256", "crit": ["b64"], "b64": false});
        assert_eq!(verify(&token(&critical, &good, &key())), Err("unauthorized"));
        assert_eq!(verify(&token(&json!({"alg": "HS256"}), &good, &key().replace('0', "1"))), Err("unauthorized"));

        let whole = hs256(&good);
        let (signed, signature) = whole.rsplit_once('.').unwrap();
        for broken in [
            String::new(),
            signed.to_owned(),
            format!("{signed}."),
            format!("{whole}="),
            format!("{whole}.x"),
            format!("{signed}.{}", &signature[1..]),
            format!("{}.{signature}", signed.to_uppercase()),
            "x".repeat(5_000),
            format!("{}.{}.{signature}", "é", "é"),
        ] {
            assert_eq!(verify(&broken), Err("unauthorized"), "{broken}");
        }
    }

    #[test]
    fn any_change_of_a_byte_is_seen() {
        let whole = hs256(&json!({"scope": "acme", "exp": 1001}));
        for at in 0..whole.len() {
            let mut bytes = whole.clone().into_bytes();
            bytes[at] = if bytes[at] == b'A' { b'B' } else { b'A' };
            assert_eq!(verify(&String::from_utf8(bytes).unwrap()), Err("unauthorized"), "{at}");
        }
    }

    #[test]
    fn a_short_key_is_a_configuration_error_and_no_key_is_shown() {
        let error = TokenKey::parse(&key()[1..]).unwrap_err();
        assert!(error.code() == "not_configured" && error.detail().unwrap().contains("LASTWORD_TOKEN_KEY"));
        assert!(!format!("{:?}", TokenKey::parse(&key()).unwrap()).contains("0123"));
    }
}
