//! What a Responses service is asked: a run's input and what the run did since → one JSON body.

use super::fields::text_of;
use super::parts::{self, of};
use crate::Error;
use crate::input::{Call, Message, Settings, TextForm, Tool, ToolChoice};
use crate::json::{self, Object, Raw};
use crate::provider::Ask;
use crate::provider::chat_completions::request::context;
use serde_json::{Map, Value};
use std::collections::VecDeque;

/// The body of `POST …/responses` for the run's next response, streamed, of which the service is to store nothing.
///
/// The input is the context as a system message, then the messages in their order; calls and their results are items
/// of their own. What the provider wanted back with a response ([`crate::signal::Signal::Kept`]) stands in the place of
/// its text and calls, with the thread's ids in its calls.
///
/// Encrypted reasoning, which comes back with the next request, is asked for where the client says how hard the model
/// is to think, and once any was kept. Left out is what the format can't say: stop texts, the seed, the penalties. Tools
/// are not `strict`, which the format would have them unless it is said: their schemas are the client's own.
///
/// # Errors
/// [`crate::ErrorKind::UnsupportedPart`] for sound and films, with their place: `messages[2].content[0]`, or
/// `transcript[2].content[0]` for a result of this run.
pub fn request(ask: &Ask<'_>) -> Result<String, Error> {
    let mut input = Input::default();
    input.items.extend(context(&ask.input.context).map(|text| message("system", &text)));
    for (list, messages) in [("messages", ask.sent), ("transcript", ask.transcript)] {
        for (at, message) in messages.iter().enumerate() {
            input.add(message, &format!("{list}[{at}]"))?;
        }
    }
    let settings = &ask.input.settings;
    Ok(json::object(|body| {
        body.fields(&[("model", &ask.model), ("input", &input.items), ("stream", &true), ("store", &false)]);
        write(settings, body);
        let tools: Vec<Raw> = ask.input.tools.iter().map(tool).collect();
        if !tools.is_empty() {
            body.fields(&[
                ("tools", &tools),
                ("tool_choice", &settings.tool_choice.as_ref().map(choice)),
                ("parallel_tool_calls", &settings.parallel_calls),
            ]);
        }
        if settings.effort.is_some() || input.kept {
            body.field("include", &vec!["reasoning.encrypted_content"]);
        }
    }))
}

/// The input's items so far.
#[derive(Default)]
struct Input<'a> {
    items: Vec<Raw>,
    /// Something was kept.
    kept: bool,
    /// The calls so far whose input is plain text: so is their result's type.
    custom: Vec<&'a str>,
}

impl<'a> Input<'a> {
    fn add(&mut self, said: &'a Message, place: &str) -> Result<(), Error> {
        match said {
            Message::System(text) => self.items.push(message("system", text)),
            Message::User(content) if content.is_empty() => self.items.push(message("user", "")),
            Message::User(content) => self.items.push(message_of("user", &parts::content(content, place)?)),
            Message::Assistant { text, calls, kept } => {
                match kept.as_ref().and_then(|kept| kept.get("responses")).and_then(Value::as_array) {
                    Some(items) => self.as_kept(items, calls),
                    None => {
                        if !text.is_empty() {
                            self.items.push(message_of("assistant", &[of("output_text", &[("text", text)])]));
                        }
                        self.items.extend(calls.iter().map(called));
                    }
                }
            }
            Message::Tool { call, content } => {
                let kind = match self.custom.contains(&call.as_str()) {
                    true => "custom_tool_call_output",
                    false => "function_call_output",
                };
                self.items.push(of(kind, &[("call_id", call), ("output", &parts::output(content, place)?)]));
            }
        }
        Ok(())
    }

    /// Kept items. A call among them has the id that the thread knows it by: it is the call of the same id, else the
    /// next one that no item is of. Calls of which nothing was kept stand behind them.
    fn as_kept(&mut self, items: &[Value], calls: &'a [Call]) {
        self.kept = true;
        let items: Vec<&Map<String, Value>> = items.iter().filter_map(Value::as_object).collect();
        let ids: Vec<&str> = items.iter().filter(|item| is_call(item)).map(|item| text_of(item, "call_id")).collect();
        let (mut same, mut renamed): (Vec<&Call>, VecDeque<&Call>) = (Vec::new(), VecDeque::new());
        for call in calls {
            if ids.contains(&&*call.id) { same.push(call) } else { renamed.push_back(call) }
        }
        for item in items {
            let mut item = item.clone();
            if is_call(&item) {
                let known = same.iter().position(|call| call.id == text_of(&item, "call_id"));
                // A call that the thread does not know has no result, and would be refused.
                let Some(call) = known.map(|at| same.remove(at)).or_else(|| renamed.pop_front()) else { continue };
                if text_of(&item, "type") == "custom_tool_call" {
                    self.custom.push(&call.id);
                }
                item.insert("call_id".to_owned(), Value::from(&*call.id));
            }
            self.items.push(Raw(json::text(&item)));
        }
        self.items.extend(renamed.into_iter().map(called));
    }
}

fn is_call(item: &Map<String, Value>) -> bool {
    matches!(text_of(item, "type"), "function_call" | "custom_tool_call")
}

fn message(role: &str, text: &str) -> Raw {
    of("message", &[("role", &role), ("content", &text)])
}

fn message_of(role: &str, content: &[Raw]) -> Raw {
    of("message", &[("role", &role), ("content", &content)])
}

/// Services parse the arguments, so a call without any has an empty object.
fn called(call: &Call) -> Raw {
    let arguments = if call.arguments.trim().is_empty() { "{}" } else { &call.arguments };
    of("function_call", &[("call_id", &call.id), ("name", &call.name), ("arguments", &arguments)])
}

fn tool(tool: &Tool) -> Raw {
    Raw(json::object(|object| {
        object.field("type", &"function").field("name", &tool.name);
        if !tool.description.is_empty() {
            object.field("description", &tool.description);
        }
        match &tool.parameters {
            Some(parameters) => object.field("parameters", parameters),
            None => object.field("parameters", &Raw(r#"{"type":"object","properties":{}}"#.to_owned())),
        };
        object.field("strict", &false);
    }))
}

fn choice(choice: &ToolChoice) -> Raw {
    match choice {
        ToolChoice::Auto => Raw(json::text(&"auto")),
        ToolChoice::None => Raw(json::text(&"none")),
        ToolChoice::Required => Raw(json::text(&"required")),
        ToolChoice::Function(name) => of("function", &[("name", name)]),
    }
}

/// How the model is to answer. Summaries of its reasoning are asked for only of one that is told to reason.
fn write(settings: &Settings, body: &mut Object<'_>) {
    body.fields(&[
        ("temperature", &settings.temperature),
        ("top_p", &settings.top_p),
        ("max_output_tokens", &settings.max_output),
    ]);
    if let Some(form) = &settings.form {
        body.object("text", |text| {
            text.field(
                "format",
                &match form {
                    TextForm::Json => of("json_object", &[]),
                    TextForm::Schema { name, schema, strict } => {
                        of("json_schema", &[("name", name), ("schema", schema), ("strict", strict)])
                    }
                },
            );
        });
    }
    if let Some(effort) = &settings.effort {
        body.object("reasoning", |reasoning| {
            reasoning.field("effort", effort);
            if effort != "none" {
                reasoning.field("summary", &"auto");
            }
        });
    }
}
