//! What must be known of the lines that were given: where a block of code begins and ends beyond doubt.
//!
//! Only a fence that every reader of Markdown takes for one is trusted. Where that depends on lists, quotes or
//! HTML around it, the text inside is looked at like any other.

/// An open fence.
#[derive(Clone, Copy)]
struct Fence {
    mark: u8,
    length: usize,
    indent: usize,
}

#[derive(Clone, Default)]
pub(super) struct Lines {
    /// The byte given last; 0 at the start.
    pub(super) prev: u8,
    /// How far into its line: 0 if only marks of containers were given, 1 behind the first other byte, 2 behind.
    stage: u8,
    first: u8,
    filled: bool,
    indent: usize,
    /// The marks of containers are spaces only.
    spaces: bool,
    /// The label of a definition stands before.
    label: bool,
    bytes: u8,
    /// A block of HTML may be open, up to the next blank line.
    pub(super) raw: bool,
    /// Such a block that no blank line ends may be open.
    pub(super) pre: bool,
    /// A quote may be open, up to the next blank line.
    pub(super) quote: bool,
    /// An image's text may be open, up to the next blank line.
    pub(super) image: bool,
    /// No fence is trusted any more.
    pub(super) doubt: bool,
    /// A fence inside a list or a quote may be open.
    nested: bool,
    /// The fence of this line, which opens with the next one.
    pending: Option<Fence>,
    counting: bool,
    fence: Option<Fence>,
    /// In a fence: how many marks the line begins with, if it may close it.
    closing: Option<usize>,
}

impl Lines {
    pub(super) fn new() -> Self {
        Lines { spaces: true, ..Lines::default() }
    }

    /// Nothing but marks of containers stands before.
    pub(super) fn at_start(&self) -> bool {
        self.stage == 0
    }

    /// Bytes of no special meaning change nothing here.
    pub(super) fn inside(&self) -> bool {
        self.stage == 2 && self.pending.is_none()
    }

    /// A fence opens with the next line.
    pub(super) fn opens(&self) -> bool {
        self.pending.is_some()
    }

    pub(super) fn fenced(&self) -> bool {
        self.fence.is_some()
    }

    /// What follows is at the start of a block, as behind the label of a footnote.
    pub(super) fn restart(&mut self) {
        self.stage = 0;
        self.spaces = false;
        self.label = true;
    }

    /// HTML is given at the start of a line; and whether its block goes on over blank lines.
    pub(super) fn html(&mut self, block: bool, on: bool) {
        self.raw |= block;
        self.pre |= on;
        self.doubt |= on;
    }

    /// A browser may read the text as it is.
    pub(super) fn as_html(&self) -> bool {
        self.raw || self.pre || self.stage == 0
    }

    /// Takes notice of a byte that is given.
    pub(super) fn note(&mut self, b: u8) {
        let before = std::mem::replace(&mut self.prev, b);
        if before == b'\r' {
            if b == b'\n' {
                return;
            }
            self.doubt = true;
        }
        if self.bytes < 2 {
            self.bytes += 1;
            // A page's head matter.
            self.doubt |= self.bytes == 2 && b == before && matches!(b, b'-' | b'+');
        }
        if matches!(b, b'\n' | b'\r') {
            return self.end_line();
        }
        self.filled |= !matches!(b, b' ' | b'\t');
        if self.stage == 0 {
            self.mark(b);
        } else if self.stage == 1 {
            self.stage = 2;
            // A block of mathematics.
            self.doubt |= matches!((self.first, b), (b'$', b'$') | (b'\\', b'['));
            let html = self.first == b'<' && matches!(b, b'!' | b'?');
            self.html(html, html);
        }
        if let Some(fence) = &mut self.pending {
            self.counting &= b == fence.mark;
            if self.counting {
                fence.length += 1;
            } else if b == b'`' && fence.mark == b'`' {
                self.pending = None;
            }
        }
    }

    fn mark(&mut self, b: u8) {
        match b {
            b' ' => self.indent += 1,
            b'\t' => (self.indent, self.spaces) = (self.indent + 4, false),
            b'>' | b'-' | b'+' | b'*' | b'.' | b')' | b':' | b'0'..=b'9' => {
                self.leave(b);
                self.spaces = false;
                self.quote |= b == b'>';
            }
            _ => {
                self.leave(b);
                (self.stage, self.first) = (1, b);
            }
        }
    }

    /// A line with nothing before it ends all lists, and all quotes if it is none.
    fn leave(&mut self, b: u8) {
        if self.spaces && self.indent <= 1 && b != b'>' {
            self.nested = false;
        }
    }

    fn end_line(&mut self) {
        if !self.filled {
            (self.raw, self.image, self.quote) = (false, false, false);
        }
        (self.stage, self.indent, self.spaces, self.filled, self.label) = (0, 0, true, false, false);
        if let Some(fence) = self.pending.take() {
            (self.fence, self.closing) = (Some(fence), None);
        }
    }

    /// Three marks are about to be given at the start of a line. True if a line must be put before them that
    /// ends a block of HTML.
    pub(super) fn open(&mut self, mark: u8) -> bool {
        if self.raw && self.spaces && self.indent == 0 && !self.doubt && !self.label && self.prev != b'\r' {
            return true;
        }
        self.doubt |= self.raw || self.label || self.prev == b'\r';
        if self.doubt {
        } else if !self.spaces || self.indent > 3 {
            self.nested = true;
        } else if self.indent > 1 && self.nested {
            self.doubt = true;
        } else {
            self.pending = Some(Fence { mark, length: 0, indent: self.indent });
            self.counting = true;
        }
        false
    }

    /// Takes notice of a byte inside a fence. False if the fence is not certain any more from this byte on,
    /// which then isn't noted.
    pub(super) fn note_code(&mut self, b: u8) -> bool {
        let Some(fence) = self.fence else { return false };
        // Not all readers end a line there.
        if self.prev == b'\r' && b != b'\n' {
            (self.fence, self.doubt) = (None, true);
            return false;
        }
        if matches!(b, b'\n' | b'\r') {
            self.end_code();
            if !(b == b'\n' && self.prev == b'\r') {
                (self.stage, self.indent, self.spaces, self.filled) = (0, 0, true, false);
            }
            self.prev = b;
            return true;
        }
        if self.stage == 0 {
            match b {
                b' ' => self.indent += 1,
                b'\t' => self.indent += 4,
                _ if fence.indent > 1 && self.indent < fence.indent => {
                    (self.fence, self.doubt) = (None, true);
                    return false;
                }
                _ => {
                    (self.stage, self.filled, self.counting) = (2, true, true);
                    self.closing = (b == fence.mark).then_some(1);
                }
            }
        } else if let Some(count) = &mut self.closing {
            self.counting &= b == fence.mark;
            if self.counting {
                *count += 1;
            } else if !matches!(b, b' ' | b'\t') {
                self.closing = None;
            }
        }
        self.prev = b;
        true
    }

    /// In a fence: the line may turn out to be its end.
    pub(super) fn may_close(&self) -> bool {
        self.closing.is_some()
    }

    fn end_code(&mut self) {
        let Some(fence) = self.fence else { return };
        if self.closing.take().is_some_and(|count| count >= fence.length) {
            if self.indent < 4 {
                self.fence = None;
            } else if fence.indent > 1 {
                (self.fence, self.doubt) = (None, true);
            }
        }
    }
}
