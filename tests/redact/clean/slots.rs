//! What changes in a sentence: numbers, dates, prices, names.

use crate::corpus::{Random, lookalikes, make};

/// The language of a text, which decides how numbers are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    English,
    Portuguese,
}

/// The text with every `{slot}` filled. Braces around anything else stay.
pub fn fill(random: &mut Random, language: Language, template: &str) -> String {
    let mut out = String::new();
    let mut rest = template;
    while let Some(at) = rest.find('{') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let value = rest.find('}').and_then(|end| Some((end, slot(random, language, &rest[1..end])?)));
        let (length, value) = value.map_or((1, "{".to_owned()), |(end, value)| (end + 1, value));
        out.push_str(&value);
        rest = &rest[length..];
    }
    out.push_str(rest);
    out
}

const NAMES: &[&str] = &[
    "Ana", "Bruno", "Célia", "Davi", "Elisa", "Fábio", "Grace", "Hugo", "Inês", "João", "Karen", "Luís", "Mary",
    "Noah", "Olívia", "Pedro",
];
const ENGLISH: &[&str] = &[
    "release", "invoice", "cache", "queue", "worker", "backup", "index", "report", "latency", "schema", "rollout",
    "ticket", "parser", "budget",
];
const PORTUGUESE: &[&str] = &[
    "versão",
    "fatura",
    "estoque",
    "fila",
    "pedido",
    "cópia",
    "índice",
    "relatório",
    "entrega",
    "reunião",
    "cadastro",
    "orçamento",
    "ação",
    "atenção",
];
const FILES: &[&str] = &[
    "main.rs",
    "index.tsx",
    "app.py",
    "go.mod",
    "package-lock.json",
    "icon@2x.png",
    "relatório_final.pdf",
    "Dockerfile",
    "a.b.c.test.js",
    ".env.example",
];
const HOSTS: &[&str] =
    &["example.com", "docs.example.org", "api.example.net", "localhost", "intranet.local", "shop.example.com.br"];
const PACKAGES: &[&str] = &["react", "@types/node", "lodash.merge", "serde_json", "@scope/pkg", "numpy", "left-pad"];

fn slot(random: &mut Random, language: Language, name: &str) -> Option<String> {
    let english = language == Language::English;
    let (year, month, day) = (random.within(1990, 2031), random.within(1, 12), random.within(1, 28));
    let (hour, minute, second) = (random.below(24), random.below(60), random.below(60));
    Some(match name {
        "n" => random.below(10_000).to_string(),
        "d" => random.within(1, 31).to_string(),
        "big" => {
            let length = random.within(5, 22);
            number(random, length)
        }
        "order" => match random.below(6) {
            0 => format!("#{}", random.within(1000, 99_999_999)),
            1 => format!("PED-{year}-{:06}", random.below(999_999)),
            2 => format!("INC{:07}", random.below(9_999_999)),
            3 => format!("ORD_{}", random.text(make::UPPERS, 8)),
            4 => format!("{}-{}", random.text(make::UPPER, 3), random.below(100_000)),
            _ => format!("BR{}", number(random, 9)),
        },
        "date" => match (random.below(5), english) {
            (0, _) => format!("{year}-{month:02}-{day:02}"),
            (1, true) => format!("{month:02}/{day:02}/{year}"),
            (2, true) => format!("March {day}, {year}"),
            (1, false) => format!("{day:02}/{month:02}/{year}"),
            (2, false) => format!("{day} de março de {year}"),
            (3, _) => format!("{day:02}.{month:02}.{year}"),
            _ => format!("{year}{month:02}{day:02}"),
        },
        "time" => match random.below(4) {
            0 => format!("{hour:02}:{minute:02}"),
            1 => format!("{hour:02}:{minute:02}:{second:02}"),
            2 if !english => format!("{hour}h{minute:02}"),
            2 => format!("{}:{minute:02} {}", 1 + hour % 12, if hour < 12 { "AM" } else { "PM" }),
            _ => format!("{hour:02}:{minute:02}:{second:02}.{:03}", random.below(1000)),
        },
        "iso" => match random.below(4) {
            0 => format!("{year}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z"),
            1 => format!(
                "{year}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{:06}-03:00",
                random.below(999_999)
            ),
            2 => format!("{year}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02},{:03}", random.below(1000)),
            _ => (1_600_000_000_000u64 + random.below(199_999_999) as u64 * 997).to_string(),
        },
        "price" if english => match random.below(4) {
            0 => format!("${}.{:02}", random.below(1000), random.below(100)),
            1 => format!("${},{:03}.{:02}", random.within(1, 999), random.below(1000), random.below(100)),
            2 => format!("€{},{:03},{:03}", random.within(1, 99), random.below(1000), random.below(1000)),
            _ => format!("USD {}k", random.below(900)),
        },
        "price" => match random.below(4) {
            0 => format!("R$ {},{:02}", random.below(1000), random.below(100)),
            1 => format!("R$ {}.{:03},{:02}", random.within(1, 999), random.below(1000), random.below(100)),
            2 => format!("R$ {}.{:03}.{:03},00", random.within(1, 99), random.below(1000), random.below(1000)),
            _ => format!("R$ {} mil", random.below(900)),
        },
        "pct" => format!("{}{}{}%", random.below(100), if english { "." } else { "," }, random.below(10)),
        "float" => format!("{}.{}", random.below(10), random.text(make::DIGITS, 16)),
        "ver" => match random.below(6) {
            0 => format!("v{}.{}.{}", random.below(40), random.below(40), random.below(40)),
            1 => format!("{}.{}.{}", random.below(40), random.below(40), random.below(40)),
            2 => format!("{}.{}", random.below(40), random.below(40)),
            3 => format!("{}.0.{}.{}", random.within(90, 140), random.within(1000, 7000), random.within(10, 200)),
            4 => format!("{}.{}.{}.{}", random.below(10), random.below(10), random.below(10), random.below(10)),
            _ => format!("{}.{}.{}-rc.{}", random.below(20), random.below(40), random.below(9), random.below(9)),
        },
        "uuid" => lookalikes::uuid(random),
        "sha" => {
            let length = random.pick(&[7, 8, 12, 40, 64]);
            random.text(make::HEX, length)
        }
        "b64" => {
            let length = random.within(20, 160);
            ["iVBORw0KGgoAAAANSUhEUg", &random.text(make::BASE64, length), "="].concat()
        }
        "color" => ["#", &random.text(make::HEX, 6)].concat(),
        "isbn" => format!("978-85-{}-{:04}-{}", random.within(100, 999), random.below(10_000), random.below(10)),
        "ean" => ["789", &number(random, 10)].concat(),
        "url" => {
            let (host, path) = (
                random.pick(HOSTS),
                random.pick(&["", "/", "/v1/items", "/a/b.html#top", "/search?q=a+b&page=2", "/@ana/posts"]),
            );
            match random.below(4) {
                0 => format!("http://{host}:{}{path}", random.within(1000, 65_000)),
                1 => format!("https://{host}{path}?id={}", random.below(999_999)),
                2 => format!("ws://127.0.0.1:{}", random.within(1000, 9999)),
                _ => format!("https://{host}{path}"),
            }
        }
        "path" => match random.below(4) {
            0 => format!("/var/log/app/{year}-{month:02}/{}", random.pick(FILES)),
            1 => format!("C:\\Users\\{}\\docs\\{}", random.pick(NAMES), random.pick(FILES)),
            2 => format!(
                "src/{}/{}:{}:{}",
                random.pick(ENGLISH),
                random.pick(FILES),
                random.below(900),
                random.below(80)
            ),
            _ => format!("~/.cache/{}/{}", random.text(make::HEX, 12), random.pick(FILES)),
        },
        "file" => random.pick(FILES).to_owned(),
        "pkg" => format!("{}@{}.{}.{}", random.pick(PACKAGES), random.below(30), random.below(30), random.below(30)),
        "name" => random.pick(NAMES).to_owned(),
        "user" => format!("@{}", random.pick(&["ana", "dev-team", "bruno_s", "channel", "everyone"])),
        "word" => random.pick(if english { ENGLISH } else { PORTUGUESE }).to_owned(),
        "id" => match random.below(5) {
            0 => format!("task-{}", random.text(make::HEX, 12)),
            1 => format!("disk-{}", random.text(make::HEX, 24)),
            2 => format!("call_{}", random.text(make::LETTERS, 24)),
            3 => format!("msg_{}", random.text(make::LETTERS, 26)),
            _ => random.text("0123456789ABCDEFGHJKMNPQRSTVWXYZ", 26),
        },
        "private" => match random.below(4) {
            0 => format!("192.168.{}.{}", random.below(256), random.below(256)),
            1 => format!("10.{}.{}.{}", random.below(256), random.below(256), random.below(256)),
            2 => format!("127.0.0.1:{}", random.within(1000, 65_000)),
            _ => format!("172.16.{}.{}/16", random.below(256), random.below(256)),
        },
        "coords" => {
            format!("-{}.{}, -{}.{}", random.within(1, 33), number(random, 6), random.within(34, 70), number(random, 6))
        }
        "list" => (0..random.within(5, 20)).map(|_| random.below(100).to_string()).collect::<Vec<_>>().join(" "),
        "csv" => (0..random.within(4, 9)).map(|_| random.below(10_000).to_string()).collect::<Vec<_>>().join(","),
        "mask" => random
            .pick(&[
                "***.982.247-**",
                "**** **** **** 4242",
                "sk-...",
                "AKIA…EXAMPLE",
                "eyJ...",
                "ghp_xxxx",
                "+55 (xx) 9xxxx-xxxx",
                "xxx.xxx.xxx-xx",
            ])
            .to_owned(),
        _ => return None,
    })
}

/// So many digits. A number that is somebody's by chance, with the right check digits, is no clean text: another is
/// drawn.
fn number(random: &mut Random, length: usize) -> String {
    loop {
        let text =
            [random.pick(&["1", "2", "3", "4", "5", "6", "7", "8", "9"]), &random.text(make::DIGITS, length - 1)]
                .concat();
        if !make::has_right_checks(&text) {
            return text;
        }
    }
}
