//! Any bytes as a request's address, token and headers: no panic, the same answer every time, and nobody is let
//! in without the key.

#![no_main]

use lastword::http::{Access, Cors, Credentials, Route, methods, options, token};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let (address, rest) = text.split_once('\n').unwrap_or((&text, ""));
    let (credential, name) = rest.split_once('\n').unwrap_or((rest, ""));

    for asked in ["GET", "POST", "DELETE"] {
        let route = Route::parse(asked, address, Some(name));
        assert_eq!(route, Route::parse(asked, address, Some(name)));
        if let Ok(route) = route {
            assert!(methods(address).is_some_and(|methods| methods.contains(&asked)));
            assert!(route.run().is_none_or(|run| !run.is_empty() && run.len() <= 4096));
        }
    }
    assert_eq!(options(address).is_ok(), methods(address).is_some());
    let _ = token(address);

    let key = "k".repeat(32);
    let access = Access::read(|name| (name == "TOKEN_KEY").then(|| key.clone())).unwrap_or_default();
    for authorization in [Some(credential), None] {
        let given = Credentials {
            authorization,
            api_key: Some(credential),
            token: Some(credential),
            scope: Some(name),
            user: Some(name),
        };
        assert!(access.caller(&given, 0).is_err());
    }
    let _ = Access::read(|_| Some(credential.to_owned()));
    if let Ok(cors) = Cors::parse(Some(credential)) {
        let allowed = cors
            .headers(Some(name))
            .iter()
            .any(|(header, value)| *header == "access-control-allow-origin" && value == name);
        assert!(!allowed || credential.contains(name));
    }
});
