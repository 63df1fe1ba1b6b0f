//! What is refused: where, by which code, in which words.

mod flags;
mod rules;
mod shape;
mod users;

use burgee_domain::Rejected;
use burgee_domain::change;
use burgee_domain::command;
use serde_json::{Value, json};

use crate::kit::{NOW, on, people, ready};

/// Refuses one command as a request would.
fn refused(command: Value) -> Rejected {
    let mut count = 0;
    let mut new_id = || {
        count += 1;
        format!("made-{count}")
    };
    let result = command::parse(vec![command.clone()], None).and_then(|commands| {
        let checked = change::well_formed(&commands)?;
        change::apply(&ready(), checked, NOW, &mut new_id)
    });
    match result {
        Err(rejected) => rejected,
        Ok(outcome) => panic!("{command} gave {outcome:?}"),
    }
}

/// Rows of command, pointer, code, and a piece of the message.
fn check(rows: Vec<(Value, &str, &str, &str)>) {
    for (command, pointer, code, words) in rows {
        let name = command.to_string().chars().take(300).collect::<String>();
        let rejected = refused(command);
        assert_eq!(rejected.pointer, pointer, "{name}: {rejected}");
        assert_eq!(rejected.code, code, "{name}: {rejected}");
        assert!(rejected.message.contains(words), "{name}: {rejected}");
    }
}

#[test]
fn what_is_no_command() {
    check(vec![
        (json!("turnOn"), "", "commandInvalid", "JSON object"),
        (json!({}), "/kind", "kindMissing", "'kind'"),
        (
            json!({"kind": "toggle"}),
            "/kind",
            "kindUnknown",
            "'toggle'",
        ),
        (
            json!({"kind": "TurnOn"}),
            "/kind",
            "kindUnknown",
            "'TurnOn'",
        ),
        (
            json!({"kind": "importFlag", "project": "web", "environment": "prod", "flag": "x",
            "source": {"id": "", "key": "x", "variationType": "string"}}),
            "/kind",
            "kindUnknown",
            "'importFlag'",
        ),
        (
            on("text", "turnOn", json!({"really": true})),
            "/really",
            "fieldInvalid",
            "unknown field",
        ),
        (
            json!({"kind": "turnOn", "project": "web", "flag": "text"}),
            "",
            "fieldInvalid",
            "`environment`",
        ),
        (
            on(
                "text",
                "setTargets",
                json!({"variation": "a", "keys": ["x", 7]}),
            ),
            "/keys/1",
            "fieldInvalid",
            "expected a string",
        ),
        (
            on(
                "text",
                "setVariations",
                json!({"variations": [{"value": null}]}),
            ),
            "/variations/0/value",
            "fieldInvalid",
            "null",
        ),
        (
            on(
                "text",
                "addRule",
                json!({"rule": {"conditions": [{"property": "x", "opp": "y"}]}}),
            ),
            "/rule/conditions/0/opp",
            "fieldInvalid",
            "unknown field",
        ),
    ]);
}

#[test]
fn what_is_not_there() {
    let elsewhere = |fields: Value| crate::kit::with(on("text", "turnOn", json!({})), fields);
    check(vec![
        (
            elsewhere(json!({"project": "nope"})),
            "/project",
            "projectNotFound",
            "'nope'",
        ),
        (
            elsewhere(json!({"environment": "nope"})),
            "/environment",
            "environmentNotFound",
            "'nope'",
        ),
        (
            elsewhere(json!({"flag": "nope"})),
            "/flag",
            "flagNotFound",
            "'nope'",
        ),
        (
            people("renameSegment", json!({"segment": "in-dev", "name": "x"})),
            "/segment",
            "segmentNotFound",
            "'in-dev'",
        ),
        (
            json!({"kind": "archiveSegment", "environment": "prod", "segment": "x"}),
            "/project",
            "projectMissing",
            "needs the project",
        ),
    ]);
}

#[test]
fn one_bad_command_refuses_the_set() {
    let list = json!([
        on("text", "turnOff", json!({})),
        on("text", "renameFlag", json!({"name": "New"})),
        on("text", "setOffVariation", json!({"variation": "x"})),
        on("nope", "turnOn", json!({})),
    ]);
    let rejected = crate::kit::apply(&ready(), list).unwrap_err();
    assert_eq!(
        (rejected.command, rejected.pointer.as_str()),
        (2, "/variation")
    );
}

#[test]
fn a_set_has_at_most_500_commands() {
    let many = |count: usize| json!(vec![on("text", "turnOff", json!({})); count]);
    assert!(crate::kit::apply(&ready(), many(500)).is_ok());
    let rejected = crate::kit::apply(&ready(), many(501)).unwrap_err();
    assert_eq!(rejected.code, "tooManyCommands");
}

#[test]
fn an_item_has_at_most_8_mib() {
    let value = "x".repeat(65_536);
    let variations: Vec<Value> = (0..100)
        .map(|n| json!({"id": n.to_string(), "value": value}))
        .collect();
    let keys: Vec<String> = (0..50_000).map(|n| format!("{n:050}")).collect();
    let list = json!([
        on(
            "text",
            "setTargets",
            json!({"variation": "a", "keys": keys})
        ),
        on(
            "new",
            "createFlag",
            json!({"type": "string", "variations": variations})
        ),
        on("new", "setTargets", json!({"variation": "0", "keys": keys})),
    ]);
    let rejected = crate::kit::apply(&ready(), list).unwrap_err();
    assert_eq!(
        (rejected.command, rejected.code.as_str()),
        (2, "itemTooLarge")
    );
    assert!(rejected.message.contains("'new'"), "{rejected}");
}

#[test]
fn a_route_of_one_project_takes_commands_of_that_project_only() {
    let turn_on = json!({"kind": "turnOn", "environment": "prod", "flag": "text"});
    let read = |command: Value| command::parse(vec![command], Some("web"));
    assert_eq!(
        read(turn_on.clone()).unwrap(),
        crate::kit::commands(json!([on("text", "turnOn", json!({}))]))
    );
    assert!(read(crate::kit::with(turn_on.clone(), json!({"project": "WEB"}))).is_ok());
    for other in [json!("app"), json!(null), json!(7)] {
        let rejected =
            read(crate::kit::with(turn_on.clone(), json!({"project": other}))).unwrap_err();
        assert_eq!(rejected.code, "projectDiffers");
    }
}

#[test]
fn comments_have_a_limit_too() {
    assert_eq!(change::comment("  why \n").unwrap(), "why");
    let rejected = change::comment(&"x".repeat(2001)).unwrap_err();
    assert_eq!(
        (rejected.pointer.as_str(), rejected.code.as_str()),
        ("/comment", "textTooLong")
    );
    assert_eq!(change::comment("a\0").unwrap_err().code, "nulCharacter");
}
