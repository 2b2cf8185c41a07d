//! The option holds for every format: with it on, no mark of harmony's reaches a text or a tool's name.

use crate::provider::quirks::joined;
use crate::provider::{Format, Options};
use crate::signal::Signal;
use proptest::prelude::*;
use serde_json::{Value, json};

const MARKS: [&str; 7] =
    ["<|start|>", "<|channel|>", "<|message|>", "<|constrain|>", "<|end|>", "<|return|>", "<|call|>"];

/// The bytes of a response that says these pieces and then calls a tool of that name.
fn bytes(format: Format, pieces: &[String], name: &str) -> String {
    let events = |events: Vec<Value>| events.iter().map(|event| format!("data: {event}\n\n")).collect::<String>();
    let all = |piece: &dyn Fn(&str) -> Value, rest: &[Value]| {
        pieces.iter().map(|text| piece(text)).chain(rest.iter().cloned()).collect::<Vec<_>>()
    };
    let function = json!({"name": name, "arguments": "{}"});
    match format {
        Format::ChatCompletions => {
            let delta = |delta: Value| json!({"choices": [{"index": 0, "delta": delta}]});
            let call = delta(json!({"tool_calls": [{"index": 0, "id": "c", "function": function}]}));
            let end = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]});
            events(all(&|text| delta(json!({"content": text})), &[call, end]))
        }
        Format::Responses => {
            let said = |text: &str| json!({"type": "response.output_text.delta", "output_index": 0, "delta": text});
            let item = json!({"type": "function_call", "call_id": "c", "name": name, "arguments": "{}"});
            let call = json!({"type": "response.output_item.done", "output_index": 1, "item": item});
            events(all(&said, &[call, json!({"type": "response.completed", "response": {"status": "completed"}})]))
        }
        Format::Anthropic => {
            let said = |text: &str| json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}});
            let block = json!({"type": "tool_use", "id": "c", "name": name, "input": {}});
            let mut list = vec![
                json!({"type": "message_start", "message": {"model": "m"}}),
                json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
            ];
            list.extend(all(
                &said,
                &[
                    json!({"type": "content_block_stop", "index": 0}),
                    json!({"type": "content_block_start", "index": 1, "content_block": block}),
                    json!({"type": "content_block_stop", "index": 1}),
                    json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}}),
                    json!({"type": "message_stop"}),
                ],
            ));
            events(list)
        }
        Format::Gemini => {
            let said = |part: Value| json!({"candidates": [{"content": {"parts": [part]}}]});
            let call = said(json!({"functionCall": {"name": name, "args": {}}}));
            events(all(&|text| said(json!({"text": text})), &[call, json!({"candidates": [{"finishReason": "STOP"}]})]))
        }
        Format::WorkersAi => {
            let call = json!({"response": "", "tool_calls": [function]});
            events(all(&|text| json!({"response": text}), &[call])) + "data: [DONE]\n\n"
        }
        Format::Ollama => {
            let call = json!({"message": {"role": "assistant", "content": "", "tool_calls": [{"function": {"name": name, "arguments": {}}}]}, "done": false});
            let said = |text: &str| json!({"message": {"role": "assistant", "content": text}, "done": false});
            let lines = all(&said, &[call, json!({"done": true, "done_reason": "stop"})]);
            lines.iter().map(|line| format!("{line}\n")).collect()
        }
        Format::AgUi => {
            let said = |text: &str| json!({"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": text});
            let call = json!({"type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": name});
            events(all(&said, &[call, json!({"type": "RUN_FINISHED"})]))
        }
        Format::Signals | Format::Auto => {
            let call = json!({"type": "call_start", "id": "c", "name": name});
            events(all(&|text| json!({"type": "text", "delta": text}), &[call, json!({"type": "response_end"})]))
        }
    }
}

const FORMATS: [Format; 9] = [
    Format::ChatCompletions,
    Format::Responses,
    Format::Anthropic,
    Format::Gemini,
    Format::WorkersAi,
    Format::Ollama,
    Format::AgUi,
    Format::Signals,
    Format::Auto,
];

fn read(format: Format, pieces: &[String], name: &str) -> Vec<Signal> {
    let mut decoder = format.decoder_with(Options { thinking_tags: true, ..Options::default() });
    let mut out = Vec::new();
    decoder.feed(bytes(format, pieces, name).as_bytes(), &mut out);
    decoder.finish(&mut out);
    assert!(matches!(out.last(), Some(Signal::ResponseEnd(_))), "{format:?} {out:?}");
    joined(out)
}

/// The text that may be the answer, as in [`super::said`], and the name of the call.
fn said(format: Format, text: &str) -> (String, String) {
    let (mut said, mut called) = (String::new(), String::new());
    let pieces: Vec<String> = text.chars().map(String::from).collect();
    for signal in read(format, &pieces, "look<|channel|>commentary") {
        match signal {
            Signal::Text(text) => said.push_str(&text),
            Signal::Reasoning(text) => said += &format!("r({text})"),
            Signal::WasReasoning => said.push('^'),
            Signal::CallStart { name, .. } => called = name,
            _ => {}
        }
    }
    (said, called)
}

#[test]
fn what_is_left_of_harmony_is_read_in_every_format() {
    let cases = [
        (
            "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>Fine.<|return|>",
            "r(Hm.)Fine.",
        ),
        ("<|channel|>final<|message|>Fine.<|end|>", "Fine."),
        ("<|start|>assistant<|channel|>final <|constrain|>json<|message|>{}<|return|>", "{}"),
        ("Hm.<|end|><|start|>assistant<|channel|>final<|message|>\nFine.", "Hm.^Fine."),
        ("<|channel|>commentary to=functions.look <|constrain|>json<|message|>{\"a\":1}<|call|>", "r({\"a\":1})"),
        ("Fine.<|end|>", "Fine."),
        ("Fine. <|start|>assistant", "Fine. "),
        ("<think>Hm.</think>Fine.<|return|>", "r(Hm.)Fine."),
        ("<reasoning>Hm.</reasoning>`<|end|>` is a mark", "r(Hm.)`` is a mark"),
        ("a < b <| c <|d|> <", "a < b <| c <|d|> <"),
    ];
    for format in FORMATS {
        for (text, expected) in cases {
            assert_eq!(said(format, text), (expected.to_owned(), "look".to_owned()), "{format:?} {text}");
        }
    }
}

#[test]
fn without_the_option_nothing_is_touched() {
    let text = "<|channel|>final<|message|>Fine.<|return|>".to_owned();
    let (mut decoder, mut out) = (Format::Ollama.decoder(), Vec::new());
    decoder.feed(bytes(Format::Ollama, std::slice::from_ref(&text), "look").as_bytes(), &mut out);
    assert!(out.contains(&Signal::Text(text)));
}

#[test]
fn a_header_without_end_is_text_and_no_memory() {
    let long = format!("<|start|>assistant{}", "x".repeat(1000));
    assert_eq!(said(Format::Signals, &long).0, "x".repeat(1000));
}

fn scrap() -> impl Strategy<Value = String> {
    let words = [
        "final",
        "analysis",
        "assistant",
        "commentary to=functions.x",
        " ",
        "\n",
        "Fine.",
        "<think>",
        "</think>",
        "<",
        "|>",
        "`",
    ];
    let fixed: Vec<String> = MARKS.iter().chain(&words).map(|text| (*text).to_owned()).collect();
    prop::sample::select(fixed)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn no_mark_gets_through_however_the_text_is_cut(scraps in prop::collection::vec(scrap(), 1..14), at in 0usize..FORMATS.len()) {
        let format = FORMATS[at];
        let text = scraps.concat();
        let name = format!("look{text}");
        let whole = read(format, std::slice::from_ref(&text), &name);
        let pieces: Vec<String> = text.chars().map(String::from).collect();
        prop_assert_eq!(&read(format, &pieces, &name), &whole, "{:?}", text);
        for signal in whole {
            match signal {
                // What is made of two halves around a mark that was taken out is no mark of the server's.
                Signal::CallStart { name, .. } | Signal::CallName { name, .. } => prop_assert!(!name.contains("<|")),
                Signal::Text(said) if !text.contains("<<|") && !text.contains("|>|>") => {
                    prop_assert!(!MARKS.iter().any(|mark| said.contains(mark)), "{text:?} {said:?}");
                }
                _ => {}
            }
        }
    }
}
