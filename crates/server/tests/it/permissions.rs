//! Who may call what: every operation of the published document is called as nobody, with a token
//! of another organization, with one that may read, with each single permission missing, and with
//! exactly those that it needs.

mod commands;
pub(crate) mod fixture;
mod own_account;

mod stories;
mod table;

use std::collections::BTreeSet;

use burgee_domain::access::{ACTIONS, READER, Resource, Rights, builtin};
use burgee_testkit::api::{Answer, Api};
use serde_json::Value;

use crate::access::neighbour;
use crate::kit::{App, Database};
use crate::openapi::published;
use fixture::{Fixture, all_but, everything, only};
use table::{OPEN, OWN_ACCOUNT, Operation, STREAMS, operations};

/// The operations of the document by name, with whether they ask for credentials.
async fn documented(app: &App) -> Vec<(String, Value)> {
    let document = published(app).await;
    let mut found = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            if ["get", "post", "put", "patch", "delete"].contains(&method.as_str()) {
                let name = format!("{} {path}", method.to_uppercase());
                found.push((name, operation["security"].clone()));
            }
        }
    }
    found
}

async fn call(operation: &Operation, caller: &Api) -> Answer {
    let (method, body) = (operation.method(), operation.body.as_ref());
    caller.send(method, &operation.path, body).await
}

#[tokio::test(flavor = "multi_thread")]
async fn the_table_has_every_operation_of_the_document() {
    let app = App::start(Database::Sqlite).await;
    let fixture = Fixture::new(&app).await;
    let table = operations(&fixture);
    let of_table = table.iter().map(|it| it.name);
    let known: BTreeSet<&str> = of_table
        .chain(OPEN)
        .chain(OWN_ACCOUNT)
        .chain(STREAMS)
        .collect();
    let documented = documented(&app).await;
    let names: BTreeSet<&str> = documented.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, known);

    // The document says of each what opens it.
    for (name, security) in &documented {
        let expected = match name.as_str() {
            name if OPEN.contains(&name) => serde_json::json!([{}]),
            name if OWN_ACCOUNT.contains(&name) => serde_json::json!([{"session": []}]),
            _ => Value::Null,
        };
        assert_eq!(*security, expected, "{name}");
    }
    let actions: BTreeSet<&str> = ACTIONS.iter().map(|it| it.name).collect();
    for operation in &table {
        let named = operation.needs.iter().chain(&operation.shows);
        let unknown: Vec<_> = named.filter(|it| !actions.contains(*it)).collect();
        assert!(unknown.is_empty(), "{}: {unknown:?}", operation.name);
    }
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_is_told_anything() {
    let app = App::start(Database::Sqlite).await;
    let fixture = Fixture::new(&app).await;
    let made_up = format!("bgt_{}", "0".repeat(64));
    let callers = [
        app.nobody(),
        app.nobody().with_token(&made_up),
        app.nobody().with_token(""),
        // An SDK key opens the SDK endpoints alone.
        app.nobody()
            .with_token(&app.keys("prod").await.server.secret),
        app.nobody().with_sdk_key(&app.token),
    ];
    let before = everything(&app).await;
    for operation in operations(&fixture) {
        for caller in &callers {
            let problem = call(&operation, caller).await.problem(401);
            assert_eq!(problem.code(), "unauthorized", "{}", operation.name);
            let way = &problem.headers["www-authenticate"];
            assert_eq!(way, "Bearer", "{}", operation.name);
        }
    }
    assert_eq!(everything(&app).await, before);
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn another_organization_is_another_world() {
    let app = App::start(Database::Sqlite).await;
    let fixture = Fixture::new(&app).await;
    let stranger = neighbour(&app).await;
    let marks = fixture.marks(&app).await;
    let before = everything(&app).await;
    for operation in operations(&fixture) {
        let answer = call(&operation, &stranger).await;
        assert!(answer.status < 500, "{answer:?}");
        if operation.names_something() {
            answer.problem(404);
            continue;
        }
        // What they send themselves is theirs to see.
        let sent = operation.body.map(|it| it.to_string()).unwrap_or_default();
        for mark in marks.iter().filter(|mark| !sent.contains(*mark)) {
            assert!(!answer.text.contains(mark), "{mark} in {answer:?}");
        }
    }
    assert_eq!(everything(&app).await, before);
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_looks_and_changes_nothing() {
    let app = App::start(Database::Sqlite).await;
    let fixture = Fixture::new(&app).await;
    let reader = app.caller("rita", READER).await;
    let rights = Rights::new(vec![builtin(READER).unwrap()]);
    let before = everything(&app).await;
    for operation in operations(&fixture) {
        let answer = call(&operation, &reader).await;
        let allowed = |action: &&str| rights.allow(action, &Resource::organization());
        match operation.needs.iter().all(allowed) {
            true => {
                assert!(operation.asks(), "a reader may {}", operation.name);
                let page = answer.expect(200);
                if let Some(action) = operation.shows {
                    let shown = !page["items"].as_array().unwrap().is_empty();
                    assert_eq!(shown, allowed(&action), "{}: {page}", operation.name);
                }
            }
            false => assert_eq!(answer.problem(403).code(), "forbidden"),
        }
    }
    assert_eq!(everything(&app).await, before);
    let keys = "projects/default/environments/prod/sdk-keys";
    let shown = reader.get(keys).await.expect(200);
    for key in shown["items"].as_array().unwrap() {
        let shows = !key["secret"].as_str().unwrap().is_empty();
        assert_eq!(shows, key["kind"] == "client", "{key}");
    }
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn each_operation_takes_its_permissions_and_no_more() {
    let app = App::start(Database::Sqlite).await;
    let fixture = Fixture::new(&app).await;
    for operation in operations(&fixture) {
        // All tokens first: each is in the history.
        let mut lacking = Vec::new();
        for action in operation.needs.iter().chain(&operation.shows) {
            lacking.push((*action, all_but(&app, action).await));
        }
        let named = operation.needs.iter().chain(&operation.shows);
        let enough: Vec<&str> = named.chain(&operation.also).copied().collect();
        let enough = only(&app, &enough).await;
        let before = everything(&app).await;
        for (action, caller) in lacking {
            refused(&operation, action, call(&operation, &caller).await);
        }
        assert_eq!(everything(&app).await, before, "{}", operation.name);

        let answer = call(&operation, &enough).await;
        assert!((200..300).contains(&answer.status), "{answer:?}");
        if operation.shows.is_some() || operation.path == "changes" && operation.body.is_none() {
            let page = answer.expect(200);
            let items = page["items"].as_array().unwrap();
            assert!(!items.is_empty(), "{}: {page}", operation.name);
        }
        let changed = everything(&app).await != before;
        // A link that was made is nowhere listed.
        if !operation.path.ends_with("reset-link") {
            assert_eq!(changed, operation.is_recorded(), "{}", operation.name);
        }
    }
    app.stop().await;
}

/// The answer to somebody who lacks one permission says which; a list is empty.
fn refused(operation: &Operation, action: &str, answer: Answer) {
    if operation.shows == Some(action) {
        let page = answer.expect(200);
        let items = page["items"].as_array().unwrap();
        assert!(
            items.is_empty(),
            "{} without {action}: {page}",
            operation.name
        );
        return;
    }
    let problem = answer.problem(403);
    assert_eq!(problem.code(), "forbidden", "{}", operation.name);
    let detail = problem.body["detail"].as_str().unwrap();
    assert!(detail.contains(&format!("`{action}`")), "{detail}");
}
