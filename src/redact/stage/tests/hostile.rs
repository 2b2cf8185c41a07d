//! Random hostile text, cut at random: one output, no matter how, and nothing in it that may not be there.

use super::{Both, pieces, whole};
use crate::redact::stage::{Escapes, Stage};
use icu_properties::props::{DefaultIgnorableCodePoint, Emoji, Script};
use icu_properties::{CodePointMapData, CodePointSetData};

/// What the texts are made of: what the stages look for, what they keep it beside, and plain text.
const SCRAPS: &str = "\u{1b}\u{1b}\u{1b}\u{1b}[[]]P^_Xk\\\\(#7cm;31?A \u{7}\u{7}\u{9c}\u{9b}\u{9d}\u{90}\u{98}\u{9e}\
    \u{9f}\u{85}\u{80}\u{18}\u{1a}\u{8}\0\u{7f}\n\t\ré§¬âðab*-\u{ad}\u{34f}\u{61c}\u{115f}\u{1160}\u{3164}\u{ffa0}\
    \u{180b}\u{180e}\u{180f}\u{200b}\u{200c}\u{200c}\u{200d}\u{200d}\u{200d}\u{200d}\u{200e}\u{200f}\u{202a}\u{202e}\
    \u{2060}\u{2062}\u{2064}\u{2066}\u{2069}\u{206f}\u{feff}\u{fe00}\u{fe01}\u{fe0e}\u{fe0f}\u{fe0f}\u{fe0f}\u{fff9}\
    \u{fffb}\u{1d173}\u{e0001}\u{e0020}\u{e0041}\u{e0061}\u{e0062}\u{e0067}\u{e0067}\u{e0031}\u{e007f}\u{e007f}\
    \u{e0100}\u{e011f}\u{e0120}\u{e01ef}\u{20e3}©❤👩👨🏽♀🏴🏴🏴🏴🇧字𠮷مשׁَक्ക്র්ᠠᠷสកᄀ각“…";

struct Random(u64);

impl Random {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % most
    }
}

fn text(random: &mut Random, scraps: &[char]) -> String {
    let length = 1 + random.below(40);
    // Of few characters, so that they meet.
    let few: Vec<char> = (0..3 + random.below(8)).map(|_| scraps[random.below(scraps.len())]).collect();
    (0..length)
        .map(|_| if random.below(4) == 0 { scraps[random.below(scraps.len())] } else { few[random.below(few.len())] })
        .collect()
}

fn cut<'a>(text: &'a str, random: &mut Random) -> Vec<&'a str> {
    let (mut pieces, mut from) = (Vec::new(), 0);
    let every = 1 + random.below(6);
    for (at, _) in text.char_indices() {
        if random.below(every) == 0 {
            pieces.push(&text[from..at]);
            from = at;
        }
    }
    pieces.push(&text[from..]);
    pieces
}

#[test]
fn any_cut_comes_to_the_same_and_leaves_nothing_forbidden() {
    let scraps: Vec<char> = SCRAPS.chars().collect();
    let (mut random, unicode) = (Random(0x9e37_79b9_7f4a_7c15), Unicode::new());
    let (mut cuts, mut stayed) = (0, 0);
    for _ in 0..100_000 {
        let text = text(&mut random, &scraps);
        let expected = whole(&text);
        for _ in 0..3 {
            let cut = cut(&text, &mut random);
            let (out, given) = pieces(cut.iter().copied());
            assert_eq!(out, expected, "{}", text.escape_unicode());
            assert!(given.iter().all(|given| expected.starts_with(given.as_str())), "{}", text.escape_unicode());
            cuts += 1;
        }
        assert_eq!(whole(&expected), expected, "again: {}", text.escape_unicode());
        let left: Vec<char> = expected.chars().collect();
        stayed += unicode.check(&left).unwrap_or_else(|at| {
            panic!("{:?} at {at} of {} from {}", left[at], expected.escape_unicode(), text.escape_unicode())
        });
        let visible = |text: &str| text.chars().filter(|c| !unicode.invisible(*c)).collect::<String>();
        assert_eq!(visible(&expected), visible(&without_escapes(&text)), "{}", text.escape_unicode());
        assert_eq!(unsplit(&text), without_escapes(&text), "{}", text.escape_unicode());
    }
    assert_eq!(cuts, 300_000);
    assert!(stayed > 10_000, "the texts have invisible characters that stay: {stayed}");
}

fn unsplit(text: &str) -> String {
    let (mut stage, mut out) = (Escapes::default(), String::new());
    stage.push(text, &mut out);
    stage.flush(&mut out);
    out
}

/// What the escapes stage is to give, told by looking ahead in the whole text.
fn without_escapes(text: &str) -> String {
    let unicode = Unicode::new();
    let all: Vec<char> = text.chars().collect();
    let (mut out, mut at) = (String::new(), 0);
    let control = |c: char| c.is_control() && !"\t\n\r".contains(c);
    // Where UTF-8 that was read byte by byte would go on.
    let wrong = |at: usize| {
        let before = all[..at].iter().rev().take_while(|c| !c.is_ascii()).enumerate();
        let lead = before.into_iter().find(|(_, c)| ('\u{c2}'..='\u{f4}').contains(*c));
        lead.is_some_and(|(more, c)| more < (*c as u8).leading_ones() as usize - 1)
    };
    while at < all.len() {
        let opener = match all[at] {
            '\u{80}'..='\u{9f}' if wrong(at) => ' ',
            other => other,
        };
        let opener = match opener {
            ' ' if all[at] != ' ' => {
                at += 1;
                continue;
            }
            '\u{1b}' => '\u{1b}',
            '\u{9b}' => '[',
            '\u{9d}' => ']',
            '\u{90}' | '\u{98}' | '\u{9e}' | '\u{9f}' => 'P',
            other => {
                out.extend(Some(other).filter(|other| !control(*other)));
                at += 1;
                continue;
            }
        };
        let short = all[at] != '\u{1b}';
        at += 1;
        // What a sequence lets through, and what of it is no part of it.
        let step = |at: &mut usize, out: &mut String| loop {
            match all.get(*at) {
                Some('\t' | '\n' | '\r') => out.push(all[*at]),
                Some(c) if unicode.invisible(*c) => {}
                Some('\0'..='\u{17}' | '\u{19}' | '\u{1c}'..='\u{1f}' | '\u{7f}') => {}
                other => return other.copied(),
            }
            *at += 1;
        };
        let lower = |c: char| if ('\u{a0}'..='\u{ff}').contains(&c) { (c as u8 & 0x7f) as char } else { c };
        let mut kind = opener;
        if opener == '\u{1b}' {
            match step(&mut at, &mut out).map(|c| (c, lower(c))) {
                Some((_, '[')) => kind = '[',
                Some((_, ']')) => kind = ']',
                Some((_, 'P' | 'X' | '^' | '_' | 'k')) => kind = 'P',
                Some((_, ' '..='/')) => {}
                Some((c, _)) if c.is_control() || c > '\u{ff}' => continue,
                Some(_) => {
                    at += 1;
                    continue;
                }
                None => break,
            }
            at += 1;
        }
        match kind {
            '[' | '\u{1b}' => {
                let inside = if kind == '[' { ' '..='?' } else { ' '..='/' };
                while step(&mut at, &mut out)
                    .is_some_and(|c| inside.contains(&lower(c)) && !('\u{80}'..'\u{a0}').contains(&c))
                {
                    at += 1;
                }
                at += usize::from(all.get(at).is_some_and(|c| !c.is_control() && *c <= '\u{ff}'));
            }
            kind => {
                let ends = |c: &char| {
                    "\u{1b}\u{18}\u{1a}\u{9c}".contains(*c) || *c == '\u{7}' && kind == ']' || *c == '\n' && short
                };
                at = all[at..].iter().position(ends).map_or(all.len(), |more| at + more);
                // The one that opens another is read again, and a newline.
                at += usize::from(all.get(at).is_some_and(|c| !"\u{1b}\n".contains(*c)));
            }
        }
    }
    out
}

/// What may be left, told by Unicode's own properties and by position.
struct Unicode;

impl Unicode {
    fn new() -> Self {
        Unicode
    }

    fn invisible(&self, c: char) -> bool {
        CodePointSetData::new::<DefaultIgnorableCodePoint>().contains(c)
            || matches!(c, '\u{202a}'..='\u{202e}' | '\u{fff9}'..='\u{fffb}')
    }

    fn emoji(&self, c: Option<&char>) -> bool {
        c.is_some_and(|c| !c.is_ascii() && CodePointSetData::new::<Emoji>().contains(*c))
    }

    fn script(&self, c: Option<&char>) -> Script {
        c.map_or(Script::Unknown, |c| CodePointMapData::<Script>::new().get(*c))
    }

    /// How many invisible characters there are; where one is that may not be.
    fn check(&self, text: &[char]) -> Result<usize, usize> {
        let mut found = 0;
        let mut at = 0;
        while at < text.len() {
            let c = text[at];
            if c.is_control() && !"\t\n\r".contains(c) {
                return Err(at);
            }
            if self.invisible(c) {
                let flag = self.flag(text, at);
                if flag == 0 && !self.may(text, at) {
                    return Err(at);
                }
                // Neither may it stand within anything in ASCII.
                let beside = |mut near: Box<dyn Iterator<Item = &char> + '_>| {
                    near.find(|c| !self.invisible(**c)).is_some_and(|c| !c.is_ascii())
                };
                if !beside(Box::new(text[..at].iter().rev())) && !beside(Box::new(text[at..].iter())) {
                    return Err(at);
                }
                found += 1;
                at += flag.saturating_sub(1);
            }
            at += 1;
        }
        Ok(found)
    }

    /// How many tags there are from here, if they make a flag.
    fn flag(&self, text: &[char], at: usize) -> usize {
        let tags: String = text[at..]
            .iter()
            .map_while(|c| char::from_u32((*c as u32).checked_sub(0xe0000)?).filter(char::is_ascii))
            .collect();
        let Some((region, _)) = tags.split_once('\u{7f}') else { return 0 };
        let fine = region.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
            && region.bytes().take(2).all(|byte| byte.is_ascii_lowercase())
            && (3..=5).contains(&region.len());
        if fine && at > 0 && text[at - 1] == '🏴' { region.len() + 1 } else { 0 }
    }

    fn may(&self, text: &[char], at: usize) -> bool {
        let near = |step: isize| at.checked_add_signed(step).and_then(|at| text.get(at));
        let (before, after) = (near(-1), near(1));
        let shaped = |c: Option<&char>| {
            matches!(
                self.script(c),
                Script::Arabic
                    | Script::Devanagari
                    | Script::Bengali
                    | Script::Malayalam
                    | Script::Sinhala
                    | Script::Mongolian
                    | Script::Khmer
            ) || c == Some(&'\u{64e}')
        };
        let right_to_left =
            |c: Option<&char>| matches!(self.script(c), Script::Arabic | Script::Hebrew) || c == Some(&'\u{64e}');
        let mongolian = |c: Option<&char>| self.script(c) == Script::Mongolian;
        // Behind variation selectors the letter before them counts.
        let base = near(if before.is_some_and(|c| matches!(c, '\u{180b}'..='\u{180f}' | '\u{fe0e}' | '\u{fe0f}')) {
            -2
        } else {
            -1
        });
        match text[at] {
            '\u{fe0f}' if before.is_some_and(|c| c.is_ascii_digit() || "#*".contains(*c)) => after == Some(&'\u{20e3}'),
            '\u{fe0e}' | '\u{fe0f}' => self.emoji(before),
            '\u{200d}' if self.emoji(base) => self.emoji(after),
            '\u{200d}'
                if matches!(self.script(base), Script::Arabic | Script::Mongolian) || base == Some(&'\u{64e}') =>
            {
                true
            }
            '\u{200c}' | '\u{200d}' => {
                shaped(base) && (shaped(after) || matches!(base, Some('\u{94d}' | '\u{d4d}' | '\u{dca}')))
            }
            '\u{200e}' | '\u{200f}' | '\u{61c}' => right_to_left(before) || right_to_left(after),
            '\u{180b}' | '\u{180f}' => mongolian(before) && !self.invisible(*before.unwrap()),
            '\u{180e}' => mongolian(base) && mongolian(after),
            '\u{e0100}' | '\u{e011f}' | '\u{fe00}' | '\u{fe01}' => self.script(before) == Script::Han,
            '\u{34f}' => before == Some(&'\u{5c1}') && after == Some(&'\u{5c1}'),
            _ => false,
        }
    }
}

#[test]
fn it_holds_back_little_and_no_more_than_it_is_given() {
    let scraps: Vec<char> = SCRAPS.chars().collect();
    let mut random = Random(7);
    for _ in 0..2_000 {
        let text = text(&mut random, &scraps);
        let (mut both, mut out) = (Both::default(), String::new());
        for (at, c) in text.char_indices() {
            both.push(c.encode_utf8(&mut [0; 4]), &mut out);
            // Whatever comes, what has been read so far comes to no more than 20 bytes beyond what is out.
            let further = [&text[..at + c.len_utf8()], "👩"].map(whole);
            assert!(further[0].len() <= out.len() + 20, "{}", text.escape_unicode());
        }
    }
    let (mut both, mut out) = (Both::default(), String::new());
    both.push(&["🏴", &"\u{e0067}".repeat(100_000), "\u{1b}]", &"x".repeat(100_000)].concat(), &mut out);
    both.flush(&mut out);
    assert_eq!(out, "🏴");
    assert_eq!((both.0.count(), both.1.count()), (1, 100_000));
}

#[test]
fn after_the_end_or_a_reset_it_is_as_new() {
    for end in ["👩\u{200d}", "a\u{1b}[3", "\u{1b}]x", "🏴\u{e0067}", "1\u{fe0f}", "م"] {
        for flush in [true, false] {
            let (mut both, mut out) = (Both::default(), String::new());
            both.push(end, &mut out);
            if flush {
                both.flush(&mut out);
            } else {
                both.0.reset();
                both.1.reset();
            }
            out.clear();
            both.push("\u{200d}👩\u{20e3}\u{e007f}1mx\u{200f}z", &mut out);
            assert_eq!(out, "👩\u{20e3}1mxz", "{end:?}");
        }
    }
}
