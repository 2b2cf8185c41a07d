//! What may stand around a value.

/// How much may stand beside a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edges {
    /// Signs, spaces and characters that are not ASCII.
    Strict,
    /// An escape or `_` too.
    Number,
    /// The digits of an escape in a URL too.
    Token,
}

const STRICT: &[(&str, &str)] = &[
    ("", ""),
    ("Use ", " for this."),
    ("", " is the one."),
    ("This is it: ", ""),
    ("{\"value\":\"", "\"}"),
    ("O valor é ", ", não o perca."),
    ("- **", "**\n"),
    ("| name | ", " |\n|---|---|"),
    ("Não envie ", " a ninguém!"),
    ("`", "`"),
    ("```sh\nexport VALUE=", "\n```"),
    ("let value = '", "';"),
    ("https://example.org/?q=", "&page=1"),
    ("(", ")"),
    ("«", "»"),
    ("“", "”…"),
    ("é", "ã"),
    ("日本", "語"),
    ("\u{1F3F4}", "\u{1F3F4}"),
    ("<td>", "</td>"),
    ("\t", "\r\n"),
    ("{\\\"value\\\": \\\"", "\\\"}"),
    ("[", "](#)"),
    ("value=", ";"),
    ("olá,\n\n> ", "\n\nobrigado"),
    ("print(f\"", "\")"),
];

const NUMBER: &[(&str, &str)] = &[("line\\n", "\\nnext"), ("\\t", "\\t"), ("\\r\\n", "\\r\\n"), ("value_", "")];

const TOKEN: &[(&str, &str)] = &[("value%3D", "%26page"), ("\\u0022", "\\u0022"), ("%22", "%22"), ("/v1/", "?x")];

/// The surroundings of that number; they come again and again.
pub fn at(edges: Edges, turn: usize) -> (&'static str, &'static str) {
    let all: &[&[(&str, &str)]] = match edges {
        Edges::Strict => &[STRICT],
        Edges::Number => &[STRICT, NUMBER],
        Edges::Token => &[STRICT, NUMBER, TOKEN],
    };
    let flat: Vec<&(&str, &str)> = all.iter().copied().flatten().collect();
    **flat.get(turn * 7 % flat.len()).unwrap()
}
