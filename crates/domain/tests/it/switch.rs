//! Making a flag and turning it on and off.

use burgee_domain::outcome::Facet;
use serde_json::json;

use crate::kit::{NOW, after, apply, empty, flag, step, targeting};

fn create() -> serde_json::Value {
    json!([{"kind": "createFlag", "project": "web", "flag": "checkout", "id": "f", "type": "boolean"}])
}

fn turn(kind: &str) -> serde_json::Value {
    json!([{"kind": kind, "project": "WEB", "environment": "Prod", "flag": "Checkout"}])
}

#[test]
fn a_new_flag_is_served_nowhere() {
    let outcome = apply(&empty(), create()).unwrap();
    assert_eq!(outcome.steps.len(), 1);
    assert_eq!(step(&outcome, "web").entries[0].facets, [Facet::Life]);
    assert!(outcome.targetings.is_empty());
    let workspace = after(empty(), create());
    let flag = flag(&workspace, "checkout");
    let values: Vec<&str> = flag.variations.iter().map(|it| it.value.as_str()).collect();
    assert_eq!(values, ["true", "false"]);
    assert_eq!(flag.default_on, flag.variations[0].id);
    assert_eq!(flag.default_off, flag.variations[1].id);
}

#[test]
fn the_first_edit_releases_the_flag_in_that_environment_alone() {
    let workspace = after(empty(), create());
    let outcome = apply(&workspace, turn("turnOn")).unwrap();
    assert!(outcome.flags.is_empty());
    assert_eq!(outcome.steps.len(), 1);
    let step = step(&outcome, "web-prod");
    assert_eq!(step.position.version, 1);
    assert_eq!(step.last_stamp, NOW);
    assert_eq!(step.entries[0].facets, [Facet::Life, Facet::OnOff]);
    let image: burgee_eval::flag::Flag = serde_json::from_str(&step.entries[0].image).unwrap();
    assert!(image.is_enabled);
    assert_eq!(image.updated_at, NOW);
    assert_eq!(image.env_id, "web-prod");
    assert_eq!(image.disabled_variation_id, image.variations[1].id);
}

#[test]
fn what_changes_nothing_moves_nothing() {
    let workspace = after(after(empty(), create()), turn("turnOn"));
    let outcome = apply(&workspace, turn("turnOn")).unwrap();
    assert_eq!(outcome, Default::default());
    let both = json!([turn("turnOff")[0], turn("turnOn")[0]]);
    assert_eq!(apply(&workspace, both).unwrap(), Default::default());
}

#[test]
fn stamps_rise_even_where_the_clock_does_not() {
    let mut workspace = after(empty(), create());
    let mut last = targeting_stamp(&mut workspace, "turnOn");
    for kind in ["turnOff", "turnOn", "turnOff"] {
        let next = targeting_stamp(&mut workspace, kind);
        assert!(next > last);
        last = next;
    }
}

fn targeting_stamp(workspace: &mut burgee_domain::workspace::Workspace, kind: &str) -> i64 {
    *workspace = after(workspace.clone(), turn(kind));
    targeting(workspace, "prod", "checkout").stamp.0
}
