//! Which call a piece of a call belongs to.
//!
//! The format has an `index` for that, and an `id` with the first piece. Services leave the index
//! out, give 0 to all, give no id, repeat it, or make up another for each piece; so a piece is
//! placed by index, then by id, then by whether the call before it can still go on.

use super::fields::{Object, text_of};
use crate::json;
use crate::signal::{Fault, Signal};
use serde_json::Value;
use std::borrow::Cow;

/// The most calls of one response.
const MAX_CALLS: usize = 128;

/// The most bytes of a call's id, and of its name.
const MAX_NAME: usize = 1 << 10;

/// The calls of one response so far.
#[derive(Debug, Default)]
pub(super) struct Calls {
    calls: Vec<Call>,
    /// The one call of the old `function_call` field.
    old: Option<usize>,
    /// Which chunk of the stream is read.
    chunk: u64,
}

#[derive(Debug)]
struct Call {
    /// The `index` that the service gave; none of ours.
    index: Option<u64>,
    id: String,
    name: String,
    arguments: Scan,
    /// The chunk that spoke of it last.
    chunk: u64,
}

/// What one entry of `tool_calls`, or a `function_call`, says.
struct Piece<'a> {
    index: Option<u64>,
    id: &'a str,
    name: &'a str,
    arguments: Cow<'a, str>,
}

impl Calls {
    /// A new chunk begins. A chunk speaks of a call once.
    pub(super) fn next_chunk(&mut self) {
        self.chunk += 1;
    }

    /// Takes the calls of a delta, or of a whole message.
    ///
    /// # Errors
    ///
    /// [`Fault::Malformed`] past a bound.
    pub(super) fn read(&mut self, delta: &Object, out: &mut Vec<Signal>) -> Result<(), Fault> {
        for entry in delta.get("tool_calls").and_then(Value::as_array).into_iter().flatten() {
            let Some(piece) = entry.as_object().and_then(Piece::of_entry) else { continue };
            let at = self.place(&piece);
            self.put(at, piece, out)?;
        }
        match delta.get("function_call").and_then(Value::as_object).and_then(Piece::of_function) {
            Some(piece) if self.calls.is_empty() || self.old.is_some() => {
                let at = self.put(self.old, piece, out)?;
                self.old = Some(at);
            }
            _ => {}
        }
        Ok(())
    }

    /// Ends all calls: the response is complete, so they are whole.
    pub(super) fn end(&mut self, out: &mut Vec<Signal>) {
        out.extend((0..self.calls.len()).map(|at| Signal::CallEnd { index: at as u32 }));
    }

    /// The call that the piece goes on with, or none if it begins another.
    fn place(&self, piece: &Piece) -> Option<usize> {
        let known = self.rfind(|call| {
            !piece.id.is_empty() && call.id == piece.id && (piece.index.is_none() || call.index == piece.index)
        });
        if known.is_some() {
            return known;
        }
        let at = match piece.index {
            Some(index) => self.rfind(|call| call.index == Some(index))?,
            None => self.calls.len().checked_sub(1)?,
        };
        self.calls.get(at).filter(|call| self.goes_on(call, piece)).map(|_| at)
    }

    /// True if the piece, which does not name this call's id, still belongs to it.
    fn goes_on(&self, call: &Call, piece: &Piece) -> bool {
        let named = !piece.name.is_empty();
        if !piece.id.is_empty() && (!call.id.is_empty() || piece.index.is_none()) {
            return !named && !call.arguments.whole;
        }
        if !named || call.name.is_empty() {
            return true;
        }
        let another = piece.name != call.name || !piece.arguments.trim().is_empty();
        call.chunk != self.chunk && !(call.arguments.whole && another)
    }

    fn rfind(&self, test: impl FnMut(&Call) -> bool) -> Option<usize> {
        self.calls.iter().rposition(test)
    }

    /// Adds the piece to that call, or begins one with it; returns where it is.
    fn put(&mut self, at: Option<usize>, piece: Piece, out: &mut Vec<Signal>) -> Result<usize, Fault> {
        let at = match at {
            Some(at) => at,
            None => self.begin(&piece, out)?,
        };
        let chunk = self.chunk;
        let call = self.calls.get_mut(at).ok_or(Fault::Malformed)?;
        call.chunk = chunk;
        if call.id.is_empty() {
            call.id.push_str(piece.id);
        }
        if call.rename(piece.name) {
            out.push(Signal::CallName { index: at as u32, name: call.name.clone() });
        }
        if call.id.len() > MAX_NAME || call.name.len() > MAX_NAME {
            return Err(Fault::Malformed);
        }
        if !piece.arguments.is_empty() {
            call.arguments.read(&piece.arguments);
            out.push(Signal::CallArgs { index: at as u32, delta: piece.arguments.into_owned() });
        }
        Ok(at)
    }

    fn begin(&mut self, piece: &Piece, out: &mut Vec<Signal>) -> Result<usize, Fault> {
        let at = self.calls.len();
        if at == MAX_CALLS {
            return Err(Fault::Malformed);
        }
        let (id, name) = (piece.id.to_owned(), piece.name.to_owned());
        out.push(Signal::CallStart { index: at as u32, id: id.clone(), name: name.clone() });
        self.calls.push(Call { index: piece.index, id, name, arguments: Scan::default(), chunk: self.chunk });
        Ok(at)
    }
}

impl Call {
    /// Takes a name that came with a later piece. The same name again says nothing; any other goes
    /// on with it, as the format has it for every text of a delta. True if the name changed.
    fn rename(&mut self, name: &str) -> bool {
        if name.is_empty() || name == self.name {
            return false;
        }
        self.name.push_str(name);
        true
    }
}

impl<'a> Piece<'a> {
    /// An entry of `tool_calls`; none if it says nothing.
    fn of_entry(entry: &'a Object) -> Option<Self> {
        let function = entry.get("function").and_then(Value::as_object).unwrap_or(entry);
        let index = entry.get("index").and_then(Value::as_u64);
        let id = text_of(entry, "id").unwrap_or_default();
        Piece { index, id, name: name(function), arguments: arguments(function) }.unless_empty()
    }

    /// The old `function_call`; none if it says nothing.
    fn of_function(function: &'a Object) -> Option<Self> {
        Piece { index: None, id: "", name: name(function), arguments: arguments(function) }.unless_empty()
    }

    fn unless_empty(self) -> Option<Self> {
        let empty = self.id.is_empty() && self.name.is_empty() && self.arguments.is_empty();
        (!empty).then_some(self)
    }
}

/// The function's name, without the harmony marks that some services leave behind it.
fn name(function: &Object) -> &str {
    let name = text_of(function, "name").unwrap_or_default();
    let mark = name.as_bytes().windows(2).position(|two| two == b"<|");
    mark.and_then(|mark| name.get(..mark)).unwrap_or(name)
}

fn arguments(function: &Object) -> Cow<'_, str> {
    match function.get("arguments") {
        None | Some(Value::Null) => Cow::Borrowed(""),
        Some(Value::String(text)) => Cow::Borrowed(text),
        Some(value) => Cow::Owned(json::text(value)),
    }
}

/// Tells when JSON text that comes in pieces is a whole object or array.
#[derive(Debug, Default)]
struct Scan {
    depth: u64,
    in_string: bool,
    escaped: bool,
    whole: bool,
}

impl Scan {
    fn read(&mut self, piece: &str) {
        for byte in piece.bytes() {
            self.byte(byte);
        }
    }

    fn byte(&mut self, byte: u8) {
        match byte {
            _ if self.escaped => self.escaped = false,
            b'\\' if self.in_string => self.escaped = true,
            b'"' => self.in_string = !self.in_string,
            _ if self.in_string => {}
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => {
                self.depth = self.depth.saturating_sub(1);
                self.whole |= self.depth == 0;
            }
            _ => {}
        }
    }
}
