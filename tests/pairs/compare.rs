//! What must be the same on all wires.

use crate::clients::{CLIENTS, sent};
use crate::common::{RUN, value};
use crate::play::{self, MODEL};
use crate::told::{Call, Finish, Told, text};
use lastword::event::View;
use lastword::run::MemoryStore;
use lastword::wire::Wire;
use serde_json::{Value, json};

/// Reads a run on every wire, compares, and gives what the canonical wire told.
pub fn everywhere(name: &str, store: &MemoryStore) -> Told {
    let asides = asides(store);
    let all: Vec<_> = CLIENTS.iter().map(|client| (client, client.read(store))).collect();
    let (_, (truth, _)) = &all[0];
    for (client, (told, bytes)) in &all {
        let on = format!("{name} on {}", client.name);
        same(&on, client.wire, truth, told);
        for aside in &asides {
            let hidden =
                !told.text.contains(aside.as_str()) && !told.calls.iter().any(|call| holds(&call.arguments, aside));
            assert!(!hidden || !bytes.contains(escaped(aside).as_str()), "{on}: {aside:?} was said\n{bytes}");
        }
    }
    truth.clone()
}

fn same(on: &str, wire: Wire, truth: &Told, told: &Told) {
    if truth.finish == Some(Finish::Interrupt) && told.failure.is_some() {
        assert_eq!(told.failure.as_deref(), Some("approval_required"), "{on}");
        assert!(told.text.is_empty(), "{on}");
        return;
    }
    assert_eq!(told.text, truth.text, "{on}: the published text");
    assert_eq!(told.calls, truth.calls, "{on}: the calls");
    assert_eq!(told.failure, truth.failure, "{on}: the failure");
    assert_eq!(told.aside, "", "{on}: nothing else is said");
    assert_eq!(told.finish, truth.finish, "{on}: the end");
    if told.failure.is_some() {
        assert_eq!((told.text.as_str(), told.calls.len()), ("", 0), "{on}: a run that failed has published nothing");
        return;
    }
    if let Some(refusal) = told.refusal {
        assert_eq!(Some(refusal), truth.refusal, "{on}: the refusal's mark");
    }
    if let Some(truncated) = told.truncated.filter(|_| told.finish == Some(Finish::Done)) {
        assert_eq!(Some(truncated), truth.truncated, "{on}: whether it was cut");
    }
    assert_eq!(told.usage, truth.usage, "{on}: the usage");
    if truth.usage.is_some() || !matches!(wire, Wire::Canonical | Wire::AgUi) {
        assert_eq!(told.model.as_deref(), Some(MODEL), "{on}: the model's name as clients are told it");
    }
    assert!(told.id.as_deref().is_some_and(|id| id.ends_with(RUN)), "{on}: {:?}", told.id);
    if wire != Wire::AgUi && truth.finish != Some(Finish::Interrupt) {
        assert_eq!(told.timing, truth.timing, "{on}: the timing");
        let timing = told.timing.as_ref().unwrap();
        let [first, answer, all] = ["ttft_ms", "answer_ms", "total_ms"].map(|key| timing[key].as_u64());
        assert!(all.is_some(), "{on}: {timing}");
        if !told.text.is_empty() {
            assert!(first.is_some() && first <= answer && answer <= all, "{on}: {timing}");
        }
    }
}

/// Reads a run whose narration and thinking are public on every wire: they are the same words everywhere, and what was
/// published is what it is where nothing is public. Gives those words.
pub fn told_aloud(name: &str, store: &MemoryStore, quiet: &Told) -> String {
    let words = |told: &Told| told.aside.split_whitespace().collect::<String>();
    let all: Vec<_> = CLIENTS.iter().map(|client| (client, client.read(store).0)).collect();
    let aside = words(&all[0].1);
    for (client, told) in &all {
        let on = format!("{name} on {}", client.name);
        assert_eq!((&told.text, &told.calls), (&quiet.text, &quiet.calls), "{on}");
        match (&told.failure, client.is_whole()) {
            // A whole answer that is an error has no room for what was said on the way.
            (Some(_), true) => assert_eq!(words(told), "", "{on}"),
            _ => assert_eq!(words(told), aside, "{on}"),
        }
    }
    aside
}

/// Reads a run that waits for a person on every wire that asks by calls, and compares what is asked.
pub fn asked(name: &str, store: &MemoryStore) {
    let frames = play::stream(store, View::Customer, Wire::Canonical);
    let end = value(frames.last().unwrap());
    let interrupts = end["interrupts"].as_array().unwrap().iter();
    let wanted: Vec<Call> = interrupts
        .map(|one| {
            let id = format!("approval_{}", text(one, "id"));
            let arguments = json!({"message": one["message"], "tool_call_id": one["call"], "reason": one["reason"]});
            Call::new(&id, "lastword_approval", &arguments.to_string())
        })
        .collect();
    for client in CLIENTS {
        let (told, _) = client.read(store);
        assert_eq!((told.failure, told.text.as_str()), (None, ""), "{name} on {}", client.name);
        match client.wire {
            Wire::Canonical | Wire::AgUi | Wire::UiStream => assert_eq!(told.finish, Some(Finish::Interrupt)),
            _ => {
                assert_eq!(told.calls, wanted, "{name} on {}", client.name);
                assert_eq!(told.finish, Some(Finish::Calls));
            }
        }
    }
}

/// What the model said besides, as the operator sees it: held text that was no answer, and thinking.
pub fn asides(store: &MemoryStore) -> Vec<String> {
    let frames = play::stream(store, View::Operator, Wire::Canonical);
    let values: Vec<Value> = frames.iter().map(value).collect();
    let said = |id: &Value| -> String {
        let of = values.iter().filter(|value| &value["message"] == id);
        of.filter_map(|value| value["delta"].as_str()).collect()
    };
    let answers: Vec<&Value> = values
        .iter()
        .filter(|value| value["type"] == "decided" && value["answer"] == true)
        .map(|value| &value["message"])
        .collect();
    let starts =
        values.iter().filter(|value| value["type"] == "intermediate_start" || value["type"] == "thinking_start");
    let besides = starts.map(|value| &value["message"]).filter(|id| !answers.contains(id));
    let texts = besides.map(said).map(|text| text.trim().to_owned());
    assert!(!sent(&frames).is_empty());
    texts.filter(|text| text.chars().count() > 2).collect()
}

fn holds(value: &Value, text: &str) -> bool {
    value.to_string().contains(&escaped(text))
}

/// A text as JSON has it, without the quotes.
fn escaped(text: &str) -> String {
    let text = Value::from(text).to_string();
    text[1..text.len() - 1].to_owned()
}
