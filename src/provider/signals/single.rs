//! Signals that come one by one, as objects: for whoever has no stream of bytes.

use super::decode::{Response, object};
use crate::error::{Error, ErrorKind};
use crate::provider::halves::Halves;
use crate::signal::Signal;

/// Reads one signal after the other, of any number of responses. It keeps to the format, but that a second
/// `response_start` begins the response anew ([`Signal`]), and that what comes behind an end begins the next one: all
/// but a state, which is told, and `usage` and `kept`, which say nothing more there.
#[derive(Debug, Default)]
pub struct Reader {
    response: Response,
    halves: Halves,
}

impl Reader {
    /// A reader before the first response.
    pub fn new() -> Self {
        Reader::default()
    }

    /// Takes the JSON text of one signal and gives what it says: its response's start may be added to it, and ends
    /// of calls to a response's end.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidInput`] for what is no signal that may stand there. It has said nothing.
    pub fn read(&mut self, text: &str) -> Result<Vec<Signal>, Error> {
        let invalid = || Error::with(ErrorKind::InvalidInput, "It is no signal that may stand here.");
        let (object, marked) = object(text).ok_or_else(invalid)?;
        let mut out = Vec::new();
        match object.get("type").and_then(|kind| kind.as_str()) {
            Some("state" | "usage" | "kept") if self.response.is_over() => {
                Response::default().read(object, &mut out).ok_or_else(invalid)?;
                out.retain(|signal| matches!(signal, Signal::State(_)));
                return Ok(out);
            }
            kind => {
                let anew = kind == Some("response_start") || self.response.is_over();
                let mut response = if anew { Response::default() } else { self.response.clone() };
                response.read(object, &mut out).ok_or_else(invalid)?;
                self.response = response;
            }
        }
        self.halves.settle(marked, 0, &mut out);
        Ok(out)
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use crate::signal::{Fault, Stop};

    fn read(reader: &mut Reader, text: &str) -> Vec<Signal> {
        reader.read(text).unwrap()
    }

    fn start() -> Signal {
        Signal::ResponseStart { model: None }
    }

    #[test]
    fn each_says_what_it_would_in_a_stream() {
        let mut reader = Reader::new();
        let text = |text: &str| Signal::Text(text.into());
        assert_eq!(read(&mut reader, r#"{"type":"text","delta":"a\ud83d"}"#), [start(), text("a")]);
        assert_eq!(read(&mut reader, r#"{"type":"text","delta":"\ude00b"}"#), [text("😀b")]);
        assert_eq!(read(&mut reader, r#"{"type":"text","delta":""}"#), []);
        let call = Signal::CallStart { index: 0, id: "c".into(), name: "f".into() };
        assert_eq!(read(&mut reader, r#"{"type":"call_start","id":"c","name":"f"}"#), [call]);
        let ends = [Signal::CallEnd { index: 0 }, Signal::ResponseEnd(Stop::Complete)];
        assert_eq!(read(&mut reader, r#"{"type":"response_end"}"#), ends);
    }

    #[test]
    fn a_response_may_begin_anew_and_another_follows_its_end() {
        let mut reader = Reader::new();
        let call = r#"{"type":"call_start","index":0}"#;
        assert_eq!(read(&mut reader, call).len(), 2);
        let again = [Signal::ResponseStart { model: Some("m".into()) }];
        assert_eq!(read(&mut reader, r#"{"type":"response_start","model":"m"}"#), again);
        assert_eq!(read(&mut reader, call).len(), 1, "its calls count from 0");
        assert_eq!(read(&mut reader, r#"{"type":"error","fault":"cut"}"#), [Signal::Error(Fault::Cut)]);
        assert_eq!(read(&mut reader, call).len(), 2, "the next response");
        assert_eq!(read(&mut reader, r#"{"type":"error"}"#), [Signal::Error(Fault::Reported)]);
    }

    #[test]
    fn behind_an_end_a_state_begins_no_response() {
        let mut reader = Reader::new();
        read(&mut reader, r#"{"type":"response_end"}"#);
        let state = [Signal::State(serde_json::json!([1]))];
        assert_eq!(read(&mut reader, r#"{"type":"state","snapshot":[1]}"#), state);
        assert_eq!(read(&mut reader, r#"{"type":"usage","input":1}"#), []);
        assert_eq!(read(&mut reader, r#"{"type":"text","delta":"a"}"#).len(), 2);
        assert_eq!(read(&mut reader, r#"{"type":"state","snapshot":[1]}"#), state, "nor before it");
    }

    #[test]
    fn what_is_no_signal_is_refused_and_says_nothing() {
        let mut reader = Reader::new();
        for bad in
            ["", "[]", "1", "{}", r#"{"type":"txt"}"#, r#"{"type":"call_end"}"#, r#"{"type":"error","fault":"x"}"#]
        {
            assert_eq!(reader.read(bad).unwrap_err().code(), "invalid_input", "{bad}");
        }
        assert_eq!(read(&mut reader, r#"{"type":"text","delta":"a"}"#), [start(), Signal::Text("a".into())]);
    }
}
