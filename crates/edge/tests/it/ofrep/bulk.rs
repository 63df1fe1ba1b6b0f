//! All flags, and their tag.

use std::sync::Arc;

use axum::body::Body;
use axum::http::Request;
use burgee_edge::source::{KeyKind, SdkKey};
use serde_json::{Value, json};

use super::{ALL, Desk, flag, rule};

fn three() -> Vec<burgee_eval::flag::Flag> {
    let half = json!([{"id": "a", "rollout": [0, 0.5]}]);
    vec![
        flag("c", "number", &["1.50"], json!({})),
        flag(
            "a",
            "boolean",
            &["true", "false"],
            json!({"rules": [rule("beta", "IsTrue", "")]}),
        ),
        flag("b", "string", &["x"], json!({"isArchived": true})),
        flag(
            "d",
            "string",
            &["x"],
            json!({"fallthrough": {"variations": half}}),
        ),
    ]
}

#[tokio::test]
async fn all_flags_come_by_key_and_one_that_serves_nothing_spoils_no_other() {
    let desk = Desk::open(three()).await;
    let uncovered = json!({"targetingKey": "u5"});
    let answer = desk.ask("env-client", ALL, uncovered.clone()).await;
    assert_eq!(answer.status, 200);
    let expected = concat!(
        r#"{"flags":[{"key":"a","value":true,"variant":"a","reason":"STATIC"},"#,
        r#"{"key":"c","value":1.50,"variant":"a","reason":"STATIC"},"#
    );
    assert!(answer.text().starts_with(expected), "{}", answer.text());
    let served = |answer: &super::Answer| answer.json()["flags"][2].get("value").is_some();
    let mut keys = (0..).map(|n| format!("u{n}"));
    // Somebody is covered and somebody is not.
    let mut seen = [false; 2];
    while seen != [true; 2] {
        let context = json!({"targetingKey": keys.next().unwrap()});
        let answer = desk.ask("env-client", ALL, context).await;
        let flags = answer.json();
        assert_eq!(flags["flags"].as_array().unwrap().len(), 3);
        let reason = &flags["flags"][2]["reason"];
        let is_served = served(&answer);
        assert_eq!(reason, if is_served { "SPLIT" } else { "UNKNOWN" });
        seen[usize::from(is_served)] = true;
    }
}

#[tokio::test]
async fn server_keys_get_metadata_whose_version_stands_apart() {
    let desk = Desk::open(three()).await;
    let context = json!({"targetingKey": "u", "beta": true});
    let answer = desk.ask("env-server", ALL, context.clone()).await.json();
    assert_eq!(answer["metadata"], json!({"version": 2}));
    let metadata = json!({"matchReason": "Some people", "ruleId": "rule-1"});
    assert_eq!(answer["flags"][0]["metadata"], metadata);
    let answer = desk.ask("env-client", ALL, context).await.text().to_owned();
    assert!(!answer.contains("metadata") && !answer.contains("Some people"));
}

#[tokio::test]
async fn an_answer_has_the_same_bytes_until_something_changes() {
    let desk = Desk::open(three()).await;
    let context = json!({"targetingKey": "u"});
    let first = desk.ask("env-client", ALL, context.clone()).await;
    let again = desk.ask("env-client", ALL, context.clone()).await;
    assert_eq!((&first.body, first.tag()), (&again.body, again.tag()));
    assert!(first.tag().starts_with("\"2."), "{}", first.tag());

    let version = desk
        .world
        .put("env", vec![flag("c", "number", &["2"], json!({}))], vec![]);
    desk.api.hub.caught_up("env", version).await;
    let changed = desk.all_but(first.tag(), &context).await;
    assert_eq!(changed.status, 200);
    assert_ne!(changed.tag(), first.tag());
    assert_eq!(changed.json()["flags"][1]["value"], 2);
    let others = |answer: &super::Answer| {
        let flags = answer.json();
        [flags["flags"][0].clone(), flags["flags"][2].clone()]
    };
    assert_eq!(others(&changed), others(&first));
}

#[tokio::test]
async fn who_has_the_tag_is_told_so() {
    let desk = Desk::open(three()).await;
    let context = json!({"targetingKey": "u", "beta": false});
    let first = desk.ask("env-client", ALL, context.clone()).await;
    let tag = first.tag().to_owned();
    let bare = tag.trim_matches('"');
    for named in [
        tag.clone(),
        bare.to_owned(),
        format!("W/{tag}"),
        format!("\"x\", {tag}"),
    ] {
        let answer = desk.all_but(&named, &context).await;
        assert_eq!((answer.status, answer.body.len()), (304, 0), "{named}");
        assert_eq!(answer.tag(), tag);
    }
    for named in ["*", "", "\"\"", "W/", &bare[1..]] {
        assert_eq!(desk.all_but(named, &context).await.status, 200, "{named}");
    }
}

#[tokio::test]
async fn a_tag_is_of_one_context_key_and_environment_and_the_same_on_every_node() {
    let desk = Desk::open(three()).await;
    let context = json!({"targetingKey": "u", "beta": false});
    let tag = desk.ask("env-client", ALL, context.clone()).await;
    let tag = tag.tag();
    // The reference provider sends the tag of the context before, where the key is the same.
    let other = json!({"targetingKey": "u", "beta": true});
    let answer = desk.all_but(tag, &other).await;
    assert_eq!(
        (answer.status, &answer.json()["flags"][0]["value"]),
        (200, &json!(false))
    );
    for key in ["env-server", "other-client"] {
        let answer = desk.ask(key, ALL, context.clone()).await;
        assert_ne!(answer.tag(), tag, "{key}");
    }
    // Whose stream the answer names would end with the other key.
    let another = SdkKey {
        secret: "env-another".into(),
        kind: KeyKind::Client,
    };
    desk.world.keys("env", |keys| keys.push(another));
    let answer = desk.ask("env-another", ALL, context.clone()).await;
    let hash = |tag: &str| tag.rsplit('.').next().unwrap().to_owned();
    assert_ne!(hash(answer.tag()), hash(tag));
    let tag = desk.ask("env-client", ALL, context.clone()).await;
    let tag = tag.tag();
    let node = Desk::over(Arc::clone(&desk.world)).await;
    assert_eq!(node.all_but(tag, &context).await.status, 304);
    assert_eq!(node.ask("env-client", ALL, context).await.tag(), tag);
}

#[tokio::test]
async fn an_environment_without_flags_has_an_empty_list() {
    let desk = Desk::open(vec![]).await;
    let answer = desk
        .ask("env-client", ALL, json!({"targetingKey": "u"}))
        .await;
    assert_eq!(answer.json()["flags"], json!([]));
}

#[tokio::test]
async fn pages_of_any_origin_may_ask() {
    let desk = Desk::open(three()).await;
    for uri in [ALL.to_owned(), format!("{ALL}/a")] {
        let preflight = Request::builder().method("OPTIONS").uri(&uri);
        let preflight = preflight
            .header("origin", "https://app.example")
            .header("access-control-request-method", "POST")
            .header(
                "access-control-request-headers",
                "authorization,cache-control,content-type,if-none-match,last-event-id,x-api-key",
            );
        let answer = desk.send(preflight.body(Body::empty()).unwrap()).await;
        assert_eq!(answer.status, 200);
        assert_eq!(answer.headers["access-control-allow-origin"], "*");
        let allowed = answer.headers["access-control-allow-headers"]
            .to_str()
            .unwrap();
        for name in [
            "authorization",
            "cache-control",
            "content-type",
            "if-none-match",
            "last-event-id",
            "x-api-key",
        ] {
            assert!(
                allowed.split(',').any(|it| it == name),
                "{name} in {allowed}"
            );
        }
    }
    let answers = [
        desk.ask("env-client", ALL, json!({"targetingKey": "u"}))
            .await,
        desk.ask("nobody's", ALL, Value::Null).await,
    ];
    for answer in answers {
        assert_eq!(answer.headers["access-control-allow-origin"], "*");
        assert_eq!(
            answer.headers["access-control-expose-headers"],
            "etag,retry-after"
        );
    }
}
