//! What leaves, and in which form.

use super::Matcher;
use crate::redact::settings::{Mode, Style};
use crate::redact::style;
use std::rc::Rc;

impl Matcher {
    /// Lets all leave that may, given that no candidate is alive that began before the frontier.
    pub(super) fn settle(&mut self, frontier: u64, out: &mut String) {
        let engine = Rc::clone(&self.engine);
        let mut done = 0;
        while let Some(&piece) = self.spans.list.get(done).filter(|piece| piece.start <= self.cut) {
            if !piece.shown {
                self.pass(piece.start.min(frontier), out);
                let closed = frontier >= piece.end.min(self.cut);
                let waits = !piece.plain && engine.waits(piece.rule);
                if frontier < piece.start || waits && !closed {
                    break;
                }
            }
            if engine.mode == Mode::Block {
                self.audit.add(piece.rule, piece.start, piece.end);
                self.block();
                return;
            }
            self.replace(&engine, done, out);
            if frontier < piece.end {
                break;
            }
            self.audit.close();
            done += 1;
        }
        if frontier >= self.cut {
            self.pass(self.cut, out);
            self.block();
            return;
        }
        if done == self.spans.list.len() {
            self.pass(frontier, out);
        }
        self.spans.done(done);
        self.raw.forget(self.left.min(self.at.saturating_sub(engine.behind)));
    }

    /// Lets all before that place leave as it is.
    fn pass(&mut self, until: u64, out: &mut String) {
        if self.left < until {
            out.push_str(self.raw.get(self.left, until));
            self.left = until;
        }
    }

    /// Shows a span if it is not yet shown, and swallows what has come to it.
    fn replace(&mut self, engine: &super::Engine, index: usize, out: &mut String) {
        let Some(piece) = self.spans.list.get_mut(index) else { return };
        let Some(rule) = engine.rule(piece.rule) else { return };
        if !piece.shown {
            piece.shown = true;
            self.audit.add(piece.rule, piece.start, piece.end);
            let style = if piece.plain { &Style::Label } else { &rule.style };
            style::show(style, &rule.name, self.raw.get(piece.start, piece.end), &engine.tokens, out);
            self.altered = true;
        } else if self.left < piece.end {
            self.audit.grow(piece.end);
            if rule.style == Style::SameLength {
                style::stars(self.raw.get(self.left, piece.end), out);
            }
            self.altered = true;
        }
        self.left = self.left.max(piece.end);
    }

    /// Ends the text here.
    fn block(&mut self) {
        self.clear();
        self.blocked = true;
    }
}
