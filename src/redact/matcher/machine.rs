//! An automaton made ready for the rules that are switched on.

use super::Rule;
use crate::redact::pattern::Dfa;
use crate::redact::rules::Lookback;
use crate::redact::settings::Overflow;

/// In place of a byte before: there is none.
pub(super) const NONE: usize = 256;
/// A candidate of this length may always still match.
const ANY: u32 = u32::MAX;

/// What happens to candidates of the machine's one rule that hold back too much.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bound {
    pub(super) rule: u16,
    pub(super) hold: u64,
    pub(super) overflow: Overflow,
}

/// The automaton. Its states stand in this order: dead (0); alive; alive and a match; a match only. So one
/// comparison tells of a state whether anything but to go on is to be done.
#[derive(Debug)]
pub(crate) struct Machine {
    class: Box<[u8; 256]>,
    stride: usize,
    next: Vec<u16>,
    /// The state to start from by the byte before.
    start: Vec<u16>,
    /// The last state that is alive and no match.
    pub(super) plain: u16,
    /// The last state that is alive.
    live: u16,
    /// By state beyond `plain`: the rules that match, ascending.
    hits: Vec<Box<[u16]>>,
    /// By state that is alive: candidates in it can't be told from their state alone.
    apart: Vec<bool>,
    /// By state that is alive: the longest that a candidate in it may be, if it is still to match. Empty if
    /// no rule sets a length.
    most: Vec<u32>,
    pub(super) bound: Option<Bound>,
    pub(super) lookback: Option<Lookback>,
    /// A step is more than its table says.
    pub(super) careful: bool,
    /// The number of its state 0 among the states of all machines.
    pub(super) offset: usize,
}

impl Machine {
    /// Makes an automaton ready. `numbers` says which of `rules` each of its own is, if it is switched on.
    /// None if no rule is.
    pub(crate) fn new(
        dfa: &Dfa,
        numbers: &dyn Fn(u16) -> Option<u16>,
        rules: &[Rule],
        lookback: Option<Lookback>,
    ) -> Option<Machine> {
        let stride = dfa.classes + 1;
        let states = dfa.matched.len();
        let hits: Vec<Vec<u16>> = (dfa.sets.iter())
            .map(|set| {
                let mut on = Vec::new();
                for number in set.iter().filter_map(|&rule| numbers(rule)) {
                    let at = on.iter().position(|&other| other > number).unwrap_or(on.len());
                    on.insert(at, number);
                }
                on
            })
            .collect();
        let hit = |state: usize| hits.get(usize::from(dfa.matched.get(state).copied().unwrap_or(0)));
        let is_hit = |state: usize| hit(state).is_some_and(|set| !set.is_empty());
        let row = |state: usize| dfa.next.get(state * stride..(state + 1) * stride).unwrap_or(&[]);
        let live = backwards(states, |state, live: &[bool]| {
            let mut after = row(state).iter().map(|&next| usize::from(next));
            after.any(|next| is_hit(next) || live.get(next) == Some(&true))
        });
        let is_live = |state: usize| live.get(state) == Some(&true);

        let mut numbered = vec![0u16; states];
        let mut count = 0u16;
        let (mut order, mut ends) = (Vec::new(), Vec::new());
        for (alive, matches) in [(true, false), (true, true), (false, true)] {
            for state in 1..states {
                if is_live(state) == alive && is_hit(state) == matches {
                    count = count.checked_add(1)?;
                    order.push(state);
                    *numbered.get_mut(state)? = count;
                }
            }
            ends.push(count);
        }
        let &[plain, last_live, _] = ends.as_slice() else { return None };
        if last_live == 0 {
            return None;
        }
        let renumber = |state: u16| numbered.get(usize::from(state)).copied().unwrap_or(0);
        let alive = order.get(..usize::from(last_live))?;
        let mut next = vec![0; stride];
        for &state in alive {
            next.extend(row(state).iter().map(|&next| renumber(next)));
        }
        let mut class = Box::new([0u8; 256]);
        class.iter_mut().zip(&dfa.class).for_each(|(to, from)| *to = *from);
        let mut start: Vec<u16> =
            class.iter().map(|&class| dfa.start.get(usize::from(class)).copied().unwrap_or(0)).collect();
        start.push(dfa.start.get(dfa.classes).copied().unwrap_or(0));
        start.iter_mut().for_each(|state| *state = Some(renumber(*state)).filter(|&it| it <= last_live).unwrap_or(0));

        let of = |state: usize| {
            hit(state).map(Vec::as_slice).unwrap_or_default().iter().filter_map(|&it| rules.get(usize::from(it)))
        };
        let apart = backwards(states, |state, apart: &[bool]| {
            let mut after = row(state).iter().map(|&next| usize::from(next));
            after.any(|next| of(next).any(Rule::looks_at_the_whole) || apart.get(next) == Some(&true))
        });
        let limited = order.iter().any(|&state| of(state).any(|rule| rule.longest.is_some()));
        let most = if limited { longest(states, row, of, is_live) } else { Vec::new() };
        let by_state = |state: &usize| most.get(*state).copied().unwrap_or(ANY);
        let bound = hits.iter().flatten().find_map(|&rule| {
            let facts = rules.get(usize::from(rule))?;
            Some(Bound { rule, hold: facts.hold, overflow: facts.overflow? })
        });
        Some(Machine {
            stride,
            next,
            start,
            plain,
            live: last_live,
            hits: (order.get(usize::from(plain)..)?.iter())
                .map(|&state| hit(state).map(Vec::as_slice).unwrap_or_default().into())
                .collect(),
            apart: [false].into_iter().chain(alive.iter().map(|&state| apart.get(state) == Some(&true))).collect(),
            most: if limited { [ANY].into_iter().chain(alive.iter().map(by_state)).collect() } else { Vec::new() },
            careful: bound.is_some() || lookback.is_some() || limited,
            bound,
            lookback,
            class,
            offset: 0,
        })
    }

    /// How many numbers its states that are alive take, with the dead one.
    pub(super) fn size(&self) -> usize {
        usize::from(self.live) + 1
    }

    /// The state behind a byte.
    #[inline(always)]
    #[allow(clippy::indexing_slicing, reason = "there is a class for every byte, and no check that it is there")]
    pub(super) fn step(&self, state: u16, byte: u8) -> u16 {
        let class = self.class[usize::from(byte)];
        self.next.get(usize::from(state) * self.stride + usize::from(class)).copied().unwrap_or(0)
    }

    /// The state behind the end of input.
    pub(super) fn end(&self, state: u16) -> u16 {
        self.next.get((usize::from(state) + 1) * self.stride - 1).copied().unwrap_or(0)
    }

    /// The state from which it starts behind that byte, or [`NONE`].
    #[inline]
    pub(super) fn start(&self, before: usize) -> u16 {
        self.start.get(before).copied().unwrap_or(0)
    }

    /// The state that a byte opens behind another; 0 for none.
    #[inline]
    pub(super) fn opened(&self, before: usize, byte: u8) -> u16 {
        self.step(self.start(before), byte)
    }

    /// True if the state may still come to a match.
    #[inline]
    pub(super) fn is_live(&self, state: u16) -> bool {
        state.wrapping_sub(1) < self.live
    }

    /// True if the state is alive, and no match.
    #[inline(always)]
    pub(super) fn is_plain(&self, state: u16) -> bool {
        state.wrapping_sub(1) < self.plain
    }

    /// The rules that match before the byte that led to the state.
    pub(super) fn hits(&self, state: u16) -> &[u16] {
        let at = usize::from(state).checked_sub(usize::from(self.plain) + 1);
        at.and_then(|at| self.hits.get(at)).map(|set| &**set).unwrap_or_default()
    }

    /// True if two candidates in the state may come to different ends.
    #[inline]
    pub(super) fn keeps_apart(&self, state: u16) -> bool {
        self.apart.get(usize::from(state)).copied().unwrap_or(true)
    }

    /// How long a candidate in the state may be that may still match.
    #[inline]
    pub(super) fn most(&self, state: u16) -> u64 {
        self.most.get(usize::from(state)).filter(|&&most| most != ANY).map_or(u64::MAX, |&most| u64::from(most))
    }
}

/// By state, what holds if `holds` of it: by what holds of the states behind it, until nothing is added.
fn backwards(states: usize, holds: impl Fn(usize, &[bool]) -> bool) -> Vec<bool> {
    let mut known = vec![false; states];
    loop {
        let mut more = false;
        // States are numbered as they were found, so nearly all is known after one pass from the back.
        for state in (1..states).rev() {
            if known.get(state) == Some(&false) && holds(state, &known) {
                more = true;
                if let Some(known) = known.get_mut(state) {
                    *known = true;
                }
            }
        }
        if !more {
            return known;
        }
    }
}

/// By state, how long a candidate in it may be to match within the length that a rule sets.
fn longest<'a, R: Iterator<Item = &'a Rule>>(
    states: usize,
    row: impl Fn(usize) -> &'a [u16],
    of: impl Fn(usize) -> R,
    is_live: impl Fn(usize) -> bool,
) -> Vec<u32> {
    let mut most = vec![0u32; states];
    loop {
        let mut more = false;
        for state in (1..states).rev() {
            let mut best = 0;
            for &next in row(state) {
                let next = usize::from(next);
                for rule in of(next) {
                    best = best.max(rule.longest.map_or(ANY, u32::from));
                }
                if is_live(next) {
                    let behind = most.get(next).copied().unwrap_or(0);
                    best = best.max(if behind == ANY { ANY } else { behind.saturating_sub(1) });
                }
            }
            if let Some(most) = most.get_mut(state)
                && *most < best
            {
                *most = best;
                more = true;
            }
        }
        if !more {
            return most;
        }
    }
}
