//! Cases: a text, settings, and a way to cut. Some tens of thousands in every run; with `LASTWORD_ORACLE` a number of
//! texts of your choice, from a seed of your choice (`LASTWORD_SEED`).

use super::literals::{Literal, forms};
use super::rules::{Rule, builtin};
use super::texts::{Random, cut, text};
use super::{found, labelled};
use lastword::redact::{Choice, Known, OutputFilter, Overflow, Pattern, Plan, Settings};
use std::rc::Rc;

/// How often each text is cut anew.
const CUTS: usize = 4;

/// A pattern: its name, its text, the most bytes it may hold back, and what happens then.
type Own = (&'static str, &'static str, usize, Overflow);

/// Patterns whose candidates may hold back without end, with the bound and what happens at it.
const OWN: &[Own] = &[
    ("quoted", "q[^z]*z", 9, Overflow::Redact),
    ("run", "ab*c", 5, Overflow::Redact),
    ("let_go", "x(?:a|b|é)*9", 6, Overflow::Release),
    ("wide", "日[^.]*本", 12, Overflow::Redact),
    ("order", "AB-[0-9]{3,6}", 40, Overflow::Redact),
    ("grows", "7(?:-[0-9a-z]+)*!", 8, Overflow::Release),
];
/// The same with an end of the stream in it.
const ABORTING: &[Own] = &[("halts", "q[^z]*z", 9, Overflow::Abort), ("word", "abc", 40, Overflow::Redact)];
const SCRAPS: &[&str] = &[
    "qaaz",
    "qaaaaaaaaaaaaaz",
    "abbbbbbbbbc",
    "abc",
    "xababab9",
    "xéééééé9",
    "日x本",
    "日..",
    "AB-1234",
    "7-a-b-c-d-e!",
];

struct Setting {
    rules: Vec<Rule>,
    plan: Rc<Plan>,
    own: bool,
}

/// Every rule by its name, also those that are off by default.
fn everything() -> Vec<(&'static str, bool)> {
    lastword::redact::rules().iter().map(|rule| (rule.name, true)).collect()
}

fn setting(switches: &[(&str, bool)], own: &[Own]) -> Setting {
    let mut settings = Settings { invisible: false, escapes: false, ..Settings::default() };
    settings.rules = switches.iter().map(|(name, on)| ((*name).to_owned(), *on)).collect();
    settings.max_hold = Choice { by: own.iter().map(|one| (one.0.to_owned(), one.2)).collect(), ..settings.max_hold };
    settings.overflow = Choice { by: own.iter().map(|one| (one.0.to_owned(), one.3)).collect(), ..settings.overflow };
    settings.patterns = own.iter().map(|one| Pattern { name: one.0.to_owned(), pattern: one.1.to_owned() }).collect();
    let mut rules: Vec<Rule> = own.iter().map(|one| Rule::own(one.0, one.1, one.2, one.3)).collect();
    rules.extend(builtin().into_iter().filter(|rule| {
        let named = |name: &str| switches.iter().rev().find(|(known, _)| *known == name).map(|(_, on)| *on);
        let group = switches.iter().rev().find(|(name, _)| *name == "all" || rule.groups.iter().any(|one| one == name));
        named(&rule.name).unwrap_or(group.is_none_or(|(_, on)| *on) && rule.on)
    }));
    Setting { rules, plan: Rc::new(Plan::new(&settings).unwrap()), own: !own.is_empty() }
}

/// What the filter says, piece by piece.
fn streamed(plan: &Rc<Plan>, pieces: &[&str]) -> Vec<String> {
    let mut filter = OutputFilter::with(plan.clone());
    let mut out: Vec<String> = pieces.iter().map(|piece| filter.push(piece)).collect();
    out.push(filter.flush());
    out
}

/// Compares some ways to cut the text. What differs is added to the list.
fn compare(setting: &Setting, random: &mut Random, text: &str, wrong: &mut Vec<String>) -> usize {
    against(setting, random, text, &labelled(&setting.rules, text), wrong)
}

/// The same, where it is known what the text comes to.
fn against(setting: &Setting, random: &mut Random, text: &str, expected: &str, wrong: &mut Vec<String>) -> usize {
    for _ in 0..CUTS {
        let pieces = cut(random, text);
        let (mut so_far, mut early) = (String::new(), false);
        for part in streamed(&setting.plan, &pieces) {
            so_far.push_str(&part);
            early |= !expected.starts_with(&so_far);
        }
        if early || so_far != expected {
            wrong.push(format!("{pieces:?}\n  gave     {so_far:?}\n  expected {expected:?}"));
        }
    }
    CUTS
}

/// Fails with the first few of what was wrong.
fn none(wrong: &[String]) {
    let first: Vec<&str> = wrong.iter().take(8).map(String::as_str).collect();
    assert!(wrong.is_empty(), "{} are wrong:\n{}", wrong.len(), first.join("\n"));
}

fn number(name: &str) -> Option<usize> {
    std::env::var(name).ok().map(|value| value.parse().unwrap())
}

#[test]
fn the_streamed_result_is_the_oracles_whatever_the_cut() {
    let settings = [
        setting(&[], &[]),
        setting(&everything(), &[]),
        setting(&[("all", false), ("pii", true)], &[]),
        setting(&[("all", false)], OWN),
        setting(&everything(), OWN),
        setting(&[("all", false)], ABORTING),
    ];
    let texts = number("LASTWORD_ORACLE").unwrap_or(6_000);
    let seed = number("LASTWORD_SEED").unwrap_or(1) as u64;
    let (mut cases, mut spans, mut wrong) = (0, 0, Vec::new());
    for index in 0..texts {
        let random = &mut Random::new(seed + index as u64);
        let setting = &settings[index % settings.len()];
        let own = if setting.own { SCRAPS } else { &[] };
        let text = text(random, &setting.rules, own);
        spans += found(&setting.rules, &text).spans.len();
        cases += compare(setting, random, &text, &mut wrong);
    }
    none(&wrong);
    println!("{cases} cases, {spans} spans in {texts} texts");
    assert!(cases >= 20_000 && spans * 2 > texts, "{cases} cases, {spans} spans");
}

#[test]
fn every_letter_of_a_small_alphabet_everywhere() {
    // Every text of up to so many letters over alphabets in which patterns begin, grow, overlap and fail.
    let alphabets: [(&str, &[Own]); 3] = [
        (
            "abc",
            &[
                ("one", "ab*c", 2, Overflow::Redact),
                ("two", "ca+", 9, Overflow::Redact),
                ("three", "bcab", 9, Overflow::Redact),
            ],
        ),
        ("qz.", &[("one", "q[^z]*z", 2, Overflow::Release), ("two", "z.z", 9, Overflow::Redact)]),
        (
            "qzé",
            &[
                ("one", "q[^z]*z", 2, Overflow::Abort),
                ("two", "éé", 9, Overflow::Redact),
                ("three", "zq", 9, Overflow::Redact),
            ],
        ),
    ];
    let (mut cases, mut wrong) = (0, Vec::new());
    for (letters, own) in alphabets {
        let setting = setting(&[("all", false)], own);
        let letters: Vec<char> = letters.chars().collect();
        let random = &mut Random::new(7);
        for length in 1..=7u32 {
            for number in 0..letters.len().pow(length) {
                let text: String =
                    (0..length).map(|at| letters[number / letters.len().pow(at) % letters.len()]).collect();
                cases += compare(&setting, random, &text, &mut wrong);
            }
        }
    }
    none(&wrong);
    assert!(cases > 30_000, "{cases}");
}

/// What stages take away, wherever it stands between two of the characters that these texts have.
const UNSEEN: &[&str] = &["\u{200b}", "\u{ad}", "\u{202e}", "\u{1b}[31m", "\u{1b}]0;title\u{7}", "\u{8}"];

#[test]
fn values_and_terms_behind_the_stages_are_the_oracles_whatever_the_cut() {
    let values = [("value", "hunter2-PASS"), ("other", "2-PASS-word"), ("value", "PASSPASSPASS")];
    let terms = ["Acme", "blue moon", "Straße", "moon acme", "東京", "-x-"];
    let own = |name: &str| (name != "value").then(|| name.to_owned());
    let known = values.map(|(name, value)| Known { name: own(name), value: value.to_owned() });
    let blocklist: Vec<String> = terms.map(str::to_owned).into();
    let plan = Plan::new(&Settings { values: known.into(), blocklist, ..Settings::default() }).unwrap();
    let all = |name| values.iter().filter(|(of, _)| *of == name).flat_map(|(_, value)| forms(value)).collect();
    let mut rules = vec![
        Rule::literal("value", Literal::Forms(all("value"))),
        Rule::literal("other", Literal::Forms(all("other"))),
        Rule::literal("blocklist", Literal::Terms(terms.to_vec())),
    ];
    rules.extend(builtin().into_iter().filter(|rule| rule.on));
    let setting = Setting { rules, plan: Rc::new(plan), own: true };
    let encoded: Vec<String> = values.iter().flat_map(|(_, value)| forms(value)).collect();
    let mut scraps: Vec<&str> = encoded.iter().map(String::as_str).collect();
    scraps.extend([
        "acme",
        "ACME",
        "_Acme_",
        "blue  moon acme",
        "STRASSE",
        "straße",
        "私は東京都",
        "x-x-x",
        "é",
        "hunter2-",
    ]);
    let (mut cases, mut spans, mut wrong) = (0, 0, Vec::new());
    for seed in 0..number("LASTWORD_ORACLE").unwrap_or(150) as u64 {
        let random = &mut Random::new(seed);
        let mut text = text(random, &setting.rules[3..], &scraps);
        (0..random.below(4)).for_each(|_| text += random.pick(&scraps));
        let mut given = String::new();
        let often = [2, 8, 50][random.below(3)];
        for character in text.chars() {
            if random.one_in(often) {
                given += random.pick(UNSEEN);
            }
            given.push(character);
        }
        let expected = labelled(&setting.rules, &text);
        spans += ["[REDACTED:value]", "[REDACTED:other]", "[REDACTED:blocklist]"]
            .map(|label| expected.matches(label).count())
            .iter()
            .sum::<usize>();
        for given in [&text, &given] {
            cases += against(&setting, random, given, &expected, &mut wrong);
        }
    }
    none(&wrong);
    println!("{cases} cases, {spans} spans of literals");
    assert!(cases >= 1_200 && spans > 150, "{cases} cases, {spans} spans");
}
