use super::*;
use crate::event::ModelUsage;

fn shown(tools: bool, working: bool) -> Shown {
    Shown { tag: "run-1".into(), tools, working, ordinal: 0, steps: 0, open: Vec::new() }
}

fn start(call: &str) -> Event {
    Plain::ToolStart { call: call.into(), name: "look".into() }.into()
}

fn output(call: &str, delta: &str) -> Event {
    Plain::ToolOutput { call: call.into(), delta: delta.into() }.into()
}

fn end(call: &str, outcome: ToolOutcome) -> Event {
    Plain::ToolEnd { call: call.into(), outcome }.into()
}

fn ended(ordinal: u32, stop: Stop) -> Event {
    Plain::ResponseEnded { ordinal, stop, usage: ModelUsage::default() }.into()
}

fn result(call: &str, content: &str, outcome: ToolOutcome) -> Plain {
    let message = format!("run-1-r-{call}");
    Plain::ShownCallResult { call: call.into(), message, content: content.into(), outcome }
}

#[test]
fn calls_of_one_response_share_a_parent_and_each_gets_its_result() {
    let mut shown = shown(true, false);
    let id = str::to_owned;
    shown.beside(&ended(2, Stop::Complete));
    let parent = || "run-1-u2".to_owned();
    let begun = |call: &str| [Plain::ShownCallStart { call: id(call), name: id("look"), parent: parent() }];
    assert_eq!(shown.beside(&start("a")), begun("a"));
    let args = Plain::ToolArgs { call: id("a"), delta: id("{}") };
    assert_eq!(shown.beside(&args.into()), [Plain::ShownCallArgs { call: id("a"), delta: id("{}") }]);
    assert_eq!(shown.beside(&start("b")), begun("b"));
    let whole = ["a", "b"].map(|call| Plain::ShownCallEnd { call: id(call) });
    assert_eq!(shown.committing(), whole);
    assert_eq!(shown.committing(), [], "once");
    assert_eq!(shown.beside(&output("b", "one, ")), []);
    assert_eq!(shown.beside(&output("b", "two")), []);
    assert_eq!(shown.beside(&end("b", ToolOutcome::Ok)), [result("b", "one, two", ToolOutcome::Ok)]);
    assert_eq!(shown.beside(&end("a", ToolOutcome::Error)), [result("a", "", ToolOutcome::Error)]);
}

#[test]
fn an_unknown_end_has_a_result_too_whoever_writes_it() {
    for announced in [true, false] {
        let mut shown = shown(true, false);
        if announced {
            shown.beside(&start("a"));
            shown.beside(&output("a", "half a res"));
        }
        let mut wanted = vec![result("a", UNKNOWN, ToolOutcome::Unknown)];
        if announced {
            wanted.insert(0, Plain::ShownCallEnd { call: "a".into() });
        }
        assert_eq!(shown.beside(&end("a", ToolOutcome::Unknown)), wanted);
    }
}

#[test]
fn a_long_result_is_cut_at_a_character_and_says_so_however_it_came() {
    let (e, x) = ("é".repeat(PIECE / 2 - 1), "x".repeat(PIECE));
    for pieces in [vec!["é"; 40_000], vec![&x, &x, "y"], vec![&e, "xyz", "y", "y"], vec!["x", &e, "é", "y"]] {
        let mut shown = shown(true, false);
        shown.beside(&start("a"));
        for piece in &pieces {
            shown.beside(&output("a", piece));
        }
        let out = shown.beside(&end("a", ToolOutcome::Ok));
        let Some(Plain::ShownCallResult { content, .. }) = out.last() else { panic!("{out:?}") };
        assert!(content.len() <= PIECE && content.len() > PIECE - 8, "{}", content.len());
        let text = content.strip_suffix(CUT).unwrap();
        assert!(pieces.concat().starts_with(text), "the text, then the sign");
    }
    let mut shown = shown(true, false);
    shown.beside(&start("a"));
    shown.beside(&output("a", &x));
    assert_eq!(shown.beside(&end("a", ToolOutcome::Ok)).last(), Some(&result("a", &x, ToolOutcome::Ok)), "just fits");
}

#[test]
fn steps_are_counted_and_say_nothing() {
    let mut shown = shown(false, true);
    let step = |step| [Plain::Working { message: "run-1-w".into(), step }];
    assert_eq!(shown.begin(), step(1), "the first model call");
    assert_eq!(shown.beside(&ended(1, Stop::Complete)), []);
    assert_eq!(shown.beside(&start("a")), step(2), "its tools");
    assert_eq!(shown.beside(&start("b")), []);
    assert_eq!(shown.committing(), []);
    assert_eq!(shown.beside(&end("a", ToolOutcome::Ok)), []);
    assert_eq!(shown.beside(&end("b", ToolOutcome::Error)), step(3), "the next model call");
    assert_eq!(shown.beside(&ended(2, Stop::Pause)), step(4), "a turn that goes on");
    assert_eq!(shown.beside(&Plain::AttemptReset { ordinal: 3 }.into()), step(5), "an attempt made again");
    assert_eq!(shown.beside(&ended(3, Stop::Complete)), [], "the answer");
}

#[test]
fn nothing_is_shown_unless_somebody_says_so() {
    let mut shown = shown(false, false);
    assert_eq!(shown.begin(), []);
    for event in [start("a"), output("a", "x"), end("a", ToolOutcome::Ok), ended(1, Stop::Pause)] {
        assert_eq!(shown.beside(&event), []);
    }
    assert_eq!(shown.committing(), []);
}
