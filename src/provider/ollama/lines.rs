//! Where one JSON object of a stream ends and the next begins.

/// The most bytes of one object: 1 MiB.
pub const MAX_LINE: usize = 1 << 20;

/// White space, and the bytes of a byte order mark, which no text in front of an object begins with.
const BETWEEN: [u8; 7] = [b' ', b'\t', b'\r', b'\n', 0xEF, 0xBB, 0xBF];

/// Takes bytes, gives whole objects. It looks at each byte once.
#[derive(Debug, Default)]
pub(super) struct Lines {
    /// The object that has begun.
    line: Vec<u8>,
    depth: usize,
    in_string: bool,
    escaped: bool,
}

/// The bytes are no objects, or one is too large.
#[derive(Debug, PartialEq)]
pub(super) struct NoObject;

impl Lines {
    /// Takes bytes; calls `each` with every object that they end, until it gives true.
    ///
    /// # Errors
    /// [`NoObject`]; nothing may be fed behind it.
    pub(super) fn feed(&mut self, bytes: &[u8], mut each: impl FnMut(&[u8]) -> bool) -> Result<(), NoObject> {
        let mut rest = bytes;
        while !rest.is_empty() {
            if self.depth == 0 {
                let at = rest.iter().position(|byte| !BETWEEN.contains(byte)).unwrap_or(rest.len());
                rest = rest.get(at..).unwrap_or_default();
                match rest.first() {
                    None => return Ok(()),
                    Some(b'{') => {}
                    Some(_) => return Err(NoObject),
                }
            }
            let end = self.end(rest)?;
            let (taken, after) = rest.split_at(end.unwrap_or(rest.len()));
            if self.line.len().saturating_add(taken.len()) > MAX_LINE {
                return Err(NoObject);
            }
            self.line.extend_from_slice(taken);
            rest = after;
            if end.is_some() {
                let line = std::mem::take(&mut self.line);
                if each(&line) {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// How many bytes there are to the object's end, if it is among them.
    fn end(&mut self, bytes: &[u8]) -> Result<Option<usize>, NoObject> {
        for (at, byte) in bytes.iter().enumerate() {
            match byte {
                // No string of JSON holds a line end: the line was broken off, and another begins.
                b'\r' | b'\n' if self.in_string => return Err(NoObject),
                _ if self.escaped => self.escaped = false,
                b'\\' if self.in_string => self.escaped = true,
                b'"' => self.in_string = !self.in_string,
                _ if self.in_string => {}
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' => {
                    self.depth -= 1;
                    if self.depth == 0 {
                        return Ok(Some(at + 1));
                    }
                }
                _ => {}
            }
        }
        Ok(None)
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;

    fn read(chunks: &[&str]) -> (Vec<String>, bool) {
        let (mut lines, mut out) = (Lines::default(), Vec::new());
        let mut take = |line: &[u8]| {
            out.push(String::from_utf8(line.to_vec()).unwrap());
            false
        };
        let fine = chunks.iter().all(|chunk| lines.feed(chunk.as_bytes(), &mut take).is_ok());
        (out, fine)
    }

    #[test]
    fn an_object_is_given_whole_wherever_it_is_cut() {
        let text = "\n{\"a\":\"}\\\"{\"}\r\n\r{\"b\":[{}]}{}  ";
        let whole = ["{\"a\":\"}\\\"{\"}", "{\"b\":[{}]}", "{}"].map(str::to_owned).to_vec();
        for at in 0..=text.len() {
            assert_eq!(read(&[&text[..at], &text[at..]]), (whole.clone(), true), "cut at {at}");
        }
    }

    #[test]
    fn what_is_no_object_is_told_at_once() {
        for text in ["<html>", "data: {}", "[{}]", "null", "{} x", "{\"a\":\"b\n{\"a\":\"b\"}", "]", "\u{feff}{}]"] {
            assert!(!read(&[text]).1, "{text}");
        }
        let quotes = ["{\"a\":\"", &"b".repeat(MAX_LINE - 8), "\"}"];
        assert_eq!((read(&quotes).0.len(), read(&quotes).1), (1, true));
        assert!(!read(&[quotes[0], quotes[1], "b", quotes[2]]).1);
    }
}
