//! What a wire of its own brings is kept in a form that can be read again.

use crate::input::{Call, Media, Message, Part, Source, echoed};
use crate::wire::agui::Limits;
use crate::wire::agui::heard;

#[test]
fn what_is_echoed_is_heard_again() {
    let media = |source| Part::Media { kind: Media::Image, source };
    let call = Call { id: "c1".into(), name: "look".into(), arguments: "{}".into() };
    let text = |text: &str| Part::Text(text.into());
    let messages = vec![
        Message::System("Be kind.".into()),
        Message::User(vec![text("Hi")]),
        Message::User(vec![
            text("See"),
            media(Source::Url { value: "https://a.example/b.png".into(), mime: None }),
            media(Source::Data { value: "QUJD".into(), mime: "image/png".into() }),
            media(Source::File { value: "f1".into() }),
        ]),
        Message::Assistant { text: String::new(), calls: vec![call.clone()], kept: None },
        Message::Tool { call: "c1".into(), content: vec![text("42")] },
        Message::Assistant { text: "It is 42.".into(), calls: vec![], kept: None },
        Message::Assistant { text: "One more".into(), calls: vec![call], kept: None },
    ];
    let values = echoed("r", &messages);
    assert_eq!(heard(&values, &Limits::default()).unwrap(), messages);
    let mut ids: Vec<&str> = values.iter().map(|value| value["id"].as_str().unwrap()).collect();
    ids.dedup();
    assert_eq!(ids.len(), messages.len());
}
