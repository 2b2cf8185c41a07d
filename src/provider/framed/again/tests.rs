//! What is read again is what is parsed, whatever comes.

use super::*;
use crate::provider::framed::Framed;
use crate::provider::{Decoder, agui, anthropic, chat_completions, gemini, responses, workers_ai};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

/// What is said with what is read again, and what is with everything parsed; and how many events were parsed behind
/// the last that was read again.
fn both<R: Response>(new: fn() -> Framed<R>, chunks: &[&[u8]]) -> (Vec<Signal>, Vec<Signal>, u32) {
    let mut parses = new();
    parses.again.vain = u32::MAX;
    let mut reads = new();
    let (mut parsed, mut read) = (Vec::new(), Vec::new());
    for chunk in chunks {
        reads.feed(chunk, &mut read);
        parses.feed(chunk, &mut parsed);
    }
    assert!(!parses.again.ready && parses.again.vain == u32::MAX, "nothing is read again");
    reads.finish(&mut read);
    parses.finish(&mut parsed);
    (read, parsed, reads.again.vain)
}

/// Events of all formats, and with every kind of member beside them.
const EVENTS: &[&str] = &[
    r#"{"id":"c","object":"chat.completion.chunk","created":17,"model":"m","choices":[{"index":0,"delta":{"content":"a"},"logprobs":null,"finish_reason":null}],"usage":null,"obfuscation":"x"}"#,
    r#"{"id":"c","choices":[{"index":0,"delta":{"role":"assistant","content":"a","tool_calls":[],"refusal":null}}]}"#,
    r#"{"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"length"}]}"#,
    r#"{"choices":[{"index":0,"delta":{"content":"a"}}],"usage":{"prompt_tokens":3,"completion_tokens":1}}"#,
    r#"{"choices":[{"index":1,"delta":{"content":"a"}},{"index":0,"delta":{"content":"b"}}]}"#,
    r#"{"choices":[{"delta":{"reasoning_content":"a","content":""}}]}"#,
    r#"{"choices":[{"delta":{"reasoning_content":"a","reasoning":"b","content":null}}]}"#,
    r#"{"choices":[{"delta":{"reasoning":"a"},"message":{"content":"m"}}]}"#,
    r#"{"choices":[{"delta":{"reasoning_details":[{"text":"a"}]}}]}"#,
    r#"{"choices":[{"delta":{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}}]}"#,
    r#"{"choices":[{"delta":{"content":"a"}}],"error":"b"}"#,
    r#"{"choices":[{"delta":{"content":"a"}}],"error":""}"#,
    r#"{"choices":[{"delta":{"content":"a","content":"b"}}]}"#,
    r#"{"choices":[{"delta":{"content":"a"}}],"choices":[{"delta":{"content":"b"}}]}"#,
    r#"{"choices":[{"delta":{"content":"a"},"delta":{}}]}"#,
    r#"{"choices":[{"delta":{"\u0063ontent":"a"}}]}"#,
    r#"{"choices":[{"delta":{"refusal":"a"}}]}"#,
    r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"A","function":{"name":"f","arguments":"{"}}]}}]}"#,
    r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"1"}}]}}]}"#,
    r#"{"choices":[{"delta":{"tool_calls":[{"function":{"name":"g","arguments":"{}"}}]}}]}"#,
    r#"{ "choices" : [ { "delta" : { "content" : "a" } , "index" : 0 } ] }"#,
    r#"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#,
    r#"{"type":"message_start","message":{"id":"m","model":"n","usage":{"input_tokens":1}}}"#,
    r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#,
    r#"{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"t","name":"f","input":{}}}"#,
    r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a"}}"#,
    r#"{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"a"}}"#,
    r#"{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"a"}}"#,
    r#"{"type":"content_block_stop","index":0}"#,
    r#"{"type":"response.output_item.added","output_index":0,"item":{"id":"i","type":"message","role":"assistant"}}"#,
    r#"{"type":"response.output_text.delta","sequence_number":7,"item_id":"i","output_index":0,"content_index":0,"delta":"a","obfuscation":"x"}"#,
    r#"{"type":"response.reasoning_summary_text.delta","sequence_number":7,"output_index":1,"summary_index":0,"delta":"a"}"#,
    r#"{"type":"response.output_item.done","output_index":0,"item":{"id":"i","type":"message","content":[{"type":"output_text","text":"a"}]}}"#,
    r#"{"candidates":[{"content":{"parts":[{"text":"a"}],"role":"model"},"index":0}],"usageMetadata":{"promptTokenCount":5,"totalTokenCount":6}}"#,
    r#"{"candidates":[{"content":{"parts":[{"text":"a","thought":true},{"text":"b"}]}}]}"#,
    r#"{"response":"a","p":"x"}"#,
    r#"{"response":"a","usage":{"prompt_tokens":1,"completion_tokens":2}}"#,
    r#"{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"a"}"#,
    r#"{"type":"TEXT_MESSAGE_START","messageId":"m","role":"assistant"}"#,
    r#"{"type":"RUN_STARTED","threadId":"t","runId":"r"}"#,
    "null",
    r#""""#,
    "[DONE]",
    "[]",
    "{",
];

/// What is put in the place of a string's body.
const TEXTS: &[&str] = &[
    "",
    "a",
    "word",
    " the",
    "a longer piece of text",
    r#"\n\"\\\/\b\f\r\t"#,
    r"\u00e9",
    r"\ud83d\ude00",
    r"\ud83d",
    r"\ude00",
    r"\uD83d",
    r"\u0000",
    r"\ufdd0",
    "\u{fdd0}",
    r"\x",
    r"\",
    r#"""#,
    r#"","content":"b"#,
    r#""}"#,
    "é€🦀",
    "\u{2028}",
    "\t",
    "stop",
    "length",
    "error",
    "null",
    "0",
    "1",
    "content",
    "choices",
    "delta",
];

/// What is put in the place of a number.
const NUMBERS: &[&str] = &[
    "0",
    "1",
    "2",
    "17",
    "00",
    "-1",
    "1.0",
    "1e3",
    "18446744073709551615",
    "9999999999999999999",
    "99999999999999999999",
    "null",
    "",
];

#[derive(Clone, Debug)]
enum Edit {
    Text(Index, String),
    Number(Index, String),
    Byte(Index, u8),
    Cut(Index),
    Space(Index),
}

fn edit() -> impl Strategy<Value = Edit> {
    prop_oneof![
        12 => (any::<Index>(), select(TEXTS)).prop_map(|(at, text)| Edit::Text(at, text.to_owned())),
        6 => (any::<Index>(), select(NUMBERS)).prop_map(|(at, text)| Edit::Number(at, text.to_owned())),
        1 => (any::<Index>(), any::<u8>()).prop_map(|(at, byte)| Edit::Byte(at, byte)),
        1 => any::<Index>().prop_map(Edit::Cut),
        1 => any::<Index>().prop_map(Edit::Space),
    ]
}

/// Where the strings of a text stand, without quotes, or its numbers.
fn tokens(line: &[u8], strings: bool) -> Vec<Range<usize>> {
    let (mut at, mut found) = (0, Vec::new());
    while at < line.len() {
        let from = at;
        match line[at] {
            b'"' => {
                let Some((body, _)) = body(&line[at + 1..]) else { break };
                at += body.raw().len() + 2;
                if strings {
                    found.push(from + 1..at - 1);
                }
            }
            b'0'..=b'9' => {
                at += line[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
                if !strings {
                    found.push(from..at);
                }
            }
            _ => at += 1,
        }
    }
    found
}

fn edited(line: &[u8], edit: &Edit) -> Vec<u8> {
    let mut line = line.to_vec();
    let (strings, numbers) = (tokens(&line, true), tokens(&line, false));
    match edit {
        Edit::Text(at, text) if !strings.is_empty() => {
            line.splice(at.get(&strings).clone(), text.bytes());
        }
        Edit::Number(at, text) if !numbers.is_empty() => {
            line.splice(at.get(&numbers).clone(), text.bytes());
        }
        Edit::Byte(at, byte) if !line.is_empty() && !matches!(byte, b'\r' | b'\n') => {
            let at = at.index(line.len());
            line[at] = *byte;
        }
        Edit::Cut(at) => line.truncate(at.index(line.len() + 1)),
        Edit::Space(at) => line.insert(at.index(line.len() + 1), b' '),
        _ => {}
    }
    line
}

/// A stretch of events: one of them again and again, edited at the same few places.
fn stretch() -> impl Strategy<Value = Vec<Vec<u8>>> {
    let places = vec(any::<Index>(), 1..4);
    let texts = vec((vec(select(TEXTS), 3), vec(select(NUMBERS), 3), proptest::option::weighted(0.2, edit())), 1..9);
    (0..EVENTS.len(), places, texts, select(&["", "event: message\n", "event: error\n", "event: x\n"][..])).prop_map(
        |(event, places, texts, name)| {
            let say = |(texts, numbers, more): &(Vec<&str>, Vec<&str>, Option<Edit>)| {
                let mut line = EVENTS[event].as_bytes().to_vec();
                for ((at, text), number) in places.iter().zip(texts).zip(numbers) {
                    line = edited(&line, &Edit::Text(*at, (*text).to_owned()));
                    if number.len() < 3 {
                        line = edited(&line, &Edit::Number(*at, (*number).to_owned()));
                    }
                }
                if let Some(more) = more {
                    line = edited(&line, more);
                }
                [name.as_bytes(), b"data: ", &line, b"\n\n"].concat()
            };
            texts.iter().map(say).collect()
        },
    )
}

fn agree<R: Response>(new: fn() -> Framed<R>, chunks: &[&[u8]]) -> Result<(), TestCaseError> {
    let (read, parsed, _) = both(new, chunks);
    prop_assert_eq!(read, parsed);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn any_events_say_what_they_say_parsed(stretches in vec(stretch(), 1..6), size in select(&[1usize, 7, 100, usize::MAX][..])) {
        let bytes = stretches.concat().concat();
        let chunks: Vec<&[u8]> = bytes.chunks(size.min(bytes.len())).collect();
        agree(chat_completions::Decoder::new, &chunks)?;
        agree(workers_ai::Decoder::new, &chunks)?;
        agree(anthropic::Decoder::new, &chunks)?;
        agree(responses::Decoder::new, &chunks)?;
        agree(gemini::Decoder::new, &chunks)?;
        agree(agui::Decoder::new, &chunks)?;
    }
}

/// A stream of so many events, of which `text` writes each.
fn stream(count: usize, text: impl Fn(usize) -> String) -> Vec<u8> {
    (0..count).map(|n| format!("data: {}\n\n", text(n))).collect::<String>().into_bytes()
}

#[test]
fn of_a_stream_of_texts_only_the_first_events_are_parsed() {
    let chat = stream(100, |n| EVENTS[0].replace(r#":"a""#, &format!(r#":"w{n}\n""#)).replace(":17", &format!(":{n}")));
    let (read, parsed, vain) = both(chat_completions::Decoder::new, &[&chat]);
    assert_eq!((read.len(), vain), (102, 0));
    assert_eq!(read, parsed);
    let delta = |n: usize| {
        format!(r#"{{"type":"content_block_delta","index":0,"delta":{{"type":"text_delta","text":"{n}"}}}}"#)
    };
    let (read, parsed, vain) = both(anthropic::Decoder::new, &[&stream(100, delta)]);
    assert_eq!((read.len(), vain), (102, 0));
    assert_eq!(read, parsed);
    let delta = |n: usize| EVENTS[30].replace(":7", &format!(":{n}")).replace(r#":"a""#, &format!(r#":"{n}""#));
    let (read, parsed, vain) = both(responses::Decoder::new, &[&stream(100, delta)]);
    assert_eq!((read.len(), vain), (103, 0));
    assert_eq!(read, parsed);
}

#[test]
fn padding_that_differs_each_time_is_passed_over() {
    let chat = stream(100, |n| {
        EVENTS[0].replace(r#":"a""#, &format!(r#":"w{n}""#)).replace(r#":"x""#, &format!(r#":"{}""#, "x".repeat(n % 7)))
    });
    let (read, parsed, vain) = both(chat_completions::Decoder::new, &[&chat]);
    assert_eq!((read.len(), vain), (102, 0));
    assert_eq!(read, parsed);
}

#[test]
fn what_is_never_alike_is_kept_rarely() {
    let events = stream(1000, |n| format!(r#"{{"choices":[{{"delta":{{"content":"a"}}}}],"x{n}":null}}"#));
    let mut decoder = chat_completions::Decoder::new();
    let mut kept = 0;
    for event in events.split_inclusive(|byte| *byte == b'\n') {
        decoder.feed(event, &mut Vec::new());
        kept += usize::from(event != b"\n" && !decoder.again.line.is_empty());
    }
    assert!((32..100).contains(&kept), "{kept}");
}

#[test]
fn an_event_that_came_in_between_changes_nothing() {
    let text = |text: &str| EVENTS[0].replace(r#":"a""#, &format!(r#":"{text}""#));
    let call = EVENTS[17];
    let lines = [
        &text("a"),
        &text("b"),
        &text("c"),
        call,
        EVENTS[18],
        &text("d"),
        &text("e"),
        &text("f"),
        EVENTS[19],
        EVENTS[21],
        &text("g"),
        &text("h"),
        "[DONE]",
    ];
    let bytes = stream(lines.len(), |n| lines[n].to_owned());
    let (read, parsed, _) = both(chat_completions::Decoder::new, &[&bytes]);
    assert_eq!(read, parsed);
}
