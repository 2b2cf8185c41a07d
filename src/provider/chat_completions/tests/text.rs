//! Text, reasoning, refusals, choices, usage.

use super::{decode, delta, deltas, said, stream};
use crate::signal::{Signal, Stop, Usage};

#[test]
fn null_and_empty_content_say_nothing() {
    assert_eq!(
        said(deltas(&[r#"{"role":"assistant","content":null}"#, r#"{"content":""}"#, r#"{"content":"a"}"#])),
        "text a\n"
    );
}

#[test]
fn each_piece_of_content_is_a_signal() {
    assert_eq!(said(deltas(&[r#"{"content":"Hel"}"#, r#"{"content":"lo\n\u00e9"}"#])), "text Hel\ntext lo\né\n");
}

#[test]
fn content_as_typed_parts() {
    let parts = r#"{"content":[
        {"type":"thinking","thinking":[{"type":"text","text":"hm"},{"type":"text","text":""}]},
        {"type":"text","text":"It is 4."},
        {"type":"reference","reference_ids":[1]},
        {"type":"thinking","thinking":"so"},
        {"type":"refusal","refusal":"no"}]}"#
        .replace('\n', "");
    assert_eq!(said(deltas(&[&parts])), "reasoning hm\ntext It is 4.\nreasoning so\nrefusal no\n");
}

#[test]
fn content_as_one_typed_part() {
    assert_eq!(said(deltas(&[r#"{"content":{"type":"text","text":"a"}}"#])), "text a\n");
}

#[test]
fn reasoning_by_each_of_its_names() {
    let list = [
        r#"{"reasoning_content":"a","content":null}"#,
        r#"{"reasoning":"b"}"#,
        r#"{"reasoning_details":[{"type":"reasoning.text","text":"c"},{"type":"reasoning.encrypted","data":"x"}]}"#,
        r#"{"reasoning_details":[{"type":"reasoning.summary","summary":"d"}]}"#,
        r#"{"reasoning_content":null,"reasoning":null}"#,
    ];
    assert_eq!(said(deltas(&list)), "reasoning a\nreasoning b\nreasoning c\nreasoning d\n");
}

#[test]
fn reasoning_under_several_names_is_taken_once() {
    let both =
        r#"{"reasoning_content":"a","reasoning":"a","reasoning_details":[{"type":"reasoning.text","text":"a"}]}"#;
    let empty = r#"{"reasoning_content":"","reasoning":"b"}"#;
    assert_eq!(said(deltas(&[both, empty])), "reasoning a\nreasoning b\n");
}

#[test]
fn reasoning_comes_before_the_text_beside_it() {
    assert_eq!(said(deltas(&[r#"{"content":"b","reasoning_content":"a"}"#])), "reasoning a\ntext b\n");
}

#[test]
fn thinking_tags_and_harmony_marks_stay_text() {
    let list = [r#"{"content":"<think>so</think>"}"#, r#"{"content":"<|channel|>final<|message|>hi"}"#];
    assert_eq!(said(deltas(&list)), "text <think>so</think>\ntext <|channel|>final<|message|>hi\n");
}

#[test]
fn refusal_is_apart_from_text() {
    let list = [r#"{"content":null,"refusal":""}"#, r#"{"refusal":"I can't"}"#, r#"{"refusal":null}"#];
    assert_eq!(said(deltas(&list)), "refusal I can't\n");
}

#[test]
fn choices_may_be_empty_absent_or_null() {
    let hello = delta(r#"{"content":"a"}"#);
    let azure = r#"{"id":"","model":"","choices":[],"prompt_filter_results":[{"prompt_index":0}]}"#;
    let bytes = stream(&[azure, r#"{"id":"x"}"#, r#"{"choices":null}"#, &hello, r#"{"choices":[null]}"#, "[DONE]"]);
    assert_eq!(
        decode(bytes),
        [
            Signal::ResponseStart { model: Some("m".to_owned()) },
            Signal::Text("a".to_owned()),
            Signal::ResponseEnd(Stop::Complete)
        ]
    );
}

#[test]
fn only_the_first_choice_is_read() {
    let two = r#"{"choices":[{"index":1,"delta":{"content":"x"},"finish_reason":"length"},{"index":0,"delta":{"content":"a"}}]}"#;
    let bare = r#"{"choices":[{"delta":{"content":"b"}},{"delta":{"content":"y"}}]}"#;
    assert_eq!(decode(stream(&[two, bare, "[DONE]"])).last(), Some(&Signal::ResponseEnd(Stop::Complete)));
    assert_eq!(said(stream(&[two, bare, "[DONE]"])), "text a\ntext b\n");
}

#[test]
fn a_whole_message_counts_only_if_nothing_was_streamed() {
    let whole = r#"{"choices":[{"index":0,"message":{"role":"assistant","content":"whole"},"finish_reason":"stop"}]}"#;
    assert_eq!(said(stream(&[whole])), "text whole\n");
    let empty = r#"{"choices":[{"index":0,"delta":{},"message":{"content":"whole"},"finish_reason":"stop"}]}"#;
    assert_eq!(said(stream(&[empty])), "text whole\n");
    assert_eq!(said(stream(&[&delta(r#"{"content":"piece"}"#), whole])), "text piece\n");
}

#[test]
fn the_start_has_the_model_once_a_chunk_states_it() {
    let first = |bytes: String| decode(bytes).swap_remove(0);
    let role = delta(r#"{"role":"assistant"}"#);
    assert_eq!(first(stream(&[r#"{"model":""}"#, &role])), Signal::ResponseStart { model: Some("m".to_owned()) });
    let nameless = r#"{"choices":[{"delta":{"content":"a"}}]}"#;
    assert_eq!(first(stream(&[nameless, &role])), Signal::ResponseStart { model: None });
    let long = format!(r#"{{"model":"{}"}}"#, "m".repeat(257));
    assert_eq!(first(stream(&[&long, "[DONE]"])), Signal::ResponseStart { model: None });
}

fn usages(bytes: String) -> Vec<Usage> {
    let counted = decode(bytes).into_iter().filter_map(|signal| match signal {
        Signal::Usage(usage) => Some(usage),
        _ => None,
    });
    counted.collect()
}

#[test]
fn usage_in_the_last_chunk_behind_the_finish_reason() {
    let finish = r#"{"choices":[{"delta":{},"finish_reason":"stop"}],"usage":null}"#;
    let last = r#"{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":4,"total_tokens":13,
        "prompt_tokens_details":{"cached_tokens":8,"cache_write_tokens":1},"completion_tokens_details":{"reasoning_tokens":2}}}"#
        .replace('\n', "");
    let all = Usage {
        input: Some(9),
        output: Some(4),
        total: Some(13),
        reasoning: Some(2),
        cached_input: Some(8),
        cache_write: Some(1),
    };
    for bytes in [stream(&[finish, &last, "[DONE]"]), stream(&[finish, &last])] {
        assert_eq!(usages(bytes), std::slice::from_ref(&all));
    }
}

#[test]
fn usage_on_the_finish_chunk_in_x_groq_and_in_the_choice() {
    let input = |input| Usage { input: Some(input), ..Usage::default() };
    let finish =
        r#"{"choices":[{"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"prompt_cache_hit_tokens":1}}"#;
    let expected = Usage { cached_input: Some(1), ..input(1) };
    assert_eq!(usages(stream(&[finish])), [expected]);
    let groq = r#"{"choices":[{"delta":{},"finish_reason":"stop"}],"x_groq":{"id":"r","usage":{"prompt_tokens":2}}}"#;
    assert_eq!(usages(stream(&[groq])), [input(2)]);
    let choice = r#"{"choices":[{"delta":{},"finish_reason":"stop","usage":{"prompt_tokens":3,"cached_tokens":2}}]}"#;
    assert_eq!(usages(stream(&[choice])), [Usage { cached_input: Some(2), ..input(3) }]);
}

#[test]
fn usage_that_says_nothing_new_is_no_signal() {
    let counted = r#"{"choices":[],"usage":{"prompt_tokens":1}}"#;
    let more = r#"{"choices":[],"usage":{"prompt_tokens":2}}"#;
    let counts = usages(stream(&[counted, counted, r#"{"usage":{}}"#, more, "[DONE]"]));
    assert_eq!(counts.iter().map(|usage| usage.input).collect::<Vec<_>>(), [Some(1), Some(2)]);
}

#[test]
fn the_halves_of_a_character_in_two_pieces_of_the_same_text_are_put_together() {
    let split = [r#"{"content":"a\ud83d"}"#, r#"{"content":null}"#, r#"{"content":"\ude00b"}"#];
    assert_eq!(said(deltas(&split)), "text a\ntext 😀b\n");
    let kinds = [
        r#"{"reasoning":"\ud83d","content":"\ud83d","refusal":"\ud83d"}"#,
        r#"{"reasoning":"\ude00","content":"\ude01","refusal":"\ude02"}"#,
    ];
    assert_eq!(said(deltas(&kinds)), "reasoning 😀\ntext 😁\nrefusal 😂\n");
    let parts = r#"{"content":[{"type":"text","text":"\ud83d"},{"type":"text","text":"\ude00"}]}"#;
    assert_eq!(said(deltas(&[parts])), "text 😀\n");
}

#[test]
fn half_a_character_alone_is_the_replacement_character_and_nothing_else_is_lost() {
    let list: [(&[&str], &str); 5] = [
        (&[r#"{"content":"\ude00a"}"#], "text \u{fffd}a\n"),
        (&[r#"{"content":"a\ud83d"}"#, r#"{"content":"b"}"#], "text a\ntext \u{fffd}b\n"),
        (&[r#"{"content":"a\ud83d"}"#], "text a\ntext \u{fffd}\n"),
        (&[r#"{"content":"\ud83d"}"#, r#"{"content":"\ud83d"}"#], "text \u{fffd}\ntext \u{fffd}\n"),
        (&[r#"{"content":"\ud83d"}"#, "{\"content\":\"\u{fdd0}\u{e600}\"}"], "text \u{fffd}\u{fdd0}\u{e600}\n"),
    ];
    for (pieces, expected) in list {
        assert_eq!(said(deltas(pieces)), expected, "{pieces:?}");
    }
}

#[test]
fn half_a_character_in_a_call_waits_for_the_same_call() {
    let list = [
        r#"{"tool_calls":[{"index":0,"id":"a\ud83d","function":{"name":"f\ud83d","arguments":"\"\ud83d"}}]}"#,
        r#"{"tool_calls":[{"index":1,"id":"b","function":{"name":"g","arguments":"\"\ud83d"}}]}"#,
        r#"{"tool_calls":[{"index":0,"function":{"arguments":"\ude00\""}}]}"#,
    ];
    let expected = "call 0 id=a\u{fffd} name=f\u{fffd}\ncall 0 args \"\ncall 1 id=b name=g\ncall 1 args \"\n\
        call 0 args 😀\"\ncall 1 args \u{fffd}\ncall 0 end\ncall 1 end\n";
    assert_eq!(said(deltas(&list)), expected);
}

#[test]
fn half_a_character_in_a_body_and_in_the_models_name() {
    let body = r#"{"model":"m\ud83d","choices":[{"message":{"content":"a\ud83d"}}]}"#;
    let signals = decode(body);
    assert_eq!(signals[0], Signal::ResponseStart { model: Some("m\u{fffd}".to_owned()) });
    assert_eq!(said(body), "text a\ntext \u{fffd}\n");
}
