//! Random interleavings once more, with everything public that can be: whoever joins, after whatever event, has in
//! the end what the client has that began the run.

use crate::client::Client;
use crate::common::input;
use crate::common::matrix::{cuts, joined, late, live, sequence};
use crate::properties::play;
use crate::script::{Script, script};
use lastword::sse::Frame;
use proptest::test_runner::{Config, TestRunner};

/// How many cases are tried.
const CASES: u32 = 200;

#[test]
fn whoever_joins_a_random_run_has_what_its_starter_has() {
    let mut runner = TestRunner::new(Config { failure_persistence: None, ..Config::with_cases(CASES) });
    let result = runner.run(&script(), |script| {
        check(&script);
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
}

fn check(script: &Script) {
    let store = play(script, true).host.inner.store;
    let live = live(&store);
    let echo = input("run-1", &[]).echo.clone();
    let starter = || Client::holding(echo.messages.clone(), echo.state.clone().unwrap_or_default());
    let whole = read(starter(), &live);
    let until = |seq: u64| read(starter(), live.iter().take_while(|frame| sequence(frame) <= seq)).reconnected();
    for cut in cuts(&live) {
        let frames = joined(&store, cut);
        for client in [Client::default(), until(cut), until(cut / 2)] {
            same(&read(client, &frames), &whole);
        }
    }
    same(&read(whole.reconnected(), &late(&store)), &whole);
}

fn read<'a>(mut client: Client, frames: impl IntoIterator<Item = &'a Frame>) -> Client {
    client.read(frames.into_iter().map(|frame| &frame.data)).unwrap();
    client
}

fn same(got: &Client, want: &Client) {
    assert_eq!((&got.messages, &got.state, &got.terminal), (&want.messages, &want.state, &want.terminal));
}
