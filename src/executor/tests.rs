use super::*;
use crate::input::{Echo, Tool, Word};

fn input(client_tools: &[&str]) -> Rc<RunInput> {
    let tools =
        client_tools.iter().map(|name| Tool { name: (*name).into(), description: String::new(), parameters: None });
    Rc::new(RunInput {
        thread: "t".into(),
        run: "r".into(),
        messages: vec![Message::User(vec![Part::Text("Hi".into())])],
        tools: tools.collect(),
        context: vec![],
        resume: vec![],
        model: None,
        settings: Default::default(),
        echo: Echo::default(),
        fingerprint: "f".into(),
        protocol: None,
        exactly_once: false,
    })
}

fn executor(client_tools: &[&str], max_steps: u32) -> Executor {
    Executor::new(input(client_tools), Format::ChatCompletions, "m", max_steps)
}

fn call(id: &str, name: &str) -> Call {
    Call { id: id.into(), name: name.into(), arguments: "{}".into() }
}

fn calls(calls: &[Call]) -> Decision {
    Decision::Calls(Said { text: "Looking.".into(), calls: calls.to_vec(), kept: None })
}

fn ok(content: &str) -> ToolResult {
    ToolResult { ok: true, content: content.into() }
}

#[test]
fn a_candidate_ends_the_turn_and_death_fails_it() {
    assert_eq!(executor(&[], 4).decided(Decision::Candidate), Next::Finish);
    assert_eq!(
        executor(&[], 4).decided(Decision::Dead(ErrorKind::ContentFilter)),
        Next::Fail(ErrorKind::ContentFilter)
    );
}

#[test]
fn a_pause_that_said_nothing_leaves_no_empty_message_for_the_model() {
    let mut executor = executor(&[], 4);
    executor.step();
    let first = executor.request().unwrap();
    assert_eq!(executor.decided(Decision::Continue(Said::default())), Next::CallModel);
    assert_eq!(executor.request().unwrap(), first);
    let said = Said { text: "Well.".into(), calls: Vec::new(), kept: None };
    assert_eq!(executor.decided(Decision::Continue(said)), Next::CallModel);
    assert_ne!(executor.request().unwrap(), first);
}

#[test]
fn ours_run_together_and_the_model_is_told_in_the_order_of_the_calls() {
    let mut executor = executor(&[], 4);
    assert_eq!(executor.step(), Next::CallModel);
    let ours = [call("a", "look"), call("b", "look")];
    assert_eq!(executor.decided(calls(&ours)), Next::RunTools(ours.to_vec()));
    assert_eq!(executor.tool_done("b", ok("second")), Next::Wait);
    assert_eq!(executor.tool_done("b", ok("again")), Next::Wait, "a second result changes nothing");
    assert_eq!(executor.tool_done("nobody's", ok("")), Next::Wait);
    assert_eq!(executor.awaited(), ["a"]);
    assert_eq!(executor.tool_done("a", ok("first")), Next::CallModel);
    let body: serde_json::Value = serde_json::from_slice(&executor.request().unwrap()).unwrap();
    let told: Vec<_> =
        body["messages"].as_array().unwrap().iter().map(|m| m["content"].as_str().unwrap_or("")).collect();
    assert_eq!(told, ["Hi", "Looking.", "first", "second"]);
}

#[test]
fn the_clients_calls_leave_at_once_or_after_ours() {
    let theirs = call("c", "confirm");
    assert_eq!(
        executor(&["confirm"], 4).decided(calls(std::slice::from_ref(&theirs))),
        Next::HandOver(vec![theirs.clone()])
    );
    let mut executor = executor(&["confirm"], 4);
    let ours = call("a", "look");
    assert_eq!(executor.decided(calls(&[theirs.clone(), ours.clone()])), Next::RunTools(vec![ours]));
    assert_eq!(executor.tool_done("a", ok("done")), Next::HandOver(vec![theirs]));
}

#[test]
fn the_limit_on_steps_counts_model_calls() {
    let mut executor = executor(&[], 2);
    assert_eq!(executor.step(), Next::CallModel);
    assert_eq!(executor.decided(Decision::Continue(Said::default())), Next::CallModel);
    assert_eq!(executor.decided(Decision::Continue(Said::default())), Next::Fail(ErrorKind::StepLimit));
}

#[test]
fn the_transcript_has_a_bound() {
    let mut executor = executor(&[], 99);
    executor.decided(calls(&[call("a", "look")]));
    assert_eq!(executor.tool_done("a", ok(&"x".repeat(MAX_TRANSCRIPT))), Next::Fail(ErrorKind::OutputLimit));
}

#[test]
fn the_bound_counts_what_was_said_before_an_interrupt_too() {
    let said = Message::Assistant { text: "x".repeat(MAX_TRANSCRIPT), calls: vec![], kept: None };
    let paused = Paused { transcript: vec![said], ..Paused::new(1, 1, 1, 1) };
    let mut resumed = executor(&[], 99).resume(paused, &[]);
    let more = Said { text: "x".into(), calls: vec![], kept: None };
    assert_eq!(resumed.decided(Decision::Continue(more)), Next::Fail(ErrorKind::OutputLimit));
}

#[test]
fn waits_for_at_least_one_person_and_no_id_twice() {
    let one = |id: &str| Interrupt { id: id.into(), reason: "confirmation".into(), ..Interrupt::default() };
    let mut executor = executor(&[], 1);
    assert_eq!(executor.wait_for(vec![], 1).unwrap_err().code(), "invalid_input");
    assert_eq!(executor.wait_for(vec![one("a"), one("a")], 1).unwrap_err().code(), "invalid_input");
    let many = |count: usize| (0..count).map(|at| one(&at.to_string())).collect();
    assert_eq!(executor.wait_for(many(65), 1).unwrap_err().code(), "invalid_input");
    assert_eq!(executor.wait_for(vec![one(&"x".repeat(73))], 1).unwrap_err().code(), "invalid_input");
    assert!(executor.wait_for(many(64), 1).is_ok() && executor.wait_for(vec![one(&"x".repeat(72))], 1).is_ok());
    assert_eq!(executor.wait_for(vec![one("a"), one("b")], 1).unwrap().into_interrupts().0.len(), 2);
}

#[test]
fn a_tool_that_needs_a_word_waits_behind_those_that_do_not() {
    let approvals = Approvals { tools: vec!["pay".into(), "confirm".into()], within: None };
    let mut executor = executor(&["confirm"], 4).approvals(&approvals);
    let (look, pay, theirs) = (call("a", "look"), call("b", "pay"), call("c", "confirm"));
    let all = [pay.clone(), theirs.clone(), look.clone()];
    assert_eq!(executor.decided(calls(&all)), Next::RunTools(vec![look]));
    assert_eq!(executor.tool_done("a", ok("seen")), Next::Ask(vec![pay.clone()]), "a client's tool is the client's");
    let asked = Interrupt { id: "i".into(), call: Some("b".into()), ..Interrupt::default() };
    let (_, turn) = executor.wait_for(vec![asked], 3).unwrap().into_interrupts();

    let paused = Paused::decode(&turn).unwrap();
    assert_eq!((paused.calls, paused.call_ids().collect::<Vec<_>>()), (3, vec!["b", "c", "a"]));
    let yes = Answer { interrupt: "i".into(), word: Word::Resolved(Some(serde_json::json!({"approved": true}))) };
    let mut resumed = self::executor(&["confirm"], 4).approvals(&approvals).resume(paused.clone(), &[yes]);
    assert_eq!((resumed.take_declined(), resumed.begin()), (vec![], Next::RunTools(vec![pay.clone()])));
    assert_eq!(resumed.tool_done("b", ok("paid")), Next::HandOver(vec![theirs.clone()]));

    // Whatever is no clear yes is a no.
    for word in [Word::Resolved(Some(serde_json::json!({"approved": "true"}))), Word::Resolved(None), Word::Cancelled] {
        let answer = Answer { interrupt: "i".into(), word };
        let mut resumed = self::executor(&["confirm"], 4).resume(paused.clone(), &[answer]);
        assert_eq!(resumed.take_declined()[0].0, pay);
        assert_eq!(resumed.begin(), Next::HandOver(vec![theirs.clone()]));
    }
    let mut nobody = self::executor(&["confirm"], 4).resume(paused, &[]);
    assert_eq!(nobody.begin(), Next::HandOver(vec![theirs]));
}

#[test]
fn steps_are_counted_on_where_a_turn_goes_on() {
    let approvals = Approvals { tools: vec!["pay".into()], within: None };
    let mut executor = executor(&[], 1).approvals(&approvals);
    assert_eq!(executor.begin(), Next::CallModel);
    let pay = call("b", "pay");
    assert_eq!(executor.decided(calls(std::slice::from_ref(&pay))), Next::Ask(vec![pay]));
    let asked = Interrupt { id: "i".into(), call: Some("b".into()), ..Interrupt::default() };
    let (_, turn) = executor.wait_for(vec![asked], 1).unwrap().into_interrupts();
    let mut resumed = self::executor(&[], 1).resume(Paused::decode(&turn).unwrap(), &[]);
    assert_eq!(resumed.begin(), Next::Fail(ErrorKind::StepLimit));
}
