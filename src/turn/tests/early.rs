//! The row `early: final_answer`.

use super::*;
use crate::turn::early::EarlyStep::{self, *};

fn early() -> TurnOutput {
    turn().rule(Rule { early: true, ..Rule::default() })
}

fn steps(turn: &mut TurnOutput) -> Vec<EarlyStep> {
    turn.take_early().into_iter().map(Early::into_step).collect()
}

fn begun(message: &str) -> EarlyStep {
    Start { message: message.into(), refusal: false }
}

fn piece(delta: &str) -> EarlyStep {
    Delta { message: "r-a".into(), refusal: false, delta: delta.into() }
}

fn withdrawn() -> EarlyStep {
    Withdrawn { message: "r-a".into() }
}

/// A final answer that has said "It is " and "42."
fn streaming(turn: &mut TurnOutput) {
    for signal in [start(), item(Phase::FinalAnswer), text("It is "), text("42.")] {
        assert_eq!(turn.signal(signal), None);
    }
    assert_eq!(steps(turn), [begun("r-a"), piece("It is "), piece("42.")]);
}

#[test]
fn early_final_answer_streams_live_and_is_closed_by_the_end() {
    let mut turn = early();
    streaming(&mut turn);
    assert_eq!(said(&mut turn, [end(), ResponseEnd(Stop::Complete)]), Decision::Candidate);
    let answer = turn.publish(None).unwrap().into_answer();
    assert_eq!((answer.message.as_str(), answer.text.as_str(), answer.open), ("r-a", "It is 42.", true));
    assert_eq!(steps(&mut turn), []);
}

#[test]
fn early_is_off_unless_asked_for_and_for_marked_items_alone() {
    let mut off = turn();
    said(&mut off, [start(), item(Phase::FinalAnswer), text("42"), end(), ResponseEnd(Stop::Complete)]);
    assert_eq!(steps(&mut off), []);
    assert!(!off.publish(None).unwrap().into_answer().open);
    for phase in [Phase::Unmarked, Phase::Commentary] {
        let mut turn = early();
        said(&mut turn, [start(), item(phase), text("42"), end(), ResponseEnd(Stop::Complete)]);
        assert_eq!(steps(&mut turn), []);
        let answer = turn.publish(None).unwrap().into_answer();
        assert_eq!((answer.message.as_str(), answer.open), ("r-a", false));
    }
}

#[test]
fn early_answer_is_withdrawn_by_a_call_and_the_mark_is_not_believed_again() {
    let mut turn = early();
    streaming(&mut turn);
    let calls = [end()].into_iter().chain(call("c"));
    let after = [item(Phase::FinalAnswer), text("more"), end(), ResponseEnd(Stop::Complete)];
    assert!(matches!(said(&mut turn, calls.chain(after)), Decision::Calls(_)));
    assert_eq!(steps(&mut turn), [withdrawn()]);
    said(&mut turn, [start(), item(Phase::FinalAnswer), text("43."), end(), ResponseEnd(Stop::Complete)]);
    assert_eq!(steps(&mut turn), []);
    let answer = turn.publish(None).unwrap().into_answer();
    assert_eq!((answer.message.as_str(), answer.text.as_str(), answer.open), ("r-a2", "43.", false));
}

#[test]
fn early_does_not_begin_behind_a_call() {
    let mut turn = early();
    let signals = [start()].into_iter().chain(call("c"));
    said(&mut turn, signals.chain([item(Phase::FinalAnswer), text("x"), ResponseEnd(Stop::Complete)]));
    assert_eq!(steps(&mut turn), []);
}

#[test]
fn early_answer_is_withdrawn_by_every_end_that_makes_it_none() {
    let rule = Rule { early: true, withhold_truncated: true, ..Rule::default() };
    for end in [
        Error(Fault::Cut),
        Error(Fault::Malformed),
        ResponseEnd(Stop::ContentFilter),
        ResponseEnd(Stop::Pause),
        ResponseEnd(Stop::Length),
    ] {
        let mut turn = turn().rule(rule);
        streaming(&mut turn);
        assert_ne!(said(&mut turn, [end]), Decision::Candidate);
        assert_eq!(steps(&mut turn), [withdrawn()]);
    }
    let mut cut = early();
    streaming(&mut cut);
    cut.attempt_reset();
    assert_eq!(steps(&mut cut), [withdrawn()]);
    let mut anew = early();
    streaming(&mut anew);
    anew.signal(start());
    assert_eq!(steps(&mut anew), [withdrawn()]);
}

#[test]
fn early_answer_is_withdrawn_where_another_message_is_the_answer() {
    let other = [item(Phase::FinalAnswer), text("43."), end()];
    let refusal = [item(Phase::Unmarked), Refusal("43.".into()), end()];
    let tool = [ProviderTool { name: "t".into() }, text("43."), end()];
    for more in [other, refusal, tool] {
        let mut turn = early();
        streaming(&mut turn);
        said(&mut turn, more.into_iter().chain([ResponseEnd(Stop::Complete)]));
        assert_eq!(steps(&mut turn), [withdrawn()]);
        let answer = turn.publish(None).unwrap().into_answer();
        assert_eq!((answer.message.as_str(), answer.text.as_str(), answer.open), ("r-a2", "43.", false));
    }
    let mut turn = early();
    streaming(&mut turn);
    let commentary = [end(), item(Phase::Commentary), text("bye"), end(), ResponseEnd(Stop::Complete)];
    said(&mut turn, commentary);
    assert!(turn.publish(None).unwrap().into_answer().open, "commentary behind it changes nothing");
}

#[test]
fn early_answer_is_withdrawn_for_a_replacement_of_the_hook() {
    let mut turn = early();
    streaming(&mut turn);
    said(&mut turn, [ResponseEnd(Stop::Complete)]);
    let answer = turn.publish(Some("Better.")).unwrap().into_answer();
    assert_eq!((answer.message.as_str(), answer.text.as_str(), answer.open), ("r-a2", "Better.", false));
    assert_eq!(steps(&mut turn), [withdrawn()]);
}

#[test]
fn early_tail_of_the_filter_leaves_before_the_answer_can_end() {
    let mut turn = TurnOutput::new("r", Rc::new(Tails), &[]).rule(Rule { early: true, ..Rule::default() });
    for signal in [start(), item(Phase::FinalAnswer), text("ab"), end()] {
        turn.signal(signal);
    }
    assert_eq!(steps(&mut turn), [begun("r-a"), piece("a"), piece("b")]);
    said(&mut turn, [ResponseEnd(Stop::Complete)]);
    assert!(turn.publish(None).unwrap().into_answer().open);
}

#[test]
fn early_tail_of_the_filter_stays_where_what_it_ends_is_no_answer() {
    let rule = Rule { early: true, withhold_truncated: true, ..Rule::default() };
    for end in [
        WasReasoning,
        Error(Fault::Cut),
        ResponseEnd(Stop::ContentFilter),
        ResponseEnd(Stop::Pause),
        ResponseEnd(Stop::Length),
        CallStart { index: 0, id: "c".into(), name: "look".into() },
    ] {
        let mut turn = TurnOutput::new("r", Rc::new(Tails), &[]).rule(rule);
        for signal in [start(), item(Phase::FinalAnswer), text("ab"), end.clone(), self::end()] {
            turn.signal(signal);
        }
        assert_eq!(steps(&mut turn), [begun("r-a"), piece("a"), withdrawn()], "{end:?}");
    }
}

/// Lets nothing go before the message ends.
struct Hold(String);
impl Filter for Hold {
    fn push(&mut self, text: &str) -> String {
        self.0.push_str(text);
        String::new()
    }
    fn flush(&mut self) -> String {
        std::mem::take(&mut self.0).replace("secret", "***")
    }
    fn reset(&mut self) {
        self.0.clear();
    }
}
struct Holds;
impl Redactor for Holds {
    fn filter(&self, _: Channel) -> Box<dyn Filter> {
        Box::new(Hold(String::new()))
    }
}

#[test]
fn early_text_never_leaves_before_the_filter_lets_it_go() {
    let mut turn = TurnOutput::new("r", Rc::new(Holds), &[]).rule(Rule { early: true, ..Rule::default() });
    for signal in [start(), item(Phase::FinalAnswer), text("a sec"), text("ret")] {
        turn.signal(signal);
    }
    assert_eq!((turn.take_events().len(), steps(&mut turn)), (0, vec![]));
    turn.attempt_reset();
    let public = [Reasoning("my sec".into()), item(Phase::FinalAnswer), text("the sec"), WasReasoning];
    for signal in [start()].into_iter().chain(public).chain([text("x sec"), text("ret")]) {
        turn.signal(signal);
    }
    assert_eq!(steps(&mut turn), [], "nothing was streamed, so nothing is withdrawn");
    turn.signal(end());
    assert_eq!(steps(&mut turn), [begun("r-a"), piece("x ***")], "and the mark is still believed");
    assert_eq!(said(&mut turn, [ResponseEnd(Stop::Complete)]), Decision::Candidate);
    assert!(turn.publish(None).unwrap().into_answer().open);
}

#[test]
fn a_filter_that_holds_all_back_changes_nothing_of_what_is_decided() {
    let signals = || {
        let tool = ProviderTool { name: "t".into() };
        let repeated = ItemEnd { text: Some("no".into()) };
        let whole = ItemEnd { text: Some("My secret end".into()) };
        let first = [start(), item(Phase::Unmarked), text("One"), tool, text("Two"), repeated, item(Phase::Unmarked)];
        first.into_iter().chain([whole, item(Phase::Commentary), text("Bye"), end(), ResponseEnd(Stop::Complete)])
    };
    let heard = |redactor: Rc<dyn Redactor>| {
        let mut turn = TurnOutput::new("r", redactor, &[]).public_intermediate(true);
        said(&mut turn, signals());
        let events = turn.take_events();
        (turn.publish(None).unwrap().into_answer().text, events)
    };
    let (answer, held) = heard(Rc::new(Holds));
    let (plain, passed) = heard(Rc::new(PassThrough));
    assert_eq!((answer.as_str(), plain.as_str()), ("My *** end", "My secret end"));
    assert_eq!(format!("{held:?}"), format!("{passed:?}").replace("secret", "***"));
}

#[test]
fn early_refusal_streams_as_a_refusal() {
    let mut turn = early();
    said(&mut turn, [start(), item(Phase::FinalAnswer), Refusal("no".into()), end(), ResponseEnd(Stop::Complete)]);
    let message = || "r-a".to_owned();
    assert_eq!(
        steps(&mut turn),
        [Start { message: message(), refusal: true }, Delta { message: message(), refusal: true, delta: "no".into() }]
    );
    assert!(turn.publish(None).unwrap().into_answer().open);
}

#[test]
fn early_white_space_waits_for_more_where_blank_answers_are_suppressed() {
    let rule = Rule { early: true, suppress_blank: true, ..Rule::default() };
    let mut turn = turn().rule(rule);
    for signal in [start(), item(Phase::FinalAnswer), text("\n")] {
        turn.signal(signal);
    }
    assert_eq!(steps(&mut turn), []);
    turn.signal(text("42"));
    assert_eq!(steps(&mut turn), [begun("r-a"), piece("\n42")]);
    let mut turn = self::turn().rule(rule);
    said(&mut turn, [start(), item(Phase::FinalAnswer), text("\n"), end(), ResponseEnd(Stop::Complete)]);
    let answer = turn.publish(None).unwrap().into_answer();
    assert_eq!((answer.text.as_str(), answer.open, steps(&mut turn).len()), ("", false, 0));
}
