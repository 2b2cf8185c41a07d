use super::*;

fn fingerprint(body: &Value) -> String {
    read(body).unwrap().input.fingerprint
}

#[test]
fn a_request_that_is_sent_again_is_the_same() {
    let plain = fingerprint(&with(json!({})));
    for same in [
        json!({"stream": true, "stream_options": {"include_usage": true}}),
        json!({"user": "u", "metadata": {"a": "b"}, "store": true, "temperature": null, "n": 1}),
        json!({"messages": [{"role": "user", "content": "Hi", "name": "n"}, {"role": "assistant", "content": "What I was told"}]}),
    ] {
        assert_eq!(fingerprint(&with(same.clone())), plain, "{same}");
    }
    let spaced = b" {\"messages\" : [ {\"content\":\"Hi\",\"role\":\"user\"} ], \"model\":\"m\"} ";
    assert_eq!(parse(spaced, &names(), &Limits::default()).unwrap().input.fingerprint, plain);
}

#[test]
fn a_request_that_asks_something_else_is_another() {
    let mut seen = vec![fingerprint(&with(json!({})))];
    let user = |content: Value| json!({"messages": [{"role": "user", "content": content}]});
    for other in [
        user(json!("Hi!")),
        user(json!([{"type": "text", "text": "Hi"}])),
        json!({"messages": [{"role": "system", "content": "Hi"}]}),
        json!({"messages": [{"role": "user", "content": "Hi"}, {"role": "tool", "tool_call_id": "c", "content": "1"}]}),
        json!({"messages": [{"role": "user", "content": "Hi"}, {"role": "tool", "tool_call_id": "d", "content": "1"}]}),
        json!({"model": "other"}),
        json!({"temperature": 0}),
        json!({"top_p": 0}),
        json!({"max_tokens": 9}),
        json!({"max_completion_tokens": 9}),
        json!({"stop": "a"}),
        json!({"seed": 1}),
        json!({"presence_penalty": 1}),
        json!({"frequency_penalty": 1}),
        json!({"reasoning_effort": "low"}),
        json!({"parallel_tool_calls": false}),
        json!({"tool_choice": "none"}),
        json!({"response_format": {"type": "json_object"}}),
        json!({"tools": [{"type": "function", "function": {"name": "a"}}]}),
    ] {
        let print = fingerprint(&with(other.clone()));
        assert!(!seen.contains(&print), "{other}");
        seen.push(print);
    }
}
