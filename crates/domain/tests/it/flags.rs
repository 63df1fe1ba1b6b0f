//! Flags as a whole: variations, metadata, life.

use burgee_domain::model::Life;
use burgee_domain::outcome::{Facet, Scope};
use serde_json::{Value, json};

use crate::kit::{after, apply, flag, on, ready, step, targeting};

#[test]
fn metadata_moves_the_project_and_the_environments_that_serve_the_flag() {
    let list = json!([on("text", "renameFlag", json!({"name": " New  "}))]);
    let outcome = apply(&ready(), list).unwrap();
    let scopes: Vec<String> = outcome
        .steps
        .iter()
        .map(|it| format!("{:?}", it.scope))
        .collect();
    assert_eq!(scopes, ["Project(\"web\")", "Environment(\"web-prod\")"]);
    for step in &outcome.steps {
        assert_eq!(step.entries[0].facets, [Facet::Metadata]);
    }
    assert!(
        step(&outcome, "web-prod").entries[0]
            .image
            .contains("\"name\":\"New\"")
    );
    assert_eq!(outcome.targetings.len(), 1, "its stamp is new");
    assert_ne!(
        outcome.targetings[0].before.as_ref().unwrap().stamp,
        outcome.targetings[0].after.stamp
    );
}

#[test]
fn texts_are_trimmed_and_tags_are_kept_once() {
    let workspace = after(
        ready(),
        json!([
            on("text", "describeFlag", json!({"description": "  why\n"})),
            on(
                "text",
                "setFlagTags",
                json!({"tags": ["a", " b ", "a", "b"]})
            ),
            on(
                "text",
                "updateVariation",
                json!({"variation": "a", "name": " First "})
            ),
        ]),
    );
    let flag = flag(&workspace, "text");
    assert_eq!(flag.description, "why");
    assert_eq!(flag.tags, ["a", "b"]);
    assert_eq!(flag.variations[0].name.as_deref(), Some("First"));
    let unnamed = json!([on(
        "text",
        "updateVariation",
        json!({"variation": "a", "name": ""})
    )]);
    assert_eq!(
        crate::kit::flag(&after(workspace, unnamed), "text").variations[0].name,
        None
    );
}

#[test]
fn tags_that_were_there_before_their_rule_stay() {
    let mut workspace = ready();
    let web = workspace.projects.get_mut("web").unwrap();
    web.flags.get_mut("text").unwrap().flag.tags = vec!["a,b".to_owned()];
    let set = |tags: Value| json!([on("text", "setFlagTags", json!({ "tags": tags }))]);
    let kept = after(workspace.clone(), set(json!(["a,b", "new"])));
    assert_eq!(flag(&kept, "text").tags, ["a,b", "new"]);
    let refused = apply(&workspace, set(json!(["a,b", "b;c"]))).unwrap_err();
    assert_eq!(
        (&*refused.pointer, &*refused.code),
        ("/tags/1", "tagCharacter")
    );
}

#[test]
fn booleans_are_kept_in_lower_case() {
    let list = json!([on(
        "bool",
        "updateVariation",
        json!({"variation": "t", "value": "TRUE"})
    )]);
    assert_eq!(apply(&ready(), list).unwrap(), Default::default());
}

#[test]
fn variations_can_be_added_renamed_and_removed_where_they_are_not_used() {
    let list = json!([on(
        "text",
        "setVariations",
        json!({"variations": [
        {"id": "c", "value": "C"}, {"id": "a", "value": "A2"}, {"value": "D"}]})
    )]);
    let outcome = apply(&ready(), list).unwrap();
    let flag = &outcome.flags[0].after;
    let ids: Vec<&str> = flag.variations.iter().map(|it| it.id.as_str()).collect();
    assert_eq!(ids, ["c", "a", "id-1"]);
    assert_eq!(flag.default_on, "a");
    assert_eq!(flag.default_off, "c");
    assert_eq!(
        step(&outcome, "web-prod").entries[0].facets,
        [Facet::Variations]
    );
}

#[test]
fn defaults_follow_when_their_variation_goes() {
    let list = json!([on(
        "bool",
        "setVariations",
        json!({"variations": [
        {"id": "x", "value": "false"}, {"id": "y", "value": "true"}]})
    )]);
    let workspace = after(ready(), list);
    assert_eq!(flag(&workspace, "bool").default_on, "x");
    assert_eq!(flag(&workspace, "bool").default_off, "y");
}

#[test]
fn a_used_variation_stays_and_it_is_said_where_it_is_used() {
    let uses = [
        (
            "setTargets",
            json!({"variation": "b", "keys": ["ann"]}),
            "the individual targets in prod",
        ),
        (
            "addRule",
            json!({"rule": {"name": "Beta", "variation": "b"}}),
            "the rule 'Beta' in prod",
        ),
        (
            "setDefaultRule",
            json!({"variation": "b"}),
            "the default rule in prod",
        ),
        (
            "setOffVariation",
            json!({"variation": "b"}),
            "the off variation in prod",
        ),
    ];
    let without = on(
        "text",
        "setVariations",
        json!({"variations": [
        {"id": "a", "value": "A"}, {"id": "c", "value": "C"}]}),
    );
    assert!(apply(&ready(), json!([without])).is_ok());
    for (kind, fields, place) in uses {
        let rejected = apply(&ready(), json!([on("text", kind, fields), without])).unwrap_err();
        assert_eq!(rejected.command, 1);
        assert!(rejected.message.contains(place), "{rejected}");
    }
}

#[test]
fn archive_restore_and_delete_act_everywhere() {
    let list = json!([
        on("text", "turnOn", json!({"environment": "dev"})),
        on("text", "archiveFlag", json!({})),
    ]);
    let outcome = apply(&ready(), list.clone()).unwrap();
    for environment in ["web-prod", "web-dev"] {
        let image = &step(&outcome, environment).entries[0].image;
        let served: burgee_eval::flag::Flag = serde_json::from_str(image).unwrap();
        assert!(served.is_archived);
        assert_eq!(served.variations.len(), 3, "everything else is kept");
        assert!(served.is_enabled);
    }
    let archived = after(ready(), list);
    let renamed = after(
        archived.clone(),
        json!([on("text", "renameFlag", json!({"name": "N"}))]),
    );
    assert_eq!(flag(&renamed, "text").life, Life::Archived);
    let restored = after(
        archived.clone(),
        json!([on("text", "restoreFlag", json!({}))]),
    );
    assert!(targeting(&restored, "dev", "text").is_enabled);
    let deleted = apply(&archived, json!([on("text", "deleteFlag", json!({}))])).unwrap();
    assert_eq!(deleted.flags[0].after.life, Life::Deleted);
    assert_eq!(deleted.targetings.len(), 2);
    let workspace = after(archived, json!([on("text", "deleteFlag", json!({}))]));
    let again = after(
        workspace,
        json!([on(
            "text",
            "createFlag",
            json!({"type": "json",
        "variations": [{"value": "1"}]})
        )]),
    );
    assert_ne!(flag(&again, "text").id.as_str(), "id-of-text");
}

#[test]
fn a_key_is_free_again_only_in_the_next_set() {
    let list = json!([
        on("old", "deleteFlag", json!({})),
        on("old", "createFlag", json!({"type": "boolean"})),
    ]);
    let rejected = apply(&ready(), list).unwrap_err();
    assert_eq!(
        (rejected.command, rejected.code.as_str()),
        (1, "flagExists")
    );
}

#[test]
fn what_is_made_and_deleted_at_once_leaves_nothing() {
    let list = json!([
        on("new", "createFlag", json!({"type": "boolean"})),
        on("new", "archiveFlag", json!({})),
        on("new", "deleteFlag", json!({})),
    ]);
    assert_eq!(apply(&ready(), list).unwrap(), Default::default());
}

#[test]
fn a_repeated_create_with_its_id_does_nothing() {
    let create = |fields| {
        on(
            "new",
            "createFlag",
            crate::kit::with(json!({"type": "boolean", "id": "i"}), fields),
        )
    };
    let workspace = after(ready(), json!([create(json!({}))]));
    assert_eq!(
        apply(&workspace, json!([create(json!({}))])).unwrap(),
        Default::default()
    );
    for other in [
        json!({"name": "Other"}),
        json!({"id": "j"}),
        json!({"type": "json", "variations": [{"value": "1"}]}),
    ] {
        assert_eq!(
            apply(&workspace, json!([create(other)])).unwrap_err().code,
            "flagExists"
        );
    }
}

#[test]
fn entries_name_their_commands() {
    let list = json!([
        on("bool", "turnOn", json!({})),
        on("bool", "renameFlag", json!({"name": "B"})),
        on("bool", "turnOn", json!({"environment": "dev"})),
        on("bool", "turnOn", json!({})),
    ]);
    let outcome = apply(&ready(), list).unwrap();
    assert_eq!(step(&outcome, "web").entries[0].commands, [1]);
    assert_eq!(step(&outcome, "web-prod").entries[0].commands, [0, 1]);
    assert_eq!(step(&outcome, "web-dev").entries[0].commands, [1, 2]);
    let environments = outcome
        .steps
        .iter()
        .filter(|it| matches!(it.scope, Scope::Environment(_)));
    let mut scopes: Vec<&Scope> = environments.map(|it| &it.scope).collect();
    let ordered = scopes.clone();
    scopes.sort();
    assert_eq!(scopes, ordered, "environments in id order");
}
