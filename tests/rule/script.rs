//! Random scripts: what a provider says in a turn, and how its bytes are cut.

use lastword::provider::signals;
use lastword::signal::{Fault, Phase, Role, Signal, Stop, Usage};
use lastword::turn::Rule;
use proptest::prelude::*;
use serde_json::json;

/// A tool that the client runs, and two of ours.
pub const CLIENT_TOOL: &str = "ask";
const TOOLS: [&str; 3] = [CLIENT_TOOL, "look", "count"];

/// One event of a response's stream.
#[derive(Clone, Debug)]
pub enum Line {
    Signal(Signal),
    /// Bytes that are not of the format.
    Garbage,
}

impl Line {
    pub fn signal(&self) -> Option<&Signal> {
        match self {
            Line::Signal(signal) => Some(signal),
            Line::Garbage => None,
        }
    }

    fn bytes(&self) -> String {
        match self {
            Line::Signal(signal) => signals::encode(signal),
            Line::Garbage => "data: {oops\n\n".to_owned(),
        }
    }
}

/// A turn, and what happens to it.
#[derive(Clone, Debug)]
pub struct Script {
    pub responses: Vec<Vec<Line>>,
    /// Lengths of the chunks, over and over.
    pub cuts: Vec<usize>,
    pub rule: Rule,
    pub public_intermediate: bool,
    pub public_thinking: bool,
    pub steps: u32,
    /// How often a failed attempt is made again; the next attempt gets the next response.
    pub retries: u32,
    /// The text is searched for thinking tags, of which it has none.
    pub tags: bool,
    /// Redaction holds the last character of each text back until more comes.
    pub tails: bool,
    /// After so many turns of the driver somebody cancels.
    pub cancel: Option<usize>,
    /// After so many turns of the driver the readers leave; they come back once all is over.
    pub leave: Option<usize>,
}

impl Script {
    /// The responses' bytes, in chunks.
    pub fn chunks(&self) -> Vec<Vec<Vec<u8>>> {
        self.responses.iter().map(|lines| cut(&lines.iter().map(Line::bytes).collect::<String>(), &self.cuts)).collect()
    }
}

fn cut(stream: &str, lengths: &[usize]) -> Vec<Vec<u8>> {
    let (mut rest, mut chunks) = (stream.as_bytes(), Vec::new());
    for length in lengths.iter().cycle() {
        if rest.is_empty() {
            break;
        }
        let (chunk, more) = rest.split_at((*length).min(rest.len()));
        chunks.push(chunk.to_vec());
        rest = more;
    }
    chunks
}

/// What is drawn; made to a line of the format by [`lines`], which knows what came before.
#[derive(Clone, Copy, Debug)]
enum Draw {
    Item(Role, Phase),
    ItemEnd(bool),
    Text,
    Blank,
    Refusal,
    Reasoning,
    WasReasoning,
    Call(usize),
    Args,
    CallEnd,
    Tool,
    State,
    Usage(u8),
    End(Stop),
    Error,
    Garbage,
}

fn draw() -> impl Strategy<Value = Draw> {
    let phase = prop_oneof![2 => Just(Phase::Unmarked), 2 => Just(Phase::Commentary), 2 => Just(Phase::FinalAnswer)];
    let item = (prop::bool::weighted(0.9), phase)
        .prop_map(|(ours, phase)| Draw::Item(if ours { Role::Assistant } else { Role::Other }, phase));
    prop_oneof![
        4 => item,
        3 => any::<bool>().prop_map(Draw::ItemEnd),
        8 => Just(Draw::Text),
        1 => Just(Draw::Blank),
        1 => Just(Draw::Refusal),
        2 => Just(Draw::Reasoning),
        1 => Just(Draw::WasReasoning),
        1 => (0..TOOLS.len()).prop_map(Draw::Call),
        1 => Just(Draw::Args),
        1 => Just(Draw::CallEnd),
        1 => Just(Draw::Tool),
        1 => Just(Draw::State),
        1 => any::<u8>().prop_map(Draw::Usage),
    ]
}

/// How a response ends, and what comes behind that.
fn end() -> impl Strategy<Value = Option<Draw>> {
    prop_oneof![
        12 => Just(Some(Draw::End(Stop::Complete))),
        2 => Just(Some(Draw::End(Stop::Length))),
        3 => Just(Some(Draw::End(Stop::Pause))),
        1 => Just(Some(Draw::End(Stop::ContentFilter))),
        1 => Just(Some(Draw::Error)),
        1 => Just(Some(Draw::Garbage)),
        1 => Just(None),
    ]
}

/// A turn of one response to four.
pub fn script() -> impl Strategy<Value = Script> {
    let drawn = (prop::collection::vec(draw(), 0..12), end(), prop::collection::vec(draw(), 0..2));
    let responses = prop::collection::vec(drawn, 1..5).prop_map(|responses| {
        let mut words = 0;
        let all = responses.into_iter().map(|(mut drawn, end, after)| {
            // Behind a stream that just stops nothing can come.
            drawn.extend(end.iter().flat_map(|end| [*end].into_iter().chain(after.iter().copied())));
            lines(&drawn, &mut words)
        });
        all.collect()
    });
    let rule = (prop::bool::weighted(0.3), prop::bool::weighted(0.3), prop::bool::weighted(0.3));
    let rule =
        rule.prop_map(|(withhold_truncated, suppress_blank, early)| Rule { withhold_truncated, suppress_blank, early });
    let public = (prop::bool::weighted(0.3), prop::bool::weighted(0.3));
    let events = (
        any::<bool>(),
        any::<bool>(),
        prop::option::weighted(0.2, 5usize..80),
        prop::option::weighted(0.3, 5usize..80),
    );
    let limits = (2u32..5, prop_oneof![2 => Just(0u32), 1 => 1u32..3]);
    (responses, prop::collection::vec(1usize..80, 1..6), rule, public, limits, events).prop_map(
        |(
            responses,
            cuts,
            rule,
            (public_intermediate, public_thinking),
            (steps, retries),
            (tags, tails, cancel, leave),
        )| Script {
            responses,
            cuts,
            rule,
            public_intermediate,
            public_thinking,
            steps,
            retries,
            tags,
            tails,
            cancel,
            leave,
        },
    )
}

/// Every text is a word that no other text holds, so whatever leaves can be traced.
fn lines(drawn: &[Draw], words: &mut u32) -> Vec<Line> {
    let mut word = || {
        *words += 1;
        format!("w{words}é ")
    };
    let mut calls: Vec<bool> = Vec::new();
    let mut lines = Vec::new();
    for draw in drawn {
        let last = calls.len().wrapping_sub(1);
        let is_open = calls.last() == Some(&false);
        let signal = match draw {
            Draw::Item(role, phase) => Signal::ItemStart { role: *role, phase: *phase },
            Draw::ItemEnd(whole) => Signal::ItemEnd { text: whole.then(&mut word) },
            Draw::Text => Signal::Text(word()),
            Draw::Blank => Signal::Text(" \n".to_owned()),
            Draw::Refusal => Signal::Refusal(word()),
            Draw::Reasoning => Signal::Reasoning(word()),
            Draw::WasReasoning => Signal::WasReasoning,
            Draw::Call(tool) => {
                calls.push(false);
                Signal::CallStart {
                    index: last.wrapping_add(1) as u32,
                    id: "call".to_owned(),
                    name: TOOLS[*tool].to_owned(),
                }
            }
            Draw::Args if is_open => Signal::CallArgs { index: last as u32, delta: format!("\"{}\"", word()) },
            Draw::CallEnd if is_open => {
                calls[last] = true;
                Signal::CallEnd { index: last as u32 }
            }
            Draw::Args | Draw::CallEnd => continue,
            Draw::Tool => Signal::ProviderTool { name: "search".to_owned() },
            Draw::State => Signal::State(json!({"step": 1})),
            Draw::Usage(tokens) => Signal::Usage(Usage { output: Some(u64::from(*tokens)), ..Usage::default() }),
            Draw::End(stop) => Signal::ResponseEnd(*stop),
            Draw::Error => Signal::Error(Fault::Reported),
            Draw::Garbage => {
                lines.push(Line::Garbage);
                continue;
            }
        };
        lines.push(Line::Signal(signal));
    }
    lines
}
