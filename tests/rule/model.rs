//! A model of the publishing rule, written from the design's table and not from `src/turn/`: it takes
//! the whole list of what a provider said, in the plainest way, and knows nothing of streams.

use crate::script::Line;
use lastword::signal::{Fault, Phase, Role, Signal, Stop};
use lastword::turn::Rule;

/// How a turn ends.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// With this text; an empty one publishes nothing.
    Published { text: String, refusal: bool, truncated: bool, fallback: bool },
    /// With the client's calls: each tool's name and arguments.
    Calls(Vec<(String, String)>),
    /// With this code.
    Failed(&'static str),
}

/// What of the text and the refusals of these responses turned out to be reasoning.
pub fn reasoned(responses: &[Vec<Line>]) -> String {
    let messages = responses.iter().flat_map(|lines| all_messages(&said(lines)));
    messages.filter(|message| message.reasoning).map(|message| message.text).collect()
}

/// A message of a response.
#[derive(Clone, Debug)]
struct Message {
    /// The item that it is a part of; texts outside of items have the number of the gap.
    item: usize,
    /// It was said to have been reasoning.
    reasoning: bool,
    /// How many tools the provider had run before it.
    tools: usize,
    refusal: bool,
    phase: Phase,
    text: String,
}

/// How the turn ends that these responses make, and how often the provider was asked. A response that is
/// not there can't be had. What the provider can't give now it is asked for again, `retries` times a step.
pub fn outcome(
    responses: &[Vec<Line>],
    rule: Rule,
    client_tools: &[&str],
    steps: usize,
    retries: usize,
) -> (Outcome, usize) {
    let mut asked = 0;
    for _ in 0..steps {
        let mut failed = 0;
        loop {
            let lines = responses.get(asked);
            asked += 1;
            match lines
                .map_or(Some(Outcome::Failed("upstream_unavailable")), |lines| response(lines, rule, client_tools))
            {
                Some(Outcome::Failed("upstream_unavailable")) if failed < retries => failed += 1,
                Some(outcome) => return (outcome, asked),
                None => break,
            }
        }
    }
    (Outcome::Failed("step_limit"), asked)
}

/// What these responses cost: of each the last count in front of its end.
pub fn tokens(responses: &[Vec<Line>]) -> u64 {
    let count = |lines: &Vec<Line>| {
        let mut counts = said(lines).into_iter().filter_map(|signal| match signal {
            Signal::Usage(usage) => usage.output,
            _ => None,
        });
        counts.next_back().unwrap_or_default()
    };
    responses.iter().map(count).sum()
}

/// All that is said in front of a response's end.
fn said(lines: &[Line]) -> Vec<&Signal> {
    let goes_on = |line: &&Line| !matches!(line, Line::Signal(Signal::ResponseEnd(_) | Signal::Error(_)));
    lines.iter().take_while(goes_on).map_while(Line::signal).collect()
}

/// None if the turn goes on with another response.
pub fn response(lines: &[Line], rule: Rule, client_tools: &[&str]) -> Option<Outcome> {
    let end = lines
        .iter()
        .position(|line| matches!(line, Line::Garbage | Line::Signal(Signal::ResponseEnd(_) | Signal::Error(_))));
    let Some(end) = end else { return Some(Outcome::Failed("upstream_unavailable")) };
    let said: Vec<&Signal> = lines[..end].iter().filter_map(Line::signal).collect();
    let stop = match &lines[end] {
        Line::Garbage | Line::Signal(Signal::Error(Fault::Malformed)) => {
            return Some(Outcome::Failed("upstream_malformed"));
        }
        Line::Signal(Signal::ResponseEnd(stop)) => *stop,
        Line::Signal(_) => return Some(Outcome::Failed("upstream_unavailable")),
    };
    if stop == Stop::ContentFilter {
        return Some(Outcome::Failed("content_filter"));
    }
    let calls = calls(&said);
    if !calls.is_empty() {
        // A call without arguments is whole, unless it is the last one: it may have been about to get some.
        let is_cut = calls.iter().enumerate().any(|(at, (_, arguments))| {
            let may_be_empty = at + 1 < calls.len();
            !(may_be_empty && arguments.is_empty()) && serde_json::from_str::<serde_json::Value>(arguments).is_err()
        });
        if stop == Stop::Length && is_cut {
            return Some(Outcome::Failed("output_limit"));
        }
        let theirs: Vec<_> = calls.into_iter().filter(|(name, _)| client_tools.contains(&name.as_str())).collect();
        return (!theirs.is_empty()).then_some(Outcome::Calls(theirs));
    }
    if stop == Stop::Pause {
        return None;
    }
    if stop == Stop::Length && rule.withhold_truncated {
        return Some(Outcome::Failed("output_limit"));
    }
    let (mut text, refusal, fallback) = answer(&said);
    if rule.suppress_blank && text.trim().is_empty() {
        text = String::new();
    }
    Some(Outcome::Published { text, refusal, truncated: stop == Stop::Length, fallback })
}

fn calls(said: &[&Signal]) -> Vec<(String, String)> {
    let mut calls: Vec<(String, String)> = Vec::new();
    for signal in said {
        match signal {
            Signal::CallStart { name, .. } => calls.push((name.clone(), String::new())),
            Signal::CallName { index, name } => calls[*index as usize].0 = name.clone(),
            Signal::CallArgs { index, delta } => calls[*index as usize].1.push_str(delta),
            _ => {}
        }
    }
    calls
}

/// The answer of a response that completed and called nothing: its text, whether it is a refusal, and
/// whether it is published only because there is nothing better.
fn answer(said: &[&Signal]) -> (String, bool, bool) {
    let tools = said.iter().filter(|signal| matches!(signal, Signal::ProviderTool { .. })).count();
    let messages = messages(said);
    let is_commentary = |message: &&Message| message.phase == Phase::Commentary || message.tools < tools;
    let is_blank = |message: &&Message| message.text.trim().is_empty();
    let eligible: Vec<&Message> = messages.iter().filter(|message| !is_commentary(message)).collect();
    let solid: Vec<&Message> = eligible.iter().copied().filter(|message| !is_blank(message)).collect();

    // The refusal is the answer. Else a message that is marked as such, else the last one.
    let refused = solid.iter().rfind(|message| message.refusal);
    let marked = solid.iter().rfind(|message| message.phase == Phase::FinalAnswer);
    if let Some(message) = refused.or(marked).or(solid.last()) {
        return (message.text.clone(), message.refusal, false);
    }
    // White space only, beside commentary or alone.
    if let Some(message) = eligible.last() {
        return (message.text.clone(), message.refusal, false);
    }
    // Commentary only: better than an empty answer.
    let narrated: Vec<&Message> = messages.iter().filter(|message| !is_blank(message)).collect();
    match narrated.last().copied().or(messages.last()) {
        Some(message) => (message.text.clone(), message.refusal, true),
        None => (String::new(), false, false),
    }
}

/// The assistant's messages that have any text, in order.
fn messages(said: &[&Signal]) -> Vec<Message> {
    all_messages(said).into_iter().filter(|message| !message.reasoning).collect()
}

/// The same with those that turned out to be reasoning.
fn all_messages(said: &[&Signal]) -> Vec<Message> {
    let mut messages: Vec<Message> = Vec::new();
    let (mut item, mut tools) = (0, 0);
    // The item that is open: who speaks, and its mark.
    let mut open: Option<(Role, Phase)> = None;
    for signal in said {
        let (text, refusal) = match signal {
            Signal::ItemStart { role, phase } => {
                item += 1;
                open = Some((*role, *phase));
                continue;
            }
            Signal::ProviderTool { .. } => {
                tools += 1;
                continue;
            }
            Signal::WasReasoning => {
                // Of the open item; a tool of the provider's and a refusal part it.
                let is_open = open.is_none_or(|(role, _)| role == Role::Assistant);
                if let Some(last) =
                    messages.last_mut().filter(|last| is_open && (last.item, last.tools) == (item, tools))
                {
                    last.reasoning = true;
                }
                continue;
            }
            Signal::ItemEnd { text } => {
                let streamed = messages.iter().any(|message| message.item == item);
                if let (Some(text), Some((Role::Assistant, phase)), false) = (text, open, streamed)
                    && !text.is_empty()
                {
                    messages.push(Message { item, reasoning: false, tools, refusal: false, phase, text: text.clone() });
                }
                item += 1;
                open = None;
                continue;
            }
            Signal::Text(text) => (text, false),
            Signal::Refusal(text) => (text, true),
            _ => continue,
        };
        let (role, phase) = open.unwrap_or((Role::Assistant, Phase::Unmarked));
        if role == Role::Other || text.is_empty() {
            continue;
        }
        match messages.last_mut() {
            Some(last) if !last.reasoning && (last.item, last.tools, last.refusal) == (item, tools, refusal) => {
                last.text.push_str(text);
            }
            _ => messages.push(Message { item, reasoning: false, tools, refusal, phase, text: text.clone() }),
        }
    }
    messages
}
