//! From an automaton that is in many states at once to one that is in one.

use super::Dfa;
use super::STEPS_A_STATE;
use super::class::Side;
use super::nfa::{Nfa, Node};

/// Which source it is, and what is wrong.
type Refused = (usize, &'static str);

/// The automaton that is in one state, for all of whose states there is one of `most_states`.
pub(super) fn determine(nfa: &Nfa, most_states: usize) -> Result<Dfa, Refused> {
    let (class, first) = classes(nfa);
    let classes = first.len() - 1;
    let words = vec![0; nfa.nodes.len() / 64 + 1];
    let most = most_states.min(usize::from(u16::MAX));
    let mut made = Subsets {
        nfa,
        first,
        seen: words.clone(),
        found: words,
        stack: Vec::new(),
        matched: Vec::new(),
        states: States::default(),
        sets: vec![Vec::new()],
        most,
        left: most.saturating_mul(STEPS_A_STATE),
    };
    made.states.number(&[0, 0]);
    let mut start = Vec::new();
    for before in 0..=classes {
        for source in &nfa.starts {
            made.spread(source.node, before, None);
        }
        start.push(made.settle(before)?);
    }
    let mut next = vec![0; classes + 1];
    let mut matched = vec![0];
    while matched.len() < made.states.len() {
        let key = made.states.key(matched.len()).to_vec();
        for symbol in 0..=classes {
            next.push(made.step(&key, symbol)?);
        }
        matched.push(key.get(1).copied().unwrap_or(0));
    }
    let mut dfa = Dfa { class, classes, next, start, matched, sets: made.sets, ends: 0 };
    dfa.trim();
    match nfa.starts.iter().position(|start| !dfa.sets.iter().any(|set| set.contains(&start.rule))) {
        Some(source) => Err((source, "it can't match anything")),
        None => Ok(dfa),
    }
}

/// The class of each byte, so that all bytes of one behave alike, and by symbol its first byte. Symbols are the classes and,
/// last, the text's edge, which is no byte.
fn classes(nfa: &Nfa) -> (Vec<u8>, Vec<Option<u8>>) {
    let mut class = Vec::new();
    let mut first: Vec<Option<u8>> = Vec::new();
    let sets = || nfa.sets.iter().chain(nfa.sides.iter().map(|side| &side.bytes));
    for byte in 0..=u8::MAX {
        let alike = |of: &Option<u8>| of.is_some_and(|of| sets().all(|set| set.contains(of) == set.contains(byte)));
        let at = first.iter().position(alike).unwrap_or(first.len());
        if at == first.len() {
            first.push(Some(byte));
        }
        class.push(at as u8);
    }
    first.push(None);
    (class, first)
}

/// The making of states. A state is the nodes it is in, each of which takes a byte, has matched, or is a guard that waits for the
/// next byte; the set of rules that has matched; and, if there are guards that wait, the byte before them.
struct Subsets<'a> {
    nfa: &'a Nfa,
    /// By symbol: its first byte.
    first: Vec<Option<u8>>,
    /// Nodes that have been looked at, as bits.
    seen: Vec<u64>,
    /// The nodes of the state that is being made, as bits.
    found: Vec<u64>,
    /// Nodes to look at.
    stack: Vec<u16>,
    /// The rules that have matched.
    matched: Vec<u16>,
    states: States,
    sets: Vec<Vec<u16>>,
    most: usize,
    /// How many more steps may be taken.
    left: usize,
}

impl Subsets<'_> {
    /// True if the symbol may stand on that side.
    fn holds(&self, side: u16, symbol: usize) -> bool {
        let byte = self.first.get(symbol).copied().flatten();
        self.nfa.sides.get(usize::from(side)).is_some_and(|side| side.has(byte))
    }

    /// The first symbol that guards can't tell from this one.
    fn alike(&self, symbol: usize) -> usize {
        let byte = |symbol: usize| self.first.get(symbol).copied().flatten();
        let same = |other: &usize| self.nfa.sides.iter().all(|side| side.has(byte(symbol)) == side.has(byte(*other)));
        (0..symbol).find(same).unwrap_or(symbol)
    }

    /// Finds the nodes that are reached from this one without a byte, where `before` stands before and
    /// `behind` behind, if that is known by now.
    fn spread(&mut self, node: u16, before: usize, behind: Option<usize>) {
        self.stack.push(node);
        while let Some(node) = self.stack.pop() {
            self.left = self.left.saturating_sub(1);
            if !insert(&mut self.seen, node) {
                continue;
            }
            match self.nfa.nodes.get(usize::from(node)) {
                None => {}
                Some(&Node::Split { other, next }) => {
                    self.stack.push(other);
                    self.stack.push(next);
                }
                Some(&Node::Guard { before: side, behind: other, next }) => {
                    if !self.holds(side, before) {
                        continue;
                    }
                    let any = || self.nfa.sides.get(usize::from(other)) == Some(&Side::ANY);
                    match behind {
                        Some(symbol) if self.holds(other, symbol) => self.stack.push(next),
                        Some(_) => {}
                        None if any() => self.stack.push(next),
                        None => _ = insert(&mut self.found, node),
                    }
                }
                Some(&Node::Match { rule }) if behind.is_some() => {
                    let at = self.matched.iter().position(|&it| it >= rule).unwrap_or(self.matched.len());
                    if self.matched.get(at) != Some(&rule) {
                        self.matched.insert(at, rule);
                    }
                }
                Some(_) => _ = insert(&mut self.found, node),
            }
        }
    }

    /// Takes the nodes that have been found, ascending.
    fn take(&mut self) -> Vec<u16> {
        self.seen.fill(0);
        let mut nodes = Vec::new();
        for (at, word) in self.found.iter_mut().enumerate() {
            while *word != 0 {
                nodes.push((at * 64) as u16 + word.trailing_zeros() as u16);
                *word &= *word - 1;
            }
        }
        self.left = self.left.saturating_sub(self.found.len() / 8 + nodes.len());
        nodes
    }

    /// The state of the nodes that have been found and the rules that have matched.
    fn settle(&mut self, before: usize) -> Result<u16, Refused> {
        let nodes = self.take();
        let set = self.sets.iter().position(|set| *set == self.matched).unwrap_or(self.sets.len());
        if set == self.sets.len() {
            self.sets.push(self.matched.clone());
        }
        self.matched.clear();
        let waits = |&node: &u16| matches!(self.nfa.nodes.get(usize::from(node)), Some(Node::Guard { .. }));
        let before = if nodes.iter().any(waits) { self.alike(before) } else { 0 };
        let mut key = vec![before as u16, set as u16];
        key.extend_from_slice(&nodes);
        let state = self.states.number(&key);
        if self.states.len() > self.most || self.left == 0 {
            let node = nodes.first().copied().unwrap_or(0);
            let source = self.nfa.starts.iter().position(|start| node < start.end).unwrap_or(0);
            return Err((source, "the pattern needs too many states; make it shorter or less repeated"));
        }
        Ok(state as u16)
    }

    /// The state that the symbol leads to from the one with this key.
    fn step(&mut self, key: &[u16], symbol: usize) -> Result<u16, Refused> {
        let (before, nodes) = key.split_first().unwrap_or((&0, &[]));
        // With the symbol, guards that wait and matches are decided.
        for &node in nodes.iter().skip(1) {
            self.spread(node, usize::from(*before), Some(symbol));
        }
        let nodes = self.take();
        if let Some(&Some(byte)) = self.first.get(symbol) {
            for node in nodes {
                if let Some(&Node::Bytes { set, next }) = self.nfa.nodes.get(usize::from(node))
                    && self.nfa.sets.get(usize::from(set)).is_some_and(|set| set.contains(byte))
                {
                    self.spread(next, symbol, None);
                }
            }
        }
        self.settle(symbol)
    }
}

/// Adds a node to a set of bits. False if it was in it.
fn insert(bits: &mut [u64], node: u16) -> bool {
    let Some(word) = bits.get_mut(usize::from(node / 64)) else { return false };
    let bit = 1 << (node % 64);
    let new = *word & bit == 0;
    *word |= bit;
    new
}

/// The keys of states, each once.
#[derive(Default)]
struct States {
    keys: Vec<u16>,
    /// By state: where its key ends.
    ends: Vec<usize>,
    /// States by the hash of their key, or of what follows it; `None` is free. At most half full.
    table: Vec<Option<u16>>,
}

impl States {
    fn len(&self) -> usize {
        self.ends.len()
    }

    fn key(&self, state: usize) -> &[u16] {
        let start = state.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or(0);
        let end = self.ends.get(state).copied().unwrap_or(start);
        self.keys.get(start..end).unwrap_or_default()
    }

    /// The number of the state with this key, a new one if there is none.
    fn number(&mut self, key: &[u16]) -> usize {
        if self.len() * 2 >= self.table.len() {
            self.table = vec![None; (self.table.len() * 2).max(64)];
            for state in 0..self.len() {
                let slot = self.slot(self.key(state));
                self.put(slot, state);
            }
        }
        let slot = self.slot(key);
        if let Some(Some(state)) = self.table.get(slot) {
            return usize::from(*state);
        }
        let state = self.len();
        self.keys.extend_from_slice(key);
        self.ends.push(self.keys.len());
        self.put(slot, state);
        state
    }

    fn put(&mut self, slot: usize, state: usize) {
        if let Some(slot) = self.table.get_mut(slot) {
            *slot = Some(state as u16);
        }
    }

    /// The slot that holds this key, or the free one where it belongs.
    fn slot(&self, key: &[u16]) -> usize {
        let mask = self.table.len().wrapping_sub(1);
        let hash =
            key.iter().fold(0u32, |hash, &part| (hash ^ u32::from(part)).wrapping_mul(0x0100_0193).rotate_left(7));
        let mut slot = hash as usize & mask;
        while let Some(Some(state)) = self.table.get(slot) {
            if self.key(usize::from(*state)) == key {
                break;
            }
            slot = (slot + 1) & mask;
        }
        slot
    }
}
