//! Where a model call goes, and what it says of itself.

use super::Format;

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
    /// Where a call for that model goes. `base` is the server's base address, as its own SDK takes it, or the whole
    /// one; `key` is sent as the format has it.
    pub fn target(self, base: &str, model: &str, key: Option<&str>) -> Target {
        let base = base.trim_end_matches('/');
        let url = match self {
            Format::ChatCompletions => ending(base, "/chat/completions"),
            Format::Responses => ending(base, "/responses"),
            Format::Anthropic if base.ends_with("/v1") => ending(base, "/messages"),
            Format::Anthropic if base.ends_with("/messages") => base.to_owned(),
            Format::Anthropic => ending(base, "/v1/messages"),
            Format::Gemini if base.contains(":streamGenerateContent") => base.to_owned(),
            Format::Gemini => format!("{base}/models/{model}:streamGenerateContent?alt=sse"),
            Format::WorkersAi => format!("{base}/{model}"),
            Format::Ollama => ending(base, "/api/chat"),
            Format::AgUi | Format::Auto | Format::Signals => base.to_owned(),
        };
        let mut headers = vec![("accept", accept(self).to_owned())];
        if self == Format::Anthropic {
            headers.push(("anthropic-version", ANTHROPIC_VERSION.to_owned()));
        }
        headers.extend(key.map(|key| match self {
            Format::Anthropic => ("x-api-key", key.to_owned()),
            Format::Gemini => ("x-goog-api-key", key.to_owned()),
            _ => ("authorization", format!("Bearer {key}")),
        }));
        Target { url, headers }
    }
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
