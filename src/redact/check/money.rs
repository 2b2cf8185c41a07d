//! Payment cards and bank accounts.

use super::digits::{count, leading, luhn};

/// True for a number that an issuer gives, of that issuer's length, whose Luhn sum is right.
pub(super) fn card(text: &[u8]) -> bool {
    issued(leading(text, 6), count(text)) && luhn(text)
}

/// True if cards that begin with these six digits have this length.
fn issued(first: u32, length: usize) -> bool {
    let four = first / 100;
    let two = first / 10_000;
    match length {
        // Diners.
        14 => matches!(two, 36 | 38 | 39) || matches!(four, 3000..=3059),
        // American Express.
        15 => matches!(two, 34 | 37),
        // Visa, Mastercard, Discover, JCB, UnionPay; in Brazil Elo and Hipercard.
        16 => {
            matches!(two, 40..=49 | 51..=55 | 62 | 65)
                || matches!(four, 2221..=2720 | 3528..=3589 | 6011 | 6440..=6499)
                || matches!(four, 5067 | 5090 | 6362 | 6363)
                || matches!(first, 504_175 | 506_699 | 606_282 | 627_780)
        }
        // Visa's old and its long numbers, UnionPay's long ones.
        13 => two / 10 == 4,
        19 => two / 10 == 4 || two == 62,
        17 | 18 => two == 62,
        _ => false,
    }
}

/// The lengths of the IBANs of the countries that have them, by the country's letters, in their order.
pub(super) const LENGTHS: &[u8] = b"AD\x18AE\x17AL\x1cAT\x14AZ\x1cBA\x14BE\x10BG\x16BH\x16BI\x1bBR\x1dBY\x1cCH\x15CR\x16CY\x1cCZ\x18\
DE\x16DJ\x1bDK\x12DO\x1cEE\x14EG\x1dES\x18FI\x12FK\x12FO\x12FR\x1bGB\x16GE\x16GI\x17GL\x12GR\x1bGT\x1cHN\x1cHR\x15HU\x1c\
IE\x16IL\x17IQ\x17IS\x1aIT\x1bJO\x1eKW\x1eKZ\x14LB\x1cLC\x20LI\x15LT\x14LU\x14LV\x15LY\x19MC\x1bMD\x18ME\x16MK\x13MN\x14\
MR\x1bMT\x1fMU\x1eNI\x1cNL\x12NO\x0fOM\x17PK\x18PL\x1cPS\x1dPT\x19QA\x1dRO\x18RS\x16RU\x21SA\x18SC\x1fSD\x12SE\x18SI\x13\
SK\x18SM\x1bSO\x17ST\x19SV\x1cTL\x17TN\x18TR\x1aUA\x1dVA\x16VG\x18XK\x14YE\x1e";

/// True for a country's length whose number, the first four signs moved to the end and letters read as 10 to
/// 35, leaves 1 of 97.
pub(super) fn iban(text: &[u8]) -> bool {
    let Some(&[one, two]) = text.first_chunk() else { return false };
    let (countries, _) = LENGTHS.as_chunks();
    let at = countries.partition_point(|&[first, second, _]| (first, second) < (one, two));
    let Some(&[first, second, length]) = countries.get(at) else { return false };
    let signs = || text.iter().copied().filter(u8::is_ascii_alphanumeric);
    let length = usize::from(length);
    let known = (first, second) == (one, two) && text.len() >= length && signs().count() == length;
    known && signs().skip(4).chain(signs().take(4)).fold(0, fold_97) == 1
}

/// The remainder of 97 when one more sign is written behind the number.
fn fold_97(rest: u32, sign: u8) -> u32 {
    match sign {
        b'0'..=b'9' => (rest * 10 + u32::from(sign - b'0')) % 97,
        b'A'..=b'Z' => (rest * 100 + u32::from(sign - b'A') + 10) % 97,
        _ => rest,
    }
}
