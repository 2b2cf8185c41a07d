//! Which pieces make one call.

use super::{deltas, end, said, stream};
use crate::signal::{Fault, Signal};

/// Decodes a stream of deltas that each have these `tool_calls`.
fn calls(entries: &[&str]) -> String {
    let list: Vec<String> = entries.iter().map(|entry| format!(r#"{{"tool_calls":[{entry}]}}"#)).collect();
    said(deltas(&list.iter().map(String::as_str).collect::<Vec<_>>()))
}

#[test]
fn one_call_in_pieces() {
    let said = calls(&[
        r#"{"index":0,"id":"A","type":"function","function":{"name":"f","arguments":""}}"#,
        r#"{"index":0,"function":{"arguments":"{\"a\":"}}"#,
        r#"{"index":0,"function":{"arguments":"1}"}}"#,
    ]);
    assert_eq!(said, "call 0 id=A name=f\ncall 0 args {\"a\":\ncall 0 args 1}\ncall 0 end\n");
}

#[test]
fn parallel_calls_interleaved() {
    let said = calls(&[
        r#"{"index":0,"id":"A","function":{"name":"f","arguments":""}},{"index":1,"id":"B","function":{"name":"f","arguments":""}}"#,
        r#"{"index":1,"function":{"arguments":"[1"}},{"index":0,"function":{"arguments":"[0"}}"#,
        r#"{"index":0,"function":{"arguments":"]"}}"#,
        r#"{"index":1,"function":{"arguments":"]"}}"#,
    ]);
    let expected = "call 0 id=A name=f\ncall 1 id=B name=f\ncall 1 args [1\ncall 0 args [0\n\
                    call 0 args ]\ncall 1 args ]\ncall 0 end\ncall 1 end\n";
    assert_eq!(said, expected);
}

#[test]
fn positions_are_dense_whatever_the_indexes_are() {
    let said = calls(&[
        r#"{"index":7,"id":"A","function":{"name":"f","arguments":"{}"}}"#,
        r#"{"index":3,"id":"B","function":{"name":"g","arguments":"{}"}}"#,
    ]);
    assert_eq!(
        said,
        "call 0 id=A name=f\ncall 0 args {}\ncall 1 id=B name=g\ncall 1 args {}\ncall 0 end\ncall 1 end\n"
    );
}

#[test]
fn a_missing_index() {
    let said = calls(&[
        r#"{"id":"A","function":{"name":"f","arguments":"{\"a\""}}"#,
        r#"{"function":{"arguments":":1}"}}"#,
        r#"{"id":"B","function":{"name":"f","arguments":"{}"}}"#,
    ]);
    let expected = "call 0 id=A name=f\ncall 0 args {\"a\"\ncall 0 args :1}\ncall 1 id=B name=f\ncall 1 args {}\n\
                    call 0 end\ncall 1 end\n";
    assert_eq!(said, expected);
}

#[test]
fn all_index_0_with_ids_that_differ() {
    let said = calls(&[
        r#"{"index":0,"id":"A","function":{"name":"f","arguments":"{\"a\""}}"#,
        r#"{"index":0,"id":"B","function":{"name":"f","arguments":"{\"b\""}}"#,
        r#"{"index":0,"id":"A","function":{"arguments":":1}"}}"#,
        r#"{"index":0,"id":"B","function":{"arguments":":2}"}}"#,
        r#"{"index":0,"function":{"arguments":" "}}"#,
    ]);
    let expected = "call 0 id=A name=f\ncall 0 args {\"a\"\ncall 1 id=B name=f\ncall 1 args {\"b\"\n\
                    call 0 args :1}\ncall 1 args :2}\ncall 1 args  \ncall 0 end\ncall 1 end\n";
    assert_eq!(said, expected);
}

#[test]
fn one_id_under_two_indexes_is_two_calls() {
    let said = calls(&[
        r#"{"index":0,"id":"A","function":{"name":"f","arguments":"{"}}"#,
        r#"{"index":1,"id":"A","function":{"name":"f","arguments":"["}}"#,
        r#"{"index":0,"id":"A","function":{"arguments":"}"}}"#,
    ]);
    let expected = "call 0 id=A name=f\ncall 0 args {\ncall 1 id=A name=f\ncall 1 args [\ncall 0 args }\n\
                    call 0 end\ncall 1 end\n";
    assert_eq!(said, expected);
}

#[test]
fn no_id_at_all() {
    let said = calls(&[
        r#"{"index":0,"id":null,"function":{"name":"f","arguments":"{"}}"#,
        r#"{"index":0,"id":null,"function":{"name":null,"arguments":"}"}}"#,
        r#"{"index":1,"id":"","function":{"name":"f","arguments":"{}"}}"#,
    ]);
    assert_eq!(
        said,
        "call 0 id= name=f\ncall 0 args {\ncall 0 args }\ncall 1 id= name=f\ncall 1 args {}\ncall 0 end\ncall 1 end\n"
    );
}

#[test]
fn neither_id_nor_index() {
    let said = calls(&[
        r#"{"function":{"name":"f","arguments":"{\"a\":"}}"#,
        r#"{"function":{"name":"f","arguments":"1}"}}"#,
        r#"{"function":{"name":"f","arguments":"{\"a\":2}"}}"#,
        r#"{"function":{"name":"g","arguments":""}}"#,
    ]);
    let expected = "call 0 id= name=f\ncall 0 args {\"a\":\ncall 0 args 1}\ncall 1 id= name=f\ncall 1 args {\"a\":2}\n\
                    call 2 id= name=g\ncall 0 end\ncall 1 end\ncall 2 end\n";
    assert_eq!(said, expected);
}

#[test]
fn without_an_index_a_new_id_with_a_name_begins_a_call() {
    let said = calls(&[
        r#"{"function":{"name":"f","arguments":""}}"#,
        r#"{"id":"B","function":{"name":"g","arguments":"{}"}}"#,
    ]);
    assert_eq!(said, "call 0 id= name=f\ncall 1 id=B name=g\ncall 1 args {}\ncall 0 end\ncall 1 end\n");
}

#[test]
fn one_chunk_speaks_of_a_call_once() {
    let said = calls(&[
        r#"{"index":0,"function":{"name":"f"}},{"index":0,"function":{"name":"g"}},{"function":{"name":"f"}}"#,
    ]);
    assert_eq!(said, "call 0 id= name=f\ncall 1 id= name=g\ncall 2 id= name=f\ncall 0 end\ncall 1 end\ncall 2 end\n");
}

#[test]
fn an_id_that_changes_in_mid_call() {
    let said = calls(&[
        r#"{"index":0,"id":"A","function":{"name":"f","arguments":"{\"a\""}}"#,
        r#"{"index":0,"id":"B","function":{"arguments":":1"}}"#,
        r#"{"id":"C","function":{"arguments":"}"}}"#,
        r#"{"index":0,"id":"D","function":{"arguments":"{}"}}"#,
    ]);
    let expected = "call 0 id=A name=f\ncall 0 args {\"a\"\ncall 0 args :1\ncall 0 args }\n\
                    call 1 id=D name=\ncall 1 args {}\ncall 0 end\ncall 1 end\n";
    assert_eq!(said, expected);
}

#[test]
fn an_id_that_comes_later_begins_nothing() {
    let said = calls(&[
        r#"{"index":0,"function":{"name":"f","arguments":"{}"}}"#,
        r#"{"index":0,"id":"A","function":{"name":"f","arguments":""}}"#,
        r#"{"index":0,"id":"B","function":{"name":"f","arguments":""}}"#,
    ]);
    assert_eq!(said, "call 0 id= name=f\ncall 0 args {}\ncall 1 id=B name=f\ncall 0 end\ncall 1 end\n");
}

#[test]
fn a_name_that_comes_later() {
    let said =
        calls(&[r#"{"index":0,"id":"A","function":{"arguments":"{}"}}"#, r#"{"index":0,"function":{"name":"f"}}"#]);
    assert_eq!(said, "call 0 id=A name=\ncall 0 args {}\ncall 0 name=f\ncall 0 end\n");
}

#[test]
fn a_name_repeated_or_in_pieces() {
    let said = calls(&[
        r#"{"index":0,"id":"A","function":{"name":"f","arguments":"{"}}"#,
        r#"{"index":0,"id":"A","function":{"name":"f","arguments":"}"}}"#,
        r#"{"index":0,"function":{"name":"f","arguments":""}}"#,
        r#"{"index":1,"id":"B","function":{"name":"get_"}}"#,
        r#"{"index":1,"id":"B","function":{"name":"time"}}"#,
    ]);
    let expected = "call 0 id=A name=f\ncall 0 args {\ncall 0 args }\ncall 1 id=B name=get_\ncall 1 name=get_time\n\
                    call 0 end\ncall 1 end\n";
    assert_eq!(said, expected);
}

#[test]
fn arguments_null_absent_or_an_object() {
    let said = calls(&[
        r#"{"index":0,"id":"A","function":{"name":"f","arguments":null}}"#,
        r#"{"index":1,"id":"B","function":{"name":"f"}}"#,
        r#"{"index":2,"id":"C","function":{"name":"f","arguments":{"a":[1,"x"]}}}"#,
    ]);
    let expected = "call 0 id=A name=f\ncall 1 id=B name=f\ncall 2 id=C name=f\ncall 2 args {\"a\":[1,\"x\"]}\n\
                    call 0 end\ncall 1 end\ncall 2 end\n";
    assert_eq!(said, expected);
}

#[test]
fn brackets_inside_strings_do_not_end_arguments() {
    let said = calls(&[
        r#"{"function":{"name":"f","arguments":"{\"a\":\"}\\\"}"}}"#,
        r#"{"function":{"name":"f","arguments":"{\"}"}}"#,
    ]);
    assert_eq!(said, "call 0 id= name=f\ncall 0 args {\"a\":\"}\\\"}\ncall 0 args {\"}\ncall 0 end\n");
}

#[test]
fn entries_that_are_all_null_say_nothing() {
    let said = calls(&[
        r#"{"index":0,"id":null,"type":null,"function":{"name":null,"arguments":null}}"#,
        r#"{"index":0,"id":"","function":{"name":"","arguments":""}}"#,
        r#"{"index":0,"function":null},null,{}"#,
    ]);
    assert_eq!(said, "");
    assert_eq!(said_of(r#"{"tool_calls":null,"function_call":null}"#), "");
}

fn said_of(delta: &str) -> String {
    said(deltas(&[delta]))
}

#[test]
fn harmony_marks_behind_a_name_are_cut_off() {
    assert_eq!(
        calls(&[r#"{"index":0,"id":"A","function":{"name":"f<|channel|>commentary"}}"#]),
        "call 0 id=A name=f\ncall 0 end\n"
    );
}

#[test]
fn a_call_without_a_function_object() {
    assert_eq!(
        calls(&[r#"{"name":"f","arguments":{"a":1}}"#]),
        "call 0 id= name=f\ncall 0 args {\"a\":1}\ncall 0 end\n"
    );
}

#[test]
fn the_old_function_call() {
    let list = [
        r#"{"function_call":{"name":"f","arguments":""}}"#,
        r#"{"function_call":{"arguments":"{\"a\""}}"#,
        r#"{"function_call":{"name":"f","arguments":":1}"}}"#,
    ];
    assert_eq!(said(deltas(&list)), "call 0 id= name=f\ncall 0 args {\"a\"\ncall 0 args :1}\ncall 0 end\n");
}

#[test]
fn the_old_function_call_beside_tool_calls_is_no_second_call() {
    let both = r#"{"tool_calls":[{"index":0,"id":"A","function":{"name":"f","arguments":"{}"}}],"function_call":{"name":"f","arguments":"{}"}}"#;
    assert_eq!(said_of(both), "call 0 id=A name=f\ncall 0 args {}\ncall 0 end\n");
}

#[test]
fn text_before_between_and_beside_calls() {
    let list = [
        r#"{"content":"a"}"#,
        r#"{"content":"","tool_calls":[{"index":0,"id":"A","function":{"name":"f","arguments":"{}"}}]}"#,
        r#"{"content":"b","tool_calls":[{"index":1,"id":"B","function":{"name":"f","arguments":"{}"}}]}"#,
    ];
    let expected = "text a\ncall 0 id=A name=f\ncall 0 args {}\ntext b\ncall 1 id=B name=f\ncall 1 args {}\n\
                    call 0 end\ncall 1 end\n";
    assert_eq!(said(deltas(&list)), expected);
}

#[test]
fn calls_count_whatever_the_finish_reason_says() {
    for reason in ["stop", "tool_calls", "function_call", "end_turn"] {
        let chunk = format!(
            r#"{{"choices":[{{"delta":{{"tool_calls":[{{"id":"A","function":{{"name":"f","arguments":"{{}}"}}}}]}},"finish_reason":"{reason}"}}]}}"#
        );
        assert_eq!(said(stream(&[&chunk])), "call 0 id=A name=f\ncall 0 args {}\ncall 0 end\n", "{reason}");
    }
}

#[test]
fn a_response_that_dies_ends_no_call() {
    let list = deltas(&[r#"{"tool_calls":[{"index":0,"id":"A","function":{"name":"f","arguments":"{}"}}]}"#]);
    let cut = list.strip_suffix("data: [DONE]\n\n").unwrap();
    let signals = super::decode(cut);
    assert!(!signals.iter().any(|signal| matches!(signal, Signal::CallEnd { .. })), "{signals:?}");
    assert_eq!(signals.last(), Some(&Signal::Error(Fault::Cut)));
}

#[test]
fn more_than_128_calls_are_malformed() {
    let entry = |at: usize| format!(r#"{{"index":{at},"id":"c{at}","function":{{"name":"f"}}}}"#);
    let all = |count: usize| {
        deltas(&[&format!(r#"{{"tool_calls":[{}]}}"#, (0..count).map(entry).collect::<Vec<_>>().join(","))])
    };
    assert!(matches!(end(all(128)), Signal::ResponseEnd(_)));
    assert_eq!(end(all(129)), Signal::Error(Fault::Malformed));
}

#[test]
fn ids_and_names_past_1_kib_are_malformed() {
    let call = |id: usize, name: usize| {
        deltas(&[&format!(
            r#"{{"tool_calls":[{{"index":0,"id":"{}","function":{{"name":"{}"}}}}]}}"#,
            "i".repeat(id),
            "n".repeat(name)
        )])
    };
    assert!(matches!(end(call(1024, 1024)), Signal::ResponseEnd(_)));
    assert_eq!(end(call(1025, 1)), Signal::Error(Fault::Malformed));
    assert_eq!(end(call(1, 1025)), Signal::Error(Fault::Malformed));
    let name = |text: &str| format!(r#"{{"tool_calls":[{{"index":0,"function":{{"name":"{}"}}}}]}}"#, text.repeat(600));
    assert_eq!(end(deltas(&[&name("a"), &name("b")])), Signal::Error(Fault::Malformed));
}
