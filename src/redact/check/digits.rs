//! Digits and sums over them.

/// The digits among the bytes, as numbers, in order.
pub(super) fn digits(text: &[u8]) -> impl DoubleEndedIterator<Item = u32> {
    text.iter().filter(|byte| byte.is_ascii_digit()).map(|byte| u32::from(byte - b'0'))
}

/// How many digits there are.
pub(super) fn count(text: &[u8]) -> usize {
    digits(text).count()
}

/// Luhn's sum, with the digit at the end as its check: from the right every second digit counts double,
/// less 9 above 9.
pub(super) fn luhn(text: &[u8]) -> bool {
    let mut sum = 0;
    for (index, digit) in digits(text).rev().enumerate() {
        let weighed = if index % 2 == 1 { digit * 2 } else { digit };
        sum += if weighed > 9 { weighed - 9 } else { weighed };
    }
    sum % 10 == 0
}

/// The number that the first `most` digits are; up to nine of them.
pub(super) fn leading(text: &[u8], most: usize) -> u32 {
    digits(text).take(most.min(9)).fold(0, |number, digit| number * 10 + digit)
}
