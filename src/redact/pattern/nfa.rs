//! An automaton that is in many states at once, and the parts that it is put together of.

use super::class::{ByteSet, Chars, Side};
use super::{MOST_NODES, utf8};

/// A node. Nodes are named by their index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Node {
    /// Takes a byte of the set with this index.
    Bytes { set: u16, next: u16 },
    /// Goes both ways.
    Split { other: u16, next: u16 },
    /// Goes on where the sides with these indexes hold.
    Guard { before: u16, behind: u16, next: u16 },
    /// The rule has matched.
    Match { rule: u16 },
}

/// The nodes of a part of a pattern: all from `first` on that there were when it was made.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    pub(super) first: u16,
    /// The node to enter by.
    pub(super) entry: u16,
    /// The node whose `next` leads out of it.
    pub(super) exit: u16,
    /// It may match the empty text somewhere.
    pub(super) empty: bool,
}

/// A source: its rule, the node to start from, and the end of its nodes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Start {
    pub(super) rule: u16,
    pub(super) node: u16,
    pub(super) end: u16,
}

/// The nodes of all sources.
#[derive(Debug, Default)]
pub(super) struct Nfa {
    pub(super) nodes: Vec<Node>,
    /// Sets of bytes, each once.
    pub(super) sets: Vec<ByteSet>,
    /// Sides of guards, each once.
    pub(super) sides: Vec<Side>,
    pub(super) starts: Vec<Start>,
}

/// Where a node leads whose way out is not known yet.
const OPEN: u16 = u16::MAX;

/// All that makes nodes gives none if there are too many.
impl Nfa {
    /// How many nodes there are.
    pub(super) fn len(&self) -> u16 {
        self.nodes.len() as u16
    }

    pub(super) fn node(&mut self, node: Node) -> Option<u16> {
        let index = self.len();
        let before = self.starts.last().map_or(0, |start| start.end);
        if index - before >= MOST_NODES || index == OPEN - 1 {
            return None;
        }
        self.nodes.push(node);
        Some(index)
    }

    /// A part of one node.
    pub(super) fn part(&mut self, node: Node, empty: bool) -> Option<Part> {
        let node = self.node(node)?;
        Some(Part { first: node, entry: node, exit: node, empty })
    }

    /// A part that does nothing.
    pub(super) fn nothing(&mut self) -> Option<Part> {
        self.part(Node::Split { other: OPEN, next: OPEN }, true)
    }

    /// Nothing, where this stands before and that behind.
    pub(super) fn guard(&mut self, before: &Side, behind: &Side) -> Option<Part> {
        let (before, behind) = (index(&mut self.sides, before), index(&mut self.sides, behind));
        self.part(Node::Guard { before, behind, next: OPEN }, true)
    }

    /// Lets the way out of a node lead there.
    pub(super) fn lead(&mut self, from: u16, to: u16) {
        if let Some(Node::Bytes { next, .. } | Node::Split { next, .. } | Node::Guard { next, .. }) =
            self.nodes.get_mut(usize::from(from))
        {
            *next = to;
        }
    }

    /// One part and then the other.
    pub(super) fn both(&mut self, one: Part, two: Part) -> Part {
        self.lead(one.exit, two.entry);
        Part { exit: two.exit, empty: one.empty && two.empty, ..one }
    }

    /// One part or the other, which was made right behind it.
    pub(super) fn either(&mut self, one: Part, two: Part) -> Option<Part> {
        let entry = self.node(Node::Split { other: two.entry, next: one.entry })?;
        let exit = self.nothing()?.exit;
        self.lead(one.exit, exit);
        self.lead(two.exit, exit);
        Some(Part { entry, exit, empty: one.empty || two.empty, ..one })
    }

    /// The part, which was made last, from `least` to `most` times; `u16::MAX` is without an end.
    pub(super) fn repeat(&mut self, part: Part, least: u16, most: u16) -> Option<Part> {
        let end = self.len();
        let exit = self.nothing()?.exit;
        let mut out = Part { empty: part.empty || least == 0, exit, entry: exit, ..part };
        // How often it stands there. The last is the part itself, which is copied as long as it leads nowhere.
        let count = if most == u16::MAX { least.max(1) } else { most };
        let mut before = None;
        for at in 1..=count {
            let by = if at == count { 0 } else { self.copy(part.first, end)? };
            let mut entry = part.entry + by;
            if at > least {
                entry = self.node(Node::Split { other: exit, next: entry })?;
            }
            match before {
                None => out.entry = entry,
                Some(before) => self.lead(before, entry),
            }
            before = Some(part.exit + by);
            if at == count {
                let to =
                    if most == u16::MAX { self.node(Node::Split { other: exit, next: part.entry })? } else { exit };
                self.lead(part.exit, to);
            }
        }
        Some(out)
    }

    /// Copies the nodes from `first` to `end`, and says how far on the copies are.
    fn copy(&mut self, first: u16, end: u16) -> Option<u16> {
        let by = self.len() - first;
        for at in first..end {
            let mut node = *self.nodes.get(usize::from(at))?;
            let far = |to: &mut u16| {
                if *to != OPEN {
                    *to = to.wrapping_add(by);
                }
            };
            match &mut node {
                Node::Bytes { next, .. } | Node::Guard { next, .. } => far(next),
                Node::Split { other, next } => {
                    far(other);
                    far(next);
                }
                Node::Match { .. } => {}
            }
            self.node(node)?;
        }
        Some(by)
    }

    /// One of the characters.
    pub(super) fn chars(&mut self, chars: &Chars) -> Option<Part> {
        if let Some(side) = chars.side().filter(|side| !side.bytes.contains(0x80)) {
            let set = index(&mut self.sets, &side.bytes);
            return self.part(Node::Bytes { set, next: OPEN }, false);
        }
        let exit = self.nothing()?.exit;
        let tails = self.nodes.len();
        // First bytes, by what follows them.
        let mut heads: Vec<(ByteSet, u16)> = Vec::new();
        let mut head = |low: u8, high: u8, next: u16| {
            if heads.iter().all(|head| head.1 != next) {
                heads.push((ByteSet::default(), next));
            }
            heads.iter_mut().filter(|head| head.1 == next).for_each(|head| head.0.add(low, high));
        };
        for &(low, high) in &chars.0 {
            if low < 0x80 {
                head(low as u8, high.min(0x7F) as u8, exit);
            }
            for (from, to, behind) in utf8::parts(low, high) {
                let mut next = exit;
                for follow in 0..behind {
                    let mut set = ByteSet::default();
                    set.add(utf8::byte(from, follow, behind), utf8::byte(to, follow, behind));
                    let node = Node::Bytes { set: index(&mut self.sets, &set), next };
                    let same = self.nodes.iter().skip(tails).position(|it| *it == node);
                    next = match same {
                        Some(at) => (tails + at) as u16,
                        None => self.node(node)?,
                    };
                }
                head(utf8::byte(from, behind, behind), utf8::byte(to, behind, behind), next);
            }
        }
        let mut entry = OPEN;
        for (set, next) in heads {
            let set = index(&mut self.sets, &set);
            let node = self.node(Node::Bytes { set, next })?;
            entry = if entry == OPEN { node } else { self.node(Node::Split { other: entry, next: node })? };
        }
        Some(Part { first: exit, entry, exit, empty: false })
    }
}

/// The index of the item, which is added if need be.
fn index<T: PartialEq + Copy>(items: &mut Vec<T>, item: &T) -> u16 {
    let at = items.iter().position(|it| it == item).unwrap_or(items.len());
    if at == items.len() {
        items.push(*item);
    }
    at as u16
}
