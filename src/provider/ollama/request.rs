//! What Ollama is asked: the body of `POST /api/chat`.

use crate::Error;
use crate::input::{Call, Media, Message, Part, Source, TextForm, ToolChoice};
use crate::json::{self, Json, Raw, read};
use crate::positions::Positions;
use crate::provider::Ask;
use crate::provider::chat_completions::parts::{text_only, unsupported};
use crate::provider::chat_completions::request::{Entry, context, in_order};
use serde_json::Value;

/// The body of a call. A tool's result says of which tool it is, since calls may have no ids there. What a client
/// says of `tool_choice` the format knows only as tools or none.
///
/// # Errors
/// [`crate::ErrorKind::UnsupportedPart`] for any part but text and images in base64, and any but text in a tool's
/// result.
pub fn request(ask: &Ask<'_>) -> Result<String, Error> {
    let settings = &ask.input.settings;
    let names = Names::of(ask);
    let mut messages = Vec::new();
    messages.extend(context(&ask.input.context).map(|text| message("system", &text, &[])));
    for entry in in_order(ask) {
        messages.push(encode(&entry, &names)?);
    }
    Ok(json::object(|body| {
        body.fields(&[("model", &ask.model), ("messages", &messages), ("stream", &true)]);
        if settings.tool_choice != Some(ToolChoice::None) {
            body.list("tools", &ask.input.tools);
        }
        body.field("think", &settings.effort.as_deref().map(think));
        match &settings.form {
            Some(TextForm::Json) => body.field("format", &"json"),
            Some(TextForm::Schema { schema, .. }) => body.field("format", schema),
            None => body,
        };
        let options = json::object(|options| {
            options.fields(&[
                ("temperature", &settings.temperature),
                ("top_p", &settings.top_p),
                ("num_predict", &settings.max_output),
                ("seed", &settings.seed),
                ("presence_penalty", &settings.presence_penalty),
                ("frequency_penalty", &settings.frequency_penalty),
            ]);
            options.list("stop", &settings.stop);
        });
        if options.len() > "{}".len() {
            body.field("options", &Raw(options));
        }
    }))
}

/// `think` is a truth value or one of three levels.
fn think(effort: &str) -> Raw {
    Raw(match effort {
        "none" => "false".to_owned(),
        "low" | "medium" | "high" => json::text(&effort),
        "minimal" => json::text(&"low"),
        "xhigh" | "max" => json::text(&"high"),
        _ => "true".to_owned(),
    })
}

/// The names of the functions that were called, by the ids of the calls.
struct Names<'a> {
    calls: Vec<&'a Call>,
    by_id: Positions,
}

impl<'a> Names<'a> {
    fn of(ask: &Ask<'a>) -> Self {
        let calls: Vec<_> = ask.sent.iter().chain(ask.transcript).flat_map(Message::calls).collect();
        let mut by_id = Positions::default();
        calls.iter().enumerate().for_each(|(at, call)| by_id.insert(&call.id, at));
        Names { calls, by_id }
    }

    fn name(&self, id: &str) -> Option<String> {
        self.calls.get(self.by_id.of(id)?).map(|call| call.name.clone())
    }
}

fn encode(entry: &Entry<'_>, names: &Names<'_>) -> Result<Raw, Error> {
    Ok(match entry {
        Entry::Calls { texts, calls } => {
            let texts: Vec<&str> = texts.iter().copied().filter(|text| !text.is_empty()).collect();
            let calls: Vec<Raw> = calls.iter().map(|made| call(made)).collect();
            message("assistant", &texts.join("\n\n"), &[("tool_calls", &calls)])
        }
        Entry::One(_, Message::System(text)) => message("system", text, &[]),
        Entry::One(_, Message::Assistant { text, .. }) => message("assistant", text, &[]),
        Entry::One(place, Message::User(content)) => user(content, &place.to_string())?,
        Entry::One(place, Message::Tool { call, content }) => {
            let text = text_only(content, &place.to_string())?;
            message("tool", &text, &[("tool_name", &names.name(call)), ("tool_call_id", call)])
        }
    })
}

fn message(role: &str, content: &str, more: &[(&str, &dyn Json)]) -> Raw {
    Raw(json::object(|message| {
        message.fields(&[("role", &role), ("content", &content)]).fields(more);
    }))
}

/// Its texts, a line apart, and its images.
fn user(content: &[Part], place: &str) -> Result<Raw, Error> {
    let (mut texts, mut images) = (Vec::new(), Vec::new());
    for (at, part) in content.iter().enumerate() {
        match part {
            Part::Text(text) => texts.push(text.as_str()),
            Part::Media { kind: Media::Image, source: Source::Data { value, .. } } => images.push(value.as_str()),
            Part::Media { .. } => return Err(unsupported(place, at)),
        }
    }
    let images = Some(images).filter(|images| !images.is_empty());
    Ok(message("user", &texts.join("\n"), &[("images", &images)]))
}

/// The arguments are an object there. What a model wrote that is none is kept as a text in one.
fn call(call: &Call) -> Raw {
    let arguments = match read::read(call.arguments.as_bytes()) {
        Ok(Value::Object(arguments)) => json::text(&arguments),
        _ if call.arguments.trim().is_empty() => "{}".to_owned(),
        _ => json::object(|object| {
            object.field("arguments", &call.arguments);
        }),
    };
    Raw(json::object(|entry| {
        entry.field("id", &call.id).object("function", |function| {
            function.fields(&[("name", &call.name), ("arguments", &Raw(arguments))]);
        });
    }))
}
