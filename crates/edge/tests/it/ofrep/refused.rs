//! What is wrong with a request is said in OFREP's words.

use std::sync::atomic::Ordering::SeqCst;

use axum::body::Body;
use axum::http::Request;
use serde_json::{Value, json};

use super::{ALL, Answer, Desk, asking, flag};

async fn desk() -> Desk {
    Desk::open(vec![flag("f", "string", &["A"], json!({}))]).await
}

/// The answers to a body of whoever asks for one flag and for all.
async fn both(desk: &Desk, body: &[u8]) -> [Answer; 2] {
    let mut answers = Vec::new();
    for uri in [format!("{ALL}/f"), ALL.to_owned()] {
        let request = asking(&uri).header("x-api-key", "env-client");
        answers.push(desk.send(request.body(body.to_vec().into()).unwrap()).await);
    }
    assert_eq!(answers[0].json()["key"], "f", "{}", answers[0].text());
    assert_eq!(answers[1].json()["key"], Value::Null);
    answers.try_into().ok().unwrap()
}

#[tokio::test]
async fn a_body_has_a_context_with_a_targeting_key() {
    let desk = desk().await;
    for (body, code, said) in [
        ("", "PARSE_ERROR", "the body is no JSON"),
        ("{", "PARSE_ERROR", "the body is no JSON"),
        ("{\"context\":{}} x", "PARSE_ERROR", "the body is no JSON"),
        ("\u{0}", "PARSE_ERROR", "the body is no JSON"),
        ("{}", "INVALID_CONTEXT", "context is missing"),
        ("null", "INVALID_CONTEXT", "context must be an object"),
        (
            "[{\"targetingKey\":\"u\"}]",
            "INVALID_CONTEXT",
            "the body must be an object",
        ),
        (
            "{\"context\":null}",
            "INVALID_CONTEXT",
            "context is missing",
        ),
        (
            "{\"context\":\"u\"}",
            "INVALID_CONTEXT",
            "context must be an object",
        ),
        (
            "{\"context\":[]}",
            "INVALID_CONTEXT",
            "context must be an object",
        ),
        (
            "{\"context\":{}}",
            "TARGETING_KEY_MISSING",
            "context.targetingKey",
        ),
        (
            "{\"context\":{\"targetingKey\":\" \"}}",
            "TARGETING_KEY_MISSING",
            "context.targetingKey",
        ),
        (
            "{\"context\":{\"targetingKey\":null}}",
            "TARGETING_KEY_MISSING",
            "context.targetingKey",
        ),
        (
            "{\"context\":{\"targetingKey\":7}}",
            "INVALID_CONTEXT",
            "context.targetingKey: it must be a string",
        ),
    ] {
        for answer in both(&desk, body.as_bytes()).await {
            let (found, words) = answer.refusal(400);
            assert_eq!(found, code, "{body}");
            assert!(words.starts_with(said), "{body}: {words}");
        }
    }
    for answer in both(&desk, b"{\"context\":{\"targetingKey\":\"\xFF\"}}").await {
        assert_eq!(answer.refusal(400).0, "PARSE_ERROR");
    }
}

#[tokio::test]
async fn a_context_is_bounded() {
    let desk = desk().await;
    let many: serde_json::Map<String, Value> = (0..10_000)
        .map(|n| (format!("a{n:05}"), json!(n)))
        .collect();
    let mut many = Value::Object(many);
    many["targetingKey"] = json!("u");
    for (context, said) in [
        (
            json!({"targetingKey": "u", "x": "x".repeat(1 << 20)}),
            "a body has at most 512 KiB",
        ),
        (
            many,
            "context.a00100: it is one too many, a context has at most 100 attributes",
        ),
        (
            json!({"targetingKey": "u", "x": "x".repeat(1024)}),
            "context.x: an attribute has at most 1024 bytes",
        ),
        (
            json!({"targetingKey": "u", "x": ["x".repeat(1024)]}),
            "context.x: an attribute has at most 1024 bytes",
        ),
        (
            json!({"targetingKey": "u".repeat(513)}),
            "context.targetingKey: it has at most 512 bytes",
        ),
        (
            json!({"targetingKey": "u", "name": "n".repeat(257)}),
            "context.name: it has at most 256 bytes",
        ),
    ] {
        let body = json!({ "context": context }).to_string();
        for answer in both(&desk, body.as_bytes()).await {
            let (code, words) = answer.refusal(400);
            assert_eq!(code, "INVALID_CONTEXT", "{words}");
            assert!(words.starts_with(said), "{words}");
        }
    }
    // Deep, and wide at each depth: bounded, too.
    let deep = format!(
        r#"{{"context":{{"targetingKey":"u","o":{}1{}}}}}"#,
        "{\"o\":".repeat(50_000),
        "}".repeat(50_000)
    );
    for answer in both(&desk, deep.as_bytes()).await {
        let (code, words) = answer.refusal(400);
        assert_eq!(code, "INVALID_CONTEXT");
        assert!(words.contains("at most 8 deep"), "{words}");
    }
}

#[tokio::test]
async fn a_body_is_json_by_its_type() {
    let desk = desk().await;
    for (media, status) in [
        (Some("text/plain"), 400),
        (Some("application/x-www-form-urlencoded"), 400),
        (Some("application/jsonp"), 400),
        (Some("application/json"), 200),
        (Some("Application/JSON;charset=utf-8"), 200),
        (Some("application/vnd.app+json"), 200),
        (None, 200),
    ] {
        let mut request = Request::post(ALL).header("x-api-key", "env-client");
        if let Some(media) = media {
            request = request.header("content-type", media);
        }
        let body = r#"{"context":{"targetingKey":"u"}}"#;
        let answer = desk.send(request.body(body.into()).unwrap()).await;
        assert_eq!(answer.status, status, "{media:?}");
        if status == 400 {
            let (code, words) = answer.refusal(400);
            assert_eq!(code, "PARSE_ERROR");
            assert!(words.contains("Content-Type"), "{words}");
        }
    }
}

#[tokio::test]
async fn who_has_no_key_is_told_how_to_show_one() {
    let desk = desk().await;
    for (name, value) in [
        ("x-nothing", "x"),
        ("authorization", "Bearer "),
        ("authorization", "Basic env-client"),
        ("x-api-key", " "),
        ("x-api-key", "nobody's"),
        ("authorization", "Bearer nobody's"),
    ] {
        for uri in [ALL.to_owned(), format!("{ALL}/f")] {
            let request = asking(&uri).header(name, value);
            let answer = desk.send(request.body(Body::empty()).unwrap()).await;
            let (code, words) = answer.refusal(401);
            assert_eq!(code, "GENERAL");
            assert!(
                words.contains("Bearer") && words.contains("X-API-Key"),
                "{words}"
            );
        }
    }
    assert!(desk.world.found.load(SeqCst) <= 1, "asked for once");
}

#[tokio::test]
async fn where_a_key_cannot_be_checked_it_is_said_when_to_come_again() {
    let desk = desk().await;
    desk.world.set_down(true);
    let answer = desk.flag("unknown", "f").await;
    assert_eq!(answer.refusal(503).0, "GENERAL");
    assert_eq!(answer.headers["retry-after"], "2");
    // Whom we know is served.
    assert_eq!(desk.flag("env-client", "f").await.status, 200);
}

#[tokio::test]
async fn what_ofrep_does_not_have_is_said_in_its_form() {
    let desk = desk().await;
    for (method, uri, status) in [
        ("GET", ALL, 405),
        ("PUT", "/ofrep/v1/evaluate/flags/f", 405),
        ("GET", "/ofrep/v1/configuration", 404),
        ("POST", "/ofrep/v2/evaluate/flags", 404),
        ("GET", "/ofrep/", 404),
        ("POST", "/ofrep", 404),
    ] {
        let request = Request::builder().method(method).uri(uri);
        let answer = desk.send(request.body(Body::empty()).unwrap()).await;
        assert_eq!(answer.refusal(status).0, "GENERAL");
        if status == 405 {
            assert_eq!(answer.headers["allow"], "POST");
        }
    }
}
