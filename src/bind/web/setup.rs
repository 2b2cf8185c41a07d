//! What a run's machine is made with, by the configuration.

use super::platform::now;
use super::redaction;
use crate::Error;
use crate::executor::Approvals;
use crate::http::{Config, Provider};
use crate::profile::Profile;
use crate::provider::replay::{self, Recording};
use crate::redact::Redaction;
use crate::run::{Input, Setup};
use std::rc::Rc;

/// A recording, and the ordinal of the response with which it goes on.
pub type Tape = (&'static Recording, u32);

/// Whose machine it is.
pub struct Writer<'a> {
    pub scope: &'a str,
    pub thread: &'a str,
    pub instance: &'a str,
    pub nonce: u64,
}

/// What the machine is made with, and what it plays where the provider is a recording.
///
/// # Errors
/// [`crate::ErrorKind::UnknownModel`], or that the settings of the filter are not valid.
pub fn setup(config: &Config, writer: &Writer<'_>, run: &str, input: &Input) -> Result<(Setup, Option<Tape>), Error> {
    // Only a run that may yet begin needs a model.
    let (model, protocol, messages) = match input {
        Input::Post { input, .. } => {
            (config.model_for(input.model.as_deref())?, input.protocol, input.messages.as_slice())
        }
        _ => (config.model.clone(), None, &[][..]),
    };
    // An upstream's model may be named as a recording is, and is none.
    let recording = Some(&model).filter(|_| config.provider == Provider::Replay);
    let recording = recording.and_then(|model| replay::find(model));
    let recording = recording.map(|recording| (recording, replay::first_response(messages)));
    let mut profile = Profile::new(&model, protocol, now());
    profile.public_intermediate = config.public_intermediate;
    profile.public_thinking = config.public_thinking;
    profile.public_tools = config.public_tools;
    profile.public_working = config.public_working;
    profile.approval_calls = config.approval_calls;
    let approvals = recording.map(|(recording, _)| Approvals::of(recording)).unwrap_or_default();
    let setup = Setup {
        scope: writer.scope.to_owned(),
        thread: writer.thread.to_owned(),
        run: run.to_owned(),
        instance: writer.instance.to_owned(),
        nonce: writer.nonce,
        traits: config.traits,
        lease: config.lease,
        rule: config.rule,
        limits: config.limits,
        format: recording.map_or(config.provider.format(), |(recording, _)| recording.format()),
        approvals,
        client_calls: config.client_calls,
        deltas_apart: config.deltas_apart,
        options: config.options,
        model,
        profile,
        redactor: Rc::new(Redaction::new(redaction::plans(config)?)),
    };
    Ok((setup, recording))
}
