//! Refusals that come from what others did after the author looked.

use burgee_domain::conflict;
use burgee_domain::outcome::Facet;
use burgee_domain::workspace::Workspace;
use serde_json::{Value, json};

use crate::history::{logged, versions};
use crate::kit::{after, apply, commands, on, people, ready};

/// The facets behind the refusal of `second` after `first`, both made against the same state.
fn behind(workspace: &Workspace, first: &Value, second: &Value) -> Vec<Facet> {
    let base = versions(workspace);
    let outcome = apply(workspace, json!([first])).unwrap();
    let mut now = workspace.clone();
    now.advance(&outcome);
    let rejected = apply(&now, json!([second])).unwrap_err();
    let command = &commands(json!([second]))[0];
    let found = conflict::behind(&now, command, &rejected, &base, &logged(&outcome));
    let mut facets: Vec<Facet> = found.into_iter().flat_map(|it| it.facets).collect();
    facets.sort();
    facets.dedup();
    facets
}

#[test]
fn a_refusal_that_others_caused_names_what_they_did() {
    let text = |kind: &str, fields: Value| on("text", kind, fields);
    let by = |segment: &str| json!({"property": "User is in segment", "value": json!([segment]).to_string()});
    let rule = |id: &str, segment: &str| json!({"rule": {"id": id, "variation": "a", "conditions": [by(segment)]}});
    let workspace = after(
        ready(),
        json!([
            text("addRule", rule("r", "shared")),
            people("archiveSegment", json!({})),
            on("old", "setFlagTags", json!({"tags": ["x"]})),
        ]),
    );
    let archived = text("archiveFlag", json!({}));
    let gone = text("removeRule", json!({"rule": "r"}));
    let three = json!({"variations": [{"id": "a", "value": "A"}, {"id": "c", "value": "C"}]});
    let fewer = text("setVariations", three);
    let new = |id: &str| on("new", "createFlag", json!({"type": "boolean", "id": id}));
    let life = Facet::Life;
    let of_rule = || Facet::Rule("r".into());
    let rows = [
        (&archived, text("turnOff", json!({})), life.clone()),
        (
            &archived,
            text("updateVariation", json!({"variation": "a", "value": "x"})),
            life.clone(),
        ),
        (
            &archived,
            text("addRule", rule("s", "shared")),
            life.clone(),
        ),
        (&gone, text("updateRule", rule("r", "shared")), of_rule()),
        (&gone, text("moveRule", json!({"rule": "r"})), of_rule()),
        (
            &fewer,
            text("setOffVariation", json!({"variation": "b"})),
            Facet::Variations,
        ),
        (
            &fewer,
            text("setTargets", json!({"variation": "b", "keys": []})),
            Facet::Variations,
        ),
        (
            &new("n"),
            on("other", "createFlag", json!({"type": "boolean", "id": "n"})),
            life.clone(),
        ),
        (&new("n"), new("m"), life.clone()),
        (
            &text("addRule", rule("s", "shared")),
            text("addRule", json!({"rule": {"id": "s", "variation": "b"}})),
            Facet::Rule("s".into()),
        ),
        (
            &text("setOffVariation", json!({"variation": "b"})),
            text(
                "setVariations",
                json!({"variations": [{"id": "a", "value": "A"}, {"id": "c", "value": "C"}]}),
            ),
            Facet::OffVariation,
        ),
        (
            &people("deleteSegment", json!({})),
            people("renameSegment", json!({"name": "n"})),
            life.clone(),
        ),
        (
            &people("deleteSegment", json!({})),
            text("addRule", rule("s", "in-prod")),
            life.clone(),
        ),
        (
            &text("addRule", rule("s", "in-prod")),
            people("deleteSegment", json!({})),
            Facet::Rule("s".into()),
        ),
        (
            &people("restoreSegment", json!({})),
            people("deleteSegment", json!({})),
            life.clone(),
        ),
        (
            &on("old", "deleteFlag", json!({})),
            on("old", "restoreFlag", json!({})),
            life,
        ),
    ];
    for (first, second, facet) in rows {
        assert_eq!(
            behind(&workspace, first, &second),
            [facet],
            "{first} {second}"
        );
    }
    // What was so before, and what is wrong whatever others did, is nobody's doing.
    let rows = [
        (&gone, text("setOffVariation", json!({"variation": "z"}))),
        (&gone, text("updateRule", rule("z", "shared"))),
        (&fewer, on("old", "turnOn", json!({}))),
        (&fewer, text("addRule", rule("s", "nope"))),
        (&archived, on("nope", "turnOn", json!({}))),
        (&archived, on("text", "turnOn", json!({"project": "nope"}))),
    ];
    for (first, second) in rows {
        assert_eq!(behind(&workspace, first, &second), [], "{first} {second}");
    }
}
