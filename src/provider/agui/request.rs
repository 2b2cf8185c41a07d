//! What an agent is asked: `RunAgentInput`.

use crate::Error;
use crate::input::{Message, Tool, echoed};
use crate::json::{self, Json, Object, Raw};
use crate::provider::Ask;
use serde_json::Value;

/// The model's name where nobody has named one: the agent chooses.
const NAMELESS: &str = "agent";

/// The body of a run. Its id is the run's own for its first call, and has the call's number behind it for any other;
/// the model, where one is named, is in `forwardedProps`, as are the settings that AG-UI has no place for.
///
/// # Errors
/// None: AG-UI has a form for every part.
pub fn request(ask: &Ask<'_>) -> Result<String, Error> {
    let input = ask.input;
    let calls = ask.transcript.iter().filter(|message| matches!(message, Message::Assistant { .. })).count();
    let run = if calls == 0 { input.run.clone() } else { format!("{}-{}", input.run, calls + 1) };
    let messages = echoed(&input.run, ask.sent.iter().chain(ask.transcript));
    let tools: Vec<Given<'_>> = input.tools.iter().map(Given).collect();
    let context: Vec<Raw> = input.context.iter().map(|(about, value)| entry(about, value)).collect();
    let state = input.echo.state.clone().unwrap_or_else(|| Value::Object(Default::default()));
    Ok(json::object(|body| {
        body.fields(&[("threadId", &input.thread), ("runId", &run), ("protocolVersion", &"1.0"), ("state", &state)]);
        body.fields(&[("messages", &messages), ("tools", &tools), ("context", &context)]);
        body.object("forwardedProps", |props| {
            let settings = &input.settings;
            props.field("model", &Some(ask.model).filter(|model| *model != NAMELESS));
            props.field("temperature", &settings.temperature).field("maxTokens", &settings.max_output);
        });
    }))
}

struct Given<'a>(&'a Tool);

impl Json for Given<'_> {
    fn write(&self, out: &mut String) {
        let Tool { name, description, parameters } = self.0;
        let mut tool = Object::begin(out);
        tool.fields(&[("name", name), ("description", description), ("parameters", parameters)]);
        tool.end();
    }
}

fn entry(description: &str, value: &str) -> Raw {
    Raw(json::object(|entry| {
        entry.fields(&[("description", &description), ("value", &value)]);
    }))
}
