//! What a run cost as one sum, whichever models it took.

use crate::event::ModelUsage;
use crate::signal::Usage;

/// The tokens of all models together. What nobody counted is left out.
pub(crate) fn sum(costs: &[ModelUsage]) -> Usage {
    costs.iter().fold(Usage::default(), |all, cost| all.plus(&cost.tokens))
}

/// The tokens read and written together. A model whose provider gave no total counts with its parts, so that this is
/// one of all models.
pub(crate) fn total(costs: &[ModelUsage]) -> Option<u64> {
    let parts = |of: &Usage| [of.input, of.output].into_iter().flatten().reduce(u64::saturating_add);
    costs.iter().filter_map(|cost| cost.tokens.total.or(parts(&cost.tokens))).reduce(u64::saturating_add)
}
