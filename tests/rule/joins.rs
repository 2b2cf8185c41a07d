//! Random interleavings once more, with everything public that can be: whoever joins, after whatever event, has in
//! the end what the client has that began the run.

use crate::client::Client;
use crate::common::matrix::{cuts, joined, late, live, sequence};
use crate::common::{RUN, input, thread};
use crate::properties::{play, setup_of};
use crate::script::{CLIENT_TOOL, Script, script};
use lastword::driver::{Blocking, Simulated};
use lastword::provider::replay;
use lastword::run::{MemoryStore, Setup};
use lastword::sse::Frame;
use proptest::test_runner::{Config, TestRunner};
use serde_json::Value;

/// How many cases are tried.
const CASES: u32 = 200;

#[test]
fn whoever_joins_a_random_run_has_what_its_starter_has() {
    let mut runner = TestRunner::new(Config { failure_persistence: None, ..Config::with_cases(CASES) });
    let result = runner.run(&(script(), 12..200_usize), |(script, moment)| {
        check(&script, moment);
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
}

/// The run as it ends, and as it ends where its worker is lost on the way.
fn check(script: &Script, moment: usize) {
    check_joins(&play(script, true, usize::MAX).host.inner.store);
    let lost = play(script, true, moment).host.inner;
    if lost.store.keys().any(|key| key.ends_with("/head")) {
        let setup = Setup { instance: "i2".into(), ..setup_of(script, true) };
        let mut host = Simulated::new(replay::find("empty-answer").unwrap(), 1);
        host.store = lost.store;
        let mut second = Blocking::new(host, setup, thread());
        second.post(2, input(RUN, &[CLIENT_TOOL]));
        second.drive();
        assert_eq!(second.host.bodies.len(), 0, "never executed again");
        check_joins(&second.host.store);
    }
}

fn check_joins(store: &MemoryStore) {
    let live = live(store);
    let echo = input(RUN, &[]).echo.clone();
    let starter = || Client::holding(echo.messages.clone(), echo.state.clone().unwrap_or_default());
    let whole = read(starter(), &live);
    assert_eq!(unanswered(&whole.messages), Vec::<&Value>::new(), "a call of ours without a result");
    let until = |seq: u64| read(starter(), live.iter().take_while(|frame| sequence(frame) <= seq)).reconnected();
    for cut in cuts(&live) {
        let frames = joined(store, cut);
        for client in [Client::default(), until(cut), until(cut / 2)] {
            same(&read(client, &frames), &whole);
        }
    }
    same(&read(whole.reconnected(), &late(store)), &whole);
}

/// The calls of ours that no result stands for.
fn unanswered(messages: &[Value]) -> Vec<&Value> {
    let calls = messages.iter().filter_map(|message| message.get("toolCalls")?.as_array()).flatten();
    let ours = calls.filter(|call| call["function"]["name"] != CLIENT_TOOL);
    ours.filter(|call| !messages.iter().any(|message| message["toolCallId"] == call["id"])).collect()
}

fn read<'a>(mut client: Client, frames: impl IntoIterator<Item = &'a Frame>) -> Client {
    client.read(frames.into_iter().map(|frame| &frame.data)).unwrap();
    client
}

fn same(got: &Client, want: &Client) {
    assert_eq!((&got.messages, &got.state), (&want.messages, &want.state));
    assert_eq!((&got.terminal, &got.withdrawn), (&want.terminal, &want.withdrawn));
}
