//! What a filter has found, without values: counts and spans.

/// The most spans of one text that are kept; those beyond are counted.
pub(crate) const MOST_SPANS: usize = 1000;

/// What was found at one place of the text that rules are matched against, which is behind the stages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mark {
    /// The rule that gave it its name.
    pub(crate) rule: u16,
    /// Its first byte.
    pub(crate) start: u64,
    /// The byte behind its last.
    pub(crate) end: u64,
}

/// The counts since the filter was made, and the spans of its last text.
#[derive(Debug)]
pub(crate) struct Audit {
    counts: Vec<u64>,
    spans: Vec<Mark>,
    dropped: u64,
    /// The last span still grows.
    open: bool,
}

impl Audit {
    /// For so many rules.
    pub(crate) fn new(rules: usize) -> Audit {
        Audit { counts: vec![0; rules], spans: Vec::new(), dropped: 0, open: false }
    }

    /// A span was found.
    pub(crate) fn add(&mut self, rule: u16, start: u64, end: u64) {
        if let Some(count) = self.counts.get_mut(usize::from(rule)) {
            *count += 1;
        }
        if self.spans.len() < MOST_SPANS {
            self.open = true;
            self.spans.push(Mark { rule, start, end });
        } else {
            self.dropped += 1;
        }
    }

    /// The last span has grown.
    pub(crate) fn grow(&mut self, end: u64) {
        if let Some(last) = self.spans.last_mut().filter(|_| self.open) {
            last.end = end;
        }
    }

    /// The last span is what it is.
    pub(crate) fn close(&mut self) {
        self.open = false;
    }

    /// A text begins: forgets the spans of the one before.
    pub(crate) fn begin(&mut self) {
        self.spans.clear();
        self.dropped = 0;
        self.open = false;
    }

    /// How many spans each rule has given its name, by its number.
    pub(crate) fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// The spans of the last text, at most [`MOST_SPANS`].
    pub(crate) fn spans(&self) -> &[Mark] {
        &self.spans
    }

    /// How many more there were.
    pub(crate) fn dropped(&self) -> u64 {
        self.dropped
    }
}
