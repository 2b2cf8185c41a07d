//! The matrix: every recording of every format, on every wire.

use crate::clients::CLIENTS;
use crate::compare::{asides, asked, everywhere, told_aloud};
use crate::play::{self, terms};
use crate::recordings::{FORMATS, Quirk, embedded, quirks};
use crate::told::{Finish, Told};
use lastword::profile::Profile;
use lastword::provider::Format;
use serde_json::{Value, json};

/// A line a recording: what became of it.
fn line(name: &str, told: &Told) -> String {
    let mut line = format!("{name}: ");
    match (&told.failure, told.finish) {
        (Some(code), _) => line.push_str(&format!("failed {code}")),
        (None, Some(Finish::Interrupt)) => line.push_str("waits for a person"),
        (None, Some(Finish::Calls)) => line.push_str("calls"),
        (None, Some(Finish::Done)) if told.refusal == Some(true) => line.push_str(&format!("refuses {:?}", told.text)),
        (None, Some(Finish::Done)) => line.push_str(&format!("says {:?}", short(&told.text))),
        (None, None) => panic!("{name} has no end"),
    }
    for call in &told.calls {
        line.push_str(&format!(" {}({})", call.name, call.arguments));
    }
    if told.truncated == Some(true) {
        line.push_str(", cut");
    }
    if let Some((input, output, total)) = told.usage {
        line.push_str(&format!(", {input} + {output} = {total}"));
    }
    line
}

fn short(text: &str) -> String {
    if text.len() < 200 {
        text.to_owned()
    } else {
        format!("{}… {} bytes", &text[..text.floor_char_boundary(80)], text.len())
    }
}

/// The index says what becomes of a recording.
fn as_expected(quirk: &Quirk, told: &Told) {
    let (name, expected) = (&quirk.name, &quirk.expected);
    let code = expected["code"].as_str();
    assert_eq!(told.failure.as_deref(), code, "{name}");
    let calls: Vec<Value> = told.calls.iter().map(|call| json!([call.name, call.arguments])).collect();
    let wanted: Vec<Value> = expected["calls"].as_array().into_iter().flatten().map(parsed).collect();
    assert_eq!(calls, wanted, "{name}");
    // What goes on behind a pause is another recording's.
    if quirk.next.is_none() {
        assert_eq!(told.text, expected["answer"].as_str().unwrap_or_default(), "{name}");
        if let Some(total) = expected["total"].as_u64().filter(|_| told.failure.is_none()) {
            assert_eq!(told.usage.map(|(.., told)| told), Some(total), "{name}");
        }
    }
    assert_eq!(told.truncated == Some(true), expected["truncated"] == true, "{name}");
}

/// A pair of a name and arguments, which are JSON text.
fn parsed(pair: &Value) -> Value {
    let arguments = pair[1].as_str().unwrap();
    json!([pair[0], serde_json::from_str(arguments).unwrap_or_else(|_| Value::from(arguments))])
}

#[test]
fn what_a_provider_said_is_the_same_on_every_wire() {
    for (folder, format) in FORMATS {
        let lines: Vec<String> = quirks(folder, *format)
            .iter()
            .map(|quirk| {
                let told = everywhere(&format!("{folder}/{}", quirk.name), &play::quirk(quirk));
                as_expected(quirk, &told);
                line(&quirk.name, &told)
            })
            .collect();
        assert!(lines.len() >= 10, "{folder} has {}", lines.len());
        insta::with_settings!({ omit_expression => true }, {
            insta::assert_snapshot!(*folder, lines.join("\n"));
        });
    }
}

#[test]
fn what_a_recorded_turn_came_to_is_the_same_on_every_wire() {
    let mut said_besides = 0;
    let lines: Vec<String> = embedded()
        .map(|(name, recording)| {
            let store = play::embedded(recording, terms());
            said_besides += asides(&store).len();
            let told = everywhere(name, &store);
            assert_eq!(told.failure.as_deref(), recording.failure(), "{name}");
            line(name, &told)
        })
        .collect();
    assert!(said_besides > 20, "{said_besides} texts that no customer may be sent");
    insta::with_settings!({ omit_expression => true }, {
        insta::assert_snapshot!("embedded", lines.join("\n"));
    });
}

#[test]
fn an_approval_is_asked_for_in_the_same_words_on_every_wire_that_asks_by_calls() {
    let mut runs = 0;
    for (name, recording) in embedded() {
        let store = play::embedded(recording, Profile { approval_calls: true, ..terms() });
        let (canonical, _) = CLIENTS[0].read(&store);
        if canonical.finish == Some(Finish::Interrupt) {
            asked(name, &store);
            runs += 1;
        }
    }
    assert_eq!(runs, 3);
}

#[test]
fn what_is_public_is_the_same_on_every_wire_and_no_answer_on_any() {
    let mut spoken = 0;
    for (name, recording) in embedded() {
        let quiet = everywhere(name, &play::embedded(recording, terms()));
        let public = Profile { public_intermediate: true, public_thinking: true, ..terms() };
        let aside = told_aloud(name, &play::embedded(recording, public), &quiet);
        spoken += usize::from(!aside.is_empty());
    }
    assert!(spoken > 10, "{spoken}");
}

/// The snapshot lists those that say something else: of some the first bytes tell nothing, or another format.
#[test]
fn a_provider_whose_format_is_to_be_found_says_the_same() {
    let mut differ = Vec::new();
    for (folder, format) in FORMATS {
        for quirk in quirks(folder, *format) {
            let (told, _) = CLIENTS[0].read(&play::quirk(&quirk));
            let found = Quirk { format: Format::Auto, ..quirk };
            let (auto, _) = CLIENTS[0].read(&play::quirk(&found));
            if (&auto.text, &auto.calls, &auto.failure) != (&told.text, &told.calls, &told.failure) {
                differ.push(format!("{folder}/{}: {}", found.name, line("auto", &auto)));
            }
        }
    }
    insta::with_settings!({ omit_expression => true }, {
        insta::assert_snapshot!("found", differ.join("\n"));
    });
}
