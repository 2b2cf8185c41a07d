//! Values as programs write them: in JSON, with escapes, told by the names of fields; and what the client is to run.

use super::{KEY, MAIL, key, mail, redaction};
use lastword::redact::Channel;
use serde_json::Value;

/// Basic credentials, that only the name beside them tells.
fn named() -> String {
    ["Basic dXN", "lcjpwYX", "NzMTIzNDU="].concat()
}

/// Every way in which a program writes a value into what it gives another, and what of it must be there after. `{K}`
/// and `{M}` stand for values, `{N}` for one that its name tells, `{C}` for a card's number.
const WRITTEN: [(&str, &str); 12] = [
    (r#"{"q":"{K}"}"#, r#"{"q":"[REDACTED:github_token]"}"#),
    (r#"{"q":"\u{K}"}"#, r#"{"q":"[REDACTED:github_token]"}"#),
    (r#"{"{M}":["{M}"]}"#, r#"{"[REDACTED:email]":["[REDACTED:email]"]}"#),
    (r#"{"c":{C},"d":-{C}}"#, r#"{"c":"[REDACTED:card]","d":"-[REDACTED:card]"}"#),
    (r#"{"Authorization":"{N}"}"#, r#"{"Authorization":"[REDACTED:basic_credentials]"}"#),
    (r#"{"authorization" : "{N} and","n":1}"#, r#"{"authorization" : "[REDACTED:basic_credentials] and","n":1}"#),
    (r#"{"h":{"Authorization":["{N}","x"]}}"#, r#"{"h":{"Authorization":["[REDACTED:basic_credentials]","x"]}}"#),
    (r#"{"to":"{M}","pin":4821,"n":[1,"a"]}"#, r#"{"to":"[REDACTED:email]","pin":"[REDACTED:pin]","n":[1,"a"]}"#),
    (r#"{"q":"cut \u{K}"#, r#"{"q":"cut [REDACTED:github_token]"#),
    (r#"{"q":"cut \/ \ud83e\udD80 \x {M}"#, r#"{"q":"cut / 🦀 \x [REDACTED:email]"#),
    (r#"{"q":"cut \/ \u00"#, r#"{"q":"cut \/ \u00"#),
    (r#"{"q":"\u00e9","n":1.50}"#, r#"{"q":"\u00e9","n":1.50}"#),
];

fn filled(template: &str) -> String {
    let key = key();
    let escaped = format!("{:04x}{}", key.as_bytes()[0], &key[1..]);
    let text = template.replace(r"\u{K}", &[r"\u", &escaped].concat()).replace("{K}", &key).replace("{M}", &mail());
    text.replace("{N}", &named()).replace("{C}", &["41111111", "11111111"].concat())
}

#[test]
fn however_a_program_writes_it() {
    let settings = r#"{"patterns": [{"name": "pin", "pattern": "\"pin\":[0-9]{4}"}]}"#;
    for (template, after) in WRITTEN {
        let redaction = redaction(settings);
        let text = filled(template);
        assert_eq!(redaction.arguments(Channel::ToolArguments, &text).text, after, "{template}");
        let found = redaction.found();
        let times = after.matches("[REDACTED").count() as u64;
        assert_eq!(found.iter().map(|(_, count)| count).sum::<u64>(), times, "{template}: {found:?}");

        let tool = redaction.whole(Channel::ToolOutput, &text).text;
        for secret in [&key()[1..], &mail(), &named()[8..]] {
            assert!(!tool.contains(secret), "{tool}");
        }
        let Ok(state) = serde_json::from_str::<Value>(&text) else { continue };
        let expected: Value = serde_json::from_str(after).unwrap();
        assert_eq!(lastword::redact::value(&*redaction, Channel::State, state), expected);

        for mode in ["block", "dry_run"] {
            let other = super::redaction(&settings.replacen('{', &format!(r#"{{"mode": "{mode}","#), 1));
            let whole = other.arguments(Channel::ToolArguments, &text);
            assert_eq!(whole.blocked, mode == "block" && times > 0, "{template}");
            assert!(serde_json::from_str::<Value>(&whole.text).is_ok());
            assert!(mode == "block" || whole.text == text, "{template}");
        }
    }
}

#[test]
fn what_the_client_is_to_run_keeps_all_but_secrets_whatever_the_rules_say() {
    let split = format!("{}\u{200b}{}", &key()[..9], &key()[9..]);
    let text = format!("\u{200b}{} Nightingale ORD-123456 ", mail());
    let own = r#""blocklist": ["Nightingale"], "patterns": [{"name": "order", "pattern": "ORD-[0-9]{6}"}]"#;
    for (rules, clients, mailed, keyed) in [
        ("{}", "[]", true, false),
        (r#"{"pii": false, "email": true}"#, "[]", true, false),
        (r#"["all", "email"]"#, "[]", true, false),
        (r#"{"all": false}"#, "[]", true, true),
        (r#"{"secrets": false}"#, "[]", true, true),
        (r#"{"github_token": false}"#, r#"["secrets"]"#, true, true),
        ("{}", r#"["pii"]"#, false, false),
        (r#"{"pii": false}"#, r#"["email"]"#, false, false),
        ("{}", r#"["-secrets"]"#, true, true),
    ] {
        let redaction = redaction(&format!(r#"{{"rules": {rules}, "client_arguments": {clients}, {own}}}"#));
        let whole = |text: &str| redaction.whole(Channel::ClientArguments, text).text;
        if mailed {
            assert_eq!(whole(&text), text, "{rules} {clients}: nor are invisible characters removed");
            assert_eq!(redaction.found(), []);
        } else {
            assert_eq!(whole(&text), format!("{MAIL} Nightingale ORD-123456 "), "{rules} {clients}");
        }
        let expected = if keyed { [&split, " "].concat() } else { format!("{KEY} ") };
        assert_eq!(whole(&[&split, " "].concat()), expected, "{rules} {clients}");
    }
}
