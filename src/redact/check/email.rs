//! E-mail addresses.

/// Last labels that are endings of files and no top-level domains.
const FILES: &[&str] = &[
    "png", "jpg", "jpeg", "gif", "svg", "webp", "avif", "ico", "bmp", "heic", "pdf", "css", "scss", "less", "js",
    "jsx", "mjs", "cjs", "ts", "tsx", "vue", "json", "html", "htm", "xml", "yml", "yaml", "toml", "txt", "lock", "tgz",
    "gz", "whl", "jar", "exe", "dll", "map", "woff", "ttf", "otf", "wav", "ogg", "webm", "csv", "log", "sql",
];

/// True unless the part behind the at sign is the rest of a file's name, begins with two numbers as a version
/// does, or has a label that is too long. What stands before the at sign is not looked at, but for a `git` alone:
/// that is how repositories are named.
pub(super) fn email(text: &[u8]) -> bool {
    let plain = text.iter().position(|byte| *byte == b'@').map(|at| (at, at + 1));
    let sign = plain.or_else(|| text.windows(3).rposition(|part| part == b"%40").map(|at| (at, at + 3)));
    let (end, start) = sign.unwrap_or_default();
    let local = text.get(..end).unwrap_or_default();
    let domain = text.get(start..).unwrap_or_default();
    let labels = || domain.split(|byte| *byte == b'.');
    let last = labels().next_back().unwrap_or_default();
    let file = FILES.iter().any(|ending| ending.as_bytes().eq_ignore_ascii_case(last));
    let numbers = labels().take_while(|label| label.iter().all(u8::is_ascii_digit)).count();
    local != b"git" && !last.is_empty() && !file && numbers < 2 && labels().all(|label| label.len() <= 63)
}
