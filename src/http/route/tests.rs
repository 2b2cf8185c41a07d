use super::*;
use crate::wire::{Form, Wire};

fn code(method: &str, path: &str) -> &'static str {
    Route::parse(method, path, None).unwrap_err().code()
}

#[test]
fn knows_every_route() {
    let run = || "r/1".to_owned();
    for (method, path, route) in [
        ("GET", "/health", Route::Health),
        ("POST", "/agui", Route::Start { after: None }),
        ("GET", "/agui/runs/r%2F1", Route::Join { run: run(), after: None }),
        ("GET", "/v1/runs/r%2F1", Route::Record { run: run() }),
        ("POST", "/v1/runs/r%2F1/cancel", Route::Cancel { run: run() }),
        ("DELETE", "/v1/runs/r%2F1", Route::Delete { run: run() }),
        ("DELETE", "/v1/threads/t%2F1", Route::DeleteThread { thread: "t/1".into() }),
        ("GET", "/v1/runs", Route::List(Listed { limit: 20, after: None, thread: None })),
    ] {
        assert_eq!(Route::parse(method, path, None).unwrap(), route);
    }
}

#[test]
fn events_take_a_cursor_a_view_and_types() {
    let path = "/v1/runs/r/events?after=3.1&view=operator&types=content,task_completed";
    let events = Events {
        run: "r".into(),
        after: Some(Cursor::parse("3.1").unwrap()),
        view: View::Operator,
        types: Some(vec!["content".into(), "task_completed".into()]),
    };
    assert_eq!(Route::parse("GET", path, None).unwrap(), Route::Events(events.clone()));
    let header = Route::parse("GET", path, Some("7")).unwrap();
    assert_eq!(header, Route::Events(Events { after: Some(Cursor::after(7)), ..events }), "the header wins");
}

#[test]
fn a_token_in_the_query_is_for_streams_that_are_read() {
    for (method, path, takes) in [
        ("GET", "/agui/runs/r?token=a%2Eb", true),
        ("GET", "/v1/runs/r/events?view=customer&token=a%2Eb&after=1", true),
        ("GET", "/v1/threads/t/events?token=a%2Eb", true),
        ("GET", "/v1/runs/r?token=a%2Eb", false),
        ("POST", "/agui?token=a%2Eb", false),
        ("POST", "/v1/runs/r/cancel?token=a%2Eb", false),
        ("GET", "/v1/runs?token=a%2Eb", false),
        ("DELETE", "/v1/runs/r?token=a%2Eb", false),
    ] {
        assert_eq!(Route::parse(method, path, None).unwrap().takes_token(), takes, "{path}");
        assert_eq!(token(path).unwrap().as_deref(), Some("a.b"));
    }
    assert_eq!(token("/agui/runs/r").unwrap(), None);
    assert_eq!(token("/agui/runs/r?nottoken=x").unwrap(), None);
    assert_eq!(token("/agui/runs/r?token=%FF").unwrap_err().code(), "invalid_input");
}

#[test]
fn knows_which_run_is_meant() {
    let run = |method, path| Route::parse(method, path, None).unwrap().run().map(str::to_owned);
    for (method, path) in [
        ("GET", "/agui/runs/r"),
        ("GET", "/v1/runs/r"),
        ("GET", "/v1/runs/r/events"),
        ("POST", "/v1/runs/r/cancel"),
        ("DELETE", "/v1/runs/r"),
    ] {
        assert_eq!(run(method, path).as_deref(), Some("r"));
    }
    assert_eq!((run("GET", "/health"), run("POST", "/agui")), (None, None));
}

#[test]
fn a_thread_takes_a_position_of_its_own_kind() {
    let path = "/v1/threads/t%2F1/events";
    let followed = |path: &str, header| match Route::parse("GET", path, header).unwrap() {
        Route::Follow(followed) => followed,
        other => panic!("{other:?}"),
    };
    let whole =
        Followed { thread: "t/1".into(), since: Since::After(Position::START), view: View::Customer, types: None };
    assert_eq!(followed(path, None), whole);
    assert_eq!(followed(path, Some("")), whole);
    let query = format!("{path}?after=latest&view=operator&types=content");
    let narrow = Followed { view: View::Operator, types: Some(vec!["content".into()]), ..whole };
    assert_eq!(followed(&query, None), Followed { since: Since::Latest, ..narrow.clone() });
    let since = Since::After(Position::parse("2-7.1").unwrap());
    assert_eq!(followed(&query, Some("2-7.1")), Followed { since, ..narrow }, "the header wins");
    for (query, header) in [("after=7", None), ("after=0-1", None), ("", Some("7")), ("", Some("latest"))] {
        let path = format!("{path}?{query}");
        assert_eq!(Route::parse("GET", &path, header).unwrap_err().code(), "bad_cursor", "{path} {header:?}");
    }
    assert_eq!(code("POST", path), "method_not_allowed");
    assert_eq!(code("GET", "/v1/threads/t"), "method_not_allowed");
}

#[test]
fn says_what_is_wrong() {
    assert_eq!(code("GET", "/nowhere"), "not_found");
    assert_eq!(code("GET", "/v1/threads"), "not_found");
    assert_eq!(code("POST", "/v1/runs"), "method_not_allowed");
    assert_eq!(code("GET", "/v1/runs?thread=%FF"), "invalid_input");
    assert_eq!(code("DELETE", "/agui"), "method_not_allowed");
    assert_eq!(code("HEAD", "/health"), "method_not_allowed");
    assert_eq!(code("GET", "/v1/runs/%FF/cancel"), "method_not_allowed");
    assert_eq!(code("GET", "/v1/runs/r/events?after=x"), "bad_cursor");
    assert_eq!(code("GET", "/v1/runs/r/events?view=god"), "invalid_input");
    assert_eq!(code("GET", "/v1/runs/%FF"), "invalid_input");
    assert_eq!(code("GET", "/v1/runs/%2"), "invalid_input");
    assert_eq!(code("GET", &format!("/v1/runs/{}", "x".repeat(4097))), "invalid_input");
    assert_eq!(Route::parse("POST", "/agui", Some("1.2.3")).unwrap_err().code(), "bad_cursor");
}

#[test]
fn a_page_of_the_list_has_a_limit_a_cursor_and_a_thread() {
    let listed = |query: &str| match Route::parse("GET", &format!("/v1/runs{query}"), None).unwrap() {
        Route::List(listed) => listed,
        other => panic!("{other:?}"),
    };
    let page = Listed { limit: 7, after: Some("0-r%2F1".into()), thread: Some("t/1".into()) };
    assert_eq!(listed("?limit=7&after=0-r%252F1&thread=t%2F1&other=1"), page);
    assert_eq!(listed("?thread=t+1%2B").thread.as_deref(), Some("t 1+"));
    for limit in ["", "x", "-1", "1.5"] {
        assert_eq!(listed(&format!("?limit={limit}")).limit, 0, "refused with what is out of bounds");
    }
}

#[test]
fn a_path_names_all_its_methods() {
    assert_eq!(methods("/v1/runs/r").map(allow).as_deref(), Some("GET, DELETE, OPTIONS"));
    assert_eq!(methods("/v1/threads/t").map(allow).as_deref(), Some("DELETE, OPTIONS"));
    let error = Route::parse("PUT", "/v1/runs/r", None).unwrap_err();
    assert_eq!(error.detail(), Some("It takes GET and DELETE."));
}

#[test]
fn knows_the_routes_of_others_wires() {
    let begin = |wire, compact| Route::Begin(Begin { wire, compact });
    let stored = |ask| Route::Stored(Stored { run: "r/1".into(), ask });
    let chat = |ask| Route::Chat(Chat { chat: "c/1".into(), ask });
    let page =
        |ascending, after: Option<&str>, limit| Ask::Input(Page { ascending, after: after.map(str::to_owned), limit });
    for (method, path, route) in [
        ("POST", "/v1/responses", begin(Wire::Responses, false)),
        ("POST", "/v1/responses/compact", begin(Wire::Responses, true)),
        ("POST", "/v1/chat/completions", begin(Wire::ChatCompletions, false)),
        ("POST", "/v1/messages?beta=true", begin(Wire::Messages, false)),
        ("POST", "/api/chat", begin(Wire::UiStream, false)),
        ("GET", "/v1/models", Route::Models),
        ("GET", "/v1/responses/resp_r%2F1", stored(Ask::Read(Form::Now, 0))),
        ("GET", "/v1/responses/resp_r%2F1?stream=true", stored(Ask::Read(Form::Stream, 0))),
        ("GET", "/v1/responses/resp_r%2F1?stream=false", stored(Ask::Read(Form::Now, 0))),
        ("GET", "/v1/responses/resp_r%2F1?stream=true&starting_after=0", stored(Ask::Read(Form::Stream, 1))),
        ("POST", "/v1/responses/resp_r%2F1/cancel", stored(Ask::Cancel)),
        ("DELETE", "/v1/responses/resp_r%2F1", stored(Ask::Delete)),
        ("GET", "/v1/responses/resp_r%2F1/input_items", stored(page(false, None, 20))),
        (
            "GET",
            "/v1/responses/resp_r%2F1/input_items?order=asc&limit=1&after=m%201",
            stored(page(true, Some("m 1"), 1)),
        ),
        ("GET", "/api/chat/c%2F1/stream", chat(ChatAsk::Resume)),
        ("GET", "/api/chat/c%2F1", chat(ChatAsk::Messages)),
        ("POST", "/api/chat/c%2F1/cancel", chat(ChatAsk::Cancel)),
    ] {
        assert_eq!(Route::parse(method, path, None).unwrap(), route, "{method} {path}");
    }
    for (method, path, error) in [
        ("GET", "/v1/responses", "method_not_allowed"),
        ("GET", "/v1/responses/r1", "unknown_run"),
        ("GET", "/v1/responses/resp_", "unknown_run"),
        ("PUT", "/v1/responses/resp_1", "method_not_allowed"),
        ("GET", "/v1/responses/resp_1?stream=true&starting_after=-1", "invalid_input"),
        ("GET", "/v1/responses/resp_1?starting_after=18446744073709551615", "invalid_input"),
        ("GET", "/v1/responses/resp_1/input_items?limit=0", "invalid_input"),
        ("GET", "/v1/responses/resp_1/input_items?order=up", "invalid_input"),
        ("POST", "/v1/completions", "not_found"),
        ("GET", "/api/chat", "method_not_allowed"),
        ("GET", "/api/chat//stream", "invalid_input"),
    ] {
        assert_eq!(code(method, path), error, "{method} {path}");
    }
}

#[test]
fn each_path_has_the_errors_that_its_clients_read() {
    for (path, expected) in [
        ("/v1/responses/resp_1/cancel", Some(Wire::Responses)),
        ("/v1/chat/completions?x=1", Some(Wire::ChatCompletions)),
        ("/v1/models", Some(Wire::ChatCompletions)),
        ("/v1/messages", Some(Wire::Messages)),
        ("/api/chat/1", Some(Wire::UiStream)),
        ("/agui", None),
        ("/v1/runs/1", None),
    ] {
        assert_eq!(wire(path), expected, "{path}");
    }
}
