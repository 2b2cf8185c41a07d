//! From the provider's bytes through the tags and the redaction to both views: how the bytes are cut
//! changes nothing but where deltas are cut.

use crate::common::{all, value};
use crate::properties::play;
use crate::script::{Line, Script, script};
use lastword::event::View;
use lastword::signal::Signal;
use lastword::sse::Frame;
use lastword::wire::Wire;
use proptest::prelude::*;

const SCRAPS: [&str; 12] = [
    "<think>",
    "</think>",
    "<thi",
    "nk>",
    "</",
    "<",
    " ",
    "\n",
    "`",
    "<|channel|>analysis<|message|>",
    "<|end|>",
    "so",
];

/// A script whose text has tags in it.
fn tagged() -> impl Strategy<Value = Script> {
    let scraps = prop::collection::vec((prop::sample::select(SCRAPS.to_vec()), any::<bool>()), 1..12);
    (script(), scraps).prop_map(|(mut script, scraps)| {
        let mut scraps = scraps.into_iter().cycle();
        for line in script.responses.iter_mut().flatten() {
            if let (Line::Signal(Signal::Text(text) | Signal::ItemEnd { text: Some(text) }), Some((scrap, in_front))) =
                (line, scraps.next())
            {
                text.insert_str(if in_front { 0 } else { text.len() }, scrap);
            }
        }
        Script { tags: true, cancel: None, leave: None, ..script }
    })
}

/// What readers of both views are told, with neighbouring deltas of one message as one event, and the order of what
/// belongs to different messages left out.
fn told(script: &Script) -> [Vec<(String, String, String)>; 2] {
    let host = play(script, false, usize::MAX).host.inner;
    [View::Customer, View::Operator].map(|view| joined(&all(&host, view, Wire::Canonical)))
}

fn joined(frames: &[Frame]) -> Vec<(String, String, String)> {
    let mut told: Vec<(String, String, String)> = Vec::new();
    for mut event in frames.iter().map(value) {
        let fields = event.as_object_mut().unwrap();
        fields.remove("meta");
        fields.remove("timing");
        fields.remove("reference");
        let delta = fields.remove("delta").map(|delta| delta.as_str().unwrap().to_owned()).unwrap_or_default();
        let kind = event["type"].as_str().unwrap().to_owned();
        let rest = event.to_string();
        match told.iter_mut().rfind(|(known, of, _)| !delta.is_empty() && (known, of) == (&kind, &rest)) {
            Some((.., text)) => text.push_str(&delta),
            None => told.push((kind, rest, delta)),
        }
    }
    told
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    #[test]
    fn how_the_bytes_are_cut_changes_nothing(script in tagged()) {
        let whole = told(&Script { cuts: vec![1 << 20], ..script.clone() });
        for cuts in [script.cuts.clone(), vec![3, 1, 64]] {
            prop_assert_eq!(told(&Script { cuts, ..script.clone() }), whole.clone());
        }
    }
}
