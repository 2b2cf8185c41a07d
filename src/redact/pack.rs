//! Writing automata in the form that `table.rs` reads, and making them small before. For `build.rs` and for tests.

use std::collections::{HashMap, VecDeque};

use super::pattern::Dfa;
use super::table::Target;

/// Groups of classes: those of one lead to one state. The larger come first.
type Shape = Vec<Vec<usize>>;

/// Makes one of all states that can't be told apart, and puts chains of states in a row.
pub(crate) fn minimise(dfa: &mut Dfa) {
    let states = dfa.states();
    // States are of one block as long as nothing tells them apart.
    let mut block: Vec<u32> = dfa.matched.iter().map(|&set| u32::from(set)).collect();
    let mut blocks = 0;
    loop {
        let mut known = HashMap::new();
        let refined: Vec<u32> = (0..states)
            .map(|state| {
                let leads: Vec<u32> = dfa.row(state).iter().map(|&to| block[usize::from(to)]).collect();
                let new = known.len() as u32;
                *known.entry((block[state], leads)).or_insert(new)
            })
            .collect();
        block = refined;
        if known.len() == blocks {
            break;
        }
        blocks = known.len();
    }
    let mut first = vec![usize::MAX; blocks];
    for state in (0..states).rev() {
        first[block[state] as usize] = state;
    }
    for to in dfa.next.iter_mut().chain(&mut dfa.start) {
        *to = first[block[usize::from(*to)] as usize] as u16;
    }
    let order = chains(dfa);
    let ends = usize::from(dfa.ends);
    dfa.ends = order.iter().filter(|&&state| state < ends).count() as u16;
    dfa.renumber(&order);
}

/// All states that can be reached, so that one mostly leads to the one behind it; those last that lead nowhere.
fn chains(dfa: &Dfa) -> Vec<usize> {
    let mut seen = vec![false; dfa.states()];
    let (mut order, mut last) = (vec![0], Vec::new());
    seen[0] = true;
    let mut queue: VecDeque<usize> = dfa.start.iter().map(|&state| usize::from(state)).collect();
    while let Some(from) = queue.pop_front() {
        // From each state on to the target of the most classes that is new; the others wait for their turn.
        let mut at = Some(from);
        while let Some(state) = at.take().filter(|&state| !seen[state]) {
            seen[state] = true;
            if state >= usize::from(dfa.ends) {
                last.push(state);
                break;
            }
            order.push(state);
            let mut targets: Vec<(usize, usize)> = Vec::new();
            for to in dfa.row(state).iter().map(|&to| usize::from(to)).filter(|&to| !seen[to]) {
                match targets.iter_mut().find(|it| it.1 == to) {
                    Some(it) => it.0 += 1,
                    None => targets.push((1, to)),
                }
            }
            targets.sort_by_key(|it| usize::MAX - it.0);
            let mut targets = targets.into_iter().map(|it| it.1);
            at = targets.next();
            queue.extend(targets);
        }
    }
    order.append(&mut last);
    order
}

/// The automaton in the form that `table.rs` reads.
pub(crate) fn pack(dfa: &Dfa) -> Vec<u8> {
    let mut out = Vec::new();
    let states = dfa.states();
    number(&mut out, dfa.classes);
    runs(&mut out, &dfa.class.iter().map(|&class| class.into()).collect::<Vec<_>>());
    number(&mut out, states);
    number(&mut out, dfa.ends.into());
    runs(&mut out, &dfa.start);
    number(&mut out, dfa.sets.len() - 1);
    for set in dfa.sets.iter().skip(1) {
        number(&mut out, set.len());
        let mut before = 0;
        for &rule in set {
            number(&mut out, usize::from(rule - before));
            before = rule;
        }
    }
    let rows: Vec<(Shape, Vec<u16>)> = (0..states).map(|state| shape(dfa.row(state))).collect();
    let mut counts: HashMap<&Shape, usize> = HashMap::new();
    rows.iter().for_each(|row| *counts.entry(&row.0).or_default() += 1);
    let mut shapes: Vec<&Shape> = counts.keys().copied().collect();
    // The most frequent have the lowest numbers.
    shapes.sort_by_key(|&shape| (usize::MAX - counts[shape], shape));
    write_shapes(&mut out, &shapes, dfa.classes + 1);
    let mut state = 1;
    while state < states {
        let (shape, _) = &rows[state];
        let (count, targets) = run(&rows, &dfa.matched, state);
        let set = usize::from(dfa.matched[state]);
        let rank = shapes.iter().position(|it| *it == shape).unwrap_or(0);
        number(&mut out, rank << 2 | usize::from(count > 1) << 1 | usize::from(set != 0));
        if count > 1 {
            number(&mut out, count - 2);
        }
        if set != 0 {
            number(&mut out, set);
        }
        for target in targets {
            number(
                &mut out,
                match target {
                    Target::Far(far) => ((far << 1) ^ (far >> 31)) as usize * 2,
                    Target::State(state) => usize::from(state) * 2 + 1,
                },
            );
        }
        state += count;
    }
    out
}

/// The shape of a row, and where its groups lead.
fn shape(row: &[u16]) -> (Shape, Vec<u16>) {
    let mut groups: Vec<(Vec<usize>, u16)> = Vec::new();
    for (class, &to) in row.iter().enumerate().filter(|it| *it.1 != 0) {
        match groups.iter_mut().find(|group| group.1 == to) {
            Some(group) => group.0.push(class),
            None => groups.push((vec![class], to)),
        }
    }
    groups.sort_by_key(|group| usize::MAX - group.0.len());
    groups.into_iter().unzip()
}

/// Writes the sets of classes that the shapes need, and the shapes.
fn write_shapes(out: &mut Vec<u8>, shapes: &[&Shape], width: usize) {
    let mut sets: Vec<Vec<usize>> = Vec::new();
    let mut order: Vec<&Shape> = shapes.to_vec();
    order.sort_by_key(|shape| (shape.len(), shape.iter().map(|group| usize::MAX - group.len()).collect::<Vec<_>>()));
    let mut codes: HashMap<&Shape, Vec<usize>> = HashMap::new();
    for shape in order {
        let code = |(at, group): (usize, &Vec<usize>)| {
            if let [class] = group[..] {
                return class * 2 + 1;
            }
            // A set may have more than the group if later groups take it back.
            let later: Vec<usize> = shape[at + 1..].concat();
            let fits = |set: &Vec<usize>| {
                group.iter().all(|class| set.contains(class))
                    && set.iter().all(|class| group.contains(class) || later.contains(class))
            };
            let at = sets.iter().position(fits).unwrap_or(sets.len());
            if at == sets.len() {
                sets.push(group.clone());
            }
            at * 2
        };
        let code = shape.iter().enumerate().map(code).collect();
        codes.insert(shape, code);
    }
    number(out, sets.len());
    for set in &sets {
        runs(out, &(0..width).map(|class| set.contains(&class).into()).collect::<Vec<_>>());
    }
    number(out, shapes.len());
    for shape in shapes {
        number(out, shape.len());
        codes[*shape].iter().for_each(|&code| number(out, code));
    }
}

/// How many states from this one on can be written as one, and their targets.
fn run(rows: &[(Shape, Vec<u16>)], matched: &[u16], state: usize) -> (usize, Vec<Target>) {
    let (shape, first) = &rows[state];
    let far = |state: usize, to: u16| Target::Far(i32::from(to) - state as i32);
    let mut ways: Vec<Vec<Target>> = first.iter().map(|&to| vec![far(state, to), Target::State(to)]).collect();
    let mut count = 1;
    while let Some((other, targets)) = rows.get(state + count) {
        if other != shape || matched[state + count] != matched[state] {
            break;
        }
        let fit: Vec<Vec<Target>> = ways
            .iter()
            .zip(targets)
            .map(|(ways, &to)| ways.iter().copied().filter(|way| way.of(state + count) == Some(to)).collect())
            .collect();
        if fit.iter().any(Vec::is_empty) {
            break;
        }
        ways = fit;
        count += 1;
    }
    // Of both ways the shorter.
    let short = |ways: &Vec<Target>| {
        ways.iter().copied().min_by_key(|way| match *way {
            Target::Far(far) => far.unsigned_abs() * 2,
            Target::State(state) => u32::from(state),
        })
    };
    (count, ways.iter().filter_map(short).collect())
}

fn number(out: &mut Vec<u8>, mut number: usize) {
    while number >= 128 {
        out.push(number as u8 | 128);
        number >>= 7;
    }
    out.push(number as u8);
}

fn runs(out: &mut Vec<u8>, items: &[u16]) {
    for run in items.chunk_by(|one, other| one == other) {
        number(out, run[0].into());
        number(out, run.len() - 1);
    }
}
