//! The automaton.

/// A deterministic automaton over bytes, anchored where it starts, which finds the end of every match.
///
/// It says of a match one byte late: with the byte behind it, or with the end of input, which is a class
/// of its own. So a match may depend on what follows it. What stands before its start decides from which
/// state it starts.
///
/// Every state but 0 can still come to a match or says of one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Dfa {
    /// The class of each byte, 256 of them, below `classes`.
    pub(crate) class: Vec<u8>,
    /// How many classes of bytes there are; the class of the end of input is this number.
    pub(crate) classes: usize,
    /// `next[state * (classes + 1) + class]`; state 0 is dead.
    pub(crate) next: Vec<u16>,
    /// The state to start from, by the class of the byte before; by `classes` where there is none.
    pub(crate) start: Vec<u16>,
    /// By state: which set of rules has matched the bytes before the one that led here; 0 is none.
    pub(crate) matched: Vec<u16>,
    /// Sets of rules, each ascending by number; the first is empty.
    pub(crate) sets: Vec<Vec<u16>>,
    /// The states from here on say of a match and come to no other: all that they lead to is 0.
    pub(crate) ends: u16,
}

impl Dfa {
    /// How many states there are, with the dead one.
    pub(crate) fn states(&self) -> usize {
        self.matched.len()
    }

    /// Where each class leads from the state, the end of input last.
    pub(crate) fn row(&self, state: usize) -> &[u16] {
        let width = self.classes + 1;
        let start = state.saturating_mul(width);
        self.next.get(start..start.saturating_add(width)).unwrap_or_default()
    }

    fn has_matched(&self, state: usize) -> bool {
        self.matched.get(state).is_some_and(|&set| set != 0)
    }

    /// Makes one of all states that can't come to a match, 0, and puts those last that can come to no other.
    pub(super) fn trim(&mut self) {
        let mut live: Vec<bool> = self.matched.iter().map(|&set| set != 0).collect();
        let mut leads = vec![false; live.len()];
        // Mostly states lead to higher ones, so few rounds do.
        let mut more = true;
        while more {
            more = false;
            for (state, leads) in leads.iter_mut().enumerate().rev() {
                if !*leads && self.row(state).iter().any(|&to| live.get(usize::from(to)) == Some(&true)) {
                    (*leads, more) = (true, true);
                    if let Some(live) = live.get_mut(state) {
                        *live = true;
                    }
                }
            }
        }
        let mut order = vec![0];
        for last in [false, true] {
            for (state, &leads) in leads.iter().enumerate() {
                if leads != last && live.get(state) == Some(&true) {
                    order.push(state);
                }
            }
            if !last {
                self.ends = order.len() as u16;
            }
        }
        self.renumber(&order);
    }

    /// Keeps these states in this order; to lead to another is to lead to 0.
    pub(crate) fn renumber(&mut self, order: &[usize]) {
        let mut number = vec![0u16; self.states()];
        let (mut next, mut matched) = (Vec::new(), Vec::new());
        for (&old, new) in order.iter().zip(0..) {
            if let Some(number) = number.get_mut(old) {
                *number = new;
            }
            next.extend_from_slice(self.row(old));
            matched.push(self.matched.get(old).copied().unwrap_or(0));
        }
        for to in next.iter_mut().chain(&mut self.start) {
            *to = number.get(usize::from(*to)).copied().unwrap_or(0);
        }
        (self.next, self.matched) = (next, matched);
    }

    /// The most bytes that a match may have; none if there is no bound.
    pub(crate) fn longest(&self) -> Option<usize> {
        let far = self.farthest(false)?;
        let ends = far.iter().enumerate().filter(|(state, _)| self.has_matched(*state));
        ends.map(|(_, far)| far.saturating_sub(1)).max().or(Some(0))
    }

    /// The most bytes from a start or the end of a match, without a match between, that may still become
    /// part of one; none if there is no bound. `whole`: a match counts for nothing until its whole is known.
    pub(crate) fn gap(&self, whole: bool) -> Option<usize> {
        if whole {
            return self.longest();
        }
        self.farthest(true)?.iter().take(usize::from(self.ends)).copied().max().or(Some(0))
    }

    /// By state: the most bytes on a way to it from a start, or from a match if `afresh`. None if there is no bound.
    fn farthest(&self, afresh: bool) -> Option<Vec<usize>> {
        let states = self.states();
        let counts = |to: usize| to != 0 && !(afresh && self.has_matched(to));
        // By state: how many ways to it are not walked yet.
        let mut ways = vec![0usize; states];
        for state in 0..states {
            for &to in self.row(state) {
                if let Some(ways) = ways.get_mut(usize::from(to)) {
                    *ways += 1;
                }
            }
        }
        let mut far = vec![0; states];
        let mut ready = Vec::new();
        for state in 1..states {
            if !counts(state) {
                far.get_mut(state).into_iter().for_each(|far| *far = 1);
            }
            if !counts(state) || ways.get(state) == Some(&0) {
                ready.push(state);
            }
        }
        let mut done = 0;
        while let Some(state) = ready.pop() {
            done += 1;
            let beyond = far.get(state).copied().unwrap_or(0) + 1;
            for &to in self.row(state) {
                let to = usize::from(to);
                let (Some(far), Some(ways)) = (far.get_mut(to), ways.get_mut(to)) else { continue };
                if counts(to) {
                    *far = beyond.max(*far);
                    *ways -= 1;
                    if *ways == 0 {
                        ready.push(to);
                    }
                }
            }
        }
        (done + 1 >= states).then_some(far)
    }
}
