//! From a tree to an automaton that is in many states at once.

use super::class::{ByteSet, Chars, Side};
use super::parse::{self, Tree};
use super::utf8;
use super::{MOST_NODES, Refused, Source};

/// A node. Nodes are named by their index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Node {
    /// Takes a byte of the set with this index.
    Bytes { set: u16, next: u16 },
    /// Goes both ways.
    Split { next: u16, other: u16 },
    /// Goes on where the sides with these indexes hold.
    Guard { before: u16, behind: u16, next: u16 },
    /// The rule has matched.
    Match { rule: u16 },
}

/// The nodes of all sources.
#[derive(Debug, Default)]
pub(super) struct Nfa {
    pub(super) nodes: Vec<Node>,
    /// Sets of bytes, each once.
    pub(super) sets: Vec<ByteSet>,
    /// Sides of guards, each once.
    pub(super) sides: Vec<Side>,
    /// By source: its rule, and the node to start from. A source's nodes end there.
    pub(super) starts: Vec<(u16, u16)>,
    /// Where in the pattern the last node comes from.
    at: usize,
    /// How many nodes the source at hand may still come to, and how often a part of it may be looked at.
    left: usize,
    looks: usize,
}

const TOO_LARGE: &str = "with its repetitions the pattern comes to too much";

impl Nfa {
    /// Adds a source.
    pub(super) fn add(&mut self, source: &Source<'_>) -> Result<(), Refused> {
        let tree = parse::pattern(source.pattern)?;
        let after = source.not_after.map(parse::class).transpose()?;
        let before = source.not_before.map(parse::class).transpose()?;
        (self.at, self.left, self.looks) = (0, MOST_NODES, 4 * MOST_NODES);
        let mut start = self.node(Node::Match { rule: source.rule })?;
        if let Some(class) = before {
            start = self.guard(&Side::ANY, &class.not(), start)?;
        }
        start = self.tree(&tree, start)?;
        // Always a node of its own, so that it is the source's last.
        let class = after.map_or(Side::ANY, Side::not);
        start = self.guard(&class, &Side::ANY, start)?;
        self.starts.push((source.rule, start));
        Ok(())
    }

    /// The source of a node.
    pub(super) fn source(&self, node: u16) -> usize {
        self.starts.partition_point(|start| start.1 < node)
    }

    fn node(&mut self, node: Node) -> Result<u16, Refused> {
        let index = u16::try_from(self.nodes.len()).ok().filter(|_| self.left > 0).ok_or((self.at, TOO_LARGE))?;
        self.left -= 1;
        self.nodes.push(node);
        Ok(index)
    }

    fn guard(&mut self, before: &Side, behind: &Side, next: u16) -> Result<u16, Refused> {
        let before = index(&mut self.sides, before);
        let behind = index(&mut self.sides, behind);
        self.node(Node::Guard { before, behind, next })
    }

    /// The node at which the tree is entered, if it is left for `next`.
    fn tree(&mut self, tree: &Tree, next: u16) -> Result<u16, Refused> {
        self.looks = self.looks.checked_sub(1).ok_or((self.at, TOO_LARGE))?;
        match tree {
            Tree::Class(at, chars) => {
                self.at = *at;
                self.chars(chars, next)
            }
            Tree::Guard(before, behind) => self.guard(before, behind, next),
            Tree::All(parts) => parts.iter().rev().try_fold(next, |next, part| self.tree(part, next)),
            Tree::Any(parts) => {
                let mut entry = None;
                for part in parts.iter().rev() {
                    let part = self.tree(part, next)?;
                    entry = Some(self.either(part, entry)?);
                }
                Ok(entry.unwrap_or(next))
            }
            Tree::Repeat { what, least, most } => self.repeat(what, *least, *most, next),
        }
    }

    fn repeat(&mut self, what: &Tree, least: u16, most: u16, next: u16) -> Result<u16, Refused> {
        let mut entry = next;
        let mut copies = least;
        if most == u16::MAX {
            let again = self.node(Node::Split { next, other: next })?;
            let body = self.tree(what, again)?;
            if let Some(node) = self.nodes.get_mut(usize::from(again)) {
                *node = Node::Split { next: body, other: next };
            }
            // The loop's body is the last of the copies that must be.
            entry = if least == 0 { again } else { body };
            copies = least.saturating_sub(1);
        } else {
            for _ in least..most {
                let body = self.tree(what, entry)?;
                entry = self.node(Node::Split { next: body, other: next })?;
            }
        }
        for _ in 0..copies {
            entry = self.tree(what, entry)?;
        }
        Ok(entry)
    }

    fn either(&mut self, one: u16, other: Option<u16>) -> Result<u16, Refused> {
        match other {
            Some(other) => self.node(Node::Split { next: one, other }),
            None => Ok(one),
        }
    }

    fn chars(&mut self, chars: &Chars, next: u16) -> Result<u16, Refused> {
        let first = self.nodes.len();
        // First bytes, by what follows them.
        let mut heads: Vec<(ByteSet, u16)> = Vec::new();
        let mut head = |(low, high): (u8, u8), next: u16| {
            let at = heads.iter().position(|head| head.1 == next).unwrap_or(heads.len());
            if at == heads.len() {
                heads.push((ByteSet::default(), next));
            }
            if let Some(head) = heads.get_mut(at) {
                head.0.add(low, high);
            }
        };
        for &(low, high) in &chars.0 {
            if low < 0x80 {
                head((low as u8, high.min(0x7F) as u8), next);
            }
            for sequence in utf8::sequences(low, high) {
                let mut next = next;
                let mut bytes = sequence.iter().copied();
                let lead = bytes.next().unwrap_or_default();
                for (low, high) in bytes.rev() {
                    let mut set = ByteSet::default();
                    set.add(low, high);
                    next = self.bytes(&set, next, first)?;
                }
                head(lead, next);
            }
        }
        let mut entry = None;
        let end = self.nodes.len();
        for (set, next) in heads {
            let node = self.bytes(&set, next, end)?;
            entry = Some(self.either(node, entry)?);
        }
        Ok(entry.unwrap_or(next))
    }

    /// A node that takes a byte, one of those from the index `first` on if it is there already.
    fn bytes(&mut self, set: &ByteSet, next: u16, first: usize) -> Result<u16, Refused> {
        let set = index(&mut self.sets, set);
        let node = Node::Bytes { set, next };
        let same = self.nodes.iter().skip(first).position(|it| *it == node);
        same.map_or_else(|| self.node(node), |at| Ok((first + at) as u16))
    }
}

/// The index of the item, which is added if need be.
fn index<T: PartialEq + Clone>(items: &mut Vec<T>, item: &T) -> u16 {
    let at = items.iter().position(|it| it == item).unwrap_or(items.len());
    if at == items.len() {
        items.push(item.clone());
    }
    at as u16
}
