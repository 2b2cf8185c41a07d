//! Compiles the built-in rules of `src/redact/rules.txt`.

#![allow(clippy::indexing_slicing)] // A build that panics says where.

use std::fmt::Write as _;
use std::path::Path;
use std::process::exit;

#[path = "src/redact/pack.rs"]
#[allow(dead_code)]
mod pack;
#[path = "src/redact/pattern/mod.rs"]
#[allow(dead_code)]
mod pattern;
#[path = "src/redact/table.rs"]
#[allow(dead_code)]
mod table;

use pattern::{ByteSet, Dfa, Source};

const RULES: &str = "src/redact/rules.txt";
/// The most states of one automaton.
const MOST_STATES: usize = 60_000;
/// The most bytes that a rule may hold back which is found with the others.
const MOST_GAP: usize = 256;

/// A rule as it is written.
#[derive(Default)]
struct Written {
    name: String,
    groups: Vec<String>,
    patterns: Vec<String>,
    not_after: Option<String>,
    not_before: Option<String>,
    lookback: Option<String>,
    longest: Option<usize>,
    check: Option<String>,
    off: bool,
    solo: bool,
    max_hold: Option<usize>,
    /// The name of the automaton that it is found with, if that is not the first.
    machine: Option<String>,
}

fn main() {
    for path in ["build.rs", RULES, "src/redact/pack.rs", "src/redact/pattern", "src/redact/table.rs"] {
        println!("cargo::rerun-if-changed={path}");
    }
    if let Err(reason) = run() {
        eprintln!("{RULES}: {reason}");
        exit(1);
    }
}

fn run() -> Result<(), String> {
    let out = std::env::var("OUT_DIR").map_err(|error| error.to_string())?;
    let out = Path::new(&out);
    let text = std::fs::read_to_string(RULES).map_err(|error| error.to_string())?;
    let rules = read(&text)?;
    let mut code = String::from("static RULES: &[Rule] = &[\n");
    // By machine: the numbers of its rules.
    let mut machines: Vec<Vec<usize>> = vec![Vec::new()];
    for (number, rule) in rules.iter().enumerate() {
        let alone = rule.solo || rule.lookback.is_some();
        let shared = machines.iter().position(|numbers: &Vec<usize>| {
            numbers.iter().any(|number| rules[*number].machine == rule.machine && rule.machine.is_some())
        });
        let machine = match shared {
            _ if alone => machines.len(),
            None if rule.machine.is_some() => machines.len(),
            None => 0,
            Some(machine) => machine,
        };
        machines.resize(machines.len().max(machine + 1), Vec::new());
        machines[machine].push(number);
        code += &generated(rule, machine).map_err(|reason| format!("[{}]: {reason}", rule.name))?;
    }
    code += "];\nstatic MACHINES: &[&[u8]] = &[\n";
    for (index, numbers) in machines.iter().enumerate() {
        let mut dfa = compile(&rules, numbers)?;
        pack::minimise(&mut dfa);
        let packed = pack::pack(&dfa);
        if table::unpack(&packed).as_ref() != Some(&dfa) {
            return Err(format!("automaton {index} is not packed right"));
        }
        let name = format!("machine_{index}.bin");
        std::fs::write(out.join(&name), packed).map_err(|error| error.to_string())?;
        let _ = writeln!(code, "    include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{name}\")),");
    }
    code += "];\n";
    std::fs::write(out.join("rules_generated.rs"), code).map_err(|error| error.to_string())
}

/// The rules of the file.
fn read(text: &str) -> Result<Vec<Written>, String> {
    let mut rules: Vec<Written> = Vec::new();
    for (line, number) in text.lines().map(str::trim).zip(1..) {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            let plain = |char: char| char.is_ascii_lowercase() || char.is_ascii_digit() || char == '_';
            if name.is_empty() || name == "all" || !name.chars().all(plain) {
                return Err(format!("line {number}: {name} is no name for a rule"));
            }
            if rules.iter().any(|rule| rule.name == name) {
                return Err(format!("line {number}: [{name}] is there twice"));
            }
            rules.push(Written { name: name.to_owned(), ..Written::default() });
            continue;
        }
        let rule = rules.last_mut().ok_or_else(|| format!("line {number}: no rule is open"))?;
        let (key, value) = line.split_once('=').ok_or_else(|| format!("line {number}: this is no key = value"))?;
        set(rule, key.trim(), value.trim()).map_err(|reason| format!("line {number}, [{}]: {reason}", rule.name))?;
    }
    for rule in &rules {
        if rule.patterns.is_empty() {
            return Err(format!("[{}]: there is no match", rule.name));
        }
        if let Some(group) = rule.groups.iter().find(|group| rules.iter().any(|rule| rule.name == **group)) {
            return Err(format!("[{}]: {group} is a rule and a group", rule.name));
        }
    }
    Ok(rules)
}

fn set(rule: &mut Written, key: &str, value: &str) -> Result<(), String> {
    let text = Some(value.to_owned());
    let number = || value.parse::<u16>().map(|it| Some(it.into())).map_err(|_| format!("{key}: {value} is no number"));
    let old = match key {
        "groups" => {
            rule.groups = value.split_whitespace().map(str::to_owned).collect();
            false
        }
        "match" => {
            rule.patterns.push(value.to_owned());
            false
        }
        "not-after" => std::mem::replace(&mut rule.not_after, text).is_some(),
        "not-before" => std::mem::replace(&mut rule.not_before, text).is_some(),
        "lookback" => std::mem::replace(&mut rule.lookback, text).is_some(),
        "check" => std::mem::replace(&mut rule.check, text).is_some(),
        "longest" => std::mem::replace(&mut rule.longest, number()?).is_some(),
        "machine" => std::mem::replace(&mut rule.machine, text).is_some(),
        "max-hold" => std::mem::replace(&mut rule.max_hold, number()?).is_some(),
        "default" if value == "off" => std::mem::replace(&mut rule.off, true),
        "solo" if value == "yes" => std::mem::replace(&mut rule.solo, true),
        _ => return Err(format!("{key} = {value} is not known")),
    };
    if old { Err(format!("{key} is there twice")) } else { Ok(()) }
}

/// The automaton of the rules with these numbers.
fn compile(rules: &[Written], numbers: &[usize]) -> Result<Dfa, String> {
    let mut sources = Vec::new();
    for &number in numbers {
        let rule = &rules[number];
        for pattern in &rule.patterns {
            sources.push(Source {
                rule: number as u16,
                pattern,
                // With a lookback this is asked of the byte before that.
                not_after: rule.not_after.as_deref().filter(|_| rule.lookback.is_none()),
                not_before: rule.not_before.as_deref(),
            });
        }
    }
    pattern::compile(&sources, MOST_STATES).map_err(|error| {
        let source = sources.get(error.source);
        let name = source.map_or("", |source| &rules[usize::from(source.rule)].name);
        let pattern = source.map_or("", |source| source.pattern);
        format!("[{name}]: {} (byte {} of {pattern})", error.reason, error.at)
    })
}

/// The rule as code.
fn generated(rule: &Written, machine: usize) -> Result<String, String> {
    let alone = compile(std::slice::from_ref(rule), &[0])?;
    let (lookback, before) = match &rule.lookback {
        None => (String::from("None"), 0),
        Some(lookback) => {
            let bad = || format!("lookback = {lookback} is no class with {{1,m}}");
            let (class, most) = lookback.rsplit_once("{1,").ok_or_else(bad)?;
            let most = most.strip_suffix('}').and_then(|most| most.parse::<u16>().ok()).ok_or_else(bad)?;
            let not_after = rule.not_after.as_deref().map(class_of).transpose()?.unwrap_or_default();
            (
                format!("Some(Lookback {{ class: {:?}, most: {most}, not_after: {not_after:?} }})", class_of(class)?),
                usize::from(most),
            )
        }
    };
    let bound = |bytes: Option<usize>| {
        let bytes = bytes.map(|bytes| bytes + before);
        bytes.into_iter().chain(rule.longest).min()
    };
    let longest = bound(alone.longest());
    let gap = bound(alone.gap(rule.check.is_some()));
    if !rule.solo && gap.is_none_or(|gap| gap > MOST_GAP) {
        return Err(match gap {
            None => "it may hold back without a bound: a rule like that is solo".to_owned(),
            Some(gap) => format!("it may hold back {gap} bytes, and {MOST_GAP} are allowed"),
        });
    }
    if rule.check.is_some() && longest.is_none() {
        return Err("a check needs a bound: longest".to_owned());
    }
    let check = rule.check.as_ref().map(|name| {
        let parts = name.split(['-', '_']).filter(|part| !part.is_empty());
        let camel: String = parts.map(|part| part[..1].to_ascii_uppercase() + &part[1..]).collect();
        format!("Check::{camel}")
    });
    Ok(format!(
        "    Rule {{ name: {:?}, groups: &{:?}, on: {}, check: {}, machine: {machine}, lookback: {lookback}, \
         longest: {longest:?}, gap: {gap:?}, max_hold: {:?} }},\n",
        rule.name,
        rule.groups,
        !rule.off,
        check.map_or("None".to_owned(), |check| format!("Some({check})")),
        rule.max_hold,
    ))
}

fn class_of(class: &str) -> Result<ByteSet, String> {
    pattern::bytes(class).map_err(|error| format!("{class}: {} (byte {})", error.reason, error.at))
}
