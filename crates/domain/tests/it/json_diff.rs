//! The differences of a change set as JSON: only what differs, and bounded.

use burgee_domain::diff::{self, Changes};
use serde_json::{Value, json};

use crate::kit::{after, apply, on, people, ready};

fn changes(list: Value) -> Changes {
    let before = ready();
    let outcome = apply(&before, list).unwrap();
    diff::changes(&before, &outcome)
}

/// The parts of the only item, without what is said of the item itself.
fn parts(list: Value) -> Value {
    let changes = changes(list);
    assert_eq!(changes.left_out, 0);
    assert_eq!(changes.items.len(), 1, "{changes:?}");
    json!(changes.items[0].parts)
}

#[test]
fn a_part_has_what_was_and_what_is() {
    let list = json!([
        on("text", "turnOff", json!({})),
        on("text", "setOffVariation", json!({"variation": "b"}))
    ]);
    let changes = changes(list);
    assert_eq!(
        json!(changes.items),
        json!([{"scope": "web/prod", "kind": "flag", "key": "text", "id": "id-of-text", "parts": [
            {"facet": "onOff", "before": true, "after": false, "cut": false},
            {"facet": "offVariation", "before": "c", "after": "b", "cut": false},
        ]}])
    );
}

#[test]
fn a_rule_that_was_not_there_is_null() {
    let rule = json!({"id": "r", "name": "R", "conditions": [], "variation": "a"});
    let found = parts(json!([on("text", "addRule", json!({ "rule": rule }))]));
    assert_eq!(found[0]["facet"], json!({"rule": "r"}));
    assert_eq!(found[0]["before"], Value::Null);
    assert_eq!(found[0]["after"]["name"], "R");
}

#[test]
fn of_metadata_only_what_differs_is_told() {
    let found = parts(json!([on("text", "renameFlag", json!({"name": "New"}))]));
    // The flag in the project; its copies in environments are not told again.
    assert_eq!(
        found,
        json!([{"facet": "metadata", "before": {"name": "text"}, "after": {"name": "New"},
            "cut": false}])
    );
}

#[test]
fn a_new_flag_is_told_whole_and_where_it_is_released() {
    let list = json!([
        {"kind": "createFlag", "project": "web", "flag": "new", "type": "boolean"},
        on("new", "turnOn", json!({})),
    ]);
    let changes = changes(list);
    let scopes: Vec<&str> = changes.items.iter().map(|it| it.scope.as_str()).collect();
    assert_eq!(scopes, ["web", "web/prod"]);
    let made = &changes.items[0].parts[0];
    assert_eq!(made.before, Value::Null);
    assert_eq!(made.after["type"], "boolean");
    let released = json!(changes.items[1].parts);
    assert_eq!(released[0]["after"], json!({"state": "released"}));
    assert_eq!(released[1]["facet"], "onOff");
}

#[test]
fn of_a_list_of_users_those_who_came_and_went_are_named() {
    let before = after(
        ready(),
        json!([people("setIncluded", json!({"keys": ["ann", "bob"]}))]),
    );
    let list = json!([people("setIncluded", json!({"keys": ["bob", "eve"]}))]);
    let changes = diff::changes(&before, &apply(&before, list).unwrap());
    assert_eq!(
        json!(changes.items[0].parts),
        json!([{"facet": "included", "before": {"count": 2, "keys": ["ann"]},
            "after": {"count": 2, "keys": ["eve"]}, "cut": false}])
    );
}

#[test]
fn many_users_are_counted_and_some_named() {
    let keys: Vec<String> = (0..250).map(|n| format!("user-{n}")).collect();
    let found = parts(json!([on(
        "text",
        "setTargets",
        json!({"variation": "a", "keys": keys})
    )]));
    assert_eq!(found[0]["after"]["count"], 250);
    assert_eq!(found[0]["after"]["keys"].as_array().unwrap().len(), 100);
    assert_eq!(found[0]["cut"], true);
}

#[test]
fn a_large_part_is_named_without_its_values() {
    let value = "x".repeat(20_000);
    let found = parts(json!([on(
        "text",
        "updateVariation",
        json!({"variation": "a", "value": value})
    )]));
    assert_eq!(
        found,
        json!([{"facet": "variations", "before": null, "after": null, "cut": true}])
    );
}

#[test]
fn a_large_change_set_is_told_in_part_and_the_rest_counted() {
    let description = "d".repeat(1_900);
    let list: Vec<Value> = (0..300)
        .map(|n| {
            json!({"kind": "createFlag", "project": "web", "flag": format!("f{n}"),
                "type": "boolean", "description": description})
        })
        .collect();
    let changes = changes(json!(list));
    assert!(changes.left_out > 0);
    assert_eq!(changes.items.len() + changes.left_out, 300);
    assert!(json!(changes.items).to_string().len() < 512 * 1024);
}
