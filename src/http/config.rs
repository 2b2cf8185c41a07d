//! The configuration, read once from `LASTWORD_*` variables.

use super::access::Access;
use crate::Millis;
use crate::error::{Error, ErrorKind};
use crate::provider::{Format, Options, replay};
use crate::redact::{Plans, Settings};
use crate::run::{Guarantee, Keep, Limits, Traits};
use crate::sse::HEARTBEAT_MS;
use crate::stored::decode;
use crate::turn::Rule;
use crate::wire::agui;

mod redact;

/// The model that is asked for where neither the client nor the configuration names one.
const DEFAULT_RECORDING: &str = "replay/narrated-refund";
/// The same, for an agent that speaks signals: it may choose a model by itself.
const DEFAULT_AGENT: &str = "agent";
/// The largest body that may be allowed: a client that joins is sent its input in one frame of at most
/// 4 MiB, beside the answer.
const MAX_BODY: u64 = 2 << 20;
/// The largest answer that may be allowed, for the same reason.
const MAX_OUTPUT: u64 = 1 << 20;
/// How long a writer is taken to live after its last save, by default.
const LEASE_MS: Millis = 30_000;
/// The shortest lease over Workers KV, in seconds: one that ends while a save is read back, or waits for the
/// store's one write a second, would have a living run sealed.
const LEAST_LEASE_KV_S: u64 = 5;
/// How many operations of Workers KV one request makes: the platform allows 1,000, and the end takes some.
const OPERATIONS: u32 = 900;
/// The shortest retention there: the platform lets no key expire sooner.
const LEAST_KEEP_KV_S: u64 = 60;

/// The least that a store takes: a head.
const LEAST_VALUE: usize = 16 << 10;

/// The longest retention, in seconds: a hundred years.
const MAX_KEEP: u64 = 3_155_760_000;

/// How long a thread's continuous stream may be open, by default.
const STREAM_MS: Millis = 3_600_000;

/// The name of the binding of Workers AI.
pub const AI_BINDING: &str = "AI";

/// Where the model is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Provider {
    /// Recordings of the project's own making.
    Replay,
    /// A server.
    Upstream(Upstream),
    /// Workers AI through the Worker's binding [`AI_BINDING`].
    Binding,
    /// The host's own function, or a stream that it has: how it answers.
    Given(Format),
}

/// A model's server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Upstream {
    /// How it is asked and how it answers.
    pub format: Format,
    /// Its base address, or the whole one. No request ever chooses it.
    pub url: String,
    /// Sent as the format has it: as a bearer token, or in a header of its own.
    pub key: Option<String>,
}

impl Provider {
    /// Its name, as `/health` gives it.
    pub fn name(&self) -> &'static str {
        match self {
            Provider::Replay => "replay",
            Provider::Upstream(upstream) => upstream.format.name(),
            Provider::Binding => Format::WorkersAi.name(),
            Provider::Given(format) => format.name(),
        }
    }

    /// How it is asked, and how its streams are read unless they tell that themselves. A recording has a format of
    /// its own.
    pub fn format(&self) -> Format {
        match self {
            Provider::Replay => Format::ChatCompletions,
            Provider::Upstream(upstream) => upstream.format.asked_at(&upstream.url),
            Provider::Binding => Format::WorkersAi,
            Provider::Given(Format::Auto) => Format::ChatCompletions,
            Provider::Given(format) => *format,
        }
    }

    /// True if the first bytes of a response tell how it is read.
    fn detects(&self) -> bool {
        matches!(self, Provider::Upstream(Upstream { format: Format::Auto, .. }) | Provider::Given(Format::Auto))
    }
}

/// Where runs are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Store {
    /// A Durable Object a thread.
    DurableObject,
    /// Workers KV alone: nothing in it is claimed atomically.
    WorkersKv,
    /// A store that the host has given, which says itself what it is.
    Given,
}

impl Store {
    /// Its name, as `/health` gives it.
    pub fn name(self) -> &'static str {
        match self {
            Store::DurableObject => "durable-object",
            Store::WorkersKv => "workers-kv",
            Store::Given => "own",
        }
    }

    /// What it honestly is.
    pub fn traits(self) -> Traits {
        match self {
            Store::DurableObject => Traits::DURABLE_OBJECT,
            Store::WorkersKv => Traits::WORKERS_KV,
            Store::Given => Traits::WEAKEST,
        }
    }
}

/// The whole configuration.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// Where the model is.
    pub provider: Provider,
    /// The model where the client names none.
    pub model: String,
    /// Who may do what.
    pub access: Access,
    /// Where runs are kept.
    pub store: Store,
    /// What that store honestly is.
    pub traits: Traits,
    /// How many operations of Workers KV one request makes before it comes to its end.
    pub operations: u32,
    /// Every run is refused where the store can't promise that it executes at most once.
    pub exactly_once: bool,
    /// Silence on the wire before a heartbeat.
    pub heartbeat: Millis,
    /// How long a thread's continuous stream may be open.
    pub stream: Millis,
    /// How long a writer is taken to live after its last save.
    pub lease: Millis,
    /// How long what has ended is kept.
    pub keep: Keep,
    /// The bounds of a run.
    pub limits: Limits,
    /// The options of the publishing rule.
    pub rule: Rule,
    /// The bounds of a request's body.
    pub input: agui::Limits,
    /// How the provider is read.
    pub options: Options,
    /// Every call is the client's, whatever its tool is called.
    pub client_calls: bool,
    /// Each delta that the provider sent stays an event of its own.
    pub deltas_apart: bool,
    /// On wires that know no approvals, one is asked for by a call of a tool.
    pub approval_calls: bool,
    /// What the output filter is to do.
    pub redact: Settings,
    /// Narration is sent to the customer too.
    pub public_intermediate: bool,
    /// Thinking is sent to the customer too.
    pub public_thinking: bool,
    /// Calls of our tools and their results are sent to the customer too.
    pub public_tools: bool,
    /// The customer is told that the run works on, without any content.
    pub public_working: bool,
}

impl Config {
    /// Reads the configuration; `var` gives a variable's value by its whole name.
    ///
    /// # Errors
    /// [`ErrorKind::NotConfigured`] naming the variable that is missing or not valid.
    pub fn read(var: impl Fn(&str) -> Option<String>) -> Result<Self, Error> {
        let redact = redact::read(&var)?;
        let var = |name: &str| var(&format!("LASTWORD_{name}")).filter(|value| !value.is_empty());
        let provider = provider(&var)?;
        let default_model = match &provider {
            Provider::Replay => Some(DEFAULT_RECORDING.to_owned()),
            Provider::Upstream(Upstream { format: Format::Signals | Format::AgUi, .. }) => {
                Some(DEFAULT_AGENT.to_owned())
            }
            Provider::Given(_) => Some(DEFAULT_AGENT.to_owned()),
            Provider::Upstream(_) | Provider::Binding => None,
        };
        let model = var("MODEL").or(default_model).ok_or_else(|| missing("MODEL"))?;
        let (limits, input) = (Limits::default(), agui::Limits::default());
        let public = var("PUBLIC").unwrap_or_default();
        let public = |name: &str| public.split(',').any(|entry| entry.trim() == format!("{name}=true"));
        let option = |name, usual, other| option(&var, name, usual, other);
        let rule = Rule {
            withhold_truncated: option("TRUNCATED", "publish", "withhold")?,
            suppress_blank: option("BLANK", "publish", "suppress")?,
            early: option("EARLY", "", "final_answer")?,
        };
        let store = store(&var)?;
        let staleness = number(&var, "KV_STALENESS", 1, 3600)?;
        let least_keep = if store == Store::WorkersKv { LEAST_KEEP_KV_S } else { 1 };
        if store == Store::WorkersKv && var("PRIVATE_RETENTION").is_some() {
            return Err(invalid("PRIVATE_RETENTION", "is not for Workers KV, where what is private goes with its run"));
        }
        let traits = match (store, staleness) {
            (Store::WorkersKv, Some(seconds)) => Traits { staleness: seconds * 1000, ..store.traits() },
            (Store::Given, _) => given(&var)?,
            _ => store.traits(),
        };
        let least_lease = if traits.claim == Guarantee::BestEffort { LEAST_LEASE_KV_S } else { 1 };
        let options =
            Options { thinking_tags: var("THINKING_TAGS").as_deref() == Some("true"), detect: provider.detects() };
        Ok(Config {
            rule,
            redact,
            provider,
            model,
            access: Access::read(var)?,
            store,
            traits,
            operations: number(&var, "KV_OPERATIONS", 10, 10_000)?.map_or(OPERATIONS, |most| most as u32),
            exactly_once: option("EXACTLY_ONCE", "", "required")?,
            heartbeat: number(&var, "HEARTBEAT", 1, 3600)?.map_or(HEARTBEAT_MS, |seconds| seconds * 1000),
            stream: number(&var, "STREAM", 1, 86_400)?.map_or(STREAM_MS, |seconds| seconds * 1000),
            lease: number(&var, "LEASE", least_lease, 3600)?.map_or(LEASE_MS, |seconds| seconds * 1000),
            keep: Keep {
                runs: number(&var, "RETENTION", least_keep, MAX_KEEP)?.map(|seconds| seconds * 1000),
                private: number(&var, "PRIVATE_RETENTION", 1, MAX_KEEP)?.map(|seconds| seconds * 1000),
            },
            limits: Limits {
                steps: number(&var, "STEPS", 1, 1000)?.map_or(limits.steps, |steps| steps as u32),
                retries: number(&var, "RETRIES", 0, 5)?.map_or(limits.retries, |retries| retries as u32),
                first_byte: number(&var, "FIRST_BYTE_MS", 1, 3_600_000)?.unwrap_or(limits.first_byte),
                idle: number(&var, "IDLE_MS", 1, 3_600_000)?.unwrap_or(limits.idle),
                tools: number(&var, "TOOLS_MS", 1, 3_600_000)?.unwrap_or(limits.tools),
                run: number(&var, "RUN_MS", 1, 86_400_000)?.unwrap_or(limits.run),
                output: number(&var, "OUTPUT_BYTES", 1, MAX_OUTPUT)?.map_or(limits.output, |bytes| bytes as usize),
            },
            input: agui::Limits {
                body: number(&var, "BODY_BYTES", 1024, MAX_BODY)?.map_or(input.body, |bytes| bytes as usize),
                ..input
            },
            options,
            deltas_apart: option("DELTAS", "", "each")?,
            client_calls: option("TOOLS", "", "client")?,
            approval_calls: option("APPROVALS", "", "call")?,
            public_intermediate: public("intermediate"),
            public_thinking: public("thinking"),
            public_tools: public("tools"),
            public_working: public("working"),
        })
    }

    /// The model for a run whose client asked for `asked`.
    ///
    /// # Errors
    /// [`ErrorKind::UnknownModel`] for a recording that is not there.
    pub fn model_for(&self, asked: Option<&str>) -> Result<String, Error> {
        let model = asked.unwrap_or(&self.model);
        if self.provider == Provider::Replay && replay::find(model).is_none() {
            return Err(ErrorKind::UnknownModel.into());
        }
        Ok(model.to_owned())
    }

    /// The plans of the output filter. They take some time to make.
    ///
    /// # Errors
    /// [`ErrorKind::NotConfigured`] naming the place in `LASTWORD_REDACT` that is not valid.
    pub fn plans(&self) -> Result<Plans, Error> {
        Plans::new(&self.redact).map_err(|error| redact::invalid(&error))
    }

    /// What a client is told of that error. Where a read may be old, that a run is not there is no knowledge:
    /// it is told to ask again once the read can't be.
    pub fn told(&self, error: Error) -> Error {
        match (error.kind(), self.traits.staleness) {
            (ErrorKind::UnknownRun, 1..) => Error::new(ErrorKind::MaybeStale).after(self.traits.staleness),
            _ => error,
        }
    }
}

fn provider(var: &impl Fn(&str) -> Option<String>) -> Result<Provider, Error> {
    let named = match var("PROVIDER").as_deref() {
        None | Some("replay") => return Ok(Provider::Replay),
        Some(name) => Format::named(name),
    };
    let format = named.ok_or_else(|| invalid("PROVIDER", &format!("must be replay, {}", Format::NAMES.join(", "))))?;
    if option(var, "UPSTREAM", "", "given")? {
        return Ok(Provider::Given(format));
    }
    match var("UPSTREAM_URL") {
        Some(url) => Ok(Provider::Upstream(Upstream { format, url, key: var("API_KEY") })),
        None if format == Format::WorkersAi => Ok(Provider::Binding),
        None => Err(missing("UPSTREAM_URL")),
    }
}

fn store(var: &impl Fn(&str) -> Option<String>) -> Result<Store, Error> {
    match var("STORE").as_deref() {
        None | Some("durable-object") => Ok(Store::DurableObject),
        Some("kv") => Ok(Store::WorkersKv),
        Some("given") => Ok(Store::Given),
        Some(_) => Err(invalid("STORE", "must be durable-object or kv")),
    }
}

/// What a given store says of itself.
fn given(var: &impl Fn(&str) -> Option<String>) -> Result<Traits, Error> {
    let traits = var("STORE_TRAITS").and_then(|text| decode::<Traits>(text.as_bytes()));
    let traits = traits.filter(|traits| traits.max_value >= LEAST_VALUE);
    traits.ok_or_else(|| invalid("STORE_TRAITS", &format!("must say all traits, and max_value at least {LEAST_VALUE}")))
}

fn number(var: &impl Fn(&str) -> Option<String>, name: &str, least: u64, most: u64) -> Result<Option<u64>, Error> {
    let Some(value) = var(name) else { return Ok(None) };
    let number = value.parse::<u64>().ok().filter(|number| (least..=most).contains(number));
    number.map(Some).ok_or_else(|| invalid(name, &format!("must be a whole number from {least} to {most}")))
}

/// True if the variable names the other of two choices.
fn option(var: &impl Fn(&str) -> Option<String>, name: &str, usual: &str, other: &str) -> Result<bool, Error> {
    match var(name).as_deref() {
        None => Ok(false),
        Some(value) if value == usual || value == other => Ok(value == other),
        Some(_) if usual.is_empty() => Err(invalid(name, &format!("must be {other}, or nothing"))),
        Some(_) => Err(invalid(name, &format!("must be {usual} or {other}"))),
    }
}

fn missing(name: &str) -> Error {
    invalid(name, "is missing")
}

fn invalid(name: &str, what: &str) -> Error {
    Error::with(ErrorKind::NotConfigured, format!("LASTWORD_{name} {what}."))
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
