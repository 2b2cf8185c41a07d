//! Telephone numbers.

use super::digits::{count, digits, leading};

/// True for a number of Brazil: perhaps 55, an area in use, then a mobile's nine digits from 9 or a landline's
/// eight, unless those are two years. With `bare` a mobile's nine digits may stand without an area.
pub(super) fn brazil(text: &[u8], bare: bool) -> bool {
    let mut skipped = 0;
    if count(text) >= 12 && leading(text, 2) == 55 {
        skipped = 2;
    }
    // An area as it is dialled from another one.
    if digits(text).nth(skipped) == Some(0) {
        skipped += 1;
    }
    let rest = || digits(text).skip(skipped);
    let number = |from: usize, length: usize| rest().skip(from).take(length).fold(0, |sum, digit| sum * 10 + digit);
    let area = number(0, 2);
    // Years from one to another: (21) 2024-2025.
    let year = |number: u32| (2000..2100).contains(&number);
    if skipped == 0 && count(text) == 10 && year(number(2, 4)) && year(number(6, 4)) && number(2, 4) < number(6, 4) {
        return false;
    }
    match (rest().count(), rest().nth(2)) {
        (11, Some(9)) => used(area),
        // Landlines begin with 2 to 5; the rest is of mobiles from before the ninth digit.
        (10, Some(2..=9)) => used(area),
        (9, _) => bare && rest().next() == Some(9),
        _ => false,
    }
}

/// True if an area of Brazil has this number.
fn used(area: u32) -> bool {
    let (tens, ones) = (area / 10, area % 10);
    match tens {
        1 | 4 | 6 | 8 | 9 => ones >= 1,
        2 => matches!(ones, 1 | 2 | 4 | 7 | 8),
        3 => matches!(ones, 1..=5 | 7 | 8),
        5 => matches!(ones, 1 | 3 | 4 | 5),
        7 => matches!(ones, 1 | 3 | 4 | 5 | 7 | 9),
        _ => false,
    }
}

/// True for a country's code, written in one, and a number of a length that it has; the number begins with no zero, but
/// in Italy and where a zero in parentheses says how it is dialled inside. Rows of numbers with signs (`+67 -57 -76`) and
/// of decimals (`+61.2 34.5`) are none.
pub(super) fn international(text: &[u8]) -> bool {
    let length = count(text);
    let first = leading(text, 3);
    let code = match first / 100 {
        1 | 7 => 1,
        _ if two_digits(first / 10) => 2,
        _ if three_digits(first) => 3,
        _ => return false,
    };
    let whole = text.iter().skip(1).take(code).all(u8::is_ascii_digit);
    let decimals = text.get(code + 1) == Some(&b'.') && text.contains(&b' ');
    if !whole || decimals || text.windows(2).any(|pair| pair == b" -") {
        return false;
    }
    let next = digits(text).nth(code);
    let area = leading(text, 4) % 1000;
    let lengths = match code {
        // North America: no area begins with 0 or 1. Russia and Kazakhstan: areas begin with 3 to 9.
        1 if first / 100 == 1 && area < 200 => return false,
        1 if first / 100 == 7 && area < 300 => return false,
        1 => 11..=11,
        2 if first / 10 == 55 => return brazil(text, false),
        2 => 10..=15,
        _ => 7..=15,
    };
    let zero = next == Some(0) && first / 10 != 39 && !text.windows(3).any(|part| part == b"(0)");
    lengths.contains(&length) && !zero
}

/// The countries' codes of two digits.
fn two_digits(code: u32) -> bool {
    matches!(
        code,
        20 | 27 | 30..=34 | 36 | 39..=41 | 43..=49 | 51..=58 | 60..=66 | 81 | 82 | 84 | 86 | 90..=95 | 98
    )
}

/// The blocks of ten in which codes have three digits.
fn three_digits(code: u32) -> bool {
    matches!(code / 10, 21..=26 | 29 | 35 | 37 | 38 | 42 | 50 | 59 | 67..=69 | 85 | 88 | 96 | 97 | 99)
        && !matches!(code, 210 | 214 | 215 | 217 | 219 | 259 | 292..=296 | 384 | 388 | 422 | 424..=429 | 693..=699 | 969 | 978)
}
