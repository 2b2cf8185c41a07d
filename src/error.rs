//! One error type for everything that a client or a host can be told.

use std::fmt;

/// What went wrong, with a stable code, a fixed sentence and an HTTP status.
///
/// The detail is for whoever sent the bad input (a field's name, never a value of somebody else);
/// nothing that an upstream or a store said ever gets into it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    detail: Option<String>,
    retry_after: Option<u64>,
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident, $code:literal, $status:literal, $sentence:literal;)*) => {
        /// The kinds of [`Error`].
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum ErrorKind { $($(#[$doc])* $name,)* }

        impl ErrorKind {
            /// Every kind, in the order of the README's table.
            pub const ALL: &'static [ErrorKind] = &[$(ErrorKind::$name,)*];

            /// The stable code.
            pub fn code(self) -> &'static str {
                match self { $(ErrorKind::$name => $code,)* }
            }

            /// The HTTP status where the error is a response of its own.
            pub fn status(self) -> u16 {
                match self { $(ErrorKind::$name => $status,)* }
            }

            /// The fixed sentence that a client is told.
            pub fn sentence(self) -> &'static str {
                match self { $(ErrorKind::$name => $sentence,)* }
            }
        }
    };
}

kinds! {
    /// The body is no JSON.
    MalformedJson, "malformed_json", 400, "The body is not valid JSON.";
    /// A field is missing, of the wrong type, or out of bounds.
    InvalidInput, "invalid_input", 400, "A field of the request is not valid.";
    /// The settings of an output filter are not valid.
    InvalidFilter, "invalid_filter", 400, "The settings of the output filter are not valid.";
    /// The cursor is none of ours.
    BadCursor, "bad_cursor", 400, "The cursor is not valid.";
    /// The model's name is not on offer.
    UnknownModel, "unknown_model", 400, "There is no such model.";
    /// No token, or a wrong one.
    Unauthorized, "unauthorized", 401, "A valid token is needed.";
    /// A browser token whose time is over.
    TokenExpired, "token_expired", 401, "The token has expired.";
    /// The token does not reach this far.
    Forbidden, "forbidden", 403, "This token does not allow that.";
    /// No such route.
    NotFound, "not_found", 404, "There is no such route.";
    /// No such run, or somebody else's.
    UnknownRun, "unknown_run", 404, "There is no such run.";
    /// The route has no such method.
    MethodNotAllowed, "method_not_allowed", 405, "The route does not take this method.";
    /// The run id is taken by another input.
    RunConflict, "run_conflict", 409, "A run with this id exists and had another input.";
    /// A run that is to be deleted has not ended.
    RunActive, "run_active", 409, "The run has not ended yet.";
    /// The thread's last run has not ended.
    ThreadBusy, "thread_busy", 409, "Another run of this thread has not ended yet.";
    /// The thread's last run waits for answers that the input does not give.
    InterruptOpen, "interrupt_open", 409, "The thread waits for answers that this input does not give.";
    /// An answer is to an interrupt that is not open: there is none of that id, or it was answered.
    InterruptNotOpen, "interrupt_not_open", 409, "An answer is to no open interrupt of this thread.";
    /// An answer comes too late.
    InterruptExpired, "interrupt_expired", 409, "An interrupt has expired.";
    /// The run was deleted, or kept as long as it is to be.
    RunDeleted, "run_deleted", 410, "The run was deleted.";
    /// The store can't promise that a run executes at most once, and the client or the configuration needs it.
    ExactlyOnceUnsupported, "exactly_once_unsupported", 412, "The store cannot promise that a run executes once.";
    /// The body is larger than the limit.
    BodyTooLarge, "body_too_large", 413, "The body is larger than the limit.";
    /// The body's content type is none that the route reads.
    UnsupportedMediaType, "unsupported_media_type", 415, "The route reads application/json.";
    /// The provider cannot be given that part.
    UnsupportedPart, "unsupported_part", 422, "The model cannot be given a part of this kind.";
    /// Something of ours failed.
    Internal, "internal", 500, "Something failed on our side.";
    /// The stored record can't be read.
    RecordUnreadable, "record_unreadable", 500, "The stored record cannot be read.";
    /// The stored record is of a newer version.
    RecordTooNew, "record_too_new", 500, "The stored record is of a newer version.";
    /// The provider refused the request.
    UpstreamRejected, "upstream_rejected", 502, "The model's provider refused the request.";
    /// The provider's bytes are not of its format.
    UpstreamMalformed, "upstream_malformed", 502, "The model's provider sent something unreadable.";
    /// The provider can't be reached, failed, or broke off.
    UpstreamUnavailable, "upstream_unavailable", 502, "The model's provider is not available.";
    /// No token is configured.
    NotConfigured, "not_configured", 503, "The service is not configured.";
    /// The store gave no answer.
    StoreUnavailable, "store_unavailable", 503, "The store is not available.";
    /// The store has no such run, but what it says may be old.
    MaybeStale, "maybe_stale", 503, "The store does not show this run. It may do so later.";
    /// The provider was too slow.
    UpstreamTimeout, "upstream_timeout", 504, "The model's provider took too long.";
    /// The provider's content filter cut the response.
    ContentFilter, "content_filter", 502, "The model's provider filtered the response.";
    /// The output filter ended the turn: it blocks what it finds.
    OutputBlocked, "output_blocked", 502, "The answer was withheld by the output filter.";
    /// The model said or called more than the limit.
    OutputLimit, "output_limit", 502, "The model said more than the limit.";
    /// The turn took more model calls than the limit.
    StepLimit, "step_limit", 502, "The turn took more steps than the limit.";
    /// The run took longer than the limit.
    RunTimeout, "run_timeout", 504, "The run took longer than the limit.";
    /// The host lost the run's worker.
    WorkerLost, "worker_lost", 500, "The run was interrupted and cannot go on.";
    /// Somebody cancelled the run.
    Cancelled, "cancelled", 409, "The run was cancelled.";
    /// The turn waits for a person's word, and the wire has none for that.
    ApprovalRequired, "approval_required", 409, "The turn waits for a person's approval.";
    /// A reader failed; the run itself is not touched.
    StreamInterrupted, "stream_interrupted", 500, "The stream was interrupted. The run itself goes on.";
    /// A continuous stream was open as long as one may be; nothing failed.
    StreamLimit, "stream_limit", 504, "The stream has reached its time limit. Go on after its last event.";
    /// An answer was published already.
    AlreadyPublished, "already_published", 500, "The turn has published already.";
    /// The run has ended already.
    RunEnded, "run_ended", 409, "The run has ended already.";
}

impl Error {
    /// An error of the kind, without a detail.
    pub fn new(kind: ErrorKind) -> Self {
        Error { kind, detail: None, retry_after: None }
    }

    /// An error with a detail for whoever sent the input.
    pub fn with(kind: ErrorKind, detail: impl Into<String>) -> Self {
        Error { kind, detail: Some(detail.into()), retry_after: None }
    }

    /// The same error, with the word that it may be over after that time, in milliseconds.
    pub fn after(self, retry_after: u64) -> Self {
        Error { retry_after: Some(retry_after), ..self }
    }

    /// What kind it is.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The stable code.
    pub fn code(&self) -> &'static str {
        self.kind.code()
    }

    /// The detail, if there is one.
    pub fn detail(&self) -> Option<&str> {
        self.detail.as_deref()
    }

    /// When to ask again, where that is known, in milliseconds.
    pub fn retry_after(&self) -> Option<u64> {
        self.retry_after
    }

    /// What a client is told: the fixed sentence, and the detail where there is one.
    pub fn message(&self) -> String {
        match &self.detail {
            Some(detail) => format!("{} {detail}", self.kind.sentence()),
            None => self.kind.sentence().to_owned(),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code(), self.message())
    }
}

impl std::error::Error for Error {}

impl From<ErrorKind> for Error {
    fn from(kind: ErrorKind) -> Self {
        Error::new(kind)
    }
}
