//! The HTTP side that every host shares, as values: routes, access, configuration, bodies.
//!
//! It performs nothing: a binding turns a request into a [`Route`] and a [`Caller`], and an
//! [`Answer`] into a response.

mod access;
mod answer;
mod config;
mod route;

pub use access::{Access, Caller};
pub use answer::{Answer, health, record, refused, status};
pub use config::{Config, Provider};
pub use route::{Events, Route};
