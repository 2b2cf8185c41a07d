//! All that a reader is sent of some recordings, a snapshot a wire.

use crate::clients::sent;
use crate::play::{self, terms};
use crate::recordings::embedded;
use lastword::event::View;
use lastword::profile::Profile;
use lastword::wire::Wire;

/// An answer behind narration, a refusal, calls for the client, a cut answer, a failure, an approval.
const CHOSEN: &[&str] = &[
    "narrated-refund",
    "refusal",
    "client-tools-parallel",
    "length-stop",
    "death-mid-message",
    "approval-beside-client-tool",
];

const WIRES: &[Wire] =
    &[Wire::Canonical, Wire::AgUi, Wire::ChatCompletions, Wire::Responses, Wire::UiStream, Wire::Messages];

const WHOLE: &[Wire] = &[Wire::ChatCompletions, Wire::Responses, Wire::Messages];

#[test]
fn of_chosen_recordings_every_frame_is_known() {
    for wire in WIRES {
        let mut page = String::new();
        for (name, recording) in embedded().filter(|(name, _)| CHOSEN.contains(name)) {
            let store = play::embedded(recording, Profile { approval_calls: true, ..terms() });
            page.push_str(&format!("# {name}\n{}", sent(&play::stream(&store, View::Customer, *wire))));
            if WHOLE.contains(wire) {
                let document = play::document(&store, *wire);
                page.push_str(&format!("# {name}, whole: {}\n{}\n\n", document.status, document.body));
            }
        }
        insta::with_settings!({ omit_expression => true }, {
            insta::assert_snapshot!(wire.name(), page);
        });
    }
}
