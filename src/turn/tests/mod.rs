use super::*;
use crate::redact::PassThrough;
use crate::signal::Fault;
use crate::signal::Signal::*;

mod blocks;
mod cuts;
mod early;
mod rows;
mod stops;

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
            Plain::IntermediateDelta { message, delta, .. } => {
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

#[test]
fn a_second_start_within_a_response_makes_void_what_came_before_it() {
    let mut turn = turn().public_intermediate(true);
    let first =
        [start(), text("Half an"), Signal::Usage(crate::signal::Usage { input: Some(9), ..Default::default() })];
    let first = first.into_iter().chain(call("c1")).chain([Kept(serde_json::json!({"anthropic": []}))]);
    let again = [ResponseStart { model: Some("n".into()) }, text("Fine."), ResponseEnd(Stop::Complete)];
    assert_eq!(said(&mut turn, first.chain(again)), Decision::Candidate, "its call is void too");
    assert_eq!(turn.candidate(), Some("Fine."));
    let events = turn.take_events();
    assert_eq!(events.iter().filter(|event| matches!(event, Plain::AttemptReset { ordinal: 1 })).count(), 1);
    assert!(!events.iter().any(|event| matches!(event, Plain::NarrationStart { .. })), "it is not even narration");
    let ended = events.iter().find_map(|event| match event {
        Plain::ResponseEnded { ordinal, usage, .. } => Some((*ordinal, usage.clone())),
        _ => None,
    });
    let usage = ModelUsage { model: Some("n".into()), tokens: Default::default() };
    assert_eq!(ended, Some((1, usage)), "it is one response");

    let mut turn = TurnOutput::new("r", Rc::new(PassThrough), &[]);
    let signals = [start()].into_iter().chain(call("c1")).chain([start()]).chain(call("c1"));
    let Decision::Calls(said) = said(&mut turn, signals.chain([ResponseEnd(Stop::Complete)])) else { panic!() };
    assert_eq!(said.calls.iter().map(|call| &*call.id).collect::<Vec<_>>(), ["c1"], "nobody has heard of the first");
    assert_eq!(said.kept, None);
}

#[test]
fn a_reset_ends_the_thinking_and_drops_its_tail_unseen() {
    let mut turn = TurnOutput::new("r", Rc::new(Tails), &[]).public_thinking(true);
    turn.signal(start());
    turn.signal(Reasoning("123".into()));
    turn.attempt_reset();
    said(&mut turn, [start(), Reasoning("ok".into()), ResponseEnd(Stop::Complete)]);
    let events = turn.take_events();
    let end = |message: &str| Plain::ThinkingEnd { message: message.into(), public: true };
    let at = |event: &Plain| events.iter().position(|other| other == event).unwrap();
    assert!(at(&end("r-t1")) < at(&Plain::AttemptReset { ordinal: 1 }));
    let deltas = events.iter().filter_map(|event| match event {
        Plain::ThinkingDelta { message, delta, .. } => Some((message.as_str(), delta.as_str())),
        _ => None,
    });
    assert_eq!(deltas.collect::<Vec<_>>(), [("r-t1", "12"), ("r-t2", "o"), ("r-t2", "k")]);
}

#[test]
fn a_call_of_a_failed_attempt_uses_up_no_id() {
    let mut turn = TurnOutput::new("r", Rc::new(PassThrough), &["old"]);
    for id in ["c1", "old"] {
        turn.signal(start());
        call(id).into_iter().for_each(|signal| _ = turn.signal(signal));
        turn.attempt_reset();
    }
    let signals = [start()].into_iter().chain(call("c1")).chain(call("old")).chain([ResponseEnd(Stop::Complete)]);
    let Decision::Calls(said) = said(&mut turn, signals) else { panic!("not calls") };
    assert_eq!(said.calls.iter().map(|call| call.id.as_str()).collect::<Vec<_>>(), ["c1", "r-x2"]);
}

#[test]
fn a_response_that_was_left_undecided_leaves_nothing_to_the_next() {
    let mut turn = TurnOutput::new("r", Rc::new(Tails), &[]).public_thinking(true);
    turn.signal(start());
    call("c").into_iter().for_each(|signal| _ = turn.signal(signal));
    turn.signal(Reasoning("ab".into()));
    turn.signal(text("123"));
    assert_eq!(turn.signal(text(&"x".repeat(MAX_TEXT))), Some(Decision::Dead(ErrorKind::OutputLimit)));
    turn.signal(Reasoning("cd".into()));
    assert_eq!(said(&mut turn, [start(), text("ok"), ResponseEnd(Stop::Complete)]), Decision::Candidate);
    assert_eq!(turn.candidate(), Some("ok"));
    let events = turn.take_events();
    let count = |wanted: fn(&Plain) -> bool| events.iter().filter(|event| wanted(event)).count();
    let of = |start, end| (count(start), count(end));
    let held = of(|e| matches!(e, Plain::IntermediateStart { .. }), |e| matches!(e, Plain::IntermediateEnd { .. }));
    let thought = of(|e| matches!(e, Plain::ThinkingStart { .. }), |e| matches!(e, Plain::ThinkingEnd { .. }));
    assert_eq!((held, thought), ((2, 2), (2, 2)), "what was open is closed");
}

/// Writes everything in capitals.
struct Shout;
impl Filter for Shout {
    fn push(&mut self, text: &str) -> String {
        text.to_uppercase()
    }
    fn flush(&mut self) -> String {
        String::new()
    }
    fn reset(&mut self) {}
}
impl Redactor for Shout {
    fn filter(&self, _: Channel) -> Box<dyn Filter> {
        Box::new(Shout)
    }
}

#[test]
fn items_have_a_bound_and_empty_ones_cost_nothing() {
    let mut turn = turn();
    turn.signal(start());
    for _ in 0..3 * MAX_ITEMS {
        assert_eq!(turn.signal(item(Phase::Unmarked)), None);
    }
    for _ in 0..MAX_ITEMS {
        assert_eq!(turn.signal(item(Phase::Unmarked)), None);
        assert_eq!(turn.signal(text("x")), None);
    }
    assert_eq!(turn.signal(item(Phase::Unmarked)), Some(Decision::Dead(ErrorKind::OutputLimit)));
}

#[test]
fn what_is_pushed_into_somebody_elses_message_leaks_into_no_other() {
    let mut turn = TurnOutput::new("r", Rc::new(Tails), &[]);
    turn.signal(start());
    turn.signal(ItemStart { role: Role::Other, phase: Phase::Unmarked });
    turn.push("theirs");
    said(&mut turn, [end(), text("mine"), ResponseEnd(Stop::Complete)]);
    assert_eq!(turn.candidate(), Some("mine"));
}
