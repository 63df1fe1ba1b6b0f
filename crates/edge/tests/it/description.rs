//! The description of what SDKs ask: published, whole, and about what is there. Whether answers are
//! as described is seen in `e2e/python/test_sdk_schema.py`.

use std::collections::HashSet;

use axum::body::Body;
use axum::http::Request;
use serde_json::{Value, json};

use crate::ofrep::{Answer, Desk, flag};

const DOCUMENT: &str = "/api/public/openapi.json";

/// Methods that nothing here has.
const OTHERS: [&str; 3] = ["put", "patch", "delete"];

async fn desk() -> Desk {
    Desk::open(vec![flag("f", "string", &["A"], json!({}))]).await
}

async fn ask(desk: &Desk, method: &str, path: &str) -> Answer {
    let method = method.to_uppercase();
    let request = Request::builder().method(method.as_str()).uri(path);
    desk.send(request.body(Body::empty()).unwrap()).await
}

/// Each path with its operations by method.
fn paths(document: &Value) -> impl Iterator<Item = (&str, &serde_json::Map<String, Value>)> {
    let paths = document["paths"].as_object().unwrap().iter();
    paths.map(|(path, item)| (path.as_str(), item.as_object().unwrap()))
}

/// An address of a path.
fn address(path: &str) -> String {
    path.replace("{key}", "f").replace("{credential}", "x")
}

#[tokio::test]
async fn it_is_published_to_anybody_and_leaves_nothing_unsaid() {
    let answer = ask(&desk().await, "get", DOCUMENT).await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.headers["content-type"], "application/json");
    assert_eq!(answer.headers["access-control-allow-origin"], "*");
    let document = answer.json();
    assert!(document["openapi"].as_str().unwrap().starts_with("3.1"));
    for reference in answer.text().split("\"$ref\": \"#").skip(1) {
        let pointer = reference.split('"').next().unwrap();
        assert!(document.pointer(pointer).is_some(), "{pointer}");
    }
    let said = |text: &Value| text.as_str().is_some_and(|text| !text.is_empty());
    let mut names = HashSet::new();
    for (path, operations) in paths(&document) {
        for operation in operations.values() {
            assert!(
                said(&operation["summary"]) && said(&operation["tags"][0]),
                "{path}"
            );
            let name = operation["operationId"].as_str().unwrap();
            assert!(names.insert(name.to_owned()), "{path}: {name}");
            let parameters = operation["parameters"].as_array().into_iter().flatten();
            let answers = operation["responses"].as_object().unwrap().values();
            for part in parameters.chain(answers) {
                assert!(said(&part["description"]), "{path}: {part}");
            }
        }
    }
    for (name, schema) in document["components"]["schemas"].as_object().unwrap() {
        assert!(said(&schema["description"]), "{name}");
    }
}

#[tokio::test]
async fn what_it_describes_is_there_and_who_shows_no_key_is_refused_as_it_says() {
    let desk = desk().await;
    let document = ask(&desk, "get", DOCUMENT).await.json();
    for (path, operations) in paths(&document) {
        for (method, operation) in operations {
            let answer = ask(&desk, method, &address(path)).await;
            let is_open = operation["security"] == json!([{}]) && !path.contains("{credential}");
            let wanted = if is_open { 200 } else { 401 };
            assert_eq!(answer.status, wanted, "{method} {path}: {}", answer.text());
            let described = &operation["responses"][wanted.to_string()]["content"];
            let Some(media) = answer.headers.get("content-type") else {
                assert!(described.is_null(), "{method} {path}");
                continue;
            };
            let media = media.to_str().unwrap().split(';').next().unwrap();
            assert!(described[media].is_object(), "{method} {path}: {media}");
        }
    }
}

#[tokio::test]
async fn what_it_does_not_describe_is_not_there() {
    let desk = desk().await;
    let document = ask(&desk, "get", DOCUMENT).await.json();
    for (path, operations) in paths(&document) {
        for method in OTHERS.into_iter().chain(["get", "post"]) {
            if !operations.contains_key(method) {
                let status = ask(&desk, method, &address(path)).await.status;
                let is_stream = path.contains("{credential}");
                assert_eq!(status, if is_stream { 404 } else { 405 }, "{method} {path}");
            }
        }
    }
}
