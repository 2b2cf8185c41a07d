//! Addresses: of e-mail, of hosts, of network cards.

use super::Corpus;
use super::make::{HEX, LETTERS};
use super::surroundings::Edges;

pub fn add(corpus: &mut Corpus) {
    email(corpus);
    v4(corpus);
    v6(corpus);
    cards(corpus);
}

fn email(corpus: &mut Corpus) {
    let rule = "email";
    let locals = ["ana", "joao.silva", "maria+compras", "a", "x_y-z", "r2d2", "contato%loja", "suporte.n1"];
    let domains = [
        "example.com",
        "empresa.com.br",
        "sub.mail.example.org",
        "x.io",
        "a-b.co.uk",
        "gov.br",
        "163.com",
        "EXAMPLE.COM",
        "xn--caf-dma.com",
        "host.internal",
    ];
    for turn in 0..60 {
        let length = 1 + turn;
        let local =
            if turn % 5 == 4 { corpus.random.text(LETTERS, length) } else { locals[turn % locals.len()].to_owned() };
        let value = [&local, "@", domains[turn % domains.len()]].concat();
        // What may be of an address must not stand around it.
        corpus.finds(rule, Edges::Strict, &value);
    }
    for length in [64, 65, 100, 128] {
        let long = [&corpus.random.text(LETTERS, length), "@example.com"].concat();
        corpus.finds(rule, Edges::Strict, &long);
    }
    let whole = ["ana@", "example.com"].concat();
    corpus.finds_in(rule, Edges::Strict, "mailto:", &whole, "?subject=x");
    corpus.finds_in(rule, Edges::Strict, "<", &whole, ">");
    corpus.finds_in(rule, Edges::Strict, "", &whole, ". Next");
    corpus.finds_in(rule, Edges::Strict, "", &whole, "...");
    for length in [129, 130, 160] {
        let long = [&corpus.random.text(LETTERS, length), "@example.com"].concat();
        corpus.leaves(rule, Edges::Strict, &long);
    }
    for text in [
        "icon@2x.png",
        "logo@3x.webp",
        "@ana",
        "@types/node",
        "user@host",
        "react@18.2.0",
        "pkg@1.0.0-rc.next",
        "@scope/pkg@1.2.3",
        "git@github.com:org/repo.git",
        "a @ b.com",
        "ana@",
        "@example.com",
        "ana@.com",
        "ana@example",
        "ana@example.c",
        "ana@-example.com",
        "ana@example-.com",
        "ana@example.com-x",
        "ana@example.c0m",
        "ana@@example",
        "a@b@c",
        "name@[host]",
        "user@host:8080",
        "main@bundle.js",
        "style@media.css",
        "x@y.json",
        "photo@home.jpeg",
        "npm:vue@3.tgz",
        "ana at example.com",
        "ana(at)example.com",
        "5 @ 3.50",
        "R$ 5@un",
        "@media.screen",
        "foo@bar.ts",
        "ana@exemplo,com",
    ] {
        corpus.leaves(rule, Edges::Strict, text);
    }
    corpus.leaves_lookalikes(rule);
}

fn v4(corpus: &mut Corpus) {
    let byte = |corpus: &mut Corpus, least: usize, most: usize| corpus.random.within(least, most).to_string();
    for turn in 0..36 {
        let rest = [byte(corpus, 0, 255), byte(corpus, 0, 255), byte(corpus, 0, 255)].join(".");
        let first = byte(corpus, 11, 99);
        let public = [first.as_str(), ".", &rest].concat();
        corpus.finds("ipv4", Edges::Number, &public);
        corpus.leaves_to_another("ipv4_private", &public);
        let private = match turn % 8 {
            0 => ["10.", &rest].concat(),
            1 => ["192.168.", &byte(corpus, 0, 255), ".", &byte(corpus, 0, 255)].concat(),
            2 => ["172.", &byte(corpus, 16, 31), ".0.", &byte(corpus, 0, 255)].concat(),
            3 => ["127.", &rest].concat(),
            4 => "169.254.169.254".to_owned(),
            5 => ["203.0.113.", &byte(corpus, 0, 255)].concat(),
            6 => ["100.", &byte(corpus, 64, 127), ".3.", &byte(corpus, 0, 255)].concat(),
            _ => [&byte(corpus, 224, 255), ".", &rest].concat(),
        };
        corpus.finds("ipv4_private", Edges::Number, &private);
        corpus.leaves("ipv4", Edges::Number, &private);
    }
    for rule in ["ipv4", "ipv4_private"] {
        for text in [
            "1.2.3.4",
            "0.0.0.0",
            "256.100.50.25",
            "93.184.216.340",
            "93.184.216.256",
            "93.184.216",
            "93.184..216.34",
            "093.184.216.34",
            "10.01.12.13",
            "93,184,216,34",
            "v93.184.216.34",
            "x10.0.0.12",
            "93.184.216.34a",
            "1993.184.216.34",
            "12.10.2026",
            "120.0.6099.109",
            "10.0.19045.3803",
            "4.0.30319",
            "2.16.840.1.101.3.4",
            "12.3.14.1",
            "24.15.1.6",
            "$93.184.216",
            "93.184.216.x",
            "10.0.0.*",
            "1.1.1.1",
            "9.9.9.9",
            "93 184 216 34",
            "93.184. 216.34",
        ] {
            corpus.leaves(rule, Edges::Strict, text);
        }
        corpus.finds_in(rule, Edges::Strict, "", if rule == "ipv4" { "93.184.216.34" } else { "192.168.0.1" }, ".");
        corpus.finds_in(
            rule,
            Edges::Strict,
            "http://",
            if rule == "ipv4" { "93.184.216.34" } else { "192.168.0.1" },
            ":8080/x",
        );
        corpus.leaves_lookalikes(rule);
    }
}

fn v6(corpus: &mut Corpus) {
    for turn in 0..36 {
        let mut groups: Vec<String> = Vec::new();
        for _ in 0..7 {
            let length = corpus.random.within(1, 4);
            groups.push(corpus.random.text(HEX, length));
        }
        let public = ["2001", "2606", "2a00", "3fff", "2804", "2A02"][turn % 6];
        let private = ["fd00", "fe80", "fc12", "ff02", "FE80", "64"][turn % 6];
        let kept = turn % 7;
        let tail = match turn % 6 {
            0 => groups.join(":"),
            5 => [&groups[..kept.min(3)].join(":"), "::"].concat().trim_start_matches("::").to_owned(),
            _ => [&groups[..kept.min(3)].join(":"), "::", &groups[4 + turn % 3..].join(":")]
                .concat()
                .trim_start_matches("::")
                .to_owned(),
        };
        let tail = if turn % 6 != 0 && kept == 0 { [":", &tail].concat() } else { tail };
        // The gap alone stands for what is left out.
        corpus.finds("ipv6", Edges::Strict, &[public, ":", &tail].concat());
        corpus.leaves("ipv6", Edges::Strict, &[private, ":", &tail].concat());
        corpus.finds("ipv6_private", Edges::Strict, &[private, ":", &tail].concat());
        corpus.leaves_to_another("ipv6_private", &[public, ":", &tail].concat());
    }
    for text in ["::1", "2001:db8::1", "::ffff:192.168.0.1", "::ffff:10.0.0.12"] {
        corpus.finds("ipv6_private", Edges::Strict, text);
        corpus.leaves("ipv6", Edges::Strict, text);
    }
    corpus.finds_in("ipv6", Edges::Strict, "http://[", "2606:4700:4700::1111", "]:443/");
    corpus.finds_in("ipv6", Edges::Strict, "", "2606:4700:4700::1111", "/48");
    for rule in ["ipv6", "ipv6_private"] {
        for text in [
            "2606:4700",
            "2606:4700:4700",
            "2606::4700::1111",
            "12:30:45",
            "2026:11:30 21:31:09",
            "2606:4700::g",
            "2606:4700::12345",
            "2606:1:2:3:4:5:6",
            "2606:1:2:3:4:5:6:7:8",
            "std::vec",
            "x2606::1",
            "2606::1x",
            "a::B::c",
            "key: value",
            "10:20",
            "2606:4700::1:",
            "2606:4700:1:2:3:4:5::6:7",
            ":::",
            "09:41:07:22",
            "C:/x",
            "2000:2001:2002",
            "3600:60",
            "https://",
            "::before { }",
            "\u{3a}\u{3a}",
            "a:b:c:d",
            "1:1",
            "16:9",
            "2606:4700:g::1",
        ] {
            corpus.leaves(rule, Edges::Strict, text);
        }
        corpus.leaves_lookalikes(rule);
    }
}

fn cards(corpus: &mut Corpus) {
    let rule = "mac";
    for turn in 0..32 {
        let joint = ["-", ":"][turn % 2];
        let parts: Vec<String> = (0..6).map(|_| corpus.random.text(HEX, 2)).collect();
        let value = parts.join(joint);
        corpus.finds(rule, Edges::Strict, &if turn % 3 == 0 { value.to_uppercase() } else { value.clone() });
        for text in [
            parts[..5].join(joint),
            parts.join("."),
            parts.concat(),
            ["0", &value].concat(),
            [&value, joint, "00"].concat(),
            ["g", &value[1..]].concat(),
            [&parts[..3].join("-"), ":", &parts[3..].join(":")].concat(),
            ["x-", &value].concat(),
            [&value, "_"].concat(),
        ] {
            corpus.leaves_to_another(rule, &text);
        }
    }
    corpus.leaves_lookalikes(rule);
}
