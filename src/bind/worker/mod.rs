//! The Cloudflare Worker: a front that any isolate runs, an object that owns a thread, and an
//! object per run that knows its thread.

mod driver;
mod envelope;
mod front;
mod index;
mod model;
mod platform;
mod reader;
mod store;
mod thread;
mod tools;
mod watch;

use worker::{Context, Env, Request, Response, Result, event};

#[event(fetch)]
async fn fetch(request: Request, env: Env, _context: Context) -> Result<Response> {
    front::answer(request, &env).await
}
