//! Every row of the publishing rule's table (design, section 3), by name.

use super::*;

#[test]
fn response_with_a_call_holds_no_answer_whatever_its_stop_says() {
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
fn commentary_only_is_published_and_marked_fallback() {
    let mut turn = turn();
    said(&mut turn, [start(), item(Phase::Commentary), text("all I have"), end(), ResponseEnd(Stop::Complete)]);
    let answer = turn.publish(None).unwrap().into_answer();
    assert_eq!((answer.text.as_str(), answer.fallback), ("all I have", true));
}

#[test]
fn text_before_a_provider_run_tool_is_intermediate_and_text_after_it_the_candidate() {
    let mut turn = turn();
    let tool = ProviderTool { name: "web_search".into() };
    said(&mut turn, [start(), text("Searching."), tool, text("It is 42."), ResponseEnd(Stop::Complete)]);
    assert_eq!(turn.candidate(), Some("It is 42."));
    assert_eq!(intermediate(&mut turn), [("Searching.".to_owned(), Some(false)), ("It is 42.".to_owned(), Some(true))]);
}

#[test]
fn content_filter_stream_error_and_missing_end_mark_publish_nothing() {
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
fn refusal_is_the_answer_as_a_refusal() {
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
    let tool = ProviderTool { name: "t".into() };
    said(&mut turn, [start(), item(Phase::Unmarked), tool, whole(), ResponseEnd(Stop::Complete)]);
    assert_eq!(turn.candidate(), Some("whole"));
    said(&mut turn, [start(), item(Phase::Unmarked), text("streamed"), whole(), ResponseEnd(Stop::Complete)]);
    assert_eq!(turn.candidate(), Some("streamed"));
}

#[test]
fn public_narration_comes_once_decided_and_never_holds_the_answer() {
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
fn public_thinking_is_a_switch_of_its_own_and_off_by_default() {
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
fn retry_of_a_failed_attempt_drops_its_text() {
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

fn with_item(phase: Phase, said: &str) -> Vec<Signal> {
    vec![item(phase), text(said), end()]
}

/// The decision and the candidate of a response that says these items and completes.
fn completed(items: impl IntoIterator<Item = Vec<Signal>>) -> TurnOutput {
    let mut turn = turn();
    let signals = [start()].into_iter().chain(items.into_iter().flatten()).chain([ResponseEnd(Stop::Complete)]);
    assert_eq!(said(&mut turn, signals), Decision::Candidate);
    turn
}

#[test]
fn final_answer_beside_a_function_call_is_no_candidate() {
    for call_first in [false, true] {
        let mut turn = turn();
        let mut parts = [call("c1"), with_item(Phase::FinalAnswer, "It is done.")];
        if !call_first {
            parts.reverse();
        }
        let signals = [start()].into_iter().chain(parts.concat()).chain([ResponseEnd(Stop::Complete)]);
        assert!(matches!(said(&mut turn, signals), Decision::Calls(_)));
        assert_eq!(turn.candidate(), None);
        assert_eq!(intermediate(&mut turn), [("It is done.".to_owned(), Some(false))]);
    }
}

#[test]
fn final_answer_is_the_candidate_wherever_it_stands() {
    for (other, first) in [(Phase::Commentary, true), (Phase::Commentary, false), (Phase::Unmarked, false)] {
        let mut items = [with_item(other, "beside"), with_item(Phase::FinalAnswer, "42")];
        if first {
            items.reverse();
        }
        assert_eq!(completed(items).candidate(), Some("42"), "{other:?}");
    }
    let two = [with_item(Phase::FinalAnswer, "41"), with_item(Phase::FinalAnswer, "42")];
    assert_eq!(completed(two).candidate(), Some("42"), "of several the last");
}

#[test]
fn commentary_and_final_answer_of_equal_text_are_published_once() {
    let mut turn = completed([with_item(Phase::Commentary, "Nine."), with_item(Phase::FinalAnswer, "Nine.")]);
    assert_eq!(intermediate(&mut turn), [("Nine.".to_owned(), Some(false)), ("Nine.".to_owned(), Some(true))]);
    assert_eq!(turn.publish(None).unwrap().into_answer().text, "Nine.");
}

#[test]
fn provider_run_tool_is_no_function_call_and_leaves_the_item_its_mark() {
    let tool = || ProviderTool { name: "web_search".into() };
    let commentary = vec![item(Phase::Commentary), text("Searching."), tool(), text("Found it."), end()];
    let turn = completed([commentary, with_item(Phase::Unmarked, "It is 42.")]);
    assert_eq!(turn.candidate(), Some("It is 42."));
    let marked = vec![item(Phase::FinalAnswer), text("Searching."), tool(), text("It is 42."), end()];
    let turn = completed([marked, with_item(Phase::Unmarked, "Bye.")]);
    assert_eq!(turn.candidate(), Some("It is 42."));
    for (behind, fallback) in [(vec![text("It is 42."), end()], true), (vec![end(), text("It is 42.")], false)] {
        let begun = vec![item(Phase::Commentary), text("Searching."), tool()];
        let answer = completed([begun, behind]).publish(None).unwrap().into_answer();
        assert_eq!((answer.text.as_str(), answer.fallback), ("It is 42.", fallback), "the mark ends with the item");
    }
    let mut turn = completed([vec![text("All I know."), tool()]]);
    assert_eq!(turn.candidate(), Some("All I know."), "an empty answer helps nobody");
    assert!(turn.publish(None).unwrap().into_answer().fallback);
    let theirs = vec![ItemStart { role: Role::Other, phase: Phase::Unmarked }, tool(), text("theirs"), end()];
    let turn = completed([theirs, with_item(Phase::Unmarked, "mine")]);
    assert_eq!(turn.candidate(), Some("mine"), "the tool does not end somebody else's item");
}

#[test]
fn refusal_wins_over_text_beside_it_and_not_over_a_mark() {
    let refusal = || Refusal("I can't.".into());
    for items in [vec![vec![refusal()], vec![text("Sorry.")]], vec![vec![text("Sorry.")], vec![refusal()]]] {
        let answer = completed(items).publish(None).unwrap().into_answer();
        assert_eq!((answer.text.as_str(), answer.refusal), ("I can't.", true));
    }
    let inside = vec![item(Phase::FinalAnswer), refusal(), end()];
    let answer = completed([with_item(Phase::FinalAnswer, "Well:"), inside]).publish(None).unwrap().into_answer();
    assert_eq!((answer.text.as_str(), answer.refusal), ("I can't.", true));
    let commentary = vec![item(Phase::Commentary), refusal(), end()];
    let answer =
        completed([commentary, with_item(Phase::FinalAnswer, "But this.")]).publish(None).unwrap().into_answer();
    assert_eq!((answer.text.as_str(), answer.refusal), ("But this.", false));
}

#[test]
fn text_in_the_message_object_goes_through_the_filter() {
    let mut turn = TurnOutput::new("r", Rc::new(Shout), &[]);
    let whole = ItemEnd { text: Some("whole".into()) };
    said(&mut turn, [start(), item(Phase::Unmarked), whole, ResponseEnd(Stop::Complete)]);
    assert_eq!(turn.candidate(), Some("WHOLE"));
}

#[test]
fn text_in_the_message_object_is_not_said_twice_where_the_filter_holds_all_of_it_back() {
    let mut turn = TurnOutput::new("r", Rc::new(Tails), &[]);
    let whole = ItemEnd { text: Some("x".into()) };
    said(&mut turn, [start(), item(Phase::Unmarked), text("x"), whole, ResponseEnd(Stop::Complete)]);
    assert_eq!(turn.candidate(), Some("x"));
}

#[test]
fn loop_limit_reached_with_calls_leaves_no_candidate() {
    use crate::executor::{Executor, Next, ToolResult};
    use crate::provider::Format;
    let input = Rc::new(crate::run::fixture::input("r"));
    let (mut turn, mut executor) = (turn(), Executor::new(input, Format::ChatCompletions, "m", 2));
    assert_eq!(executor.step(), Next::CallModel);
    for (id, next) in [("c1", Next::CallModel), ("c2", Next::Fail(ErrorKind::StepLimit))] {
        let signals = [start(), text("An answer?")].into_iter().chain(call(id)).chain([ResponseEnd(Stop::Complete)]);
        let decision = said(&mut turn, signals);
        assert!(matches!(executor.decided(decision), Next::RunTools(_)));
        assert_eq!(executor.tool_done(id, ToolResult { ok: true, content: "1".into() }), next);
        assert_eq!(turn.candidate(), None, "an older one is not an answer");
    }
}

#[test]
fn retry_of_an_attempt_that_never_began_names_the_response_that_is_made_again() {
    let mut turn = turn();
    said(&mut turn, [start(), text("Hm."), ResponseEnd(Stop::Pause)]);
    turn.attempt_reset();
    turn.attempt_reset();
    turn.signal(start());
    turn.attempt_reset();
    said(&mut turn, [start(), text("Yes."), ResponseEnd(Stop::Complete)]);
    let events = turn.take_events();
    let resets = events.iter().filter(|event| **event == Plain::AttemptReset { ordinal: 2 });
    assert_eq!(resets.count(), 3);
    let ended = events.iter().filter_map(|event| match event {
        Plain::ResponseEnded { ordinal, .. } => Some(*ordinal),
        _ => None,
    });
    assert_eq!(ended.collect::<Vec<_>>(), [1, 2]);
}

#[test]
fn retry_of_an_attempt_that_died_drops_its_calls_and_its_thinking() {
    let mut turn = turn().public_thinking(true);
    let attempt =
        [start(), Reasoning("hm".into()), text("half")].into_iter().chain(call("c1")).chain([Error(Fault::Cut)]);
    assert_eq!(said(&mut turn, attempt), Decision::Dead(ErrorKind::UpstreamUnavailable));
    turn.attempt_reset();
    assert_eq!(said(&mut turn, [start(), text("whole"), ResponseEnd(Stop::Complete)]), Decision::Candidate);
    assert_eq!((turn.candidate(), turn.halt_text()), (Some("whole"), ""));
}

#[test]
fn whitespace_only_is_published_for_parity() {
    let mut turn = completed([vec![text(" \n")]]);
    assert_eq!(turn.publish(None).unwrap().into_answer().text, " \n");
    let mut turn = completed([with_item(Phase::Unmarked, "Yes."), with_item(Phase::Unmarked, "\n")]);
    assert_eq!(turn.publish(None).unwrap().into_answer().text, "Yes.", "only if it is all that was said");
    let mut turn = completed([with_item(Phase::Commentary, "Hm."), with_item(Phase::FinalAnswer, "\n")]);
    assert_eq!(turn.publish(None).unwrap().into_answer().text, "\n", "beside commentary");
}

#[test]
fn whitespace_only_is_suppressed_by_option() {
    let rule = Rule { suppress_blank: true, ..Rule::default() };
    let mut turn = turn().rule(rule);
    said(&mut turn, [start(), text(" \n"), ResponseEnd(Stop::Complete)]);
    assert_eq!(turn.publish(None).unwrap().into_answer().text, "", "the turn completes, with an empty answer");
    let mut turn = self::turn().rule(rule);
    said(&mut turn, [start(), text(" a\n"), ResponseEnd(Stop::Complete)]);
    assert_eq!(turn.publish(None).unwrap().into_answer().text, " a\n");
}

#[test]
fn thinking_tags_inside_text_stay_whole_unless_the_provider_is_read_otherwise() {
    let tagged = "The tag <think> opens it.</think> So.";
    assert_eq!(completed([vec![text(tagged)]]).candidate(), Some(tagged));
}

#[test]
fn halt_text_is_the_halting_responses_own_or_what_is_pending_and_never_an_older_one() {
    let mut turn = turn();
    let narrated = |words: &str| [start(), text(words)].into_iter().chain(call("c")).collect::<Vec<_>>();
    said(&mut turn, narrated("Let me look.").into_iter().chain([ResponseEnd(Stop::Complete)]));
    assert_eq!(turn.halt_text(), "Let me look.");
    let silent = [start()].into_iter().chain(call("c2")).chain([ResponseEnd(Stop::Complete)]);
    said(&mut turn, silent);
    assert_eq!(turn.halt_text(), "", "its boundary is known, and it said nothing");
    for signal in narrated("Escalating.") {
        turn.signal(signal);
    }
    assert_eq!(turn.halt_text(), "Escalating.", "its boundary is not known: what is pending");
    turn.attempt_reset();
    assert_eq!(turn.halt_text(), "");
}

#[test]
fn after_hook_replaces_the_candidate_through_the_filter() {
    let mut turn = TurnOutput::new("r", Rc::new(Shout), &[]);
    said(&mut turn, [start(), Refusal("no".into()), ResponseEnd(Stop::Length)]);
    let answer = turn.publish(Some("the hook's")).unwrap().into_answer();
    assert_eq!((answer.text.as_str(), answer.refusal, answer.truncated), ("THE HOOK'S", false, false));
}

#[test]
fn state_goes_through_the_filter_in_every_text() {
    let mut turn = TurnOutput::new("r", Rc::new(Shout), &[]);
    turn.signal(State(serde_json::json!({"a": ["b", {"c": "d"}, 1, null], "e": true})));
    let snapshot = serde_json::json!({"A": ["B", {"C": "D"}, 1, null], "E": true});
    assert_eq!(turn.take_events(), [Plain::State { snapshot }]);
}
