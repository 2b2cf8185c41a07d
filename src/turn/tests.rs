use super::*;
use crate::redact::PassThrough;
use crate::signal::Fault;
use crate::signal::Signal::*;

fn turn() -> TurnOutput {
    TurnOutput::new("r", Rc::new(PassThrough), &[])
}

fn start() -> Signal {
    ResponseStart { model: Some("m".into()) }
}

fn text(text: &str) -> Signal {
    Text(text.into())
}

fn item(phase: Phase) -> Signal {
    ItemStart { role: Role::Assistant, phase }
}

fn end() -> Signal {
    ItemEnd { text: None }
}

fn call(id: &str) -> Vec<Signal> {
    vec![
        CallStart { index: 0, id: id.into(), name: "look".into() },
        CallArgs { index: 0, delta: "{}".into() },
        CallEnd { index: 0 },
    ]
}

fn said(turn: &mut TurnOutput, signals: impl IntoIterator<Item = Signal>) -> Decision {
    let mut decision = None;
    for signal in signals {
        assert_eq!(decision, None, "nothing comes after a decision");
        decision = turn.signal(signal);
    }
    decision.expect("a decision")
}

/// The operator's text of each held message, and what became of it.
fn intermediate(turn: &mut TurnOutput) -> Vec<(String, Option<bool>)> {
    let mut held: Vec<(String, String, Option<bool>)> = Vec::new();
    for event in turn.take_events() {
        match event {
            Plain::IntermediateStart { message } => held.push((message, String::new(), None)),
            Plain::IntermediateDelta { message, delta } => {
                held.iter_mut().find(|held| held.0 == message).unwrap().1.push_str(&delta);
            }
            Plain::Decided { message, answer } => {
                held.iter_mut().find(|held| held.0 == message).unwrap().2 = Some(answer);
            }
            _ => {}
        }
    }
    held.into_iter().map(|(_, text, decided)| (text, decided)).collect()
}

#[test]
fn the_message_that_ends_the_turn_is_the_candidate() {
    let mut turn = turn();
    assert_eq!(said(&mut turn, [start(), text("Hel"), text("lo"), ResponseEnd(Stop::Complete)]), Decision::Candidate);
    assert_eq!(turn.candidate(), Some("Hello"));
    assert_eq!(intermediate(&mut turn), [("Hello".to_owned(), Some(true))]);
    let answer = turn.publish(None).unwrap().into_answer();
    assert_eq!((answer.text.as_str(), answer.message.as_str(), answer.truncated), ("Hello", "r-a", false));
}

#[test]
fn a_response_with_a_call_holds_no_answer_whatever_its_stop_says() {
    for stop in [Stop::Complete, Stop::Length] {
        let mut turn = turn();
        let mut signals = vec![start(), text("Let me look.")];
        signals.extend(call("c1"));
        signals.extend([text(" One moment."), ResponseEnd(stop)]);
        let Decision::Calls(said) = said(&mut turn, signals) else { panic!("not calls") };
        assert_eq!(said.text, "Let me look. One moment.");
        assert_eq!(said.calls, [Call { id: "c1".into(), name: "look".into(), arguments: "{}".into() }]);
        assert_eq!(turn.candidate(), None);
        assert_eq!(intermediate(&mut turn), [("Let me look. One moment.".to_owned(), Some(false))]);
    }
}

#[test]
fn an_older_candidate_does_not_survive_a_response_with_calls() {
    let mut turn = turn();
    said(&mut turn, [start(), text("Answer?"), ResponseEnd(Stop::Complete)]);
    let mut signals = vec![start()];
    signals.extend(call("c1"));
    signals.push(ResponseEnd(Stop::Complete));
    said(&mut turn, signals);
    assert_eq!(turn.candidate(), None);
    assert_eq!(turn.halt_text(), "", "never an older narration");
}

#[test]
fn commentary_is_intermediate_beside_a_final_answer() {
    let mut turn = turn();
    let decision = said(
        &mut turn,
        [
            start(),
            item(Phase::FinalAnswer),
            text("42"),
            end(),
            item(Phase::Commentary),
            text("checking"),
            end(),
            ResponseEnd(Stop::Complete),
        ],
    );
    assert_eq!(decision, Decision::Candidate);
    assert_eq!(turn.candidate(), Some("42"));
    assert!(!turn.publish(None).unwrap().into_answer().fallback);
}

#[test]
fn commentary_only_is_published_as_a_fallback() {
    let mut turn = turn();
    said(&mut turn, [start(), item(Phase::Commentary), text("all I have"), end(), ResponseEnd(Stop::Complete)]);
    let answer = turn.publish(None).unwrap().into_answer();
    assert_eq!((answer.text.as_str(), answer.fallback), ("all I have", true));
}

#[test]
fn text_before_a_tool_of_the_provider_is_narration_and_text_after_it_the_answer() {
    let mut turn = turn();
    let tool = ProviderTool { name: "web_search".into() };
    said(&mut turn, [start(), text("Searching."), tool, text("It is 42."), ResponseEnd(Stop::Complete)]);
    assert_eq!(turn.candidate(), Some("It is 42."));
    assert_eq!(intermediate(&mut turn), [("Searching.".to_owned(), Some(false)), ("It is 42.".to_owned(), Some(true))]);
}

#[test]
fn a_pause_goes_on() {
    let mut turn = turn();
    let decision = said(&mut turn, [start(), text("Still at it."), ResponseEnd(Stop::Pause)]);
    assert_eq!(decision, Decision::Continue(Said { text: "Still at it.".into(), calls: vec![] }));
    assert_eq!(turn.candidate(), None);
}

#[test]
fn a_length_stop_is_published_as_truncated() {
    let mut turn = turn();
    said(&mut turn, [start(), text("Half of"), ResponseEnd(Stop::Length)]);
    let answer = turn.publish(None).unwrap().into_answer();
    assert_eq!((answer.text.as_str(), answer.truncated), ("Half of", true));
}

#[test]
fn a_content_filter_or_a_fault_leaves_nothing_to_publish() {
    for (last, kind) in [
        (ResponseEnd(Stop::ContentFilter), ErrorKind::ContentFilter),
        (Error(Fault::Reported), ErrorKind::UpstreamUnavailable),
        (Error(Fault::Cut), ErrorKind::UpstreamUnavailable),
        (Error(Fault::Malformed), ErrorKind::UpstreamMalformed),
    ] {
        let mut turn = turn();
        assert_eq!(said(&mut turn, [start(), text("Half a sent"), last]), Decision::Dead(kind));
        assert_eq!(turn.candidate(), None);
        assert_eq!(intermediate(&mut turn), [("Half a sent".to_owned(), Some(false))]);
    }
}

#[test]
fn what_came_to_nothing_is_not_even_public_narration() {
    for last in [ResponseEnd(Stop::ContentFilter), Error(Fault::Cut)] {
        let mut turn = turn().public_intermediate(true);
        said(&mut turn, [start(), text("Half a sent"), last]);
        assert!(turn.take_events().iter().all(|event| event.audience() == crate::event::Audience::Operator));
    }
}

#[test]
fn a_refusal_is_the_answer_as_a_refusal() {
    let mut turn = turn();
    let signals = [start(), text("Hm."), Refusal("I can't ".into()), Refusal("do that.".into())];
    said(&mut turn, signals.into_iter().chain([ResponseEnd(Stop::Complete)]));
    let answer = turn.publish(None).unwrap().into_answer();
    assert_eq!((answer.text.as_str(), answer.refusal), ("I can't do that.", true));
}

#[test]
fn text_only_in_the_message_object_counts_if_nothing_was_streamed() {
    let mut turn = turn();
    let whole = || ItemEnd { text: Some("whole".into()) };
    said(&mut turn, [start(), item(Phase::Unmarked), whole(), ResponseEnd(Stop::Complete)]);
    assert_eq!(turn.candidate(), Some("whole"));
    said(&mut turn, [start(), item(Phase::Unmarked), text("streamed"), whole(), ResponseEnd(Stop::Complete)]);
    assert_eq!(turn.candidate(), Some("streamed"));
}

#[test]
fn a_message_that_is_not_the_assistants_changes_nothing() {
    let mut turn = turn();
    let other = ItemStart { role: Role::Other, phase: Phase::Unmarked };
    said(&mut turn, [start(), text("mine"), other, text("theirs"), end(), ResponseEnd(Stop::Complete)]);
    assert_eq!(turn.candidate(), Some("mine"));
    turn.push("pending");
    turn.message_ended(Role::Other);
    assert_eq!(turn.halt_text(), "pending");
}

#[test]
fn an_empty_answer_is_an_answer_without_text() {
    let mut turn = turn();
    assert_eq!(said(&mut turn, [start(), ResponseEnd(Stop::Complete)]), Decision::Candidate);
    assert_eq!(turn.candidate(), Some(""));
    assert_eq!(turn.take_events().len(), 1, "only the response's end");
    assert_eq!(turn.publish(None).unwrap().into_answer().text, "");
}

#[test]
fn publishes_at_most_once_and_a_replacement_wins() {
    let mut turn = turn();
    said(&mut turn, [start(), text("mine"), ResponseEnd(Stop::Complete)]);
    assert_eq!(turn.publish(Some("the hook's")).unwrap().into_answer().text, "the hook's");
    assert_eq!(turn.publish(None).unwrap_err().code(), "already_published");
    assert_eq!(turn.hand_over(vec![]).unwrap_err().code(), "already_published");
}

#[test]
fn narration_is_public_only_once_decided_and_never_the_answer() {
    let mut turn = turn().public_intermediate(true);
    let mut signals = vec![start(), text("Looking.")];
    signals.extend(call("c"));
    for signal in signals {
        turn.signal(signal);
    }
    assert!(turn.take_events().iter().all(|event| event.audience() == crate::event::Audience::Operator));
    turn.signal(ResponseEnd(Stop::Complete));
    let public: Vec<_> =
        turn.take_events().into_iter().filter(|e| e.audience() != crate::event::Audience::Operator).collect();
    assert_eq!(
        public,
        [
            Plain::NarrationStart { message: "r-n1".into() },
            Plain::NarrationDelta { message: "r-n1".into(), delta: "Looking.".into() },
            Plain::NarrationEnd { message: "r-n1".into() },
        ]
    );
    said(&mut turn, [start(), text("The answer."), ResponseEnd(Stop::Complete)]);
    assert!(turn.take_events().iter().all(|event| event.audience() == crate::event::Audience::Operator));
}

#[test]
fn thinking_has_scopes_of_its_own_and_is_private_by_default() {
    for public in [false, true] {
        let mut turn = turn().public_thinking(public);
        said(&mut turn, [start(), Reasoning("hm".into()), text("Yes."), ResponseEnd(Stop::Complete)]);
        let message = "r-t1".to_owned();
        let events = turn.take_events();
        assert_eq!(
            events[..3],
            [
                Plain::ThinkingStart { message: message.clone(), public },
                Plain::ThinkingDelta { message: message.clone(), public, delta: "hm".into() },
                Plain::ThinkingEnd { message, public },
            ]
        );
        assert_eq!(turn.candidate(), Some("Yes."));
    }
}

#[test]
fn call_ids_pass_through_unless_used_empty_or_long() {
    let mut turn = TurnOutput::new("r", Rc::new(PassThrough), &["old"]);
    let long = "x".repeat(65);
    let ids = ["new", "old", "", "new", &long];
    let starts = ids.iter().zip(0..).map(|(id, index)| CallStart { index, id: (*id).into(), name: "f".into() });
    let signals: Vec<_> = [start()].into_iter().chain(starts).chain([ResponseEnd(Stop::Complete)]).collect();
    let Decision::Calls(said) = said(&mut turn, signals) else { panic!("not calls") };
    let ids: Vec<_> = said.calls.iter().map(|call| call.id.as_str()).collect();
    assert_eq!(ids, ["new", "r-x1", "r-x2", "r-x3", "r-x4"]);
}

#[test]
fn past_a_bound_the_response_is_dead() {
    let mut turn = turn();
    turn.signal(start());
    let piece = "x".repeat(MAX_TEXT / 2);
    assert_eq!(turn.signal(text(&piece)), None);
    assert_eq!(turn.signal(text(&piece)), None);
    assert_eq!(turn.signal(text("x")), Some(Decision::Dead(ErrorKind::OutputLimit)));
    let mut turn = self::turn();
    turn.signal(start());
    turn.signal(CallStart { index: 0, id: "c".into(), name: "f".into() });
    let args = CallArgs { index: 0, delta: "x".repeat(MAX_ARGUMENTS + 1) };
    assert_eq!(turn.signal(args), Some(Decision::Dead(ErrorKind::OutputLimit)));
    let mut turn = self::turn();
    turn.signal(start());
    for index in 0..MAX_CALLS as u32 {
        assert_eq!(turn.signal(CallStart { index, id: String::new(), name: "f".into() }), None);
    }
    let more = CallStart { index: 99, id: String::new(), name: "f".into() };
    assert_eq!(turn.signal(more), Some(Decision::Dead(ErrorKind::OutputLimit)));
}

#[test]
fn a_failed_attempt_leaves_nothing_behind() {
    let mut turn = turn();
    for signal in [start(), text("half 123.4")] {
        turn.signal(signal);
    }
    turn.attempt_reset();
    said(&mut turn, [start(), text("whole"), ResponseEnd(Stop::Complete)]);
    assert_eq!(turn.candidate(), Some("whole"));
    let events = turn.take_events();
    assert!(events.contains(&Plain::AttemptReset { ordinal: 1 }));
    assert!(events.iter().any(|event| matches!(event, Plain::ResponseEnded { ordinal: 1, .. })));
}

/// Holds back the last byte until more comes, as a redactor does.
struct Tail(String);
impl Filter for Tail {
    fn push(&mut self, text: &str) -> String {
        self.0.push_str(text);
        let last = self.0.pop().map(String::from).unwrap_or_default();
        std::mem::replace(&mut self.0, last)
    }
    fn flush(&mut self) -> String {
        std::mem::take(&mut self.0)
    }
    fn reset(&mut self) {
        self.0.clear();
    }
}
struct Tails;
impl Redactor for Tails {
    fn filter(&self, _: Channel) -> Box<dyn Filter> {
        Box::new(Tail(String::new()))
    }
}

#[test]
fn the_filters_tail_belongs_to_its_message() {
    let mut turn = TurnOutput::new("r", Rc::new(Tails), &[]);
    said(
        &mut turn,
        [
            start(),
            item(Phase::Unmarked),
            text("ab"),
            end(),
            item(Phase::Unmarked),
            text("cd"),
            end(),
            ResponseEnd(Stop::Complete),
        ],
    );
    assert_eq!(turn.candidate(), Some("cd"));
    assert_eq!(intermediate(&mut turn), [("ab".to_owned(), Some(false)), ("cd".to_owned(), Some(true))]);
}

#[test]
fn a_reset_drops_the_filters_tail_unseen() {
    let mut turn = TurnOutput::new("r", Rc::new(Tails), &[]);
    turn.signal(start());
    turn.signal(text("123"));
    turn.attempt_reset();
    said(&mut turn, [start(), text("ok"), ResponseEnd(Stop::Complete)]);
    assert_eq!(turn.candidate(), Some("ok"));
    assert!(!intermediate(&mut turn).iter().any(|(text, _)| text.contains('3')));
}
