//! What a filter is to do, as plain data.

use std::fmt;

pub(super) mod node;
mod read;
#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;

pub use read::Secrets;

/// The most bytes that a candidate may hold back by default, counted from its start or its last match.
pub const MAX_HOLD: usize = 256;
/// The largest such bound that may be chosen.
pub const HARD_HOLD: usize = 4096;

/// The most bytes of a known value.
pub const MAX_VALUE: usize = 8192;

/// What a filter is to do. The default is what `LASTWORD_REDACT` unset gives.
#[derive(Clone, PartialEq)]
pub struct Settings {
    /// Switches of rules and groups, in order: the later wins, and a rule's own over its group's. A group that is
    /// switched on has its rules as they are by default: one that is off by default is switched on by its own name
    /// alone. `all` is the group of all built-in rules; `values` and `patterns` are groups of the user's own.
    pub rules: Vec<(String, bool)>,
    /// Values that must never leave, with their encodings.
    pub values: Vec<Value>,
    /// Terms that must never leave, whatever their case. They match as whole words.
    pub blocklist: Vec<String>,
    /// The user's own patterns.
    pub patterns: Vec<Pattern>,
    /// What stands in the place of what was removed.
    pub style: Choice<Style>,
    /// The key of [`Style::Token`].
    pub key: Vec<u8>,
    /// How much a candidate may hold back, in bytes.
    pub max_hold: Choice<usize>,
    /// What happens to a candidate that would hold back more.
    pub overflow: Choice<Overflow>,
    /// What may leave although a rule matches it.
    pub allow: Allow,
    /// What becomes of links.
    pub links: Links,
    /// Invisible characters are removed.
    pub invisible: bool,
    /// Terminal escapes are removed.
    pub escapes: bool,
    /// What a match leads to.
    pub mode: Mode,
    /// The switches for the arguments of calls that the client is to run, over those in `rules`. What they don't name is
    /// on there if it is a secret and on everywhere.
    pub client_arguments: Vec<(String, bool)>,
}

/// Something by rule: its own, else its group's (the last that names it), else the default.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Choice<T> {
    /// For the rules that are not named.
    pub default: T,
    /// By the name of a rule or a group.
    pub by: Vec<(String, T)>,
}

/// A value that must never leave.
#[derive(Clone, PartialEq, Eq)]
pub struct Value {
    /// The name of its rule; `value` if there is none.
    pub name: Option<String>,
    /// At least six bytes.
    pub value: String,
}

/// A pattern of the user's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// The name of its rule.
    pub name: String,
    /// In the syntax that the README describes: a part of JavaScript's, of which everything is a match that can be.
    pub pattern: String,
}

/// What stands in the place of what was removed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Style {
    /// `[REDACTED:email]`
    #[default]
    Label,
    /// This text.
    Fixed(String),
    /// An asterisk a character.
    SameLength,
    /// Asterisks, and the last four letters or digits. Needs the whole value.
    LastFour,
    /// `[email:0123456789ab]`, HMAC-SHA-256 of the value under the key: the same value, the same token.
    /// Needs the whole value.
    Token,
}

impl Style {
    /// True if it shows something of the whole value, so that nothing may leave before that is known.
    pub fn needs_the_whole(&self) -> bool {
        matches!(self, Style::LastFour | Style::Token)
    }
}

/// What happens to a candidate that would hold back more than it may.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Overflow {
    /// It is taken for a match as far as it goes.
    #[default]
    Redact,
    /// It is taken for none.
    Release,
    /// The stream ends before it.
    Abort,
}

/// What may leave although a rule matches it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Allow {
    /// Exact values, whatever the case of their letters. What stands in such a value before a dot may leave too,
    /// since the rest may follow (`ana@firma.com` before `.br`). They have no effect on known values, on the blocklist and on rules without a bound.
    pub values: Vec<String>,
    /// Hosts of images, each with a port or without; `*.example.com` is all below it. None: see [`Links`].
    pub images: Option<Vec<String>>,
    /// Hosts of links.
    pub links: Option<Vec<String>>,
}

/// What becomes of links whose host is not allowed. Links are looked at only where a list of hosts is given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Links {
    /// Query and fragment are cut off, of allowed ones too.
    pub strip_query: bool,
    /// The text of a link outside stays, its target is shown behind it without being a link.
    pub show_target: bool,
}

/// What a match leads to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// It is replaced.
    #[default]
    Redact,
    /// The stream ends before it.
    Block,
    /// Nothing is changed, only counted.
    DryRun,
}

impl Settings {
    /// Nothing is looked for, and all passes as it is.
    pub fn off() -> Self {
        let off = || vec![("all".to_owned(), false)];
        Settings { rules: off(), invisible: false, escapes: false, client_arguments: off(), ..Settings::default() }
    }
}

/// Says how many values, terms and bytes of the key there are, and none of them.
impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = (self.values.len(), self.blocklist.len(), self.allow.values.len(), self.key.len());
        write!(f, "Settings {{ {:?}, {:?}, {counts:?} }}", self.rules, self.mode)
    }
}

/// Says the name alone.
impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Value").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            rules: Vec::new(),
            values: Vec::new(),
            blocklist: Vec::new(),
            patterns: Vec::new(),
            style: Choice::default(),
            key: Vec::new(),
            max_hold: Choice { default: MAX_HOLD, by: Vec::new() },
            overflow: Choice::default(),
            allow: Allow::default(),
            links: Links::default(),
            invisible: true,
            escapes: true,
            mode: Mode::default(),
            client_arguments: Vec::new(),
        }
    }
}
