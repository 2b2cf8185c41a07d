//! The built-in rules as they are written, in `rules.txt`, and what is made of them. For `build.rs` and for tests.
//!
//! `[name]` opens a rule; its lines are `key = value`:
//!
//! | key | value |
//! |---|---|
//! | `groups` | the groups by which it can be switched too, with spaces between |
//! | `match` | a pattern; of several lines any |
//! | `not-after`, `not-before` | a class: the byte before a match, or behind it, is not of it |
//! | `lookback` | a class and `{1,m}`: what a match begins with, before the pattern |
//! | `longest` | the most bytes of a match |
//! | `check` | the name of a check, `a_b` for `Check::AB` |
//! | `max-hold` | the most bytes that it may hold back, if it differs from what is so for all |
//! | `machine` | a name: those that name the same are found by one automaton, those that name none by the first |
//! | `solo` | `yes`: it has an automaton of its own, and may hold back without a bound |
//! | `default` | `off`: it is off if nothing says otherwise |

use super::pattern::{self, ByteSet, Dfa, Source};
use super::{pack, table};

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

/// The rules of the text as code, and the packed automata. The code names their files `machine_0.bin`
/// and so on, in the build's folder.
///
/// # Errors
///
/// With the rule and what is wrong with it.
pub(crate) fn build(text: &str) -> Result<(String, Vec<Vec<u8>>), String> {
    let rules = read(text)?;
    let mut code = String::from("static RULES: &[Rule] = &[\n");
    // By machine: the numbers of its rules.
    let mut machines: Vec<Vec<usize>> = vec![Vec::new()];
    for (number, rule) in rules.iter().enumerate() {
        let with = |numbers: &Vec<usize>| numbers.iter().any(|&number| rules[number].machine == rule.machine);
        let machine = match &rule.machine {
            _ if rule.solo || rule.lookback.is_some() => machines.len(),
            None => 0,
            Some(_) => machines.iter().position(with).unwrap_or(machines.len()),
        };
        machines.resize(machines.len().max(machine + 1), Vec::new());
        machines[machine].push(number);
        let name = format!("[{}]: ", rule.name);
        let named = |reason: String| if reason.starts_with(&name) { reason } else { name.clone() + &reason };
        code += &generated(rule, machine).map_err(named)?;
    }
    code += "];\nstatic MACHINES: &[&[u8]] = &[\n";
    let mut files = Vec::new();
    for (index, numbers) in machines.iter().enumerate() {
        let mut dfa = compile(&rules, numbers)?;
        pack::minimise(&mut dfa);
        let packed = pack::pack(&dfa);
        if table::unpack(&packed).as_ref() != Some(&dfa) {
            return Err(format!("automaton {index} is not packed right"));
        }
        files.push(packed);
        code += &format!("    include_bytes!(concat!(env!(\"OUT_DIR\"), \"/machine_{index}.bin\")),\n");
    }
    code += "];\n";
    Ok((code, files))
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
        if rule.machine.is_some() && (rule.solo || rule.lookback.is_some()) {
            return Err(format!("[{}]: it has an automaton of its own", rule.name));
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

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "# a\n[ab]\ngroups = x y\nmatch = ab\nmatch = ac\n\n[cd]\nmatch = c=d\n";

    #[test]
    fn rules_are_made_code_and_automata() {
        let (code, files) = build(GOOD).unwrap();
        assert!(code.contains("name: \"ab\", groups: &[\"x\", \"y\"], on: true, check: None, machine: 0,"), "{code}");
        assert!(code.contains("longest: Some(3), gap: Some(3)"), "{code}");
        assert_eq!(files.len(), 1);
        assert_eq!(table::unpack(&files[0]).unwrap().sets, [&[][..], &[0], &[1]]);
        let more = "[a]\nmatch = a\nmachine = m\ndefault = off\n[b]\nmatch = ba*b\nsolo = yes\nmax-hold = 9\n\
                    [c]\nlookback = [a-c]{1,9}\nnot-after = [a-c]\nmatch = @d+\nlongest = 30\ncheck = two_words\n\
                    [d]\nmatch = d\nmachine = m\n";
        let (code, files) = build(more).unwrap();
        assert_eq!(files.len(), 4);
        for (line, says) in code.lines().skip(1).zip([
            "on: false, check: None, machine: 1,",
            "machine: 2, lookback: None, longest: None, gap: None, max_hold: Some(9)",
            "check: Some(Check::TwoWords), machine: 3, lookback: Some(Lookback { class: ByteSet([0, 60129542144, 0, 0]), most: 9,",
            "on: true, check: None, machine: 1,",
        ]) {
            assert!(line.contains(says), "{line}");
        }
        // Where the check needs the whole, all of a match may be held back.
        assert!(code.contains("longest: Some(30), gap: Some(30)"), "{code}");
    }

    #[test]
    fn what_is_wrong_is_said_with_the_rule() {
        for (text, says) in [
            ("match = a", "line 1: no rule is open"),
            ("[A]", "line 1: A is no name for a rule"),
            ("[all]", "line 1: all is no name for a rule"),
            ("[a]\nmatch = a\n[a]", "line 3: [a] is there twice"),
            ("[a]\nmatch", "line 2: this is no key = value"),
            ("[a]\nmach = a", "line 2, [a]: mach = a is not known"),
            ("[a]\ndefault = on", "line 2, [a]: default = on is not known"),
            ("[a]\nlongest = x", "line 2, [a]: longest: x is no number"),
            ("[a]\ncheck = x\ncheck = y", "line 3, [a]: check is there twice"),
            ("[a]\n[b]", "[a]: there is no match"),
            ("[a]\nmatch = a\ngroups = b\n[b]\nmatch = b", "[a]: b is a rule and a group"),
            ("[a]\nmatch = a\nsolo = yes\nmachine = b", "[a]: it has an automaton of its own"),
            ("[a]\nmatch = ab\n[b]\nmatch = b(", "[b]: this group is not closed (byte 1 of b()"),
            ("[a]\nmatch = ab\nnot-after = [", "[a]: this class is not closed (byte 0 of ab)"),
            ("[a]\nmatch = ab*c", "[a]: it may hold back without a bound: a rule like that is solo"),
            ("[a]\nmatch = a{200}b{57}", "[a]: it may hold back 257 bytes, and 256 are allowed"),
            ("[a]\nmatch = ab+\ncheck = x\nsolo = yes", "[a]: a check needs a bound: longest"),
            ("[a]\nmatch = @\nlookback = [a-z]", "[a]: lookback = [a-z] is no class with {1,m}"),
            (
                "[a]\nmatch = @\nlookback = [é]{1,2}",
                "[a]: [é]: what is not ASCII must be in this class all or not at all (byte 0)",
            ),
        ] {
            assert_eq!(build(text).map(|_| ()), Err(says.to_owned()), "{text}");
        }
    }

    #[test]
    fn the_rules_come_to_little() {
        let (_, files) = build(include_str!("rules.txt")).unwrap();
        let bytes: usize = files.iter().map(Vec::len).sum();
        assert!(bytes < 12_000, "{bytes}");
    }
}
