//! Whether a place in a text is code, as far as backticks tell.

/// The text so far.
#[derive(Debug)]
pub(super) struct Code {
    /// Backticks that stand directly in front.
    run: usize,
    /// Nothing but spaces stood in front of them on the line.
    at_line_start: bool,
    /// How many backticks opened the code in the line; 0 if none is open.
    inline: usize,
    fenced: bool,
}

impl Default for Code {
    fn default() -> Self {
        Code { run: 0, at_line_start: true, inline: 0, fenced: false }
    }
}

impl Code {
    /// Takes the next character.
    pub(super) fn read(&mut self, character: char) {
        if character == '`' {
            self.run += 1;
            return;
        }
        self.run_ended();
        match character {
            '\n' | '\r' => {
                self.inline = 0;
                self.at_line_start = true;
            }
            ' ' | '\t' => {}
            _ => self.at_line_start = false,
        }
    }

    /// True behind a backtick of this line that nothing has closed.
    pub(super) fn is_inline(&mut self) -> bool {
        self.run_ended();
        self.inline > 0
    }

    /// True in a fenced block.
    pub(super) fn is_fenced(&mut self) -> bool {
        self.run_ended();
        self.fenced
    }

    fn run_ended(&mut self) {
        let run = std::mem::take(&mut self.run);
        match run {
            0 => return,
            3.. if self.at_line_start => self.fenced = !self.fenced,
            _ if self.fenced => {}
            run if self.inline == 0 => self.inline = run,
            run if self.inline == run => self.inline = 0,
            _ => {}
        }
        self.at_line_start = false;
    }
}
