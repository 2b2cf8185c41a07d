//! Settings from their JSON form, the same as JavaScript's constructor takes.

use super::node::{Node, decimal, snake};
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
        read(&Node::root(&value), secrets)
    }
}

fn read(root: &Node<'_>, secrets: Secrets<'_>) -> Result<Settings, Error> {
    let mut settings = Settings::default();
    let mut patterns = None;
    for (name, node) in root.fields(FIELDS)? {
        match name.as_str() {
            "rules" => settings.rules = switches(&node)?,
            "values" => settings.values = node.list(|item| value(&item, secrets))?,
            "blocklist" => settings.blocklist = node.words()?,
            "style" => settings.style = choice(&node, settings.style, style)?,
            "key" => settings.key = node.word()?.as_bytes().to_vec(),
            "max_hold" => settings.max_hold = choice(&node, settings.max_hold, hold)?,
            "overflow" => settings.overflow = choice(&node, settings.overflow, overflow)?,
            "allow" => settings.allow = allow(&node)?,
            "links" => settings.links = links(&node)?,
            "invisible" => settings.invisible = node.flag()?,
            "escapes" => settings.escapes = node.flag()?,
            "mode" => settings.mode = mode(&node)?,
            "client_arguments" => settings.client_arguments.extend(switches(&node)?),
            // What a pattern says of itself goes before what is said of groups.
            _ => patterns = Some(node),
        }
    }
    if let Some(node) = patterns {
        for pattern in node.list(|item| pattern(&item))? {
            settings.add(pattern);
        }
    }
    Ok(settings)
}

/// A pattern, and what it says of itself.
struct Own {
    pattern: Pattern,
    style: Option<Style>,
    max_hold: Option<usize>,
    overflow: Option<Overflow>,
}

impl Settings {
    fn add(&mut self, own: Own) {
        let name = &own.pattern.name;
        self.style.by.extend(own.style.map(|style| (name.clone(), style)));
        self.max_hold.by.extend(own.max_hold.map(|bytes| (name.clone(), bytes)));
        self.overflow.by.extend(own.overflow.map(|overflow| (name.clone(), overflow)));
        self.patterns.push(own.pattern);
    }
}

fn pattern(node: &Node<'_>) -> Result<Own, Error> {
    let (mut name, mut text) = (None, None);
    let (mut style, mut max_hold, mut overflow) = (None, None, None);
    for (field, node) in node.fields(&["name", "pattern", "style", "max_hold", "overflow"])? {
        match field.as_str() {
            "name" => name = Some(node.word()?.to_owned()),
            "pattern" => text = Some(node.word()?.to_owned()),
            "style" => style = Some(self::style(&node)?),
            "max_hold" => max_hold = Some(hold(&node)?),
            _ => overflow = Some(self::overflow(&node)?),
        }
    }
    match (name, text) {
        (Some(name), Some(pattern)) => Ok(Own { pattern: Pattern { name, pattern }, style, max_hold, overflow }),
        _ => Err(node.wrong("must have a name and a pattern")),
    }
}

fn value(node: &Node<'_>, secrets: Secrets<'_>) -> Result<Value, Error> {
    if let Some(text) = node.text() {
        return Ok(Value { name: None, value: text.to_owned() });
    }
    let (mut name, mut value) = (None, None);
    for (field, node) in node.fields(&["name", "value", "env"])? {
        match field.as_str() {
            "name" => name = Some(node.word()?.to_owned()),
            _ if value.is_some() => return Err(node.wrong("stands beside another value")),
            "value" => value = Some(node.word()?.to_owned()),
            _ => {
                let secret = secrets(node.word()?).filter(|secret| !secret.is_empty());
                value = Some(secret.ok_or_else(|| node.wrong("names no variable that is set here"))?);
            }
        }
    }
    let value = value.ok_or_else(|| node.wrong("must be a text, or have a value"))?;
    Ok(Value { name, value })
}

/// A list of names, where `-name` switches off and the later wins; or an object, where the narrower wins.
fn switches(node: &Node<'_>) -> Result<Vec<(String, bool)>, Error> {
    if node.object().is_some() {
        return by_name(node).into_iter().map(|(name, node)| Ok((name.to_owned(), node.flag()?))).collect();
    }
    let names = node.words().map_err(|_| node.wrong("must be an object of true and false, or a list of names"))?;
    let switch = |name: String| match name.strip_prefix('-') {
        Some(off) => (off.to_owned(), false),
        None => (name, true),
    };
    Ok(names.into_iter().map(switch).collect())
}

/// One for all, or an object by the names of rules and groups, with a `default`.
fn choice<T>(node: &Node<'_>, usual: Choice<T>, read: fn(&Node<'_>) -> Result<T, Error>) -> Result<Choice<T>, Error> {
    if node.object().is_none_or(|fields| fields.len() == 1 && fields.contains_key("fixed")) {
        return Ok(Choice { default: read(node)?, ..usual });
    }
    let mut choice = usual;
    for (name, node) in by_name(node) {
        match name {
            "default" => choice.default = read(&node)?,
            _ => choice.by.push((name.to_owned(), read(&node)?)),
        }
    }
    Ok(choice)
}

/// The fields of an object whose names are those of groups and rules: the wider a group is, the earlier it
/// comes, so that the later is what says more.
fn by_name<'a>(node: &'a Node<'a>) -> Vec<(&'a str, Node<'a>)> {
    let mut sorted: Vec<(usize, (&str, Node<'_>))> = Vec::new();
    for (name, value) in node.object().into_iter().flatten() {
        let size = size(name);
        let at = sorted.iter().position(|(other, _)| *other < size).unwrap_or(sorted.len());
        sorted.insert(at, (size, (name, node.field(name, value))));
    }
    sorted.into_iter().map(|(_, field)| field).collect()
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

fn allow(node: &Node<'_>) -> Result<Allow, Error> {
    let mut allow = Allow::default();
    for (name, node) in node.fields(&["values", "images", "links"])? {
        let words = node.words()?;
        match name.as_str() {
            "values" => allow.values = words,
            "images" => allow.images = Some(words),
            _ => allow.links = Some(words),
        }
    }
    Ok(allow)
}

fn links(node: &Node<'_>) -> Result<Links, Error> {
    let mut links = Links::default();
    for (name, node) in node.fields(&["strip_query", "show_target"])? {
        match name.as_str() {
            "strip_query" => links.strip_query = node.flag()?,
            _ => links.show_target = node.flag()?,
        }
    }
    Ok(links)
}
