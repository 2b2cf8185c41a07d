//! The checks, by numbers that are known and by what lies next to them.

use super::Check;

/// Every number with one digit changed, and with two different neighbours exchanged.
fn changed(text: &str) -> (Vec<String>, Vec<String>) {
    let places: Vec<usize> =
        text.bytes().enumerate().filter(|(_, byte)| byte.is_ascii_digit()).map(|it| it.0).collect();
    let (mut digits, mut pairs) = (Vec::new(), Vec::new());
    for (index, &place) in places.iter().enumerate() {
        let old = text.as_bytes()[place];
        for new in (b'0'..=b'9').filter(|new| *new != old) {
            let mut bytes = text.as_bytes().to_vec();
            bytes[place] = new;
            digits.push(String::from_utf8(bytes).unwrap());
        }
        if let Some(&next) = places.get(index + 1) {
            let mut bytes = text.as_bytes().to_vec();
            bytes.swap(place, next);
            if bytes != text.as_bytes() {
                pairs.push(String::from_utf8(bytes).unwrap());
            }
        }
    }
    (digits, pairs)
}

fn pass(check: Check, texts: &[&str]) {
    for text in texts {
        assert!(check.passes(text.as_bytes()), "{check:?} refuses {text}");
    }
}

fn fail(check: Check, texts: &[&str]) {
    for text in texts {
        assert!(!check.passes(text.as_bytes()), "{check:?} takes {text}");
    }
}

fn none_of(check: Check, texts: &[String]) {
    assert!(!texts.is_empty());
    for text in texts {
        assert!(!check.passes(text.as_bytes()), "{check:?} takes {text}");
    }
}

const CARDS: &[&str] = &[
    "4111111111111111",
    "4242424242424242",
    "5555555555554444",
    "2223003122003222",
    "378282246310005",
    "371449635398431",
    "6011111111111117",
    "30569309025904",
    "3530111333300000",
    "4000056655665556",
    "6062826786276634",
    "4222222222222",
    "6200000000000000000",
    "6362970000457013",
];

#[test]
fn a_card_has_an_issuer_a_length_and_luhns_sum() {
    pass(Check::Card, CARDS);
    pass(Check::Card, &["4111 1111 1111 1111", "4111-1111-1111-1111", "3782 822463 10005"]);
    // Right sums without an issuer, or of a length that the issuer doesn't give.
    fail(Check::Card, &["1111111111111117", "9999999999999995", "42222222222224", "5105105105100", "7992739871300"]);
    fail(Check::Card, &["2220990000000007", "2721000000000004", "35270000000000000", ""]);
}

#[test]
fn luhns_sum_sees_every_changed_digit_and_every_exchange_but_of_0_and_9() {
    for card in CARDS {
        let (digits, pairs) = changed(card);
        none_of(Check::Card, &digits);
        for pair in pairs {
            let at = pair.bytes().zip(card.bytes()).position(|(new, old)| new != old).unwrap();
            if !matches!(&card[at..at + 2], "09" | "90") {
                assert!(!Check::Card.passes(pair.as_bytes()), "{card} {pair}");
            }
        }
    }
}

const IBANS: &[&str] = &[
    "GB82 WEST 1234 5698 7654 32",
    "DE89 3704 0044 0532 0130 00",
    "FR14 2004 1010 0505 0001 3M02 606",
    "BR18 0036 0305 0000 1000 9795 493C 1",
    "NO93 8601 1117 947",
    "BE68 5390 0754 7034",
    "BR15 0000 0000 0000 1093 2840 814P 2",
    "GB82WEST12345698765432",
];

#[test]
fn an_iban_leaves_1_of_97_and_has_its_countrys_length() {
    pass(Check::Iban, IBANS);
    for iban in IBANS {
        let (digits, pairs) = changed(iban);
        none_of(Check::Iban, &digits);
        none_of(Check::Iban, &pairs);
    }
    // The remainder is right, the length or the country isn't.
    fail(Check::Iban, &["DE89 3704 0044 0532 0130", "NO93 8601 1117 9470", "", "GB", "ZZ68 5390 0754 7034"]);
    let short = |rest: u32| format!("DE{rest:02}370400440532013");
    none_of(Check::Iban, &(0..100).map(short).collect::<Vec<_>>());
    let unknown = |rest: u32| format!("ZZ{rest:02}370400440532013000");
    none_of(Check::Iban, &(0..100).map(unknown).collect::<Vec<_>>());
}

#[test]
fn a_country_of_ibans_is_there_once_and_in_order() {
    let countries: Vec<&[u8]> = super::money::LENGTHS.chunks(3).map(|entry| &entry[..2]).collect();
    assert!(countries.windows(2).all(|pair| pair[0] < pair[1]), "{countries:?}");
    assert!(super::money::LENGTHS.chunks(3).all(|entry| (15..=34).contains(&entry[2])));
    assert_eq!(super::money::LENGTHS.len() % 3, 0);
}

const CPFS: &[&str] =
    &["529.982.247-25", "111.444.777-35", "123.456.789-09", "390.533.447-05", "52998224725", "529982247-25"];

#[test]
fn a_cpf_has_two_check_digits_and_more_than_one_digit() {
    pass(Check::Cpf, CPFS);
    fail(Check::Cpf, &["529.982.247-26", "529.982.247-52", "5299822472", "529982247255", ""]);
    for digit in '0'..='9' {
        assert!(!Check::Cpf.passes(digit.to_string().repeat(11).as_bytes()));
    }
    // Where a remainder of 0 and one of 1 both give the check digit 0, a change may go unseen.
    for cpf in CPFS.iter().filter(|cpf| !cpf[cpf.len() - 2..].contains('0')) {
        let (digits, pairs) = changed(cpf);
        none_of(Check::Cpf, &digits);
        none_of(Check::Cpf, &pairs);
    }
}

const CNPJS: &[&str] = &["11.222.333/0001-81", "11.444.777/0001-61", "33.000.167/0001-01", "11222333000181"];

#[test]
fn a_cnpj_has_two_check_digits_and_may_have_letters() {
    pass(Check::Cnpj, CNPJS);
    pass(Check::Cnpj, &["12.ABC.345/01DE-35", "12ABC34501DE35", r"11.222.333\/0001-81"]);
    fail(Check::Cnpj, &["12.ABC.345/01DE-36", "12.ABD.345/01DE-35", "12.BAC.345/01DE-35", "1122233300018", ""]);
    fail(Check::Cnpj, &["00.000.000/0000-00", "11111111111111"]);
    for cnpj in CNPJS.iter().chain(&["12.ABC.345/01DE-35"]) {
        let (digits, pairs) = changed(cnpj);
        none_of(Check::Cnpj, &digits);
        none_of(Check::Cnpj, &pairs);
    }
}

#[test]
fn an_area_and_a_number_of_brazil_are_in_use() {
    pass(
        Check::BrPhone,
        &["+55 11 91234-5678", "(11) 91234-5678", "+551132345678", "(21) 3234.5678", "(011) 2345-6789"],
    );
    pass(Check::BrPhone, &["+55 (85) 9 8765-4321", "55 (47) 3333-4444"]);
    // No such area, a mobile without its 9, a landline that begins with 1 or 0, one digit too few or too many.
    fail(
        Check::BrPhone,
        &["(20) 91234-5678", "(10) 2345-6789", "(23) 91234-5678", "(11) 81234-56789", "(11) 1234-5678"],
    );
    fail(Check::BrPhone, &["(11) 0234-5678", "(11) 234-5678", "(11) 91234-56789", "91234-5678", ""]);
    let used = (0..100).filter(|area| Check::BrPhone.passes(format!("({area:02}) 91234-5678").as_bytes())).count();
    // Numbers of the areas 01 to 09 are read as ones dialled from elsewhere, so they have a digit too few.
    assert_eq!(used, 67);
}

#[test]
fn a_bare_number_of_brazil_may_have_no_area() {
    pass(Check::BrPhoneBare, &["11 91234-5678", "91234-5678", "5511912345678", "1132345678", "551132345678"]);
    fail(Check::BrPhoneBare, &["1234-5678", "91234-567", "20912345678", "01234-5678", "81234-5678"]);
}

#[test]
fn a_number_with_plus_has_a_country_and_its_length() {
    pass(
        Check::Phone,
        &[
            "+1 (212) 555-0123",
            "+44 20 7946 0958",
            "+44 (0)20 7946 0958",
            "+49 30 901820",
            "+351 912 345 678",
            "+5511912345678",
            "+39 06 698 12345",
            "+7 495 123-45-67",
            "+86 138 0013 8000",
            "+3545812345",
            "+6834000",
        ],
    );
    // No country, one of North America whose area begins with 1, too short or long for theirs, sums and round numbers.
    fail(
        Check::Phone,
        &[
            "+210 1234567",
            "+1 112 555 0123",
            "+1 212 555 012",
            "+1 212 555 01234",
            "+44 20 7946",
            "+999 1234567890123",
            "+1000000",
            "+2500000",
            "+20240101",
            "+25.08.2026",
            "+55 20 91234-5678",
            "+7 095 1234567",
            "+44 020 7946 0958",
            "",
        ],
    );
}

#[test]
fn an_ipv4_address_is_public_or_not_or_none() {
    let public =
        ["8.8.8.84", "93.184.216.34", "172.15.0.1", "172.32.0.1", "192.167.1.1", "223.255.255.255", "100.63.0.1"];
    pass(Check::Ipv4, &public);
    fail(Check::Ipv4Private, &public);
    let private = [
        "10.0.0.12",
        "172.16.0.1",
        "172.31.255.255",
        "192.168.0.1",
        "127.0.0.1",
        "169.254.169.254",
        "192.0.2.10",
        "198.51.100.7",
        "203.0.113.9",
        "224.0.0.251",
        "255.255.255.255",
        "0.0.0.10",
        "100.64.0.1",
        "10.9.8.17",
        "198.18.0.1",
    ];
    fail(Check::Ipv4, &private);
    pass(Check::Ipv4Private, &private);
    for check in [Check::Ipv4, Check::Ipv4Private] {
        fail(
            check,
            &[
                "1.2.3.4",
                "256.1.1.1",
                "93.184.216.256",
                "93.184.216.034",
                "93.184.216",
                "93.184.216.34.5",
                "16.28.24.13",
                "",
            ],
        );
    }
}

#[test]
fn an_ipv6_address_is_public_or_not_or_none() {
    let public = ["2606:4700:4700::1111", "2a00:1450:4001:81b::200e", "2001:4860:4860:0:0:0:0:8888", "2606:4700::"];
    pass(Check::Ipv6, &public);
    fail(Check::Ipv6Private, &public);
    let private =
        ["::1", "fe80::1", "fd00:1234::1", "2001:db8::1", "ff02::fb", "::ffff:192.168.0.1", "1:2:3:4:5:6:7:8"];
    fail(Check::Ipv6, &private);
    pass(Check::Ipv6Private, &private);
    for check in [Check::Ipv6, Check::Ipv6Private] {
        fail(
            check,
            &["2606:4700", "2606::4700::1", "2606:4700:1:2:3:4:5", "2606:1:2:3:4:5:6:7:8", "12:30:45", ":1:2::3"],
        );
        fail(check, &["2606:4700::12345", "2606:4700::1:", "2606:1:2:3:4:5:6::7:8", "::ffff:256.1.1.1", "", "::"]);
        fail(check, &["0000:0000:0000:0000:0000:0000:00000000:0000001", "2606:4700::g"]);
    }
}

#[test]
fn an_email_address_is_no_file_and_no_version() {
    pass(
        Check::Email,
        &["ana@example.com", "a@163.com", "x@y.com.br", "ana@host.internal", "digit@x.co", "a.b+c@1.de"],
    );
    fail(Check::Email, &["icon@2x.png", "LOGO@3X.PNG", "core@1.0.0-rc.next", "git@github.com", "main@bundle.js"]);
    fail(Check::Email, &[&format!("ana@{}.com", "a".repeat(64))]);
    pass(Check::Email, &[&format!("ana@{}.com", "a".repeat(63))]);
}

const BOLETOS: &[&str] =
    &["00190.50095 40144.816069 06809.350314 3 37370000000100", "34191790010104351004791020150008291070026000"];

#[test]
fn a_boletos_fields_have_their_check_digits() {
    let boleto = BOLETOS[0];
    pass(Check::Boleto, &[boleto, "00190500954014481606906809350314337370000000100"]);
    // The fields' digits only: those of the last two fields have no check here.
    for (index, digits) in changed(&boleto[..36]).0.iter().enumerate() {
        let text = [digits.as_str(), &boleto[36..]].concat();
        assert!(!Check::Boleto.passes(text.as_bytes()), "{index} {text}");
    }
    pass(Check::Boleto, &["846700000017 435900240209 024050002435 842210108119"]);
    fail(Check::Boleto, &["846700000018 435900240209 024050002435 842210108119", BOLETOS[1], ""]);
}

/// No check panics, whatever it is given.
#[test]
fn any_bytes_may_be_asked_about() {
    let all = [
        Check::Email,
        Check::Card,
        Check::Iban,
        Check::Cpf,
        Check::Cnpj,
        Check::BrPhone,
        Check::BrPhoneBare,
        Check::Phone,
        Check::Ipv4,
        Check::Ipv4Private,
        Check::Ipv6,
        Check::Ipv6Private,
        Check::Boleto,
    ];
    let mut state = 0x2545_f491_4f6c_dd1du64;
    let alphabet = b"0123456789:.@/-+() AZaz\\\xff\xc3";
    for _ in 0..20_000 {
        let mut bytes = Vec::new();
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let mut rest = state;
        for _ in 0..state % 60 {
            rest = rest.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(11);
            bytes.push(alphabet[(rest >> 33) as usize % alphabet.len()]);
        }
        for check in all {
            let _ = check.passes(&bytes);
        }
    }
    for check in all {
        assert!(!check.passes(b""), "{check:?}");
        assert!(!check.passes(&[b'9'; 5000]), "{check:?}");
    }
}
