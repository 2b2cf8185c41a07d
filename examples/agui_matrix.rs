//! Prints what every reader of every recording is sent over AG-UI, as lines of JSON. The Node tests feed them to the
//! official clients: `cargo run --example agui_matrix`.
//!
//! A line is `{recording, end, declared, public, input, live, joins, late}`: `live` are the frames of the client that
//! began the run, each `{seq, raw}`; `joins` are `{cut, raw}`, one an event; `late` is a join after the end.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

#[cfg(not(target_arch = "wasm32"))]
#[path = "../tests/common/mod.rs"]
mod common;

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    use common::bytes;
    use common::matrix::{ENDS, TERMS, body, cuts, joined, late, live, play, sequence};
    use lastword::provider::replay;
    use serde_json::json;

    for recording in replay::names() {
        for end in ENDS {
            for terms in TERMS {
                let store = play(recording, end, terms);
                let frames = live(&store);
                let join = |cut| json!({"cut": cut, "raw": bytes(&joined(&store, cut))});
                let frame = |frame| json!({"seq": sequence(frame), "raw": bytes(std::slice::from_ref(frame))});
                let line = json!({
                    "recording": recording,
                    "end": format!("{end:?}"),
                    "declared": terms.declared,
                    "public": terms.public,
                    "input": body(recording),
                    "live": frames.iter().map(frame).collect::<Vec<_>>(),
                    "joins": cuts(&frames).into_iter().map(join).collect::<Vec<_>>(),
                    "late": bytes(&late(&store)),
                });
                println!("{line}");
            }
        }
    }
}

#[cfg(target_arch = "wasm32")]
fn main() {}
