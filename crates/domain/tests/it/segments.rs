//! Segments in their three scopes.

use burgee_domain::command;
use burgee_domain::id::Id;
use burgee_domain::model::Life;
use burgee_domain::outcome::Facet;
use serde_json::{Value, json};

use crate::kit::{after, apply, on, people, ready, segment, step, with};

fn scopes(workspace: &burgee_domain::workspace::Workspace, command: Value) -> Vec<String> {
    let outcome = apply(workspace, json!([command])).unwrap();
    let stamps = outcome.segments[0].stamps.len();
    let environments = outcome
        .steps
        .iter()
        .filter(|it| it.last_stamp.0 > 0)
        .count();
    assert_eq!(stamps, environments, "a stamp for each environment");
    outcome
        .steps
        .iter()
        .map(|step| format!("{:?}", step.scope))
        .collect()
}

fn in_segment(id: &str) -> Value {
    json!({"rule": {"variation": "a", "conditions": [
        {"property": "User is in segment", "op": "User is in segment", "value": json!([id]).to_string()}]}})
}

#[test]
fn a_change_moves_every_environment_of_the_scope_and_the_scope_itself() {
    let rename = |fields: Value| with(json!({"kind": "renameSegment", "name": "New"}), fields);
    assert_eq!(
        scopes(&ready(), people("renameSegment", json!({"name": "New"}))),
        ["Environment(\"web-prod\")"]
    );
    assert_eq!(
        scopes(
            &ready(),
            rename(json!({"project": "app", "segment": "in-app"}))
        ),
        [
            "Project(\"app\")",
            "Environment(\"app-dev\")",
            "Environment(\"app-prod\")"
        ]
    );
    assert_eq!(
        scopes(&ready(), rename(json!({"segment": "shared"}))),
        [
            "Organization(\"org\")",
            "Environment(\"app-dev\")",
            "Environment(\"app-prod\")",
            "Environment(\"web-dev\")",
            "Environment(\"web-prod\")"
        ]
    );
}

#[test]
fn lists_and_rules_are_edited_with_facets_of_their_own() {
    let rules =
        json!({"rules": [{"conditions": [{"property": "x", "op": "Equal", "value": "y"}]}]});
    let cases = [
        ("renameSegment", json!({"name": "New"}), Facet::Metadata),
        (
            "describeSegment",
            json!({"description": "New"}),
            Facet::Metadata,
        ),
        ("setSegmentTags", json!({"tags": ["new"]}), Facet::Metadata),
        ("setIncluded", json!({"keys": ["ann"]}), Facet::Included),
        ("addIncluded", json!({"keys": ["ann"]}), Facet::Included),
        ("setExcluded", json!({"keys": ["ann"]}), Facet::Excluded),
        ("addExcluded", json!({"keys": ["ann"]}), Facet::Excluded),
        ("setSegmentRules", rules, Facet::SegmentRules),
        ("archiveSegment", json!({}), Facet::Life),
    ];
    for (kind, fields, facet) in cases {
        let outcome = apply(&ready(), json!([people(kind, fields)])).unwrap();
        assert_eq!(
            step(&outcome, "web-prod").entries[0].facets,
            [facet],
            "{kind}"
        );
    }
    let workspace = after(
        ready(),
        json!([
            people("addIncluded", json!({"keys": ["ann", "bob"]})),
            people("addExcluded", json!({"keys": ["cid", "dan"]})),
            people("removeIncluded", json!({"keys": ["ann"]})),
            people("removeExcluded", json!({"keys": ["cid", "zoe"]}))
        ]),
    );
    assert_eq!(segment(&workspace, "in-prod").included, ["bob"]);
    assert_eq!(segment(&workspace, "in-prod").excluded, ["dan"]);
}

#[test]
fn a_rule_may_use_what_its_environment_sees() {
    for id in ["in-prod", "shared"] {
        let workspace = after(ready(), json!([on("text", "addRule", in_segment(id))]));
        let rule = &crate::kit::targeting(&workspace, "prod", "text").rules[0];
        assert_eq!(rule.conditions[0].op, None, "SDKs would look at it");
    }
}

#[test]
fn archiving_a_used_segment_warns_and_deleting_it_is_refused() {
    let workspace = after(
        ready(),
        json!([on("text", "addRule", in_segment("in-prod"))]),
    );
    let archive = json!([people("archiveSegment", json!({}))]);
    let outcome = apply(&workspace, archive.clone()).unwrap();
    assert_eq!(outcome.warnings[0].code, "segmentInUse");
    assert!(outcome.warnings[0].message.contains("web/prod/text"));
    let delete = people("deleteSegment", json!({}));
    let archived = after(workspace, archive);
    assert_eq!(segment(&archived, "in-prod").life, Life::Archived);
    let rejected = apply(&archived, json!([delete])).unwrap_err();
    assert_eq!(rejected.code, "segmentInUse");
    assert!(rejected.message.contains("web/prod/text"));
    // An archived flag may be restored: what it names must be there then.
    let hidden = json!([on("text", "archiveFlag", json!({})), delete]);
    assert_eq!(apply(&archived, hidden).unwrap_err().code, "segmentInUse");
    let freed = json!([on("text", "setRules", json!({"rules": []})), delete]);
    let outcome = apply(&archived, freed).unwrap();
    assert_eq!(outcome.segments[0].after.life, Life::Deleted);
}

#[test]
fn restoring_a_flag_tells_of_the_segments_that_are_not_there_any_more() {
    let rule = |id: &str| {
        let condition = json!({"property": "User is in segment", "value": json!([id]).to_string()});
        json!({"rule": {"name": format!("by {id}"), "variation": "a", "conditions": [condition]}})
    };
    let mut workspace = after(
        ready(),
        json!([
            on("text", "addRule", rule("in-prod")),
            on("text", "addRule", rule("shared")),
            on(
                "text",
                "addRule",
                with(rule("in-dev"), json!({"environment": "dev"}))
            ),
            on("text", "archiveFlag", json!({})),
            people("archiveSegment", json!({})),
        ]),
    );
    // As an import can leave it.
    workspace.segments.remove(&Id::new("in-dev"));
    let restore = json!([on("text", "restoreFlag", json!({}))]);
    let commands = crate::kit::commands(restore.clone());
    let rules_of = command::references(&commands).rules_of;
    assert!(rules_of.contains(&("web".into(), "text".into())));
    let named = workspace.projects["web"].flags["text"].segment_ids();
    assert_eq!(named.len(), 3, "{named:?}");
    let outcome = apply(&workspace, restore).unwrap();
    let warnings: Vec<_> = outcome
        .warnings
        .iter()
        .map(|it| (it.code.as_str(), it.message.as_str()))
        .collect();
    assert_eq!(
        warnings,
        [
            (
                "segmentUnknown",
                "the rule 'by in-dev' in dev refers to a segment that is not there, 'in-dev': it matches nobody"
            ),
            (
                "segmentArchived",
                "the rule 'by in-prod' in prod refers to the segment 'in-prod', which is archived: it matches nobody"
            ),
        ]
    );
    // A flag that is live already is not served again.
    let again = after(workspace, json!([on("text", "restoreFlag", json!({}))]));
    let outcome = apply(&again, json!([on("text", "restoreFlag", json!({}))])).unwrap();
    assert_eq!(outcome.warnings, []);
}

#[test]
fn uses_that_the_store_found_count_too() {
    let mut workspace = after(ready(), json!([people("archiveSegment", json!({}))]));
    let id = segment(&workspace, "in-prod").id.clone();
    workspace.segment_uses.insert(
        id,
        vec!["web/prod/elsewhere".into(), "web/prod/TEXT".into()],
    );
    let rejected = apply(&workspace, json!([people("deleteSegment", json!({}))])).unwrap_err();
    assert!(
        rejected.message.contains("web/prod/elsewhere"),
        "{rejected}"
    );
    assert!(
        !rejected.message.contains("TEXT"),
        "that flag is loaded and no longer uses it"
    );
}

#[test]
fn an_archived_segment_can_be_restored_and_named_but_not_edited() {
    let workspace = after(ready(), json!([people("archiveSegment", json!({}))]));
    let edit = json!([people("addIncluded", json!({"keys": ["ann"]}))]);
    assert_eq!(
        apply(&workspace, edit.clone()).unwrap_err().code,
        "segmentArchived"
    );
    assert!(
        apply(
            &workspace,
            json!([people("renameSegment", json!({"name": "N"}))])
        )
        .is_ok()
    );
    let used = json!([on("text", "addRule", in_segment("in-prod"))]);
    assert_eq!(
        apply(&workspace, used).unwrap().warnings[0].code,
        "segmentArchived"
    );
    let restored = after(workspace, json!([people("restoreSegment", json!({}))]));
    assert!(apply(&restored, edit).is_ok());
}

#[test]
fn a_repeated_create_with_its_id_does_nothing() {
    let create = |fields: Value| {
        json!([with(
            people(
                "createSegment",
                json!({"segment": "new", "id": "i",
        "rules": [{"id": "r", "conditions": [{"property": "x", "op": "Equal", "value": "y"}]}]})
            ),
            fields
        )])
    };
    let workspace = after(ready(), create(json!({})));
    assert_eq!(
        apply(&workspace, create(json!({}))).unwrap(),
        Default::default()
    );
    assert_eq!(
        apply(&workspace, create(json!({"name": "Other"})))
            .unwrap_err()
            .code,
        "segmentExists"
    );
}

#[test]
fn one_key_may_name_a_segment_in_each_scope() {
    let create = |at: Value| with(json!({"kind": "createSegment", "segment": "same"}), at);
    let list = json!([
        create(json!({})),
        create(json!({"project": "web"})),
        create(json!({"project": "app"})),
        create(json!({"project": "web", "environment": "prod"})),
        create(json!({"project": "web", "environment": "dev"})),
    ]);
    assert_eq!(apply(&ready(), list).unwrap().segments.len(), 5);
}
