//! The content blocks of one message: what each says, and how it is sent back.

use super::fields::{self, Object};
use crate::json::{self, read::mended};
use crate::signal::{Fault, Signal, Stop};
use serde_json::{Map, Value};

/// The most blocks of one message.
const MAX_BLOCKS: usize = 1024;

/// The most calls of one message.
const MAX_CALLS: usize = 128;

/// The most bytes of a call's id, and of its name.
const MAX_NAME: usize = 1 << 10;

/// The most bytes that are gathered to be sent back: 4 MiB. Past it nothing is.
const MAX_KEPT: usize = 4 << 20;

/// The blocks of a message so far.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    blocks: Vec<Block>,
    /// Something can't be told by text and calls alone.
    is_more: bool,
    /// How many of them are calls.
    calls: u32,
    /// Bytes gathered.
    bytes: usize,
    /// They became too many.
    is_over: bool,
}

#[derive(Debug)]
struct Block {
    /// The provider's index.
    index: Option<u64>,
    /// As it began, with the texts that came since.
    object: Object,
    kind: Kind,
    /// The pieces of its input.
    input: String,
    /// The position among the calls, where it is one.
    call: Option<u32>,
    /// Arguments of the call were told.
    argued: bool,
}

/// What is known of a block by its type.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Text,
    Thinking,
    /// Thinking that can't be read.
    Redacted,
    /// A call for whoever asked.
    Call,
    /// A tool that the provider runs.
    Tool,
    /// What such a tool gave back.
    Result,
    /// Nothing that is known.
    Other,
}

impl Kind {
    fn of(name: &str) -> Kind {
        match name {
            "text" => Kind::Text,
            "thinking" => Kind::Thinking,
            "redacted_thinking" => Kind::Redacted,
            "tool_use" => Kind::Call,
            "server_tool_use" | "mcp_tool_use" => Kind::Tool,
            "container_upload" => Kind::Result,
            name if name.ends_with("_tool_result") => Kind::Result,
            _ => Kind::Other,
        }
    }
}

impl Blocks {
    /// True if a block has begun.
    pub(super) fn has_begun(&self) -> bool {
        !self.blocks.is_empty()
    }

    /// True if a block of that index has begun.
    pub(super) fn knows(&self, index: Option<u64>) -> bool {
        self.blocks.iter().rev().any(|block| block.index == index)
    }

    /// True if a call has begun.
    pub(super) fn have_calls(&self) -> bool {
        self.calls > 0
    }

    /// A block begins.
    ///
    /// # Errors
    /// [`Fault::Malformed`] past a bound.
    pub(super) fn begin(&mut self, index: Option<u64>, block: &Object, out: &mut Vec<Signal>) -> Result<(), Fault> {
        if self.blocks.len() == MAX_BLOCKS {
            return Err(Fault::Malformed);
        }
        let kind = fields::text(block, "type").map_or(Kind::Other, Kind::of);
        self.is_more |= !matches!(kind, Kind::Text | Kind::Call | Kind::Other);
        let mut call = None;
        match kind {
            Kind::Text => out.extend(fields::text(block, "text").map(|text| Signal::Text(text.to_owned()))),
            Kind::Thinking => {
                out.extend(fields::text(block, "thinking").map(|text| Signal::Reasoning(text.to_owned())));
            }
            Kind::Tool => out.push(Signal::ProviderTool { name: name(block, "name")? }),
            Kind::Call => {
                let (index, id, name) = (self.calls, name(block, "id")?, name(block, "name")?);
                if index as usize == MAX_CALLS {
                    return Err(Fault::Malformed);
                }
                out.push(Signal::CallStart { index, id, name });
                call = Some(index);
                self.calls += 1;
            }
            Kind::Redacted | Kind::Result | Kind::Other => {}
        }
        let object = if kind == Kind::Other { Map::new() } else { self.gathered(block) };
        self.blocks.push(Block { index, object, kind, input: String::new(), call, argued: false });
        Ok(())
    }

    /// A block goes on: the one of that index, or the last where the piece has none.
    ///
    /// # Errors
    /// [`Fault::Malformed`] for a piece of input of no block: whose it is can't be known.
    pub(super) fn go_on(&mut self, index: Option<u64>, delta: &Object, out: &mut Vec<Signal>) -> Result<(), Fault> {
        let piece = |field: &str| fields::text(delta, field).unwrap_or_default();
        let (field, piece) = match fields::text(delta, "type") {
            Some("text_delta") => ("text", piece("text")),
            Some("thinking_delta") => ("thinking", piece("thinking")),
            Some("signature_delta") => ("signature", piece("signature")),
            Some("input_json_delta") => ("input", piece("partial_json")),
            _ => return Ok(()),
        };
        if piece.is_empty() {
            return Ok(());
        }
        let mut at = self.blocks.iter().rposition(|block| index.is_none() || block.index == index);
        if at.is_none() {
            match field {
                "text" | "thinking" => self.begin(index, &typed(field), out)?,
                "input" => return Err(Fault::Malformed),
                _ => return Ok(()),
            }
            at = self.blocks.len().checked_sub(1);
        }
        let Some(block) = at.and_then(|at| self.blocks.get_mut(at)).filter(|block| block.kind != Kind::Other) else {
            return Ok(());
        };
        match field {
            "text" => out.push(Signal::Text(piece.to_owned())),
            "thinking" => out.push(Signal::Reasoning(piece.to_owned())),
            "input" => {
                if let Some(index) = block.call {
                    out.push(Signal::CallArgs { index, delta: piece.to_owned() });
                    block.argued = true;
                }
            }
            _ => {}
        }
        self.bytes += piece.len();
        self.is_over |= self.bytes > MAX_KEPT;
        match block.object.get_mut(field) {
            _ if self.is_over => {}
            _ if field == "input" => block.input.push_str(piece),
            Some(Value::String(text)) => text.push_str(piece),
            _ => _ = block.object.insert(field.to_owned(), piece.into()),
        }
        Ok(())
    }

    /// The message is over: tells the arguments of calls that had them whole at their start, and ends all.
    /// A call without any has an empty object, but for the last of a message that a limit has cut.
    pub(super) fn end(&mut self, stop: Stop, out: &mut Vec<Signal>) {
        let cut = self.calls.checked_sub(1).filter(|_| stop == Stop::Length);
        for block in &self.blocks {
            let Some(index) = block.call else { continue };
            let whole = block.object.get("input").filter(|input| is_some(input));
            match whole {
                _ if block.argued => {}
                Some(Value::String(text)) => out.push(Signal::CallArgs { index, delta: text.clone() }),
                Some(input) => out.push(Signal::CallArgs { index, delta: json::text(&mended(input.clone())) }),
                None if cut == Some(index) => {}
                None => out.push(Signal::CallArgs { index, delta: "{}".to_owned() }),
            }
            out.push(Signal::CallEnd { index });
        }
    }

    /// What is to be sent back if the turn goes on; none where text and calls alone say it.
    pub(super) fn kept(self) -> Option<Value> {
        if !self.is_more || self.is_over {
            return None;
        }
        Some(mended(Value::Array(self.blocks.into_iter().filter_map(Block::kept).collect())))
    }

    /// The block, if there is still room to gather it.
    fn gathered(&mut self, block: &Object) -> Object {
        self.bytes += json::text(&block).len();
        self.is_over |= self.bytes > MAX_KEPT;
        if self.is_over { Map::new() } else { block.clone() }
    }
}

impl Block {
    /// As the format takes it: no empty text, and an input that is an object.
    fn kept(self) -> Option<Value> {
        let mut object = self.object;
        match self.kind {
            Kind::Other => return None,
            Kind::Text => {
                let text = fields::text(&object, "text").filter(|text| !text.trim().is_empty())?;
                let text = Value::from(text);
                object = typed("text");
                object.insert("text".to_owned(), text);
            }
            Kind::Call | Kind::Tool => {
                let streamed = serde_json::from_str(&self.input).ok().filter(Value::is_object);
                let whole = object.remove("input").filter(Value::is_object);
                let input = streamed.or(whole).unwrap_or_else(|| Value::Object(Map::new()));
                object.insert("input".to_owned(), input);
            }
            Kind::Thinking | Kind::Redacted | Kind::Result => {}
        }
        Some(Value::Object(object))
    }
}

/// A block of that type of which nothing has come.
fn typed(kind: &str) -> Object {
    Map::from_iter([("type".to_owned(), kind.into())])
}

/// A short text, which may be empty.
fn name(block: &Object, field: &str) -> Result<String, Fault> {
    let name = fields::text(block, field).unwrap_or_default();
    if name.len() > MAX_NAME { Err(Fault::Malformed) } else { Ok(name.to_owned()) }
}

/// True if an input says anything.
fn is_some(input: &Value) -> bool {
    match input {
        Value::Null => false,
        Value::Object(fields) => !fields.is_empty(),
        Value::String(text) => !text.is_empty(),
        _ => true,
    }
}
