//! One flag.

use serde_json::{Value, json};

use super::{ALL, Desk, asking, flag, rule};
use crate::kit::{CLIENT_KEY, Client, Edge};

#[tokio::test]
async fn values_keep_the_form_that_their_variation_has() {
    let cases = [
        ("boolean", "true", "true"),
        ("boolean", "TRUE", "true"),
        ("string", "on", r#""on""#),
        ("string", "a \"b\"", r#""a \"b\"""#),
        ("string", "100", r#""100""#),
        ("string", "null", r#""null""#),
        ("number", "100", "100"),
        ("number", "100.0", "100.0"),
        ("number", "1e3", "1e3"),
        ("number", "many", r#""many""#),
        (
            "json",
            r#"{"b": 1, "a": [2.50]}"#,
            r#"{"b": 1, "a": [2.50]}"#,
        ),
        ("json", "[1,2]", "[1,2]"),
        ("json", "{", r#""{""#),
    ];
    let flags = cases.iter().enumerate();
    let flags =
        flags.map(|(at, (kind, value, _))| flag(&at.to_string(), kind, &[value], json!({})));
    let desk = Desk::open(flags.collect()).await;
    for (at, (_, _, literal)) in cases.iter().enumerate() {
        let answer = desk.flag("env-client", &at.to_string()).await;
        let expected =
            format!(r#"{{"key":"{at}","value":{literal},"variant":"a","reason":"STATIC"}}"#);
        assert_eq!((answer.status, answer.text()), (200, &*expected));
        assert_eq!(answer.headers["content-type"], "application/json");
    }
}

#[tokio::test]
async fn reasons_are_those_of_openfeature() {
    let values = ["A", "B"];
    let half = json!([{"id": "a", "rollout": [0, 0.5]}, {"id": "b", "rollout": [0.5, 1]}]);
    let everybody = json!({"id": "r", "name": "r", "conditions": [], "variations": half});
    let flags = vec![
        flag("default", "string", &values, json!({})),
        flag("off", "string", &values, json!({"isEnabled": false})),
        flag(
            "targeted",
            "string",
            &values,
            json!({"targetUsers": [{"keyIds": ["u"], "variationId": "b"}]}),
        ),
        flag(
            "rule",
            "string",
            &values,
            json!({"rules": [rule("keyId", "Equal", "u")]}),
        ),
        flag(
            "split",
            "string",
            &values,
            json!({"fallthrough": {"variations": half}}),
        ),
        flag(
            "split-rule",
            "string",
            &values,
            json!({"rules": [everybody]}),
        ),
    ];
    let desk = Desk::open(flags).await;
    for (key, variant, reason, said) in [
        ("default", Some("a"), "STATIC", "default"),
        // Never DISABLED, for which one provider gives the program's own default.
        ("off", Some("b"), "STATIC", "flag disabled"),
        ("targeted", Some("b"), "TARGETING_MATCH", "targeted"),
        ("rule", Some("b"), "TARGETING_MATCH", "Some people"),
        ("split", None, "SPLIT", "default"),
        ("split-rule", None, "SPLIT", "r"),
    ] {
        let answer = desk.flag("env-server", key).await.json();
        assert_eq!(answer["reason"], reason, "{key}");
        assert_eq!(answer["metadata"]["matchReason"], said, "{key}");
        if let Some(variant) = variant {
            assert_eq!(answer["variant"], variant, "{key}");
        }
    }
}

#[tokio::test]
async fn server_keys_alone_are_told_which_rule_it_was() {
    let rules = json!({"rules": [rule("age", "BiggerThan", "17.5")]});
    let desk = Desk::open(vec![flag("f", "string", &["A", "B"], rules)]).await;
    let uri = format!("{ALL}/f");
    let context = json!({"targetingKey": "u", "age": 18});
    let client = desk.ask("env-client", &uri, context.clone()).await;
    let expected = json!({"key": "f", "value": "B", "variant": "b", "reason": "TARGETING_MATCH"});
    assert_eq!(client.json(), expected);
    let server = desk.ask("env-server", &uri, context).await.json();
    let metadata = json!({"matchReason": "Some people", "ruleId": "rule-1", "version": 2});
    assert_eq!(server["metadata"], metadata);
    assert_eq!(server["value"], "B");
    let young = json!({"targetingKey": "u", "age": 17.5});
    let server = desk.ask("env-server", &uri, young).await.json();
    assert_eq!(
        server["metadata"],
        json!({"matchReason": "default", "version": 2})
    );
}

#[tokio::test]
async fn a_flag_that_serves_nothing_has_no_value() {
    let nobody = json!([{"id": "a", "rollout": [0, 0]}]);
    let flags = vec![
        flag(
            "uncovered",
            "string",
            &["A"],
            json!({"fallthrough": {"variations": nobody}}),
        ),
        flag("null", "json", &["null"], json!({})),
    ];
    let desk = Desk::open(flags).await;
    let answer = desk.flag("env-server", "uncovered").await;
    assert_eq!(answer.status, 200);
    assert_eq!(
        answer.json(),
        json!({"key": "uncovered", "reason": "UNKNOWN"})
    );
    let answer = desk.flag("env-client", "null").await;
    assert_eq!(
        answer.json(),
        json!({"key": "null", "variant": "a", "reason": "STATIC"})
    );
}

#[tokio::test]
async fn keys_may_come_encoded_or_as_they_are() {
    let keys = ["a/b", "100%", "a%2Fb-", "schön", "dot.s-_"];
    let flags = keys.map(|key| flag(key, "string", &[key], json!({})));
    let desk = Desk::open(flags.into()).await;
    for (written, key) in [
        ("a/b", "a/b"),
        ("a%2Fb", "a/b"),
        ("a%2fb", "a/b"),
        ("100%", "100%"),
        ("100%25", "100%"),
        // What it decodes to is no flag, what is written is one.
        ("a%2Fb-", "a%2Fb-"),
        ("a%252Fb-", "a%2Fb-"),
        ("sch%C3%B6n", "schön"),
        ("dot.s-_", "dot.s-_"),
    ] {
        let answer = desk.flag("env-client", written).await;
        assert_eq!(answer.json()["value"], key, "{written}");
        assert_eq!(answer.json()["key"], key, "{written}");
    }
    for (written, meant) in [
        ("nobody%27s", "nobody's"),
        ("%FF", "%FF"),
        ("%", "%"),
        ("%zz", "%zz"),
        ("%00", "\0"),
        ("..%2F..%2Fa%2Fb", "../../a/b"),
        ("../flags/a/b", "../flags/a/b"),
        ("a+b", "a+b"),
        ("", ""),
    ] {
        let answer = desk.flag("env-client", written).await;
        let (code, words) = answer.refusal(404);
        assert_eq!(code, "FLAG_NOT_FOUND", "{written}");
        assert_eq!(words, format!("flag {meant} not found in this environment"));
        assert_eq!(answer.json()["key"], meant);
    }
}

#[tokio::test]
async fn an_archived_flag_is_not_there() {
    let archived = flag("gone", "string", &["A"], json!({"isArchived": true}));
    let desk = Desk::open(vec![archived]).await;
    let answer = desk.flag("env-server", "gone").await;
    assert_eq!(answer.refusal(404).0, "FLAG_NOT_FOUND");
}

#[tokio::test]
async fn either_header_may_have_the_key() {
    let desk = Desk::open(vec![flag("f", "string", &["A"], json!({}))]).await;
    for (name, value) in [
        ("authorization", "Bearer env-client"),
        ("authorization", "bearer  env-client "),
        ("authorization", "env-client"),
        ("x-api-key", "env-server"),
    ] {
        let request = asking(&format!("{ALL}/f")).header(name, value);
        let body = r#"{"context":{"targetingKey":"u"}}"#;
        let answer = desk.send(request.body(body.into()).unwrap()).await;
        assert_eq!(answer.status, 200, "{name}: {value}");
    }
    let request = asking(&format!("{ALL}/f"))
        .header("authorization", "Basic dTpw")
        .header("x-api-key", "env-client");
    let body = r#"{"context":{"targetingKey":"u"}}"#;
    let answer = desk.send(request.body(body.into()).unwrap()).await;
    assert_eq!(answer.status, 200, "what another proxy wanted is not ours");
}

#[tokio::test]
async fn users_of_client_keys_are_noted() {
    let desk = Desk::open(vec![flag("f", "string", &["A"], json!({}))]).await;
    let noted = || desk.metric("burgee_edge_traffic_accepted_total{what=\"user\"}");
    let context = |key: &str| json!({"targetingKey": key, "n": 1, "l": [1], "o": {"x": true}});
    desk.ask("env-server", &format!("{ALL}/f"), context("s"))
        .await;
    assert_eq!(noted(), 0);
    desk.ask("env-client", &format!("{ALL}/f"), context("c"))
        .await;
    desk.ask("env-client", ALL, context("c")).await;
    assert_eq!(noted(), 1);
    desk.ask("env-client", ALL, context("d")).await;
    assert_eq!(noted(), 2);
}

/// One provider offers HTTP/2 with every request: that is ordinary HTTP.
#[test]
fn an_offer_of_h2c_is_passed_over() {
    let edge = Edge::start();
    let body = r#"{"context":{"targetingKey":"u"}}"#;
    let length = body.len();
    let mut client = Client::connect(edge.address);
    client.send_raw(
        format!(
            "POST {ALL}/greeting HTTP/1.1\r\nHost: localhost\r\n\
             Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n\
             HTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA\r\n\
             Content-Type: application/json\r\nX-API-Key: {CLIENT_KEY}\r\n\
             Content-Length: {length}\r\n\r\n{body}"
        )
        .as_bytes(),
    );
    let head = client.read_head();
    assert!(head.starts_with("HTTP/1.1 200 "), "{head}");
    let value: Value = json!("hello");
    client.read_exactly(&format!(r#"{{"key":"greeting","value":{value},"#));
}
