//! Positions, the chain, and collisions between authors.

use std::collections::BTreeMap;

use burgee_domain::conflict::{self, Logged};
use burgee_domain::id::Id;
use burgee_domain::outcome::{Facet, Outcome, Scope};
use burgee_domain::position::{Position, Row, chain, chain_rows, image_digest};
use burgee_domain::workspace::Workspace;
use serde_json::{Value, json};

use crate::kit::{after, apply, on, people, ready, step};

#[test]
fn each_version_chains_on_the_one_before() {
    let workspace = ready();
    let before = workspace.projects["web"].environments["prod"].clone();
    let outcome = apply(&workspace, json!([on("text", "turnOff", json!({}))])).unwrap();
    let step = step(&outcome, "web-prod");
    assert_eq!(step.chain, chain(before.chain, &step.entries));
    assert_eq!(step.position.version, before.position.version + 1);
    let first: [u8; 8] = step.chain[..8].try_into().unwrap();
    assert_eq!(step.position.digest, u64::from_be_bytes(first));
    assert_ne!(step.position.digest, before.position.digest);
}

#[test]
fn histories_that_differ_anywhere_have_other_digests() {
    let row = Row {
        kind: "flag",
        id: "ab",
        image: image_digest("{}"),
        facets: "[]",
    };
    let of = |rows: Vec<Row<'_>>| chain_rows([0; 32], rows);
    let all = [
        of(vec![]),
        of(vec![row]),
        of(vec![row, row]),
        of(vec![Row {
            kind: "segment",
            ..row
        }]),
        of(vec![Row { id: "abc", ..row }]),
        of(vec![Row {
            image: image_digest("{ }"),
            ..row
        }]),
        of(vec![Row {
            facets: "[1]",
            ..row
        }]),
        of(vec![Row {
            id: "ab[",
            facets: "]",
            ..row
        }]),
        chain_rows([1; 32], vec![row]),
    ];
    for (index, one) in all.iter().enumerate() {
        assert!(all[index + 1..].iter().all(|other| other != one), "{index}");
    }
    let shown = Position::new(7, &[0xab; 32]).to_string();
    assert_eq!(shown, "7.abababababababab");
}

/// What the log has of an outcome.
pub(crate) fn logged(outcome: &Outcome) -> Vec<Logged> {
    let of_step = |step: &burgee_domain::outcome::Step| {
        let entries = step.entries.clone().into_iter();
        let (scope, version) = (step.scope.clone(), step.position.version);
        entries
            .map(move |entry| Logged {
                scope: scope.clone(),
                version,
                item: entry.item,
                facets: entry.facets,
            })
            .collect::<Vec<_>>()
    };
    outcome.steps.iter().flat_map(of_step).collect()
}

pub(crate) fn versions(workspace: &Workspace) -> BTreeMap<Scope, i64> {
    let web = &workspace.projects["web"];
    let environments = web.environments.values();
    let mut base: BTreeMap<Scope, i64> = environments
        .map(|it| (Scope::Environment(it.id.clone()), it.position.version))
        .collect();
    base.insert(Scope::Project(web.project.id.clone()), web.project.version);
    base
}

/// The facets in which `second` collides with `first`, both made against the same state.
fn collide(workspace: &Workspace, first: &Value, second: &Value) -> Vec<Facet> {
    let base = versions(workspace);
    let outcome = apply(workspace, json!([first])).unwrap();
    let mut now = workspace.clone();
    now.advance(&outcome);
    let second = apply(&now, json!([second])).unwrap();
    let mut facets: Vec<Facet> = conflict::find(&second, &base, &logged(&outcome))
        .into_iter()
        .flat_map(|conflict| conflict.facets)
        .collect();
    facets.sort();
    facets.dedup();
    facets
}

#[test]
fn only_the_same_facet_collides_whoever_came_first() {
    let rule = |id: &str, variation: &str| json!({"rule": {"id": id, "variation": variation}});
    let text = |kind: &str, fields: Value| on("text", kind, fields);
    let workspace = after(
        ready(),
        json!([
            text("addRule", rule("r", "a")),
            text("addRule", rule("s", "a"))
        ]),
    );
    let off = text("turnOff", json!({}));
    let dev = text("turnOn", json!({"environment": "dev"}));
    let targets = |variation: &str, key: &str| {
        text("addTargets", json!({"variation": variation, "keys": [key]}))
    };
    let name = |name: &str| text("renameFlag", json!({"name": name}));
    let value = text("updateVariation", json!({"variation": "a", "value": "new"}));
    let apart = [
        (off.clone(), targets("a", "ann")),
        (off.clone(), dev),
        (off.clone(), name("x")),
        (targets("a", "ann"), targets("b", "bob")),
        (
            text("addRule", rule("x", "a")),
            text("addRule", rule("y", "a")),
        ),
        (
            text("updateRule", rule("r", "b")),
            text("updateRule", rule("s", "b")),
        ),
        (name("x"), value.clone()),
        (off, on("bool", "turnOn", json!({}))),
        (
            people("addIncluded", json!({"keys": ["a"]})),
            people("addExcluded", json!({"keys": ["a"]})),
        ),
    ];
    for (one, other) in apart {
        assert_eq!(collide(&workspace, &one, &other), [], "{one} {other}");
        assert_eq!(collide(&workspace, &other, &one), [], "{other} {one}");
    }
    let order = |before: Value| text("setRules", json!({"rules": before}));
    let together = [
        (
            targets("a", "ann"),
            targets("b", "ann"),
            Facet::Targets("a".into()),
        ),
        (
            text("updateRule", rule("r", "b")),
            text("updateRule", rule("r", "c")),
            Facet::Rule("r".into()),
        ),
        (
            text("updateRule", rule("r", "b")),
            text("removeRule", json!({"rule": "r"})),
            Facet::Rule("r".into()),
        ),
        (name("x"), name("y"), Facet::Metadata),
        (
            value,
            text("updateVariation", json!({"variation": "b", "value": "x"})),
            Facet::Variations,
        ),
        (
            text("setDefaultRule", json!({"variation": "b"})),
            text("setDefaultRule", json!({"variation": "c"})),
            Facet::DefaultRule,
        ),
        (
            text("setOffVariation", json!({"variation": "b"})),
            text("setOffVariation", json!({"variation": "a"})),
            Facet::OffVariation,
        ),
        (
            people("addIncluded", json!({"keys": ["a"]})),
            people("setIncluded", json!({"keys": ["b"]})),
            Facet::Included,
        ),
        (
            text("archiveFlag", json!({})),
            text("restoreFlag", json!({})),
            Facet::Life,
        ),
    ];
    for (one, other, facet) in together {
        assert!(
            collide(&workspace, &one, &other).contains(&facet),
            "{one} {other}"
        );
    }
    let moved = text("moveRule", json!({"rule": "s", "before": "r"}));
    let stale = order(json!([rule("r", "a")["rule"], rule("s", "a")["rule"]]));
    assert!(collide(&workspace, &moved, &stale).contains(&Facet::RuleOrder));
    let added = text("addRule", rule("x", "a"));
    assert!(
        collide(&workspace, &added, &stale).contains(&Facet::Rule("x".into())),
        "it would be lost"
    );
}

#[test]
fn the_same_wish_is_no_collision() {
    let off = on("text", "turnOff", json!({}));
    assert_eq!(collide(&ready(), &off, &off), []);
}

#[test]
fn scopes_without_a_base_and_rows_before_it_are_passed_over() {
    let outcome = apply(&ready(), json!([on("text", "turnOff", json!({}))])).unwrap();
    let log = logged(&outcome);
    let version = log[0].version;
    let prod = Scope::Environment(Id::new("web-prod"));
    let with =
        |version: i64| conflict::find(&outcome, &BTreeMap::from([(prod.clone(), version)]), &log);
    assert_eq!(with(version - 1).len(), 1);
    assert_eq!(with(version), []);
    assert_eq!(conflict::find(&outcome, &BTreeMap::new(), &log), []);
}
