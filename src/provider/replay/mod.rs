//! Plays recordings of the project's own making.
//!
//! A recording is what a provider sends in one turn of an agent, byte for byte and paced, with the
//! results of the tools that the turn calls. So the whole system runs with no key and no network.
//!
//! Each is a folder in `recordings/`: `1.sse`, `2.sse` and so on hold the raw bytes of the turn's
//! responses, and `recording.json` says how they are played:
//!
//! | field | |
//! |---|---|
//! | `responses` | one entry a response: `after_ms` before each chunk, `cut` into chunks (`"frames"`, `{"every": n}` bytes, `{"at": […]}` byte positions), `end` (`"close"` or `"abort"`) |
//! | `format` | `signals` where the responses are of [`super::signals`]; else they are Chat Completions |
//! | `tools` | by tool, the results of its calls in order: `ok` and `content` |
//! | `approvals` | those of them that need a person's word; absent for none |
//! | `approval_ms` | how long the person may take; absent for as long as it takes |
//!
//! and `expected.json` what comes of it, for tests alone:
//!
//! | field | |
//! |---|---|
//! | `about` | what happens, in one sentence |
//! | `client_tools` | the tools that the client must declare for the recording to make sense |
//! | `failure` | the code with which the turn fails; absent if it does not |
//! | `answer` | the text that the turn publishes; null if it publishes none |
//! | `narration` | words that must never reach a customer, each whole in one piece of the stream |

mod playback;
mod shelf;
#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;

pub use playback::{Chunk, End, Playback};

use super::Format;
use crate::Millis;
use crate::input::Message;
use crate::positions::Positions;
use crate::stored::{Stored, decode, readable};
use serde_json::Value;
use std::sync::LazyLock;

/// What stands before a recording's name in a model's name.
pub const PREFIX: &str = "replay/";

/// A recorded turn.
#[derive(Debug)]
pub struct Recording {
    name: &'static str,
    script: Script,
    responses: &'static [&'static [u8]],
}

/// `recording.json`.
#[derive(Debug)]
struct Script {
    format: Option<Format>,
    responses: Vec<Pace>,
    tools: Tools,
    approvals: Vec<String>,
    approval_ms: Option<Millis>,
}

/// `expected.json`.
#[derive(Debug)]
struct Expected {
    about: String,
    client_tools: Vec<String>,
    failure: Option<String>,
    answer: Option<String>,
    narration: Vec<String>,
}

/// The results of each tool's calls, by its name.
#[derive(Debug)]
struct Tools(Vec<(String, Vec<ToolResult>)>);

/// How a response is played.
#[derive(Debug)]
struct Pace {
    after_ms: Millis,
    cut: playback::Cut,
    end: End,
}

#[derive(Debug)]
struct ToolResult {
    ok: bool,
    content: String,
}

readable!(Script { format, responses, tools, approvals, approval_ms });
readable!(Expected { about, client_tools, failure, answer, narration });
readable!(Pace { after_ms, cut, end });
readable!(ToolResult { ok, content });

impl Stored for Tools {
    fn read(value: &Value) -> Option<Self> {
        let mut tools = Vec::new();
        for (name, results) in value.as_object().into_iter().flatten() {
            tools.push((name.clone(), Stored::read(results)?));
        }
        Some(Tools(tools))
    }
}

static RECORDINGS: LazyLock<Vec<Recording>> =
    LazyLock::new(|| shelf::TAPES.iter().filter_map(Recording::load).collect());

static EXPECTED: LazyLock<Vec<(&str, Expected)>> = LazyLock::new(|| {
    shelf::EXPECTED.iter().filter_map(|(name, json)| Some((*name, decode(json.as_bytes())?))).collect()
});

/// The recordings' names, without [`PREFIX`].
pub fn names() -> impl Iterator<Item = &'static str> {
    RECORDINGS.iter().map(|recording| recording.name)
}

/// The recording of that name, with or without [`PREFIX`].
pub fn find(name: &str) -> Option<&'static Recording> {
    let name = name.strip_prefix(PREFIX).unwrap_or(name);
    RECORDINGS.iter().find(|recording| recording.name == name)
}

/// The response, from 1, with which a recording goes on for a run that is sent these messages.
///
/// It is the first, unless the client ran tools in earlier runs of the same turn: each round of
/// calls behind the last user message whose results are all there has used up one response.
/// Neighbouring assistant messages that call are one round.
pub fn first_response(messages: &[Message]) -> u32 {
    let turn = messages.rsplit(|message| matches!(message, Message::User(_))).next().unwrap_or_default();
    let mut answered = Positions::default();
    for (at, message) in turn.iter().enumerate() {
        if let Message::Tool { call, .. } = message {
            answered.insert(call, at);
        }
    }
    let rounds = turn.chunk_by(|one, next| !one.calls().is_empty() && !next.calls().is_empty());
    let done = rounds.filter(|round| round.iter().all(|message| is_answered(message, &answered)));
    1u32.saturating_add(u32::try_from(done.count()).unwrap_or(u32::MAX))
}

/// True for an assistant message that calls tools and whose calls all have results.
fn is_answered(message: &Message, answered: &Positions) -> bool {
    let calls = message.calls();
    !calls.is_empty() && calls.iter().all(|call| answered.contains(&call.id))
}

impl Recording {
    /// None if the script is not valid; a test sees to it that all are.
    fn load(tape: &shelf::Tape) -> Option<Self> {
        let script = decode(tape.script.as_bytes())?;
        Some(Recording { name: tape.name, script, responses: tape.responses })
    }

    /// Its name, without [`PREFIX`].
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The format of its responses.
    pub fn format(&self) -> Format {
        self.script.format.unwrap_or(Format::ChatCompletions)
    }

    /// What happens in it, in one sentence.
    pub fn about(&self) -> &str {
        &self.expected().about
    }

    /// Plays the turn's response of that ordinal, from 1. None if the turn has no more.
    pub fn response(&'static self, ordinal: u32) -> Option<Playback> {
        let at = usize::try_from(ordinal.checked_sub(1)?).ok()?;
        let pace = self.script.responses.get(at)?;
        Some(Playback::new(self.responses.get(at)?, pace.after_ms, &pace.cut, pace.end))
    }

    /// What the tool of ours gave back at its `nth` call in the turn, from 0: true if it went
    /// well, and the content. None if the recording holds no such result.
    pub fn tool(&self, name: &str, nth: usize) -> Option<(bool, &str)> {
        let (_, results) = self.script.tools.0.iter().find(|(known, _)| known == name)?;
        let result = results.get(nth)?;
        Some((result.ok, &result.content))
    }

    /// The tools that the recording holds results of.
    pub fn tools(&self) -> impl Iterator<Item = &str> {
        self.script.tools.0.iter().map(|(name, _)| name.as_str())
    }

    /// Those that need a person's word, and how long it may take in milliseconds.
    pub fn approvals(&self) -> (&[String], Option<Millis>) {
        (&self.script.approvals, self.script.approval_ms)
    }

    /// The tools that the client must declare for the recording to make sense.
    pub fn client_tools(&self) -> &[String] {
        &self.expected().client_tools
    }

    /// The text that the turn publishes in the end, or none. For tests.
    pub fn answer(&self) -> Option<&str> {
        self.expected().answer.as_deref()
    }

    /// The code with which the turn fails, if it does. For tests.
    pub fn failure(&self) -> Option<&str> {
        self.expected().failure.as_deref()
    }

    /// Words that must never reach a customer. For tests.
    pub fn narration(&self) -> &[String] {
        &self.expected().narration
    }

    fn expected(&self) -> &'static Expected {
        static NOTHING: Expected = Expected {
            about: String::new(),
            client_tools: Vec::new(),
            failure: None,
            answer: None,
            narration: Vec::new(),
        };
        EXPECTED.iter().find(|(name, _)| *name == self.name).map_or(&NOTHING, |(_, expected)| expected)
    }
}
