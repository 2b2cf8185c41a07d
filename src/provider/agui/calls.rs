//! The calls of a response. Whether one is for the client is known only at the end: what the agent has run has a result.

use super::fields::{Object, is_subagents, name, text, whole};
use crate::signal::{Fault, Signal};

/// The most calls of a response.
const MAX_CALLS: usize = 128;
/// The most bytes of the arguments of all of them.
const MAX_ARGUMENTS: usize = 1 << 20;

#[derive(Debug)]
struct Call {
    id: String,
    name: String,
    arguments: String,
    /// A subagent made it, whose client is the agent.
    theirs: bool,
}

/// The calls that have no result yet.
#[derive(Debug, Default)]
pub(super) struct Calls {
    open: Vec<Call>,
    bytes: usize,
    begun: usize,
    /// The call that a chunk without an id goes on with.
    last: String,
}

impl Calls {
    /// True once any call has begun.
    pub(super) fn have_begun(&self) -> bool {
        self.begun > 0
    }

    pub(super) fn start(&mut self, event: &Object) -> Result<(), Fault> {
        let (id, name) = (name(event, "toolCallId")?, name(event, "toolCallName")?);
        if self.begun == MAX_CALLS {
            return Err(Fault::Malformed);
        }
        self.begun += 1;
        id.clone_into(&mut self.last);
        let (id, name) = (id.to_owned(), name.to_owned());
        self.open.push(Call { id, name, arguments: String::new(), theirs: is_subagents(event) });
        Ok(())
    }

    /// Takes a piece of arguments. A chunk may begin its call, and leave its id out.
    pub(super) fn say(&mut self, event: &Object) -> Result<(), Fault> {
        let id = text(event, "toolCallId").unwrap_or(&self.last).to_owned();
        let is_chunk = text(event, "type") == Some("TOOL_CALL_CHUNK");
        if is_chunk && text(event, "toolCallName").is_some() && !self.open.iter().any(|call| call.id == id) {
            self.start(event)?;
        }
        let delta = text(event, "delta").unwrap_or_default();
        let Some(call) = self.open.iter_mut().rev().find(|call| call.id == id) else { return Ok(()) };
        self.bytes += delta.len();
        call.arguments.push_str(delta);
        if self.bytes > MAX_ARGUMENTS { Err(Fault::Malformed) } else { Ok(()) }
    }

    /// The agent has run it.
    pub(super) fn answered(&mut self, id: &str, out: &mut Vec<Signal>) {
        if let Some(at) = self.open.iter().position(|call| call.id == id) {
            let call = self.open.remove(at);
            out.push(Signal::ProviderTool { name: call.name });
        }
    }

    /// A call that came whole, in a snapshot.
    pub(super) fn whole(
        &mut self,
        id: &str,
        function: &Object,
        answered: bool,
        out: &mut Vec<Signal>,
    ) -> Result<(), Fault> {
        let begun = Object::from_iter([
            ("toolCallId".to_owned(), id.into()),
            ("toolCallName".to_owned(), name(function, "name")?.into()),
            ("delta".to_owned(), text(function, "arguments").unwrap_or_default().into()),
        ]);
        self.start(&begun)?;
        self.say(&begun)?;
        if answered {
            self.answered(id, out);
        }
        Ok(())
    }

    /// The run is over: those without a result are for the client.
    pub(super) fn end(&mut self, out: &mut Vec<Signal>) {
        let ours = std::mem::take(&mut self.open).into_iter().filter(|call| !call.theirs);
        let mut index = 0;
        for Call { id, name, arguments, .. } in ours {
            out.push(Signal::CallStart { index, id, name });
            if !arguments.is_empty() {
                // Halves of characters came with pieces of their own.
                out.push(Signal::CallArgs { index, delta: whole(arguments) });
            }
            index += 1;
        }
        out.extend((0..index).map(|index| Signal::CallEnd { index }));
    }
}
