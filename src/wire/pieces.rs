//! The frames of a text's pieces: what stands around a piece, and the cutting of one that would be too long for a frame.

use super::DELTA_FRAME;
use crate::json;

/// The least room for text in a delta frame, however long the ids beside it are.
const LEAST_ROOM: usize = 4 << 10;

/// The frames of one piece of text: a single one if that is not longer than [`DELTA_FRAME`], else as
/// many as it takes. `frame` writes the frame around a part of the text.
pub(super) fn delta_frames(text: &str, frame: impl Fn(&str) -> String) -> Vec<String> {
    let whole = frame(text);
    if whole.len() <= DELTA_FRAME {
        return vec![whole];
    }
    delta_parts(text, frame("").len()).map(frame).collect()
}

/// The frames of a piece of text that is cut at these places, which are in bytes and rise. One that is none is passed.
pub(super) fn cut_frames(text: &str, cuts: &[u32], frame: impl Fn(&str) -> String) -> Vec<String> {
    let (mut around, mut frames) = (Around::default(), Vec::with_capacity(cuts.len() + 1));
    for part in crate::event::parts(text, cuts) {
        around.frames(("", ""), part, &frame, |frame| frames.push(frame));
    }
    if frames.is_empty() {
        frames.push(frame(text));
    }
    frames
}

/// What stands around the pieces of one text in their frames, written once for all of them.
#[derive(Debug, Default)]
pub(super) struct Around {
    of: Option<(&'static str, String)>,
    before: String,
    behind: String,
}

impl Around {
    /// The frames of a piece, as [`delta_frames`] has them. `frame` writes the frame around a text as JSON has it, at one
    /// place; all else of it depends on the kind and the id alone.
    pub(super) fn frames(
        &mut self,
        (kind, id): (&'static str, &str),
        text: &str,
        frame: impl Fn(&str) -> String,
        mut add: impl FnMut(String),
    ) {
        if !self.of.as_ref().is_some_and(|(known, of)| *known == kind && of == id) {
            self.learn(&frame("a"), &frame("b"));
            self.of = Some((kind, id.to_owned()));
        }
        let whole = self.frame(text);
        if whole.len() <= DELTA_FRAME {
            return add(whole);
        }
        delta_parts(text, self.before.len() + self.behind.len()).for_each(|part| add(self.frame(part)));
    }

    /// Two frames that differ in their piece, of one byte.
    fn learn(&mut self, one: &str, other: &str) {
        let at = one.bytes().zip(other.bytes()).take_while(|(one, other)| one == other).count();
        let (before, behind) = (one.get(..at).unwrap_or_default(), one.get(at + 1..).unwrap_or_default());
        debug_assert!(other == [before, "b", behind].concat(), "the piece stands at one place: {one}");
        (self.before, self.behind) = (before.to_owned(), behind.to_owned());
    }

    fn frame(&self, piece: &str) -> String {
        let mut frame = String::with_capacity(self.before.len() + piece.len() + self.behind.len());
        frame.push_str(&self.before);
        json::write_body(piece, &mut frame);
        frame.push_str(&self.behind);
        frame
    }
}

/// The text in parts that fit into delta frames of which `around` bytes are something else. An empty text gives none.
pub(super) fn delta_parts(text: &str, around: usize) -> impl Iterator<Item = &str> {
    parts(text, DELTA_FRAME.saturating_sub(around).max(LEAST_ROOM))
}

/// The text in parts whose JSON form is at most `room` bytes. An empty text gives none.
fn parts(text: &str, room: usize) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (part, tail) = split_to_fit(rest, room.max(MAX_ESCAPED));
        rest = tail;
        Some(part)
    })
}

/// Splits at the last character border before which the JSON form is at most `room` bytes.
pub(super) fn split_to_fit(text: &str, room: usize) -> (&str, &str) {
    let mut used = 0;
    for (at, character) in text.char_indices() {
        used += escaped_len(character);
        if used > room {
            return text.split_at(at);
        }
    }
    (text, "")
}

/// The bytes of a text's JSON form, without the quotes.
pub(super) fn text_len(text: &str) -> usize {
    text.chars().map(escaped_len).sum()
}

/// The longest JSON form of one character.
const MAX_ESCAPED: usize = 6;

fn escaped_len(character: char) -> usize {
    match character {
        '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
        '\0'..='\u{1f}' | '\u{2028}' | '\u{2029}' => MAX_ESCAPED,
        other => other.len_utf8(),
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;

    fn line(value: impl Into<serde_json::Value>) -> String {
        crate::json::text(&value.into())
    }

    #[test]
    fn a_texts_length_is_that_of_its_json_form() {
        let text: String = (0..0x2100).filter_map(char::from_u32).chain("🦀\u{2028}".chars()).collect();
        assert_eq!(text_len(&text) + 2, line(text.as_str()).len());
    }

    #[test]
    fn no_line_separator_stands_in_a_line() {
        let text = "a\u{2028}b\u{2029}c";
        let json = line(text);
        assert_eq!(json, r#""a\u2028b\u2029c""#);
        assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text);
    }

    #[test]
    fn what_stands_around_a_piece_is_written_for_each_kind_and_id() {
        let mut around = Around::default();
        let long = "é\u{1}\"\n🦀".repeat(20_000);
        for (kind, id, text) in [
            ("a", "1", "x"),
            ("a", "1", ""),
            ("a", "2", "\"y\""),
            ("b", "2", "b"),
            ("b", "2", &long),
            ("b", "a\"", "a"),
            ("a", "1", "a"),
        ] {
            let frame = |part: &str| line(serde_json::json!({"id": id, "delta": part, "kind": [kind]}));
            let mut frames = Vec::new();
            around.frames((kind, id), text, frame, |frame| frames.push(frame));
            assert_eq!(frames, delta_frames(text, frame));
        }
    }

    #[test]
    fn a_text_that_is_cut_is_a_frame_a_part_whatever_the_cuts_are() {
        let frame = |part: &str| line(serde_json::json!({"id": "m", "delta": part}));
        let said = |text: &str, cuts: &[u32]| -> Vec<String> { cut_frames(text, cuts, frame) };
        assert_eq!(said("ab\"é", &[1, 3]), ["a", "b\"", "é"].map(frame));
        assert_eq!(said("", &[0]), [frame("")]);
        let ways: [&[u32]; 6] = [&[], &[0], &[2, 2, 2], &[4], &[9, 1], &[3, 1, u32::MAX]];
        for cuts in ways {
            let joined: String = said("ab\"é", cuts)
                .iter()
                .map(|frame| {
                    serde_json::from_str::<serde_json::Value>(frame).unwrap()["delta"].as_str().unwrap().to_owned()
                })
                .collect();
            assert_eq!(joined, "ab\"é", "{cuts:?}");
        }
        let long = "x".repeat(2 * DELTA_FRAME);
        assert!(said(&long, &[1]).iter().all(|frame| frame.len() <= DELTA_FRAME));
    }

    #[test]
    fn a_long_delta_becomes_frames_within_the_limit_that_join_to_it() {
        let text = "é\u{1}\"\n🦀".repeat(20_000);
        let frames = delta_frames(&text, |part| line(serde_json::json!({"id": "m", "delta": part})));
        assert!(frames.len() > 1);
        let mut joined = String::new();
        for frame in &frames {
            assert!(frame.len() <= DELTA_FRAME, "{} bytes", frame.len());
            let value: serde_json::Value = serde_json::from_str(frame).unwrap();
            joined.push_str(value["delta"].as_str().unwrap());
        }
        assert_eq!(joined, text);
    }

    #[test]
    fn long_ids_leave_the_least_room() {
        let id = "i".repeat(DELTA_FRAME);
        let text = "x".repeat(2 * LEAST_ROOM);
        let frames = delta_frames(&text, |part| line(serde_json::json!({"id": id, "delta": part})));
        assert_eq!(frames.len(), 2);
    }

    #[test]
    fn a_short_or_empty_delta_is_one_frame() {
        for text in ["", "hello"] {
            assert_eq!(delta_frames(text, str::to_owned), [text]);
        }
    }

    #[test]
    fn a_split_falls_on_a_character_border() {
        assert_eq!(split_to_fit("aé🦀b", 0), ("", "aé🦀b"));
        assert_eq!(split_to_fit("aé🦀b", 2), ("a", "é🦀b"));
        assert_eq!(split_to_fit("aé🦀b", 7), ("aé🦀", "b"));
        assert_eq!(split_to_fit("aé🦀b", 99), ("aé🦀b", ""));
    }
}
