//! What a run has cost.

use crate::event::ModelUsage;
use crate::json;
use crate::signal::Usage;

/// The most models that a run's cost is told apart by, so that the head stays small. A provider names a
/// model with each response; what any further one costs is counted without a name.
const MAX_MODELS: usize = 8;
/// The longest name of such a model, in bytes as JSON writes it.
const MAX_NAME: usize = 256;

/// Adds a response's tokens to the run's, one entry a model. A response that says nothing adds nothing.
pub fn count(total: &mut Vec<ModelUsage>, response: &ModelUsage) {
    if response.tokens == Usage::default() {
        return;
    }
    let known = |model: &Option<String>| total.iter().position(|entry| entry.model == *model);
    let model = response.model.clone().filter(|model| json::is_short(model, MAX_NAME));
    let (at, model) = match known(&model) {
        Some(at) => (Some(at), None),
        None if total.len() < MAX_MODELS => (None, model),
        None => (known(&None), None),
    };
    match at.and_then(|at| total.get_mut(at)) {
        Some(entry) => entry.tokens = entry.tokens.plus(&response.tokens),
        None => total.push(ModelUsage { model, tokens: response.tokens.clone() }),
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;

    #[test]
    fn models_are_told_apart_up_to_a_bound_and_nothing_is_lost() {
        let mut total = Vec::new();
        for round in 0..2 {
            for model in 0..100 {
                let tokens = Usage { input: Some(1), ..Usage::default() };
                count(&mut total, &ModelUsage { model: Some(format!("m{model}")), tokens });
                assert!(total.len() <= MAX_MODELS + 1, "{round}");
            }
        }
        let input = |usage: &ModelUsage| usage.tokens.input.unwrap();
        assert_eq!((total[0].model.as_deref(), input(&total[0])), (Some("m0"), 2));
        assert_eq!((&total[MAX_MODELS].model, total.iter().map(input).sum::<u64>()), (&None, 200));
    }
}
