//! How a run ends on a wire that knows an answer, calls and an error, and nothing else.

use super::Context;
use crate::event::{Failure, Interrupt, ModelUsage, Sealed, Timing};
use crate::{Error, ErrorKind};

/// What a run came to.
#[derive(Debug)]
pub(crate) struct Ending<'a> {
    /// What the client is told where there is no answer.
    pub(crate) failed: Option<Told>,
    /// What it is asked, where it takes that as calls ([`super::approval`]).
    pub(crate) interrupts: &'a [Interrupt],
    /// The answer is not whole.
    pub(crate) truncated: bool,
    pub(crate) usage: &'a [ModelUsage],
    pub(crate) timing: Option<&'a Timing>,
}

impl<'a> Ending<'a> {
    /// None for what is no end.
    pub(crate) fn of(cx: &Context<'_>, sealed: &'a Sealed) -> Option<Self> {
        let plain = |usage: &'a Vec<_>| Ending { failed: None, interrupts: &[], truncated: false, usage, timing: None };
        let failed = |told, usage| Ending { failed: Some(told), ..plain(usage) };
        Some(match sealed {
            Sealed::Completed(done) => {
                Ending { truncated: done.truncated, timing: Some(&done.timing), ..plain(&done.usage) }
            }
            Sealed::Interrupted { interrupts, usage } if cx.profile.approval_calls => {
                Ending { interrupts, ..plain(usage) }
            }
            Sealed::Interrupted { usage, .. } => failed(ErrorKind::ApprovalRequired.into(), usage),
            Sealed::Cancelled { usage } => failed(ErrorKind::Cancelled.into(), usage),
            Sealed::Failed { failure, usage, .. } => failed(failure.into(), usage),
            _ => return None,
        })
    }
}

/// What a client is told of an error. The format's own words around it are the wire's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Told {
    /// A code that this version does not know counts as ours.
    pub(crate) kind: ErrorKind,
    pub(crate) code: String,
    pub(crate) message: String,
}

impl From<&Error> for Told {
    fn from(error: &Error) -> Self {
        Told { kind: error.kind(), code: error.code().to_owned(), message: error.message() }
    }
}

impl From<ErrorKind> for Told {
    fn from(kind: ErrorKind) -> Self {
        Told { kind, code: kind.code().to_owned(), message: kind.sentence().to_owned() }
    }
}

impl From<&Failure> for Told {
    fn from(failure: &Failure) -> Self {
        let kind = failure.kind().unwrap_or(ErrorKind::Internal);
        Told { kind, code: failure.code.clone(), message: failure.sentence() }
    }
}
