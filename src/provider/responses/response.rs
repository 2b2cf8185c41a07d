//! One response: event objects → [`Signal`], in order and with one end.

use super::fields::{self, Object, text_of};
use super::item::{self, Kind, Telling};
use super::items::Items;
use crate::provider::framed;
use crate::signal::{Fault, Signal, Stop, Usage};
use serde_json::Value;

/// What is known of the response so far.
#[derive(Debug, Default)]
pub struct Response {
    started: bool,
    over: bool,
    usage: Usage,
    items: Items,
}

impl framed::Response for Response {
    fn is_over(&self) -> bool {
        self.over
    }

    fn has_finish(&self) -> bool {
        self.over
    }

    fn event(&mut self, name: &str, object: &Object, out: &mut Vec<Signal>) {
        if self.over {
            return;
        }
        let mut said = Vec::new();
        let read = self.try_read(name, object, &mut said);
        if !said.is_empty() {
            self.start(None, out);
            out.append(&mut said);
        }
        if let Err(fault) = read {
            self.fail(fault, out);
        }
    }

    /// The format has it behind its end alone.
    fn done(&mut self, out: &mut Vec<Signal>) {
        self.fail(Fault::Cut, out);
    }

    fn whole(&mut self, body: &Value, out: &mut Vec<Signal>) {
        let body = body.as_object();
        match body.filter(|body| fields::is_error(body) || body.get("output").is_some_and(Value::is_array)) {
            Some(body) => {
                self.event("", body, out);
                self.fail(Fault::Malformed, out);
            }
            None => self.fail(Fault::Malformed, out),
        }
    }

    fn end(&mut self, out: &mut Vec<Signal>) {
        self.fail(Fault::Cut, out);
    }

    fn fail(&mut self, fault: Fault, out: &mut Vec<Signal>) {
        if self.over {
            return;
        }
        self.start(None, out);
        out.push(Signal::Error(fault));
        self.over = true;
    }
}

type Done = Result<(), Fault>;

impl Response {
    /// The first event may come without the model's name; the start waits for it until anything else is due.
    fn start(&mut self, model: Option<String>, out: &mut Vec<Signal>) {
        if !std::mem::replace(&mut self.started, true) {
            out.push(Signal::ResponseStart { model });
        }
    }

    fn try_read(&mut self, name: &str, event: &Object, out: &mut Vec<Signal>) -> Done {
        let kind = Some(text_of(event, "type")).filter(|kind| !kind.is_empty()).unwrap_or(name);
        if fields::is_error(event) || kind == "error" {
            return Err(Fault::Reported);
        }
        if matches!(kind, "" | "message") && event.get("output").is_some_and(Value::is_array) {
            return self.response(text_of(event, "status"), true, event, out);
        }
        if let Some(response) = event.get("response").and_then(Value::as_object) {
            let end = matches!(
                kind,
                "response.completed"
                    | "response.done"
                    | "response.incomplete"
                    | "response.failed"
                    | "response.cancelled"
            );
            let status = match text_of(response, "status") {
                "" | "in_progress" => kind.trim_start_matches("response."),
                status => status,
            };
            return self.response(status, end, response, out);
        }
        match kind {
            "response.completed" | "response.incomplete" => {
                return self.response(kind.trim_start_matches("response."), true, &Object::new(), out);
            }
            "response.failed" | "response.cancelled" => return Err(Fault::Reported),
            _ => {}
        }
        self.item(kind, event, out)
    }

    /// Takes a response object, and its end if it is one.
    fn response(&mut self, status: &str, end: bool, response: &Object, out: &mut Vec<Signal>) -> Done {
        if let Some(model) = fields::model(response).filter(|_| !self.started) {
            self.start(Some(model.to_owned()), out);
        }
        let usage = fields::usage(response);
        if usage != Usage::default() && usage != self.usage {
            out.push(Signal::Usage(usage.clone()));
            self.usage = usage;
        }
        if !end {
            return Ok(());
        }
        let stop = match status {
            "queued" | "in_progress" => return Err(Fault::Cut),
            status => fields::stop(status, response).ok_or(Fault::Reported)?,
        };
        self.items.fill(response, out)?;
        self.items.end(out)?;
        if self.items.has_calls() && stop != Stop::ContentFilter {
            out.extend(self.items.kept.finish(response).map(Signal::Kept));
        }
        out.push(Signal::ResponseEnd(stop));
        self.over = true;
        Ok(())
    }

    fn item(&mut self, kind: &str, event: &Object, out: &mut Vec<Signal>) -> Done {
        let object = |field: &str| event.get(field).and_then(Value::as_object);
        let items = &mut self.items;
        let mut text = |field: &str, signal: fn(String) -> Signal| match item::piece(event.get(field))? {
            Some(text) => items.text(event, signal(text.to_owned()), field != "delta", out),
            None => Ok(()),
        };
        match kind {
            "response.output_text.delta" => text("delta", Signal::Text),
            "response.output_text.done" => text("text", Signal::Text),
            "response.refusal.delta" => text("delta", Signal::Refusal),
            "response.refusal.done" => text("refusal", Signal::Refusal),
            "response.content_part.done" => match object("part").and_then(item::content) {
                Some(signal) => items.text(event, signal, true, out),
                None => Ok(()),
            },
            "response.output_item.added" => object("item").map_or(Ok(()), |item| items.added(event, item, out)),
            "response.output_item.done" => object("item").map_or(Ok(()), |item| items.done(event, item, out)),
            "response.reasoning_summary_text.delta" => items.reasoning(event, "delta", Telling::Summary, out),
            "response.reasoning_summary_text.done" => items.reasoning(event, "text", Telling::Summary, out),
            "response.reasoning_text.delta" | "response.reasoning.delta" => {
                items.reasoning(event, "delta", Telling::Itself, out)
            }
            "response.reasoning_text.done" | "response.reasoning.done" => {
                items.reasoning(event, "text", Telling::Itself, out)
            }
            "response.function_call_arguments.delta" => items.arguments(event, "delta", Kind::Call, out),
            "response.function_call_arguments.done" => items.arguments(event, "arguments", Kind::Call, out),
            "response.custom_tool_call_input.delta" => items.arguments(event, "delta", Kind::Custom, out),
            "response.custom_tool_call_input.done" => items.arguments(event, "input", Kind::Custom, out),
            kind => match tool(kind) {
                Some(name) => items.tool(event, name, out),
                None => Ok(()),
            },
        }
    }
}

/// The provider's tool that an event speaks of: `web_search` for `response.web_search_call.searching`.
fn tool(kind: &str) -> Option<&str> {
    let (subject, _) = kind.strip_prefix("response.")?.split_once('.')?;
    if subject == "mcp_list_tools" {
        return Some(subject);
    }
    subject.split_once("_call").map(|(name, _)| name)
}
