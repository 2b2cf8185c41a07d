//! The rows of the publishing rule that are about why a response stopped.

use super::*;

#[test]
fn pause_turn_is_intermediate_and_goes_on() {
    let mut turn = turn();
    let decision = said(&mut turn, [start(), text("Still at it."), ResponseEnd(Stop::Pause)]);
    assert_eq!(decision, Decision::Continue(Said { text: "Still at it.".into(), calls: vec![], kept: None }));
    assert_eq!(turn.candidate(), None);
}

#[test]
fn stopped_by_length_is_published_and_marked() {
    let mut turn = turn();
    said(&mut turn, [start(), text("Half of"), ResponseEnd(Stop::Length)]);
    let answer = turn.publish(None).unwrap().into_answer();
    assert_eq!((answer.text.as_str(), answer.truncated), ("Half of", true));
}

#[test]
fn pause_turn_beside_a_call_is_a_call() {
    let mut turn = turn();
    let signals = [start(), text("Still.")].into_iter().chain(call("c1")).chain([ResponseEnd(Stop::Pause)]);
    assert!(matches!(said(&mut turn, signals), Decision::Calls(_)));
}

#[test]
fn stopped_by_length_is_withheld_by_option() {
    let mut turn = turn().rule(Rule { withhold_truncated: true, ..Rule::default() });
    turn = turn.public_intermediate(true);
    let cut = [start(), text("Half of"), ResponseEnd(Stop::Length)];
    assert_eq!(said(&mut turn, cut), Decision::Dead(ErrorKind::OutputLimit));
    assert_eq!(turn.candidate(), None);
    let events = turn.take_events();
    assert!(events.iter().all(|event| event.audience() == crate::event::Audience::Operator), "{events:?}");
    assert!(events.contains(&Plain::Decided { message: "r-m1".into(), answer: false }));
    assert_eq!(said(&mut turn, [start(), text("Whole."), ResponseEnd(Stop::Complete)]), Decision::Candidate);
    let calls = [start()].into_iter().chain(call("c")).chain([ResponseEnd(Stop::Length)]);
    assert!(matches!(said(&mut turn, calls), Decision::Calls(_)), "a call is a call whatever the stop says");
}

#[test]
fn stopped_by_length_amid_a_call_publishes_nothing_and_runs_nothing() {
    let cut_after = |pieces: &[&str]| {
        let begun = [start(), text("I'll look."), CallStart { index: 0, id: "a".into(), name: "look".into() }];
        let pieces = pieces.iter().map(|piece| CallArgs { index: 0, delta: (*piece).into() });
        let mut turn = turn();
        let decision = said(&mut turn, begun.into_iter().chain(pieces).chain([ResponseEnd(Stop::Length)]));
        (decision, turn.candidate().is_none())
    };
    for cut in [&[][..], &["{\"city\": \"Os"], &["{", "\"a\": 1"]] {
        assert_eq!(cut_after(cut), (Decision::Dead(ErrorKind::OutputLimit), true), "{cut:?}");
    }
    assert!(matches!(cut_after(&["{\"city\":", " \"Oslo\"}"]).0, Decision::Calls(_)), "this one is whole");
}

#[test]
fn stopped_by_length_where_any_of_several_calls_is_cut_runs_none() {
    let decided = |first: &str, second: &str| {
        let calls = [(0, first), (1, second)].map(|(index, arguments)| {
            let begun = CallStart { index, id: String::new(), name: "look".into() };
            [begun, CallArgs { index, delta: arguments.into() }]
        });
        let end = [ResponseEnd(Stop::Length)];
        said(&mut turn(), [start()].into_iter().chain(calls.into_iter().flatten()).chain(end))
    };
    for (first, second) in [("{\"city\": \"Os", "{}"), ("{}", "{\"ci"), ("{}", "")] {
        assert_eq!(decided(first, second), Decision::Dead(ErrorKind::OutputLimit), "{first} {second}");
    }
    for (first, second) in [("{}", "{}"), ("", "{}")] {
        assert!(
            matches!(decided(first, second), Decision::Calls(_)),
            "{first} {second}: one without arguments is whole"
        );
    }
}
