//! JSON Patch by the rules of RFC 6902: what fits, what doesn't, and that a patch applies whole or not at all.

use crate::provider::agui::patch::patched;
use serde_json::{Value, json};

fn apply(value: Value, operations: Value) -> Option<Value> {
    patched(&value, operations.as_array().unwrap(), 1 << 20).unwrap()
}

#[test]
fn what_fits_is_applied() {
    let cases = [
        (json!({"a": 1}), json!([{"op": "add", "path": "/b", "value": 2}]), json!({"a": 1, "b": 2})),
        (json!([1, 3]), json!([{"op": "add", "path": "/1", "value": 2}]), json!([1, 2, 3])),
        (json!([1]), json!([{"op": "add", "path": "/1", "value": 2}]), json!([1, 2])),
        (json!([1]), json!([{"op": "add", "path": "/-", "value": 2}]), json!([1, 2])),
        (json!(1), json!([{"op": "add", "path": "", "value": [2]}]), json!([2])),
        (json!({"a": 1}), json!([{"op": "add", "path": "/a", "value": null}]), json!({"a": null})),
        (json!({"": 1}), json!([{"op": "replace", "path": "/", "value": 2}]), json!({"": 2})),
        (
            json!({"a/b": {"c~d": 1}}),
            json!([{"op": "replace", "path": "/a~1b/c~0d", "value": 2}]),
            json!({"a/b": {"c~d": 2}}),
        ),
        (json!({"~1": 1}), json!([{"op": "remove", "path": "/~01"}]), json!({})),
        (json!([1, 2, 3]), json!([{"op": "remove", "path": "/1"}]), json!([1, 3])),
        (
            json!({"a": [1], "b": []}),
            json!([{"op": "move", "from": "/a/0", "path": "/b/0"}]),
            json!({"a": [], "b": [1]}),
        ),
        (json!({"a": 1}), json!([{"op": "copy", "from": "/a", "path": "/b"}]), json!({"a": 1, "b": 1})),
        (json!({"a": 1}), json!([{"op": "test", "path": "/a", "value": 1}]), json!({"a": 1})),
    ];
    for (value, patch, expected) in cases {
        assert_eq!(apply(value.clone(), patch.clone()), Some(expected), "{value} {patch}");
    }
}

#[test]
fn what_does_not_fit_changes_nothing() {
    for operation in [
        json!({"op": "add", "path": "/x/y", "value": 1}),
        json!({"op": "add", "path": "a", "value": 1}),
        json!({"op": "add", "path": "/list/2", "value": 1}),
        json!({"op": "add", "path": "/list/01", "value": 1}),
        json!({"op": "add", "path": "/list/+1", "value": 1}),
        json!({"op": "add", "path": "/a"}),
        json!({"op": "replace", "path": "/x", "value": 1}),
        json!({"op": "remove", "path": "/list/1"}),
        json!({"op": "remove", "path": "/list/-"}),
        json!({"op": "move", "from": "/list", "path": "/list/0"}),
        json!({"op": "copy", "from": "/x", "path": "/y"}),
        json!({"op": "test", "path": "/a", "value": 2}),
        json!({"op": "burn", "path": "/a"}),
        json!(7),
    ] {
        let patch = json!([{"op": "replace", "path": "/a", "value": 9}, operation]);
        assert_eq!(apply(json!({"a": 1, "list": [0]}), patch), None, "{operation}");
    }
}
