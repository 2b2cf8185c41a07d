//! Which requests are the same: the fingerprint.

use super::*;

fn fingerprint(body: &Value) -> String {
    parsed(body).unwrap().fingerprint
}

/// The fingerprint after a change at the pointer.
fn changed(pointer: &str, value: Value) -> String {
    let mut body = whole();
    *body.pointer_mut(pointer).unwrap() = value;
    fingerprint(&body)
}

#[test]
fn a_client_that_sends_back_what_the_run_said_is_recognised() {
    let mut again = whole();
    let said = [
        json!({"id": "r1.1", "role": "reasoning", "content": "Public narration."}),
        json!({"id": "r1.2", "role": "assistant", "content": "It is a cat.", "metadata": {"a": 1}}),
        json!({"id": "r1.3", "role": "assistant", "toolCalls": [
            {"id": "c9", "type": "function", "function": {"name": "look", "arguments": "{}"}},
        ]}),
        json!({"id": "r1.4", "role": "activity", "activityType": "plan", "content": {}}),
        json!({"id": "r1-r-c9", "role": "tool", "toolCallId": "c9", "content": "A cat."}),
    ];
    again["messages"].as_array_mut().unwrap().extend(said);
    again["state"] = json!({"step": 3, "done": true});
    assert_eq!(fingerprint(&again), fingerprint(&whole()));
    again["messages"].as_array_mut().unwrap().last_mut().unwrap()["id"] = json!("r0-r-c9");
    assert_ne!(fingerprint(&again), fingerprint(&whole()), "another run's result was said to this one");
}

#[test]
fn key_order_white_space_and_spelling_do_not_matter() {
    let one = br#"{"threadId":"t","runId":"r","messages":[{"id":"m","role":"user","content":"a/b"}],
                   "tools":[{"name":"n","description":"d","parameters":{"a":1,"b":{"x":2,"y":3}}}]}"#;
    let two = br#"{ "tools": [ {"parameters": {"b": {"y": 3.0, "x": 2}, "a": 1e0}, "description": "d", "name": "n"} ],
        "messages": [ {"content": "a\/\u0062", "role": "user", "id": "m"} ], "runId": "r", "threadId": "t" }"#;
    let of = |body: &[u8]| parse(body, &Limits::default()).unwrap().fingerprint;
    assert_eq!(of(one), of(two));
    assert_eq!(of(one).len(), 64);
}

#[test]
fn ids_metadata_versions_and_other_props_do_not_matter() {
    let same = fingerprint(&whole());
    for (pointer, value) in [
        ("/messages/2/id", json!("other")),
        ("/messages/2/metadata", json!({"k": 1})),
        ("/messages/3/content", json!("other reasoning")),
        ("/messages/6/content", json!({})),
        ("/messages/7/content", json!("other answer")),
        ("/messages/8/content/0/id", json!("p9")),
        ("/protocolVersion", json!("1.1")),
        ("/parentRunId", json!("r9")),
        ("/state", json!(null)),
        ("/resume", json!(null)),
        ("/forwardedProps/other", json!(2)),
        ("/forwardedProps", json!({"model": "replay/plain", "exactlyOnce": "required"})),
    ] {
        assert_eq!(changed(pointer, value), same, "{pointer}");
    }
}

#[test]
fn a_change_of_what_was_asked_is_another_request() {
    let mut seen = vec![fingerprint(&whole())];
    for (pointer, value) in [
        ("/messages/0/content", json!("Be unkind.")),
        ("/messages/0/role", json!("system")),
        ("/messages/1/name", json!("other")),
        ("/messages/2/content", json!("Hallo")),
        ("/messages/5/content", json!("sun")),
        ("/messages/5/toolCallId", json!("c2")),
        ("/messages/5/error", json!(null)),
        ("/messages/8/content/0/text", json!("Or this?")),
        ("/messages/8/content/1/type", json!("document")),
        ("/messages/8/content/1/source/value", json!("Qg==")),
        ("/messages/8/content/1/source/mimeType", json!("image/gif")),
        ("/messages/8/content/2/source/type", json!("file")),
        ("/tools/0/name", json!("see")),
        ("/tools/0/description", json!("Sees.")),
        ("/tools/0/parameters", json!({"type": "object", "properties": {}})),
        ("/tools", json!([])),
        ("/context/0/description", json!("town")),
        ("/context/0/value", json!("Braga")),
        ("/resume", json!([{"interruptId": "i", "status": "resolved"}])),
        ("/resume", json!([{"interruptId": "i", "status": "resolved", "payload": {"ok": true}}])),
        ("/forwardedProps/model", json!("replay/other")),
        ("/forwardedProps", json!({})),
    ] {
        let fingerprint = changed(pointer, value);
        assert!(!seen.contains(&fingerprint), "{pointer}");
        seen.push(fingerprint);
    }
}

#[test]
fn the_order_and_number_of_messages_matter() {
    let mut swapped = whole();
    swapped["messages"].as_array_mut().unwrap().swap(1, 2);
    let mut more = whole();
    more["messages"].as_array_mut().unwrap().push(json!({"id": "m9", "role": "user", "content": ""}));
    let all = [fingerprint(&whole()), fingerprint(&swapped), fingerprint(&more)];
    assert!(all[0] != all[1] && all[0] != all[2] && all[1] != all[2]);
}

#[test]
fn a_file_id_of_an_old_part_is_what_was_asked() {
    let body = |part: Value| json!({"threadId": "t", "runId": "r", "messages": [{"id": "m", "role": "user", "content": [part]}]});
    let file = |id: &str| fingerprint(&body(json!({"type": "binary", "mimeType": "image/png", "id": id})));
    assert_ne!(file("f1"), file("f2"));
}

#[test]
fn an_answer_is_its_id_its_status_and_its_payload() {
    let answer = |rest: Value| {
        let mut entry = json!({"interruptId": "i", "status": "resolved"});
        entry.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
        changed("/resume", json!([entry]))
    };
    let plain = answer(json!({}));
    assert_eq!(answer(json!({"metadata": {"at": 1}, "payload": null, "other": 2})), plain);
    let yes = answer(json!({"payload": {"approved": true, "why": "a"}}));
    assert_eq!(answer(json!({"payload": {"why": "a", "approved": true}})), yes, "in whatever order");
    let others = [plain, answer(json!({"payload": {"approved": false}})), answer(json!({"status": "cancelled"}))];
    assert!(others.iter().all(|other| *other != yes));
}

#[test]
fn an_input_that_is_kept_is_the_same_as_one_that_is_understood() {
    let limits = Limits::default();
    let bytes = |body: &Value| body.to_string().into_bytes();
    let whole = whole();
    let (kept, read) = (keep(&bytes(&whole), &limits).unwrap(), parse(&bytes(&whole), &limits).unwrap());
    let nothing = RunInput { messages: vec![], tools: vec![], context: vec![], resume: vec![], ..read };
    assert_eq!(kept, nothing);
    for (member, value) in [("runId", json!("")), ("messages", json!([{"id": "m"}])), ("messages", json!({}))] {
        let mut body = whole.clone();
        body[member] = value;
        assert_eq!(keep(&bytes(&body), &limits).unwrap_err(), parse(&bytes(&body), &limits).unwrap_err());
    }
}
