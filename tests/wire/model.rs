//! Every event type of AG-UI 1.0 in several forms. The snapshot is for eyes, and for the Node tests, which hold each
//! line against the protocol's own schema.

#![allow(clippy::needless_update)]

use insta::assert_snapshot;
use lastword::ErrorKind;
use lastword::wire::agui::event::*;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// What the forms are made of.
struct Words {
    text: String,
    value: Value,
    object: Map<String, Value>,
    list: Vec<String>,
}

impl Words {
    fn of(text: &str) -> Self {
        let value = json!({"key": text, "null is data here": null});
        let object = value.as_object().cloned().unwrap();
        Words { text: text.to_owned(), list: vec![text.to_owned(), "b".into()], value, object }
    }
}

/// Each type twice: with its required fields alone, and with all.
fn forms(words: &Words) -> Vec<String> {
    [text, reasoning, tool, state, run, others, subagents].iter().flat_map(|group| group(words)).collect()
}

/// A whole form, from the required fields of the bare one.
macro_rules! whole {
    ($name:ident($($required:expr),*) { $($field:ident: $value:expr),* $(,)? } $words:ident) => {
        [
            $name::new($($required),*).line(),
            $name {
                $($field: Some($value),)*
                timestamp: Safe::new(1_796_000_000_000),
                raw_event: Some(Any(&$words.value)),
                metadata: Some(&$words.object),
                ..$name::new($($required),*)
            }
            .line(),
        ]
    };
}

fn text(words: &Words) -> Vec<String> {
    let t = words.text.as_str();
    [
        whole!(TextMessageStart(t) { role: Role::Assistant, name: t, subagent_run_id: t } words),
        whole!(TextMessageContent(t, t) { subagent_run_id: t } words),
        whole!(TextMessageEnd(t) { subagent_run_id: t } words),
        whole!(TextMessageChunk() { message_id: t, role: Role::User, delta: t, name: t, subagent_run_id: t } words),
        whole!(TextMessageStart(t) { role: Role::Developer } words),
        whole!(TextMessageStart(t) { role: Role::System } words),
    ]
    .concat()
}

fn reasoning(words: &Words) -> Vec<String> {
    let t = words.text.as_str();
    [
        whole!(ReasoningStart(t) { subagent_run_id: t } words),
        whole!(ReasoningMessageStart(t) { subagent_run_id: t } words),
        whole!(ReasoningMessageContent(t, t) { subagent_run_id: t } words),
        whole!(ReasoningMessageEnd(t) { subagent_run_id: t } words),
        whole!(ReasoningMessageChunk() { message_id: t, delta: t, subagent_run_id: t } words),
        whole!(ReasoningEnd(t) { subagent_run_id: t } words),
        whole!(ReasoningEncryptedValue(EncryptedSubject::ToolCall, t, t) { subagent_run_id: t } words),
        whole!(ReasoningEncryptedValue(EncryptedSubject::Message, t, t) { subagent_run_id: t } words),
    ]
    .concat()
}

fn tool(words: &Words) -> Vec<String> {
    let t = words.text.as_str();
    let parts = parts(words);
    [
        whole!(ToolCallStart(t, t) { parent_message_id: t, subagent_run_id: t } words),
        whole!(ToolCallArgs(t, t) { subagent_run_id: t } words),
        whole!(ToolCallEnd(t) { subagent_run_id: t } words),
        whole!(ToolCallChunk() {
            tool_call_id: t, tool_call_name: t, parent_message_id: t, delta: t, subagent_run_id: t,
        } words),
        whole!(ToolCallResult(t, t, t.into()) { subagent_run_id: t } words),
        whole!(ToolCallResult(t, t, (&parts).into()) { subagent_run_id: t } words),
    ]
    .concat()
}

/// A part of every kind, with every kind of source, bare and whole.
fn parts(words: &Words) -> Vec<ContentPart<'_>> {
    let t = words.text.as_str();
    let media = |source| MediaPart { source, id: Some(t), metadata: Some(Any(&words.value)) };
    let bare = |source| MediaPart { source, id: None, metadata: None };
    vec![
        ContentPart::Text(TextPart::new(t)),
        ContentPart::Text(TextPart { id: Some(t), metadata: Some(Any(&words.value)), ..TextPart::new(t) }),
        ContentPart::Image(media(PartSource::Data { value: t, mime_type: t })),
        ContentPart::Audio(media(PartSource::Url { value: t, mime_type: Some(t) })),
        ContentPart::Video(media(PartSource::File { value: t, provider: Some(t), mime_type: Some(t) })),
        ContentPart::Document(media(PartSource::Data { value: t, mime_type: t })),
        ContentPart::Document(bare(PartSource::File { value: t, provider: None, mime_type: None })),
        ContentPart::Image(bare(PartSource::Url { value: t, mime_type: None })),
    ]
}

/// Every operation of RFC 6902, at the root and at a place that needs escapes.
fn patch<'a>(words: &'a Words, root: &'a Pointer, place: &'a Pointer) -> Vec<Operation<'a>> {
    let value = &words.value;
    vec![
        Operation::Add { path: place, value },
        Operation::Remove { path: place },
        Operation::Replace { path: root, value: &Value::Null },
        Operation::Move { from: root, path: place },
        Operation::Copy { from: place, path: root },
        Operation::Test { path: place, value },
    ]
}

fn state(words: &Words) -> Vec<String> {
    let t = words.text.as_str();
    let (root, place) = (Pointer::to([]), Pointer::to([t, "a/b~c", "0"]));
    let patch = patch(words, &root, &place);
    let messages = messages(words);
    [
        whole!(StateSnapshot(&words.value) { subagent_run_id: t } words),
        whole!(StateSnapshot(&Value::Null) { subagent_run_id: t } words),
        whole!(StateDelta(&patch) { subagent_run_id: t } words),
        whole!(StateDelta(&[]) { subagent_run_id: t } words),
        whole!(ActivitySnapshot(t, t, &words.object) { replace: false, subagent_run_id: t } words),
        whole!(ActivityDelta(t, t, &patch) { subagent_run_id: t } words),
        whole!(MessagesSnapshot(messages.clone()) {} words),
        whole!(MessagesSnapshot(Vec::new()) {} words),
    ]
    .concat()
}

/// A message of every role, bare and whole.
fn messages(words: &Words) -> Vec<Message<'_>> {
    let t = words.text.as_str();
    let (metadata, subagent_run_id, encrypted_value, name) = (Some(&words.object), Some(t), Some(t), Some(t));
    let call = ToolCall { encrypted_value, metadata, ..ToolCall::new(t, t, t) };
    let calls = Some(vec![ToolCall::new(t, t, t), call]);
    let developer = DeveloperMessage::new(t, t);
    let system = SystemMessage::new(t, t);
    let user = UserMessage::new(t, t.into());
    let assistant = AssistantMessage::new(t);
    let tool = ToolMessage::new(t, t, t.into());
    let activity = ActivityMessage::new(t, t, &words.object);
    let reasoning = ReasoningMessage::new(t, t);
    vec![
        Message::Developer(developer.clone()),
        Message::Developer(DeveloperMessage { name, encrypted_value, metadata, subagent_run_id, ..developer }),
        Message::System(system.clone()),
        Message::System(SystemMessage { name, encrypted_value, metadata, subagent_run_id, ..system }),
        Message::User(user.clone()),
        Message::User(UserMessage { name, encrypted_value, metadata, subagent_run_id, ..user }),
        Message::Assistant(assistant),
        Message::Assistant(AssistantMessage {
            id: t,
            content: Some(t),
            tool_calls: calls,
            name,
            encrypted_value,
            metadata,
            subagent_run_id,
        }),
        Message::Tool(tool.clone()),
        Message::Tool(ToolMessage { error: Some(t), encrypted_value, metadata, subagent_run_id, ..tool }),
        Message::Activity(activity.clone()),
        Message::Activity(ActivityMessage { metadata, subagent_run_id, ..activity }),
        Message::Reasoning(reasoning.clone()),
        Message::Reasoning(ReasoningMessage { encrypted_value, metadata, subagent_run_id, ..reasoning }),
    ]
}

fn input(words: &Words) -> RunAgentInput<'_> {
    let t = words.text.as_str();
    let tool = Tool { parameters: Some(Any(&words.value)), metadata: Some(&words.object), ..Tool::new(t, t) };
    let answer = Resume {
        payload: Some(Any(&words.value)),
        metadata: Some(&words.object),
        ..Resume::new(t, ResumeStatus::Resolved)
    };
    RunAgentInput {
        protocol_version: Some(t),
        parent_run_id: Some(t),
        state: Some(Any(&words.value)),
        forwarded_props: Some(Any(&words.value)),
        resume: Some(vec![answer, Resume::new(t, ResumeStatus::Cancelled)]),
        ..RunAgentInput::new(t, t, messages(words), vec![Tool::new(t, t), tool], vec![ContextEntry::new(t, t)])
    }
}

fn run(words: &Words) -> Vec<String> {
    let t = words.text.as_str();
    let count = |number| Safe::new(number);
    let usage = TokenUsage {
        provider: Some(t),
        model: Some(t),
        input_tokens: count(1),
        output_tokens: count(2),
        total_tokens: count(3),
        reasoning_tokens: count(0),
        cached_input_tokens: count((1 << 53) - 1),
        cache_write_input_tokens: count(4),
    };
    let usage = || vec![usage.clone(), TokenUsage::new()];
    let interrupt = Interrupt {
        message: Some(t),
        tool_call_id: Some(t),
        response_schema: Some(&words.object),
        expires_at: Some("2031-01-02T03:04:05Z"),
        metadata: Some(&words.object),
        subagent_run_id: Some(t),
        ..Interrupt::new(t, t)
    };
    let interrupted = Outcome::Interrupt { interrupts: vec![interrupt, Interrupt::new(t, "tool_call")] };
    let whole_input = input(words);
    let (result, bare) = (Any(&words.value), RunAgentInput::new(t, t, Vec::new(), Vec::new(), Vec::new()));
    let pending = |list| Outcome::Success { pending_tool_call_ids: list };
    [
        whole!(RunStarted(t, t) { protocol_version: "1.0", parent_run_id: t, input: (&whole_input).into() } words),
        whole!(RunStarted(t, t) { input: (&bare).into() } words),
        whole!(RunFinished(t, t) { outcome: pending(&words.list), usage: usage(), result: result } words),
        whole!(RunFinished(t, t) { outcome: pending(&[]), usage: Vec::new() } words),
        whole!(RunFinished(t, t) { outcome: interrupted } words),
        whole!(RunFinished(t, t) { outcome: Outcome::Cancelled } words),
        whole!(RunError(t) { code: t, usage: usage() } words),
        whole!(StepStarted(t) { subagent_run_id: t } words),
        whole!(StepFinished(t) { subagent_run_id: t } words),
    ]
    .concat()
}

fn others(words: &Words) -> Vec<String> {
    let t = words.text.as_str();
    [
        whole!(Raw(&words.value) { source: t, subagent_run_id: t } words),
        whole!(Raw(&Value::Null) {} words),
        whole!(Custom(t, &words.value) { subagent_run_id: t } words),
        whole!(Custom(t, &Value::Null) {} words),
    ]
    .concat()
}

fn subagents(words: &Words) -> Vec<String> {
    let t = words.text.as_str();
    let suspended = |ids| SubagentOutcome::Suspended { interrupt_ids: ids };
    [
        whole!(SubagentStarted(t, t) {
            description: t, parent_subagent_run_id: t, parent_tool_call_id: t, parent_message_id: t,
        } words),
        whole!(SubagentFinished(t) { result: Any(&words.value), outcome: suspended(&words.list) } words),
        whole!(SubagentFinished(t) { outcome: suspended(&[]) } words),
        whole!(SubagentFinished(t) { outcome: SubagentOutcome::Success } words),
        whole!(SubagentError(t, t) { code: t } words),
    ]
    .concat()
}

/// Lines by type, in the order of their names.
fn page(words: &Words) -> String {
    let mut lines = forms(words);
    lines.sort_by_key(|line| line.split('"').nth(3).unwrap().to_owned());
    lines.join("\n")
}

#[test]
fn every_type_of_the_protocol() {
    assert_snapshot!(page(&Words::of("id-1")));
}

#[test]
fn every_type_with_empty_strings() {
    assert_snapshot!(page(&Words::of("")));
}

#[test]
fn every_type_with_the_characters_that_break_lines() {
    assert_snapshot!(page(&Words::of("é 漢 🦀 \u{2028}\u{2029}\r\n\t\"\\/\u{0}\u{7f}")));
}

#[test]
fn a_null_never_stands_in_an_optional_field() {
    let null = Value::Null;
    let finished = RunFinished { result: Some(Any(&null)), ..RunFinished::new("t", "r") };
    assert_eq!(finished.line(), r#"{"type":"RUN_FINISHED","threadId":"t","runId":"r"}"#);
    let step = StepStarted { raw_event: Some(Any(&null)), ..StepStarted::new("s") };
    assert_eq!(step.line(), r#"{"type":"STEP_STARTED","stepName":"s"}"#);
    let resume = Resume { payload: Some(Any(&null)), ..Resume::new("i", ResumeStatus::Resolved) };
    let words = Words::of("x");
    let echo = RunAgentInput { resume: Some(vec![resume]), state: Some(Any(&null)), ..input(&words) };
    let line = RunStarted { input: Some((&echo).into()), ..RunStarted::new("t", "r") }.line();
    assert!(!line.contains("payload") && !line.contains("\"state\""), "{line}");
}

#[test]
fn a_number_that_javascript_does_not_hold_is_none() {
    assert_eq!(Safe::new((1 << 53) - 1).map(Safe::value), Some((1 << 53) - 1));
    assert_eq!(Safe::new(1 << 53), None);
    assert_eq!(StepStarted::new("s").at(Some(u64::MAX)), StepStarted::new("s"));
    assert_eq!(StepStarted::TYPE, "STEP_STARTED");
}

#[test]
fn a_pointer_is_one() {
    assert_eq!(Pointer::to([]).as_str(), "");
    assert_eq!(Pointer::to(["a/b", "~1", ""]).as_str(), "/a~1b/~01/");
    for good in ["", "/", "/a/0/-", "/~0~1", "//"] {
        assert_eq!(Pointer::parse(good).unwrap().as_str(), good);
    }
    for bad in ["a", "a/b", "/~", "/~2", "/a~"] {
        assert_eq!(Pointer::parse(bad).unwrap_err().kind(), ErrorKind::InvalidInput, "{bad}");
    }
}

proptest! {
    #[test]
    fn any_key_is_a_place(keys in proptest::collection::vec(any::<String>(), 0..4)) {
        let place = Pointer::to(keys.iter().map(String::as_str));
        prop_assert_eq!(&Pointer::parse(place.as_str()).unwrap(), &place);
        let back: Vec<String> = place.as_str().split('/').skip(1).map(|key| key.replace("~1", "/").replace("~0", "~")).collect();
        prop_assert_eq!(back, keys);
    }

    #[test]
    fn any_text_is_one_line_that_reads_as_it_was(text in any::<String>()) {
        for line in forms(&Words::of(&text)) {
            let broken = line.contains(['\n', '\r', '\u{2028}', '\u{2029}']);
            prop_assert!(!broken, "{}", line);
            let value: Value = serde_json::from_str(&line).unwrap();
            prop_assert!(value["type"].is_string());
        }
    }
}
