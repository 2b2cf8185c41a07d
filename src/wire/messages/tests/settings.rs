//! How the model is to answer.

use super::{parse, with};
use crate::input::{Settings, TextForm, Tool, ToolChoice};
use serde_json::{Number, Value, json};

fn settings(members: Value) -> Settings {
    Settings { max_output: None, ..parse(&with(members)).unwrap().input.settings }
}

fn number(number: f64) -> Option<Number> {
    Number::from_f64(number)
}

#[test]
fn what_is_left_out_the_provider_decides() {
    let nulls = json!({"temperature": null, "top_p": null, "stop_sequences": null, "tool_choice": null, "thinking": null,
        "output_config": null, "output_format": null, "stream": null, "container": null, "mcp_servers": [], "top_k": null});
    assert_eq!(settings(nulls), Settings::default());
    assert_eq!(parse(&with(json!({"max_tokens": null}))).unwrap().input.settings.max_output, None);
}

#[test]
fn sampling_and_stops() {
    let asked = settings(json!({"temperature": 0.5, "top_p": 0.25, "top_k": 40, "stop_sequences": ["END", "\n"]}));
    let stop = vec!["END".to_owned(), "\n".to_owned()];
    assert_eq!(asked, Settings { temperature: number(0.5), top_p: number(0.25), stop, ..Settings::default() });
}

#[test]
fn whether_tools_may_be_called() {
    for (choice, means) in [
        (json!({"type": "auto"}), ToolChoice::Auto),
        (json!({"type": "any"}), ToolChoice::Required),
        (json!({"type": "none"}), ToolChoice::None),
        (json!({"type": "tool", "name": "look"}), ToolChoice::Function("look".into())),
    ] {
        let asked = settings(json!({"tool_choice": choice}));
        assert_eq!(asked, Settings { tool_choice: Some(means), ..Settings::default() });
    }
    for (single, parallel) in [(json!(true), Some(false)), (json!(false), Some(true)), (Value::Null, None)] {
        let asked = settings(json!({"tool_choice": {"type": "auto", "disable_parallel_tool_use": single}}));
        assert_eq!(asked.parallel_calls, parallel);
    }
}

#[test]
fn a_budget_of_thinking_is_an_effort_unless_one_is_named() {
    for (budget, effort) in [(1, "low"), (4_095, "low"), (4_096, "medium"), (16_383, "medium"), (16_384, "high")] {
        let thinking = json!({"type": "enabled", "budget_tokens": budget});
        assert_eq!(settings(json!({"thinking": thinking})).effort.as_deref(), Some(effort), "{budget}");
        let both = settings(json!({"thinking": thinking, "output_config": {"effort": "max"}}));
        assert_eq!(both.effort.as_deref(), Some("max"));
    }
    for kind in ["disabled", "adaptive"] {
        assert_eq!(settings(json!({"thinking": {"type": kind}})).effort, None);
    }
}

#[test]
fn the_form_of_the_text() {
    let format = json!({"type": "json_schema", "schema": {"type": "object"}});
    let form = TextForm::Schema { name: "answer".into(), schema: json!({"type": "object"}), strict: Some(true) };
    for members in [json!({"output_config": {"format": format}}), json!({"output_format": format})] {
        assert_eq!(settings(members).form, Some(form.clone()));
    }
}

#[test]
fn the_clients_own_tools() {
    let tools = json!([
        {"name": "look", "description": "Looks.", "input_schema": {"type": "object"}, "cache_control": {"type": "ephemeral"}},
        {"type": "custom", "name": "pick", "input_schema": {"type": "object", "properties": {"n": {}}}, "strict": true},
        {"name": "lastword_approval", "input_schema": {"type": "object"}},
    ]);
    let tool = |name: &str, description: &str, parameters: Value| Tool {
        name: name.into(),
        description: description.into(),
        parameters: Some(parameters),
    };
    let expected = [
        tool("look", "Looks.", json!({"type": "object"})),
        tool("pick", "", json!({"type": "object", "properties": {"n": {}}})),
    ];
    assert_eq!(parse(&with(json!({"tools": tools}))).unwrap().input.tools, expected);
}
