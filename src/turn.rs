//! The publishing rule: what of a turn is its answer.
//!
//! At the token level narration, apologies, prose reasoning and the answer look alike. Only the end
//! of a response tells them apart, so text is held per message item and decided there. A response
//! with a function call holds no answer; else its last eligible item is the candidate. Operators
//! see everything live as `intermediate`; a customer sees nothing of it.

use crate::error::{Error, ErrorKind};
use crate::event::{ModelUsage, Plain};
use crate::input::Call;
use crate::json;
use crate::redact::{Channel, Filter, Redactor};
use crate::signal::{Phase, Role, Signal, Stop, Usage};
use serde_json::Value;
use std::rc::Rc;

mod calls;
mod cuts;
mod decide;
mod early;
mod held;
mod items;
mod limits;
mod published;
mod reasoned;
mod redacted;
mod thinking;

use calls::Calls;
use cuts::Cuts;
pub use early::Early;
pub(crate) use early::EarlyStep;
use early::Live;
use held::Held;
pub use limits::{MAX_ARGUMENTS, MAX_CALLS, MAX_ITEMS, MAX_KEPT, MAX_REASONING, MAX_STATE, MAX_TEXT};
use published::{Answer, HandedOver};
pub use published::{ClientCalls, Published};
use thinking::Thinking;

/// The options of the rule. All are off unless somebody says so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rule {
    /// An answer that the output limit has cut is not published: the turn fails with
    /// [`ErrorKind::OutputLimit`].
    pub withhold_truncated: bool,
    /// An answer that is white space alone becomes an empty one.
    pub suppress_blank: bool,
    /// An item that is marked as the final answer at its start streams live to the customer. At the
    /// risk that it turns out to be no answer: see [`Early`].
    pub early: bool,
}

/// What a response came to.
#[derive(Debug, PartialEq)]
pub enum Decision {
    /// The turn may end: [`TurnOutput::candidate`] has its text.
    Candidate,
    /// The model called functions; the turn goes on.
    Calls(Said),
    /// The response paused; the turn goes on.
    Continue(Said),
    /// Nothing of this response is an answer, and the turn can't go on.
    Dead(ErrorKind),
}

/// What a response said, unredacted, for the model's own history.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Said {
    /// Its text.
    pub text: String,
    /// Its calls, with ids that are unique in the thread.
    pub calls: Vec<Call>,
    /// What the provider wants back with it.
    pub kept: Option<Value>,
}

/// The message that may end the turn.
#[derive(Default)]
struct Candidate {
    held: Held,
    truncated: bool,
    fallback: bool,
}

/// Holds a turn's text, decides each response, and yields at most one answer.
pub struct TurnOutput {
    tag: String,
    redactor: Rc<dyn Redactor>,
    filter: Box<dyn Filter>,
    public_intermediate: bool,
    ordinal: u32,
    messages: u32,
    items: Vec<Held>,
    open: Option<Role>,
    /// What the item was marked as that a provider's tool has cut in two.
    continued: Option<Phase>,
    rule: Rule,
    live: Live,
    thinking: Thinking,
    raw: String,
    raw_before_item: usize,
    kept: Option<Value>,
    calls: Calls,
    usage: ModelUsage,
    candidate: Option<Candidate>,
    in_response: bool,
    last_intermediate: Option<String>,
    published: bool,
    spoke: bool,
    max_text: usize,
    /// Pieces of held text that nobody has taken yet are one event; where it is true, with cuts between them.
    joining: Option<bool>,
    cuts: Cuts,
    out: Vec<Plain>,
}

impl TurnOutput {
    /// A turn whose derived ids begin with `tag`. `used` are the call ids that the thread has already.
    pub fn new(tag: &str, redactor: Rc<dyn Redactor>, used: &[&str]) -> Self {
        TurnOutput {
            tag: tag.to_owned(),
            filter: redactor.filter(Channel::Text),
            thinking: Thinking::new(tag, redactor.filter(Channel::Thinking)),
            redactor,
            public_intermediate: false,
            ordinal: 0,
            messages: 0,
            items: Vec::new(),
            open: None,
            continued: None,
            rule: Rule::default(),
            live: Live::new(tag, false, false),
            in_response: false,
            raw: String::new(),
            raw_before_item: 0,
            kept: None,
            calls: Calls::new(tag, used),
            usage: ModelUsage::default(),
            candidate: None,
            last_intermediate: None,
            published: false,
            spoke: false,
            max_text: MAX_TEXT,
            joining: None,
            cuts: Cuts::default(),
            out: Vec::new(),
        }
    }

    /// Decides by these options.
    pub fn rule(mut self, rule: Rule) -> Self {
        self.live = Live::new(&self.tag, rule.early, rule.suppress_blank);
        self.rule = rule;
        self
    }

    /// Sends decided narration to the customer too. Off unless somebody says so.
    pub fn public_intermediate(mut self, on: bool) -> Self {
        self.public_intermediate = on;
        self
    }

    /// Sends thinking to the customer too. Off unless somebody says so.
    pub fn public_thinking(mut self, on: bool) -> Self {
        self.thinking.public = on;
        self
    }

    /// Takes one signal. A decision comes with the signal that ends the response, and no other.
    pub fn signal(&mut self, signal: Signal) -> Option<Decision> {
        match signal {
            Signal::ResponseStart { model } => self.response_started(model),
            Signal::ItemStart { role, phase } => return self.item_started(role, phase, false),
            Signal::Text(text) => {
                let pieces = self.cuts.next();
                return self.said(&text, false, pieces);
            }
            Signal::Refusal(text) => return self.said(&text, true, None),
            Signal::Reasoning(text) if !self.thinking.has_room(&text) => {
                return Some(Decision::Dead(ErrorKind::OutputLimit));
            }
            Signal::Reasoning(text) => self.thinking.push(&text, &mut self.out),
            Signal::WasReasoning => return self.was_reasoning(),
            Signal::ItemEnd { text } => return self.item_ended(text),
            Signal::CallStart { index, id, name } => {
                self.thinking_ended();
                self.live.withdraw();
                // An id in which the filter finds something is none that may be used.
                let id = if self.name(&id) == id { id } else { String::new() };
                return dead(self.calls.started(index, &id, &name));
            }
            Signal::CallName { index, name } => return dead(self.calls.named(index, &name)),
            Signal::CallArgs { index, delta } => return dead(self.calls.argued(index, &delta)),
            Signal::CallEnd { .. } => {}
            Signal::ProviderTool { .. } => self.provider_tool(),
            Signal::State(snapshot) => return dead(self.state(snapshot)),
            Signal::Kept(kept) if json::text(&kept).len() > MAX_KEPT => {
                return Some(Decision::Dead(ErrorKind::OutputLimit));
            }
            Signal::Kept(kept) => self.kept = Some(kept),
            Signal::Usage(usage) => self.usage.tokens = usage,
            Signal::ResponseEnd(stop) => return Some(self.response_ended(stop)),
            Signal::Error(fault) => return Some(self.died(fault)),
        }
        None
    }

    /// Takes a piece of the open message's text, or opens one. Emits what the filter releases.
    pub fn push(&mut self, text: &str) {
        match self.open {
            Some(Role::Other) => return,
            Some(Role::Assistant) => {}
            None => _ = self.item_started(Role::Assistant, Phase::Unmarked, false),
        }
        if let Some(held) = self.items.last_mut() {
            held.came = true;
        }
        let slice = self.filter.push(text);
        self.hold(slice);
        self.note_blocked();
    }

    /// Ends the open message: releases the filter's tail into it. Of a message that is not the
    /// assistant's it changes nothing.
    pub fn message_ended(&mut self, role: Role) {
        if role != Role::Assistant {
            return;
        }
        self.flush();
        self.filter.reset();
        if self.open.take() != Some(Role::Assistant) {
            return;
        }
        if let Some(message) = self.items.last().filter(|held| !held.text.is_empty()).map(|held| held.message.clone()) {
            self.out.push(Plain::IntermediateEnd { message });
        }
    }

    /// Releases the filter's tail into the open message.
    pub fn flush(&mut self) {
        let tail = self.filter.flush();
        self.hold(tail);
        self.note_blocked();
    }

    /// Ends the response and decides it. Whether it called a function is asked of its calls.
    pub fn response_ended(&mut self, stop: Stop) -> Decision {
        // The filter's tail of what is no answer does not stream any more.
        if self.is_no_answer(stop) {
            self.live.withdraw();
        }
        self.thinking_ended();
        self.message_ended(Role::Assistant);
        self.in_response = false;
        let items = std::mem::take(&mut self.items);
        let calls = self.calls.take();
        let said = Said { text: std::mem::take(&mut self.raw), calls, kept: self.kept.take() };
        let decision = self.decide(stop, items, said);
        self.out.push(Plain::ResponseEnded { ordinal: self.ordinal, stop, usage: self.usage.clone() });
        decision
    }

    /// The text of the message that ended the turn, if one has. Not yet published: whoever drives
    /// the turn may still replace it, or end the turn otherwise.
    pub fn candidate(&self) -> Option<&str> {
        self.candidate.as_ref().map(|candidate| candidate.held.text.as_str())
    }

    /// Yields the answer: the candidate, or what replaces it (through the filter). Empty text gives
    /// an answer without events.
    ///
    /// # Errors
    /// [`ErrorKind::AlreadyPublished`] the second time. For a replacement that is larger than a response may
    /// be [`ErrorKind::OutputLimit`], for one that the filter blocks [`ErrorKind::OutputBlocked`], and nothing
    /// is published.
    pub fn publish(&mut self, replacement: Option<&str>) -> Result<Published, Error> {
        let replacement = match replacement.filter(|_| !self.published) {
            Some(text) => Some(self.replacing(text)?),
            None => None,
        };
        self.publish_once()?;
        let Candidate { held, truncated, fallback } = self.candidate.take().unwrap_or_default();
        let mut answer =
            Answer { message: String::new(), text: held.text, refusal: held.refusal, truncated, fallback, open: false };
        if let Some(text) = replacement {
            answer = Answer { text, refusal: false, truncated: false, fallback: false, ..answer };
            self.live.withdraw();
        }
        if self.rule.suppress_blank && answer.text.trim().is_empty() {
            answer.text.clear();
        }
        answer.message = self.live.answer_id();
        answer.open = self.live.is_open();
        Ok(Published::new(answer))
    }

    /// Yields the calls that the client is to run, which end the turn in the answer's place.
    ///
    /// # Errors
    /// [`ErrorKind::AlreadyPublished`] if the turn has published; [`ErrorKind::OutputBlocked`] for arguments that the
    /// filter blocks, [`ErrorKind::OutputLimit`] for such as what it removes makes too long, and nothing is published.
    pub fn hand_over(&mut self, calls: Vec<Call>) -> Result<ClientCalls, Error> {
        let calls = calls.into_iter().map(|call| self.handed(call)).collect::<Result<_, _>>()?;
        self.publish_once()?;
        self.live.withdraw();
        Ok(ClientCalls::new(HandedOver { parent: format!("{}-c", self.tag), calls }))
    }

    /// The narration of the response that halted the turn: its own text where its end is known,
    /// never an older one's; else what is pending.
    pub fn halt_text(&self) -> &str {
        match (&self.last_intermediate, self.items.last()) {
            (_, Some(pending)) => &pending.text,
            (Some(text), None) => text,
            (None, None) => "",
        }
    }

    /// Drops an attempt that failed and is made again: its text, its calls and the filter's tail.
    pub fn attempt_reset(&mut self) {
        self.drop_response();
        if std::mem::take(&mut self.in_response) {
            self.ordinal = self.ordinal.saturating_sub(1);
        }
        self.out.push(Plain::AttemptReset { ordinal: self.ordinal + 1 });
    }

    /// What is to be written, in order.
    pub fn take_events(&mut self) -> Vec<Plain> {
        std::mem::take(&mut self.out)
    }

    /// What of an early answer is to be written, in order, behind what [`TurnOutput::take_events`] gives.
    pub fn take_early(&mut self) -> Vec<Early> {
        self.live.take()
    }

    /// True while an answer streams early that was not withdrawn.
    pub fn is_early(&self) -> bool {
        self.live.is_open()
    }

    /// True once any text of the model has come.
    pub fn has_spoken(&self) -> bool {
        self.spoke
    }

    /// A start within a response begins it anew: what came of it is void, as a failed attempt's is.
    fn response_started(&mut self, model: Option<String>) {
        if self.in_response {
            self.attempt_reset();
        }
        self.ordinal += 1;
        self.in_response = true;
        self.drop_response();
        self.last_intermediate = None;
        let model = model.map(|model| self.name(&model));
        self.usage = ModelUsage { model, tokens: Usage::default() };
    }

    /// Drops what a response has left that was not decided; the filters' tails unseen.
    fn drop_response(&mut self) {
        self.filter.reset();
        self.thinking.reset(&mut self.out);
        self.message_ended(Role::Assistant);
        self.open = None;
        self.continued = None;
        self.live.withdraw();
        self.items.clear();
        self.raw.clear();
        self.calls.discard();
        self.kept = None;
        self.candidate = None;
    }

    fn thinking_ended(&mut self) {
        self.thinking.ended(&mut self.out);
    }

    fn publish_once(&mut self) -> Result<(), Error> {
        match std::mem::replace(&mut self.published, true) {
            true => Err(ErrorKind::AlreadyPublished.into()),
            false => Ok(()),
        }
    }
}

fn dead(taken: Result<(), ErrorKind>) -> Option<Decision> {
    taken.err().map(Decision::Dead)
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
