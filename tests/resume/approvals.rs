//! What is asked, how it is answered, and how the turn goes on.

use crate::common::{SCOPE, THREAD, all, answer, bytes, driver, input, setup, thread, types, value};
use crate::support::*;
use lastword::driver::{Blocking, Simulated};
use lastword::event::View;
use lastword::executor::Approvals;
use lastword::provider::replay;
use lastword::run::{Cursor, MemoryStore, Need, Reader, Reply, RunRecord, Setup, Status, ThreadKeys, Traits};
use lastword::wire::Wire;
use serde_json::json;

#[test]
fn a_tool_that_needs_a_word_is_asked_for_and_does_not_run() {
    let driver = interrupted("approval");
    assert!(driver.host.tools.is_empty());
    let frames = agui(&driver.host.store, "run-1");
    assert_eq!(types(&frames), ["RUN_STARTED", "RUN_FINISHED"]);
    let terminal = last(&frames);
    assert_eq!(
        terminal["outcome"],
        json!({"type": "interrupt", "interrupts": [{
            "id": "run-1-i1", "reason": "tool_call", "toolCallId": "call_refund_1",
            "message": "May issue_refund run with {\"order_id\":\"2077\",\"amount\":\"18.00\"}?",
            "responseSchema": {
                "type": "object", "properties": {"approved": {"type": "boolean"}}, "required": ["approved"],
            },
            "metadata": {"tool": "issue_refund", "input": {"order_id": "2077", "amount": "18.00"}},
        }]})
    );
    let canonical = last(&all(&driver.host, View::Customer, Wire::Canonical));
    assert_eq!(canonical["type"], "approval_requested");
    assert_eq!(canonical["interrupts"][0]["id"], "run-1-i1");
}

#[test]
fn an_approved_call_runs_once_under_its_own_id_and_the_turn_answers() {
    let mut driver = interrupted("approval");
    assert_eq!(post(&mut driver, 2, resume("run-2", json!([yes("run-1-i1")]), &[])), Reply::Started);
    let ran: Vec<&str> = driver.host.tools.iter().map(|call| call.id.as_str()).collect();
    assert_eq!(ran, ["call_refund_1"]);
    let frames = agui(&driver.host.store, "run-2");
    assert_eq!(answer(&frames).as_deref(), replay::find("approval").unwrap().answer());
    assert!(!bytes(&frames).contains("TOOL_CALL"), "neither its start nor its arguments are sent to a client");
    assert_eq!(last(&frames)["outcome"]["type"], "success");
    assert_eq!(driver.host.bodies.len(), 2, "the recording went on with its second response");
    let told = told(&driver.host.bodies[1]);
    assert_eq!(told[0], ("assistant".into(), "call_refund_1".into()));
    assert!(told[1].0 == "tool" && told[1].1.contains("paid out"), "{told:?}");
    let operator = read(&driver.host.store, "run-2", View::Operator, Wire::Canonical, Some(Cursor::START));
    let of = |kind: &str| operator.iter().map(value).filter(|event| event["type"] == kind).collect::<Vec<_>>();
    assert_eq!((of("tool_start").len(), &of("tool_start")[0]["call"]), (1, &json!("call_refund_1")));
}

#[test]
fn an_approved_call_runs_only_once_the_journal_names_it() {
    let mut driver = interrupted("approval");
    driver.post(2, resume("run-2", json!([yes("run-1-i1")]), &[]));
    while driver.host.tools.is_empty() {
        let open = record(&driver.host.store, "run-2").map(|record| record.open.tools()).unwrap_or_default();
        assert!(driver.turn());
        assert!(driver.host.tools.is_empty() || open == ["call_refund_1"]);
    }
}

#[test]
fn a_denial_or_a_cancellation_is_told_to_the_model_and_the_call_is_not_made() {
    for (answer_to, words) in [(no("run-1-i1"), "did not approve"), (given_up("run-1-i1"), "no answer")] {
        let mut driver = interrupted("approval");
        assert_eq!(post(&mut driver, 2, resume("run-2", json!([answer_to]), &[])), Reply::Started);
        assert!(driver.host.tools.is_empty());
        let told = told(&driver.host.bodies[1]);
        assert!(told[1].0 == "tool" && told[1].1.contains(words), "{told:?}");
        assert_eq!(record(&driver.host.store, "run-2").unwrap().status, Status::Succeeded);
        let operator = read(&driver.host.store, "run-2", View::Operator, Wire::Canonical, Some(Cursor::START));
        assert!(bytes(&operator).contains(words), "operators see what became of it");
    }
}

#[test]
fn what_needs_no_word_runs_first_and_mixed_answers_are_told_in_the_order_of_the_calls() {
    let mut driver = interrupted("approvals-parallel");
    let ran = |driver: &Driver| driver.host.tools.iter().map(|call| call.id.clone()).collect::<Vec<_>>();
    assert_eq!(ran(&driver), ["call_look_1"]);
    let outcome = last(&agui(&driver.host.store, "run-1"))["outcome"].clone();
    let asked: Vec<_> = outcome["interrupts"].as_array().unwrap().iter().map(|i| i["toolCallId"].clone()).collect();
    assert_eq!(asked, ["call_refund_a", "call_refund_b"]);
    let expires = outcome["interrupts"][0]["expiresAt"].as_str().unwrap();
    assert!(expires.starts_with("2023-11-14T22:13:2") && expires.ends_with('Z'), "{expires}");

    post(&mut driver, 2, resume("run-2", json!([no("run-1-i1"), yes("run-1-i2")]), &[]));
    assert_eq!(ran(&driver), ["call_look_1", "call_refund_b"]);
    let told = told(&driver.host.bodies[1]);
    assert_eq!(told[0].1, "call_look_1 call_refund_a call_refund_b");
    assert!(told[1].1.contains("lost in transit") && told[2].1.contains("did not approve"), "{told:?}");
    assert!(told[3].1.contains("paid out"), "{told:?}");
}

#[test]
fn a_turn_may_be_interrupted_again_and_goes_on_from_there() {
    let mut driver = interrupted("approvals-parallel");
    let again = json!({"id": "u2", "role": "user", "content": "And close my account, please."});
    let both = json!([yes("run-1-i1"), yes("run-1-i2")]);
    post(&mut driver, 2, resume("run-2", both.clone(), std::slice::from_ref(&again)));
    assert_eq!(record(&driver.host.store, "run-2").unwrap().status, Status::Interrupted);
    assert_eq!(last(&agui(&driver.host.store, "run-2"))["outcome"]["interrupts"][0]["toolCallId"], "call_close_1");
    assert_eq!(refused(&mut driver, resume("run-3", both, &[])).0, "interrupt_not_open");

    assert_eq!(
        post(&mut driver, 3, resume("run-3", json!([yes("run-2-i1")]), std::slice::from_ref(&again))),
        Reply::Started
    );
    let answered = answer(&agui(&driver.host.store, "run-3"));
    assert_eq!(answered.as_deref(), replay::find("approvals-parallel").unwrap().answer());
    let roles: Vec<String> = told(&driver.host.bodies[2]).into_iter().map(|(role, _)| role).collect();
    assert_eq!(
        roles,
        ["assistant", "tool", "tool", "tool", "user", "assistant", "tool"],
        "what a person said since stands where they said it, once"
    );
}

#[test]
fn the_clients_call_of_the_same_response_leaves_once_the_person_has_answered() {
    let mut driver = interrupted("approval-beside-client-tool");
    assert!(!bytes(&agui(&driver.host.store, "run-1")).contains("pick_depot"));
    post(&mut driver, 2, resume("run-2", json!([yes("run-1-i1")]), &[]));
    assert_eq!(driver.host.tools.len(), 1);
    let frames = agui(&driver.host.store, "run-2");
    assert_eq!(last(&frames)["outcome"], json!({"type": "success", "pendingToolCallIds": ["call_depot_1"]}));
    assert!(bytes(&frames).contains("pick_depot"));

    let call = json!({"id": "call_depot_1", "type": "function",
        "function": {"name": "pick_depot", "arguments": "{\"parcel\":\"88\"}"}});
    let more = [
        json!({"id": "run-2-c", "role": "assistant", "toolCalls": [call]}),
        json!({"id": "t1", "role": "tool", "toolCallId": "call_depot_1", "content": "The depot at the station"}),
    ];
    let next = resume("run-3", json!([]), &more);
    let first = replay::first_response(&next.messages);
    let mut driver = reborn(driver.host.store.clone(), "approval-beside-client-tool", first);
    assert_eq!(post(&mut driver, 3, next), Reply::Started);
    let answered = answer(&agui(&driver.host.store, "run-3"));
    assert_eq!(answered.as_deref(), replay::find("approval-beside-client-tool").unwrap().answer());
}

#[test]
fn an_input_that_does_not_answer_all_that_is_open_is_refused_and_changes_nothing() {
    let mut driver = interrupted("approvals-parallel");
    let detail = |text: &str| text.to_owned();
    let (one, two) = ("run-1-i1", "run-1-i2");
    let missing = refused(&mut driver, asked("run-2"));
    assert_eq!(missing, ("interrupt_open", detail("Missing: run-1-i1, run-1-i2.")));
    let partly = refused(&mut driver, resume("run-2", json!([yes(two)]), &[]));
    assert_eq!(partly, ("interrupt_open", detail("Missing: run-1-i1.")));
    let strange = refused(&mut driver, resume("run-2", json!([yes(one), yes(two), yes("run-1-i3")]), &[]));
    assert_eq!(strange, ("interrupt_not_open", detail("Not open: run-1-i3.")));
    let odd = json!([yes(one), {"interruptId": two, "status": "resolved", "payload": {"approved": 1}}]);
    let odd = refused(&mut driver, resume("run-2", odd, &[]));
    assert_eq!(odd, ("invalid_input", detail("resume[1].payload.approved must be a boolean.")));
    driver.host.now += 6_001;
    let late = refused(&mut driver, resume("run-2", json!([yes(one), given_up(two)]), &[]));
    assert_eq!(late, ("interrupt_expired", detail("It can only be cancelled: run-1-i1.")));
    // The id that was refused so often is still free.
    let given_up = resume("run-2", json!([given_up(one), given_up(two)]), &[]);
    assert_eq!(post(&mut driver, 3, given_up), Reply::Started);
    assert!(driver.host.tools.iter().all(|call| call.id == "call_look_1"));
}

#[test]
fn the_turn_is_kept_in_private_parts_before_the_head_and_no_reader_asks_for_them() {
    let recording = replay::find("approvals-parallel").unwrap();
    let traits = Traits { max_value: 700, batch: false, ..Traits::DURABLE_OBJECT };
    let setup = Setup { approvals: Approvals::of(recording), traits, ..setup("i1") };
    let mut driver = Blocking::new(Simulated::new(recording, 1), setup, thread());
    driver.post(1, asked("run-1"));
    let private = |store: &MemoryStore| store.keys().filter(|key| key.contains("/private/")).count();
    while record(&driver.host.store, "run-1").is_none_or(|record| !record.is_ended()) {
        assert!(driver.turn());
    }
    let pieces = private(&driver.host.store);
    assert_eq!(record(&driver.host.store, "run-1").unwrap().interrupted.unwrap().turn.pieces as usize, pieces);
    assert!(pieces > 1, "{pieces}");
    driver.drive();
    for (view, wire) in
        [(View::Customer, Wire::AgUi), (View::Customer, Wire::Canonical), (View::Operator, Wire::Canonical)]
    {
        for cursor in [None, Some(Cursor::START)] {
            let mut reader = Reader::new(ThreadKeys::new(SCOPE, THREAD).run("run-1"), view, wire, cursor);
            loop {
                match reader.next() {
                    Need::Load(key) => {
                        assert!(!key.contains("/private/"), "{key}");
                        reader.loaded(&key, driver.host.store.value(&key));
                    }
                    Need::Frames(_) => {}
                    Need::End => break,
                    other => panic!("{other:?}"),
                }
            }
        }
    }
    let both = json!([yes("run-1-i1"), no("run-1-i2")]);
    assert_eq!(post(&mut driver, 2, resume("run-2", both, &[])), Reply::Started, "it is read from its pieces");
    assert!(told(&driver.host.bodies[1])[1].1.contains("lost in transit"));
}

#[test]
fn a_head_of_before_interrupts_still_reads() {
    let mut driver = driver("refusal");
    driver.post(1, input("run-1", &[]));
    driver.drive();
    let record = record(&driver.host.store, "run-1").unwrap();
    let text = String::from_utf8(record.encode()).unwrap();
    assert!(!text.contains("interrupted"), "a run without interrupts is stored as before");
    assert_eq!(RunRecord::decode(text.as_bytes()).unwrap(), record);
}
