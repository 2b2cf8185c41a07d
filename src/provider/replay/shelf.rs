//! The recordings, embedded.

/// A recording as its files are.
pub(super) struct Tape {
    /// The folder's name.
    pub(super) name: &'static str,
    /// `recording.json`.
    pub(super) script: &'static str,
    /// `1.sse`, `2.sse` and so on.
    pub(super) responses: &'static [&'static [u8]],
}

/// The folders, and the responses of each.
macro_rules! tapes {
    ($($name:literal: $($response:literal)+;)+) => {
        /// All of them, in the order in which they are offered.
        pub(super) static TAPES: &[Tape] = &[$(Tape {
            name: $name,
            script: include_str!(concat!("recordings/", $name, "/recording.json")),
            responses: &[$(include_bytes!(concat!("recordings/", $name, "/", $response, ".sse"))),+],
        }),+];

        /// What is expected of each: its name, and `expected.json`. Apart, so that a program that does
        /// not ask for it does not hold it.
        pub(super) static EXPECTED: &[(&str, &str)] =
            &[$(($name, include_str!(concat!("recordings/", $name, "/expected.json")))),+];
    };
}

tapes! {
    "narrated-refund": 1 2 3;
    "prose-monologue": 1 2;
    "reasoning-beside-text": 1;
    "parallel-tools": 1 2;
    "multibyte-cuts": 1;
    "error-after-200": 1;
    "death-mid-message": 1;
    "missing-end-mark": 1;
    "client-tool": 1 2;
    "client-tools-parallel": 1 2;
    "refusal": 1;
    "length-stop": 1;
    "empty-answer": 1;
    "long-answer": 1;
    "phases": 1;
    "answer-beside-call": 1 2;
    "commentary-only": 1;
    "equal-texts": 1;
    "provider-tool": 1;
    "paused": 1 2;
    "filtered": 1;
    "message-object": 1;
    "loop": 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1;
    "blank": 1;
    "failed-attempt": 1 2;
    "thinking-tags": 1;
    "state": 1;
    "refused-item": 1;
    "early-death": 1;
    "approval": 1 2;
    "approvals-parallel": 1 2 3;
    "approval-beside-client-tool": 1 2;
}
