//! How the model is to answer, as the format says it.

use crate::input::{Settings, TextForm, ToolChoice};
use crate::json::{self, Object, Raw};

/// Writes what the client has said; all else is the service's choice. What is about tools is left out where there are
/// none: services refuse it then.
pub(super) fn write(settings: &Settings, model: &str, has_tools: bool, body: &mut Object<'_>) {
    let limit = if takes_new_limit(model) { "max_completion_tokens" } else { "max_tokens" };
    body.fields(&[
        ("temperature", &settings.temperature),
        ("top_p", &settings.top_p),
        (limit, &settings.max_output),
        ("seed", &settings.seed),
        ("presence_penalty", &settings.presence_penalty),
        ("frequency_penalty", &settings.frequency_penalty),
        ("reasoning_effort", &settings.effort),
        ("response_format", &settings.form.as_ref().map(form)),
    ]);
    body.list("stop", &settings.stop);
    if has_tools {
        body.field("tool_choice", &settings.tool_choice.as_ref().map(choice));
        body.field("parallel_tool_calls", &settings.parallel_calls);
    }
}

/// OpenAI's own models know the output limit by its new name, and the newer of them refuse the old one, which is the
/// only one that many compatible services know.
fn takes_new_limit(model: &str) -> bool {
    let name = model.rsplit('/').next().unwrap_or(model);
    let numbered = name.strip_prefix('o').is_some_and(|rest| rest.starts_with(|digit: char| digit.is_ascii_digit()));
    numbered || name.starts_with("gpt-") && !name.starts_with("gpt-oss") || name.starts_with("chatgpt-")
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

fn form(form: &TextForm) -> Raw {
    Raw(json::object(|object| match form {
        TextForm::Json => {
            object.field("type", &"json_object");
        }
        TextForm::Schema { name, schema, strict } => {
            object.field("type", &"json_schema").object("json_schema", |inner| {
                inner.fields(&[("name", name), ("schema", schema), ("strict", strict)]);
            });
        }
    }))
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn written(settings: &Settings, model: &str, has_tools: bool) -> Value {
        serde_json::from_str(&json::object(|body| write(settings, model, has_tools, body))).unwrap()
    }

    #[test]
    fn all_that_a_client_can_say_is_said_and_nothing_else() {
        assert_eq!(written(&Settings::default(), "m", true), json!({}));
        let number = |value: Value| value.as_number().cloned();
        let schema = json!({"type": "object"});
        let all = Settings {
            temperature: number(json!(0.5)),
            top_p: number(json!(1)),
            max_output: Some(9),
            stop: vec!["a".into()],
            tool_choice: Some(ToolChoice::Required),
            parallel_calls: Some(false),
            form: Some(TextForm::Schema { name: "out".into(), schema: schema.clone(), strict: Some(true) }),
            effort: Some("low".into()),
            seed: Some(-3),
            presence_penalty: number(json!(-1)),
            frequency_penalty: number(json!(2)),
        };
        let mut expected = json!({
            "temperature": 0.5, "top_p": 1, "max_tokens": 9, "stop": ["a"], "reasoning_effort": "low", "seed": -3,
            "presence_penalty": -1, "frequency_penalty": 2, "tool_choice": "required", "parallel_tool_calls": false,
            "response_format": {"type": "json_schema", "json_schema": {"name": "out", "schema": schema, "strict": true}},
        });
        assert_eq!(written(&all, "m", true), expected);
        for about_tools in ["tool_choice", "parallel_tool_calls"] {
            expected.as_object_mut().unwrap().remove(about_tools);
        }
        assert_eq!(written(&all, "m", false), expected);
    }

    #[test]
    fn every_choice_and_form() {
        let tools =
            |tool_choice| written(&Settings { tool_choice: Some(tool_choice), ..Settings::default() }, "m", true);
        assert_eq!(tools(ToolChoice::Auto), json!({"tool_choice": "auto"}));
        assert_eq!(tools(ToolChoice::None), json!({"tool_choice": "none"}));
        let named = json!({"tool_choice": {"type": "function", "function": {"name": "pick"}}});
        assert_eq!(tools(ToolChoice::Function("pick".into())), named);
        let form = Settings { form: Some(TextForm::Json), ..Settings::default() };
        assert_eq!(written(&form, "m", false), json!({"response_format": {"type": "json_object"}}));
    }

    #[test]
    fn the_limit_has_the_name_that_the_models_service_knows() {
        let settings = Settings { max_output: Some(9), ..Settings::default() };
        for new in ["gpt-5.5", "openai/gpt-4o-mini", "o3", "o4-mini", "chatgpt-4o-latest"] {
            assert_eq!(written(&settings, new, false), json!({"max_completion_tokens": 9}), "{new}");
        }
        for old in ["deepseek-chat", "gpt-oss-120b", "openai/gpt-oss-20b", "llama-3.3-70b", "olmo-2", "test-model", ""]
        {
            assert_eq!(written(&settings, old, false), json!({"max_tokens": 9}), "{old}");
        }
    }
}
