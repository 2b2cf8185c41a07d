//! Case folding.

use super::RUN;
use super::fold_table::{EVERY_SECOND, ONE, PLANE_1, SEVERAL};

/// What white space folds to.
pub(super) const SPACE: u32 = 0x20;
/// The Greek small letter iota.
const IOTA: u32 = 0x03B9;

/// What a character folds to, in order; white space aside.
pub(super) fn each(character: u32, folded: &mut dyn FnMut(u32)) {
    match character {
        0x41..=0x5A => folded(character + 0x20),
        0..0x80 => folded(character),
        // Small and capital letters with an iota beneath, in rows of eight each.
        0x1F80..=0x1FAF => {
            let row = [0x1F00, 0x1F20, 0x1F60].get((character as usize - 0x1F80) / 16);
            folded(row.copied().unwrap_or_default() | character & 7);
            folded(IOTA);
        }
        _ => several(character, folded).unwrap_or_else(|| folded(one(character).unwrap_or(character))),
    }
}

fn one(character: u32) -> Option<u32> {
    let first = |stretch: &(u16, u16, u8, u8)| plane(stretch.3) + u32::from(stretch.0);
    let at = ONE.partition_point(|stretch| first(stretch) <= character).checked_sub(1)?;
    let stretch = ONE.get(at)?;
    let (_, to, count, kind) = *stretch;
    let offset = character - first(stretch);
    let second = u32::from(kind & EVERY_SECOND);
    let inside = offset & second == 0 && offset >> second < u32::from(count);
    inside.then(|| plane(kind) + u32::from(to) + offset)
}

fn several(character: u32, folded: &mut dyn FnMut(u32)) -> Option<()> {
    let character = u16::try_from(character).ok()?;
    let at = SEVERAL.binary_search_by_key(&character, |[from, ..]| *from).ok()?;
    let [_, to @ ..] = SEVERAL.get(at)?;
    to.iter().filter(|to| **to != 0).for_each(|to| folded(u32::from(*to)));
    Some(())
}

fn plane(kind: u8) -> u32 {
    if kind & PLANE_1 == 0 { 0 } else { 0x1_0000 }
}

/// A term as it is compared: without white space around it, folded.
pub(super) fn term(text: &str) -> Vec<u32> {
    let (mut symbols, mut space) = (Vec::new(), false);
    for character in text.chars().map(u32::from) {
        if is_space(character) {
            space = !symbols.is_empty();
            continue;
        }
        if std::mem::take(&mut space) {
            symbols.push(SPACE);
        }
        each(character, &mut |symbol| symbols.push(symbol));
    }
    symbols
}

/// White space, as Unicode has it.
pub(super) fn is_space(character: u32) -> bool {
    matches!(character,
        0x09..=0x0D | 0x20 | 0x85 | 0xA0 | 0x1680 | 0x2000..=0x200A | 0x2028 | 0x2029 | 0x202F | 0x205F | 0x3000)
}

/// At least as many bytes as text has, a folded character on the average, that folds to this.
pub(super) fn width(symbol: u32) -> usize {
    match symbol {
        SPACE => 3 * usize::from(RUN),
        // The Kelvin sign.
        0x6B => 3,
        0x61..=0x7A => 2,
        0..0x80 => 1,
        0x80..0x1_0000 => 3,
        _ => 4,
    }
}

/// The first byte of each character that folds to something else, with the first of what it folds to.
pub(super) fn each_first(seen: &mut dyn FnMut(u8, u32)) {
    let mut from = |character: u32| {
        let mut first = None;
        each(character, &mut |symbol| first = first.or(Some(symbol)));
        seen(lead(character), first.unwrap_or(character));
    };
    (0x41..=0x5A).chain(0x1F80..=0x1FAF).for_each(&mut from);
    for (first, _, count, kind) in ONE {
        let step = u32::from(kind & EVERY_SECOND) + 1;
        (0..u32::from(*count)).for_each(|at| from(plane(*kind) + u32::from(*first) + at * step));
    }
    SEVERAL.iter().for_each(|[character, ..]| from(u32::from(*character)));
}

/// The first byte of a character.
pub(super) fn lead(character: u32) -> u8 {
    let bits = match character {
        0..0x80 => character,
        0x80..0x800 => 0xC0 | character >> 6,
        0x800..0x1_0000 => 0xE0 | character >> 12,
        _ => 0xF0 | character >> 18,
    };
    u8::try_from(bits).unwrap_or(u8::MAX)
}
