//! Brazil's numbers of persons, companies and bills.

use super::digits::{count, digits};

/// True if both check digits of the eleven are right and the digits aren't all the same.
pub(super) fn cpf(text: &[u8]) -> bool {
    let first = weighed(digits(text).take(9), 10);
    let second = weighed(digits(text).take(10), 11);
    let same = digits(text).zip(digits(text).skip(1)).all(|(one, next)| one == next);
    count(text) == 11 && !same && digits(text).skip(9).eq([first, second])
}

/// The check digit of the values, whose weights fall by one from `weight`.
fn weighed(values: impl Iterator<Item = u32>, weight: u32) -> u32 {
    let sum: u32 = values.zip((2..=weight).rev()).map(|(value, weight)| value * weight).sum();
    check_11(sum)
}

/// 11 less the remainder of 11; 0 where that had two digits.
fn check_11(sum: u32) -> u32 {
    match sum % 11 {
        0 | 1 => 0,
        rest => 11 - rest,
    }
}

/// True if both check digits of the fourteen are right and the signs aren't all the same. A sign counts as its
/// byte less that of `0`, so a letter counts 17 or more.
pub(super) fn cnpj(text: &[u8]) -> bool {
    let values =
        || text.iter().filter(|byte| byte.is_ascii_alphanumeric()).map(|byte| u32::from(byte.saturating_sub(b'0')));
    let check = |length: usize| {
        let weights = (2..=9).cycle();
        // From the right: 2 to 9, and again from 2.
        let mut sum = 0;
        for (index, value) in values().take(length).enumerate() {
            let weight: u32 = weights.clone().nth(length - 1 - index).unwrap_or(0);
            sum += value * weight;
        }
        check_11(sum)
    };
    let same = values().zip(values().skip(1)).all(|(one, next)| one == next);
    values().count() == 14 && !same && values().skip(12).eq([check(12), check(13)])
}

/// True if the check digits of the fields are right: three of 47 digits, four of 48.
pub(super) fn boleto(text: &[u8]) -> bool {
    match count(text) {
        47 => [(0, 10), (10, 11), (21, 11)].iter().all(|(from, length)| field(text, *from, *length, check_10)),
        48 => {
            // The third digit says by which sum.
            let check = match digits(text).nth(2) {
                Some(6 | 7) => check_10,
                _ => check_11_of,
            };
            (0..4).all(|index| field(text, index * 12, 12, check))
        }
        _ => false,
    }
}

/// True if the last digit of the field is the check of those before it.
fn field(text: &[u8], from: usize, length: usize, check: fn(&[u8], usize, usize) -> u32) -> bool {
    digits(text).nth(from + length - 1) == Some(check(text, from, length - 1))
}

/// From the right the weights are 2, 1, 2, …; of a product of two digits both count.
fn check_10(text: &[u8], from: usize, length: usize) -> u32 {
    let mut sum = 0;
    for (index, digit) in digits(text).skip(from).take(length).enumerate() {
        let product = if (length - index) % 2 == 1 { digit * 2 } else { digit };
        sum += product / 10 + product % 10;
    }
    (10 - sum % 10) % 10
}

/// From the right the weights are 2 to 9, and again from 2.
fn check_11_of(text: &[u8], from: usize, length: usize) -> u32 {
    let mut sum = 0;
    for (index, digit) in digits(text).skip(from).take(length).enumerate() {
        let weight = 2 + (length - 1 - index) % 8;
        sum += digit * u32::try_from(weight).unwrap_or(0);
    }
    check_11(sum)
}
