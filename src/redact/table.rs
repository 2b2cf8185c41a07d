//! The form in which compiled automata are carried, and reading it. Writing it is for `build.rs`: see
//! `pack.rs`.
//!
//! Numbers are of seven bits a byte, the lower first; a byte with the highest bit set is not the last. In order:
//!
//! 1. how many classes there are; then runs of bytes: the class, how many bytes more than one;
//! 2. how many states there are, and the first that says of a match and leads nowhere;
//! 3. the states to start from, by class: runs of a state, how many more than one;
//! 4. how many sets of rules follow the empty one; each is its size and its rules, each as the
//!    distance from the one before it;
//! 5. how many sets of classes there are; each is runs over the classes: 0 or 1, how many classes more than one;
//! 6. how many shapes there are. A shape is a number of groups of classes, each a set's number times two, or a
//!    class times two and one more. Of two groups with the same class it is in the later. Where there is no group, it
//!    leads to the dead state;
//! 7. runs of states from 1 on, as many as there are states: shape × 4, and 2 if the run is of more than one state, and 1 if a
//!    set has matched; how many states more than two; the set; by group a target. The target is even:
//!    twice its distance from the state in the zigzag form (0, -1, 1, -2 …), or odd: twice the state.

use super::pattern::Dfa;

/// By class the number of its group, from 1 on; 0 where there is none. And how many groups there are.
struct Shape {
    groups: Vec<usize>,
    count: usize,
}

/// Where a group leads from a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// So far on.
    Far(i32),
    /// Always to this one.
    State(u16),
}

impl Target {
    fn from(code: u32) -> Target {
        let half = code >> 1;
        if code & 1 == 1 { Target::State(half as u16) } else { Target::Far((half >> 1) as i32 ^ -((half & 1) as i32)) }
    }

    /// The state that it is from this one.
    pub(super) fn of(self, state: usize) -> Option<u16> {
        match self {
            Target::Far(far) => u16::try_from(state as i64 + i64::from(far)).ok(),
            Target::State(state) => Some(state),
        }
    }
}

/// The automaton that was packed. None if the bytes are none.
pub(crate) fn unpack(bytes: &[u8]) -> Option<Dfa> {
    let mut from = Reader(bytes);
    let classes = from.number()?;
    if !(1..=256).contains(&classes) {
        return None;
    }
    let class = from.runs(256, classes)?.into_iter().map(|class| class as u8).collect();
    let states = from.number()?;
    let ends = from.number()?;
    if !(1..=usize::from(u16::MAX)).contains(&states) || ends > states {
        return None;
    }
    let width = classes + 1;
    let start = from.runs(width, states)?;
    let sets = from.sets()?;
    let shapes = from.shapes(width)?;
    let mut next = vec![0; width];
    let mut matched = vec![0];
    while matched.len() < states {
        let head = from.number()?;
        let shape = shapes.get(head >> 2)?;
        let count = if head & 2 == 0 { 1 } else { from.number()?.checked_add(2)? };
        let set = if head & 1 == 0 { 0 } else { from.number()? };
        if count > states - matched.len() || set >= sets.len() {
            return None;
        }
        let mut targets = Vec::new();
        for _ in 0..shape.count {
            targets.push(Target::from(u32::try_from(from.number()?).ok()?));
        }
        for _ in 0..count {
            let state = matched.len();
            for &group in &shape.groups {
                let to = match group.checked_sub(1) {
                    None => 0,
                    Some(target) => targets.get(target)?.of(state)?,
                };
                if usize::from(to) >= states {
                    return None;
                }
                next.push(to);
            }
            matched.push(set as u16);
        }
    }
    from.0.is_empty().then_some(Dfa { class, classes, next, start, matched, sets, ends: ends as u16 })
}

/// What is left to read.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    /// A number below 2^28.
    fn number(&mut self) -> Option<usize> {
        let mut number = 0;
        for at in 0..4 {
            let (&byte, rest) = self.0.split_first()?;
            self.0 = rest;
            number |= usize::from(byte & 127) << (7 * at);
            if byte < 128 {
                return Some(number);
            }
        }
        None
    }

    /// So many items below `end`, written as runs.
    fn runs(&mut self, items: usize, end: usize) -> Option<Vec<u16>> {
        let mut out = Vec::new();
        while out.len() < items {
            let item = self.number()?;
            let more = self.number()?;
            if item >= end || more >= items - out.len() {
                return None;
            }
            out.resize(out.len() + more + 1, item as u16);
        }
        Some(out)
    }

    fn sets(&mut self) -> Option<Vec<Vec<u16>>> {
        let mut sets = vec![Vec::new()];
        for _ in 0..self.number()? {
            let mut set = Vec::new();
            let mut rule = 0usize;
            for _ in 0..self.number()? {
                rule += self.number()?;
                set.push(u16::try_from(rule).ok()?);
            }
            sets.push(set);
        }
        Some(sets)
    }

    fn shapes(&mut self, width: usize) -> Option<Vec<Shape>> {
        let mut sets = Vec::new();
        for _ in 0..self.number()? {
            sets.push(self.runs(width, 2)?);
        }
        let mut shapes = Vec::new();
        for _ in 0..self.number()? {
            let count = self.number()?;
            let mut groups = vec![0; width];
            for group in 1..=count {
                let code = self.number()?;
                if code & 1 == 1 {
                    *groups.get_mut(code >> 1)? = group;
                    continue;
                }
                for (it, &is) in groups.iter_mut().zip(sets.get(code >> 1)?) {
                    if is == 1 {
                        *it = group;
                    }
                }
            }
            shapes.push(Shape { groups, count });
        }
        Some(shapes)
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[path = "table/tests.rs"] // The build has this file at another place.
mod tests;
