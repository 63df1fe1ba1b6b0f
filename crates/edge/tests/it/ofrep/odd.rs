//! What is odd and has an answer all the same: JSON that no program of good sense writes.

use axum::body::Body;
use axum::http::Request;
use serde_json::json;

use super::{ALL, Answer, Desk, asking, flag, rule};
use crate::api::Never;

/// A flag that gives `B` to whom a condition takes.
async fn desk(property: &str, op: &str, value: &str) -> Desk {
    let rules = json!({"rules": [rule(property, op, value)]});
    Desk::open(vec![flag("f", "string", &["A", "B"], rules)]).await
}

/// The answer for one flag to a body of bytes.
async fn ask(desk: &Desk, body: impl Into<Vec<u8>>) -> Answer {
    let request = asking(&format!("{ALL}/f")).header("x-api-key", "env-client");
    desk.send(request.body(body.into().into()).unwrap()).await
}

/// A context with what is written here beside its key.
fn context(rest: &str) -> String {
    format!(r#"{{"context":{{"targetingKey":"u",{rest}}}}}"#)
}

#[tokio::test]
async fn of_two_attributes_of_one_name_the_first_counts() {
    for (property, body) in [
        (
            "keyId",
            r#"{"context":{"targetingKey":"1","targetingKey":"2"}}"#.to_owned(),
        ),
        ("name", context(r#""name":"1","name":"2""#)),
        ("x", context(r#""x":"1","x":"2""#)),
        ("x", context(r#""x":1,"x":"2""#)),
        ("x.y", context(r#""x":{"y":"1","y":"2"}"#)),
        ("x.y", context(r#""x.y":"1","x":{"y":"2"}"#)),
        ("x", context(r#""\u0078":"1","x":"2""#)),
    ] {
        for (value, wanted) in [("1", "B"), ("2", "A")] {
            let desk = desk(property, "Equal", value).await;
            let answer = ask(&desk, body.clone()).await;
            assert_eq!(answer.json()["value"], wanted, "{body}");
        }
    }
}

#[tokio::test]
async fn two_contexts_are_refused_since_nobody_knows_which_is_meant() {
    let desk = desk("keyId", "Equal", "u").await;
    let one = r#""context":{"targetingKey":"u"}"#;
    let (code, words) = ask(&desk, format!("{{{one},{one}}}")).await.refusal(400);
    assert_eq!(code, "INVALID_CONTEXT");
    assert!(words.contains("there once"), "{words}");
}

#[tokio::test]
async fn what_lies_beside_the_context_is_passed_over_however_deep_it_is() {
    let desk = desk("keyId", "Equal", "u").await;
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let rest = r#""context":{"targetingKey":"u"}"#;
    for body in [
        format!(r#"{{"x":{deep},{rest}}}"#),
        format!(r#"{{{rest},"x":{{"context":7}},"x":null}}"#),
        format!(" \t\r\n{{ {rest} }}\n"),
    ] {
        assert_eq!(ask(&desk, body).await.json()["value"], "B");
    }
}

#[tokio::test]
async fn a_list_may_be_deep_but_not_long() {
    let desk = desk("x", "IsSet", "").await;
    let list = |depth: usize| format!(r#""x":{}{}"#, "[".repeat(depth), "]".repeat(depth));
    assert_eq!(ask(&desk, context(&list(500))).await.json()["value"], "B");
    for depth in [1_000, 200_000] {
        let (code, words) = ask(&desk, context(&list(depth))).await.refusal(400);
        assert_eq!(code, "INVALID_CONTEXT");
        assert!(words.starts_with("context.x: an attribute has at most"));
    }
}

#[tokio::test]
async fn a_name_may_be_of_any_type_and_a_key_may_not() {
    for (name, text) in [("7", "7"), ("true", "true"), ("[1]", "[1]"), ("{}", "{}")] {
        let desk = desk("name", "Equal", text).await;
        let body = context(&format!(r#""name":{name}"#));
        assert_eq!(ask(&desk, body).await.json()["value"], "B", "{name}");
        let body = format!(r#"{{"context":{{"targetingKey":{name}}}}}"#);
        let (code, words) = ask(&desk, body).await.refusal(400);
        assert_eq!(code, "INVALID_CONTEXT", "{name}");
        assert_eq!(words, "context.targetingKey: it must be a string");
    }
}

#[tokio::test]
async fn half_a_surrogate_pair_in_a_text_is_read_and_in_a_name_is_no_json() {
    let desk = desk("x", "Equal", "\u{FFFD}").await;
    let body = context(r#""x":"\ud83d""#);
    assert_eq!(ask(&desk, body).await.json()["value"], "B");
    let body = context(r#""\ud83d":"x""#);
    assert_eq!(ask(&desk, body).await.refusal(400).0, "PARSE_ERROR");
}

#[tokio::test]
async fn what_is_no_json_in_utf_8_is_said_to_be_none() {
    let desk = desk("x", "IsSet", "").await;
    let utf_16: Vec<u8> = context(r#""x":1"#)
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    let mut marked = "\u{FEFF}".to_owned();
    marked.push_str(&context(r#""x":1"#));
    for body in [
        utf_16,
        marked.into_bytes(),
        context(r#""x":NaN"#).into_bytes(),
        context(r#""x":01"#).into_bytes(),
        context(r#""x":1,"#).into_bytes(),
        context("\"x\":\"\n\"").into_bytes(),
        context(r#""x":"\q""#).into_bytes(),
        context("'x':1").into_bytes(),
        b"{\"context\":{\"targetingKey\":\"u\",\"\xFF\":1}}".to_vec(),
        b"{\"context\":{\"targetingKey\":\"u\",\"x\":\"\xC0\x80\"}}".to_vec(),
        vec![0x1F, 0x8B, 0x08, 0x00],
        "{".repeat(100_000).into_bytes(),
    ] {
        let shown = String::from_utf8_lossy(&body)
            .chars()
            .take(80)
            .collect::<String>();
        let (code, words) = ask(&desk, body).await.refusal(400);
        assert_eq!(code, "PARSE_ERROR", "{shown}");
        assert!(words.starts_with("the body is no"), "{shown}: {words}");
    }
}

#[tokio::test]
async fn numbers_beyond_all_bounds_are_numbers() {
    for (number, op, value) in [
        ("1e999", "BiggerThan", "1e308"),
        ("-1e999", "LessThan", "-1e308"),
        ("1e-999", "Equal", "0"),
        ("-0", "Equal", "0"),
        (
            "123456789012345678901234567890",
            "Equal",
            "123456789012345678901234567890",
        ),
    ] {
        let desk = desk("x", op, value).await;
        let answer = ask(&desk, context(&format!(r#""x":{number}"#))).await;
        assert_eq!(answer.json()["value"], "B", "{number}: {}", answer.text());
    }
}

/// The length that is announced is believed before anything is read.
#[tokio::test]
async fn a_body_that_is_announced_as_too_long_is_not_read() {
    let desk = desk("x", "IsSet", "").await;
    for length in ["1048576", "18446744073709551615"] {
        let request = Request::post(ALL).header("x-api-key", "env-client");
        let request = request.header("content-length", length);
        let request = request.body(Body::new(Never)).unwrap();
        let (code, words) = desk.send(request).await.refusal(400);
        assert_eq!(
            (&*code, &*words),
            ("INVALID_CONTEXT", "a body has at most 512 KiB")
        );
    }
}
