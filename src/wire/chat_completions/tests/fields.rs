use super::*;
use crate::input::{Settings, TextForm, ToolChoice};
use crate::wire::Form;
use proptest::prelude::*;

#[test]
fn the_smallest_request() {
    let asked = read(&json!({"messages": [{"role": "user", "content": "Hi"}]})).unwrap();
    assert_eq!((asked.form, asked.usage, asked.previous), (Form::Whole, false, None));
    let input = asked.input;
    assert_eq!((input.run.as_str(), input.thread.as_str()), ("run-1", "run-1"));
    assert_eq!((input.model, input.settings, input.tools.len()), (None, Settings::default(), 0));
    assert!(input.resume.is_empty() && input.context.is_empty() && input.echo.request.is_none());
    assert_eq!(input.echo.messages, [json!({"id": "run-1-i-1", "role": "user", "content": "Hi"})]);
    let named = Names { run: "r", thread: Some("t") };
    let body = with(json!({})).to_string();
    assert_eq!(parse(body.as_bytes(), &named, &Limits::default()).unwrap().input.thread, "t");
}

#[test]
fn how_the_answer_is_sent() {
    let asked = |fields| read(&with(fields)).unwrap();
    assert_eq!(asked(json!({"stream": true})).form, Form::Stream);
    assert_eq!(asked(json!({"stream": false})).form, Form::Whole);
    assert!(asked(json!({"stream": true, "stream_options": {"include_usage": true}})).usage);
    assert!(!asked(json!({"stream": true, "stream_options": {"include_usage": false}})).usage);
    assert!(!asked(json!({"stream": true, "stream_options": {"include_obfuscation": false}})).usage);
    assert!(!asked(json!({"stream": null, "stream_options": null})).usage);
}

#[test]
fn how_the_model_is_to_answer() {
    let settings = |fields| read(&with(fields)).unwrap().input.settings;
    let all = settings(json!({
        "temperature": 0.5, "top_p": 1, "max_tokens": 5, "max_completion_tokens": 9, "stop": ["a", "b"], "seed": -3,
        "parallel_tool_calls": false, "reasoning_effort": "low", "presence_penalty": -1.5, "frequency_penalty": 2,
        "tool_choice": "required", "response_format": {"type": "json_object"},
    }));
    let expected = Settings {
        temperature: json!(0.5).as_number().cloned(),
        top_p: json!(1).as_number().cloned(),
        max_output: Some(9),
        stop: vec!["a".into(), "b".into()],
        tool_choice: Some(ToolChoice::Required),
        parallel_calls: Some(false),
        form: Some(TextForm::Json),
        effort: Some("low".into()),
        seed: Some(-3),
        presence_penalty: json!(-1.5).as_number().cloned(),
        frequency_penalty: json!(2).as_number().cloned(),
    };
    assert_eq!(all, expected);
    assert_eq!(settings(json!({"max_tokens": 5})).max_output, Some(5));
    assert_eq!(settings(json!({"stop": "end"})).stop, ["end"]);
    let choice = |choice: Value| settings(json!({ "tool_choice": choice })).tool_choice;
    assert_eq!(choice(json!("auto")), Some(ToolChoice::Auto));
    assert_eq!(choice(json!("none")), Some(ToolChoice::None));
    let named = Some(ToolChoice::Function("pick".into()));
    assert_eq!(choice(json!({"type": "function", "function": {"name": "pick"}})), named);
    let form = |form: Value| settings(json!({ "response_format": form })).form;
    assert_eq!(form(json!({"type": "text"})), None);
    let schema = json!({"type": "object"});
    let expected = TextForm::Schema { name: "out".into(), schema: schema.clone(), strict: Some(true) };
    let asked = json!({"type": "json_schema", "json_schema": {"name": "out", "schema": schema, "strict": true}});
    assert_eq!(form(asked), Some(expected));
}

#[test]
fn what_changes_nothing_in_the_answer_is_ignored() {
    let plain = read(&with(json!({}))).unwrap();
    let ignored = json!({
        "user": "u", "metadata": {"a": "b"}, "store": true, "service_tier": "flex", "safety_identifier": "s",
        "prompt_cache_key": "k", "prediction": {"type": "content", "content": ""}, "something_new": [1],
        "n": 1, "logprobs": false, "top_logprobs": 0, "logit_bias": {}, "modalities": ["text"], "verbosity": "medium",
        "audio": null, "web_search_options": null,
    });
    assert_eq!(read(&with(ignored)).unwrap(), plain);
}

#[test]
fn what_the_client_would_miss_is_refused_by_name() {
    let cases = [
        (json!({"n": 2}), "n must be 1: there is one answer."),
        (json!({"n": 0}), "n must be 1: there is one answer."),
        (json!({"n": "1"}), "n must be 1: there is one answer."),
        (json!({"logprobs": true}), "logprobs must be false: log probabilities are not supported."),
        (json!({"top_logprobs": 3}), "top_logprobs must be 0: log probabilities are not supported."),
        (json!({"logit_bias": {"50256": -100}}), "logit_bias must be empty: it is not supported."),
        (json!({"modalities": ["text", "audio"]}), "modalities must be [\"text\"]: nothing else is supported."),
        (json!({"audio": {"voice": "v"}}), "audio must be left out: sound is not supported."),
        (
            json!({"web_search_options": {}}),
            "web_search_options must be left out: searching is the provider's own affair.",
        ),
        (json!({"functions": []}), "functions must be left out: tools have taken their place."),
        (json!({"function_call": "auto"}), "function_call must be left out: tool_choice has taken its place."),
        (json!({"verbosity": "low"}), "verbosity must be medium: no other is supported."),
    ];
    for (fields, detail) in cases {
        assert_eq!(refused(&with(fields)), ("invalid_input", detail.to_owned()));
    }
}

#[test]
fn a_field_of_the_wrong_form_is_named() {
    let tool = |function: Value| json!({"tools": [{"type": "function", "function": function}]});
    let cases = [
        (json!({"messages": null}), "messages must be an array."),
        (json!({"messages": []}), "messages must not be empty."),
        (json!({"model": 7}), "model must be a string."),
        (json!({"model": ""}), "model must not be empty."),
        (json!({"stream": "yes"}), "stream must be a boolean."),
        (json!({"stream_options": true}), "stream_options must be an object."),
        (json!({"stream_options": {"include_usage": 1}}), "stream_options.include_usage must be a boolean."),
        (json!({"temperature": "hot"}), "temperature must be a number."),
        (json!({"top_p": []}), "top_p must be a number."),
        (json!({"max_tokens": 0}), "max_tokens must be an integer above 0."),
        (json!({"max_completion_tokens": 1.5}), "max_completion_tokens must be an integer above 0."),
        (json!({"seed": 0.5}), "seed must be an integer."),
        (json!({"stop": 7}), "stop must be a string or an array of strings."),
        (json!({"stop": ["a", 7]}), "stop[1] must be a string."),
        (json!({"stop": vec!["a"; 17]}), "stop must hold at most 16 items."),
        (json!({"reasoning_effort": 3}), "reasoning_effort must be a string."),
        (json!({"parallel_tool_calls": 1}), "parallel_tool_calls must be a boolean."),
        (json!({"presence_penalty": "1"}), "presence_penalty must be a number."),
        (json!({"frequency_penalty": {}}), "frequency_penalty must be a number."),
        (json!({"tool_choice": "any"}), "tool_choice must be one of auto, none, required, or name a function."),
        (json!({"tool_choice": {"type": "custom"}}), "tool_choice.type must be function."),
        (json!({"tool_choice": {"type": "function"}}), "tool_choice.function is required."),
        (
            json!({"response_format": {"type": "grammar"}}),
            "response_format.type must be one of text, json_object, json_schema.",
        ),
        (json!({"response_format": {"type": "json_schema"}}), "response_format.json_schema is required."),
        (
            json!({"response_format": {"type": "json_schema", "json_schema": {"name": "a"}}}),
            "response_format.json_schema.schema is required.",
        ),
        (json!({"tools": {}}), "tools must be an array."),
        (json!({"tools": [{"type": "custom"}]}), "tools[0].type must be function: no other kind of tool is supported."),
        (tool(json!({})), "tools[0].function.name is required."),
        (tool(json!({"name": "a", "description": 1})), "tools[0].function.description must be a string."),
        (tool(json!({"name": "a", "parameters": "{}"})), "tools[0].function.parameters must be an object."),
        (
            json!({"tools": [{"type": "function", "function": {"name": "a"}}, {"type": "function", "function": {"name": "a"}}]}),
            "tools[1].function.name must not be the name of another tool.",
        ),
    ];
    for (fields, detail) in cases {
        assert_eq!(refused(&with(fields)), ("invalid_input", detail.to_owned()));
    }
    assert_eq!(refused(&json!([])), ("invalid_input", "the body must be an object.".into()));
    assert_eq!(refused(&json!({"model": "m"})), ("invalid_input", "messages is required.".into()));
}

#[test]
fn the_tools_of_the_client() {
    let body = with(json!({
        "tools": [
            {"type": "function", "function": {"name": "a", "description": "A.", "parameters": {"type": "object"}, "strict": true}},
            {"type": "function", "function": {"name": "b"}},
            {"type": "function", "function": {"name": "lastword_approval", "parameters": {}}},
        ],
    }));
    let tools = read(&body).unwrap().input.tools;
    let told: Vec<_> = tools.iter().map(|tool| (tool.name.as_str(), tool.description.as_str())).collect();
    assert_eq!(told, [("a", "A."), ("b", "")], "approvals are no business of the model's");
    assert_eq!(tools[0].parameters, Some(json!({"type": "object"})));
    assert_eq!(tools[1].parameters, None);
}

#[test]
fn a_body_past_its_bounds_is_refused_before_it_is_read() {
    let (loose, tight) = (Limits::default(), Limits { body: 8, ..Limits::default() });
    let refused = |body: &[u8], limits| parse(body, &names(), limits).unwrap_err().code();
    assert_eq!(refused(b"{\"a\": \"bc\"}", &tight), "body_too_large");
    assert_eq!(refused(b"{", &loose), "malformed_json");
    assert_eq!(refused("[".repeat(99).as_bytes(), &loose), "invalid_input");
}

proptest! {
    #[test]
    fn any_bytes_are_understood_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = parse(&bytes, &names(), &Limits::default());
    }

    #[test]
    fn any_value_in_any_place_is_understood_or_refused(
        value in prop_oneof![Just(json!(null)), Just(json!("")), Just(json!(7)), Just(json!([])), Just(json!({})), Just(json!([{}])), Just(json!(true))],
        at in 0usize..29,
    ) {
        let places = [
            "/messages", "/messages/0", "/messages/0/role", "/messages/0/content", "/messages/0/content/0",
            "/messages/0/content/0/type", "/messages/0/content/1/image_url", "/messages/0/content/1/image_url/url",
            "/messages/0/content/2/input_audio", "/messages/0/content/3/file", "/messages/1/content",
            "/messages/1/tool_calls", "/messages/1/tool_calls/0", "/messages/1/tool_calls/0/id",
            "/messages/1/tool_calls/0/function", "/messages/1/tool_calls/0/function/arguments",
            "/messages/2/tool_call_id", "/messages/2/content", "/messages/3/function_call", "/messages/4/content",
            "/tools", "/tools/0", "/tools/0/function", "/tool_choice", "/response_format", "/stop", "/stream_options",
            "/n", "/model",
        ];
        let mut body = with(json!({
            "messages": [
                {"role": "user", "content": [
                    {"type": "text", "text": "a"},
                    {"type": "image_url", "image_url": {"url": "https://a.example"}},
                    {"type": "input_audio", "input_audio": {"data": "QQ==", "format": "wav"}},
                    {"type": "file", "file": {"file_id": "f"}},
                ]},
                {"role": "assistant", "content": null, "tool_calls": [{"id": "c", "type": "function", "function": {"name": "a", "arguments": "{}"}}]},
                {"role": "tool", "tool_call_id": "c", "content": "1"},
                {"role": "assistant", "content": null, "function_call": {"name": "a", "arguments": "{}"}},
                {"role": "function", "name": "a", "content": "2"},
            ],
            "tools": [{"type": "function", "function": {"name": "a"}}], "tool_choice": "auto", "stop": "x",
            "response_format": {"type": "text"}, "stream_options": {}, "n": 1,
        }));
        prop_assert!(read(&body).is_ok());
        *body.pointer_mut(places[at]).unwrap() = value;
        if let Err(error) = read(&body) {
            prop_assert_eq!(error.code(), "invalid_input");
            prop_assert!(error.detail().is_some());
        }
    }
}
