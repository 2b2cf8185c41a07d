//! What a run cost, in the format's words: one sum, whichever models it took.

use crate::event::{ModelUsage, Timing};
use crate::json::{NULL, Object};
use crate::signal::Usage;
use crate::wire::cost;

/// Writes `usage`, which is null where no provider counted anything, and `timing`, which the format has no slot for.
pub(super) fn write(costs: &[ModelUsage], timing: Option<&Timing>, out: &mut Object<'_>) {
    let tokens = cost::sum(costs);
    match tokens == Usage::default() {
        true => out.field("usage", &NULL),
        false => out.object("usage", |usage| write_tokens(&tokens, cost::total(costs).unwrap_or_default(), usage)),
    };
    out.field("timing", &timing.copied());
}

/// The three that clients demand are numbers; a detail that nobody counted is left out.
fn write_tokens(tokens: &Usage, total: u64, usage: &mut Object<'_>) {
    let (input, output) = (tokens.input.unwrap_or_default(), tokens.output.unwrap_or_default());
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
