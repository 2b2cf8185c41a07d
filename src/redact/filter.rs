//! `OutputFilter`: the stages and the engine, as one stream.

use super::Filter;
use super::matcher::Matcher;
use super::plan::Plan;
use super::settings::{Mode, Settings};
use super::stage::Stage;
use crate::Error;
use std::rc::Rc;

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;

/// A span that was found, without its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span<'a> {
    /// The rule that gave it its name.
    pub rule: &'a str,
    /// Its first byte, in the text as it is behind the stages.
    pub start: u64,
    /// The byte behind its last.
    pub end: u64,
}

/// Removes from a stream what must never leave, exactly: the result depends on the text alone and not on how it
/// was cut, no byte of what is found ever leaves, and everything else leaves as soon as no rule can want it.
///
/// ```
/// use lastword::redact::{OutputFilter, Settings};
///
/// let mut filter = OutputFilter::new(&Settings::default())?;
/// let mut out = filter.push("Write to ana@exam");
/// assert_eq!(out, "Write to ");
/// out += &filter.push("ple.com, please");
/// out += &filter.flush();
/// assert_eq!(out, "Write to [REDACTED:email], please");
/// # Ok::<(), lastword::Error>(())
/// ```
pub struct OutputFilter {
    plan: Rc<Plan>,
    stages: Vec<(&'static str, Box<dyn Stage>)>,
    matcher: Matcher,
    /// What the engine has read up to here is not what was pushed: a stage has changed it.
    changed: u64,
    /// Where what a dry run would have let out goes.
    unused: String,
}

impl OutputFilter {
    /// A filter of its own.
    ///
    /// # Errors
    /// As [`Plan::new`].
    pub fn new(settings: &Settings) -> Result<Self, Error> {
        Ok(OutputFilter::with(Rc::new(Plan::new(settings)?)))
    }

    /// One of many filters with the same settings.
    pub fn with(plan: Rc<Plan>) -> Self {
        let made = plan.stages.iter().filter_map(|(name, make)| Some((*name, make(&plan)?)));
        let stages = made.collect();
        let matcher = Matcher::new(plan.engine.clone());
        OutputFilter { plan, stages, matcher, changed: 0, unused: String::new() }
    }

    /// Takes a piece and returns what may leave now; possibly nothing.
    pub fn push(&mut self, text: &str) -> String {
        let mut out = String::new();
        self.push_into(text, &mut out);
        out
    }

    /// The same, appended to `out`. True if that is what comes next of all that was pushed, as it was.
    pub fn push_into(&mut self, text: &str, out: &mut String) -> bool {
        if self.is_dry() {
            out.push_str(text);
            return self.unseen(|filter, unused| filter.through(0, text, unused));
        }
        self.through(0, text, out)
    }

    /// Ends the text: returns what was held back. The filter is then as new, but that one that has blocked lets nothing
    /// out until [`OutputFilter::abort`].
    pub fn flush(&mut self) -> String {
        let mut out = String::new();
        self.flush_into(&mut out);
        out
    }

    /// The same, appended to `out`. True if that is what comes next of all that was pushed, as it was.
    pub fn flush_into(&mut self, out: &mut String) -> bool {
        if self.is_dry() {
            return self.unseen(OutputFilter::end);
        }
        self.end(out)
    }

    /// Drops what is held back, unseen. The filter is then as new.
    pub fn abort(&mut self) {
        self.stages.iter_mut().for_each(|(_, stage)| stage.reset());
        self.matcher.abort();
        self.changed = 0;
    }

    /// How many bytes the engine holds back. What stages hold back is not counted.
    pub fn held(&self) -> usize {
        if self.is_dry() { 0 } else { self.matcher.held() }
    }

    /// True if nothing is held back anywhere.
    pub fn is_clear(&self) -> bool {
        self.is_dry() || self.matcher.held() == 0 && self.stages.iter().all(|(_, stage)| stage.passes(""))
    }

    /// True if the text has ended before something that was found in it.
    pub fn blocked(&self) -> bool {
        !self.is_dry() && self.matcher.blocked()
    }

    /// How many steps its automata have made. It grows with the length of the text alone.
    pub fn steps(&self) -> u64 {
        self.matcher.steps()
    }

    /// How often each rule has found something since the filter was made, and each stage; the others are left out.
    pub fn counts(&self) -> impl Iterator<Item = (&str, u64)> {
        self.counts_but(false)
    }

    /// The same, perhaps without the stages.
    pub(super) fn counts_but(&self, stages: bool) -> impl Iterator<Item = (&str, u64)> {
        let rules = self.matcher.engine().names().zip(self.matcher.audit().counts().iter().copied());
        let stages = self.stages.iter().filter(move |_| !stages).map(|(name, stage)| (*name, stage.count()));
        rules.chain(stages).filter(|(_, count)| *count > 0)
    }

    /// What was found in the last text, at most a thousand spans.
    pub fn spans(&self) -> impl Iterator<Item = Span<'_>> {
        let name = |rule: u16| self.matcher.engine().names().nth(usize::from(rule)).unwrap_or_default();
        self.matcher.audit().spans().iter().map(move |mark| Span {
            rule: name(mark.rule),
            start: mark.start,
            end: mark.end,
        })
    }

    /// How many spans more were found in the last text than [`OutputFilter::spans`] has.
    pub fn spans_dropped(&self) -> u64 {
        self.matcher.audit().dropped()
    }

    fn is_dry(&self) -> bool {
        self.plan.engine.mode() == Mode::DryRun
    }

    /// A dry run: what would leave goes nowhere, and what leaves is the input as it was.
    fn unseen(&mut self, work: impl FnOnce(&mut Self, &mut String) -> bool) -> bool {
        let mut unused = std::mem::take(&mut self.unused);
        work(self, &mut unused);
        unused.clear();
        self.unused = unused;
        true
    }

    /// Through the stages from one on, and the engine.
    fn through(&mut self, from: usize, text: &str, out: &mut String) -> bool {
        let Some((_, stage)) = self.stages.get_mut(from) else {
            let same = self.changed <= self.matcher.left();
            return self.matcher.push(text, out) && same;
        };
        if stage.passes(text) {
            return self.through(from + 1, text, out);
        }
        let mut given = String::with_capacity(text.len());
        stage.push(text, &mut given);
        self.through(from + 1, &given, out);
        self.changed = self.matcher.position();
        false
    }

    fn end(&mut self, out: &mut String) -> bool {
        let mut same = true;
        for index in 0..self.stages.len() {
            let Some((_, stage)) = self.stages.get_mut(index) else { break };
            same = same && stage.passes("");
            let mut tail = String::new();
            stage.flush(&mut tail);
            if !tail.is_empty() {
                self.through(index + 1, &tail, out);
            }
        }
        same = same && self.changed <= self.matcher.left();
        self.changed = 0;
        self.matcher.flush(out) && same
    }
}

impl Filter for OutputFilter {
    fn push(&mut self, text: &str) -> String {
        OutputFilter::push(self, text)
    }

    fn flush(&mut self) -> String {
        OutputFilter::flush(self)
    }

    fn reset(&mut self) {
        self.abort();
    }

    fn blocked(&self) -> bool {
        OutputFilter::blocked(self)
    }
}
