//! The corpus through the filter: each rule finds what it must and leaves what it must, however the text is cut.

use super::corpus::{self, Case};
use lastword::redact::{OutputFilter, Plan, Settings};
use std::rc::Rc;

/// Only the rules that are named; none: as they are by default. No stage.
fn plan(only: &[&str]) -> Rc<Plan> {
    let mut settings = Settings { invisible: false, escapes: false, ..Settings::default() };
    if !only.is_empty() {
        settings.rules.push(("all".to_owned(), false));
        settings.rules.extend(only.iter().map(|rule| ((*rule).to_owned(), true)));
    }
    Rc::new(Plan::new(&settings).unwrap())
}

/// The pieces through a filter: what leaves, and the spans.
fn through(plan: &Rc<Plan>, pieces: &[&str]) -> (String, Vec<(usize, usize, String)>) {
    let mut filter = OutputFilter::with(plan.clone());
    let mut out = String::new();
    pieces.iter().for_each(|piece| out += &filter.push(piece));
    out += &filter.flush();
    let spans = filter.spans().map(|span| (span.start as usize, span.end as usize, span.rule.to_owned())).collect();
    (out, spans)
}

/// The text with labels for its spans.
fn labelled(case: &Case) -> String {
    let (mut out, mut at) = (String::new(), 0);
    for (start, end, rule) in &case.spans {
        out.extend([&case.text[at..*start], "[REDACTED:", rule, "]"]);
        at = *end;
    }
    out + &case.text[at..]
}

fn by_rule() -> Vec<(&'static str, Vec<Case>)> {
    let mut rules: Vec<(&'static str, Vec<Case>)> = Vec::new();
    for case in corpus::rules() {
        match rules.iter_mut().find(|(rule, _)| *rule == case.rule) {
            Some((_, cases)) => cases.push(case),
            None => rules.push((case.rule, vec![case])),
        }
    }
    rules
}

#[test]
fn every_rule_has_thirty_cases_of_each_kind() {
    let corpus = by_rule();
    for rule in lastword::redact::rules() {
        let (_, cases) = corpus.iter().find(|(name, _)| *name == rule.name).unwrap_or_else(|| panic!("{}", rule.name));
        let found = cases.iter().filter(|case| !case.spans.is_empty()).count();
        let mut texts: Vec<&str> = cases.iter().map(|case| case.text.as_str()).collect();
        texts.sort_unstable();
        texts.dedup();
        assert!(found >= 30 && cases.len() - found >= 30, "{}: {found} of {}", rule.name, cases.len());
        assert!(texts.len() >= 60, "{}: {} differ", rule.name, texts.len());
    }
    assert_eq!(corpus.len(), lastword::redact::rules().len());
}

#[test]
fn alone_each_rule_finds_exactly_its_spans() {
    let mut wrong = Vec::new();
    for (rule, cases) in by_rule() {
        let plan = plan(&[rule]);
        for case in cases {
            let (out, spans) = through(&plan, &[&case.text]);
            let expected: Vec<_> =
                case.spans.iter().map(|(start, end, rule)| (*start, *end, (*rule).to_owned())).collect();
            if out != labelled(&case) || spans != expected {
                wrong.push(format!("{rule}: {:?} became {out:?}, {spans:?}", case.text));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of the corpus: {:#?}", wrong.len(), &wrong[..wrong.len().min(10)]);
}

#[test]
fn cut_anywhere_it_is_the_same() {
    let mut cuts = 0;
    for (rule, cases) in by_rule() {
        let plan = plan(&[rule]);
        for case in cases {
            let expected = labelled(&case);
            // Where nothing is to be found, some cuts will do.
            let step = if case.spans.is_empty() { 7 } else { 1 };
            for (at, _) in case.text.char_indices().step_by(step) {
                let (head, tail) = case.text.split_at(at);
                let mut filter = OutputFilter::with(plan.clone());
                let first = filter.push(head);
                assert!(expected.starts_with(&first), "{rule}: {head:?} let out {first:?}");
                let out = first + &filter.push(tail) + &filter.flush();
                assert_eq!(out, expected, "{rule}: cut at {at} of {:?}", case.text);
                cuts += 1;
            }
            let pieces: Vec<&str> = case.text.split_inclusive(|_: char| true).collect();
            assert_eq!(through(&plan, &pieces).0, expected, "{rule}: by characters {:?}", case.text);
        }
    }
    assert!(cuts > 150_000, "{cuts}");
}

#[test]
fn under_the_defaults_and_with_all_rules_nothing_of_a_span_leaves() {
    let rules = lastword::redact::rules();
    let all: Vec<&str> = rules.iter().map(|rule| rule.name).collect();
    let (defaults, all) = (plan(&[]), plan(&all));
    for case in corpus::rules().iter().filter(|case| !case.spans.is_empty()) {
        let on = rules.iter().any(|rule| rule.name == case.rule && rule.on);
        for plan in [Some(&all), Some(&defaults).filter(|_| on)].into_iter().flatten() {
            let (out, spans) = through(plan, &[&case.text]);
            for (start, end, rule) in &case.spans {
                let covered = spans.iter().any(|(from, to, _)| from <= start && to >= end);
                assert!(covered, "{rule}: {:?} became {out:?}", case.text);
            }
            let pieces: Vec<&str> = case.text.split_inclusive(|_: char| true).collect();
            assert_eq!(through(plan, &pieces), (out, spans), "{}: {:?}", case.rule, case.text);
        }
    }
}

#[test]
fn under_the_defaults_what_only_looks_like_it_is_left() {
    let defaults = plan(&[]);
    let mut left = 0;
    for case in corpus::rules().iter().filter(|case| case.clean) {
        let (out, spans) = through(&defaults, &[&case.text]);
        assert!(out == case.text && spans.is_empty(), "{}: {:?} became {out:?}", case.rule, case.text);
        left += 1;
    }
    assert!(left > 4_000, "{left}");
}
