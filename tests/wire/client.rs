//! A small AG-UI client: the ordering rules of the official one, and its reducer.

use crate::schema;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// What a client holds, and what it has open in the stream that it reads.
#[derive(Clone, Debug, Default)]
pub struct Client {
    /// The transcript.
    pub messages: Vec<Value>,
    /// The state; null until one is known.
    pub state: Value,
    /// RUN_FINISHED or RUN_ERROR, whole.
    pub terminal: Option<Value>,
    /// The answer that it was told is none.
    pub withdrawn: Option<Value>,
    run: Phase,
    open: BTreeSet<(&'static str, String)>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Phase {
    #[default]
    Fresh,
    Active,
    Finished,
    Errored,
}

impl Client {
    /// A client that holds this before it connects.
    pub fn holding(messages: Vec<Value>, state: Value) -> Self {
        Client { messages, state, ..Client::default() }
    }

    /// The same client in a new connection.
    pub fn reconnected(&self) -> Self {
        Client::holding(self.messages.clone(), self.state.clone())
    }

    /// Reads frames. An error is what the official client would fail on or warn about.
    pub fn read<'a>(&mut self, frames: impl IntoIterator<Item = &'a String>) -> Result<(), String> {
        for frame in frames {
            let event: Value = serde_json::from_str(frame).map_err(|error| error.to_string())?;
            schema::check(&event)?;
            self.verify(&event).map_err(|rule| format!("{rule}: {frame}"))?;
            self.apply(&event).map_err(|warning| format!("{warning}: {frame}"))?;
        }
        Ok(())
    }

    /// The ordering rules.
    fn verify(&mut self, event: &Value) -> Result<(), &'static str> {
        let kind = event["type"].as_str().unwrap();
        match (self.run, kind) {
            (Phase::Fresh | Phase::Finished, "RUN_STARTED") => {
                self.open.clear();
                self.run = Phase::Active;
                return Ok(());
            }
            (Phase::Fresh | Phase::Active | Phase::Finished, "RUN_ERROR") => {
                self.run = Phase::Errored;
                return Ok(());
            }
            (Phase::Fresh, _) => return Err("first event must be RUN_STARTED"),
            (Phase::Errored, _) => return Err("the run has already errored"),
            (Phase::Finished, _) => return Err("the run has already finished"),
            (Phase::Active, "RUN_STARTED") => return Err("a run is still active"),
            (Phase::Active, "RUN_FINISHED") => {
                self.run = Phase::Finished;
                return if self.open.is_empty() { Ok(()) } else { Err("finished with open scopes") };
            }
            (Phase::Active, _) => {}
        }
        let id = |key: &str| event[key].as_str().unwrap_or_default().to_owned();
        match kind {
            "TEXT_MESSAGE_START" => self.opens("text", id("messageId")),
            "TEXT_MESSAGE_CONTENT" => self.has("text", id("messageId")),
            "TEXT_MESSAGE_END" => self.closes("text", id("messageId")),
            "REASONING_START" => self.opens("span", id("messageId")),
            "REASONING_END" => self.closes("span", id("messageId")),
            "REASONING_MESSAGE_START" => self.opens("reasoning", id("messageId")),
            "REASONING_MESSAGE_CONTENT" => self.has("reasoning", id("messageId")),
            "REASONING_MESSAGE_END" => self.closes("reasoning", id("messageId")),
            "TOOL_CALL_START" => self.opens("call", id("toolCallId")),
            "TOOL_CALL_ARGS" => self.has("call", id("toolCallId")),
            "TOOL_CALL_END" => self.closes("call", id("toolCallId")),
            _ => Ok(()),
        }
    }

    fn opens(&mut self, kind: &'static str, id: String) -> Result<(), &'static str> {
        if self.open.insert((kind, id)) { Ok(()) } else { Err("already in progress") }
    }

    fn has(&mut self, kind: &'static str, id: String) -> Result<(), &'static str> {
        if self.open.contains(&(kind, id)) { Ok(()) } else { Err("not open") }
    }

    fn closes(&mut self, kind: &'static str, id: String) -> Result<(), &'static str> {
        if self.open.remove(&(kind, id)) { Ok(()) } else { Err("not open") }
    }

    /// The reducer.
    fn apply(&mut self, event: &Value) -> Result<(), &'static str> {
        match event["type"].as_str().unwrap() {
            "TEXT_MESSAGE_START" => self.make(&event["messageId"], "assistant"),
            "REASONING_MESSAGE_START" => self.make(&event["messageId"], "reasoning"),
            "TEXT_MESSAGE_CONTENT" | "REASONING_MESSAGE_CONTENT" => {
                let message = self.message(&event["messageId"]).ok_or("no message")?;
                append(message, "content", &event["delta"]);
            }
            "TOOL_CALL_START" => self.call(event)?,
            "TOOL_CALL_ARGS" => {
                let call = self.known_call(&event["toolCallId"]).ok_or("no call")?;
                append(&mut call["function"], "arguments", &event["delta"]);
            }
            "TOOL_CALL_RESULT" => self.result(event),
            "ACTIVITY_SNAPSHOT" => self.activity(event),
            "STATE_SNAPSHOT" => self.state = event["snapshot"].clone(),
            "MESSAGES_SNAPSHOT" => self.replace(event["messages"].as_array().unwrap()),
            "CUSTOM" if event["name"] == "lastword.withdrawn" => {
                self.withdrawn = Some(event["value"]["messageId"].clone());
            }
            "RUN_FINISHED" | "RUN_ERROR" => self.terminal = Some(event.clone()),
            _ => {}
        }
        Ok(())
    }

    fn message(&mut self, id: &Value) -> Option<&mut Value> {
        self.messages.iter_mut().find(|message| message["id"] == *id)
    }

    fn make(&mut self, id: &Value, role: &str) {
        if self.message(id).is_none() {
            self.messages.push(json!({"id": id, "role": role, "content": ""}));
        }
    }

    fn known_call(&mut self, id: &Value) -> Option<&mut Value> {
        let calls = self.messages.iter_mut().filter_map(|message| message.get_mut("toolCalls")?.as_array_mut());
        calls.flatten().find(|call| call["id"] == *id)
    }

    fn call(&mut self, event: &Value) -> Result<(), &'static str> {
        if let Some(known) = self.known_call(&event["toolCallId"]) {
            let same = known["function"]["name"] == event["toolCallName"];
            return if same { Ok(()) } else { Err("a call changed its name") };
        }
        let parent = event.get("parentMessageId").unwrap_or(&event["toolCallId"]).clone();
        if self.message(&parent).is_none() {
            self.messages.push(json!({"id": parent, "role": "assistant"}));
        }
        let message = self.message(&parent).unwrap();
        if message["role"] != "assistant" {
            return Err("the parent is no assistant's message");
        }
        let function = json!({"name": event["toolCallName"], "arguments": ""});
        let call = json!({"id": event["toolCallId"], "type": "function", "function": function});
        let calls = message.as_object_mut().unwrap().entry("toolCalls").or_insert(json!([]));
        calls.as_array_mut().unwrap().push(call);
        Ok(())
    }

    /// Behind the message that holds the call, and behind the results that stand there already.
    fn result(&mut self, event: &Value) {
        let (id, call, content) = (&event["messageId"], &event["toolCallId"], &event["content"]);
        let message = json!({"id": id, "role": "tool", "toolCallId": call, "content": content});
        let calls = |message: &Value| message.get("toolCalls").and_then(Value::as_array).cloned().unwrap_or_default();
        let owner = self.messages.iter().position(|message| calls(message).iter().any(|one| one["id"] == *call));
        let behind =
            |owner: usize| self.messages[owner + 1..].iter().take_while(|other| other["role"] == "tool").count();
        let at = owner.map_or(self.messages.len(), |owner| owner + 1 + behind(owner));
        self.messages.insert(at, message);
    }

    fn activity(&mut self, event: &Value) {
        let (id, kind, content) = (&event["messageId"], &event["activityType"], &event["content"]);
        let activity = json!({"id": id, "role": "activity", "activityType": kind, "content": content});
        match self.message(id) {
            Some(known) => *known = activity,
            None => self.messages.push(activity),
        }
    }

    /// By id in place; others go, but local reasoning stays unless the snapshot has reasoning, and
    /// activities stay, as the snapshot says that it has not all of them.
    fn replace(&mut self, snapshot: &[Value]) {
        let has_reasoning = snapshot.iter().any(|message| message["role"] == "reasoning");
        let same = |message: &Value| snapshot.iter().find(|other| other["id"] == message["id"]).cloned();
        let local =
            |message: &Value| message["role"] == "activity" || (message["role"] == "reasoning" && !has_reasoning);
        self.messages.retain(|message| same(message).is_some() || local(message));
        for message in &mut self.messages {
            *message = same(message).unwrap_or_else(|| message.clone());
        }
        for message in snapshot {
            if self.message(&message["id"]).is_none() {
                self.messages.push(message.clone());
            }
        }
    }
}

fn append(target: &mut Value, key: &str, delta: &Value) {
    let text = target.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    target[key] = json!(text + delta.as_str().unwrap());
}
