//! From an automaton that is in many states at once to one that is in one.

use super::Dfa;
use super::nfa::{Nfa, Node};
use super::{ByteSet, STEPS_A_STATE};

/// Which source it is, and what is wrong.
type Refused = (usize, &'static str);

/// The automaton that is in one state, for all of whose states there is one of `most_states`.
pub(super) fn determine(nfa: &Nfa, most_states: usize) -> Result<Dfa, Refused> {
    let (class, first) = classes(nfa);
    let classes = first.len();
    let words = nfa.nodes.len() / 64 + 1;
    let most = most_states.min(usize::from(u16::MAX));
    let alike = (0..=classes).map(|symbol| alike(nfa, &first, symbol)).collect();
    let mut made = Subsets {
        nfa,
        first,
        alike,
        seen: vec![0; words],
        found: vec![0; words],
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
        for &(_, node) in &nfa.starts {
            made.spread(node, before, None);
        }
        start.push(made.settle(before)?);
    }
    let mut next = vec![0; classes + 1];
    let mut state = 1;
    while state < made.states.len() {
        for symbol in 0..=classes {
            next.push(made.step(state, symbol)?);
        }
        state += 1;
    }
    let matched = (0..state).map(|state| made.states.key(state).get(1).copied().unwrap_or(0)).collect();
    let mut dfa = Dfa { class, classes, next, start, matched, sets: made.sets, ends: 0 };
    dfa.trim();
    match nfa.starts.iter().position(|start| !dfa.sets.iter().any(|set| set.contains(&start.0))) {
        Some(source) => Err((source, "it can't match anything")),
        None => Ok(dfa),
    }
}

/// The class of each byte, so that all bytes of one behave alike, and the first byte of each class.
fn classes(nfa: &Nfa) -> (Vec<u8>, Vec<u8>) {
    let mut class = vec![0u8; 256];
    let mut first = vec![0u8];
    for set in nfa.sets.iter().chain(nfa.sides.iter().map(|side| &side.bytes)) {
        // By class: what the bytes of it become that are on the other side of the set than its first.
        let mut other = vec![None; first.len()];
        for byte in 0..=u8::MAX {
            let Some(of) = class.get_mut(usize::from(byte)) else { continue };
            let old = usize::from(*of);
            let Some(&lead) = first.get(old).filter(|_| old < other.len()) else { continue };
            if set.contains(lead) != set.contains(byte)
                && let Some(other) = other.get_mut(old)
            {
                *of = *other.get_or_insert_with(|| {
                    first.push(byte);
                    (first.len() - 1) as u8
                });
            }
        }
    }
    // By their first bytes, so that neighbours are alike.
    let mut order = Vec::new();
    for of in &mut class {
        let at = order.iter().position(|it| it == of).unwrap_or(order.len());
        if at == order.len() {
            order.push(*of);
        }
        *of = at as u8;
    }
    let first = order.iter().filter_map(|&of| first.get(usize::from(of)).copied()).collect();
    (class, first)
}

/// True if the set has the symbol: the class with this number, or what is beyond the text's edge.
fn holds(bytes: &ByteSet, edge: bool, first: &[u8], symbol: usize) -> bool {
    first.get(symbol).map_or(edge, |&byte| bytes.contains(byte))
}

/// The first symbol that can't be told from this one by what guards see before them.
fn alike(nfa: &Nfa, first: &[u8], symbol: usize) -> u16 {
    let same = |other: &usize| {
        nfa.nodes.iter().all(|node| {
            let Node::Guard { before, .. } = node else { return true };
            nfa.sides.get(usize::from(*before)).is_none_or(|side| {
                holds(&side.bytes, side.edge, first, symbol) == holds(&side.bytes, side.edge, first, *other)
            })
        })
    };
    (0..symbol).find(same).unwrap_or(symbol) as u16
}

/// The making of states. A state is the nodes it is in, each of which takes a byte, has matched, or is a guard that waits for the
/// next byte; the set of rules that has matched; and, if there are guards that wait, the byte before them.
struct Subsets<'a> {
    nfa: &'a Nfa,
    /// The first byte of each class.
    first: Vec<u8>,
    /// By symbol: the first that guards can't tell from it.
    alike: Vec<u16>,
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
    fn holds(&self, side: u16, symbol: usize) -> bool {
        let side = self.nfa.sides.get(usize::from(side));
        side.is_some_and(|side| holds(&side.bytes, side.edge, &self.first, symbol))
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
            match (self.nfa.nodes.get(usize::from(node)).copied(), behind) {
                (Some(Node::Split { next, other }), _) => self.stack.extend([other, next]),
                (Some(Node::Guard { before: side, .. }), _) if !self.holds(side, before) => {}
                (Some(Node::Guard { behind: side, next, .. }), Some(behind)) => {
                    if self.holds(side, behind) {
                        self.stack.push(next);
                    }
                }
                (Some(Node::Guard { behind: side, next, .. }), None) if self.is_any(side) => self.stack.push(next),
                (Some(Node::Match { rule }), Some(_)) => {
                    let at = self.matched.partition_point(|&it| it < rule);
                    if self.matched.get(at) != Some(&rule) {
                        self.matched.insert(at, rule);
                    }
                }
                _ => {
                    insert(&mut self.found, node);
                }
            }
        }
    }

    fn is_any(&self, side: u16) -> bool {
        self.nfa.sides.get(usize::from(side)) == Some(&super::class::Side::ANY)
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
        let before = if nodes.iter().any(waits) { self.alike.get(before).copied().unwrap_or(0) } else { 0 };
        let mut key = vec![before, set as u16];
        key.extend_from_slice(&nodes);
        let state = self.states.number(&key);
        if self.states.len() > self.most || self.left == 0 {
            let source = nodes.first().map_or(0, |&node| self.nfa.source(node));
            return Err((source, "the pattern needs too many states; make it shorter or less repeated"));
        }
        Ok(state as u16)
    }

    /// The state that the symbol leads to.
    fn step(&mut self, state: usize, symbol: usize) -> Result<u16, Refused> {
        let key = self.states.key(state).to_vec();
        let before = key.first().copied().unwrap_or(0).into();
        // With the symbol, guards that wait and matches are decided.
        for &node in key.iter().skip(2) {
            self.spread(node, before, Some(symbol));
        }
        let nodes = self.take();
        if let Some(&byte) = self.first.get(symbol) {
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
