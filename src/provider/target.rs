//! Where a model call goes, and what it says of itself.

use super::Format;
use std::fmt::Write;

/// Where a call is posted to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The address.
    pub url: String,
    /// Headers besides the content type, names in lower case.
    pub headers: Vec<(&'static str, String)>,
}

/// The version of its API that Anthropic wants to be told.
const ANTHROPIC_VERSION: &str = "2023-06-01";

impl Format {
    /// How a provider is asked whose format this is and which is at that address. Only [`Format::Auto`] looks at the
    /// address: its path ends as one that a format is asked at, or it is asked as Chat Completions.
    pub fn asked_at(self, base: &str) -> Format {
        let (base, _) = parts(base);
        match self {
            Format::Auto if base.ends_with("/responses") => Format::Responses,
            Format::Auto if base.ends_with("/messages") => Format::Anthropic,
            Format::Auto if base.contains(":streamGenerateContent") => Format::Gemini,
            Format::Auto if base.ends_with("/api/chat") || base.ends_with("/api/generate") => Format::Ollama,
            Format::Auto if base.ends_with("/ai/run") || base.contains("/ai/run/") => Format::WorkersAi,
            Format::Auto => Format::ChatCompletions,
            format => format,
        }
    }

    /// Where a call for that model goes. `base` is the server's base address, as its own SDK takes it, or the whole
    /// one; a query stays behind it. `key` is sent as the format has it.
    pub fn target(self, base: &str, model: &str, key: Option<&str>) -> Target {
        let asked = self.asked_at(base);
        let (base, query) = parts(base);
        let mut url = match asked {
            Format::ChatCompletions => ending(base, "/chat/completions"),
            Format::Responses => ending(base, "/responses"),
            Format::Anthropic if base.ends_with("/v1") => format!("{base}/messages"),
            Format::Anthropic if base.ends_with("/messages") => base.to_owned(),
            Format::Anthropic => format!("{base}/v1/messages"),
            Format::Gemini => gemini(base, model),
            Format::WorkersAi if base.contains("/ai/run/") => base.to_owned(),
            Format::WorkersAi if base.ends_with("/ai") => format!("{base}/run/{}", segments(model)),
            Format::WorkersAi => format!("{base}/{}", segments(model)),
            Format::Ollama => ollama(base),
            Format::AgUi | Format::Auto | Format::Signals => base.to_owned(),
        };
        if let Some(query) = query {
            url.push('?');
            url.push_str(query);
        }
        // Without it the response would be one array, which is read too, but comes in larger pieces.
        if asked == Format::Gemini && !query.is_some_and(|query| query.split('&').any(|part| part.starts_with("alt=")))
        {
            url.push_str(if query.is_some() { "&alt=sse" } else { "?alt=sse" });
        }
        let mut headers = vec![("accept", accept(self).to_owned())];
        if asked == Format::Anthropic {
            headers.push(("anthropic-version", ANTHROPIC_VERSION.to_owned()));
        }
        headers.extend(key.map(|key| match asked {
            Format::Anthropic => ("x-api-key", key.to_owned()),
            Format::Gemini => ("x-goog-api-key", key.to_owned()),
            _ => ("authorization", format!("Bearer {key}")),
        }));
        Target { url, headers }
    }
}

/// The address in front of its query, without slashes at its end, and the query.
fn parts(base: &str) -> (&str, Option<&str>) {
    let (path, query) = match base.split_once('?') {
        Some((path, query)) => (path, Some(query).filter(|query| !query.is_empty())),
        None => (base, None),
    };
    (path.trim_end_matches('/'), query)
}

fn accept(format: Format) -> &'static str {
    match format {
        Format::Ollama => "application/x-ndjson",
        Format::Auto => "text/event-stream, application/x-ndjson, application/json",
        _ => "text/event-stream",
    }
}

fn ending(base: &str, path: &str) -> String {
    if base.ends_with(path) { base.to_owned() } else { format!("{base}{path}") }
}

/// The SDK of the service takes the host alone, others a version behind it.
fn gemini(base: &str, model: &str) -> String {
    let version = if base.contains("/v1") { "" } else { "/v1beta" };
    let collection = if model.contains('/') { "" } else { "models/" };
    match base.contains(":streamGenerateContent") {
        true => base.to_owned(),
        false => format!("{base}{version}/{collection}{}:streamGenerateContent", segments(model)),
    }
}

/// A conversation is asked at `/api/chat`, also where `/api/generate` is named.
fn ollama(base: &str) -> String {
    let base = base.strip_suffix("/generate").unwrap_or(base);
    if base.ends_with("/api") { format!("{base}/chat") } else { ending(base, "/api/chat") }
}

/// A model's name as a part of a path. A client may have chosen it: whatever it holds, it leads nowhere else.
fn segments(model: &str) -> String {
    let mut out = String::with_capacity(model.len());
    for (at, segment) in model.split('/').enumerate() {
        if at > 0 {
            out.push('/');
        }
        let dots = !segment.is_empty() && segment.bytes().all(|byte| byte == b'.');
        for byte in segment.bytes() {
            match byte {
                // What is encoded once is a dot to whoever resolves the path.
                b'.' if dots => out.push_str("%252E"),
                b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b'@' => {
                    out.push(char::from(byte))
                }
                _ => {
                    // Writing to a string never fails.
                    let _ = write!(out, "%{byte:02X}");
                }
            }
        }
    }
    out
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;

    fn url(format: Format, base: &str, model: &str) -> String {
        format.target(base, model, None).url
    }

    #[test]
    fn the_base_address_of_each_sdk_and_the_whole_address_lead_to_the_same() {
        let rows: [(Format, &[&str], &str); 9] = [
            (
                Format::ChatCompletions,
                &["https://a/v1", "https://a/v1/", "https://a/v1/chat/completions"],
                "https://a/v1/chat/completions",
            ),
            (
                Format::Responses,
                &["https://a/v1", "https://a/v1//", "https://a/v1/responses/"],
                "https://a/v1/responses",
            ),
            (
                Format::Anthropic,
                &["https://a", "https://a/", "https://a/v1", "https://a/v1/messages"],
                "https://a/v1/messages",
            ),
            (
                Format::Gemini,
                &["https://a", "https://a/v1beta/", "https://a/v1beta/models/m:streamGenerateContent"],
                "https://a/v1beta/models/m:streamGenerateContent?alt=sse",
            ),
            (
                Format::Gemini,
                &["https://a/v1/projects/p/locations/l/publishers/google"],
                "https://a/v1/projects/p/locations/l/publishers/google/models/m:streamGenerateContent?alt=sse",
            ),
            (
                Format::WorkersAi,
                &["https://a/accounts/1/ai/run", "https://a/accounts/1/ai/", "https://a/accounts/1/ai/run/m"],
                "https://a/accounts/1/ai/run/m",
            ),
            (
                Format::Ollama,
                &["http://a:1", "http://a:1/", "http://a:1/api", "http://a:1/api/chat", "http://a:1/api/generate"],
                "http://a:1/api/chat",
            ),
            (Format::AgUi, &["https://a/agent", "https://a/agent/"], "https://a/agent"),
            (Format::Signals, &["https://a/agent"], "https://a/agent"),
        ];
        for (format, bases, expected) in rows {
            for base in bases {
                assert_eq!(url(format, base, "m"), expected, "{format:?} {base}");
            }
        }
    }

    #[test]
    fn a_query_stays_behind_the_address() {
        for (format, base, expected) in [
            (Format::ChatCompletions, "https://a/d?api-version=1", "https://a/d/chat/completions?api-version=1"),
            (Format::ChatCompletions, "https://a/chat/completions?v=1", "https://a/chat/completions?v=1"),
            (Format::Anthropic, "https://a/?beta=true", "https://a/v1/messages?beta=true"),
            (Format::Gemini, "https://a/v1?a=b", "https://a/v1/models/m:streamGenerateContent?a=b&alt=sse"),
            (Format::Gemini, "https://a/v1?alt=json", "https://a/v1/models/m:streamGenerateContent?alt=json"),
            (Format::WorkersAi, "https://a/ai/run/?a=b", "https://a/ai/run/m?a=b"),
            (Format::Ollama, "http://a/api/chat?", "http://a/api/chat"),
            (Format::AgUi, "https://a/agent?x=/", "https://a/agent?x=/"),
        ] {
            assert_eq!(url(format, base, "m"), expected, "{format:?} {base}");
        }
    }

    #[test]
    fn a_models_name_in_the_path_leads_nowhere_else() {
        let run = |model: &str| url(Format::WorkersAi, "https://a/ai/run", model);
        assert_eq!(run("@cf/meta/llama-3.1-8b"), "https://a/ai/run/@cf/meta/llama-3.1-8b");
        assert_eq!(run("../../tokens/./..."), "https://a/ai/run/%252E%252E/%252E%252E/tokens/%252E/%252E%252E%252E");
        assert_eq!(run("m?a=b#c\\d%2e:é"), "https://a/ai/run/m%3Fa%3Db%23c%5Cd%252e%3A%C3%A9");
        let gemini = |model: &str| url(Format::Gemini, "https://a", model);
        assert_eq!(gemini("models/m"), "https://a/v1beta/models/m:streamGenerateContent?alt=sse");
        assert_eq!(gemini("m:b?c"), "https://a/v1beta/models/m%3Ab%3Fc:streamGenerateContent?alt=sse");
    }

    #[test]
    fn a_key_is_sent_as_each_format_has_it() {
        let headers = |format: Format, key: Option<&str>| format.target("https://a", "m", key).headers;
        let stream = ("accept", "text/event-stream".to_owned());
        let bearer = ("authorization", "Bearer k".to_owned());
        for format in [Format::ChatCompletions, Format::Responses, Format::WorkersAi, Format::AgUi, Format::Signals] {
            assert_eq!(headers(format, Some("k")), [stream.clone(), bearer.clone()], "{format:?}");
            assert_eq!(headers(format, None), std::slice::from_ref(&stream), "{format:?}");
        }
        let version = ("anthropic-version", ANTHROPIC_VERSION.to_owned());
        assert_eq!(
            headers(Format::Anthropic, Some("k")),
            [stream.clone(), version.clone(), ("x-api-key", "k".to_owned())]
        );
        assert_eq!(headers(Format::Anthropic, None), [stream.clone(), version.clone()]);
        assert_eq!(headers(Format::Gemini, Some("k")), [stream, ("x-goog-api-key", "k".to_owned())]);
        assert_eq!(headers(Format::Ollama, Some("k")), [("accept", "application/x-ndjson".to_owned()), bearer]);
        let auto = Format::Auto.target("https://a/v1/messages", "m", Some("k")).headers;
        let any = ("accept", "text/event-stream, application/x-ndjson, application/json".to_owned());
        assert_eq!(auto, [any, version, ("x-api-key", "k".to_owned())]);
    }

    #[test]
    fn the_address_says_how_auto_is_asked() {
        for (base, asked, expected) in [
            ("https://a/v1", Format::ChatCompletions, "https://a/v1/chat/completions"),
            ("https://a/v1/chat/completions", Format::ChatCompletions, "https://a/v1/chat/completions"),
            ("https://a/v1/responses/", Format::Responses, "https://a/v1/responses"),
            ("https://a/v1/messages?beta=true", Format::Anthropic, "https://a/v1/messages?beta=true"),
            (
                "https://a/v1/models/x:streamGenerateContent?alt=sse",
                Format::Gemini,
                "https://a/v1/models/x:streamGenerateContent?alt=sse",
            ),
            ("http://a/api/chat", Format::Ollama, "http://a/api/chat"),
            ("http://a/api/generate", Format::Ollama, "http://a/api/chat"),
            ("https://a/ai/run", Format::WorkersAi, "https://a/ai/run/m"),
            ("https://a/ai/run/@cf/x", Format::WorkersAi, "https://a/ai/run/@cf/x"),
        ] {
            assert_eq!(Format::Auto.asked_at(base), asked, "{base}");
            assert_eq!(url(Format::Auto, base, "m"), expected, "{base}");
        }
        assert_eq!(Format::Ollama.asked_at("https://a/v1/messages"), Format::Ollama, "only auto looks at it");
    }
}
