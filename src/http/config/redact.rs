//! What the output filter is to do: `LASTWORD_REDACT`.

use crate::error::{Error, ErrorKind};
use crate::redact::{Known, MAX_VALUE, Settings};

/// The Worker's own secrets, each with the name that stands in its place.
const OWN: [(&str, &str); 3] = [
    ("LASTWORD_API_KEY", "api_key"),
    ("LASTWORD_TOKEN_KEY", "token_key"),
    ("LASTWORD_OPERATOR_TOKEN", "operator_token"),
];
/// A shorter one is a word that texts may hold, as local models want some word for a key.
const MIN_OWN: usize = 12;

/// Reads the settings; `var` gives a variable by its whole name. Unset is on. Unless the filter is off, the Worker's
/// own secrets are among the values that never leave.
pub(super) fn read(var: &dyn Fn(&str) -> Option<String>) -> Result<Settings, Error> {
    let text = var("LASTWORD_REDACT").filter(|text| !text.is_empty());
    let mut settings = match text {
        Some(text) => Settings::parse_with(&text, var).map_err(|error| invalid(&error))?,
        None => Settings::default(),
    };
    if settings != Settings::off() {
        for (variable, name) in OWN {
            let secret = var(variable).filter(|secret| (MIN_OWN..=MAX_VALUE).contains(&secret.len()));
            settings.values.extend(secret.map(|value| Known { name: Some(name.to_owned()), value }));
        }
    }
    Ok(settings)
}

/// The error of settings, as that of the variable.
pub(super) fn invalid(error: &Error) -> Error {
    let detail = error.detail().unwrap_or("It is not valid.");
    Error::with(ErrorKind::NotConfigured, format!("LASTWORD_REDACT: {detail}"))
}
