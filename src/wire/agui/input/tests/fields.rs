//! One test a field: left out, or of the wrong type.

use super::*;

/// Takes the value at the pointer out of a good request, or puts another there, and says the detail.
fn with(pointer: &str, value: Option<Value>) -> Result<RunInput, String> {
    let mut body = whole();
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    let parent = body.pointer_mut(parent).unwrap();
    match (parent, value) {
        (Value::Array(items), Some(value)) => items[key.parse::<usize>().unwrap()] = value,
        (Value::Object(map), Some(value)) => drop(map.insert(key.to_owned(), value)),
        (Value::Object(map), None) => assert!(map.remove(key).is_some(), "{pointer} is not there"),
        _ => panic!("no {pointer}"),
    }
    parsed(&body).map_err(|error| {
        assert_eq!(error.code(), "invalid_input");
        error.detail().unwrap().to_owned()
    })
}

macro_rules! required {
    ($($name:ident: $pointer:literal, $path:literal, $wrong:expr, $demand:literal;)*) => {$(
        #[test]
        fn $name() {
            assert_eq!(with($pointer, None).unwrap_err(), concat!($path, " is required."));
            assert_eq!(with($pointer, Some($wrong)).unwrap_err(), concat!($path, " must ", $demand, "."));
            assert_eq!(with($pointer, Some(Value::Null)).unwrap_err(), concat!($path, " must ", $demand, "."));
        }
    )*};
}

/// An optional field: any wrong value is named, and null or nothing is accepted.
macro_rules! optional {
    ($($name:ident: $pointer:literal, $path:literal, $wrong:expr, $demand:literal;)*) => {$(
        #[test]
        fn $name() {
            assert_eq!(with($pointer, Some($wrong)).unwrap_err(), concat!($path, " must ", $demand, "."));
            with($pointer, Some(Value::Null)).unwrap();
        }
    )*};
}

required! {
    thread_id: "/threadId", "threadId", json!(1), "be a string";
    run_id: "/runId", "runId", json!({}), "be a string";
    messages: "/messages", "messages", json!({}), "be an array";
    message_id: "/messages/2/id", "messages[2].id", json!(7), "be a string";
    message_role: "/messages/2/role", "messages[2].role", json!(7), "be a string";
    developer_content: "/messages/0/content", "messages[0].content", json!([]), "be a string";
    system_content: "/messages/1/content", "messages[1].content", json!([]), "be a string";
    user_content: "/messages/2/content", "messages[2].content", json!(5), "be a string or an array of parts";
    reasoning_content: "/messages/3/content", "messages[3].content", json!([]), "be a string";
    tool_content: "/messages/5/content", "messages[5].content", json!({}), "be a string or an array of parts";
    tool_call_id: "/messages/5/toolCallId", "messages[5].toolCallId", json!(1), "be a string";
    activity_type: "/messages/6/activityType", "messages[6].activityType", json!(1), "be a string";
    activity_content: "/messages/6/content", "messages[6].content", json!("x"), "be an object";
    call_id: "/messages/4/toolCalls/0/id", "messages[4].toolCalls[0].id", json!(1), "be a string";
    call_type: "/messages/4/toolCalls/0/type", "messages[4].toolCalls[0].type", json!(1), "be a string";
    call_function: "/messages/4/toolCalls/0/function", "messages[4].toolCalls[0].function", json!("f"), "be an object";
    call_name: "/messages/4/toolCalls/0/function/name", "messages[4].toolCalls[0].function.name", json!(1), "be a string";
    call_arguments: "/messages/4/toolCalls/0/function/arguments", "messages[4].toolCalls[0].function.arguments", json!({}), "be a string";
    part_type: "/messages/8/content/0/type", "messages[8].content[0].type", json!(1), "be a string";
    part_text: "/messages/8/content/0/text", "messages[8].content[0].text", json!(1), "be a string";
    part_source: "/messages/8/content/1/source", "messages[8].content[1].source", json!("s"), "be an object";
    source_type: "/messages/8/content/1/source/type", "messages[8].content[1].source.type", json!(1), "be a string";
    source_value: "/messages/8/content/1/source/value", "messages[8].content[1].source.value", json!(1), "be a string";
    tool_name: "/tools/0/name", "tools[0].name", json!(1), "be a string";
    tool_description: "/tools/0/description", "tools[0].description", json!(1), "be a string";
    context_description: "/context/0/description", "context[0].description", json!(1), "be a string";
    context_value: "/context/0/value", "context[0].value", json!({}), "be a string";
}

optional! {
    protocol_version: "/protocolVersion", "protocolVersion", json!(1.0), "be a string";
    parent_run_id: "/parentRunId", "parentRunId", json!(1), "be a string";
    tools: "/tools", "tools", json!({}), "be an array";
    context: "/context", "context", json!("x"), "be an array";
    resume: "/resume", "resume", json!({}), "be an array";
    model: "/forwardedProps/model", "forwardedProps.model", json!(["m"]), "be a string";
    message_name: "/messages/2/name", "messages[2].name", json!(1), "be a string";
    message_metadata: "/messages/2/metadata", "messages[2].metadata", json!([]), "be an object";
    message_encrypted_value: "/messages/2/encryptedValue", "messages[2].encryptedValue", json!(1), "be a string";
    message_subagent: "/messages/2/subagentRunId", "messages[2].subagentRunId", json!(1), "be a string";
    assistant_content: "/messages/7/content", "messages[7].content", json!([]), "be a string";
    assistant_calls: "/messages/4/toolCalls", "messages[4].toolCalls", json!({}), "be an array";
    call_encrypted_value: "/messages/4/toolCalls/0/encryptedValue", "messages[4].toolCalls[0].encryptedValue", json!(1), "be a string";
    call_metadata: "/messages/4/toolCalls/0/metadata", "messages[4].toolCalls[0].metadata", json!("x"), "be an object";
    tool_metadata: "/tools/0/metadata", "tools[0].metadata", json!([]), "be an object";
    tool_error: "/messages/5/error", "messages[5].error", json!({}), "be a string";
    part_id: "/messages/8/content/0/id", "messages[8].content[0].id", json!(1), "be a string";
    url_media_type: "/messages/8/content/2/source/mimeType", "messages[8].content[2].source.mimeType", json!(1), "be a string";
    file_provider: "/messages/8/content/4/source/provider", "messages[8].content[4].source.provider", json!(1), "be a string";
}

#[test]
fn the_data_media_type_is_required() {
    let pointer = "/messages/8/content/1/source/mimeType";
    let path = "messages[8].content[1].source.mimeType";
    assert_eq!(with(pointer, None).unwrap_err(), format!("{path} is required."));
    assert_eq!(with(pointer, Some(json!(1))).unwrap_err(), format!("{path} must be a string."));
}

#[test]
fn what_must_be_an_object_is_named() {
    for (pointer, path) in [
        ("/messages/2", "messages[2]"),
        ("/messages/4/toolCalls/0", "messages[4].toolCalls[0]"),
        ("/messages/8/content/0", "messages[8].content[0]"),
        ("/tools/0", "tools[0]"),
        ("/context/0", "context[0]"),
    ] {
        assert_eq!(with(pointer, Some(json!("x"))).unwrap_err(), format!("{path} must be an object."));
    }
    assert_eq!(refused(&json!([])), ("invalid_input", "the body must be an object.".to_owned()));
}

#[test]
fn unknown_members_of_a_choice_are_refused() {
    for (pointer, detail) in [
        (
            "/messages/2/role",
            "messages[2].role must be one of developer, system, assistant, user, tool, activity, reasoning.",
        ),
        (
            "/messages/8/content/0/type",
            "messages[8].content[0].type must be one of text, image, audio, video, document, binary.",
        ),
        ("/messages/8/content/1/source/type", "messages[8].content[1].source.type must be one of data, url, file."),
        ("/messages/4/toolCalls/0/type", "messages[4].toolCalls[0].type must be function."),
    ] {
        assert_eq!(with(pointer, Some(json!("secret"))).unwrap_err(), detail);
    }
}

#[test]
fn the_ids_of_a_run_must_not_be_empty_and_others_may() {
    assert_eq!(with("/threadId", Some(json!(""))).unwrap_err(), "threadId must not be empty.");
    assert_eq!(with("/runId", Some(json!(""))).unwrap_err(), "runId must not be empty.");
    assert_eq!(with("/forwardedProps/model", Some(json!(""))).unwrap_err(), "forwardedProps.model must not be empty.");
    with("/messages/2/id", Some(json!(""))).unwrap();
}

#[test]
fn an_id_has_at_most_4096_bytes() {
    with("/runId", Some(json!("é".repeat(2_048)))).unwrap();
    for (pointer, path) in [
        ("/runId", "runId"),
        ("/messages/2/id", "messages[2].id"),
        ("/messages/5/toolCallId", "messages[5].toolCallId"),
        ("/messages/4/toolCalls/0/id", "messages[4].toolCalls[0].id"),
        ("/messages/8/content/0/id", "messages[8].content[0].id"),
        ("/parentRunId", "parentRunId"),
    ] {
        let detail = with(pointer, Some(json!("é".repeat(2_049)))).unwrap_err();
        assert_eq!(detail, format!("{path} must be at most 4096 bytes long."));
    }
}

#[test]
fn two_tools_of_one_name_are_refused() {
    let tool = json!({"name": "look", "description": ""});
    let detail = with("/tools", Some(json!([tool, tool]))).unwrap_err();
    assert_eq!(detail, "tools[1].name must not be the name of another tool.");
}

#[test]
fn a_protocol_version_is_two_numbers_of_which_the_first_is_known() {
    for (text, major, minor) in [("1.0", 1, 0), ("1.12", 1, 12), ("0.9", 0, 9)] {
        let input = with("/protocolVersion", Some(json!(text))).unwrap();
        assert_eq!(input.protocol, Some(Protocol { major, minor }));
    }
    for text in ["", "1", "1.", ".1", "1.0.0", "v1.0", "+1.0", "-1.0", "1.0 ", "99999999999.0", "1.99999999999"] {
        let detail = with("/protocolVersion", Some(json!(text))).unwrap_err();
        assert_eq!(detail, "protocolVersion must be of the form MAJOR.MINOR.", "{text}");
    }
    assert_eq!(with("/protocolVersion", Some(json!("2.0"))).unwrap_err(), "protocolVersion must be 1.x or older.");
}

#[test]
fn a_resume_entry_names_an_interrupt_and_how_it_was_answered() {
    let detail = |entry: Value| with("/resume", Some(json!([entry]))).unwrap_err();
    with("/resume", Some(json!([{"interruptId": "i", "status": "resolved", "payload": {"ok": true}}]))).unwrap();
    with("/resume", Some(json!([{"interruptId": "i", "status": "cancelled"}]))).unwrap();
    assert_eq!(detail(json!(1)), "resume[0] must be an object.");
    assert_eq!(detail(json!({"status": "resolved"})), "resume[0].interruptId is required.");
    assert_eq!(detail(json!({"interruptId": 1, "status": "resolved"})), "resume[0].interruptId must be a string.");
    assert_eq!(detail(json!({"interruptId": "i"})), "resume[0].status is required.");
    assert_eq!(detail(json!({"interruptId": "i", "status": true})), "resume[0].status must be a string.");
    assert_eq!(detail(json!({"interruptId": "i", "status": "x"})), "resume[0].status must be resolved or cancelled.");
    let odd = json!({"interruptId": "i", "status": "cancelled", "metadata": 1});
    assert_eq!(detail(odd), "resume[0].metadata must be an object.");
    let twice = json!([{"interruptId": "i", "status": "cancelled"}, {"interruptId": "i", "status": "resolved"}]);
    let error = with("/resume", Some(twice)).unwrap_err();
    assert_eq!(error, "resume[1].interruptId must not be answered twice.");
}

#[test]
fn exactly_once_is_required_or_left_out() {
    let asked = |value| with("/forwardedProps", Some(json!({"exactlyOnce": value})));
    assert!(asked(json!("required")).unwrap().exactly_once);
    assert!(!asked(json!(null)).unwrap().exactly_once);
    assert!(!with("/forwardedProps", None).unwrap().exactly_once);
    for value in [json!(true), json!("Required"), json!("no"), json!(""), json!({})] {
        let detail = asked(value).unwrap_err();
        assert_eq!(detail, "forwardedProps.exactlyOnce must be required, or left out.");
    }
}

#[test]
fn forwarded_props_of_any_shape_are_the_clients_business() {
    for value in [json!("x"), json!([{"model": "m"}]), json!(7), json!({"modell": 1})] {
        assert_eq!(with("/forwardedProps", Some(value)).unwrap().model, None);
    }
}

#[test]
fn half_a_surrogate_pair_becomes_the_replacement_character() {
    let body = br#"{"threadId":"t","runId":"r","messages":[{"id":"m","role":"user","content":"a\ud83d"}]}"#;
    let input = parse(body, &Limits::default()).unwrap();
    assert_eq!(input.messages, [Message::User(vec![Part::Text("a\u{fffd}".to_owned())])]);
}
