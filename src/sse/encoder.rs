//! What a wire writes: frames and comments, as bytes.

use crate::{Error, ErrorKind, bytes};

/// A comment that says only that the connection lives.
pub const PING: &[u8] = b": ping\n\n";

/// One event on its way to a client.
///
/// The fields are free text; [`Frame::encode`] is where they are checked. An empty `data` is legal
/// and is delivered as an event, but many clients parse every payload as JSON and die of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// The cursor that a client sends back as `Last-Event-ID`. No CR, LF or NUL.
    pub id: Option<String>,
    /// The event's name; without one a client reads `message`. No CR, LF or NUL.
    pub event: Option<String>,
    /// The payload. Line ends are allowed and all arrive as LF.
    pub data: String,
}

impl Frame {
    /// A frame with a payload and nothing else.
    pub fn new(data: impl Into<String>) -> Self {
        Frame { data: data.into(), ..Frame::default() }
    }

    /// Appends the whole frame to `out`: `id:`, `event:`, one `data:` a line, and the blank line.
    ///
    /// Line ends are LF only, and there is never a `retry:`. The space after the colon is always
    /// there, since a client takes one away. A payload is cut at CRLF, LF and CR, so that none of
    /// it can be read as a field of its own.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Internal`] if the id or the event's name holds CR, LF or NUL: the first two
    /// would let it write fields of its own, and an id with the third is ignored by clients.
    /// Nothing is written then.
    pub fn encode(&self, out: &mut Vec<u8>) -> Result<(), Error> {
        check("id", self.id.as_deref())?;
        check("event", self.event.as_deref())?;
        if let Some(id) = &self.id {
            push_line(out, "id: ", id);
        }
        if let Some(event) = &self.event {
            push_line(out, "event: ", event);
        }
        for line in lines(&self.data) {
            push_line(out, "data: ", line);
        }
        out.push(b'\n');
        Ok(())
    }

    /// The whole frame as bytes of its own.
    ///
    /// # Errors
    ///
    /// As [`Frame::encode`].
    pub fn to_bytes(&self) -> Result<Vec<u8>, Error> {
        let mut out = Vec::with_capacity(self.data.len() + 64);
        self.encode(&mut out)?;
        Ok(out)
    }
}

/// Appends a comment to `out`, one comment line for each line of the text, and a blank line.
pub fn encode_comment(text: &str, out: &mut Vec<u8>) {
    for line in lines(text) {
        push_line(out, ": ", line);
    }
    out.push(b'\n');
}

fn check(field: &str, value: Option<&str>) -> Result<(), Error> {
    match value {
        Some(value) if value.contains(['\r', '\n', '\0']) => {
            Err(Error::with(ErrorKind::Internal, format!("The {field} of a frame holds CR, LF or NUL.")))
        }
        _ => Ok(()),
    }
}

fn push_line(out: &mut Vec<u8>, prefix: &str, text: &str) {
    out.extend_from_slice(prefix.as_bytes());
    out.extend_from_slice(text.as_bytes());
    out.push(b'\n');
}

/// The lines of a text, cut at CRLF, LF and CR as a client cuts them. Always at least one.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let end = bytes::line_end(text.as_bytes()).unwrap_or(text.len());
        let (line, tail) = text.split_at(end);
        rest = tail.strip_prefix("\r\n").or_else(|| tail.strip_prefix(['\n', '\r']));
        Some(line)
    })
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;

    fn text(frame: &Frame) -> String {
        String::from_utf8(frame.to_bytes().unwrap()).unwrap()
    }

    #[test]
    fn a_single_line_payload_is_one_data_line() {
        assert_eq!(text(&Frame::new(r#"{"a":1}"#)), "data: {\"a\":1}\n\n");
    }

    #[test]
    fn the_order_is_id_event_data() {
        let frame = Frame { id: Some("7.1".into()), event: Some("content".into()), data: "x".into() };
        assert_eq!(text(&frame), "id: 7.1\nevent: content\ndata: x\n\n");
    }

    #[test]
    fn payloads_are_cut_at_crlf_lf_and_cr() {
        let cut = |data: &str| text(&Frame::new(data));
        assert_eq!(cut("a\nb"), "data: a\ndata: b\n\n");
        assert_eq!(cut("a\rb"), "data: a\ndata: b\n\n");
        assert_eq!(cut("a\r\nb"), "data: a\ndata: b\n\n");
        assert_eq!(cut("a\n\rb"), "data: a\ndata: \ndata: b\n\n");
        assert_eq!(cut("\r\r\n"), "data: \ndata: \ndata: \n\n");
        assert_eq!(cut("a\n"), "data: a\ndata: \n\n");
    }

    #[test]
    fn only_cr_and_lf_cut_a_payload() {
        let data = "a\u{2028}b\u{2029}c\u{85}d\u{b}e\u{c}f\0g";
        assert_eq!(text(&Frame::new(data)), format!("data: {data}\n\n"));
    }

    #[test]
    fn the_space_after_the_colon_is_always_there() {
        assert_eq!(text(&Frame::new(" x")), "data:  x\n\n");
        assert_eq!(text(&Frame::new("")), "data: \n\n");
    }

    #[test]
    fn ids_and_names_cannot_carry_fields() {
        for bad in ["1\ndata: x", "1\rdata: x", "1\r\n", "1\0"] {
            let id = Frame { id: Some(bad.into()), ..Frame::new("x") };
            let event = Frame { event: Some(bad.into()), ..Frame::new("x") };
            for frame in [id, event] {
                let mut out = b"before".to_vec();
                assert_eq!(frame.encode(&mut out).unwrap_err().kind(), ErrorKind::Internal, "{frame:?}");
                assert_eq!(out, b"before", "a refused frame writes nothing");
            }
        }
    }

    #[test]
    fn comments_cannot_become_fields() {
        let comment = |text: &str| {
            let mut out = Vec::new();
            encode_comment(text, &mut out);
            String::from_utf8(out).unwrap()
        };
        assert_eq!(comment("ping").as_bytes(), PING);
        assert_eq!(comment("a\r\ndata: b\rc"), ": a\n: data: b\n: c\n\n");
    }
}
