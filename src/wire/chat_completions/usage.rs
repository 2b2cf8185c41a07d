//! What a run cost, in the format's words: one sum, whichever models it took.

use super::chunk::NULL;
use crate::event::{ModelUsage, Timing};
use crate::json::Object;
use crate::signal::Usage;

/// Writes `usage`, which is null where no provider counted anything, and `timing`, which the format has no slot for.
pub(super) fn write(costs: &[ModelUsage], timing: Option<&Timing>, out: &mut Object<'_>) {
    let tokens = sum(costs);
    match tokens == Usage::default() {
        true => {
            out.field("usage", &NULL);
        }
        false => {
            out.object("usage", |usage| write_tokens(&tokens, usage));
        }
    }
    out.field("timing", &timing.copied());
}

/// The three that clients demand are numbers; a detail that nobody counted is left out.
fn write_tokens(tokens: &Usage, usage: &mut Object<'_>) {
    let (input, output) = (tokens.input.unwrap_or_default(), tokens.output.unwrap_or_default());
    let total = tokens.total.unwrap_or(input.saturating_add(output));
    usage.fields(&[("prompt_tokens", &input), ("completion_tokens", &output), ("total_tokens", &total)]);
    if tokens.cached_input.is_some() || tokens.cache_write.is_some() {
        usage.object("prompt_tokens_details", |details| {
            details.fields(&[("cached_tokens", &tokens.cached_input), ("cache_write_tokens", &tokens.cache_write)]);
        });
    }
    if tokens.reasoning.is_some() {
        usage.object("completion_tokens_details", |details| {
            details.field("reasoning_tokens", &tokens.reasoning);
        });
    }
}

fn sum(costs: &[ModelUsage]) -> Usage {
    costs.iter().fold(Usage::default(), |sum, ModelUsage { tokens, .. }| Usage {
        input: add(sum.input, tokens.input),
        output: add(sum.output, tokens.output),
        total: add(sum.total, total(tokens)),
        reasoning: add(sum.reasoning, tokens.reasoning),
        cached_input: add(sum.cached_input, tokens.cached_input),
        cache_write: add(sum.cache_write, tokens.cache_write),
    })
}

/// A model whose provider gave no total counts with its parts, so that the sum of totals is one of all models.
fn total(tokens: &Usage) -> Option<u64> {
    tokens.total.or_else(|| add(tokens.input, tokens.output))
}

fn add(one: Option<u64>, other: Option<u64>) -> Option<u64> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.saturating_add(other)),
        (one, other) => one.or(other),
    }
}
