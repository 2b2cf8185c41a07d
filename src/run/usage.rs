//! What a run has cost.

use crate::event::ModelUsage;
use crate::signal::Usage;

/// Adds a response's tokens to the run's, one entry a model. A response that says nothing adds nothing.
pub(super) fn count(total: &mut Vec<ModelUsage>, response: &ModelUsage) {
    if response.tokens == Usage::default() {
        return;
    }
    match total.iter_mut().find(|entry| entry.model == response.model) {
        Some(entry) => add(&mut entry.tokens, &response.tokens),
        None => total.push(response.clone()),
    }
}

fn add(total: &mut Usage, more: &Usage) {
    let sum = |a: Option<u64>, b: Option<u64>| match (a, b) {
        (None, None) => None,
        (a, b) => Some(a.unwrap_or(0).saturating_add(b.unwrap_or(0))),
    };
    total.input = sum(total.input, more.input);
    total.output = sum(total.output, more.output);
    total.total = sum(total.total, more.total);
    total.reasoning = sum(total.reasoning, more.reasoning);
    total.cached_input = sum(total.cached_input, more.cached_input);
    total.cache_write = sum(total.cache_write, more.cache_write);
}
