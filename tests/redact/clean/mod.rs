//! Clean text: chat, Markdown, tables, programs and logs, English and Brazilian, full of numbers, names and signs,
//! in which the rules that are on by default find nothing.

mod blocks;
mod english;
mod portuguese;
mod slots;

use super::corpus::Random;
use slots::{Language, fill};

/// How many bytes each text has at least.
pub const LENGTH: usize = 200_000;

/// Clean English text, always the same.
pub fn english() -> String {
    text(Language::English, english::SENTENCES, english::SHORT)
}

/// Clean text in the Portuguese of Brazil, always the same.
pub fn portuguese() -> String {
    text(Language::Portuguese, portuguese::SENTENCES, portuguese::SHORT)
}

fn text(language: Language, sentences: &[&str], short: &[&str]) -> String {
    let mut random = Random::new(language as u64 + 77);
    let mut out = String::new();
    let mut turn = 0;
    while out.len() < LENGTH {
        turn += 1;
        let random = &mut random;
        match random.below(14) {
            0..=6 => {
                for _ in 0..random.within(1, 5) {
                    // Each in its turn, so that none is left out.
                    turn += 1;
                    out.push_str(&fill(random, language, sentences[turn * 31 % sentences.len()]));
                    out.push(' ');
                }
                out.push_str("\n\n");
            }
            7 => {
                let heading = random.pick(&["## {word} {ver}\n\n", "# {word}\n\n", "### {order}: {word}\n\n"]);
                out.push_str(&fill(random, language, heading));
            }
            8 => {
                for number in 1..random.within(3, 7) {
                    let line = random.pick(short);
                    let line = fill(random, language, line);
                    match turn % 3 {
                        0 => out.push_str(&format!("{number}. {line}\n")),
                        1 => out.push_str(&format!("- [ ] {line}\n")),
                        _ => out.push_str(&format!("* **{line}**\n")),
                    }
                }
                out.push('\n');
            }
            9 => {
                let line = random.pick(short);
                out.push_str(&format!("> {}\n\n", fill(random, language, line)));
            }
            10 => {
                out.push_str("| x | y | z |\n|---|:---:|---:|\n");
                lines(random, language, blocks::ROWS, 8, &mut out);
                out.push('\n');
            }
            11 => {
                out.push_str("```log\n");
                lines(random, language, blocks::LOGS, 9, &mut out);
                out.push_str("```\n\n");
            }
            _ => {
                let block = random.pick(blocks::PROGRAMS);
                out.push_str(&fill(random, language, block));
                out.push_str("\n\n");
            }
        }
    }
    out
}

/// From two to `most` lines.
fn lines(random: &mut Random, language: Language, of: &[&str], most: usize, out: &mut String) {
    for _ in 0..random.within(2, most) {
        let line = random.pick(of);
        out.push_str(&fill(random, language, line));
        out.push('\n');
    }
}
