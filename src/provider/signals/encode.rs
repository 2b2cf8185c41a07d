//! Signals as the format has them, for agents that are written in Rust.

use crate::json;
use crate::signal::{Fault, Phase, Role, Signal};

/// The event that says a signal, with its blank line. An empty piece of text becomes an event that says nothing.
pub fn encode(signal: &Signal) -> String {
    format!("data: {}\n\n", object(signal))
}

/// A signal as a JSON object.
pub fn object(signal: &Signal) -> String {
    json::object(|said| {
        said.field("type", &kind(signal));
        match signal {
            Signal::ResponseStart { model } => said.field("model", model),
            Signal::ItemStart { role, phase } => {
                said.fields(&[("role", &(*role == Role::Other).then_some("other")), ("phase", &mark(*phase))])
            }
            Signal::Text(delta) | Signal::Reasoning(delta) | Signal::Refusal(delta) => said.field("delta", delta),
            Signal::ItemEnd { text } => said.field("text", text),
            Signal::CallStart { index, id, name } => said.fields(&[("index", index), ("id", id), ("name", name)]),
            Signal::CallName { index, name } => said.fields(&[("index", index), ("name", name)]),
            Signal::CallArgs { index, delta } => said.fields(&[("index", index), ("delta", delta)]),
            Signal::CallEnd { index } => said.field("index", index),
            Signal::ProviderTool { name } => said.field("name", name),
            Signal::State(snapshot) | Signal::Kept(snapshot) => said.field("snapshot", snapshot),
            Signal::Usage(usage) => said.fields(&[
                ("input", &usage.input),
                ("output", &usage.output),
                ("total", &usage.total),
                ("reasoning", &usage.reasoning),
                ("cached_input", &usage.cached_input),
                ("cache_write", &usage.cache_write),
            ]),
            Signal::ResponseEnd(stop) => said.field("stop", stop),
            Signal::Error(fault) => said.field("fault", &Some(*fault).filter(|fault| *fault != Fault::Reported)),
            Signal::WasReasoning => said,
        };
    })
}

fn kind(signal: &Signal) -> &'static str {
    match signal {
        Signal::ResponseStart { .. } => "response_start",
        Signal::ItemStart { .. } => "item_start",
        Signal::Text(_) => "text",
        Signal::Reasoning(_) => "reasoning",
        Signal::WasReasoning => "was_reasoning",
        Signal::Refusal(_) => "refusal",
        Signal::ItemEnd { .. } => "item_end",
        Signal::CallStart { .. } => "call_start",
        Signal::CallName { .. } => "call_name",
        Signal::CallArgs { .. } => "call_args",
        Signal::CallEnd { .. } => "call_end",
        Signal::ProviderTool { .. } => "provider_tool",
        Signal::State(_) => "state",
        Signal::Kept(_) => "kept",
        Signal::Usage(_) => "usage",
        Signal::ResponseEnd(_) => "response_end",
        Signal::Error(_) => "error",
    }
}

fn mark(phase: Phase) -> Option<&'static str> {
    match phase {
        Phase::Unmarked => None,
        Phase::Commentary => Some("commentary"),
        Phase::FinalAnswer => Some("final_answer"),
    }
}
