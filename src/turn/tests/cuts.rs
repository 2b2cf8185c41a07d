//! Pieces that come together are one for the turn, and come to the same as one by one.

use super::*;
use crate::event::PIECE;
use crate::redact::{Channel, Filter, Redactor};
use proptest::prelude::*;

/// Holds the last letters back, and makes each seven `[7]`.
#[derive(Default)]
struct Late(String);

impl Filter for Late {
    fn push(&mut self, text: &str) -> String {
        self.0.push_str(text);
        let at = self.0.floor_char_boundary(self.0.len().saturating_sub(3));
        let rest = self.0.split_off(at);
        std::mem::replace(&mut self.0, rest).replace('7', "[7]")
    }

    fn flush(&mut self) -> String {
        std::mem::take(&mut self.0).replace('7', "[7]")
    }

    fn reset(&mut self) {
        self.0.clear();
    }
}

struct Lates;

impl Redactor for Lates {
    fn filter(&self, channel: Channel) -> Box<dyn Filter> {
        match channel {
            Channel::Text | Channel::Thinking => Box::new(Late::default()),
            _ => Box::new(PassThrough),
        }
    }
}

/// What a turn has said and decided, told in batches; and the parts that its held text is in.
fn told(
    signals: &[Signal],
    batch: usize,
    joining: Option<bool>,
) -> (Vec<Plain>, Vec<String>, Option<Decision>, Option<String>) {
    let turn = TurnOutput::new("r", Rc::new(Lates), &[]).max_text(1 << 18);
    let mut turn = if let Some(apart) = joining { turn.joining(apart) } else { turn };
    let (mut events, mut parts, mut decision) = (Vec::new(), Vec::new(), None);
    for batch in signals.chunks(batch.max(1)) {
        let mut batch = batch.to_vec();
        if joining.is_some() {
            turn.join(&mut batch);
        }
        for signal in batch {
            decision = decision.or(turn.signal(signal));
        }
        for event in turn.take_events() {
            if let Plain::IntermediateDelta { delta, cuts, .. } = &event {
                assert!(delta.len() <= PIECE && cuts.is_sorted());
                let mut from = 0;
                for end in cuts.iter().map(|cut| *cut as usize).chain([delta.len()]) {
                    assert!(end > from, "no part is empty: {cuts:?}");
                    parts.push(delta[from..end].to_owned());
                    from = end;
                }
            }
            match (events.last_mut(), event) {
                (Some(Plain::IntermediateDelta { delta, .. }), Plain::IntermediateDelta { delta: more, .. })
                | (Some(Plain::ThinkingDelta { delta, .. }), Plain::ThinkingDelta { delta: more, .. }) => {
                    delta.push_str(&more)
                }
                (_, Plain::IntermediateDelta { message, delta, .. }) => {
                    events.push(Plain::IntermediateDelta { message, delta, cuts: Vec::new() });
                }
                (_, event) => events.push(event),
            }
        }
    }
    (events, parts, decision, turn.candidate().map(str::to_owned))
}

fn any_signal() -> impl Strategy<Value = Signal> {
    prop_oneof![
        12 => "[a-z7é]{0,6}".prop_map(Signal::Text),
        3 => "[a-z7]{0,4}".prop_map(Signal::Reasoning),
        1 => Just(Signal::WasReasoning),
        1 => Just(item(Phase::Commentary)),
        1 => Just(end()),
        1 => "[a-z]{1,3}".prop_map(Signal::Refusal),
        1 => Just(Signal::ProviderTool { name: "search".into() }),
    ]
}

proptest! {
    #[test]
    fn what_comes_together_comes_to_the_same(
        signals in proptest::collection::vec(any_signal(), 0..60), batch in 1..70usize, apart in any::<bool>(),
    ) {
        let signals: Vec<_> = [start()].into_iter().chain(signals).chain([ResponseEnd(Stop::Complete)]).collect();
        let (events, _, decision, candidate) = told(&signals, 1, None);
        let (joined, _, decided, answer) = told(&signals, batch, Some(apart));
        prop_assert_eq!(joined, events);
        prop_assert_eq!((decided, answer), (decision, candidate));
    }

    #[test]
    fn pieces_stay_apart_where_nothing_is_removed(pieces in proptest::collection::vec("[a-zé]{1,6}", 1..60)) {
        let texts = pieces.iter().map(|piece| text(piece));
        let signals: Vec<_> = [start()].into_iter().chain(texts).chain([ResponseEnd(Stop::Complete)]).collect();
        prop_assert_eq!(told(&signals, signals.len(), Some(true)).1, pieces);
    }
}

#[test]
fn what_stands_behind_something_that_was_removed_comes_piece_by_piece() {
    let signals = |texts: &[&str]| texts.iter().map(|piece| text(piece)).collect::<Vec<_>>();
    let mut said = vec![start()];
    said.extend(signals(&["abc", "d7f", "ghi", "jkl", "mno", "pqr"]));
    said.push(ResponseEnd(Stop::Complete));
    // Three together, then three.
    let (_, parts, ..) = told(&said, 4, Some(true));
    assert_eq!(parts, ["abc", "d[7]f", "ghi", "jkl", "mno", "pqr"]);
    // All of them.
    let (_, parts, ..) = told(&said, said.len(), Some(true));
    assert_eq!(parts, ["abc", "d[7]fghijklmno", "pqr"]);
}

#[test]
fn many_pieces_or_long_ones_stay_apart_too() {
    for pieces in [vec!["a".to_owned(); 4_000], vec!["b".repeat(PIECE / 3); 12]] {
        let texts = pieces.iter().map(|piece| text(piece));
        let signals: Vec<_> = [start()].into_iter().chain(texts).chain([ResponseEnd(Stop::Complete)]).collect();
        let (_, parts, ..) = told(&signals, signals.len(), Some(true));
        assert!(parts.iter().all(|part| part.len() <= pieces[0].len()) && parts.len() < pieces.len() + 20);
    }
}

#[test]
fn a_turn_that_passes_its_bound_ends_with_the_same_piece() {
    for piece in [9, 900, 70_000] {
        let mut signals = vec![start()];
        signals.extend((0..=(1 << 18) / piece + 1).map(|_| text(&"x".repeat(piece))));
        let (events, _, decision, _) = told(&signals, 1, None);
        assert_eq!(decision, Some(Decision::Dead(ErrorKind::OutputLimit)));
        for batch in [7, 100, 10_000] {
            let (joined, _, decided, _) = told(&signals, batch, Some(true));
            assert!(joined == events && decided == decision, "{piece} by {batch}");
        }
    }
}
