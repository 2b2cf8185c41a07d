//! What a test's own host has in common with the simulated one that it stands on.

/// In an `impl Host`: these methods are those of `self.inner`.
macro_rules! forward {
    (@now) => { fn now(&mut self) -> u64 { self.inner.now() } };
    (@wait_until) => { fn wait_until(&mut self, at: u64) { self.inner.wait_until(at) } };
    (@store) => {
        fn store(&mut self, op: lastword::run::StoreOp) -> lastword::run::StoreReply { self.inner.store(op) }
    };
    (@call_model) => {
        fn call_model(&mut self, run: &str, call: lastword::run::ModelCall, body: Vec<u8>) {
            self.inner.call_model(run, call, body)
        }
    };
    (@read) => {
        fn read(&mut self, run: &str, call: lastword::run::ModelCall, until: Option<u64>) -> lastword::driver::Chunk {
            self.inner.read(run, call, until)
        }
    };
    (@abort) => {
        fn abort(&mut self, run: &str, call: lastword::run::ModelCall) { self.inner.abort(run, call) }
    };
    (@call_tool) => {
        fn call_tool(&mut self, run: &str, call: &lastword::input::Call) -> lastword::executor::ToolResult {
            self.inner.call_tool(run, call)
        }
    };
    (@wake) => {
        fn wake(&mut self, run: &str, revision: u64, ended: bool) { self.inner.wake(run, revision, ended) }
    };
    (@set_alarm) => { fn set_alarm(&mut self, at: Option<u64>) { self.inner.set_alarm(at) } };
    (@reply) => {
        fn reply(&mut self, request: lastword::run::Request, reply: lastword::run::Reply) {
            self.inner.reply(request, reply)
        }
    };
    (@log) => { fn log(&mut self, line: lastword::run::LogLine) { self.inner.log(line) } };
    ($($method:ident)*) => { $($crate::common::host::forward!(@$method);)* };
}

pub(crate) use forward;
