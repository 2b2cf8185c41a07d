//! A conversation in the order that the stricter formats want: model and user take turns, and the results of calls
//! stand directly behind the message that made them.
//!
//! Nothing is left out: a result without a call, or a call without a result, is for the service to refuse.

use super::Ask;
use crate::input::{Call, Message, Part};
use crate::json::Raw;
use crate::positions::Positions;
use serde_json::Value;

/// Where a message stands: the list's name, and the position in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place(&'static str, usize);

/// Something said, in order.
#[derive(Debug)]
pub(super) enum Said<'a> {
    /// What a person said.
    User(Place, &'a [Part]),
    /// What the model said and called.
    Model { text: &'a str, calls: &'a [Call], kept: Option<&'a Value> },
    /// A call's result, with the function's name where the call is there.
    Result { place: Place, call: &'a str, name: Option<&'a str>, content: &'a [Part] },
}

/// The instructions: the context, a paragraph an entry, and then the system messages.
pub(super) fn instructions(ask: &Ask<'_>) -> Vec<String> {
    let context = ask.input.context.iter().map(|(about, value)| format!("{about}:\n{value}"));
    let messages = ask.sent.iter().chain(ask.transcript);
    let system = messages.filter_map(|message| match message {
        Message::System(text) => Some(text.clone()),
        _ => None,
    });
    { context.chain(system) }.filter(|text| !text.trim().is_empty()).collect()
}

/// All else, in order.
pub(super) fn in_order<'a>(ask: &Ask<'a>) -> Vec<Said<'a>> {
    let sent = ask.sent.iter().enumerate().map(|(at, message)| (Place("messages", at), message));
    let done = ask.transcript.iter().enumerate().map(|(at, message)| (Place("transcript", at), message));
    let mut results = Results::of(sent.chain(done).filter(|(_, message)| !matches!(message, Message::System(_))));
    let mut said = Vec::with_capacity(results.messages.len());
    let mut at = 0;
    while let Some(&(place, message)) = results.messages.get(at) {
        match message {
            Message::User(content) => said.push(Said::User(place, content)),
            Message::Assistant { .. } => {
                at = results.model(at, &mut said);
                continue;
            }
            Message::Tool { .. } => said.extend(results.take_at(at)),
            Message::System(_) => {}
        }
        at += 1;
    }
    said
}

/// The messages, and of the results among them which belongs to which call.
struct Results<'a> {
    messages: Vec<(Place, &'a Message)>,
    /// Where the first result of a call is that waits for it.
    first: Positions,
    /// One entry a message: for a result, where the next one of the same call is; past the end if none is.
    next: Vec<usize>,
    /// One entry a message: true for a result that stands somewhere by now.
    taken: Vec<bool>,
    /// The calls so far, and where each is by its id.
    calls: Vec<&'a Call>,
    known: Positions,
}

impl<'a> Results<'a> {
    fn of(messages: impl Iterator<Item = (Place, &'a Message)>) -> Self {
        let messages: Vec<_> = messages.collect();
        let count = messages.len();
        let (mut first, mut next) = (Positions::default(), vec![count; count]);
        for (at, ((_, message), next)) in messages.iter().zip(&mut next).enumerate().rev() {
            if let Message::Tool { call, .. } = message {
                *next = first.of(call).unwrap_or(count);
                first.insert(call, at);
            }
        }
        Results { messages, first, next, taken: vec![false; count], calls: Vec::new(), known: Positions::default() }
    }

    /// Says the model's neighbouring messages from that position on, and the results of their calls behind them;
    /// returns where the next message is.
    fn model(&mut self, from: usize, said: &mut Vec<Said<'a>>) -> usize {
        let mut at = from;
        let before = self.calls.len();
        while let Some(&(_, Message::Assistant { text, calls, kept })) = self.messages.get(at) {
            for call in calls {
                self.known.insert(&call.id, self.calls.len());
                self.calls.push(call);
            }
            said.push(Said::Model { text, calls, kept: kept.as_ref() });
            at += 1;
        }
        let made: Vec<&Call> = self.calls.iter().skip(before).copied().collect();
        for call in made {
            said.extend(self.take(&call.id, from));
        }
        at
    }

    /// The first result of the call behind that position, if none was taken for it yet.
    fn take(&mut self, call: &str, behind: usize) -> Option<Said<'a>> {
        loop {
            let at = self.first.of(call)?;
            self.first.insert(call, *self.next.get(at)?);
            if at >= behind {
                return self.take_at(at);
            }
        }
    }

    /// The result there, unless it was taken.
    fn take_at(&mut self, at: usize) -> Option<Said<'a>> {
        let taken = self.taken.get_mut(at)?;
        if std::mem::replace(taken, true) {
            return None;
        }
        let &(place, Message::Tool { call, content }) = self.messages.get(at)? else { return None };
        let name = self.known.of(call).and_then(|at| self.calls.get(at)).map(|call| &*call.name);
        Some(Said::Result { place, call, name, content })
    }
}

/// What is sent, of whom: neighbours of the same one are one message, and who says nothing has none.
#[derive(Default)]
pub(super) struct Turns(pub(super) Vec<(bool, Vec<Raw>)>);

impl Turns {
    /// The model says this, or who asks.
    pub(super) fn push(&mut self, is_model: bool, said: Vec<Raw>) {
        match self.0.last_mut() {
            _ if said.is_empty() => {}
            Some((last, more)) if *last == is_model => more.extend(said),
            _ => self.0.push((is_model, said)),
        }
    }
}

/// The part's place, to name it in an error: `messages[2].content[0]`.
pub(super) fn unsupported(place: Place, at: usize) -> crate::Error {
    let Place(list, message) = place;
    crate::Error::with(crate::ErrorKind::UnsupportedPart, format!("{list}[{message}].content[{at}]"))
}
