use super::jwt::tests::{hs256, key};
use super::*;
use proptest::prelude::*;
use serde_json::json;

const NOW: Millis = 1_000_000;

fn access(vars: &[(&str, &str)]) -> Result<Access, Error> {
    Access::read(|name| vars.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned()))
}

fn list(tokens: &[(&str, &str)]) -> String {
    let entries: Vec<_> = tokens.iter().map(|(scope, token)| format!("{scope}={}", digest(token))).collect();
    entries.join(", ")
}

/// Two scopes, an operator and a key.
fn all() -> Access {
    let tokens = list(&[("acme", "one"), ("globex", "two")]);
    access(&[("TOKENS", &tokens), ("OPERATOR_TOKEN", "op"), ("TOKEN_KEY", &key())]).unwrap()
}

fn with(authorization: &str) -> Credentials<'_> {
    Credentials { authorization: Some(authorization), ..Credentials::default() }
}

fn caller(scope: &str, user: Option<&str>, operator: bool) -> Caller {
    Caller { scope: scope.into(), user: user.map(str::to_owned), thread: None, until: None, operator }
}

fn code(access: &Access, credentials: Credentials<'_>) -> &'static str {
    access.caller(&credentials, NOW).unwrap_err().code()
}

#[test]
fn nothing_configured_serves_nobody_and_development_is_an_exact_one() {
    for dev in [&[][..], &[("DEV", "0")], &[("DEV", "true")], &[("DEV", " 1")]] {
        assert_eq!(code(&access(dev).unwrap(), with("Bearer x")), "not_configured");
    }
    let dev = access(&[("DEV", "1")]).unwrap();
    assert_eq!(dev.caller(&Credentials::default(), NOW).unwrap(), caller("dev", None, true));
    let ann = Credentials { user: Some("ann"), ..Credentials::default() };
    assert_eq!(dev.caller(&ann, NOW).unwrap(), caller("dev", Some("ann"), true));
}

#[test]
fn any_one_kind_of_token_is_a_configuration() {
    for vars in [("TOKENS", list(&[("acme", "one")])), ("OPERATOR_TOKEN", "op".into()), ("TOKEN_KEY", key())] {
        assert_eq!(code(&access(&[(vars.0, &vars.1)]).unwrap(), Credentials::default()), "unauthorized");
    }
}

#[test]
fn a_token_opens_its_own_scope() {
    assert_eq!(all().caller(&with("Bearer two"), NOW).unwrap(), caller("globex", None, false));
    let elsewhere = Credentials { scope: Some("globex"), ..with("bearer one") };
    assert_eq!(all().caller(&elsewhere, NOW).unwrap().scope, "acme", "the header is the operator's");
    for wrong in ["", "one", "Bearer ", "Bearer three", "Basic one", "Bearer one two"] {
        assert_eq!(code(&all(), with(wrong)), "unauthorized", "{wrong:?}");
    }
    assert_eq!(code(&all(), Credentials::default()), "unauthorized");
}

#[test]
fn a_digest_is_read_in_either_case_and_is_what_sha256_gives() {
    let upper = "2C26B46B68FFC68FF99B453C1D30413413422D706483BFA0F98A5E886266E7AE";
    let access = access(&[("TOKENS", &format!("acme={upper}"))]).unwrap();
    assert_eq!(access.caller(&with("Bearer foo"), NOW).unwrap().scope, "acme");
}

#[test]
fn an_operator_names_the_scope() {
    let named = Credentials { scope: Some("globex"), ..with("Bearer op") };
    assert_eq!(all().caller(&named, NOW).unwrap(), caller("globex", None, true));
    assert_eq!(code(&all(), with("Bearer op")), "invalid_input");
    for scope in ["", "acme/ann"] {
        assert_eq!(code(&all(), Credentials { scope: Some(scope), ..with("Bearer op") }), "invalid_input", "{scope}");
    }
    let one = access(&[("TOKENS", &list(&[("acme", "one")])), ("OPERATOR_TOKEN", "op")]).unwrap();
    assert_eq!(one.caller(&with("Bearer op"), NOW).unwrap().scope, "acme");
}

#[test]
fn a_scopes_token_and_an_operator_name_the_end_user() {
    let ann = |authorization| Credentials { user: Some("ann"), scope: Some("acme"), ..with(authorization) };
    assert_eq!(all().caller(&ann("Bearer one"), NOW).unwrap(), caller("acme", Some("ann"), false));
    assert_eq!(all().caller(&ann("Bearer op"), NOW).unwrap(), caller("acme", Some("ann"), true));
    // A backend that has lost its user must not be taken for one that has none.
    for user in ["", &"u".repeat(257), "żółw", "a\tb"] {
        let error = all().caller(&Credentials { user: Some(user), ..with("Bearer one") }, NOW).unwrap_err();
        assert!(error.code() == "invalid_input" && error.detail().unwrap().contains("Lastword-User"), "{user}");
    }
}

#[test]
fn a_browser_token_says_all_itself_and_is_never_an_operators() {
    let token = hs256(&json!({"scope": "acme", "user": "ann", "thread": "t", "exp": 1001, "operator": true}));
    let bearer = format!("Bearer {token}");
    let ann = Caller { thread: Some("t".into()), until: Some(1_001_000), ..caller("acme", Some("ann"), false) };
    let header = Credentials { scope: Some("globex"), user: Some("bob"), ..with(&bearer) };
    assert_eq!(all().caller(&header, NOW).unwrap(), ann);
    let query = Credentials { token: Some(&token), user: Some("bob"), ..Credentials::default() };
    assert_eq!(all().caller(&query, NOW).unwrap(), ann);
    assert!(ann.reaches("t") && !ann.reaches("t2") && caller("acme", None, false).reaches("t2"));

    let nobody = format!("Bearer {}", hs256(&json!({"scope": "acme", "exp": 1001})));
    let bob = Credentials { user: Some("bob"), ..with(&nobody) };
    assert_eq!(all().caller(&bob, NOW).unwrap().user, None, "a header gives it no user either");
    assert_eq!(all().caller(&query, NOW + 1000).unwrap_err().code(), "token_expired");
}

#[test]
fn the_query_takes_browser_tokens_alone_and_the_header_goes_first() {
    for token in ["one", "op", ""] {
        assert_eq!(code(&all(), Credentials { token: Some(token), ..Credentials::default() }), "unauthorized");
    }
    let token = hs256(&json!({"scope": "acme", "exp": 1001}));
    assert_eq!(code(&all(), Credentials { token: Some(&token), ..with("Bearer wrong") }), "unauthorized");
    let keyless = access(&[("OPERATOR_TOKEN", "op")]).unwrap();
    assert_eq!(code(&keyless, Credentials { token: Some(&token), ..Credentials::default() }), "unauthorized");
}

#[test]
fn what_is_not_valid_is_a_configuration_error() {
    let hex = digest("x");
    for tokens in ["acme", "acme=xyz", &format!("={hex}"), &format!("a/b={hex}"), &format!("a={}", "é".repeat(32))] {
        let error = access(&[("TOKENS", tokens)]).unwrap_err();
        assert!(error.code() == "not_configured" && error.detail().unwrap().contains("LASTWORD_TOKENS"), "{tokens}");
    }
    assert_eq!(access(&[("TOKEN_KEY", "short")]).unwrap_err().code(), "not_configured");
}

proptest! {
    /// Nobody who has not the key is let in, whatever the token, and nothing panics.
    #[test]
    fn no_text_is_taken_for_a_token(
        text in "\\PC{0,80}",
        parts in proptest::collection::vec("[A-Za-z0-9_=-]{0,60}", 0..5),
        header in "\\PC{0,20}",
    ) {
        for token in [text, parts.join("."), format!("eyJhbGciOiJIUzI1NiJ9.{}", parts.join("."))] {
            let given = Credentials { token: Some(&token), ..Credentials::default() };
            prop_assert_eq!(code(&all(), given), "unauthorized");
            let given = Credentials { user: Some(&header), scope: Some(&header), ..with(&token) };
            prop_assert_eq!(code(&all(), given), "unauthorized");
        }
    }

    #[test]
    fn different_scopes_and_users_never_share_a_namespace(
        a in ("[a-c%!~.]{1,3}", proptest::option::of("[a-c/%!~.]{1,4}")),
        b in ("[a-c%!~.]{1,3}", proptest::option::of("[a-c/%!~.]{1,4}")),
    ) {
        let name = |(scope, user): &(String, Option<String>)| caller(scope, user.as_deref(), false).namespace();
        prop_assert_eq!(a == b, name(&a) == name(&b));
    }
}
