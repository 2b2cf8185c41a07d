//! Any text under any of some settings, in any pieces: no panic, what one piece comes to, every partial output a
//! beginning of the whole, and no more held back than may be.
//!
//! The first byte chooses the settings, the second the size of a piece in characters. A byte behind them is a scrap of which
//! secrets and the like are made, or a character.

#![no_main]

use lastword::redact::{Choice, HARD_HOLD, Known, Mode, OutputFilter, Overflow, Pattern, Plan, Settings, Style, rules};
use libfuzzer_sys::fuzz_target;
use std::cell::RefCell;
use std::rc::Rc;

const SCRAPS: [&str; 56] = [
    "sk-",
    "ant-",
    "proj-",
    "ghp_",
    "glpat-",
    "xoxb-",
    "AKIA",
    "AIza",
    "eyJ",
    "hbGciOi",
    ".eyJ",
    "SG.",
    "npm_",
    "-----BEGIN ",
    "RSA ",
    "PRIVATE KEY-----",
    "-----END",
    "Bearer ",
    "Authorization: Basic ",
    "://",
    "@",
    ".com",
    ".br",
    "user:",
    "+55",
    "(11)",
    "4111",
    "1111",
    "529.982.247-25",
    "11.222.333/0001-81",
    "DE89 3704 ",
    "0044 ",
    "::",
    "2001:",
    "192.168.",
    "[",
    "](",
    "![",
    "<img src=",
    "https://",
    "\u{200b}",
    "\u{1b}[",
    "\u{e0041}",
    "\u{200d}",
    "é",
    "日本",
    "🏴",
    "\n",
    "\\n",
    "\"",
    "qa",
    "z",
    "ab",
    "hunter22",
    "Falcon",
    "ß",
];

thread_local! {
    static PLANS: RefCell<Vec<Option<Rc<Plan>>>> = const { RefCell::new(Vec::new()) };
}

fn settings(choice: u8) -> Settings {
    let mut settings = Settings::default();
    if choice & 1 != 0 {
        settings.rules = rules().iter().map(|rule| (rule.name.to_owned(), true)).collect();
    }
    if choice & 2 != 0 {
        let policy = [Overflow::Redact, Overflow::Release, Overflow::Abort][usize::from(choice >> 6) % 3];
        let own = |name: &str, pattern: &str| Pattern { name: name.to_owned(), pattern: pattern.to_owned() };
        settings.patterns = vec![own("quoted", "q[^z]*z"), own("edges", r"\b(?i:ab)+\B|^é+$")];
        settings.max_hold = Choice { by: vec![("quoted".to_owned(), 12)], ..settings.max_hold };
        settings.overflow = Choice { default: policy, by: Vec::new() };
    }
    if choice & 4 != 0 {
        settings.values = vec![Known { name: None, value: "hunter22".to_owned() }];
        settings.blocklist = vec!["falcon".to_owned(), "ss ab".to_owned()];
    }
    if choice & 8 != 0 {
        settings.style.by = vec![("pii".to_owned(), Style::LastFour), ("secrets".to_owned(), Style::SameLength)];
    }
    if choice & 16 != 0 {
        settings.allow.links = Some(vec!["*.example.com".to_owned()]);
        settings.allow.images = Some(Vec::new());
    }
    if choice & 32 != 0 {
        settings.mode = if choice & 64 != 0 { Mode::Block } else { Mode::DryRun };
    }
    settings
}

fn plan(choice: u8) -> Rc<Plan> {
    PLANS.with_borrow_mut(|plans| {
        plans.resize(256, None);
        plans[usize::from(choice)].get_or_insert_with(|| Rc::new(Plan::new(&settings(choice)).unwrap())).clone()
    })
}

fuzz_target!(|input: &[u8]| {
    let [choice, size, scraps @ ..] = input else { return };
    let text: String = scraps.iter().map(|byte| scrap(*byte)).collect();
    let characters: Vec<char> = text.chars().collect();
    let plan = plan(*choice);
    let run = |size: usize| {
        let mut filter = OutputFilter::with(plan.clone());
        let mut parts = Vec::new();
        for piece in characters.chunks(size.max(1)) {
            parts.push(filter.push(&piece.iter().collect::<String>()));
            assert!(filter.held() <= HARD_HOLD);
        }
        parts.push(filter.flush());
        parts
    };
    let whole = run(characters.len()).concat();
    let mut so_far = String::new();
    for part in run(usize::from(*size) % 32) {
        so_far.push_str(&part);
        assert!(whole.starts_with(&so_far));
    }
    assert_eq!(whole, so_far);
});

fn scrap(byte: u8) -> String {
    match SCRAPS.get(usize::from(byte)) {
        Some(scrap) => (*scrap).to_owned(),
        None => char::from(byte).to_string(),
    }
}
