//! What is refused, by the name of its field.

use super::{NAMES, parse, with};
use crate::ErrorKind;
use crate::wire::agui::Limits;
use proptest::prelude::*;
use serde_json::{Value, json};

/// The detail of the refusal.
fn detail(body: &Value) -> String {
    let error = parse(body).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidInput, "{error}");
    error.detail().unwrap().to_owned()
}

fn members(members: Value) -> String {
    detail(&with(members))
}

/// The same of a block that a person, or the assistant, says.
fn block(role: &str, block: Value) -> String {
    members(json!({"messages": [{"role": role, "content": [block]}]}))
}

#[test]
fn what_must_be_there() {
    for (key, said) in [("model", "model is required."), ("messages", "messages is required.")] {
        let mut body = with(json!({}));
        body.as_object_mut().unwrap().remove(key);
        assert_eq!(detail(&body), said);
    }
    assert_eq!(detail(&json!([])), "the body must be an object.");
    assert_eq!(members(json!({"model": ""})), "model must not be empty.");
    assert_eq!(members(json!({"messages": []})), "messages must not be empty.");
    assert_eq!(members(json!({"messages": [{"content": "Hi"}]})), "messages[0].role is required.");
    assert_eq!(members(json!({"messages": [{"role": "user"}]})), "messages[0].content is required.");
    let content = |content: Value| members(json!({"messages": [{"role": "user", "content": content}]}));
    assert_eq!(content(json!(7)), "messages[0].content must be a string or an array of blocks.");
    assert_eq!(content(json!([{"text": "Hi"}])), "messages[0].content[0].type is required.");
    let role = members(json!({"messages": [{"role": "tool", "content": ""}]}));
    assert_eq!(role, "messages[0].role must be one of user, assistant, system.");
}

#[test]
fn what_the_client_would_miss() {
    let tool = members(json!({"tools": [{"type": "web_search_20260318", "name": "web_search"}]}));
    assert_eq!(tool, "tools[0].type must be custom: tools of the service's own are not supported.");
    assert!(members(json!({"container": "c"})).starts_with("container must be left out"));
    assert!(members(json!({"mcp_servers": [{"type": "url"}]})).starts_with("mcp_servers must be empty"));
    let source = json!({"type": "text", "media_type": "text/plain", "data": "x"});
    let cited = block("user", json!({"type": "document", "source": source, "citations": {"enabled": true}}));
    assert_eq!(cited, "messages[0].content[0].citations must not be enabled: answers carry none.");
    for kind in ["search_result", "container_upload", "server_tool_use", "tool_use", "thinking"] {
        let said = block("user", json!({"type": kind}));
        assert!(said.starts_with("messages[0].content[0].type must be one of text, image, document"), "{said}");
    }
    for kind in ["server_tool_use", "web_search_tool_result", "code_execution_tool_result", "image"] {
        let said = block("assistant", json!({"type": kind}));
        assert!(said.starts_with("messages[0].content[0].type must be one of text, tool_use"), "{said}");
    }
    let found = json!({"type": "tool_result", "tool_use_id": "c", "content": [{"type": "tool_reference"}]});
    assert!(block("user", found).starts_with("messages[0].content[0].content[0].type must be"));
}

#[test]
fn each_field_by_its_name() {
    for (wrong, said) in [
        (json!({"system": 7}), "system must be a string or an array of blocks."),
        (json!({"system": [{"type": "image"}]}), "system[0].type must be text."),
        (json!({"stream": "yes"}), "stream must be a boolean."),
        (json!({"metadata": "u"}), "metadata must be an object."),
        (json!({"max_tokens": 0}), "max_tokens must be an integer above 0."),
        (json!({"max_tokens": "64"}), "max_tokens must be an integer above 0."),
        (json!({"temperature": "hot"}), "temperature must be a number."),
        (json!({"top_p": []}), "top_p must be a number."),
        (json!({"top_k": "many"}), "top_k must be a number."),
        (json!({"stop_sequences": "x"}), "stop_sequences must be an array."),
        (json!({"stop_sequences": [7]}), "stop_sequences[0] must be a string."),
        (json!({"stop_sequences": vec!["x"; 17]}), "stop_sequences must hold at most 16 items."),
        (json!({"tool_choice": "auto"}), "tool_choice must be an object."),
        (json!({"tool_choice": {"type": "x"}}), "tool_choice.type must be one of auto, any, tool, none."),
        (json!({"tool_choice": {"type": "tool"}}), "tool_choice.name is required."),
        (json!({"thinking": {"type": "enabled"}}), "thinking.budget_tokens is required."),
        (json!({"thinking": {}}), "thinking.type is required."),
        (json!({"output_config": {"effort": 7}}), "output_config.effort must be a string."),
        (json!({"output_config": {"format": {"type": "text"}}}), "output_config.format.type must be json_schema."),
        (json!({"output_format": {"type": "json_schema"}}), "output_format.schema is required."),
        (json!({"tools": {}}), "tools must be an array."),
        (json!({"tools": [{"name": "a"}]}), "tools[0].input_schema is required."),
        (json!({"tools": [{"name": "a", "input_schema": 7}]}), "tools[0].input_schema must be an object."),
        (json!({"tools": [{"input_schema": {}}]}), "tools[0].name is required."),
    ] {
        assert_eq!(members(wrong.clone()), said, "{wrong}");
    }
    let twice = json!({"name": "a", "input_schema": {}});
    assert_eq!(members(json!({"tools": [twice, twice]})), "tools[1].name must not be the name of another tool.");
}

#[test]
fn each_field_of_a_block_by_its_name() {
    let at = "messages[0].content[0]";
    for (role, wrong, said) in [
        ("user", json!({"type": "text"}), ".text is required."),
        ("user", json!({"type": "image"}), ".source is required."),
        (
            "user",
            json!({"type": "image", "source": {"type": "text"}}),
            ".source.type must be one of base64, url, file.",
        ),
        ("user", json!({"type": "image", "source": {"type": "base64", "data": ""}}), ".source.media_type is required."),
        ("user", json!({"type": "image", "source": {"type": "url"}}), ".source.url is required."),
        ("user", json!({"type": "image", "source": {"type": "file"}}), ".source.file_id is required."),
        (
            "user",
            json!({"type": "document", "source": {"type": "x"}}),
            ".source.type must be one of base64, url, file, text, content.",
        ),
        ("user", json!({"type": "tool_result"}), ".tool_use_id is required."),
        ("user", json!({"type": "tool_result", "tool_use_id": "c", "is_error": 1}), ".is_error must be a boolean."),
        ("assistant", json!({"type": "tool_use", "name": "look"}), ".id is required."),
        ("assistant", json!({"type": "tool_use", "id": "c"}), ".name is required."),
        ("assistant", json!({"type": "text", "text": 7}), ".text must be a string."),
    ] {
        assert_eq!(block(role, wrong.clone()), format!("{at}{said}"), "{wrong}");
    }
}

#[test]
fn what_is_no_json_or_past_a_bound() {
    let limits = Limits { messages: 1, parts: 1, ..Limits::default() };
    let parse = |body: &[u8]| super::super::parse(body, &NAMES, &limits);
    assert_eq!(parse(b"{").unwrap_err().kind(), ErrorKind::MalformedJson);
    let large = vec![b' '; limits.body + 1];
    assert_eq!(parse(&large).unwrap_err().kind(), ErrorKind::BodyTooLarge);
    let hi = json!({"role": "user", "content": "Hi"});
    let many = with(json!({"messages": [hi, hi]})).to_string();
    assert!(parse(many.as_bytes()).unwrap_err().message().contains("messages must hold at most 1 items"));
    let half = br#"{"model":"m","messages":[{"role":"user","content":"a\ud83d"}]}"#;
    assert!(parse(half).is_ok(), "half a pair, as browsers send it");
}

fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        prop_oneof![Just("text"), Just("user"), Just("tool_result"), Just("tool_use"), Just("approval_x")]
            .prop_map(Value::from),
    ];
    let key = prop_oneof![
        Just("type"),
        Just("text"),
        Just("content"),
        Just("role"),
        Just("source"),
        Just("tool_use_id"),
        Just("id"),
        Just("name"),
        Just("input"),
        Just("input_schema"),
        Just("is_error"),
    ];
    leaf.prop_recursive(4, 24, 4, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((key.clone(), inner), 0..5).prop_map(|members| Value::Object(
                members.into_iter().map(|(key, value)| (key.into(), value)).collect()
            )),
        ]
    })
}

proptest! {
    #[test]
    fn any_bytes_are_answered(body in prop::collection::vec(any::<u8>(), 0..400)) {
        let _ = super::super::parse(&body, &NAMES, &Limits::default());
    }

    #[test]
    fn any_json_in_a_field_is_answered(
        key in prop_oneof![
            Just("messages"), Just("system"), Just("tools"), Just("tool_choice"), Just("thinking"), Just("output_config"),
            Just("stop_sequences"), Just("max_tokens"), Just("stream"),
        ],
        value in json(),
    ) {
        match parse(&with(json!({key: value}))) {
            Ok(asked) => prop_assert_eq!(asked.input.fingerprint.len(), 64),
            Err(error) => prop_assert_eq!(error.code(), "invalid_input"),
        }
    }

    #[test]
    fn any_blocks_are_answered(role in prop_oneof![Just("user"), Just("assistant"), Just("system")], content in json()) {
        if let Err(error) = parse(&with(json!({"messages": [{"role": role, "content": content}]}))) {
            prop_assert!(error.detail().unwrap().starts_with("messages"), "{}", error);
        }
    }
}
