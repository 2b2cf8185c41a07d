//! Times as AG-UI writes them where it wants text.

use crate::Millis;

const DAY: u64 = 86_400_000;
/// The last millisecond of the year 9999: the latest time that the format can write.
const LATEST: Millis = 253_402_300_799_999;

/// A time since the Unix epoch as ISO 8601 in UTC: `2026-11-30T15:04:05.678Z`.
pub(crate) fn iso(at: Millis) -> String {
    let at = at.min(LATEST);
    let (year, month, day) = date(at / DAY);
    let (seconds, millis) = (at % DAY / 1000, at % 1000);
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millis:03}Z")
}

/// The date of a day since the epoch, by the Gregorian calendar: whole years first, then whole months.
fn date(mut day: u64) -> (u64, u64, u64) {
    // 400 years have 146,097 days, whichever they are.
    let mut year = 1970 + day / 146_097 * 400;
    day %= 146_097;
    while day >= days_of_year(year) {
        day -= days_of_year(year);
        year += 1;
    }
    let mut month = 1;
    while day >= days_of_month(year, month) {
        day -= days_of_month(year, month);
        month += 1;
    }
    (year, month, day + 1)
}

fn is_leap(year: u64) -> bool {
    year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
}

fn days_of_year(year: u64) -> u64 {
    365 + u64::from(is_leap(year))
}

fn days_of_month(year: u64, month: u64) -> u64 {
    match month {
        2 => 28 + u64::from(is_leap(year)),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::iso;

    #[test]
    fn times_known_elsewhere() {
        for (at, text) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (1_700_000_000_000, "2023-11-14T22:13:20.000Z"),
            (1_709_251_199_999, "2024-02-29T23:59:59.999Z"),
            (1_709_251_200_000, "2024-03-01T00:00:00.000Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
            (13_569_465_600_000, "2400-01-01T00:00:00.000Z"),
            (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
            (u64::MAX, "9999-12-31T23:59:59.999Z"),
        ] {
            assert_eq!(iso(at), text);
        }
    }
}
