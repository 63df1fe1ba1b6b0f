//! What no state could take is refused before anything is locked: large or hostile change sets keep
//! nobody waiting.

use burgee_store::dialect::Dialect;
use burgee_store::{ApplyError, ChangeSetRequest, StoreError};
use serde_json::{Value, json};
use sqlx::Connection;

use crate::kit::{House, database, flag_on, house, on_flag, on_whole, request};

fn with(mut command: Value, fields: Value) -> Value {
    for (name, value) in fields.as_object().unwrap() {
        command[name] = value.clone();
    }
    command
}

fn rules(conditions: Vec<Value>) -> Value {
    let rule = json!({"variation": "v", "conditions": conditions});
    with(on_flag("setRules", "prod", "a"), json!({"rules": [rule]}))
}

/// Ten megabytes of conditions that are well, but for the last.
fn hostile() -> Value {
    let list: Vec<String> = (0..8_000).map(|n| format!("{n:04}")).collect();
    let list = json!(list).to_string();
    let one = json!({"property": "x", "op": "IsOneOf", "value": list});
    let rule = json!({"variation": "v", "conditions": vec![one; 19]});
    let mut rules = vec![rule; 10];
    rules.push(json!({"variation": "v", "conditions": [
        {"property": "x", "op": "MatchRegex", "value": "("}]}));
    with(on_flag("setRules", "prod", "a"), json!({ "rules": rules }))
}

/// Commands with what is wrong about them.
fn misshapen() -> Vec<(Value, &'static str)> {
    let condition = json!({"property": "x", "op": "Equal", "value": "y"});
    let ids: Vec<String> = (0..101).map(|n| n.to_string()).collect();
    let segments = json!({"property": "User is in segment", "value": json!(ids).to_string()});
    let keys: Vec<String> = (0..100_001).map(|n| n.to_string()).collect();
    let long = json!({"variation": "v", "value": "x".repeat(70_000)});
    let list = |kind: &str| {
        let fields = json!({"variation": "v", "keys": keys});
        with(on_flag(kind, "prod", "a"), fields)
    };
    vec![
        (hostile(), "notAPattern"),
        (rules(vec![condition; 51]), "tooManyConditions"),
        (rules(vec![segments]), "tooManySegments"),
        (list("setTargets"), "tooManyUsers"),
        (list("removeTargets"), "tooManyUsers"),
        (with(on_whole("updateVariation", "a"), long), "valueTooLong"),
        (on_flag("turnOn", "prod", "\0"), "nulCharacter"),
    ]
}

fn requests(house: &House) -> Vec<(ChangeSetRequest, &'static str)> {
    let of_one = |(command, code)| (request(house, json!([command])), code);
    let mut requests: Vec<_> = misshapen().into_iter().map(of_one).collect();
    let many = vec![on_flag("turnOn", "prod", "a"); 501];
    requests.push((request(house, json!(many)), "tooManyCommands"));
    requests
}

#[tokio::test]
async fn what_is_misshapen_waits_for_no_lock() {
    for dialect in [Dialect::Sqlite, Dialect::Postgres] {
        let database = database(dialect).await;
        let house = house(&database.store).await;
        // Somebody holds all there is to lock.
        let mut writer = database.raw().await;
        let lock = match dialect {
            Dialect::Sqlite => "BEGIN IMMEDIATE",
            Dialect::Postgres => {
                "BEGIN; LOCK TABLE organizations, projects, environments, change_sets"
            }
        };
        sqlx::raw_sql(lock).execute(&mut writer).await.unwrap();
        for (request, code) in requests(&house) {
            let refused = database.store.apply(&request).await;
            assert!(
                matches!(&refused, Err(ApplyError::Rejected(why)) if why.code == code),
                "{code}: {refused:?}"
            );
        }
        let mut doubled = request(&house, flag_on("a"));
        doubled.base = [("default".to_owned(), 0), ("Default".to_owned(), 0)].into();
        let refused = database.store.apply(&doubled).await;
        assert!(matches!(refused, Err(ApplyError::Base { scope, .. }) if scope == "default"));
        let mut endless = request(&house, flag_on("a"));
        endless.base = (0..1_001).map(|n| (n.to_string(), 0)).collect();
        let refused = database.store.apply(&endless).await;
        assert!(matches!(
            refused,
            Err(ApplyError::Store(StoreError::Invalid { field: "base", .. }))
        ));
        writer.close().await.unwrap();
        database.store.close().await;
    }
}
