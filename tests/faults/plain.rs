//! A model that says what its script has, and a sound host that plays it.

use lastword::driver::{Chunk, Host};
use lastword::executor::ToolResult;
use lastword::input::Call;
use lastword::run::{LogLine, MemoryStore, ModelCall, Reply, Request, StoreOp, StoreReply};
use std::collections::BTreeMap;

/// A response a line, its chunks apart by `|`, in words that [`said`] makes an event of.
pub type Script = &'static [&'static str];

pub const TOOLS: Script = &["text:Let me look.|call:look|call:fetch,end", "text:It is |text:sunny.|end"];
pub const SHORT: Script = &["text:Yes.|end"];
pub const NARRATED: Script = &[
    "think:Hm.|text:First the |text:orders.|call:look,end",
    "text:Now the payment.|call:fetch|end",
    "text:Refunded ,text:today.|end",
];
pub const EARLY: Script = &["commentary,text:One moment.,close|answer,text:It |text:rains.|end"];
pub const CUT: Script = &["answer,text:It |text:rai"];
pub const ASKS: Script = &["text:I need a word.|call:pay,end", "text:Paid.|end"];
pub const CLIENT: Script = &["text:Show me.|call:pick,end"];

/// The event that a word of a script stands for.
fn said(word: &str) -> String {
    let event = match word.split_once(':') {
        Some(("text", delta)) => format!(r#"{{"type":"text","delta":"{delta}"}}"#),
        Some(("think", delta)) => format!(r#"{{"type":"reasoning","delta":"{delta}"}}"#),
        Some((_, name)) => format!(r#"{{"type":"call_start","id":"c-{name}","name":"{name}"}}"#),
        None => match word {
            "commentary" => r#"{"type":"item_start","phase":"commentary"}"#.to_owned(),
            "answer" => r#"{"type":"item_start","phase":"final_answer"}"#.to_owned(),
            "close" => r#"{"type":"item_end"}"#.to_owned(),
            _ => r#"{"type":"response_end"}"#.to_owned(),
        },
    };
    format!("data: {event}\n\n")
}

/// Plays a script, a chunk every few milliseconds.
pub struct Player {
    script: Script,
    open: BTreeMap<(String, ModelCall), usize>,
}

impl Player {
    pub fn new(script: Script) -> Self {
        Player { script, open: BTreeMap::new() }
    }

    pub fn call(&mut self, run: &str, call: ModelCall) {
        self.open.insert((run.to_owned(), call), 0);
    }

    pub fn read(&mut self, run: &str, call: ModelCall, now: &mut u64, until: Option<u64>) -> Chunk {
        let Some(next) = self.open.get_mut(&(run.to_owned(), call)) else { return Chunk::Unreachable };
        let at = *now + 20;
        if until.is_some_and(|until| until < at) {
            return Chunk::NotYet;
        }
        *now = at;
        let Some(response) = self.script.get(call as usize - 1) else { return Chunk::Refused(500) };
        *next += 1;
        response
            .split('|')
            .nth(*next - 1)
            .map_or(Chunk::Eof, |chunk| Chunk::Bytes(chunk.split(',').map(said).collect::<String>().into_bytes()))
    }

    pub fn abort(&mut self, run: &str, call: ModelCall) {
        self.open.remove(&(run.to_owned(), call));
    }
}

/// A host on which nothing goes wrong.
pub struct Plain {
    pub store: MemoryStore,
    pub now: u64,
    pub alarm: Option<u64>,
    pub replies: Vec<(Request, Reply)>,
    /// The runs that have called the model, and each tool that they called.
    pub models: Vec<String>,
    pub tools: Vec<(String, String)>,
    player: Player,
}

impl Plain {
    pub fn new(script: Script, store: MemoryStore, now: u64) -> Self {
        let player = Player::new(script);
        Plain { store, now, alarm: None, replies: vec![], models: vec![], tools: vec![], player }
    }
}

pub fn result(call: &Call) -> ToolResult {
    ToolResult { ok: call.name != "fetch", content: format!("{} was there.", call.name) }
}

impl Host for Plain {
    fn now(&mut self) -> u64 {
        self.now
    }
    fn wait_until(&mut self, at: u64) {
        self.now = self.now.max(at);
    }
    fn store(&mut self, op: StoreOp) -> StoreReply {
        self.store.perform(op)
    }
    fn call_model(&mut self, run: &str, call: ModelCall, _: Vec<u8>) {
        self.models.push(run.to_owned());
        self.player.call(run, call);
    }
    fn read(&mut self, run: &str, call: ModelCall, until: Option<u64>) -> Chunk {
        self.player.read(run, call, &mut self.now, until)
    }
    fn abort(&mut self, run: &str, call: ModelCall) {
        self.player.abort(run, call);
    }
    fn call_tool(&mut self, run: &str, call: &Call) -> ToolResult {
        self.tools.push((run.to_owned(), call.id.clone()));
        result(call)
    }
    fn wake(&mut self, _: &str, _: u64, _: bool) {}
    fn set_alarm(&mut self, at: Option<u64>) {
        self.alarm = at;
    }
    fn reply(&mut self, request: Request, reply: Reply) {
        self.replies.push((request, reply));
    }
    fn log(&mut self, _: LogLine) {}
}
