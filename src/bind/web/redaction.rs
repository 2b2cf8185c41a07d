//! The plans of the output filter: made once an isolate, and shared by its runs.

use crate::Error;
use crate::http::Config;
use crate::redact::{Plans, Settings};
use std::cell::RefCell;

thread_local! {
    /// The last ones, and what they were made from. An isolate has one configuration.
    static MADE: RefCell<Option<(Settings, Plans)>> = const { RefCell::new(None) };
}

/// The plans of that configuration.
///
/// # Errors
/// [`crate::ErrorKind::NotConfigured`] with the place in the settings that is not valid.
pub fn plans(config: &Config) -> Result<Plans, Error> {
    MADE.with_borrow_mut(|made| {
        if let Some((_, plans)) = made.as_ref().filter(|(settings, _)| *settings == config.redact) {
            return Ok(plans.clone());
        }
        let plans = config.plans()?;
        *made = Some((config.redact.clone(), plans.clone()));
        Ok(plans)
    })
}
