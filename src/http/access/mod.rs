//! Who may do what.
//!
//! A token belongs to a scope, and a run to the scope whose token began it, and in it to the end user
//! whom the token names. Without any token the service is not configured; local development is an
//! explicit switch, never inferred.

mod jwt;
mod tokens;

use crate::Millis;
use crate::error::{Error, ErrorKind};
use jwt::TokenKey;
use tokens::{Tokens, digest, equal};

/// The scope of local development.
const DEV: &str = "dev";
/// Stands between scope and user where both name a namespace. No scope holds it.
const SEPARATOR: char = '/';
/// The most bytes of a scope's or an end user's name.
const MAX_NAME: usize = 256;

/// The configured tokens.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Access {
    dev: bool,
    tokens: Tokens,
    operator: Option<String>,
    key: Option<TokenKey>,
}

/// What a request says of who asks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Credentials<'a> {
    /// The header `Authorization`.
    pub authorization: Option<&'a str>,
    /// The header `x-api-key`, in which Anthropic's clients send a token.
    pub api_key: Option<&'a str>,
    /// The query value `token`, where the route takes one ([`Route::takes_token`](super::Route::takes_token)).
    pub token: Option<&'a str>,
    /// The header `Lastword-Scope`.
    pub scope: Option<&'a str>,
    /// The header `Lastword-User`.
    pub user: Option<&'a str>,
}

/// Who asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    /// Whose runs it may see.
    pub scope: String,
    /// The end user in the scope, if one is named.
    pub user: Option<String>,
    /// The one thread that it may reach; absent for any.
    pub thread: Option<String>,
    /// Until when; absent for ever.
    pub until: Option<Millis>,
    /// Whether it may have the operator's view.
    pub operator: bool,
}

impl Access {
    /// Reads the configuration; `var` gives the value of `LASTWORD_` and the name: `DEV` is on for an
    /// exact `1`; `TOKENS` is a comma-separated list of `scope=sha256hex`; `OPERATOR_TOKEN` is the token
    /// itself; `TOKEN_KEY` signs browser tokens, at least 32 bytes.
    ///
    /// # Errors
    /// [`ErrorKind::NotConfigured`] naming the variable that is not valid.
    pub fn read(var: impl Fn(&str) -> Option<String>) -> Result<Self, Error> {
        Ok(Access {
            dev: var("DEV").as_deref() == Some("1"),
            tokens: Tokens::parse(&var("TOKENS").unwrap_or_default())?,
            operator: var("OPERATOR_TOKEN").map(|token| digest(&token)),
            key: var("TOKEN_KEY").map(|key| TokenKey::parse(&key)).transpose()?,
        })
    }

    /// Says who asks, at the time `now`.
    ///
    /// A scope's token or the operator's names the end user in `Lastword-User`; without it it reaches
    /// the runs that belong to no user. An operator names the scope that it looks at in
    /// `Lastword-Scope`; with a single token configured it need not. A browser token says all that
    /// itself: neither header changes it. Only a browser token is taken from the query.
    ///
    /// # Errors
    /// [`ErrorKind::NotConfigured`] if there is no token at all, [`ErrorKind::Unauthorized`] if
    /// this one is missing or wrong, [`ErrorKind::TokenExpired`], or [`ErrorKind::InvalidInput`] naming
    /// the header.
    pub fn caller(&self, credentials: &Credentials<'_>, now: Millis) -> Result<Caller, Error> {
        if self.dev {
            return trusted(DEV, credentials, true);
        }
        if self.tokens.is_empty() && self.operator.is_none() && self.key.is_none() {
            return Err(Error::with(ErrorKind::NotConfigured, "No token is configured."));
        }
        let token = match (credentials.authorization, credentials.api_key) {
            (Some(header), _) => bearer(header).ok_or(ErrorKind::Unauthorized)?,
            (None, Some(key)) => key,
            (None, None) => return self.browser(credentials.token.ok_or(ErrorKind::Unauthorized)?, now),
        };
        let given = digest(token);
        if self.operator.as_ref().is_some_and(|operator| equal(operator, &given)) {
            return trusted(self.looked_at(credentials.scope)?, credentials, true);
        }
        match self.tokens.scope_of(&given) {
            Some(scope) => trusted(scope, credentials, false),
            None => self.browser(token, now),
        }
    }

    fn browser(&self, token: &str, now: Millis) -> Result<Caller, Error> {
        let claims = self.key.as_ref().ok_or(ErrorKind::Unauthorized)?.verify(token, now)?;
        let (scope, user, thread) = (claims.scope, claims.user, claims.thread);
        Ok(Caller { scope, user, thread, until: Some(claims.expires), operator: false })
    }

    /// The scope that an operator looks at.
    fn looked_at<'a>(&'a self, named: Option<&'a str>) -> Result<&'a str, Error> {
        named.or(self.tokens.only()).filter(|scope| is_scope(scope)).ok_or_else(|| {
            Error::with(ErrorKind::InvalidInput, "Lastword-Scope must name a scope: 1 to 256 bytes, no slash.")
        })
    }
}

impl Caller {
    /// Where its runs are kept: a name that no other scope and user have, so that nobody can see or
    /// take the ids of another's runs or threads.
    pub fn namespace(&self) -> String {
        match &self.user {
            Some(user) => format!("{}{SEPARATOR}{user}", self.scope),
            None => self.scope.clone(),
        }
    }

    /// True if it may delete what it may read. A browser's token may not.
    pub fn may_delete(&self) -> bool {
        self.until.is_none()
    }

    /// True if it may have to do with that thread.
    pub fn reaches(&self, thread: &str) -> bool {
        self.thread.as_ref().is_none_or(|only| only == thread)
    }
}

/// A caller whose word on the end user is taken.
fn trusted(scope: &str, credentials: &Credentials<'_>, operator: bool) -> Result<Caller, Error> {
    let user = credentials.user;
    // What a host makes of other bytes in a header differs.
    if user.is_some_and(|user| !is_user(user) || !user.bytes().all(|byte| matches!(byte, b' '..=b'~'))) {
        return Err(Error::with(ErrorKind::InvalidInput, "Lastword-User must be 1 to 256 bytes of printable ASCII."));
    }
    Ok(Caller { scope: scope.to_owned(), user: user.map(str::to_owned), thread: None, until: None, operator })
}

fn is_scope(name: &str) -> bool {
    is_user(name) && !name.contains(SEPARATOR)
}

fn is_user(name: &str) -> bool {
    (1..=MAX_NAME).contains(&name.len())
}

fn bearer(header: &str) -> Option<&str> {
    let (scheme, token) = header.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim()).filter(|token| !token.is_empty())
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
