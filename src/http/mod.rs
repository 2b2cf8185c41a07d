//! The HTTP side that every host shares, as values: routes, access, configuration, bodies.
//!
//! It performs nothing: a binding turns a request into a [`Route`] and a [`Caller`], and an
//! [`Answer`] into a response, with the headers of [`Cors`] on every one.

mod access;
mod answer;
mod config;
mod cors;
mod route;

pub use access::{Access, Caller, Credentials};
pub use answer::{
    Answer, NO_RETRY, cancel_asked, deleted, health, models, nothing_left, record, refused, runs, status,
};
pub use config::{AI_BINDING, Config, Provider, Store, Upstream};
pub use cors::{Cors, options};
pub use route::{Ask, Begin, Chat, ChatAsk, Events, Followed, Listed, Page, Route, Stored, methods, token, wire};
