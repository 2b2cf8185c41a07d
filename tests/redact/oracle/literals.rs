//! Known values and blocked terms as the oracle understands them: every form of a value, every run of characters that
//! folds to a term, tried at every place.

/// What one rule looks for.
pub enum Literal {
    /// These texts, byte by byte.
    Forms(Vec<String>),
    /// These words, whatever their case.
    Terms(Vec<&'static str>),
}

impl Literal {
    /// Ends of the matches that start here, rising.
    pub fn ends(&self, text: &str, from: usize) -> Vec<usize> {
        if !text.is_char_boundary(from) {
            return Vec::new();
        }
        let rest = &text[from..];
        let mut ends: Vec<usize> = match self {
            Literal::Forms(forms) => {
                forms.iter().filter(|form| rest.starts_with(form.as_str())).map(|form| from + form.len()).collect()
            }
            Literal::Terms(terms) if !terms.iter().any(|term| begins(term, rest)) => Vec::new(),
            Literal::Terms(terms) => rest
                .char_indices()
                .map(|(at, one)| from + at + one.len_utf8())
                .take(60)
                .filter(|to| terms.iter().any(|term| is_term(term, text, from, *to)))
                .collect(),
        };
        ends.sort_unstable();
        ends
    }
}

/// True if they fold to the same first character.
fn begins(term: &str, rest: &str) -> bool {
    let first = |text: &str| text.chars().next().and_then(|one| folded(one.encode_utf8(&mut [0; 4]))?.chars().next());
    first(term) == first(rest)
}

fn is_term(term: &str, text: &str, from: usize, to: usize) -> bool {
    let before = text[..from].chars().next_back();
    let behind = text[to..].chars().next();
    let beside = |edge: Option<char>, other: Option<char>| edge.is_some_and(is_letter) && other.is_some_and(is_letter);
    folded(&text[from..to]).is_some_and(|folded_text| Some(folded_text) == folded(term))
        && !beside(term.chars().next(), before)
        && !beside(term.chars().next_back(), behind)
}

fn is_letter(one: char) -> bool {
    one.is_ascii_alphanumeric() || ('\u{C0}'..='\u{1FFF}').contains(&one)
}

/// Lower case, `ß` as `ss`, up to sixteen characters of white space as one.
fn folded(text: &str) -> Option<String> {
    let mut out = String::new();
    for run in text.chars().collect::<Vec<_>>().chunk_by(|one, other| one.is_whitespace() && other.is_whitespace()) {
        match run {
            [one, ..] if one.is_whitespace() && run.len() <= 16 => out.push(' '),
            [one] if !one.is_whitespace() => out += &one.to_lowercase().to_string().replace('ß', "ss"),
            _ => return None,
        }
    }
    Some(out)
}

/// The forms of a value of plain letters, digits and hyphens: JSON and URLs leave it as it is.
pub fn forms(value: &str) -> Vec<String> {
    let hex: String = value.bytes().map(|byte| format!("{byte:02x}")).collect();
    let mut forms = vec![value.to_owned(), hex.to_uppercase(), hex];
    for alphabet in ["+/", "-_"].map(letters) {
        for before in 0..3 {
            // Six bits a letter: those that hold a bit of what stands before are left out.
            let bits: String = value.bytes().map(|byte| format!("{byte:08b}")).collect();
            let bits = &bits[(6 - before * 8 % 6) % 6..];
            let letter = |bits: &str| alphabet[usize::from_str_radix(bits, 2).unwrap()];
            let whole: Vec<&str> = (0..bits.len() / 6).map(|at| &bits[at * 6..at * 6 + 6]).collect();
            let sure: String = whole.iter().map(|bits| letter(bits)).collect();
            let rest = &bits[whole.len() * 6..];
            if !rest.is_empty() {
                let ended = [sure.clone(), letter(&format!("{rest:0<6}")).to_string()].concat();
                forms.push([ended.as_str(), if rest.len() == 2 { "==" } else { "=" }].concat());
                forms.push(ended);
            }
            forms.push(sure);
        }
    }
    forms
}

fn letters(last: &str) -> Vec<char> {
    ('A'..='Z').chain('a'..='z').chain('0'..='9').chain(last.chars()).collect()
}
