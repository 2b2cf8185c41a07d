//! Numbers of persons, companies, bills, places and cars in Brazil.

use super::Corpus;
use super::lookalikes::uuid;
use super::make::{DIGITS, HEX, UPPER, UPPERS, cnpj, cpf, exchanged, last_changed, tenth};
use super::surroundings::Edges;

pub fn add(corpus: &mut Corpus) {
    persons(corpus);
    companies(corpus);
    pix(corpus);
    places(corpus);
    bills(corpus);
    plates(corpus);
}

/// The number with its signs.
fn person(number: &str, turn: usize) -> String {
    match turn % 3 {
        0 => [&number[..3], ".", &number[3..6], ".", &number[6..9], "-", &number[9..]].concat(),
        1 => number.to_owned(),
        _ => [&number[..9], "-", &number[9..]].concat(),
    }
}

/// A number with something before or behind it that makes it another.
fn grown(whole: &str) -> [String; 5] {
    [["1", whole], [whole, "0"], [whole, "a"], ["x", whole], ["1.", whole]].map(|parts| parts.concat())
}

fn persons(corpus: &mut Corpus) {
    let rule = "cpf";
    for turn in 0..39 {
        let number = cpf(&mut corpus.random);
        corpus.finds(rule, Edges::Number, &person(&number, turn));
    }
    for turn in 0..12 {
        let number = cpf(&mut corpus.random);
        corpus.leaves(rule, Edges::Number, &person(&last_changed(&number, 1 + turn as u8 % 9), turn));
        corpus.leaves(rule, Edges::Number, &person(&exchanged(&number, turn % 7), turn));
        let whole = person(&number, 0);
        let others = [
            whole.replace('.', "  "),
            whole.replace('.', ","),
            whole.replace('-', "--"),
            number[..10].to_owned(),
            ["a", &number, "f"].concat(),
        ];
        for text in grown(&whole).into_iter().chain(others) {
            corpus.leaves(rule, Edges::Strict, &text);
        }
        let same = char::from(b'0' + turn as u8 % 10).to_string().repeat(11);
        corpus.leaves(rule, Edges::Strict, &person(&same, turn));
    }
    for text in ["000.000.000-00", "***.982.247-**", "xxx.xxx.xxx-xx", "123.456.789", "192.168.100-10"] {
        corpus.leaves(rule, Edges::Strict, text);
    }
    corpus.leaves_lookalikes(rule);
}

/// The number with its signs.
fn company(number: &str, turn: usize) -> String {
    let (root, branch, check) = (&number[..8], &number[8..12], &number[12..]);
    let dots = [&root[..2], ".", &root[2..5], ".", &root[5..]].concat();
    match turn % 5 {
        0 => [&dots, "/", branch, "-", check].concat(),
        1 => number.to_owned(),
        2 => [root, "/", branch, "-", check].concat(),
        3 => [&dots, "\\/", branch, "-", check].concat(),
        _ => [root, branch, "-", check].concat(),
    }
}

fn companies(corpus: &mut Corpus) {
    let rule = "cnpj";
    for turn in 0..50 {
        let number = cnpj(&mut corpus.random, if turn % 2 == 0 { DIGITS } else { UPPERS });
        corpus.finds(rule, Edges::Number, &company(&number, turn / 2));
    }
    corpus.finds(rule, Edges::Number, &["12.AB", "C.345/01", "DE-35"].concat());
    for turn in 0..12 {
        let number = cnpj(&mut corpus.random, if turn % 2 == 0 { DIGITS } else { UPPERS });
        // With its dots: bare, a changed number of fourteen digits may be a card's.
        let whole = company(&number, 0);
        corpus.leaves(rule, Edges::Number, &last_changed(&whole, 1 + turn as u8 % 9));
        if turn % 2 == 0 {
            corpus.leaves(rule, Edges::Number, &exchanged(&whole, 3));
        }
        let others = [
            whole.replace('.', "  "),
            whole.replace('/', "  "),
            whole.replace('-', "/"),
            whole[..17].to_owned(),
            number[..13].to_lowercase(),
        ];
        for text in grown(&whole).into_iter().chain(others) {
            corpus.leaves(rule, Edges::Strict, &text);
        }
        let same = char::from(b'0' + turn as u8 % 10).to_string().repeat(14);
        corpus.leaves(rule, Edges::Strict, &company(&same, turn));
    }
    for text in [
        "00.000.000/0000-00",
        "XX.XXX.XXX/XXXX-XX",
        "AUTHENTICATION",
        "INTERNATIONALS",
        "12.abc.345/01de-35",
        "**.222.333/0001-**",
    ] {
        corpus.leaves(rule, Edges::Strict, text);
    }
    corpus.leaves_lookalikes(rule);
}

fn pix(corpus: &mut Corpus) {
    let rule = "pix_key";
    for turn in 0..32 {
        let key = uuid(&mut corpus.random);
        corpus.finds(rule, Edges::Strict, &if turn % 4 == 0 { key.to_uppercase() } else { key.clone() });
        let other = ["1", "3", "5", "7"][turn % 4];
        corpus.leaves(rule, Edges::Strict, &[&key[..14], other, &key[15..]].concat());
        corpus.leaves(rule, Edges::Strict, &[&key[..19], "c", &key[20..]].concat());
        corpus.leaves(rule, Edges::Strict, &key[..35]);
        corpus.leaves(rule, Edges::Strict, &["0", &key].concat());
        corpus.leaves(rule, Edges::Strict, &[&key, "-1"].concat());
        corpus.leaves(rule, Edges::Strict, &key.replace('-', "_"));
        corpus.leaves(rule, Edges::Strict, &["g", &key[1..]].concat());
    }
    let bare = corpus.random.text(HEX, 32);
    corpus.leaves(rule, Edges::Strict, &bare);
    corpus.leaves_lookalikes(rule);
}

fn places(corpus: &mut Corpus) {
    let rule = "cep";
    for _ in 0..32 {
        let (one, two) = (corpus.random.text(DIGITS, 5), corpus.random.text(DIGITS, 3));
        corpus.finds(rule, Edges::Strict, &[&one, "-", &two].concat());
        for text in [
            [one.as_str(), &two].concat(),
            [&one, " ", &two].concat(),
            ["1", &one, "-", &two].concat(),
            [&one, "-", &two, "0"].concat(),
            ["x", &one, "-", &two].concat(),
            [&one, "-", &two, "-1"].concat(),
            ["1-", &one, "-", &two].concat(),
            [&one, ".", &two].concat(),
            [&one[1..], "-", &two].concat(),
        ] {
            corpus.leaves(rule, Edges::Strict, &text);
        }
    }
    corpus.leaves_lookalikes(rule);
}

fn bills(corpus: &mut Corpus) {
    let rule = "boleto";
    let fields = |corpus: &mut Corpus| -> Vec<String> {
        // A bank's number begins with 0 to 3 here, so that no card begins with it.
        let bank = corpus.random.pick(&["0019", "1049", "0339"]);
        let one = [bank, &corpus.random.text(DIGITS, 5)].concat();
        let (two, three) = (corpus.random.text(DIGITS, 10), corpus.random.text(DIGITS, 10));
        let last = ["1", &corpus.random.text(DIGITS, 13)].concat();
        vec![tenth(&one), tenth(&two), tenth(&three), corpus.random.text("123456789", 1), last]
    };
    for turn in 0..32 {
        let it = fields(corpus);
        let dotted = |field: &str| [&field[..5], ".", &field[5..]].concat();
        match turn % 3 {
            0 => corpus.finds(rule, Edges::Number, &it.concat()),
            1 => corpus.finds(rule, Edges::Number, &it.join(" ")),
            _ => corpus.finds(
                rule,
                Edges::Number,
                &[dotted(&it[0]), dotted(&it[1]), dotted(&it[2]), it[3].clone(), it[4].clone()].join(" "),
            ),
        }
        let changed = [last_changed(&it[0], 1), it[1].clone(), it[2].clone(), it[3].clone(), it[4].clone()];
        corpus.leaves(rule, Edges::Number, &changed.concat());
        let changed = [it[0].clone(), it[1].clone(), exchanged(&it[2], 2), it[3].clone(), it[4].clone()];
        corpus.leaves(rule, Edges::Number, &changed.concat());
        corpus.leaves(rule, Edges::Number, &it.concat()[..46]);
        corpus.leaves(rule, Edges::Number, &["1", &it.concat()].concat());
    }
    for turn in 0..8 {
        // A bill of a city or a company: four times eleven digits and their check.
        let blocks: Vec<String> = (0..4)
            .map(|index| {
                let start = if index == 0 { ["8", "4", "6"].concat() } else { corpus.random.text(DIGITS, 3) };
                tenth(&[start, corpus.random.text(DIGITS, 8)].concat())
            })
            .collect();
        corpus.finds(rule, Edges::Number, &blocks.join(["", " "][turn % 2]));
        let hyphens: Vec<String> = blocks.iter().map(|block| [&block[..11], "-", &block[11..]].concat()).collect();
        corpus.finds(rule, Edges::Number, &hyphens.join(" "));
        let changed = [&blocks[..3], &[last_changed(&blocks[3], 3)]].concat();
        corpus.leaves(rule, Edges::Number, &changed.concat());
    }
    corpus.leaves_lookalikes(rule);
}

fn plates(corpus: &mut Corpus) {
    let rule = "plate";
    for turn in 0..32 {
        let (letters, digits, letter) =
            (corpus.random.text(UPPER, 3), corpus.random.text(DIGITS, 4), corpus.random.text(UPPER, 1));
        let new = [&letters, &digits[..1], &letter, &digits[2..]].concat();
        let old = [&letters, ["-", ""][turn % 2], &digits].concat();
        corpus.finds(rule, Edges::Strict, if turn % 3 == 0 { &old } else { &new });
        for text in [
            new.to_lowercase(),
            ["A", &new].concat(),
            [&new, "0"].concat(),
            [&letters, " ", &digits].concat(),
            [&letters[..2], &digits].concat(),
            [&letters, &digits[..3]].concat(),
            [&letters, "_", &digits].concat(),
            ["-", &new].concat(),
            [&new, "-"].concat(),
        ] {
            corpus.leaves(rule, Edges::Strict, &text);
        }
    }
    corpus.leaves_lookalikes(rule);
}
