//! What an interrupted run waits for, and whether answers may go on from there.

use super::store::PartPointer;
use crate::Millis;
use crate::error::{Error, ErrorKind};
use crate::event::Interrupt;
use crate::input::{Answer, Word};
use crate::stored::stored;
use serde_json::Value;

/// What the head of an interrupted run holds, for the run that goes on from there. Whether its
/// interrupts are still open is not in it: a later run of the thread has answered them, or none has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interrupted {
    /// What must be answered; at least one.
    pub open: Vec<OpenInterrupt>,
    /// Where its turn stands.
    pub turn: PartPointer,
}

/// One interrupt, as far as an answer is judged by it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenInterrupt {
    /// Its id.
    pub id: String,
    /// Until when it may be answered otherwise than by giving it up.
    pub expires_at: Option<Millis>,
    /// True if it asks whether a call may be made.
    pub approval: bool,
}

stored!(Interrupted { open, turn });
stored!(OpenInterrupt { id, expires_at, approval });

impl OpenInterrupt {
    /// What the head keeps of an interrupt.
    pub(super) fn of(interrupt: &Interrupt) -> Self {
        let approval = interrupt.reason == Interrupt::TOOL_CALL;
        OpenInterrupt { id: interrupt.id.clone(), expires_at: interrupt.expires_at, approval }
    }

    /// An expired one can only be given up; an approval says `{"approved": true}`, or false.
    fn check(&self, at: usize, word: &Word, now: Millis) -> Result<(), Error> {
        let Word::Resolved(payload) = word else { return Ok(()) };
        if self.expires_at.is_some_and(|expires| expires < now) {
            return Err(Error::with(ErrorKind::InterruptExpired, format!("It can only be cancelled: {}.", self.id)));
        }
        let demand = match payload {
            _ if !self.approval => return Ok(()),
            None => "payload is required",
            Some(Value::Object(payload)) => match payload.get("approved") {
                Some(Value::Bool(_)) => return Ok(()),
                Some(_) => "payload.approved must be a boolean",
                None => "payload.approved is required",
            },
            Some(_) => "payload must be an object",
        };
        Err(Error::with(ErrorKind::InvalidInput, format!("resume[{at}].{demand}.")))
    }
}

impl Interrupted {
    /// As the head of a run of that tag holds it: each id says in its first character whether the tag goes before it.
    pub(super) fn narrow(&self, tag: &str) -> Self {
        let mut narrow = self.clone();
        for interrupt in &mut narrow.open {
            interrupt.id = match interrupt.id.strip_prefix(tag) {
                Some(rest) => format!("~{rest}"),
                None => format!("={}", interrupt.id),
            };
        }
        narrow
    }
}

/// The ids as they were before [`Interrupted::narrow`]; none if one is of another form.
pub(super) fn widen(open: &mut [OpenInterrupt], tag: &str) -> Option<()> {
    for interrupt in open {
        interrupt.id = match interrupt.id.split_at_checked(1)? {
            ("~", rest) => format!("{tag}{rest}"),
            ("=", id) => id.to_owned(),
            _ => return None,
        };
    }
    Some(())
}

/// Whether an input with these answers may begin where these interrupts are open. All of them must be
/// answered at once, and nothing else.
///
/// # Errors
/// [`ErrorKind::InterruptNotOpen`], [`ErrorKind::InterruptOpen`], [`ErrorKind::InterruptExpired`], each
/// naming the ids, or [`ErrorKind::InvalidInput`] naming the field.
pub(super) fn check(open: &[OpenInterrupt], answers: &[Answer], now: Millis) -> Result<(), Error> {
    let of = |answer: &Answer| open.iter().find(|open| open.id == answer.interrupt);
    let strange = answers.iter().filter(|answer| of(answer).is_none()).map(|answer| answer.interrupt.as_str());
    named(ErrorKind::InterruptNotOpen, "Not open", strange)?;
    let is_answered = |open: &&OpenInterrupt| answers.iter().any(|answer| answer.interrupt == open.id);
    let missing = open.iter().filter(|open| !is_answered(open)).map(|open| open.id.as_str());
    named(ErrorKind::InterruptOpen, "Missing", missing)?;
    for (at, answer) in answers.iter().enumerate() {
        of(answer).map_or(Ok(()), |open| open.check(at, &answer.word, now))?;
    }
    Ok(())
}

/// An error that names these ids, if there is one.
fn named<'a>(kind: ErrorKind, what: &str, ids: impl Iterator<Item = &'a str>) -> Result<(), Error> {
    let ids: Vec<&str> = ids.collect();
    if ids.is_empty() { Ok(()) } else { Err(Error::with(kind, format!("{what}: {}.", ids.join(", ")))) }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use serde_json::json;

    fn open(id: &str) -> OpenInterrupt {
        OpenInterrupt { id: id.into(), expires_at: Some(100), approval: true }
    }

    fn yes(id: &str) -> Answer {
        says(id, json!({"approved": true}))
    }

    fn says(id: &str, payload: Value) -> Answer {
        Answer { interrupt: id.into(), word: Word::Resolved(Some(payload)) }
    }

    fn cancelled(id: &str) -> Answer {
        Answer { interrupt: id.into(), word: Word::Cancelled }
    }

    fn refused(answers: &[Answer], now: Millis) -> (&'static str, String) {
        let error = check(&[open("a"), open("b")], answers, now).unwrap_err();
        (error.code(), error.detail().unwrap().to_owned())
    }

    #[test]
    fn every_open_one_is_answered_and_nothing_else() {
        let both = [open("a"), open("b")];
        check(&[], &[], 0).unwrap();
        check(&both, &[yes("b"), yes("a")], 0).unwrap();
        check(&both, &[cancelled("a"), says("b", json!({"approved": false, "why": 1}))], 0).unwrap();
        let detail = |text: &str| text.to_owned();
        assert_eq!(refused(&[], 0), ("interrupt_open", detail("Missing: a, b.")));
        assert_eq!(refused(&[yes("a")], 0), ("interrupt_open", detail("Missing: b.")));
        assert_eq!(refused(&[yes("a"), yes("c"), yes("b")], 0), ("interrupt_not_open", detail("Not open: c.")));
        assert_eq!(check(&[], &[yes("a")], 0).unwrap_err().code(), "interrupt_not_open");
    }

    #[test]
    fn an_expired_one_can_only_be_cancelled() {
        check(&[open("a")], &[yes("a")], 100).unwrap();
        assert_eq!(
            refused(&[yes("a"), cancelled("b")], 101),
            ("interrupt_expired", "It can only be cancelled: a.".to_owned())
        );
        check(&[open("a")], &[cancelled("a")], 101).unwrap();
        let lasting = OpenInterrupt { expires_at: None, ..open("a") };
        check(&[lasting], &[yes("a")], u64::MAX).unwrap();
    }

    #[test]
    fn an_approval_is_a_boolean_and_other_answers_are_free() {
        let wrong = |payload: Option<Value>| {
            let answer = Answer { interrupt: "b".into(), word: Word::Resolved(payload) };
            let (code, detail) = refused(&[yes("a"), answer], 0);
            assert_eq!(code, "invalid_input");
            detail
        };
        assert_eq!(wrong(None), "resume[1].payload is required.");
        assert_eq!(wrong(Some(json!([]))), "resume[1].payload must be an object.");
        assert_eq!(wrong(Some(json!({}))), "resume[1].payload.approved is required.");
        assert_eq!(wrong(Some(json!({"approved": "yes"}))), "resume[1].payload.approved must be a boolean.");
        let question = OpenInterrupt { approval: false, ..open("a") };
        check(&[question], &[says("a", json!("anything"))], 0).unwrap();
    }
}
