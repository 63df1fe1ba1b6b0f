//! The API's description: reviewed with the code, and true.

use std::path::Path;

use serde_json::Value;

use crate::kit::{App, Database};

/// The reviewed document. The TypeScript client is generated from it.
const DOCUMENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/openapi.json");

/// Set to write the document anew instead of comparing it.
const UPDATE: &str = "BURGEE_UPDATE_OPENAPI";

/// What a server publishes.
pub(crate) async fn published(app: &App) -> Value {
    app.nobody().get("/api/openapi.json").await.expect(200)
}

#[tokio::test(flavor = "multi_thread")]
async fn the_published_document_is_the_reviewed_one() {
    let app = App::start(Database::Sqlite).await;
    let published = published(&app).await;
    app.stop().await;
    let text = format!("{}\n", serde_json::to_string_pretty(&published).unwrap());
    if std::env::var_os(UPDATE).is_some() {
        std::fs::write(DOCUMENT, &text).unwrap();
    }
    let reviewed = std::fs::read_to_string(Path::new(DOCUMENT)).unwrap_or_default();
    let reviewed: Value = serde_json::from_str(&reviewed).unwrap_or_default();
    assert!(
        reviewed == published,
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
