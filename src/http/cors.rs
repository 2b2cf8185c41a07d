//! Which web pages of other origins may call (the Fetch standard's CORS protocol).
//!
//! Credentials are never asked for: a page sends its token itself, so no cookie is at stake.

use super::answer::Answer;
use super::route::{allow, methods};
use crate::error::{Error, ErrorKind};

/// What a page may send beside what any may.
///
/// The clients of OpenAI and Anthropic say with each request what they run on.
const ALLOWED_HEADERS: &str = "authorization, content-type, last-event-id, lastword-scope, lastword-thread, \
    lastword-user, idempotency-key, cache-control, user-agent, x-api-key, anthropic-version, anthropic-beta, \
    anthropic-dangerous-direct-browser-access, openai-beta, openai-organization, openai-project, x-stainless-arch, \
    x-stainless-helper-method, x-stainless-lang, x-stainless-os, x-stainless-package-version, \
    x-stainless-retry-count, x-stainless-runtime, x-stainless-runtime-version, x-stainless-timeout";
/// What a page may read beside what any may.
const EXPOSED_HEADERS: &str = "allow, retry-after, www-authenticate, x-should-retry, x-vercel-ai-ui-message-stream";
/// How long a browser may go by a preflight's answer, in seconds: the most that browsers take.
const MAX_AGE: &str = "7200";

/// The origins that may call. None by default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cors {
    any: bool,
    origins: Vec<String>,
}

impl Cors {
    /// Reads `LASTWORD_ORIGINS`: a comma-separated list of origins (`https://app.example`), or `*`.
    ///
    /// # Errors
    /// [`ErrorKind::NotConfigured`] if an entry is no origin as browsers write it.
    pub fn parse(list: Option<&str>) -> Result<Self, Error> {
        let mut cors = Cors::default();
        for entry in list.unwrap_or_default().split(',').map(str::trim).filter(|entry| !entry.is_empty()) {
            match entry {
                "*" => cors.any = true,
                origin if is_origin(origin) => cors.origins.push(origin.to_owned()),
                _ => {
                    let detail = "LASTWORD_ORIGINS must be * or a list of origins, each scheme://host or scheme://host:port in lower case.";
                    return Err(Error::with(ErrorKind::NotConfigured, detail));
                }
            }
        }
        Ok(cors)
    }

    /// The headers of any response to a request with this `Origin`.
    pub fn headers(&self, origin: Option<&str>) -> Vec<(&'static str, String)> {
        let allowed = origin.filter(|origin| self.origins.iter().any(|known| known == origin));
        let mut headers = Vec::new();
        // Another origin gets another answer, and a cache must know, even where there was none.
        if !self.any && !self.origins.is_empty() {
            headers.push(("vary", "Origin".to_owned()));
        }
        if self.any || allowed.is_some() {
            let origin = if self.any { "*" } else { allowed.unwrap_or_default() };
            headers.push(("access-control-allow-origin", origin.to_owned()));
            headers.push(("access-control-expose-headers", EXPOSED_HEADERS.to_owned()));
        }
        headers
    }
}

/// The answer to `OPTIONS` on a path, a browser's preflight or not. It needs no token. Without the
/// headers of [`Cors::headers`], which go on every response, a browser takes it for a no.
///
/// # Errors
/// [`ErrorKind::NotFound`] if there is no such route.
pub fn options(path: &str) -> Result<Answer, Error> {
    let methods = methods(path).ok_or(ErrorKind::NotFound)?;
    let headers = vec![
        ("allow", allow(methods)),
        ("access-control-allow-methods", methods.join(", ")),
        ("access-control-allow-headers", ALLOWED_HEADERS.to_owned()),
        ("access-control-max-age", MAX_AGE.to_owned()),
    ];
    Ok(Answer { status: 204, headers, body: String::new() })
}

/// True for `scheme://host` and `scheme://host:port` as browsers write them.
fn is_origin(text: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_graphic() && !byte.is_ascii_uppercase() && !b"/?#@*".contains(&byte);
    match text.split_once("://") {
        Some((scheme, host)) => {
            let named = !scheme.is_empty() && !host.is_empty();
            named && scheme.bytes().chain(host.bytes()).all(is_part)
        }
        None => false,
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;

    fn headers(list: &str, origin: Option<&str>) -> Vec<(&'static str, String)> {
        Cors::parse(Some(list)).unwrap().headers(origin)
    }

    fn value<'a>(headers: &'a [(&str, String)], name: &str) -> Option<&'a str> {
        headers.iter().find(|(known, _)| *known == name).map(|(_, value)| value.as_str())
    }

    #[test]
    fn nobody_is_let_in_unless_named() {
        assert!(Cors::parse(None).unwrap().headers(Some("https://app.example")).is_empty());
        assert!(headers("", Some("https://app.example")).is_empty());
    }

    #[test]
    fn a_named_origin_is_echoed_and_a_cache_is_told() {
        let list = "https://app.example, http://localhost:3000";
        for origin in ["https://app.example", "http://localhost:3000"] {
            let headers = headers(list, Some(origin));
            assert_eq!(value(&headers, "access-control-allow-origin"), Some(origin));
            assert_eq!(value(&headers, "vary"), Some("Origin"));
            assert_eq!(value(&headers, "access-control-allow-credentials"), None);
        }
        for other in [
            None,
            Some("https://app.example.evil"),
            Some("http://app.example"),
            Some("https://APP.example"),
            Some("null"),
        ] {
            let headers = headers(list, other);
            assert_eq!(headers, [("vary", "Origin".to_owned())], "{other:?}");
        }
    }

    #[test]
    fn a_star_lets_all_in() {
        for origin in [Some("https://app.example"), Some("null"), None] {
            assert_eq!(value(&headers("*", origin), "access-control-allow-origin"), Some("*"));
        }
    }

    #[test]
    fn what_is_no_origin_is_a_configuration_error() {
        for list in ["app.example", "https://app.example/", "https://App.example", "https://*.example", "null", "://x"]
        {
            let error = Cors::parse(Some(list)).unwrap_err();
            assert!(error.code() == "not_configured" && error.detail().unwrap().contains("ORIGINS"), "{list}");
        }
    }

    #[test]
    fn a_preflight_names_the_routes_own_methods() {
        for (path, method) in [
            ("/agui", "POST"),
            ("/v1/runs/r/events?view=operator", "GET"),
            ("/health", "GET"),
            ("/v1/runs/r", "GET, DELETE"),
        ] {
            let answer = options(path).unwrap();
            assert_eq!((answer.status, answer.body.as_str()), (204, ""));
            assert_eq!(value(&answer.headers, "access-control-allow-methods"), Some(method));
            assert_eq!(value(&answer.headers, "allow"), Some(format!("{method}, OPTIONS").as_str()));
        }
        assert_eq!(options("/nowhere").unwrap_err().code(), "not_found");
    }
}
