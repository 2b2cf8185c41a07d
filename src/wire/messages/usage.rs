//! What a run cost, in the format's words: one sum, whichever models it took.

use crate::event::{ModelUsage, Timing};
use crate::json::Object;

/// Writes `usage`, and `timing`, which the format has no slot for. Both counts that clients demand are always there.
/// The tokens read are those that no cache had to do with, as the format counts them.
pub(super) fn write(costs: &[ModelUsage], timing: Option<&Timing>, out: &mut Object<'_>) {
    let sum = |count: fn(&ModelUsage) -> Option<u64>| costs.iter().filter_map(count).reduce(u64::saturating_add);
    let (written, served) = (sum(|cost| cost.tokens.cache_write), sum(|cost| cost.tokens.cached_input));
    let cached = written.unwrap_or_default().saturating_add(served.unwrap_or_default());
    let input = sum(|cost| cost.tokens.input).unwrap_or_default().saturating_sub(cached);
    let thought = sum(|cost| cost.tokens.reasoning);
    out.object("usage", |usage| {
        usage.fields(&[
            ("input_tokens", &input),
            ("cache_creation_input_tokens", &written),
            ("cache_read_input_tokens", &served),
            ("output_tokens", &sum(|cost| cost.tokens.output).unwrap_or_default()),
        ]);
        if thought.is_some() {
            usage.object("output_tokens_details", |details| {
                details.field("thinking_tokens", &thought);
            });
        }
    });
    out.field("timing", &timing.copied());
}
