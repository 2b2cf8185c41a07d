//! The definition by brute force: every rule tried at every place, and what may leave after each byte.

use super::{Make, Written};
use crate::redact::pattern::Dfa;
use crate::redact::settings::{Mode, Overflow, Style};
use crate::redact::style;

/// A span as the definition has it.
#[derive(Clone, Debug)]
struct Span {
    start: usize,
    end: usize,
    rule: usize,
    plain: bool,
}

/// A rule at one start.
struct Candidate<'a> {
    written: &'a Written,
    dfa: &'a Dfa,
    rule: usize,
    start: usize,
    /// Where the automaton begins: behind what stands in front.
    origin: usize,
    state: u16,
    since: usize,
    over: bool,
    dead: bool,
}

/// What has left after each character of the text, and at last after its end.
pub(super) fn steps(make: &Make, text: &str) -> Vec<String> {
    let dfas: Vec<Dfa> = make.rules.iter().map(|written| written.dfa(0)).collect();
    let rooms: Vec<Vec<usize>> = dfas.iter().map(rooms).collect();
    let bytes = text.as_bytes();
    let mut candidates: Vec<Candidate<'_>> = Vec::new();
    let mut spans: Vec<Span> = Vec::new();
    let mut all = Vec::new();
    // The text ends before this place.
    let mut cut = usize::MAX;
    for at in 0..=bytes.len() {
        // What ends here, by the byte that follows.
        let mut found: Vec<(usize, usize)> = Vec::new();
        for candidate in candidates.iter_mut().filter(|it| !it.dead) {
            let (matched, stop) = candidate.step(make, bytes, at);
            if matched {
                found.push((candidate.start, candidate.rule));
            }
            if stop {
                cut = cut.min(candidate.start);
            }
        }
        let start = found.iter().map(|it| it.0).min().filter(|start| *start < cut);
        if let Some(start) = start {
            let rule = found.iter().map(|it| it.1).min().unwrap();
            let mut span = Span { start, end: at, rule, plain: false };
            while let Some(last) = spans.pop_if(|last| last.end > span.start) {
                span = Span { start: span.start.min(last.start), end: at, ..last };
            }
            spans.push(span);
        }
        if at == bytes.len() {
            all.push(shown(make, text, at, cut, &spans, &[]));
            break;
        }
        // What begins here.
        for (rule, (written, dfa)) in make.rules.iter().zip(&dfas).enumerate() {
            let mut candidate =
                Candidate { written, dfa, rule, start: at, origin: at, state: 0, since: at, over: false, dead: false };
            if candidate.begins(bytes) {
                candidates.push(candidate);
            }
        }
        let read = at + 1;
        let alive: Vec<usize> =
            (candidates.iter()).filter(|it| it.is_alive(bytes, read, &rooms[it.rule])).map(|it| it.start).collect();
        for candidate in &mut candidates {
            candidate.dead |= !candidate.is_alive(bytes, read, &rooms[candidate.rule]);
        }
        for span in &mut spans {
            let written = &make.rules[span.rule];
            let open = alive.iter().any(|start| (span.start..span.end.min(cut)).contains(start));
            let waits = written.style.needs_the_whole() && make.mode == Mode::Redact;
            if waits && open && (read - span.start) as u64 > written.hold.unwrap_or(256) {
                span.plain = true;
            }
        }
        if text.is_char_boundary(read) {
            all.push(shown(make, text, read, cut, &spans, &alive));
        }
    }
    all
}

/// What has left of a text of which so much is read.
fn shown(make: &Make, text: &str, read: usize, cut: usize, spans: &[Span], alive: &[usize]) -> String {
    let frontier = alive.iter().copied().min().unwrap_or(read);
    if make.mode == Mode::DryRun {
        return text[..read].to_owned();
    }
    // Behind the cut nothing counts.
    let frontier = frontier.min(cut);
    let mut out = String::new();
    let mut left = 0;
    for span in spans.iter().filter(|span| span.start <= cut) {
        if left < span.start.min(frontier) {
            out.push_str(&text[left..span.start.min(frontier)]);
        }
        if frontier < span.start || make.mode == Mode::Block {
            return out;
        }
        let written = &make.rules[span.rule];
        if written.style.needs_the_whole() && !span.plain && frontier < span.end.min(cut) {
            return out;
        }
        let style = if span.plain { &Style::Label } else { &written.style };
        style::show(style, written.name, &text[span.start..span.end], &style::Tokens::keyed(b"key"), &mut out);
        left = span.end;
    }
    if left < frontier {
        out.push_str(&text[left..frontier]);
    }
    out
}

/// By state, how many bytes there are at least to the end of a match.
fn rooms(dfa: &Dfa) -> Vec<usize> {
    let mut rooms = vec![usize::MAX; dfa.states()];
    loop {
        let before = rooms.clone();
        for state in 1..dfa.states() {
            for &next in dfa.row(state) {
                let next = usize::from(next);
                let room = if dfa.matched[next] != 0 { 0 } else { rooms[next].saturating_add(1) };
                rooms[state] = rooms[state].min(room);
            }
        }
        if rooms == before {
            return rooms;
        }
    }
}

impl Candidate<'_> {
    /// Takes its first byte, where it starts. False if it can't start there.
    fn begins(&mut self, bytes: &[u8]) -> bool {
        let before = self.start.checked_sub(1).map(|before| bytes[before]);
        if bytes[self.start] & 0xC0 == 0x80 {
            return false;
        }
        let Some(back) = self.written.back() else {
            self.state = self.first(bytes, self.start);
            return true;
        };
        back.class.contains(bytes[self.start]) && before.is_none_or(|byte| !back.not_after.contains(byte))
    }

    fn first(&self, bytes: &[u8], at: usize) -> u16 {
        let class = |byte: u8| usize::from(self.dfa.class[usize::from(byte)]);
        let before = at.checked_sub(1).map_or(self.dfa.classes, |before| class(bytes[before]));
        self.dfa.row(usize::from(self.dfa.start[before]))[class(bytes[at])]
    }

    /// Goes on to `at`, where the byte is or the end. Says whether a match ends there that counts, and whether
    /// the text ends before it.
    fn step(&mut self, make: &Make, bytes: &[u8], at: usize) -> (bool, bool) {
        if self.state == 0 {
            // Still in what stands in front. The first bytes of these tests' patterns are not of its class.
            if bytes.get(at).is_some_and(|byte| self.written.back().unwrap().class.contains(*byte)) {
                return (false, false);
            }
            self.origin = at;
            self.state = if at < bytes.len() { self.first(bytes, at) } else { 0 };
            self.dead = self.state == 0;
            return (false, false);
        }
        let class = bytes.get(at).map_or(self.dfa.classes, |byte| usize::from(self.dfa.class[usize::from(*byte)]));
        let next = self.dfa.row(usize::from(self.state))[class];
        let value = &bytes[self.start..at];
        let allowed = self.written.bound(self.dfa).is_some()
            && make.allow.iter().any(|allowed| allowed.as_bytes().eq_ignore_ascii_case(value));
        let longest = self.written.longest.map_or(usize::MAX, usize::from);
        let mut matched = self.dfa.matched[usize::from(next)] != 0 && !allowed && value.len() <= longest;
        if matched {
            self.since = at;
        }
        if let Some((hold, overflow)) = self.written.overflow {
            let border = bytes.get(at).is_none_or(|byte| byte & 0xC0 != 0x80);
            if border && at < bytes.len() && !self.over && !matched && (at - self.since) as u64 > hold {
                self.over = overflow == Overflow::Redact;
                self.dead = !self.over;
            }
            if self.dead {
                return (false, overflow == Overflow::Abort);
            }
            matched |= border && self.over;
        }
        self.state = next;
        self.dead |= next == 0;
        (matched, false)
    }

    /// True if more text can make it match, of which so much is read.
    fn is_alive(&self, bytes: &[u8], read: usize, rooms: &[usize]) -> bool {
        if self.dead {
            return false;
        }
        let length = read - self.start;
        let longest = self.written.longest.map_or(usize::MAX - 1, usize::from);
        if self.state == 0 {
            let class = usize::from(self.dfa.class[usize::from(bytes[read - 1])]);
            let room = rooms[usize::from(self.dfa.start[class])];
            let most = self.written.lookback.map_or(0, |it| usize::from(it.1));
            return length <= most && room.saturating_add(length) <= longest;
        }
        let front = self.origin - self.start;
        let most = self.written.lookback.map_or(usize::MAX, |it| usize::from(it.1));
        front <= most && rooms[usize::from(self.state)].saturating_add(length) <= longest
    }
}
