//! The snapshot of all messages, and what follows it because its frame has no room for it.

use super::item::{Item, Message, Output};
use crate::json::Json;
use crate::positions::Positions;
use crate::wire::agui::WORKING;
use crate::wire::agui::event::{ActivityMessage, ActivitySnapshot, Metadata};
use crate::wire::agui::step::Kind;
use crate::wire::pieces;

/// The bytes of the snapshot's frame besides the messages, at most.
pub(super) const ENVELOPE: usize = 256;

/// Says that the snapshot's activity is not all that there is: without it a client of 1.0 drops those
/// of earlier runs and of the application's own. An older client does so in any case.
const NOT_ALL: &str = r#","metadata":{"@ag-ui/client":{"authoritativeActivityTypes":[]}}"#;

/// What a run's client has at a cut.
pub(super) struct Transcript<'a> {
    input: &'a str,
    /// An activity: its id and its content.
    working: Option<(&'a str, Metadata<'a>)>,
    items: &'a [Item],
    /// Each item's text in two: what the snapshot holds of it, and what follows as deltas.
    shown: Vec<(&'a str, &'a str)>,
    /// These always follow: a client that lacks one places it behind its call only when it comes as an event.
    results: &'a [Output],
}

impl<'a> Transcript<'a> {
    /// `room` are the bytes that the run's own messages may take.
    pub(super) fn new(
        input: &'a str,
        working: Option<(&'a str, Metadata<'a>)>,
        items: &'a [Item],
        results: &'a [Output],
        room: usize,
    ) -> Self {
        let mut room = room.saturating_sub(items.iter().map(Item::frame_size).sum());
        let mut shown = Vec::with_capacity(items.len());
        for item in items {
            let parts = pieces::split_to_fit(&item.text, room);
            room = room.saturating_sub(pieces::text_len(parts.0));
            shown.push(parts);
        }
        Transcript { input, working, items, shown, results }
    }

    /// The snapshot, and what is open or had no room.
    pub(super) fn write(&self, frames: &mut Vec<String>) {
        frames.push(self.snapshot());
        if let Some((id, content)) = self.working {
            // An older client keeps the activity that it has, whatever the snapshot says of it.
            frames.push(ActivitySnapshot::new(id, WORKING, content).line());
        }
        frames.extend(self.results.iter().map(Output::line));
        for (item, (_, rest)) in self.items.iter().zip(&self.shown) {
            item.reopen(rest, frames);
        }
    }

    fn snapshot(&self) -> String {
        let mut frame = format!(r#"{{"type":"MESSAGES_SNAPSHOT","messages":[{}"#, self.input);
        let mut first = self.input.is_empty();
        for message in self.messages() {
            if !std::mem::take(&mut first) {
                frame.push(',');
            }
            message.write(&mut frame);
        }
        frame.push(']');
        if self.working.is_some() {
            frame.push_str(NOT_ALL);
        }
        frame.push('}');
        frame
    }

    /// The run's messages in the order in which the client would have made them: a call goes to the
    /// message that holds it, which it makes if it is the first.
    fn messages(&self) -> Vec<Message<'a>> {
        let working = self.working.map(|(id, content)| ActivityMessage::new(id, WORKING, content));
        let mut messages: Vec<_> = working.map(Message::Activity).into_iter().collect();
        let mut owners = Positions::default();
        for (item, (text, _)) in self.items.iter().zip(&self.shown) {
            let known = owners.of(&item.owner).and_then(|index| messages.get_mut(index));
            match (item.kind, known) {
                (Kind::Call, Some(Message::Assistant(owner))) => {
                    owner.tool_calls.get_or_insert_default().push(item.call(text));
                }
                (Kind::Text, Some(Message::Assistant(owner))) => owner.content = Some(text),
                _ => {
                    owners.insert(&item.owner, messages.len());
                    messages.push(item.message(text));
                }
            }
        }
        messages
    }
}
