//! The API's description: reviewed with the code, and true.

use burgee_server::router;
use serde_json::Value;

use crate::kit::{App, Database};

/// The reviewed document, which servers publish. The TypeScript client is generated from it.
const DOCUMENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/openapi.json");

/// Set to write the document anew instead of comparing it.
const UPDATE: &str = "BURGEE_UPDATE_OPENAPI";

/// What a server publishes.
pub(crate) async fn published(app: &App) -> Value {
    app.nobody().get("/api/openapi.json").await.expect(200)
}

#[test]
fn the_published_document_is_what_the_code_says() {
    let described = serde_json::to_value(router::description()).unwrap();
    if std::env::var_os(UPDATE).is_some() {
        let text = serde_json::to_string_pretty(&described).unwrap();
        std::fs::write(DOCUMENT, format!("{text}\n")).unwrap();
    }
    // The file and not what is built into this test: it may just have been written.
    let reviewed = std::fs::read_to_string(DOCUMENT).unwrap_or_default();
    let reviewed: Value = serde_json::from_str(&reviewed).unwrap_or_default();
    assert!(
        reviewed == described,
        "the API's description changed: run this test with {UPDATE}=1, and review openapi.json"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn every_reference_of_the_document_leads_somewhere() {
    let app = App::start(Database::Sqlite).await;
    let published = published(&app).await;
    app.stop().await;
    assert!(published["openapi"].as_str().unwrap().starts_with("3.1"));
    let mut references = Vec::new();
    collect(&published, &mut references);
    assert!(!references.is_empty());
    for reference in references {
        let pointer = reference.strip_prefix('#').unwrap();
        assert!(published.pointer(pointer).is_some(), "{reference}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_document_leaves_nothing_unsaid() {
    let app = App::start(Database::Sqlite).await;
    let published = published(&app).await;
    app.stop().await;
    let mut unsaid = Vec::new();
    for (name, schema) in published["components"]["schemas"].as_object().unwrap() {
        if schema["description"].as_str().is_none_or(str::is_empty) {
            unsaid.push(name.clone());
        }
        fields(schema, name, &mut unsaid);
    }
    for (path, item) in published["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            operation_said(operation, &format!("{method} {path}"), &mut unsaid);
        }
    }
    assert!(unsaid.is_empty(), "{unsaid:#?}");
}

/// Collects what an operation does not say: what it is, its parameters, its answers, the refusals
/// that every such operation has.
fn operation_said(operation: &Value, name: &str, unsaid: &mut Vec<String>) {
    let empty = |value: &Value| value.as_str().is_none_or(str::is_empty);
    if empty(&operation["summary"]) || operation["tags"][0].is_null() {
        unsaid.push(name.to_owned());
    }
    for parameter in operation["parameters"].as_array().into_iter().flatten() {
        if empty(&parameter["description"]) {
            unsaid.push(format!("{name}: {}", parameter["name"]));
        }
    }
    let answers = operation["responses"].as_object().unwrap();
    for (status, answer) in answers {
        let refuses = status.starts_with(['4', '5']);
        if empty(&answer["description"])
            || refuses && answer["content"]["application/problem+json"].is_null()
        {
            unsaid.push(format!("{name}: {status}"));
        }
    }
    let mut needed = vec!["429", "503"];
    let open = operation["security"] == serde_json::json!([{}]);
    needed.extend((!open).then_some(["401", "403"]).into_iter().flatten());
    let sends = !operation["requestBody"].is_null();
    needed.extend(sends.then_some(["400", "413", "415"]).into_iter().flatten());
    needed.extend(name.contains('{').then_some("404"));
    let missing = needed.into_iter().filter(|it| !answers.contains_key(*it));
    unsaid.extend(missing.map(|it| format!("{name}: no {it}")));
}

/// Collects the fields of a schema, and of what is in it, of which nothing is said.
fn fields(schema: &Value, name: &str, unsaid: &mut Vec<String>) {
    for (field, of) in schema["properties"].as_object().into_iter().flatten() {
        let choices = of["oneOf"].as_array().into_iter().flatten();
        let said = choices.chain([of]).any(|it| it["description"].is_string());
        if !said {
            unsaid.push(format!("{name}.{field}"));
        }
        fields(of, &format!("{name}.{field}"), unsaid);
    }
    for inner in ["oneOf", "anyOf", "allOf"] {
        for choice in schema[inner].as_array().into_iter().flatten() {
            fields(choice, name, unsaid);
        }
    }
    if schema["items"].is_object() {
        fields(&schema["items"], name, unsaid);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_page_for_people_has_every_operation_and_loads_nothing_from_elsewhere() {
    let app = App::start(Database::Sqlite).await;
    let published = published(&app).await;
    let page = app.nobody().get("/api/docs").await;
    assert_eq!(page.headers["content-type"], "text/html; charset=utf-8");
    let policy = page.headers["content-security-policy"].to_str().unwrap();
    assert!(
        policy.starts_with("default-src 'none'; style-src 'self';"),
        "{policy}"
    );
    for (path, item) in published["paths"].as_object().unwrap() {
        assert!(
            page.text.contains(&format!("<code>{path}</code>")),
            "{path}"
        );
        for operation in item.as_object().unwrap().values() {
            let summary = operation["summary"].as_str().unwrap();
            let summary = summary.split(['`', '.', ':', ';']).next().unwrap();
            let summary = summary.replace('<', "&lt;").replace('"', "&quot;");
            assert!(page.text.contains(&summary), "{summary}");
        }
    }
    // Every link leads somewhere on the page.
    let links = page.text.split("href=\"#").skip(1);
    for target in links.map(|rest| rest.split('"').next().unwrap()) {
        assert!(page.text.contains(&format!("id=\"{target}\"")), "{target}");
    }
    assert!(!page.text.contains("http://") && !page.text.contains("<script"));
    let style = app.nobody().get("/api/docs/style.css").await;
    assert_eq!(style.headers["content-type"], "text/css; charset=utf-8");
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_operation_has_a_name_of_its_own() {
    let app = App::start(Database::Sqlite).await;
    let published = published(&app).await;
    let mut names = std::collections::HashSet::new();
    for (path, item) in published["paths"].as_object().unwrap() {
        for operation in item.as_object().unwrap().values() {
            let name = operation["operationId"].as_str().unwrap();
            assert!(names.insert(name.to_owned()), "{path}: {name}");
        }
    }
    app.stop().await;
}

fn collect(value: &Value, references: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            if let Some(Value::String(reference)) = fields.get("$ref") {
                references.push(reference.clone());
            }
            fields.values().for_each(|value| collect(value, references));
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, references)),
        _ => {}
    }
}
