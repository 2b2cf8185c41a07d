//! What a turn has come to where it waits for a person: all that another run needs to go on with it.

use super::Approvals;
use crate::Millis;
use crate::error::{Error, ErrorKind};
use crate::event::Interrupt;
use crate::input::{Answer, Call, Media, Message, Part, Source, Word};
use crate::json::{self, Json, Object};
use crate::stored::{Stored, decode_versioned, field, parse, stored, stored_names};
use serde_json::{Map, Value};

/// The version of the stored form.
const VERSION: u32 = 1;
/// The most bytes of the stored form: 16 MiB, then `output_limit`.
pub(super) const MAX: usize = 16 << 20;
/// What an answer to the question has to be.
const SCHEMA: &[u8] = br#"{"type":"object","properties":{"approved":{"type":"boolean"}},"required":["approved"]}"#;
/// The most bytes of a call's arguments in the question to the person.
const SHOWN: usize = 1_024;
/// The most bytes of arguments that all the questions of one response show together.
const SHOWN_IN_ALL: usize = 12 << 10;
/// The most bytes of arguments that the metadata of all of them has together.
const INPUT_IN_ALL: usize = 16 << 10;

/// A turn that waits for a person. Raw: the model's own words, which no reader is ever sent.
#[derive(Clone, Debug, PartialEq)]
pub struct Paused {
    pub(super) v: u32,
    /// Model calls so far, attempts that failed included.
    pub calls: u32,
    /// Steps so far.
    pub(super) steps: u32,
    /// How many messages of the input come before the transcript.
    pub(super) before: u32,
    /// How many messages of the input the run was given in all.
    pub(super) given: u32,
    /// What the run has said and done.
    pub(super) transcript: Vec<Message>,
    /// The calls of ours that wait, in order.
    pub(super) waiting: Vec<Call>,
    /// The id of each one's interrupt.
    pub(super) interrupts: Vec<String>,
    /// The client's calls of the same response, which leave once ours are done.
    pub(super) theirs: Vec<Call>,
}

impl Paused {
    /// Reads the stored form.
    ///
    /// # Errors
    /// [`ErrorKind::RecordTooNew`] for a newer version, [`ErrorKind::RecordUnreadable`] for anything
    /// that is none.
    pub fn decode(bytes: &[u8]) -> Result<Self, Error> {
        decode_versioned(bytes, VERSION)
    }

    /// The stored form.
    ///
    /// # Errors
    /// [`ErrorKind::OutputLimit`] past its bound.
    pub(super) fn encode(&self) -> Result<Vec<u8>, ErrorKind> {
        let text = json::text(self);
        if text.len() > MAX { Err(ErrorKind::OutputLimit) } else { Ok(text.into_bytes()) }
    }

    /// The ids of the calls in it, which are used up in the thread.
    pub fn call_ids(&self) -> impl Iterator<Item = &str> {
        self.transcript.iter().flat_map(Message::calls).map(|call| call.id.as_str())
    }

    pub(super) fn new(calls: u32, steps: u32, before: usize, given: usize) -> Self {
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let (before, given) = (count(before), count(given));
        let (transcript, waiting, interrupts, theirs) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Paused { v: VERSION, calls, steps, before, given, transcript, waiting, interrupts, theirs }
    }
}

/// The questions to the person, one a call, in order. They show the calls as they are given, so redacted ones. The metadata
/// has the tool's name, and its arguments as they are if they are JSON and not long.
pub fn questions(tag: &str, calls: Vec<Call>, approvals: &Approvals, now: Millis) -> Vec<Interrupt> {
    let calls_in_all = calls.len().max(1);
    let room = SHOWN.min(SHOWN_IN_ALL / calls_in_all);
    let question = |(call, number): (Call, u32)| Interrupt {
        id: format!("{tag}-i{number}"),
        reason: Interrupt::TOOL_CALL.to_owned(),
        metadata: Some(named(&call, INPUT_IN_ALL / calls_in_all)),
        message: Some(format!("May {} run with {}?", call.name, shown(call.arguments, room))),
        call: Some(call.id),
        response_schema: parse(SCHEMA),
        expires_at: approvals.within.map(|within| now.saturating_add(within)),
    };
    calls.into_iter().zip(1..).map(question).collect()
}

/// What of a call a client can show by itself.
fn named(call: &Call, room: usize) -> Value {
    let mut named = Map::from_iter([("tool".to_owned(), call.name.as_str().into())]);
    let input = match call.arguments.trim() {
        "" => Some(Value::Object(Map::new())),
        arguments if arguments.len() <= room => parse(arguments.as_bytes()),
        _ => None,
    };
    if let Some(input) = input {
        named.insert("input".to_owned(), input);
    }
    Value::Object(named)
}

fn shown(mut arguments: String, room: usize) -> String {
    if arguments.trim().is_empty() {
        return "no arguments".to_owned();
    }
    if arguments.len() > room {
        arguments.truncate(arguments.floor_char_boundary(room));
        arguments.push('…');
    }
    arguments
}

/// True if the person approved; else what the model is told in the result's place.
pub(super) fn verdict(answers: &[Answer], interrupt: &str) -> Result<(), &'static str> {
    let word = answers.iter().find(|answer| answer.interrupt == interrupt).map(|answer| &answer.word);
    match word {
        Some(Word::Resolved(Some(payload))) if payload.get("approved").and_then(Value::as_bool) == Some(true) => Ok(()),
        Some(Word::Resolved(_)) => Err("The person did not approve this call. It was not made."),
        Some(Word::Cancelled) | None => Err("The person gave no answer to this request. The call was not made."),
    }
}

stored!(Paused { v, calls, steps, before, given, transcript, waiting, interrupts, theirs });
stored!(Call { id, name, arguments });
stored_names!(Media { Image = "image", Audio = "audio", Video = "video", Document = "document" });

impl Json for Message {
    fn write(&self, out: &mut String) {
        let mut message = Object::begin(out);
        match self {
            Message::System(text) => message.fields(&[("role", &"system"), ("text", text)]),
            Message::User(content) => message.fields(&[("role", &"user"), ("content", content)]),
            Message::Assistant { text, calls, kept } => {
                message.fields(&[("role", &"assistant"), ("text", text), ("calls", calls), ("kept", kept)])
            }
            Message::Tool { call, content } => {
                message.fields(&[("role", &"tool"), ("call", call), ("content", content)])
            }
        };
        message.end();
    }
}

impl Stored for Message {
    fn read(value: &Value) -> Option<Self> {
        let fields = value.as_object()?;
        Some(match fields.get("role")?.as_str()? {
            "system" => Message::System(field(fields, "text")?),
            "user" => Message::User(field(fields, "content")?),
            "assistant" => Message::Assistant {
                text: field(fields, "text")?,
                calls: field(fields, "calls")?,
                kept: field(fields, "kept")?,
            },
            "tool" => Message::Tool { call: field(fields, "call")?, content: field(fields, "content")? },
            _ => return None,
        })
    }
}

impl Json for Part {
    fn write(&self, out: &mut String) {
        let mut part = Object::begin(out);
        match self {
            Part::Text(text) => part.field("text", text),
            Part::Media { kind, source } => {
                part.field("media", kind);
                match source {
                    Source::Data { value, mime } => part.fields(&[("data", value), ("mime", mime)]),
                    Source::Url { value, mime } => part.fields(&[("url", value), ("mime", mime)]),
                    Source::File { value } => part.field("file", value),
                }
            }
        };
        part.end();
    }
}

impl Stored for Part {
    fn read(value: &Value) -> Option<Self> {
        let fields = value.as_object()?;
        if let Some(text) = field(fields, "text")? {
            return Some(Part::Text(text));
        }
        let (data, url, file) = (field(fields, "data")?, field(fields, "url")?, field(fields, "file")?);
        let source = match (data, url, file) {
            (Some(value), _, _) => Source::Data { value, mime: field(fields, "mime")? },
            (None, Some(value), _) => Source::Url { value, mime: field(fields, "mime")? },
            (None, None, Some(value)) => Source::File { value },
            (None, None, None) => return None,
        };
        Some(Part::Media { kind: field(fields, "media")?, source })
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;

    fn call(name: &str, arguments: &str) -> Call {
        Call { id: "c1".into(), name: name.into(), arguments: arguments.into() }
    }

    fn paused() -> Paused {
        let media = |kind, source| Part::Media { kind, source };
        Paused {
            transcript: vec![
                Message::System("Be kind.".into()),
                Message::Assistant { text: "Hm.".into(), calls: vec![call("refund", "{\"a\":1}")], kept: None },
                Message::Tool { call: "c0".into(), content: vec![Part::Text("\u{0}".into())] },
                Message::User(vec![
                    Part::Text(String::new()),
                    media(Media::Image, Source::Data { value: "QQ==".into(), mime: "image/png".into() }),
                    media(Media::Audio, Source::Url { value: "u".into(), mime: None }),
                    media(Media::Video, Source::Url { value: "u".into(), mime: Some("video/mp4".into()) }),
                    media(Media::Document, Source::File { value: "f".into() }),
                ]),
            ],
            waiting: vec![call("refund", "{\"a\":1}")],
            interrupts: vec!["r-i1".into()],
            theirs: vec![call("confirm", "")],
            ..Paused::new(3, 2, 4, 5)
        }
    }

    #[test]
    fn what_is_stored_is_read_again() {
        assert_eq!(Paused::decode(&paused().encode().unwrap()), Ok(paused()));
        assert_eq!(paused().call_ids().collect::<Vec<_>>(), ["c1"]);
    }

    #[test]
    fn a_newer_or_an_unreadable_one_is_an_error() {
        let code = |bytes: &[u8]| Paused::decode(bytes).unwrap_err().code();
        assert_eq!(code(&Paused { v: 2, ..paused() }.encode().unwrap()), "record_too_new");
        for odd in [&b"{"[..], b"[]", b"{}", br#"{"v":1,"calls":1,"steps":1,"before":1,"given":1,"transcript":[{}]}"#] {
            assert_eq!(code(odd), "record_unreadable");
        }
    }

    #[test]
    fn the_stored_form_has_a_bound() {
        let big = Message::System("x".repeat(MAX));
        assert_eq!(Paused { transcript: vec![big], ..paused() }.encode(), Err(ErrorKind::OutputLimit));
    }

    #[test]
    fn a_question_shows_the_arguments_within_bounds() {
        let approvals = Approvals { within: Some(50), ..Approvals::default() };
        let asked = questions("r", vec![call("refund", "{\"order\":4242}"), call("ring", " ")], &approvals, 100);
        assert_eq!(asked[0].message.as_deref(), Some("May refund run with {\"order\":4242}?"));
        assert_eq!(asked[1].message.as_deref(), Some("May ring run with no arguments?"));
        assert_eq!((asked[0].id.as_str(), asked[1].id.as_str()), ("r-i1", "r-i2"));
        assert_eq!((asked[0].expires_at, asked[0].call.as_deref()), (Some(150), Some("c1")));
        let named = |at: usize| asked[at].metadata.clone().unwrap();
        assert_eq!(named(0), serde_json::json!({ "tool": "refund", "input": { "order": 4242 } }));
        assert_eq!(named(1), serde_json::json!({ "tool": "ring", "input": {} }));
        let long: Vec<Call> = (0..64).map(|_| call("refund", &"é".repeat(9_000))).collect();
        let all: usize = questions("r", long, &approvals, 0)
            .iter()
            .filter_map(|interrupt| interrupt.message.as_ref().map(String::len))
            .sum();
        assert!(all < 16 << 10, "{all}");
        let long = format!("\"{}\"", "x".repeat(INPUT_IN_ALL / 2));
        for (arguments, count) in [(long.as_str(), 2), ("{", 1)] {
            let asked = questions("r", (0..count).map(|_| call("refund", arguments)).collect(), &approvals, 0);
            assert_eq!(asked[0].metadata, Some(serde_json::json!({ "tool": "refund" })));
        }
        assert!(
            questions("r", vec![call("refund", &long)], &approvals, 0)[0]
                .metadata
                .as_ref()
                .unwrap()
                .get("input")
                .is_some()
        );
    }
}
