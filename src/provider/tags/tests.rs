mod formats;
mod random;

use super::*;
use crate::provider::quirks::joined;
use crate::provider::{Format, Options};
use crate::signal::{Phase, Stop};

/// What these signals come to, with neighbouring pieces as one.
fn read(signals: impl IntoIterator<Item = Signal>) -> Vec<Signal> {
    let (mut tags, mut out) = (Tags::default(), Vec::new());
    signals.into_iter().for_each(|signal| tags.signal(signal, &mut out));
    joined(out)
}

/// What these pieces of one item come to, up to the end of the response: `r(…)` is reasoning, `^` says that
/// what stands in front of it was.
fn said(pieces: &[&str]) -> String {
    let text = pieces.iter().map(|piece| Signal::Text((*piece).to_owned()));
    let signals = read(text.chain([Signal::ResponseEnd(Stop::Complete)]));
    let (end, said) = signals.split_last().unwrap();
    assert_eq!(*end, Signal::ResponseEnd(Stop::Complete));
    let said = said.iter().map(|signal| match signal {
        Signal::Text(text) => text.clone(),
        Signal::Reasoning(text) => format!("r({text})"),
        Signal::WasReasoning => "^".to_owned(),
        other => panic!("{other:?}"),
    });
    said.collect()
}

#[test]
fn a_block_at_the_beginning_is_reasoning() {
    for tag in ["think", "thinking", "reasoning"] {
        assert_eq!(said(&[&format!("<{tag}>So.</{tag}>Fine.")]), "r(So.)Fine.");
        assert_eq!(said(&[&format!("\n <{tag}>\nSo.\n</{tag}>\n\n Fine.\n")]), "r(So.\n)Fine.\n");
    }
}

#[test]
fn harmony_marks_are_tags() {
    let analysis = "<|channel|>analysis<|message|>So.<|end|>";
    let answer = "<|start|>assistant<|channel|>final<|message|>Fine.";
    assert_eq!(said(&[&format!("{analysis}{answer}")]), "r(So.)Fine.");
    assert_eq!(said(&[answer]), "Fine.");
    let narration = "<|start|>assistant<|channel|>commentary<|message|>Let me look.<|end|>";
    assert_eq!(said(&[&format!("{analysis}{narration}{answer}")]), "r(So.Let me look.)Fine.");
    for text in
        ["a <|end|> b", "analysisSo.assistantfinalFine.", "<|channel|>other<|message|>a", "See <|start|>assistant"]
    {
        assert_eq!(said(&[text]), text, "{text}");
    }
}

#[test]
fn a_tag_right_behind_half_a_mark_counts() {
    assert_eq!(said(&["<|channel|>analysis</think>Fine."]), "<|channel|>analysis^Fine.");
    assert_eq!(said(&["<think>So</think", "</think>Fine."]), "r(So</think)Fine.");
    assert_eq!(said(&["<|channel|>analysis<think>So."]), "<|channel|>analysis<think>So.");
}

#[test]
fn a_second_start_drops_what_is_held_back() {
    let (start, rest) = (Signal::ResponseStart { model: None }, Signal::Text("nk>Fine.".to_owned()));
    for before in ["<thi", "  ", "<think>Hmm", "<think>Hmm</thi", "Fine.</thi"] {
        let read = read([start.clone(), Signal::Text(before.to_owned()), start.clone(), rest.clone()]);
        assert_eq!(read[read.len() - 2..], [start.clone(), rest.clone()], "{before}");
    }
}

#[test]
fn an_empty_block_says_nothing() {
    assert_eq!(said(&["<think>\n\n</think>\n\nFine."]), "Fine.");
    assert_eq!(said(&["<think></think>"]), "");
}

#[test]
fn a_block_directly_behind_a_block_counts_too() {
    assert_eq!(said(&["<think>a</think>\n<reasoning>b</reasoning>\nFine."]), "r(ab)Fine.");
}

#[test]
fn tags_are_found_wherever_they_are_cut() {
    let text = "\n<think>So.</think>\n\nFine. <think>";
    let whole = said(&[text]);
    assert_eq!(whole, "r(So.)Fine. <think>");
    for one in 0..=text.len() {
        for two in one..=text.len() {
            assert_eq!(said(&[&text[..one], &text[one..two], &text[two..]]), whole, "cut at {one} and {two}");
        }
    }
}

#[test]
fn an_opening_tag_further_on_is_text() {
    assert_eq!(said(&["Use <think> for it."]), "Use <think> for it.");
    assert_eq!(said(&["<think>a</think>b<think>c</think>d"]), "r(a)b<think>c</think>d");
}

#[test]
fn a_closing_tag_alone_makes_what_was_said_reasoning_once() {
    assert_eq!(said(&["So.\n</think>\n\nFine."]), "So.\n^Fine.");
    assert_eq!(said(&["So.</think>Fine.</think>"]), "So.^Fine.</think>");
    assert_eq!(said(&["</think>\nFine."]), "Fine.", "nothing had been said");
    assert_eq!(said(&["So.</think>"]), "So.^");
}

#[test]
fn a_closing_tag_alone_and_then_a_block() {
    assert_eq!(said(&["a</think><think>b</think>Fine."]), "a^r(b)Fine.");
}

#[test]
fn a_block_ends_with_its_own_closing_tag() {
    assert_eq!(said(&["<think>a</reasoning>b</think>Fine."]), "r(a</reasoning>b)Fine.");
    assert_eq!(said(&["<think>a<think>b</think>Fine."]), "r(a<think>b)Fine.");
}

#[test]
fn a_block_that_never_ends_leaves_no_answer() {
    assert_eq!(said(&["<think>So"]), "r(So)");
    assert_eq!(said(&["<think>So</thin"]), "r(So</thin)");
}

#[test]
fn a_closing_tag_in_code_is_text() {
    for text in ["`</think>` ends it.", "Write ``a ` </think>`` so.", "```xml\n</think>\n```\n", "  ```\n</think>"] {
        assert_eq!(said(&[text]), text, "{text}");
    }
    assert_eq!(said(&["<think>it ends with `</think>`.</think>Fine."]), "r(it ends with `</think>`.)Fine.");
}

#[test]
fn code_that_is_over_hides_nothing() {
    assert_eq!(said(&["`a` b</think>Fine."]), "`a` b^Fine.");
    assert_eq!(said(&["a ` b\nc</think>Fine."]), "a ` b\nc^Fine.", "a backtick alone is over with its line");
    assert_eq!(said(&["```\na\n```\nb</think>Fine."]), "```\na\n```\nb^Fine.");
    assert_eq!(said(&["<think>```\na</think>Fine."]), "r(```\na)Fine.", "a fence never hides the end of a block");
    let blocks = "<think>```\na</think><think>`</think>`</think>Fine.";
    assert_eq!(said(&[blocks]), "r(```\na`</think>`)Fine.", "each block begins without code");
}

#[test]
fn what_is_no_tag_stays_as_it_is() {
    let list = [
        "<Think>a</Think>",
        "<think >a",
        "< think>",
        "<thinker>",
        "a < b",
        "<<think>",
        "<think",
        "</thin",
        "<",
        "\n \n",
        "",
    ];
    for text in list {
        assert_eq!(said(&[text]), text, "{text}");
    }
}

#[test]
fn nothing_is_held_that_can_be_no_tag() {
    let (mut tags, mut out) = (Tags::default(), Vec::new());
    let mut pushed = |text: &str| {
        tags.signal(Signal::Text(text.to_owned()), &mut out);
        said_so_far(&out)
    };
    assert_eq!(pushed("a <"), "a ");
    assert_eq!(pushed("/thi"), "a ");
    assert_eq!(pushed("s"), "a </this");
    assert_eq!(pushed("<<"), "a </this<");
}

fn said_so_far(signals: &[Signal]) -> String {
    let texts = signals.iter().filter_map(|signal| match signal {
        Signal::Text(text) => Some(text.as_str()),
        _ => None,
    });
    texts.collect()
}

#[test]
fn white_space_without_end_is_let_go() {
    let (mut tags, mut out) = (Tags::default(), Vec::new());
    let space = " ".repeat(MAX_SPACE + 1);
    tags.signal(Signal::Text(space.clone()), &mut out);
    assert_eq!(out, [Signal::Text(space)]);
}

#[test]
fn each_item_begins_anew() {
    let item = |role| Signal::ItemStart { role, phase: Phase::Unmarked };
    let text = |text: &str| Signal::Text(text.to_owned());
    let signals = [
        item(Role::Assistant),
        text("<think>a</think>b"),
        Signal::ItemEnd { text: Some("<think>a</think>b".to_owned()) },
        item(Role::Assistant),
        text("c<"),
        Signal::ItemEnd { text: None },
        item(Role::Other),
        text("<think>d</think>"),
        Signal::ItemEnd { text: None },
        item(Role::Assistant),
        Signal::ItemEnd { text: Some("e</think>f".to_owned()) },
    ];
    let end = Signal::ItemEnd { text: None };
    let expected = [
        item(Role::Assistant),
        Signal::Reasoning("a".to_owned()),
        text("b"),
        end.clone(),
        item(Role::Assistant),
        text("c<"),
        end.clone(),
        item(Role::Other),
        text("<think>d</think>"),
        end.clone(),
        item(Role::Assistant),
        text("e"),
        Signal::WasReasoning,
        text("f"),
        end,
    ];
    assert_eq!(read(signals), expected);
}

#[test]
fn a_tool_of_the_providers_and_a_refusal_end_the_text_in_front() {
    let tool = Signal::ProviderTool { name: "search".to_owned() };
    let refusal = Signal::Refusal("no".to_owned());
    for between in [tool, refusal] {
        let signals = [Signal::Text("a<".to_owned()), between.clone(), Signal::Text("<think>b</think>".to_owned())];
        let expected = [Signal::Text("a<".to_owned()), between, Signal::Reasoning("b".to_owned())];
        assert_eq!(read(signals), expected);
    }
}

#[test]
fn the_whole_text_is_not_said_again_behind_a_tool_of_the_providers() {
    let tool = Signal::ProviderTool { name: "search".to_owned() };
    let whole = || Signal::ItemEnd { text: Some("<think>a</think>b".to_owned()) };
    let signals = [Signal::Text("b".to_owned()), tool.clone(), whole()];
    assert_eq!(read(signals), [Signal::Text("b".to_owned()), tool.clone(), Signal::ItemEnd { text: None }]);
    let item = Signal::ItemStart { role: Role::Assistant, phase: Phase::Unmarked };
    let said = [Signal::Reasoning("a".to_owned()), Signal::Text("b".to_owned()), Signal::ItemEnd { text: None }];
    let expected: Vec<_> = [item.clone(), tool.clone()].into_iter().chain(said).collect();
    assert_eq!(read([item, tool, whole()]), expected);
}

#[test]
fn the_whole_text_counts_only_for_an_item_of_which_nothing_came() {
    let item = Signal::ItemStart { role: Role::Assistant, phase: Phase::Unmarked };
    let whole = Signal::ItemEnd { text: Some("a".to_owned()) };
    let end = Signal::ItemEnd { text: None };
    let refusal = Signal::Refusal("no".to_owned());
    assert_eq!(read([whole.clone()]), std::slice::from_ref(&end), "no item is open");
    assert_eq!(read([item.clone(), refusal.clone(), whole]), [item, refusal, end]);
}

#[test]
fn what_is_held_goes_with_the_text_that_the_provider_says_was_reasoning() {
    let signals = [Signal::Text("So <th".to_owned()), Signal::WasReasoning, Signal::Text("ink>b".to_owned())];
    assert_eq!(read(signals.clone()), signals);
    let signals = [Signal::Text("So".to_owned()), Signal::WasReasoning, Signal::Text("<think>b</think>c".to_owned())];
    let expected = [Signal::Text("So".to_owned()), Signal::WasReasoning];
    let more = [Signal::Reasoning("b".to_owned()), Signal::Text("c".to_owned())];
    assert_eq!(read(signals), [&expected[..], &more[..]].concat());
}

#[test]
fn calls_do_not_come_between_the_pieces_of_a_tag_but_their_end_does() {
    let call = Signal::CallStart { index: 0, id: "a".to_owned(), name: "f".to_owned() };
    let end = Signal::CallEnd { index: 0 };
    let signals = [
        Signal::Text("<thi".to_owned()),
        call.clone(),
        Signal::Text("nk>a</th".to_owned()),
        end.clone(),
        Signal::ResponseEnd(Stop::Complete),
    ];
    let expected = [call, Signal::Reasoning("a</th".to_owned()), end, Signal::ResponseEnd(Stop::Complete)];
    assert_eq!(read(signals), expected);
}

#[test]
fn a_decoder_reads_tags_only_if_it_is_told_to() {
    let bytes = b"data: {\"choices\":[{\"delta\":{\"content\":\"<think>a</think>b\"}}]}\n\ndata: [DONE]\n\n";
    let decode = |thinking_tags| {
        let (mut decoder, mut out) =
            (Format::ChatCompletions.decoder_with(Options { thinking_tags, ..Options::default() }), Vec::new());
        decoder.feed(bytes, &mut out);
        decoder.finish(&mut out);
        out
    };
    assert_eq!(decode(false)[1..2], [Signal::Text("<think>a</think>b".to_owned())]);
    assert_eq!(decode(true)[1..3], [Signal::Reasoning("a".to_owned()), Signal::Text("b".to_owned())]);
}
