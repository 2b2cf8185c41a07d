//! A filter that blocks: what it finds ends the text, and an answer that it blocks is none.

use super::*;
use crate::turn::early::EarlyStep;

/// Ends every text at the first `!`, which it sees only with the byte behind it or the end.
#[derive(Default)]
struct Until {
    held: bool,
    blocked: bool,
}

impl Filter for Until {
    fn push(&mut self, text: &str) -> String {
        let mut out = String::new();
        for character in text.chars() {
            self.blocked |= std::mem::take(&mut self.held);
            self.held = character == '!';
            if !self.blocked && !self.held {
                out.push(character);
            }
        }
        out
    }
    fn flush(&mut self) -> String {
        self.blocked |= std::mem::take(&mut self.held);
        String::new()
    }
    fn reset(&mut self) {
        *self = Until::default();
    }
    fn blocked(&self) -> bool {
        self.blocked
    }
}

struct Stops;
impl Redactor for Stops {
    fn filter(&self, _: Channel) -> Box<dyn Filter> {
        Box::new(Until::default())
    }
}

fn stops() -> TurnOutput {
    TurnOutput::new("r", Rc::new(Stops), &[]).public_intermediate(true)
}

const BLOCKED: Decision = Decision::Dead(ErrorKind::OutputBlocked);

#[test]
fn an_answer_that_is_blocked_is_not_published() {
    for tail in ["ok! no", "ok!", "!", "! "] {
        for signal in [text(tail), Refusal(tail.into()), ItemEnd { text: Some(tail.into()) }] {
            let mut turn = stops();
            let signals = [start(), item(Phase::Unmarked), text("aside"), end(), item(Phase::Unmarked), signal];
            assert_eq!(said(&mut turn, signals.into_iter().chain([ResponseEnd(Stop::Complete)])), BLOCKED, "{tail}");
            assert_eq!(turn.candidate(), None);
            let seen = intermediate(&mut turn);
            let kept = tail.split('!').next().unwrap();
            assert_eq!(seen.first(), Some(&("aside".to_owned(), Some(false))));
            assert_eq!(seen.get(1), Some(&(kept.to_owned(), Some(false))).filter(|_| !kept.is_empty()));
        }
    }
}

#[test]
fn a_turn_goes_on_behind_narration_that_is_blocked() {
    let mut turn = stops();
    let signals = [start(), text("Let me see! x"), text("y")].into_iter().chain(call("c"));
    let Decision::Calls(said) = said(&mut turn, signals.chain([ResponseEnd(Stop::Complete)])) else { panic!() };
    assert_eq!(said.text, "Let me see! xy", "the model is told what it said");
    assert_eq!(turn.halt_text(), "Let me see");
    let events = turn.take_events();
    let narrated = events.iter().filter_map(|event| match event {
        Plain::NarrationDelta { delta, .. } => Some(delta.as_str()),
        _ => None,
    });
    assert_eq!(narrated.collect::<String>(), "Let me see");
    let signals = [start(), text("Fine."), ResponseEnd(Stop::Complete)];
    assert_eq!(self::said(&mut turn, signals), Decision::Candidate, "the next message begins anew");
    assert_eq!(turn.candidate(), Some("Fine."));
}

#[test]
fn commentary_that_is_blocked_takes_no_answer_away() {
    let mut turn = stops();
    let signals = [start(), item(Phase::Commentary), text("So! x"), end(), item(Phase::Unmarked), text("Fine.")];
    assert_eq!(said(&mut turn, signals.into_iter().chain([ResponseEnd(Stop::Complete)])), Decision::Candidate);
    assert_eq!(turn.candidate(), Some("Fine."));
}

#[test]
fn reasoning_ends_where_it_is_blocked_and_the_next_begins_anew() {
    let mut turn = stops().public_thinking(true);
    let signals = [start(), Reasoning("a! b".into()), Reasoning("c".into()), text("x"), Reasoning("d".into())];
    said(&mut turn, signals.into_iter().chain([text("Fine."), ResponseEnd(Stop::Complete)]));
    let events = turn.take_events();
    let thought = events.iter().filter_map(|event| match event {
        Plain::ThinkingDelta { delta, .. } => Some(delta.as_str()),
        _ => None,
    });
    assert_eq!(thought.collect::<Vec<_>>(), ["a", "d"]);
}

#[test]
fn an_early_answer_that_is_blocked_is_withdrawn_at_once() {
    let mut turn = stops().rule(Rule { early: true, ..Rule::default() });
    for signal in [start(), item(Phase::FinalAnswer), text("It is! x")] {
        assert_eq!(turn.signal(signal), None);
    }
    let steps: Vec<_> = turn.take_early().into_iter().map(Early::into_step).collect();
    let message = || "r-a".to_owned();
    let delta = EarlyStep::Delta { message: message(), refusal: false, delta: "It is".into() };
    let start = EarlyStep::Start { message: message(), refusal: false };
    assert_eq!(steps, [start, delta, EarlyStep::Withdrawn { message: message() }]);
    assert_eq!(said(&mut turn, [text("more"), end(), ResponseEnd(Stop::Complete)]), BLOCKED);
    assert!(turn.take_early().is_empty());
}

#[test]
fn a_replacement_that_is_blocked_is_not_published_and_another_may_be() {
    let mut turn = stops();
    said(&mut turn, [start(), text("mine"), ResponseEnd(Stop::Complete)]);
    assert_eq!(turn.publish(Some("yours!")).unwrap_err().code(), "output_blocked");
    assert_eq!(turn.publish(Some("ours")).unwrap().into_answer().text, "ours");
    assert_eq!(turn.publish(Some("theirs!")).unwrap_err().code(), "already_published");
}

#[test]
fn calls_that_are_blocked_are_not_handed_over() {
    let call = |name: &str, arguments: &str| Call { id: "c".into(), name: name.into(), arguments: arguments.into() };
    for blocked in [call("look", "{!}"), call("look!", "{}")] {
        let mut turn = stops();
        assert_eq!(turn.hand_over(vec![call("fine", "{}"), blocked]).unwrap_err().code(), "output_blocked");
        assert_eq!(turn.hand_over(vec![call("fine", "{}")]).unwrap().into_calls().calls.len(), 1);
    }
}

#[test]
fn what_another_attempt_blocked_does_not_block_the_next() {
    let mut turn = stops();
    turn.signal(start());
    turn.signal(text("no! x"));
    turn.attempt_reset();
    said(&mut turn, [start(), text("Fine."), ResponseEnd(Stop::Complete)]);
    assert_eq!(turn.candidate(), Some("Fine."));
}

#[test]
fn names_and_ids_of_others_go_through_the_filter() {
    let mut turn = TurnOutput::new("r", Rc::new(Shouts), &[]);
    let signals = [start()].into_iter().chain(call("c")).chain([ResponseEnd(Stop::Complete)]);
    let Decision::Calls(said) = said(&mut turn, signals) else { panic!() };
    assert_eq!(
        (said.calls[0].id.as_str(), said.calls[0].name.as_str()),
        ("r-x1", "look"),
        "the host runs it by its name"
    );
    let Some(Plain::ResponseEnded { usage, .. }) = turn.take_events().pop() else { panic!() };
    assert_eq!(usage.model.as_deref(), Some("M"));
    assert_eq!(turn.hand_over(said.calls).unwrap().into_calls().calls[0].name, "LOOK");
}

struct Shouts;
impl Redactor for Shouts {
    fn filter(&self, _: Channel) -> Box<dyn Filter> {
        Box::new(Shout)
    }
}

/// Says `[…]` for what it was given, longer by far.
struct Long;
impl Filter for Long {
    fn push(&mut self, text: &str) -> String {
        "[removed]".repeat(text.len())
    }
    fn flush(&mut self) -> String {
        String::new()
    }
    fn reset(&mut self) {}
}
struct Longs;
impl Redactor for Longs {
    fn filter(&self, _: Channel) -> Box<dyn Filter> {
        Box::new(Long)
    }
}

#[test]
fn the_bound_holds_for_what_leaves_too() {
    let turn = || TurnOutput::new("r", Rc::new(Longs), &[]).max_text(20);
    let mut long = turn();
    long.signal(start());
    assert_eq!(long.signal(text("ab")), None);
    assert_eq!(long.signal(text("c")), Some(Decision::Dead(ErrorKind::OutputLimit)));
    let mut replaced = turn();
    assert_eq!(replaced.publish(Some("abc")).unwrap_err().code(), "output_limit");
}

#[test]
fn a_response_that_dies_shows_nobody_what_the_filters_held() {
    let mut turn = TurnOutput::new("r", Rc::new(Tails), &[]).public_thinking(true);
    for signal in [start(), Reasoning("12".into()), text("ab"), Reasoning("34".into())] {
        turn.signal(signal);
    }
    assert_eq!(turn.signal(Error(Fault::Cut)), Some(Decision::Dead(ErrorKind::UpstreamUnavailable)));
    let events = format!("{:?}", turn.take_events());
    assert!(events.contains(r#""3""#) && !events.contains(r#""4""#), "{events}");
    let mut turn = TurnOutput::new("r", Rc::new(Tails), &[]);
    for signal in [start(), text("ab")] {
        turn.signal(signal);
    }
    turn.signal(Error(Fault::Cut));
    assert_eq!(intermediate(&mut turn), [("a".to_owned(), Some(false))]);
}
