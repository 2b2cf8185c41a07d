//! By which names and groups rules are switched and chosen.

use super::{BLOCKLIST, VALUE, field, invalid};
use crate::Error;
use crate::redact::rules;
use crate::redact::settings::node::is_slip;
use crate::redact::settings::{Choice, Settings};

/// The groups of known values: they are secrets.
pub(super) const VALUES: &[&str] = &[SECRETS, "values"];
/// The group of what must not leave even where the client runs a call.
const SECRETS: &str = "secrets";
/// The group of the user's own patterns.
pub(super) const PATTERNS: &[&str] = &["patterns"];
/// The group of all built-in rules.
const ALL: &str = "all";
/// The longest name of a rule of the user's own, in bytes.
const LONGEST: usize = 64;

/// The names that are known, and the switches.
pub(super) struct Names<'a> {
    switches: &'a [(String, bool)],
    /// Of a plan for what the client runs: the switches over those.
    clients: Option<&'a [(String, bool)]>,
}

impl<'a> Names<'a> {
    /// # Errors
    /// A name of the user's own that is none, or taken; any name that is not known.
    pub(super) fn new(settings: &'a Settings, for_clients: bool) -> Result<Self, Error> {
        let mut own: Vec<&str> = vec![VALUE, BLOCKLIST];
        for (index, value) in settings.values.iter().enumerate() {
            let Some(name) = &value.name else { continue };
            if !is_name(name) || is_known(name, &[BLOCKLIST]) {
                return Err(refused("values", index));
            }
            own.push(name);
        }
        for (index, pattern) in settings.patterns.iter().enumerate() {
            if !is_name(&pattern.name) || is_known(&pattern.name, &own) {
                return Err(refused("patterns", index));
            }
            own.push(&pattern.name);
        }
        let switches = settings.rules.iter().map(|(name, _)| ("rules", name));
        let clients = settings.client_arguments.iter().map(|(name, _)| ("client_arguments", name));
        let styles = settings.style.by.iter().map(|(name, _)| ("style", name));
        let holds = settings.max_hold.by.iter().map(|(name, _)| ("max_hold", name));
        let overflows = settings.overflow.by.iter().map(|(name, _)| ("overflow", name));
        for (list, name) in switches.chain(clients).chain(styles).chain(holds).chain(overflows) {
            if !is_known(name, &own) {
                return Err(invalid(&[list, ": there is no rule and no group ", &shown(name), "."]));
            }
        }
        Ok(Names { switches: &settings.rules, clients: for_clients.then_some(&settings.client_arguments) })
    }

    /// True if the built-in rule is on: its own switch says so, else the last that names a group of it, else itself.
    /// A group that is switched on has its rules as they are by themselves.
    pub(super) fn is_on(&self, name: &str, groups: &[&str], usually: bool) -> bool {
        let alone = last(self.switches, &|it| it == name);
        let on = |group: Option<bool>| alone.unwrap_or(group.unwrap_or(true) && usually);
        let here = on(last(self.switches, &|it| is_group(it, groups)));
        self.for_clients(name, &|it| is_group(it, groups), groups, here, on(None))
    }

    /// The same of a rule of the user's own, which is on by itself. `all` means the built-in ones.
    pub(super) fn own_is_on(&self, name: &str, groups: &[&str]) -> bool {
        let of_it = |it: &str| groups.contains(&it);
        let on = last(self.switches, &|it| it == name).or_else(|| last(self.switches, &of_it)).unwrap_or(true);
        self.for_clients(name, &of_it, groups, on, on)
    }

    /// What the client runs keeps all but secrets, as far as `on` for all else: unless a switch over it names the rule,
    /// or a group of it, which then is as it is `by_itself`.
    fn for_clients(&self, name: &str, of_it: Is<'_>, groups: &[&str], on: bool, by_itself: bool) -> bool {
        let Some(clients) = self.clients else { return on };
        let group = || last(clients, of_it).map(|group| group && by_itself);
        last(clients, &|it| it == name).or_else(group).unwrap_or(on && groups.contains(&SECRETS))
    }
}

/// Whether a name is meant.
type Is<'a> = &'a dyn Fn(&str) -> bool;

fn last(switches: &[(String, bool)], is: Is<'_>) -> Option<bool> {
    switches.iter().rev().find(|(it, _)| is(it)).map(|(_, on)| *on)
}

/// What was chosen for a rule by its name, else by the last that names a group of it.
pub(super) fn named<'a, T>(choice: &'a Choice<T>, name: &str, groups: &[&str]) -> Option<&'a T> {
    let last = |is: &dyn Fn(&str) -> bool| choice.by.iter().rev().find(|(it, _)| is(it)).map(|(_, chosen)| chosen);
    last(&|it| it == name).or_else(|| last(&|it| is_group(it, groups)))
}

/// The same, else what was chosen for all.
pub(super) fn chosen<'a, T>(choice: &'a Choice<T>, name: &str, groups: &[&str]) -> &'a T {
    named(choice, name, groups).unwrap_or(&choice.default)
}

fn is_group(name: &str, groups: &[&str]) -> bool {
    name == ALL || groups.contains(&name)
}

/// True for the name of a built-in rule, of a group, or of one of the user's own.
fn is_known(name: &str, own: &[&str]) -> bool {
    let builtin = |rule: &rules::Rule| rule.name == name || rule.groups.contains(&name);
    is_group(name, VALUES) || PATTERNS.contains(&name) || own.contains(&name) || rules::rules().iter().any(builtin)
}

/// Letters, digits, `_`, `-` and `.`, at most 64 bytes.
fn is_name(name: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    !name.is_empty() && name.len() <= LONGEST && name.bytes().all(fits)
}

/// Of what was given as a name only a slip, since it may be a value in the wrong place.
fn shown(name: &str) -> String {
    if is_name(name) && is_slip(name) { ["`", name, "`"].concat() } else { "of one of its names".to_owned() }
}

fn refused(list: &str, index: usize) -> Error {
    invalid(&[&field(list, index), ".name: letters, digits, `_`, `-` and `.`, and no rule's or group's name."])
}
