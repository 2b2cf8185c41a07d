//! Text that turns out to have been reasoning: `…</think>`, whose opening tag never came.

use super::{Decision, TurnOutput};
use crate::error::ErrorKind;
use crate::event::Plain;
use crate::signal::Role;

impl TurnOutput {
    /// The open item's text so far was reasoning: it is no answer, no narration, and no part of what
    /// the model is told that it said. Operators have seen it as it came; where thinking is public it
    /// is written once more, as such. The item goes on, empty; its whole text, if the provider repeats it,
    /// has been streamed all the same.
    pub(super) fn was_reasoning(&mut self) -> Option<Decision> {
        if self.open != Some(Role::Assistant) {
            return None;
        }
        if let Some(held) = self.items.last() {
            self.live.withdraw_item(&held.message);
        }
        self.message_ended(Role::Assistant);
        let held = self.items.pop()?;
        self.raw.truncate(self.raw_before_item);
        if !self.thinking.has_room(&held.text) {
            return Some(Decision::Dead(ErrorKind::OutputLimit));
        }
        if !held.text.is_empty() {
            self.out.push(Plain::Decided { message: held.message, answer: false });
            if self.thinking.public {
                self.thinking.write(&held.text, &mut self.out);
            }
        }
        let end = self.item_started(Role::Assistant, held.phase, held.refusal);
        if let Some(item) = self.items.last_mut() {
            item.came = held.came;
        }
        end
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use crate::redact::PassThrough;
    use crate::signal::Signal::{self, *};
    use crate::signal::{Phase, Stop};
    use crate::turn::early::EarlyStep;
    use crate::turn::{MAX_TEXT, Rule};
    use std::rc::Rc;

    fn turn() -> TurnOutput {
        TurnOutput::new("r", Rc::new(PassThrough), &[]).public_intermediate(true)
    }

    fn text(text: &str) -> Signal {
        Text(text.into())
    }

    fn call() -> Signal {
        CallStart { index: 0, id: "c".into(), name: "look".into() }
    }

    fn said(turn: &mut TurnOutput, signals: Vec<Signal>) -> Decision {
        let signals = [ResponseStart { model: None }].into_iter().chain(signals);
        signals.fold(None, |_, signal| turn.signal(signal)).unwrap()
    }

    /// The texts of events whose type has that beginning.
    fn texts(events: &[Plain], kind: &str) -> String {
        let deltas = events.iter().filter(|event| format!("{event:?}").starts_with(kind)).map(|event| match event {
            Plain::ThinkingDelta { delta, .. } | Plain::NarrationDelta { delta, .. } => delta.as_str(),
            _ => "",
        });
        deltas.collect()
    }

    #[test]
    fn what_was_reasoning_is_neither_answer_nor_narration() {
        let mut turn = turn();
        let signals = vec![text("So."), WasReasoning, text("Fine."), ResponseEnd(Stop::Complete)];
        assert_eq!(said(&mut turn, signals), Decision::Candidate);
        assert_eq!(turn.candidate(), Some("Fine."));
        let events = turn.take_events();
        assert!(events.contains(&Plain::Decided { message: "r-m1".into(), answer: false }));
        assert!(events.contains(&Plain::Decided { message: "r-m2".into(), answer: true }));
        assert_eq!((texts(&events, "Narration"), texts(&events, "Thinking")), (String::new(), String::new()));
    }

    #[test]
    fn where_thinking_is_public_it_is_thinking() {
        let mut turn = turn().public_thinking(true);
        said(&mut turn, vec![text("So."), WasReasoning, text("Fine."), ResponseEnd(Stop::Complete)]);
        let events = turn.take_events();
        assert_eq!((texts(&events, "Narration"), texts(&events, "Thinking")), (String::new(), "So.".to_owned()));
    }

    #[test]
    fn the_model_is_not_told_that_it_said_it() {
        let mut turn = turn();
        let first = [text("One moment."), ItemEnd { text: None }, text("So."), WasReasoning, text("Let me look.")];
        let signals = first.into_iter().chain([call(), ResponseEnd(Stop::Complete)]);
        let Decision::Calls(said) = said(&mut turn, signals.collect()) else { panic!("a call was made") };
        assert_eq!(said.text, "One moment.Let me look.");
    }

    #[test]
    fn the_whole_text_that_a_provider_repeats_does_not_bring_it_back() {
        let whole = || ItemEnd { text: Some("So.Fine.".into()) };
        for more in [vec![], vec![text("Fine.")]] {
            let answer = if more.is_empty() { "" } else { "Fine." };
            let mut turn = turn();
            let signals = [text("So."), WasReasoning].into_iter().chain(more);
            said(&mut turn, signals.chain([whole(), ResponseEnd(Stop::Complete)]).collect());
            assert_eq!(turn.candidate(), Some(answer));
        }
        let mut turn = turn();
        said(&mut turn, vec![text(""), WasReasoning, whole(), ResponseEnd(Stop::Complete)]);
        assert_eq!(turn.candidate(), Some(""), "no item is open yet");
        let item = ItemStart { role: Role::Assistant, phase: Phase::Unmarked };
        said(&mut turn, vec![item, WasReasoning, whole(), ResponseEnd(Stop::Complete)]);
        assert_eq!(turn.candidate(), Some("So.Fine."), "nothing had been streamed");
    }

    #[test]
    fn items_in_front_and_the_phase_stay() {
        let mut turn = turn();
        let item = |phase| ItemStart { role: Role::Assistant, phase };
        let signals = vec![
            item(Phase::FinalAnswer),
            text("Fine."),
            ItemEnd { text: None },
            item(Phase::Commentary),
            text("So."),
            WasReasoning,
            text("Aside."),
            ResponseEnd(Stop::Complete),
        ];
        said(&mut turn, signals);
        assert_eq!(turn.candidate(), Some("Fine."));
        assert_eq!(texts(&turn.take_events(), "Narration"), "Aside.");
    }

    #[test]
    fn what_streamed_early_is_withdrawn() {
        let rule = Rule { early: true, ..Rule::default() };
        let mut turn = turn().rule(rule);
        let item = ItemStart { role: Role::Assistant, phase: Phase::FinalAnswer };
        let signals = vec![item, text("So."), WasReasoning, text("Fine."), ResponseEnd(Stop::Complete)];
        said(&mut turn, signals);
        assert_eq!(turn.candidate(), Some("Fine."));
        let steps: Vec<_> = turn.take_early().into_iter().map(|early| early.into_step()).collect();
        let said = EarlyStep::Delta { message: "r-a".into(), refusal: false, delta: "So.".into() };
        let [EarlyStep::Start { .. }, delta, EarlyStep::Withdrawn { message }] = &steps[..] else {
            panic!("{steps:?}")
        };
        assert_eq!((delta, message.as_str()), (&said, "r-a"));
    }

    #[test]
    fn nothing_but_reasoning_is_an_empty_answer() {
        let mut turn = turn();
        assert_eq!(said(&mut turn, vec![text("So."), WasReasoning, ResponseEnd(Stop::Complete)]), Decision::Candidate);
        assert_eq!(turn.candidate(), Some(""));
    }

    #[test]
    fn outside_of_the_models_own_items_it_says_nothing() {
        let mut turn = turn();
        let other = ItemStart { role: Role::Other, phase: Phase::Unmarked };
        let signals = vec![WasReasoning, text("Fine."), other, WasReasoning, ResponseEnd(Stop::Complete)];
        said(&mut turn, signals);
        assert_eq!(turn.candidate(), Some("Fine."));
    }

    #[test]
    fn it_takes_no_room_from_the_answer() {
        let mut turn = turn();
        let full = "x".repeat(MAX_TEXT);
        let signals = vec![text(&full), WasReasoning, text(&full), ResponseEnd(Stop::Complete)];
        assert_eq!(said(&mut turn, signals), Decision::Candidate);
        assert_eq!(turn.candidate().map(str::len), Some(MAX_TEXT));
    }
}
