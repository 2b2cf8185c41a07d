//! Bodies of tokens, and numbers whose check digits are right.

pub const DIGITS: &str = "0123456789";
pub const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
pub const HEX: &str = "0123456789abcdef";
pub const BASE32: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
pub const UPPERS: &str = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
pub const LETTERS: &str = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
pub const URL64: &str = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_";
pub const BASE64: &str = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz+/";

/// Numbers from a seed: the same seed, the same numbers.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// A number below `most`.
    pub fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % most.max(1)
    }

    /// A number between these two, and of them.
    pub fn within(&mut self, least: usize, most: usize) -> usize {
        least + self.below(most - least + 1)
    }

    /// One of these.
    pub fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }

    /// So many characters of the alphabet.
    pub fn text(&mut self, alphabet: &str, length: usize) -> String {
        (0..length).map(|_| char::from(alphabet.as_bytes()[self.below(alphabet.len())])).collect()
    }
}

/// The text with the digit, or capital letter, at its end made another.
pub fn last_changed(text: &str, by: u8) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let last = bytes.iter().rposition(u8::is_ascii_digit).unwrap();
    bytes[last] = b'0' + (bytes[last] - b'0' + by) % 10;
    String::from_utf8(bytes).unwrap()
}

/// The text with two neighbouring, different digits exchanged, from that one on.
pub fn exchanged(text: &str, from: usize) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let at = (from..bytes.len() - 1)
        .find(|&at| {
            let pair = (bytes[at], bytes[at + 1]);
            let unseen = matches!(pair, (b'0', b'9') | (b'9', b'0'));
            bytes[at].is_ascii_digit() && bytes[at + 1].is_ascii_digit() && pair.0 != pair.1 && !unseen
        })
        .unwrap();
    bytes.swap(at, at + 1);
    String::from_utf8(bytes).unwrap()
}

/// The text in groups of these lengths; what is left is the last one.
pub fn grouped(text: &str, lengths: &[usize], joint: &str) -> String {
    let mut rest = text;
    let mut groups = Vec::new();
    for &length in lengths {
        let (group, after) = rest.split_at(length.min(rest.len()));
        groups.push(group);
        rest = after;
    }
    groups.push(rest);
    groups.retain(|group| !group.is_empty());
    groups.join(joint)
}

/// A card's number: the issuer's beginning, any digits, Luhn's digit.
pub fn card(random: &mut Random, issuer: &str, length: usize) -> String {
    let body = [issuer, &random.text(DIGITS, length - 1 - issuer.len())].concat();
    let right = (0..10).find(|digit| {
        let whole = format!("{body}{digit}");
        luhn(&whole.chars().filter_map(|digit| digit.to_digit(10)).collect::<Vec<_>>())
    });
    format!("{body}{}", right.unwrap())
}

/// A country's number of an account, of capital letters and digits where the country has them.
pub fn iban(random: &mut Random, country: &str, length: usize, alphabet: &str) -> String {
    let body = random.text(alphabet, length - 4);
    let turned = format!("{body}{country}00");
    let number: String = turned.chars().map(|sign| sign.to_digit(36).unwrap().to_string()).collect();
    let rest = number.bytes().fold(0, |rest, digit| (rest * 10 + u32::from(digit - b'0')) % 97);
    format!("{country}{:02}{body}", 98 - rest)
}

/// The digit that makes the sum by the weights, the check's own being 1, a multiple of 11; 0 where there is none.
fn eleventh(values: &[u32], weights: impl Iterator<Item = u32>) -> u32 {
    let sum: u32 = values.iter().rev().zip(weights).map(|(value, weight)| value * weight).sum();
    (0..10).find(|digit| (sum + digit).is_multiple_of(11)).unwrap_or(0)
}

/// The eleven digits of a CPF; its check digits are no zeros, so that every change of a digit breaks it.
pub fn cpf(random: &mut Random) -> String {
    loop {
        let body = random.text(DIGITS, 9);
        let mut values: Vec<u32> = body.chars().map(|digit| digit.to_digit(10).unwrap()).collect();
        let first = eleventh(&values, 2..);
        values.push(first);
        let second = eleventh(&values, 2..);
        if first * second != 0 {
            return format!("{body}{first}{second}");
        }
    }
}

/// The fourteen signs of a CNPJ over an alphabet.
pub fn cnpj(random: &mut Random, alphabet: &str) -> String {
    loop {
        let body = random.text(alphabet, 12);
        let mut values: Vec<u32> = body.bytes().map(|sign| u32::from(sign) - 48).collect();
        let first = eleventh(&values, (2..10).cycle());
        values.push(first);
        let second = eleventh(&values, (2..10).cycle());
        if first * second != 0 {
            return format!("{body}{first}{second}");
        }
    }
}

/// The digits with one behind that makes the sum, weighed 1, 2, 1 from the right and of the digits of the products, a
/// multiple of ten.
pub fn tenth(body: &str) -> String {
    let right = (0..10).find(|digit| {
        let whole = format!("{body}{digit}");
        let sum: u32 = whole
            .chars()
            .rev()
            .zip([1, 2].into_iter().cycle())
            .map(|(sign, weight)| sign.to_digit(10).unwrap() * weight)
            .map(|product| product / 10 + product % 10)
            .sum();
        sum.is_multiple_of(10)
    });
    format!("{body}{}", right.unwrap())
}

/// True if the digits are a number of a card, of a person or of a company by their sums, whoever gave it.
pub fn has_right_checks(text: &str) -> bool {
    let values: Vec<u32> = text.chars().filter_map(|digit| digit.to_digit(10)).collect();
    let (body, last) = values.split_at(values.len().saturating_sub(2));
    let elevenths = |weights: &[u32]| {
        let first = eleventh(body, weights.iter().copied().cycle());
        let second = eleventh(&[body, &[first]].concat(), weights.iter().copied().cycle());
        last == [first, second]
    };
    match values.len() {
        11 => elevenths(&[2, 3, 4, 5, 6, 7, 8, 9, 10, 11]),
        13 | 15..=19 => luhn(&values),
        14 => luhn(&values) || elevenths(&[2, 3, 4, 5, 6, 7, 8, 9]),
        _ => false,
    }
}

/// Luhn's sum, the check digit included, is a multiple of ten.
fn luhn(values: &[u32]) -> bool {
    let double = |digit: u32| if digit < 5 { digit * 2 } else { digit * 2 - 9 };
    let odd: u32 = values.iter().rev().step_by(2).sum();
    let even: u32 = values.iter().rev().skip(1).step_by(2).map(|digit| double(*digit)).sum();
    (odd + even).is_multiple_of(10)
}
