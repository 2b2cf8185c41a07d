//! A run's redactor: which plan each channel has, and what was found in all of them.
//!
//! Every string in an event of a run, and where it comes from:
//!
//! | events | string | from |
//! |---|---|---|
//! | all | `message`, `parent`, an interrupt's `id` | derived from the run's id and a number |
//! | all of calls, `Completed`, `Failed` | `call`, `pending`, `unknown` | the provider's id, if [`Channel::Name`] leaves it as it is; else derived |
//! | `Intermediate…`, `Narration…`, `Answer…` | `delta` | [`Channel::Text`]: text, refusals, narration, early answers, a hook's replacement |
//! | `Thinking…` | `delta` | [`Channel::Thinking`]; text that turns out to have been reasoning has gone through [`Channel::Text`] |
//! | `ToolStart`, `ShownCallStart` | `name` | [`Channel::Name`] |
//! | `ToolArgs`, `ShownCallArgs` | `delta` | [`Channel::ToolArguments`] |
//! | `CallStart`, `CallArgs` | `name`, `delta` | [`Channel::ClientArguments`]: the tool is the client's own |
//! | `ToolOutput`, `ShownCallResult` | `delta`, `content` | [`Channel::ToolOutput`], or a fixed sentence |
//! | `State` | all names and values of `snapshot` | [`Channel::State`] |
//! | `Interrupted` | `message` | a fixed sentence around a call's name and arguments, as above |
//! | | `reason`, `response_schema` | fixed |
//! | `ResponseEnded`, all ends | `model` in `usage` | [`Channel::Name`] |
//! | `Failed` | `code`, `message`, `reference` | the kind of error: fixed, and a hash |
//! | `Decided`, `Working`, `AttemptReset`, `Started`, `Cancelled` | nothing more | |
//!
//! A record and a list of runs hold these and what the client has sent; a snapshot of messages is made of events and
//! of the client's own messages, which are sent back as they came.

use super::filter::OutputFilter;
use super::plan::Plan;
use super::settings::Mode;
use super::{Channel, Filter, PassThrough, Redacted, Redactor, Settings, json};
use crate::error::Error;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// The plans of all channels, ready to be shared by any number of runs.
#[derive(Clone)]
pub struct Plans(Option<Pair>);

#[derive(Clone)]
struct Pair {
    /// Of all else.
    ours: Rc<Plan>,
    /// Of calls that the client runs: secrets alone, unless the settings say otherwise.
    theirs: Rc<Plan>,
}

impl Plans {
    /// Makes settings ready.
    ///
    /// # Errors
    /// [`crate::ErrorKind::InvalidFilter`], with the place in the settings.
    pub fn new(settings: &Settings) -> Result<Self, Error> {
        if *settings == Settings::off() {
            return Ok(Plans(None));
        }
        Ok(Plans(Some(Pair { ours: Rc::new(Plan::new(settings)?), theirs: Rc::new(Plan::for_clients(settings)?) })))
    }
}

/// What all filters of a run have found: how often each rule, by name.
type Found = Rc<RefCell<Vec<(String, u64)>>>;

/// A run's redactor.
pub struct Redaction {
    plans: Plans,
    found: Found,
    /// The filters that whole texts go through, one a plan: a state may have many texts.
    whole: [RefCell<Option<Counted>>; 2],
}

impl Redaction {
    /// The redactor of one run.
    pub fn new(plans: Plans) -> Self {
        Redaction { plans, found: Found::default(), whole: Default::default() }
    }

    /// A new filter; none where all passes.
    fn made(&self, channel: Channel) -> Option<Counted> {
        let pair = self.plans.0.as_ref()?;
        let theirs = channel == Channel::ClientArguments;
        let filter = OutputFilter::with(if theirs { &pair.theirs } else { &pair.ours }.clone());
        Some(Counted { filter, theirs, counted: Vec::new(), found: self.found.clone() })
    }
}

impl Redactor for Redaction {
    fn filter(&self, channel: Channel) -> Box<dyn Filter> {
        match self.made(channel) {
            Some(filter) => Box::new(filter),
            None => Box::new(PassThrough),
        }
    }

    fn whole(&self, channel: Channel, text: &str) -> Redacted {
        // What a tool gives back may be JSON, where escapes hide what whoever reads it decodes.
        let program = || text.contains('\\') || text.trim_start().starts_with(['{', '[']);
        if channel == Channel::ToolOutput && program() && !self.is_dry() {
            let decoded = self.arguments(channel, text);
            return if decoded.blocked { decoded } else { self.one(channel, &decoded.text) };
        }
        self.one(channel, text)
    }

    fn arguments(&self, channel: Channel, text: &str) -> Redacted {
        // Where all passes nothing is looked at; behind what is blocked nothing passes.
        if self.plans.0.is_none() {
            return Redacted { text: text.to_owned(), blocked: false };
        }
        let blocked = Cell::new(false);
        let mut one = |text: &str| {
            let redacted = if blocked.get() { Redacted::default() } else { self.one(channel, text) };
            blocked.set(blocked.get() || redacted.blocked);
            Some(redacted.text)
        };
        let mut text = json::arguments(text, &mut one);
        // What has changed is found once.
        if !self.is_dry() && !blocked.get() {
            text = json::fields(&text, &mut one);
        }
        Redacted { text, blocked: blocked.get() }
    }

    fn found(&self) -> Vec<(String, u64)> {
        self.found.borrow().clone()
    }
}

impl Redaction {
    fn is_dry(&self) -> bool {
        self.plans.0.as_ref().is_some_and(|pair| pair.ours.engine.mode() == Mode::DryRun)
    }

    /// One text, through the filter of its channel.
    fn one(&self, channel: Channel, text: &str) -> Redacted {
        let [ours, theirs] = &self.whole;
        let idle = if channel == Channel::ClientArguments { theirs } else { ours };
        let Some(mut filter) = idle.take().or_else(|| self.made(channel)) else {
            return Redacted { text: text.to_owned(), blocked: false };
        };
        let mut out = filter.push(text);
        out.push_str(&filter.flush());
        let blocked = filter.blocked();
        // What a program is to be given stays what it is, invisible characters too, but for what must not leave.
        if filter.theirs && !blocked && filter.filter.spans().next().is_none() {
            text.clone_into(&mut out);
        }
        filter.reset();
        idle.replace(Some(filter));
        Redacted { text: out, blocked }
    }
}

/// Adds to how often a rule was counted.
fn add(counts: &mut Vec<(String, u64)>, name: &str, more: u64) {
    match counts.iter_mut().find(|(known, _)| known == name) {
        _ if more == 0 => {}
        Some((_, count)) => *count += more,
        None => counts.push((name.to_owned(), more)),
    }
}

/// A filter that tells the run what it has found, with each text that ends.
struct Counted {
    filter: OutputFilter,
    /// It is of what the client runs, where what the stages find is left unless a rule finds something.
    theirs: bool,
    /// What the run was told already.
    counted: Vec<(String, u64)>,
    found: Found,
}

impl Counted {
    fn tell(&mut self) {
        let mut found = self.found.borrow_mut();
        for (name, count) in self.filter.counts_but(self.theirs) {
            let told = self.counted.iter().find(|(known, _)| known == name).map_or(0, |(_, told)| *told);
            let more = count.saturating_sub(told);
            add(&mut self.counted, name, more);
            add(&mut found, name, more);
        }
    }
}

impl Filter for Counted {
    fn push(&mut self, text: &str) -> String {
        self.filter.push(text)
    }

    fn flush(&mut self) -> String {
        let tail = self.filter.flush();
        self.tell();
        tail
    }

    fn reset(&mut self) {
        self.filter.abort();
        self.tell();
    }

    fn blocked(&self) -> bool {
        self.filter.blocked()
    }
}

/// Whatever is under way is counted too.
impl Drop for Counted {
    fn drop(&mut self) {
        self.tell();
    }
}
