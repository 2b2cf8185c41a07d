//! What a run cost, in the format's words: one sum, whichever models it took.

use crate::event::{ModelUsage, Timing};
use crate::json::Object;
use crate::wire::cost;

/// Writes `usage`, and `timing`, which the format has no slot for. Both counts that clients demand are always there.
/// The tokens read are those that no cache had to do with, as the format counts them.
pub(super) fn write(costs: &[ModelUsage], timing: Option<&Timing>, out: &mut Object<'_>) {
    let tokens = cost::sum(costs);
    let (written, served) = (tokens.cache_write, tokens.cached_input);
    let cached = written.unwrap_or_default().saturating_add(served.unwrap_or_default());
    let input = tokens.input.unwrap_or_default().saturating_sub(cached);
    out.object("usage", |usage| {
        usage.fields(&[
            ("input_tokens", &input),
            ("cache_creation_input_tokens", &written),
            ("cache_read_input_tokens", &served),
            ("output_tokens", &tokens.output.unwrap_or_default()),
        ]);
        if tokens.reasoning.is_some() {
            usage.object("output_tokens_details", |details| {
                details.field("thinking_tokens", &tokens.reasoning);
            });
        }
    });
    out.field("timing", &timing.copied());
}
