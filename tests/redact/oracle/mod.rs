//! The filter against an oracle that knows nothing of it: every match of every rule on the whole text by brute force, the
//! spans united.

mod checks;
mod rules;
mod run;
mod texts;

use rules::Rule;

/// A span of the whole text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Span {
    start: usize,
    end: usize,
    /// The smallest end of a match in it, then the index of the rule that gives it its name.
    first: (usize, usize),
    /// The first match is no match but the end of the stream.
    ends: bool,
    /// Some match is.
    aborts: bool,
}

/// Every match of every rule, united.
fn spans(rules: &[Rule], text: &str) -> Vec<Span> {
    let bytes = text.as_bytes();
    let mut matches: Vec<Span> = Vec::new();
    for (index, rule) in rules.iter().enumerate() {
        for start in 0..bytes.len() {
            let outcome = rule.candidate(bytes, start);
            let one = |end, ends| Span { start, end, first: (end, index), ends, aborts: ends };
            matches.extend(outcome.ends.iter().map(|end| one(*end, false)));
            matches.extend(outcome.abort.map(|end| one(end, true)));
        }
    }
    united(matches)
}

/// Overlapping spans as one; touching ones are two.
fn united(mut matches: Vec<Span>) -> Vec<Span> {
    matches.sort_by_key(|one| (one.start, one.end));
    let mut spans: Vec<Span> = Vec::new();
    for one in matches {
        match spans.last_mut().filter(|last| one.start < last.end) {
            None => spans.push(one),
            Some(last) => {
                if one.first < last.first {
                    (last.first, last.ends) = (one.first, one.ends);
                }
                last.end = last.end.max(one.end);
                last.aborts |= one.aborts;
            }
        }
    }
    spans
}

/// The text with a label for each span, up to where the stream ends.
fn labelled(rules: &[Rule], text: &str) -> String {
    let (mut out, mut at) = (String::new(), 0);
    for span in spans(rules, text) {
        out.push_str(&text[at..span.start]);
        if span.ends {
            return out;
        }
        out.extend(["[REDACTED:", &rules[span.first.1].name, "]"]);
        if span.aborts {
            return out;
        }
        at = span.end;
    }
    out + &text[at..]
}
