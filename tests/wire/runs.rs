//! Runs of every kind, for the wires that have memory.

use crate::samples::usage;
use lastword::event::{Completion, Event, Failure, Interrupt, Sealed, Timing};

/// A turn that was done, with what it cost.
pub fn completed(completion: Completion) -> Sealed {
    let timing = Timing { ttft_ms: Some(90), answer_ms: Some(1_100), total_ms: 1_200 };
    Sealed::Completed(Completion { usage: usage(), timing, ..completion })
}

/// An answer in these pieces.
pub fn answer(refusal: bool, pieces: &[&str]) -> Vec<Event> {
    let piece = |piece: &&str| Sealed::AnswerDelta { message: "a2".into(), refusal, delta: (*piece).into() };
    let mut events = vec![Sealed::AnswerStart { message: "a2".into(), refusal }];
    events.extend(pieces.iter().map(piece));
    events.push(Sealed::AnswerEnd { message: "a2".into() });
    events.into_iter().map(Event::from).collect()
}

/// A call for the client, its arguments in these pieces.
pub fn call(id: &str, pieces: &[&str]) -> Vec<Event> {
    let piece = |piece: &&str| Sealed::CallArgs { call: id.into(), delta: (*piece).into() };
    let mut events = vec![Sealed::CallStart { call: id.into(), name: "pick".into(), parent: "p1".into() }];
    events.extend(pieces.iter().map(piece));
    events.push(Sealed::CallEnd { call: id.into() });
    events.into_iter().map(Event::from).collect()
}

/// A run of these events that ends so.
pub fn ended(mut events: Vec<Event>, end: Sealed) -> Vec<Event> {
    events.insert(0, Sealed::Started {}.into());
    events.push(end.into());
    events
}

/// A turn that waits for two answers.
pub fn interrupted() -> Sealed {
    let first = Interrupt {
        id: "i1".into(),
        reason: "tool_call".into(),
        message: Some("May I refund 20 €?".into()),
        call: Some("c1".into()),
        ..Interrupt::default()
    };
    let second = Interrupt { id: "i2".into(), reason: "input_required".into(), ..Interrupt::default() };
    Sealed::Interrupted { interrupts: vec![first, second], usage: usage() }
}

/// A run that failed.
pub fn failed(code: &str, message: &str, reference: &str) -> Sealed {
    let failure = Failure { code: code.into(), message: message.into(), reference: reference.into() };
    Sealed::Failed { failure, unknown: vec!["o1".into()], usage: usage() }
}

/// A run has one answer: of several only the last is left, and it is a refusal or none.
pub fn with_one_answer(events: Vec<Event>, refusal: bool) -> Vec<Event> {
    let of = |event: &Event| match event {
        Event::Sealed(
            Sealed::AnswerStart { message, .. } | Sealed::AnswerDelta { message, .. } | Sealed::AnswerEnd { message },
        ) => Some(message.clone()),
        _ => None,
    };
    let last = events.iter().rev().find_map(of);
    let mut kept: Vec<Event> = events.into_iter().filter(|event| of(event).is_none_or(|id| Some(id) == last)).collect();
    for event in &mut kept {
        if let Event::Sealed(Sealed::AnswerStart { refusal: mark, .. } | Sealed::AnswerDelta { refusal: mark, .. }) =
            event
        {
            *mark = refusal;
        }
    }
    kept
}
