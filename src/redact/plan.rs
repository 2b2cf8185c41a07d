//! What all filters of one kind share: settings made ready.

mod names;
#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;

use super::check::Check;
use super::literals::{Literals, Refused};
use super::matcher::{Engine, Machine, Rule};
use super::pattern::{self, Dfa, Source};
use super::rules::{self, machines};
use super::settings::{Allow, HARD_HOLD, Links, MAX_HOLD, Mode, Overflow, Settings, Style};
use super::stage::{self, Escapes, Invisible, Stage, is_host};
use super::style::Tokens;
use crate::{Error, ErrorKind};
use names::Names;
use std::fmt;
use std::rc::Rc;

/// The most states of a pattern of the user's own.
const STATES: usize = 2000;
/// The most bytes of a fixed text: a text of matches alone must not grow without a bound.
const FIXED: usize = 256;
/// The rule of values that have no name.
const VALUE: &str = "value";
/// The rule of blocked terms.
const BLOCKLIST: &str = "blocklist";

/// Settings, checked and compiled. Filters share it.
pub struct Plan {
    pub(super) engine: Rc<Engine>,
    /// The stages by name, and what makes them. So a program whose plans have none is without their code.
    pub(super) stages: Vec<(&'static str, MakeStage)>,
    pub(super) allow: Allow,
    pub(super) links: Links,
}

/// Makes a stage, if the plan has something for it to do.
pub(super) type MakeStage = fn(&Plan) -> Option<Box<dyn Stage>>;

impl Plan {
    /// The built-in rules as they are by default, with labels, and nothing else: no stages, nothing of the user's own. A
    /// program that makes no other plan carries the engine and its tables alone.
    pub fn of_rules() -> Plan {
        let mut rules: Vec<Rule> = Vec::new();
        let mut numbers = Vec::new();
        for rule in rules::rules() {
            numbers.push(rule.on.then(|| number(rules.len())));
            if rule.on {
                rules.push(Rule {
                    overflow: rule.gap.is_none().then_some(Overflow::Redact),
                    check: rule.check,
                    longest: rule.longest.filter(|_| is_alone(rule)),
                    ..plain(rule.name, rule.longest.map(usize::from), rule.max_hold.map_or(MAX_HOLD, usize::from))
                });
            }
        }
        let ready = found_by(&numbers, &rules);
        let engine = Engine::new(rules, ready, Default::default(), Vec::new(), Mode::Redact, Tokens::none());
        let (allow, links) = (Allow::default(), Links::default());
        Plan { engine: Rc::new(engine), stages: Vec::new(), allow, links }
    }

    /// Makes settings ready.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidFilter`] with a detail that names the field, and for a pattern the place in it.
    pub fn new(settings: &Settings) -> Result<Plan, Error> {
        Plan::made(settings, false)
    }

    /// The plan for the arguments of calls that the client runs. Links in them are not looked at.
    ///
    /// # Errors
    /// As [`Plan::new`].
    pub(super) fn for_clients(settings: &Settings) -> Result<Plan, Error> {
        let plan = Plan::made(settings, true)?;
        Ok(Plan { allow: Allow { images: None, links: None, ..plan.allow }, ..plan })
    }

    fn made(settings: &Settings, for_clients: bool) -> Result<Plan, Error> {
        hosts("allow.images", &settings.allow.images)?;
        hosts("allow.links", &settings.allow.links)?;
        let mut making = Making { settings, names: Names::new(settings, for_clients)?, rules: Vec::new() };
        let literals = [making.values()?, making.terms()?];
        let own = making.patterns()?;
        let numbers = making.builtin()?;
        let rules = making.rules;
        let mut ready = found_by(&numbers, &rules);
        for (dfa, number) in &own {
            ready.extend(Machine::new(dfa, &|_| Some(*number), &rules, None));
        }
        let mut stages: Vec<(&'static str, MakeStage)> = Vec::new();
        if settings.escapes {
            stages.push(("escapes", |_| Some(Box::new(Escapes::default()))));
        }
        if settings.invisible {
            stages.push(("invisible", |_| Some(Box::new(Invisible::default()))));
        }
        if settings.allow.images.is_some() || settings.allow.links.is_some() {
            stages.push(("links", |plan| Some(Box::new(stage::Links::new(&plan.allow, plan.links)?))));
        }
        let allow = settings.allow.values.clone();
        let engine = Engine::new(rules, ready, literals, allow, settings.mode, Tokens::keyed(&settings.key));
        Ok(Plan { engine: Rc::new(engine), stages, allow: settings.allow.clone(), links: settings.links })
    }
}

impl fmt::Debug for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.engine.names()).finish()
    }
}

/// The automata of the built-in rules, ready for those that have a number here.
fn found_by(numbers: &[Option<u16>], rules: &[Rule]) -> Vec<Machine> {
    let mut ready = Vec::new();
    for (index, dfa) in machines().iter().enumerate() {
        let of_it = |rule: &&rules::Rule| usize::from(rule.machine) == index;
        let lookback = rules::rules().iter().filter(of_it).find_map(|rule| rule.lookback);
        let number = |rule: u16| numbers.get(usize::from(rule)).copied().flatten();
        ready.extend(Machine::new(dfa, &number, rules, lookback));
    }
    ready
}

/// True if its automaton finds this rule alone.
fn is_alone(rule: &rules::Rule) -> bool {
    rules::rules().iter().filter(|other| other.machine == rule.machine).count() == 1
}

/// The number of the rule that comes next behind so many.
fn number(rules: usize) -> u16 {
    u16::try_from(rules).unwrap_or(u16::MAX)
}

/// A rule of that longest match, in bytes, as the default choices have it, and with nothing to look at besides.
fn plain(name: &str, longest: Option<usize>, hold: usize) -> Rule {
    Rule {
        name: name.into(),
        style: Style::Label,
        hold: hold as u64,
        overflow: None,
        check: None,
        longest: None,
        bound: longest.map(|bytes| bytes as u64),
        allows: false,
    }
}

/// What is known of a rule before it is one.
struct Facts<'a> {
    name: &'a str,
    groups: &'a [&'a str],
    /// The most bytes of a match.
    longest: Option<usize>,
    /// The most bytes that its candidates hold back before they have decided. A literal's are not bounded by choice.
    gap: Option<usize>,
    /// How many it may, if its own text says.
    hold: Option<usize>,
    /// It has an automaton of its own, so what holds back too much can be told apart.
    alone: bool,
}

impl<'a> Facts<'a> {
    /// Those of literals of at most so many bytes.
    fn literals(name: &'a str, groups: &'a [&'a str], longest: usize) -> Self {
        Facts { name, groups, longest: Some(longest), gap: Some(0), hold: None, alone: false }
    }
}

struct Making<'a> {
    settings: &'a Settings,
    names: Names<'a>,
    rules: Vec<Rule>,
}

impl Making<'_> {
    /// Known values: a rule a name, in the order of the first of each.
    fn values(&mut self) -> Result<Literals, Error> {
        let mut given: Vec<(u16, &str)> = Vec::new();
        let mut named: Vec<(&str, u16)> = Vec::new();
        let texts: Vec<String> = self.settings.values.iter().map(|value| self.staged(&value.value)).collect();
        for (value, text) in self.settings.values.iter().zip(&texts) {
            let name = value.name.as_deref().unwrap_or(VALUE);
            let known = named.iter().find(|(known, _)| *known == name).map(|(_, number)| *number);
            let number = match known {
                Some(number) => number,
                None => {
                    let number = number(named.len());
                    named.push((name, number));
                    number
                }
            };
            given.push((number, text));
        }
        let made = Literals::values(&given).map_err(|refused| refusal("values", refused))?;
        // What is switched off was looked at as well: its mistakes are told.
        let on: Vec<(u16, &str)> =
            given.into_iter().filter(|(number, _)| self.names.own_is_on(of(&named, *number), names::VALUES)).collect();
        let made =
            if on.len() == self.settings.values.len() { made } else { Literals::values(&on).unwrap_or_default() };
        for (name, _) in named {
            self.add(Facts::literals(name, names::VALUES, made.longest()), None, None)?;
        }
        Ok(made)
    }

    fn terms(&mut self) -> Result<Literals, Error> {
        let number = self.next();
        let texts: Vec<String> = self.settings.blocklist.iter().map(|term| self.staged(term)).collect();
        let given: Vec<(u16, &str)> = texts.iter().map(|term| (number, term.as_str())).collect();
        let made = Literals::terms(&given).map_err(|refused| refusal("blocklist", refused))?;
        if given.is_empty() || !self.names.own_is_on(BLOCKLIST, &[]) {
            return Ok(Literals::default());
        }
        self.add(Facts::literals(BLOCKLIST, &[], made.longest()), None, None)?;
        Ok(made)
    }

    /// A literal as it stands in a text behind the stages that take characters away.
    fn staged(&self, text: &str) -> String {
        let (mut shown, mut staged) = (text.to_owned(), String::new());
        let mut through = |stage: &mut dyn Stage| {
            staged.clear();
            stage.push(&shown, &mut staged);
            stage.flush(&mut staged);
            std::mem::swap(&mut shown, &mut staged);
        };
        if self.settings.escapes {
            through(&mut Escapes::default());
        }
        if self.settings.invisible {
            through(&mut Invisible::default());
        }
        shown
    }

    /// The user's own patterns that are on, each an automaton with the number of its rule.
    fn patterns(&mut self) -> Result<Vec<(Dfa, u16)>, Error> {
        let mut made = Vec::new();
        for (index, own) in self.settings.patterns.iter().enumerate() {
            let source = Source { rule: 0, pattern: &own.pattern, not_after: None, not_before: None };
            let dfa = pattern::compile(&[source], STATES).map_err(|error| {
                let at = error.at.to_string();
                invalid(&[&field("patterns", index), ".pattern ", error.reason, ", at byte ", &at, "."])
            })?;
            let number = self.next();
            let facts = Facts {
                name: &own.name,
                groups: names::PATTERNS,
                longest: dfa.longest(),
                gap: dfa.gap(false),
                hold: None,
                alone: true,
            };
            if self.names.own_is_on(&own.name, names::PATTERNS) {
                self.add(facts, None, None)?;
                made.push((dfa, number));
            }
        }
        Ok(made)
    }

    /// The built-in rules that are on: by the number of each, the one that it has here.
    fn builtin(&mut self) -> Result<Vec<Option<u16>>, Error> {
        let mut numbers = Vec::new();
        for rule in rules::rules() {
            let on = self.names.is_on(rule.name, rule.groups, rule.on);
            numbers.push(on.then(|| self.next()));
            if !on {
                continue;
            }
            let alone = is_alone(rule);
            let facts = Facts {
                name: rule.name,
                groups: rule.groups,
                longest: rule.longest.map(usize::from),
                gap: rule.gap.map(usize::from),
                hold: rule.max_hold.map(usize::from),
                alone: alone && rule.check.is_none() && rule.lookback.is_none(),
            };
            let longest = if alone { rule.longest } else { None };
            self.add(facts, rule.check, longest)?;
        }
        Ok(numbers)
    }

    fn add(&mut self, facts: Facts<'_>, check: Option<Check>, longest: Option<u16>) -> Result<(), Error> {
        let Facts { name, groups, .. } = facts;
        let style = names::chosen(&self.settings.style, name, groups).clone();
        let set = names::named(&self.settings.max_hold, name, groups).copied();
        let hold = set.or(facts.hold).unwrap_or(self.settings.max_hold.default);
        let overflow = *names::chosen(&self.settings.overflow, name, groups);
        if style.needs_the_whole() && facts.longest.is_none() {
            return Err(invalid(&["style: ", name, " has no longest match, so its whole value is never known."]));
        }
        if matches!(&style, Style::Fixed(text) if text.len() > FIXED) {
            return Err(invalid(&["style: the text of ", name, " may have at most 256 bytes."]));
        }
        if style == Style::Token && self.settings.key.is_empty() {
            return Err(invalid(&["key: the style of ", name, " needs one."]));
        }
        if hold > HARD_HOLD || hold == 0 {
            return Err(invalid(&["max_hold: that of ", name, " must be from 1 to ", &HARD_HOLD.to_string(), "."]));
        }
        let over = facts.gap.is_none_or(|gap| gap > hold);
        if over && !facts.alone {
            let least = facts.gap.unwrap_or(HARD_HOLD).to_string();
            return Err(invalid(&["max_hold: ", name, " needs at least ", &least, "."]));
        }
        self.rules.push(Rule {
            style,
            overflow: over.then_some(overflow),
            check,
            longest,
            allows: !self.settings.allow.values.is_empty() && facts.longest.is_some(),
            ..plain(name, facts.longest, hold)
        });
        Ok(())
    }

    /// The number of the next rule.
    fn next(&self) -> u16 {
        number(self.rules.len())
    }
}

fn of<'a>(named: &[(&'a str, u16)], number: u16) -> &'a str {
    named.iter().find(|(_, known)| *known == number).map_or(VALUE, |(name, _)| name)
}

/// Holds that every entry of a list can be the host of something.
fn hosts(name: &str, list: &Option<Vec<String>>) -> Result<(), Error> {
    match list.iter().flatten().position(|entry| !is_host(entry)) {
        None => Ok(()),
        Some(index) => Err(invalid(&[
            &field(name, index),
            " must be a host in ASCII: `example.com`, `example.com:8080`, or `*.example.com` for all below it.",
        ])),
    }
}

/// `name[3]`
fn field(name: &str, index: usize) -> String {
    [name, "[", &index.to_string(), "]"].concat()
}

fn refusal(name: &str, refused: Refused) -> Error {
    invalid(&[&field(name, refused.entry), ": ", refused.reason, "."])
}

fn invalid(parts: &[&str]) -> Error {
    Error::with(ErrorKind::InvalidFilter, parts.concat())
}
