//! The checks, written once more in another way.

use std::net::{Ipv4Addr, Ipv6Addr};

pub type Check = fn(&[u8]) -> bool;

pub fn named(name: &str) -> Check {
    match name {
        "email" => email,
        "card" => card,
        "iban" => iban,
        "cpf" => cpf,
        "cnpj" => cnpj,
        "br_phone" => |text| brazilian(&digits(text), false),
        "br_phone_bare" => |text| brazilian(&digits(text), true),
        "phone" => phone,
        "ipv4" => |text| v4(text) == Some(true),
        "ipv4_private" => |text| v4(text) == Some(false),
        "ipv6" => |text| v6(text) == Some(true),
        "ipv6_private" => |text| v6(text) == Some(false),
        "boleto" => boleto,
        _ => panic!("an unknown check: {name}"),
    }
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

fn digits(bytes: &[u8]) -> Vec<u32> {
    text(bytes).chars().filter_map(|character| character.to_digit(10)).collect()
}

fn number(digits: &[u32]) -> u64 {
    digits.iter().fold(0, |number, digit| number * 10 + u64::from(*digit))
}

fn email(bytes: &[u8]) -> bool {
    const FILES: &str = " png jpg jpeg gif svg webp avif ico bmp heic pdf css scss less js jsx mjs cjs ts tsx vue json html htm xml yml \
        yaml toml txt lock tgz gz whl jar exe dll map woff ttf otf wav ogg webm csv log sql ";
    let (local, domain) = text(bytes).split_once('@').or_else(|| text(bytes).rsplit_once("%40")).unwrap();
    let labels: Vec<&str> = domain.split('.').collect();
    let version = labels.len() > 1 && labels[..2].iter().all(|label| label.chars().all(|one| one.is_ascii_digit()));
    let file = FILES.contains(&format!(" {} ", labels.last().unwrap().to_lowercase()));
    local != "git" && !version && !file && labels.iter().all(|label| label.len() < 64)
}

fn card(bytes: &[u8]) -> bool {
    let digits = digits(bytes);
    // Ranges of beginnings, and the lengths that go with them.
    let issuers: &[(u64, u64, &[usize])] = &[
        (300, 305, &[14]),
        (36, 36, &[14]),
        (38, 39, &[14]),
        (34, 34, &[15]),
        (37, 37, &[15]),
        (4, 4, &[13, 16, 19]),
        (51, 55, &[16]),
        (2221, 2720, &[16]),
        (6011, 6011, &[16]),
        (644, 649, &[16]),
        (65, 65, &[16]),
        (3528, 3589, &[16]),
        (62, 62, &[16, 17, 18, 19]),
        (504_175, 504_175, &[16]),
        (506_699, 506_699, &[16]),
        (627_780, 627_780, &[16]),
        (5067, 5067, &[16]),
        (5090, 5090, &[16]),
        (6362, 6363, &[16]),
        (606_282, 606_282, &[16]),
    ];
    let issued = issuers.iter().any(|(low, high, lengths)| {
        let first = number(&digits[..low.to_string().len()]);
        (low..=high).contains(&&first) && lengths.contains(&digits.len())
    });
    let sum: u32 =
        digits.iter().rev().enumerate().map(|(at, digit)| [*digit, digit * 2 / 10 + digit * 2 % 10][at % 2]).sum();
    issued && sum.is_multiple_of(10)
}

fn iban(bytes: &[u8]) -> bool {
    const LENGTHS: &str = "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 \
        EG29 ES24 FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 \
        LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 SC31 \
        SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30";
    let signs: String = text(bytes).chars().filter(char::is_ascii_alphanumeric).collect();
    let expected = format!("{}{}", &signs[..2], signs.len());
    let turned = [&signs[4..], &signs[..4]].concat();
    let decimal: String = turned.chars().map(|one| one.to_digit(36).unwrap().to_string()).collect();
    let rest = decimal.bytes().fold(0u64, |rest, digit| (rest * 10 + u64::from(digit - b'0')) % 97);
    LENGTHS.split(' ').any(|entry| entry == expected) && rest == 1
}

/// Weighed from the right, the rest of 11, as Brazil's registers do.
fn brazils(values: &[u32], weights: impl Iterator<Item = u32>) -> u32 {
    let sum: u32 = values.iter().rev().zip(weights).map(|(value, weight)| value * weight).sum();
    if sum % 11 < 2 { 0 } else { 11 - sum % 11 }
}

fn cpf(bytes: &[u8]) -> bool {
    let all = digits(bytes);
    let checks = [brazils(&all[..9], 2..), brazils(&all[..10], 2..)];
    all.len() == 11 && all[9..] == checks && all.iter().any(|digit| *digit != all[0])
}

fn cnpj(bytes: &[u8]) -> bool {
    let all: Vec<u32> =
        bytes.iter().filter(|byte| byte.is_ascii_alphanumeric()).map(|byte| u32::from(*byte) - 48).collect();
    let weights = || (2..=9).cycle();
    let checks = [brazils(&all[..12], weights()), brazils(&all[..13], weights())];
    all.len() == 14 && all[12..] == checks && all.iter().any(|value| *value != all[0])
}

const AREAS: &[u64] = &[
    11, 12, 13, 14, 15, 16, 17, 18, 19, 21, 22, 24, 27, 28, 31, 32, 33, 34, 35, 37, 38, 41, 42, 43, 44, 45, 46, 47, 48,
    49, 51, 53, 54, 55, 61, 62, 63, 64, 65, 66, 67, 68, 69, 71, 73, 74, 75, 77, 79, 81, 82, 83, 84, 85, 86, 87, 88, 89,
    91, 92, 93, 94, 95, 96, 97, 98, 99,
];

fn brazilian(all: &[u32], bare: bool) -> bool {
    let rest = if all.len() >= 12 && all[..2] == [5, 5] { &all[2..] } else { all };
    let rest = if rest[0] == 0 { &rest[1..] } else { rest };
    let area = AREAS.contains(&number(&rest[..2]));
    if all.len() == 10 && rest.len() == 10 {
        let [from, to] = [number(&rest[2..6]), number(&rest[6..])];
        if from / 100 == 20 && to / 100 == 20 && from < to {
            return false;
        }
    }
    match rest {
        [_, _, 9, last @ ..] if last.len() == 8 => area,
        [_, _, 2..=9, last @ ..] if last.len() == 7 => area,
        [9, last @ ..] if last.len() == 8 => bare,
        _ => false,
    }
}

fn phone(bytes: &[u8]) -> bool {
    const TWO: &str = "20 27 30 31 32 33 34 36 39 40 41 43 44 45 46 47 48 49 51 52 53 54 55 56 57 58 60 61 62 63 64 65 66 81 82 84 86 90 91 92 \
        93 94 95 98";
    const TENS: &str = "21 22 23 24 25 26 29 35 37 38 42 50 59 67 68 69 85 88 96 97 99";
    const UNUSED: &str = "210 214 215 217 219 259 292 293 294 295 296 384 388 422 424 425 426 427 428 429 693 694 695 696 697 698 699 969 978";
    let all = digits(bytes);
    let code: String = all[..3].iter().map(u32::to_string).collect();
    let says = |list: &str, code: &str| list.split(' ').any(|entry| entry == code);
    let inside_zero = text(bytes).contains("(0)");
    // The code ends at no sign, and what follows is neither a row of differences nor of decimals.
    let (head, rest) = text(bytes)[1..].split_at(if matches!(all[0], 1 | 7) {
        1
    } else if says(TWO, &code[..2]) {
        2
    } else {
        3
    });
    if head.contains(|one: char| !one.is_ascii_digit()) || rest.contains(" -") {
        return false;
    }
    if rest.starts_with('.') && rest.contains(' ') {
        return false;
    }
    match all[0] {
        1 => all.len() == 11 && all[1] > 1,
        7 => all.len() == 11 && all[1] > 2,
        _ if says(TWO, &code[..2]) && code.starts_with("55") => brazilian(&all, false),
        _ if says(TWO, &code[..2]) => {
            (10..=15).contains(&all.len()) && (all[2] != 0 || code.starts_with("39") || inside_zero)
        }
        _ => {
            let used = says(TENS, &code[..2]) && !says(UNUSED, &code);
            used && (7..=15).contains(&all.len()) && (all[3] != 0 || all[..2] == [3, 9] || inside_zero)
        }
    }
}

fn v4(bytes: &[u8]) -> Option<bool> {
    let address: Ipv4Addr = text(bytes).parse().ok()?;
    let [a, b, c, _] = address.octets();
    let special = address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_documentation()
        || matches!((a, b, c), (0 | 224.., ..) | (192, 0, 0) | (198, 18..=19, _) | (100, 64..=127, _));
    let small = address.octets().into_iter().max() < Some(32);
    let version = bytes.len() < 8 || !special && (small || b | c == 0);
    (!version).then_some(!special)
}

fn v6(bytes: &[u8]) -> Option<bool> {
    // An IPv4 address in it is held to the same rules as one alone.
    if let Some(at) = text(bytes).rfind(':').filter(|_| bytes.contains(&b'.')) {
        v4(&bytes[at + 1..])?;
    }
    let address: Ipv6Addr = text(bytes).parse().ok()?;
    let [first, second, ..] = address.segments();
    Some(first & 0xE000 == 0x2000 && (first, second) != (0x2001, 0xDB8) && bytes.len() <= 45)
        .filter(|_| bytes.len() > 2)
}

fn boleto(bytes: &[u8]) -> bool {
    let all = digits(bytes);
    let by_10 = |field: &[u32]| {
        let sum: u32 =
            field.iter().rev().enumerate().map(|(at, digit)| [digit * 2 / 10 + digit * 2 % 10, *digit][at % 2]).sum();
        (10 - sum % 10) % 10
    };
    let holds = |field: &[u32], by: &dyn Fn(&[u32]) -> u32| by(&field[..field.len() - 1]) == field[field.len() - 1];
    match all.len() {
        47 => [&all[..10], &all[10..21], &all[21..32]].iter().all(|field| holds(field, &by_10)),
        48 if matches!(all[2], 6 | 7) => all.chunks(12).all(|field| holds(field, &by_10)),
        48 => all.chunks(12).all(|field| holds(field, &|values| brazils(values, (2..=9).cycle()))),
        _ => false,
    }
}
