//! The engine against the definition: what leaves at every byte, of many rules and texts.

mod cases;
mod costs;
mod definition;
mod limits;
mod random;

use super::{Engine, Machine, Matcher, Rule};
use crate::redact::literals::Literals;
use crate::redact::pattern::{self, Dfa, Source};
use crate::redact::rules::Lookback;
use crate::redact::settings::{HARD_HOLD, Mode, Overflow, Style};
use std::rc::Rc;

/// A rule as tests write it.
#[derive(Clone, Debug, Default)]
struct Written {
    name: &'static str,
    pattern: &'static str,
    not_after: Option<&'static str>,
    not_before: Option<&'static str>,
    /// A class and how many of it at most.
    lookback: Option<(&'static str, u16)>,
    longest: Option<u16>,
    style: Style,
    /// Its most bytes to hold back, and what becomes of what holds back more. It is then a machine of its own.
    overflow: Option<(u64, Overflow)>,
    hold: Option<u64>,
}

impl Written {
    fn new(name: &'static str, pattern: &'static str) -> Written {
        Written { name, pattern, ..Written::default() }
    }

    fn dfa(&self, rule: u16) -> Dfa {
        let not_after = self.not_after.filter(|_| self.lookback.is_none());
        let source = Source { rule, pattern: self.pattern, not_after, not_before: self.not_before };
        pattern::compile(&[source], 2000).expect(self.pattern)
    }

    fn is_solo(&self) -> bool {
        self.lookback.is_some() || self.overflow.is_some()
    }

    fn back(&self) -> Option<Lookback> {
        let (class, most) = self.lookback?;
        let not_after = self.not_after.map(|class| pattern::bytes(class).unwrap()).unwrap_or_default();
        Some(Lookback { class: pattern::bytes(class).unwrap(), most, not_after })
    }

    /// The most bytes of a match, without a limit of its own.
    fn bound(&self, dfa: &Dfa) -> Option<u64> {
        let pattern = dfa.longest().map(|it| it as u64 + self.lookback.map_or(0, |it| u64::from(it.1)));
        pattern.into_iter().chain(self.longest.map(u64::from)).min()
    }
}

/// What a test's engine is made of.
#[derive(Clone, Debug, Default)]
struct Make {
    rules: Vec<Written>,
    allow: Vec<&'static str>,
    values: Vec<&'static str>,
    terms: Vec<&'static str>,
    mode: Mode,
}

impl Make {
    fn of(rules: &[Written]) -> Make {
        Make { rules: rules.to_vec(), ..Make::default() }
    }

    fn matcher(&self) -> Matcher {
        let literals = u16::from(!self.values.is_empty()) + u16::from(!self.terms.is_empty());
        let mut rules: Vec<Rule> =
            ["value", "blocklist"][..usize::from(literals)].iter().map(|name| plain(name)).collect();
        for written in &self.rules {
            let bound = written.bound(&written.dfa(0));
            rules.push(Rule {
                style: written.style.clone(),
                hold: written.hold.or(written.overflow.map(|it| it.0)).unwrap_or(256),
                overflow: written.overflow.map(|it| it.1),
                longest: written.longest,
                bound,
                allows: bound.is_some() && !self.allow.is_empty(),
                ..plain(written.name)
            });
        }
        let sources: Vec<Source<'_>> = (self.rules.iter().zip(literals..))
            .filter(|(written, _)| !written.is_solo())
            .map(|(written, rule)| Source {
                rule,
                pattern: written.pattern,
                not_after: written.not_after,
                not_before: written.not_before,
            })
            .collect();
        let mut machines = Vec::new();
        if !sources.is_empty() {
            machines.extend(Machine::new(&pattern::compile(&sources, 60_000).unwrap(), &Some, &rules, None));
        }
        for (written, rule) in self.rules.iter().zip(literals..).filter(|(written, _)| written.is_solo()) {
            machines.extend(Machine::new(&written.dfa(rule), &Some, &rules, written.back()));
        }
        let values: Vec<(u16, &str)> = self.values.iter().map(|value| (0, *value)).collect();
        let terms: Vec<(u16, &str)> = self.terms.iter().map(|term| (literals - 1, *term)).collect();
        let literals = [Literals::values(&values).unwrap(), Literals::terms(&terms).unwrap()];
        let allow = self.allow.iter().map(|&value| value.to_owned()).collect();
        Matcher::new(Rc::new(Engine::new(
            rules,
            machines,
            literals,
            allow,
            self.mode,
            crate::redact::style::Tokens::keyed(b"key"),
        )))
    }

    /// The whole, in one piece.
    fn whole(&self, text: &str) -> String {
        let mut matcher = self.matcher();
        let mut out = String::new();
        matcher.push(text, &mut out);
        matcher.flush(&mut out);
        out
    }

    /// What has left after each character, and at last after the end; checked to be a prefix of what comes later.
    fn steps(&self, text: &str) -> Vec<String> {
        let mut matcher = self.matcher();
        let mut out = String::new();
        let mut all = Vec::new();
        for character in text.chars() {
            let before = out.clone();
            matcher.push(character.encode_utf8(&mut [0; 4]), &mut out);
            assert!(out.starts_with(&before));
            assert!(matcher.held() <= HARD_HOLD + 4);
            all.push(out.clone());
        }
        matcher.flush(&mut out);
        all.push(out);
        all
    }

    /// Asserts that the text comes to this, at whichever character it is cut once, and character by character.
    #[track_caller]
    fn gives(&self, text: &str, expected: &str) {
        assert_eq!(self.whole(text), expected, "{text}");
        assert_eq!(self.steps(text).last().unwrap(), expected, "{text}, by characters");
        let mut matcher = self.matcher();
        for cut in (0..text.len()).filter(|cut| text.is_char_boundary(*cut)) {
            let mut out = String::new();
            matcher.abort();
            matcher.push(&text[..cut], &mut out);
            assert!(expected.starts_with(&out), "{text}, cut at {cut}: {out}");
            matcher.push(&text[cut..], &mut out);
            matcher.flush(&mut out);
            assert_eq!(out, expected, "{text}, cut at {cut}");
        }
    }

    /// Asserts how much has left after the text without its end.
    #[track_caller]
    fn leaves(&self, text: &str, expected: &str) {
        assert_eq!(self.steps(text)[text.chars().count() - 1], expected, "{text}");
    }
}

fn plain(name: &str) -> Rule {
    Rule {
        name: name.into(),
        style: Style::Label,
        hold: 256,
        overflow: None,
        check: None,
        longest: None,
        bound: None,
        allows: false,
    }
}
