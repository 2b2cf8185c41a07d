//! What Workers AI is asked.

use crate::Error;
use crate::input::{TextForm, ToolChoice};
use crate::json::{self, Raw};
use crate::provider::{Ask, chat_completions};

/// The body of a run, which is the inputs of the binding too: the messages as Chat Completions has them, without
/// the model's name, which is in the address. Where the format is the platform's own it knows no `tool_choice`,
/// `stop` and such; models that know them get them.
///
/// # Errors
/// [`crate::ErrorKind::UnsupportedPart`] as of [`chat_completions::request`].
pub fn request(ask: &Ask<'_>) -> Result<String, Error> {
    let messages = chat_completions::messages(ask)?;
    let settings = &ask.input.settings;
    Ok(json::object(|body| {
        body.fields(&[("messages", &messages), ("stream", &true)]);
        body.list("tools", &ask.input.tools);
        body.fields(&[
            ("max_tokens", &settings.max_output),
            ("temperature", &settings.temperature),
            ("top_p", &settings.top_p),
            ("seed", &settings.seed),
            ("presence_penalty", &settings.presence_penalty),
            ("frequency_penalty", &settings.frequency_penalty),
            ("reasoning_effort", &settings.effort),
            ("parallel_tool_calls", &settings.parallel_calls),
            ("tool_choice", &settings.tool_choice.as_ref().map(choice)),
            ("response_format", &settings.form.as_ref().map(form)),
        ]);
        body.list("stop", &settings.stop);
    }))
}

fn choice(choice: &ToolChoice) -> Raw {
    Raw(match choice {
        ToolChoice::Auto => json::text(&"auto"),
        ToolChoice::None => json::text(&"none"),
        ToolChoice::Required => json::text(&"required"),
        ToolChoice::Function(name) => json::object(|choice| {
            choice.field("type", &"function").object("function", |function| {
                function.field("name", name);
            });
        }),
    })
}

/// The platform has the schema itself where Chat Completions has an object around it.
fn form(form: &TextForm) -> Raw {
    Raw(match form {
        TextForm::Json => json::object(|form| {
            form.field("type", &"json_object");
        }),
        TextForm::Schema { schema, .. } => json::object(|form| {
            form.fields(&[("type", &"json_schema"), ("json_schema", schema)]);
        }),
    })
}
