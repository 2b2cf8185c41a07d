//! What is full of digits, letters and signs, and nothing that any rule is to find.

use super::make::{self, Random};

/// A UUID of version 4.
pub fn uuid(random: &mut Random) -> String {
    let hex = |random: &mut Random, length| random.text(make::HEX, length);
    let (one, two, three) = (hex(random, 8), hex(random, 4), hex(random, 3));
    let variant = random.pick(&["8", "9", "a", "b"]);
    format!("{one}-{two}-4{three}-{variant}{}-{}", hex(random, 3), hex(random, 12))
}

/// Many kinds, one of each.
pub fn all(random: &mut Random) -> Vec<String> {
    let mut out = vec![
        uuid(random),
        random.text(make::HEX, 40),
        random.text(make::HEX, 64),
        random.text(make::HEX, 7),
        ["data:image/png;base64,iVBORw0KGgo", &random.text(make::BASE64, 200), "=="].concat(),
        ["sha512-", &random.text(make::BASE64, 86), "=="].concat(),
        format!(
            "2026-{:02}-{:02}T{:02}:{:02}:{:02}.123456Z",
            1 + random.below(12),
            1 + random.below(28),
            random.below(24),
            random.below(60),
            random.below(60)
        ),
        format!(
            "{:02}/{:02}/2026 {:02}h{:02}",
            1 + random.below(28),
            1 + random.below(12),
            random.below(24),
            random.below(60)
        ),
        format!("pedido #{}", 100_000 + random.below(900_000)),
        format!("R$ {}.{:03},{:02}", random.within(1, 999), random.below(1000), random.below(100)),
        format!("US$ {},{:03}.{:02}", random.within(1, 999), random.below(1000), random.below(100)),
        format!("v{}.{}.{}-rc.{}", random.below(30), random.below(30), random.below(30), random.below(9)),
        format!("0.{}", random.text(make::DIGITS, 16)),
    ];
    let fixed = [
        "ISBN 978-85-333-0227-3",
        "ISBN 978-0-306-40615-7",
        "EAN 7891000315507",
        "task-force and risk-averse",
        "a task-internationalization-of-everything",
        "disk-encryption-at-rest-by-default",
        "#1a2b3c and #ffffff80",
        "@maria, see @types/node",
        "icon@2x.png",
        "sk-...",
        "AKIA…EXAMPLE",
        "max-width: 1234567px",
        "1,234,567.89",
        "12:34:56.789",
        "1.2.3.4",
        "std::collections::HashMap",
        "Bearer token authentication",
        "Basic authentication",
        "C:\\Users\\ana\\file.txt",
        "/usr/lib/x86_64-linux-gnu/libc.so.6",
        "http://localhost:3000/path?x=1#y",
        "-----BEGIN CERTIFICATE-----",
        "eyJ",
        "a -> b, c => d, e != f",
        "1999-2026, pp. 123-145",
        "50% + 25% = 75%",
        "npm_config_registry and hf_hub_download",
        "react@18.2.0",
    ];
    out.extend(fixed.map(str::to_owned));
    out
}
