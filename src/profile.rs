//! What a serializer depends on, frozen when the run starts.

use crate::Millis;
use crate::input::Protocol;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Whatever the bytes of a replay depend on besides the events. Kept in the run's head, so that a
/// replay is the same fold whatever was deployed since; a joiner's own declarations do not count.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Profile {
    /// Narration is sent to the customer too, once its response is decided.
    #[serde(default)]
    pub public_intermediate: bool,
    /// Thinking is sent to the customer too.
    #[serde(default)]
    pub public_thinking: bool,
    /// What the client that started the run declared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub protocol: Option<Protocol>,
    /// The model's name as clients are told it.
    pub model: String,
    /// When the run was asked for; informational.
    pub created_at: Millis,
    /// One serializer version a wire, by the wire's name.
    pub wires: BTreeMap<String, u32>,
}

impl Profile {
    /// A profile with every public switch off, at today's serializer versions.
    pub fn new(model: &str, protocol: Option<Protocol>, created_at: Millis) -> Self {
        let wires = [(crate::wire::CANONICAL, 1), (crate::wire::AG_UI, 1)];
        Profile {
            public_intermediate: false,
            public_thinking: false,
            protocol,
            model: model.to_owned(),
            created_at,
            wires: wires.into_iter().map(|(name, version)| (name.to_owned(), version)).collect(),
        }
    }

    /// True if the starter declared AG-UI 1.0 or newer.
    pub fn speaks_v1(&self) -> bool {
        self.protocol.is_some_and(|p| p >= Protocol::V1)
    }
}
