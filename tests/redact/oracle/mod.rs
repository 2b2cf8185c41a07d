//! The filter against an oracle that knows nothing of it: every match of every rule on the whole text by brute force, the
//! spans united.

mod checks;
mod literals;
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
}

/// What a whole text comes to.
struct Found {
    spans: Vec<Span>,
    /// The stream ends here, or behind the span in which this is.
    ends: Option<usize>,
}

/// Every match of every rule, united.
fn found(rules: &[Rule], text: &str) -> Found {
    let bytes = text.as_bytes();
    let (mut matches, mut aborts): (Vec<Span>, Vec<(usize, usize)>) = (Vec::new(), Vec::new());
    for (index, rule) in rules.iter().enumerate() {
        for start in 0..bytes.len() {
            let outcome = rule.candidate(bytes, start);
            matches.extend(outcome.ends.iter().map(|end| Span { start, end: *end, first: (*end, index) }));
            aborts.extend(outcome.abort.map(|at| (at, start)));
        }
    }
    // Behind what ends the stream nothing is looked for any more.
    let ends = |at: usize| aborts.iter().filter(|(known, _)| *known <= at).map(|(_, start)| *start).min();
    let mut together: Vec<Span> = Vec::new();
    matches.sort_by_key(|one| one.end);
    for one in matches {
        match together.last_mut().filter(|last| last.end == one.end) {
            Some(last) => (last.start, last.first) = (last.start.min(one.start), last.first.min(one.first)),
            None => together.push(one),
        }
    }
    together.retain(|one| ends(one.end).is_none_or(|ends| one.start < ends));
    Found { spans: united(together), ends: ends(usize::MAX) }
}

/// Overlapping spans as one; touching ones are two.
fn united(mut matches: Vec<Span>) -> Vec<Span> {
    matches.sort_by_key(|one| (one.start, one.end));
    let mut spans: Vec<Span> = Vec::new();
    for one in matches {
        match spans.last_mut().filter(|last| one.start < last.end) {
            None => spans.push(one),
            Some(last) => (last.end, last.first) = (last.end.max(one.end), last.first.min(one.first)),
        }
    }
    spans
}

/// The text with a label for each span, up to where the stream ends.
fn labelled(rules: &[Rule], text: &str) -> String {
    let found = found(rules, text);
    let ends = found.ends.unwrap_or(text.len());
    let (mut out, mut at) = (String::new(), 0);
    for span in found.spans.iter().filter(|span| span.start <= ends) {
        out.push_str(&text[at..span.start]);
        out.extend(["[REDACTED:", &rules[span.first.1].name, "]"]);
        at = span.end;
    }
    out + text.get(at..ends).unwrap_or_default()
}
