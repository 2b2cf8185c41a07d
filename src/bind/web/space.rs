//! The threads of a given store, as this process has them.

use super::driver::ThreadDriver;
use super::fresh::Fresh;
use super::host::{Context, Host, Signal};
use super::model::Means;
use super::store::{Given, InStore, Store};
use crate::Millis;
use crate::http::Config;
use crate::run::Owner;
use std::cell::RefCell;
use std::rc::{Rc, Weak};

/// How long a platform that ends requests lets work go on once the client has gone.
const ALONE: Millis = 30_000;

/// A store, and the drivers of its threads that are at work.
pub struct Space {
    given: Rc<Given>,
    /// True in a process that goes on, where a thread has one driver. Else each request has one of its own, since a
    /// platform lets no request wait for another.
    stays: bool,
    drivers: RefCell<Vec<Known>>,
}

/// A driver, by scope and thread.
type Known = ((String, String), Weak<ThreadDriver>);

/// What keeps the work of a request going.
#[derive(Default)]
pub struct Asked {
    /// Aborted when its client goes.
    pub signal: Option<Signal>,
    /// What takes work that goes on behind the response.
    pub context: Option<Context>,
}

impl Space {
    /// The space of a store.
    pub fn new(store: Store, stays: bool) -> Self {
        Space { given: Rc::new(Given::new(store)), stays, drivers: RefCell::default() }
    }

    /// The store.
    pub fn given(&self) -> &Given {
        &self.given
    }

    /// The driver of a thread.
    pub fn driver(&self, config: &Config, means: Means, asked: Asked, scope: &str, thread: &str) -> Rc<ThreadDriver> {
        // An owner that is exclusive is one driver by its own word.
        let stays = self.stays || config.traits.owner == Owner::Exclusive;
        let mut drivers = self.drivers.borrow_mut();
        drivers.retain(|(_, driver)| driver.strong_count() > 0);
        let known =
            drivers.iter().find(|((s, t), _)| s == scope && t == thread).and_then(|(_, driver)| driver.upgrade());
        if let Some(driver) = known.filter(|_| stays) {
            return driver;
        }
        let host = match stays {
            true => Host::new(None, None, Millis::MAX),
            false => Host::new(asked.signal, asked.context, ALONE),
        };
        let shared = config.traits.owner == Owner::Shared;
        let home = InStore { given: self.given.clone(), fresh: Fresh::default(), host, shared, stays };
        let driver = ThreadDriver::new(Rc::new(home), means, config.clone(), scope, thread);
        if stays {
            drivers.push(((scope.to_owned(), thread.to_owned()), Rc::downgrade(&driver)));
        }
        driver
    }
}
