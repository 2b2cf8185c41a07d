//! The tree of literals, with what its nodes fall back to.

/// The node of nothing.
pub(super) const ROOT: u16 = 0;
/// No rule.
pub(super) const NONE: u16 = u16::MAX;
/// The most nodes.
pub(super) const MOST: usize = 60_000;

/// A beginning of a literal.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Node {
    /// Its last symbol: a byte, or a folded character.
    pub(super) symbol: u32,
    parent: u16,
    /// The longest shorter beginning of a literal that it ends with.
    pub(super) fallback: u16,
    /// How many symbols it has.
    pub(super) depth: u16,
    /// How many symbols the longest literal has that ends here; 0 if none does.
    pub(super) longest: u16,
    /// The smallest rule of the literals that end here.
    pub(super) rule: u16,
    /// A bit for the symbols that may follow, by their last four bits, so that most searches are spared.
    next: u16,
}

/// All beginnings of all literals.
#[derive(Debug)]
pub(super) struct Tree {
    pub(super) nodes: Vec<Node>,
    /// Nodes by parent and symbol, hashed; the root stands for none.
    children: Vec<u16>,
    /// The nodes of the first 256 symbols alone, once it is linked, so that most text needs no search.
    firsts: [u16; 256],
}

impl Default for Tree {
    fn default() -> Self {
        Tree { nodes: vec![Node { rule: NONE, ..Node::default() }], children: vec![ROOT; 64], firsts: [ROOT; 256] }
    }
}

impl Tree {
    /// Adds a literal; false if there is no more room.
    pub(super) fn insert(&mut self, symbols: &mut dyn Iterator<Item = u32>, rule: u16) -> bool {
        let (mut at, mut depth) = (ROOT, 0);
        for symbol in symbols {
            depth += 1;
            at = match self.child(at, symbol) {
                ROOT => match self.add(Node { symbol, parent: at, depth, rule: NONE, ..Node::default() }) {
                    Some(node) => node,
                    None => return false,
                },
                child => child,
            };
        }
        if let Some(node) = self.nodes.get_mut(usize::from(at)) {
            node.longest = depth;
            node.rule = node.rule.min(rule);
        }
        true
    }

    fn add(&mut self, node: Node) -> Option<u16> {
        let at = u16::try_from(self.nodes.len()).ok().filter(|at| usize::from(*at) < MOST)?;
        if let Some(parent) = self.nodes.get_mut(usize::from(node.parent)) {
            parent.next |= bit(node.symbol);
        }
        self.nodes.push(node);
        if self.nodes.len() * 2 > self.children.len() {
            self.children = vec![ROOT; self.children.len() * 2];
            (1..=at).for_each(|node| self.enter(node));
        } else {
            self.enter(at);
        }
        Some(at)
    }

    /// Puts a node into the first free place for it.
    fn enter(&mut self, at: u16) {
        let node = self.node(at);
        let mut place = hash(node.parent, node.symbol);
        let mask = self.children.len() - 1;
        while let Some(entry) = self.children.get_mut(place & mask) {
            if *entry == ROOT {
                *entry = at;
                return;
            }
            place += 1;
        }
    }

    /// The node one symbol further; the root if there is none.
    pub(super) fn child(&self, parent: u16, symbol: u32) -> u16 {
        if self.node(parent).next & bit(symbol) == 0 {
            return ROOT;
        }
        let mut place = hash(parent, symbol);
        let mask = self.children.len() - 1;
        // At most half of the places are taken, so that a free one ends the search.
        while let Some(at) = self.children.get(place & mask).copied().filter(|at| *at != ROOT) {
            let node = self.node(at);
            if node.parent == parent && node.symbol == symbol {
                return at;
            }
            place += 1;
        }
        ROOT
    }

    /// The node of the symbol alone, once the tree is linked; the root if no literal begins with it.
    pub(super) fn first(&self, symbol: u32) -> u16 {
        self.firsts.get(symbol as usize).copied().unwrap_or_else(|| self.child(ROOT, symbol))
    }

    pub(super) fn node(&self, at: u16) -> Node {
        self.nodes.get(usize::from(at)).copied().unwrap_or_default()
    }

    /// Sets what each node falls back to, and what ends at it. If words are to be whole, a beginning that
    /// stands within a word is none.
    pub(super) fn link(&mut self, words: bool) {
        for symbol in 0..=u8::MAX {
            let node = self.child(ROOT, u32::from(symbol));
            if let Some(first) = self.firsts.get_mut(usize::from(symbol)) {
                *first = node;
            }
        }
        let (first, same) = self.by_depth();
        for mut at in first {
            while at != ROOT {
                self.link_one(at, words);
                at = same.get(usize::from(at)).copied().unwrap_or_default();
            }
        }
    }

    /// Sets it of a node, with all shorter ones done.
    fn link_one(&mut self, at: u16, words: bool) {
        let mut node = self.node(at);
        let parent = self.node(node.parent);
        if node.depth > 1 {
            let within = words && super::is_word(node.symbol) && super::is_word(parent.symbol);
            node.fallback = self.follow(parent.fallback, node.symbol, within, &mut 0);
        }
        let shorter = self.node(node.fallback);
        node.longest = node.longest.max(shorter.longest);
        node.rule = node.rule.min(shorter.rule);
        if let Some(entry) = self.nodes.get_mut(usize::from(at)) {
            *entry = node;
        }
    }

    /// Where a symbol leads from a node: to the longest beginning that it goes on with. `within`: the symbol
    /// stands within a word, so that no literal begins with it.
    pub(super) fn follow(&self, from: u16, symbol: u32, within: bool, steps: &mut u64) -> u16 {
        let mut at = from;
        loop {
            *steps += 1;
            if at == ROOT {
                return if within { ROOT } else { self.first(symbol) };
            }
            match self.child(at, symbol) {
                ROOT => at = self.node(at).fallback,
                child => return child,
            }
        }
    }

    /// The first node of each depth, and by node the next one of the same depth; the root is none.
    fn by_depth(&self) -> (Vec<u16>, Vec<u16>) {
        let (mut first, mut same) = (Vec::new(), Vec::new());
        for (at, node) in (0..).zip(&self.nodes) {
            let depth = usize::from(node.depth);
            // Every depth but the first has a node before it that is one shorter.
            if first.len() <= depth {
                first.push(ROOT);
            }
            same.push(first.get_mut(depth).map(|first| std::mem::replace(first, at)).unwrap_or_default());
        }
        (first, same)
    }
}

fn bit(symbol: u32) -> u16 {
    1 << (symbol & 15)
}

fn hash(parent: u16, symbol: u32) -> usize {
    let mixed = u32::from(parent).wrapping_mul(0x9E37_79B1).wrapping_add(symbol.wrapping_mul(0x85EB_CA77));
    // Lossless: a `usize` has at least 32 bits here.
    (mixed ^ mixed >> 15) as usize
}
