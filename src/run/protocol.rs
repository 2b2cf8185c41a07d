//! What a run is made with, what its machine is told, and what it asks of its driver.

use super::keys::{RunKeys, ThreadKeys, escape, tag};
use super::record::Status;
use super::sanitize::LogLine;
use super::store::{StoreOp, StoreReply, Traits};
use crate::Millis;
use crate::error::Error;
use crate::executor::{Approvals, ToolResult};
use crate::input::{Call, RunInput};
use crate::profile::Profile;
use crate::provider::{Format, Options};
use crate::redact::Redactor;
use crate::turn::{MAX_TEXT, Rule};
use std::rc::Rc;

/// Names a request that waits for a [`Reply`]; the driver's own number.
pub type Request = u32;
/// Names a model call of a turn, from 1. A run that goes on with an interrupted one's turn counts on.
pub type ModelCall = u32;

/// The bounds of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Model calls a turn.
    pub steps: u32,
    /// How often one model call that failed is made again.
    pub retries: u32,
    /// From a model call to its first byte, in milliseconds.
    pub first_byte: Millis,
    /// Between two chunks of a response, in milliseconds.
    pub idle: Millis,
    /// For the tools of one response, in milliseconds.
    pub tools: Millis,
    /// For the whole run, in milliseconds.
    pub run: Millis,
    /// Bytes of text of one response, and so of an answer.
    pub output: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            steps: 16,
            retries: 0,
            first_byte: 60_000,
            idle: 60_000,
            tools: 120_000,
            run: 900_000,
            output: MAX_TEXT,
        }
    }
}

/// What a run is made with.
#[derive(Clone)]
pub struct Setup {
    /// The scope that the run belongs to.
    pub scope: String,
    /// The thread's id.
    pub thread: String,
    /// The run's id.
    pub run: String,
    /// Random per instance of the host; never reused.
    pub instance: String,
    /// Differs for each machine of the instance.
    pub nonce: u64,
    /// What the store is.
    pub traits: Traits,
    /// How long a writer is taken to live after its last save, in milliseconds.
    pub lease: Millis,
    /// The options of the publishing rule.
    pub rule: Rule,
    /// The run's bounds.
    pub limits: Limits,
    /// The provider's format.
    pub format: Format,
    /// Which tools of ours a person must approve.
    pub approvals: Approvals,
    /// Every call is the client's, whatever its tool is called.
    pub client_calls: bool,
    /// Each delta that the provider sent stays an event of its own: readers are told in as many frames.
    pub deltas_apart: bool,
    /// How the provider is read.
    pub options: Options,
    /// The model's name as the provider is asked for it.
    pub model: String,
    /// What a replay's bytes will depend on.
    pub profile: Profile,
    /// What must never leave.
    pub redactor: Rc<dyn Redactor>,
}

impl Setup {
    /// The run's keys.
    pub fn keys(&self) -> RunKeys {
        ThreadKeys::new(&self.scope, &self.thread).run(&self.run)
    }

    /// The token of this writer, never used by another. As a piece of a key, it has a bound.
    pub(super) fn writer(&self) -> String {
        format!("{}-{}", escape(&self.instance), self.nonce)
    }

    /// True if that writer is of this instance.
    pub(super) fn is_of_instance(&self, writer: &str) -> bool {
        writer.rsplit_once('-').is_some_and(|(instance, _)| instance == escape(&self.instance))
    }

    /// The beginning of the run's derived ids.
    pub fn tag(&self) -> String {
        tag(&self.run)
    }
}

/// What a machine is told.
#[derive(Clone, Debug)]
pub enum Input {
    /// A client asks for the run; its index and its thread are claimed already.
    Post {
        /// Who waits.
        request: Request,
        /// What it asks.
        input: Rc<RunInput>,
        /// The interrupted run that it answers, as the thread has found.
        answers: Option<String>,
        /// The run was lost so often before it had begun that it is not begun again, but ended.
        lost: bool,
    },
    /// A reader comes to a run that no machine of this instance holds.
    Recover {
        /// Who waits.
        request: Request,
    },
    /// Somebody stops the run.
    Cancel {
        /// Who waits.
        request: Request,
    },
    /// The store's answer to the outstanding operation.
    Store(StoreReply),
    /// A chunk of the provider's stream.
    Bytes(ModelCall, Vec<u8>),
    /// The provider's stream is over, however.
    Eof(ModelCall),
    /// The provider answered with this HTTP status instead of a stream.
    Refused(ModelCall, u16),
    /// The provider can't be reached.
    Unreachable(ModelCall),
    /// A tool of ours has ended.
    ToolDone(String, ToolResult),
    /// It is [`super::Run::deadline`].
    Tick,
    /// The host is going to end then, whatever still runs: a run that has not ended shortly before seals
    /// itself as lost.
    HostEnds {
        /// When.
        at: Millis,
    },
    /// How many readers of each view are attached here.
    Readers {
        /// Customers.
        customer: usize,
        /// Operators.
        operator: usize,
    },
}

impl Input {
    /// Who waits for an answer to it, if it is a request. A machine is made for requests alone.
    pub fn request(&self) -> Option<Request> {
        match self {
            Input::Post { request, .. } | Input::Recover { request } | Input::Cancel { request } => Some(*request),
            _ => None,
        }
    }
}

/// What a driver is to do.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Perform it and feed back the answer.
    Store(StoreOp),
    /// Call the model with this body.
    CallModel {
        /// Names the call; it is also its position in the turn, from 1.
        call: ModelCall,
        /// The request's body.
        body: Vec<u8>,
    },
    /// Read one more chunk of the call's stream.
    Read(ModelCall),
    /// Stop reading the call's stream and let go of it.
    Abort(ModelCall),
    /// Run a tool of ours. The journal names it already.
    CallTool(Call),
    /// Come back at that time even if the host forgets everything else; `None` calls it off.
    SetAlarm(Option<Millis>),
    /// Readers may find something new: the head has this revision.
    Wake {
        /// The newest revision.
        revision: u64,
        /// True if the run has ended.
        ended: bool,
    },
    /// Answer a request.
    Reply(Request, Reply),
    /// Write a line to the host's log.
    Log(LogLine),
    /// The machine is done; nothing that it is told changes anything.
    Done,
}

/// The answer to a request.
#[derive(Clone, Debug, PartialEq)]
pub enum Reply {
    /// The run began with this request.
    Started,
    /// The run exists; read it.
    Join,
    /// It is refused.
    Refused(Error),
    /// The run has ended so.
    Ended(Status),
    /// Another instance has the run. It is asked to cancel it, and no end of it has been seen yet.
    CancelAsked,
    /// What was to be deleted is gone.
    Deleted,
    /// There is no such run.
    Unknown,
}
