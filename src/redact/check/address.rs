//! Addresses of networks.

/// For an IPv4 address, whether the public can reach it; none for what isn't one: a number above 255 or with a
/// zero before it, or a version, which four numbers of one digit are, and of those that are not private four below 32 and
/// those with two zeros in the middle (`120.0.0.0`).
pub(super) fn v4(text: &[u8]) -> Option<bool> {
    let mut numbers = [0u8; 4];
    let mut parts = text.split(|byte| *byte == b'.');
    for number in &mut numbers {
        let part = parts.next()?;
        if part.len() > 1 && part.first() == Some(&b'0') {
            return None;
        }
        *number = u8::try_from(number_of(part, 10, 3)?).ok()?;
    }
    if parts.next().is_some() || text.len() < 8 {
        return None;
    }
    let public = !reserved(numbers);
    let version = public && (numbers.iter().all(|number| *number < 32) || matches!(numbers, [_, 0, 0, _]));
    (!version).then_some(public)
}

/// The number that these digits are, if there are as many as are allowed.
fn number_of(part: &[u8], radix: u32, most: usize) -> Option<u32> {
    let sum = |number: u32, byte: &u8| Some(number * radix + char::from(*byte).to_digit(radix)?);
    (1..=most).contains(&part.len()).then(|| part.iter().try_fold(0, sum))?
}

/// True for an address with which no host on the Internet answers.
fn reserved(address: [u8; 4]) -> bool {
    match address {
        // This host, private, loopback, and from 224 on multicast and what is kept back.
        [0 | 10 | 127 | 224.., ..] => true,
        [172, second, ..] => (16..32).contains(&second),
        // Private, for documentation, for protocols.
        [192, 168, ..] | [192, 0, 0 | 2, _] | [198, 51, 100, _] | [203, 0, 113, _] => true,
        // Link-local, between a carrier and its customers, for measurements.
        [169, 254, ..] | [198, 18 | 19, ..] => true,
        [100, second, ..] => (64..128).contains(&second),
        _ => false,
    }
}

/// For an IPv6 address, whether the public can reach it; none for what isn't one.
pub(super) fn v6(text: &[u8]) -> Option<bool> {
    let cut = text.starts_with(b":") != text.starts_with(b"::") || text.ends_with(b":") != text.ends_with(b"::");
    if cut || text.len() > 45 || text.len() < 3 {
        return None;
    }
    let mut groups = 0;
    let mut gaps = 0;
    let mut first = 0;
    let mut second = 0;
    let mut start = 0;
    while start <= text.len() {
        let rest = text.get(start..)?;
        let length = rest.iter().position(|byte| *byte == b':').unwrap_or(rest.len());
        let part = rest.get(..length)?;
        if part.contains(&b'.') {
            // The last 32 bits as an IPv4 address.
            let last = start + length == text.len();
            v4(part).filter(|_| last)?;
            groups += 2;
        } else if part.is_empty() {
            // The gap; at an end it has two colons, so an empty part more.
            gaps += 1;
        } else {
            let value = number_of(part, 16, 4)?;
            if groups == 0 && gaps == 0 {
                first = value;
            }
            if groups == 1 && gaps == 0 {
                second = value;
            }
            groups += 1;
        }
        start += length + 1;
    }
    if text.starts_with(b"::") {
        gaps -= 1;
    }
    if text.ends_with(b"::") {
        gaps -= 1;
    }
    let whole = (gaps == 0 && groups == 8) || (gaps == 1 && groups < 8);
    // 2000::/3 without what is for documentation.
    whole.then_some((0x2000..0x4000).contains(&first) && (first, second) != (0x2001, 0xdb8))
}
