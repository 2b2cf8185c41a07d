//! Settings from their JSON form, the same as JavaScript's constructor takes.

use super::node::{Node, decimal, is_slip, snake};
use super::{Allow, Choice, HARD_HOLD, Links, Mode, Overflow, Pattern, Settings, Style, Value};
use crate::error::{Error, ErrorKind};
use crate::redact::rules::rules;

const FIELDS: &[&str] = &[
    "rules",
    "values",
    "blocklist",
    "patterns",
    "style",
    "key",
    "max_hold",
    "overflow",
    "allow",
    "links",
    "invisible",
    "escapes",
    "mode",
    "client_arguments",
];

const STYLES: &str = "must be label, same_length, last_four, token, or {\"fixed\": a text}";
/// Gives a secret by the name of its variable, where the host has such.
pub type Secrets<'a> = &'a dyn Fn(&str) -> Option<String>;

impl Settings {
    /// Reads settings: `on` (the defaults), `off`, or an object as JSON.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidFilter`]. The detail names the place: `patterns[2].style`, or line and column of
    /// what is no JSON; never what stands there.
    pub fn parse(text: &str) -> Result<Self, Error> {
        Settings::parse_with(text, &|_| None)
    }

    /// The same, where a value may stand in a variable of the host's: `{"name": "db", "env": "DB_PASSWORD"}`.
    ///
    /// # Errors
    /// As of [`Settings::parse`]; also for a variable that is not there.
    pub fn parse_with(text: &str, secrets: Secrets<'_>) -> Result<Self, Error> {
        match text.trim() {
            "on" => return Ok(Settings::default()),
            "off" => return Ok(Settings::off()),
            _ => {}
        }
        let value = serde_json::from_str(text).map_err(|error| {
            let mut detail = String::from("Line ");
            decimal(error.line(), &mut detail);
            detail.push_str(", column ");
            decimal(error.column(), &mut detail);
            detail.push_str(" is not valid JSON.");
            Error::with(ErrorKind::InvalidFilter, detail)
        })?;
        let mut settings = Settings::default();
        read(&Node::root(&value), secrets, &mut settings)?;
        Ok(settings)
    }
}

fn read(root: &Node<'_>, secrets: Secrets<'_>, settings: &mut Settings) -> Result<(), Error> {
    let mut fields = root.fields(FIELDS)?;
    // What a pattern says of itself comes last and so wins, wherever it stands.
    if let Some(at) = fields.iter().position(|(name, _)| *name == "patterns") {
        let patterns = fields.remove(at);
        fields.push(patterns);
    }
    for (name, node) in fields {
        match name {
            "rules" => switches(&node, &mut settings.rules)?,
            "values" => {
                for item in node.items()? {
                    settings.values.push(value(&item, secrets)?);
                }
            }
            "blocklist" => settings.blocklist = node.words()?,
            "patterns" => {
                for item in node.items()? {
                    pattern(&item, settings)?;
                }
            }
            "style" => each(&node, &mut |name, node| settings.style.set(name, style(node)?))?,
            "key" => settings.key = node.word()?.as_bytes().to_vec(),
            "max_hold" => each(&node, &mut |name, node| settings.max_hold.set(name, hold(node)?))?,
            "overflow" => each(&node, &mut |name, node| settings.overflow.set(name, overflow(node)?))?,
            "allow" => allow(&node, &mut settings.allow)?,
            "links" => links(&node, &mut settings.links)?,
            "invisible" => settings.invisible = node.flag()?,
            "escapes" => settings.escapes = node.flag()?,
            "mode" => settings.mode = mode(&node)?,
            _ => switches(&node, &mut settings.client_arguments)?,
        }
    }
    Ok(())
}

impl<T> Choice<T> {
    /// Chooses for a rule or a group, or for all that are not named.
    fn set(&mut self, name: Option<&str>, chosen: T) -> Result<(), Error> {
        match name {
            Some(name) => self.by.push((name.to_owned(), chosen)),
            None => self.default = chosen,
        }
        Ok(())
    }
}

/// A pattern, with what it says of itself.
fn pattern(node: &Node<'_>, settings: &mut Settings) -> Result<(), Error> {
    let mut fields = node.fields(&["name", "pattern", "style", "max_hold", "overflow"])?;
    let mut taken = |name: &str| {
        let at = fields.iter().position(|(field, _)| *field == name);
        at.map(|at| fields.swap_remove(at).1)
    };
    let (Some(name), Some(pattern)) = (taken("name"), taken("pattern")) else {
        return Err(node.wrong("must have a name and a pattern"));
    };
    let (name, pattern) = (name.word()?, pattern.word()?.to_owned());
    for (field, node) in fields {
        match field {
            "style" => settings.style.set(Some(name), style(&node)?)?,
            "max_hold" => settings.max_hold.set(Some(name), hold(&node)?)?,
            _ => settings.overflow.set(Some(name), overflow(&node)?)?,
        }
    }
    settings.patterns.push(Pattern { name: name.to_owned(), pattern });
    Ok(())
}

fn value(node: &Node<'_>, secrets: Secrets<'_>) -> Result<Value, Error> {
    if let Some(text) = node.text() {
        return Ok(Value { name: None, value: text.to_owned() });
    }
    let (mut name, mut value) = (None, None);
    for (field, node) in node.fields(&["name", "value", "env"])? {
        let word = node.word()?;
        match field {
            "name" => name = Some(word.to_owned()),
            _ if value.is_some() => return Err(node.wrong("stands beside another value")),
            "value" => value = Some(word.to_owned()),
            _ => {
                let secret = secrets(word).filter(|secret| !secret.is_empty());
                value = Some(secret.ok_or_else(|| node.wrong("names no variable that is set here"))?);
            }
        }
    }
    let value = value.ok_or_else(|| node.wrong("must be a text, or have a value"))?;
    Ok(Value { name, value })
}

/// A list of names, where `-name` switches off and the later wins; or an object, where the narrower wins.
fn switches(node: &Node<'_>, switches: &mut Vec<(String, bool)>) -> Result<(), Error> {
    if node.object().is_some() {
        for (name, node) in by_name(node) {
            switches.push((name.to_owned(), node.flag()?));
        }
        return Ok(());
    }
    let names = node.words().map_err(|_| node.wrong("must be an object of true and false, or a list of names"))?;
    for name in names {
        switches.push(match name.strip_prefix('-') {
            Some(off) => (off.to_owned(), false),
            None => (name, true),
        });
    }
    Ok(())
}

/// What takes a choice: the name of a rule or a group, none for all others, and what is chosen.
type Choose<'a> = &'a mut dyn FnMut(Option<&str>, &Node<'_>) -> Result<(), Error>;

/// One for all, or an object by the names of rules and groups, with a `default`.
fn each(node: &Node<'_>, choose: Choose<'_>) -> Result<(), Error> {
    if node.object().is_none_or(|fields| fields.len() == 1 && fields.contains_key("fixed")) {
        return choose(None, node);
    }
    for (name, node) in by_name(node) {
        choose(Some(name).filter(|name| *name != "default"), &node)?;
    }
    Ok(())
}

/// The fields of an object whose names are those of groups and rules: the wider a group is, the earlier it
/// comes, so that the later is what says more.
fn by_name<'a>(node: &'a Node<'a>) -> Vec<(&'a str, Node<'a>)> {
    let mut sorted: Vec<(&str, Node<'_>)> = Vec::new();
    for (name, value) in node.object().into_iter().flatten() {
        let at = sorted.iter().position(|(other, _)| size(other) < size(name)).unwrap_or(sorted.len());
        let shown = if is_slip(name) { name } else { "" };
        sorted.insert(at, (name, node.field(shown, value)));
    }
    sorted
}

/// How many rules a group has; a rule is the narrowest.
fn size(name: &str) -> usize {
    match name {
        "all" => usize::MAX,
        name => rules().iter().filter(|rule| rule.groups.contains(&name)).count(),
    }
}

fn style(node: &Node<'_>) -> Result<Style, Error> {
    let wrong = || node.wrong(STYLES);
    if let Some(fields) = node.object() {
        let fixed = fields.get("fixed").filter(|_| fields.len() == 1).and_then(|text| text.as_str());
        return fixed.map(|text| Style::Fixed(text.to_owned())).ok_or_else(wrong);
    }
    match node.text().map(snake).as_deref() {
        Some("label") => Ok(Style::Label),
        Some("same_length") => Ok(Style::SameLength),
        Some("last_four") => Ok(Style::LastFour),
        Some("token") => Ok(Style::Token),
        _ => Err(wrong()),
    }
}

fn hold(node: &Node<'_>) -> Result<usize, Error> {
    node.number(1, HARD_HOLD)
}

fn overflow(node: &Node<'_>) -> Result<Overflow, Error> {
    match node.text() {
        Some("redact") => Ok(Overflow::Redact),
        Some("release") => Ok(Overflow::Release),
        Some("abort") => Ok(Overflow::Abort),
        _ => Err(node.wrong("must be redact, release or abort")),
    }
}

fn mode(node: &Node<'_>) -> Result<Mode, Error> {
    match node.text().map(snake).as_deref() {
        Some("redact") => Ok(Mode::Redact),
        Some("block") => Ok(Mode::Block),
        Some("dry_run") => Ok(Mode::DryRun),
        _ => Err(node.wrong("must be redact, block or dry_run")),
    }
}

fn allow(node: &Node<'_>, allow: &mut Allow) -> Result<(), Error> {
    for (name, node) in node.fields(&["values", "images", "links"])? {
        let words = node.words()?;
        match name {
            "values" => allow.values = words,
            "images" => allow.images = Some(words),
            _ => allow.links = Some(words),
        }
    }
    Ok(())
}

fn links(node: &Node<'_>, links: &mut Links) -> Result<(), Error> {
    for (name, node) in node.fields(&["strip_query", "show_target"])? {
        match name {
            "strip_query" => links.strip_query = node.flag()?,
            _ => links.show_target = node.flag()?,
        }
    }
    Ok(())
}
