//! The bounds of a request, and those that are checked before it is parsed.

use crate::{Error, ErrorKind};

/// The bounds of a `RunAgentInput`. Past one of them the request is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of the body.
    pub body: usize,
    /// Levels of arrays and objects inside each other, the body's own included.
    pub depth: usize,
    /// Objects and arrays in all. A small body can hold very many, and each costs far more memory than
    /// its bytes.
    pub containers: usize,
    /// Messages.
    pub messages: usize,
    /// Tools.
    pub tools: usize,
    /// Entries of `context`.
    pub context: usize,
    /// Entries of `resume`.
    pub resume: usize,
    /// Parts of one message's content.
    pub parts: usize,
    /// Bytes of one id or name.
    pub id: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            body: 1 << 20,
            depth: 64,
            containers: 32_768,
            messages: 2_000,
            tools: 128,
            context: 128,
            resume: 128,
            parts: 256,
            id: 4_096,
        }
    }
}

impl Limits {
    /// Checks size, depth and count of what may be JSON, in one pass and without memory.
    pub(crate) fn check(&self, body: &[u8]) -> Result<(), Error> {
        self.check_size(body.len())?;
        let (mut depth, mut containers) = (0_usize, 0_usize);
        let (mut in_string, mut escaped) = (false, false);
        for byte in body {
            match byte {
                _ if escaped => escaped = false,
                b'\\' if in_string => escaped = true,
                b'"' => in_string = !in_string,
                _ if in_string => {}
                b'{' | b'[' => {
                    depth += 1;
                    containers += 1;
                }
                b'}' | b']' => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth > self.depth {
                return Err(self.refusal(format_args!("be nested deeper than {} levels", self.depth)));
            }
            if containers > self.containers {
                return Err(self.refusal(format_args!("hold more than {} objects and arrays", self.containers)));
            }
        }
        Ok(())
    }

    /// Checks the bytes of a body.
    pub(crate) fn check_size(&self, bytes: usize) -> Result<(), Error> {
        match bytes > self.body {
            true => Err(Error::with(ErrorKind::BodyTooLarge, format!("The limit is {} bytes.", self.body))),
            false => Ok(()),
        }
    }

    fn refusal(&self, demand: std::fmt::Arguments<'_>) -> Error {
        Error::with(ErrorKind::InvalidInput, format!("the body must not {demand}."))
    }
}
