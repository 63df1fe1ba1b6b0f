//! The demonstration data.

use burgee_domain::change;
use burgee_domain::command::Command;
use burgee_domain::demo;
use burgee_domain::diff;
use burgee_domain::outcome::Outcome;
use burgee_domain::workspace::{ProjectState, Workspace};
use burgee_eval::snapshot::Snapshot;
use burgee_eval::user::User;

use crate::kit::{NOW, empty, key, step};

fn workspace() -> Workspace {
    let mut workspace = empty();
    let mut demo: ProjectState = workspace.projects.remove("web").unwrap();
    demo.project.key = key("demo");
    workspace.projects.insert("demo".into(), demo);
    workspace
}

fn apply(workspace: &Workspace, commands: &[Command]) -> Outcome {
    change::apply(
        workspace,
        change::well_formed(commands).unwrap(),
        NOW,
        &mut || "made".into(),
    )
    .unwrap()
}

fn snapshot(outcome: &Outcome) -> Snapshot {
    let (mut flags, mut segments) = (Vec::new(), Vec::new());
    for entry in &step(outcome, "web-prod").entries {
        match serde_json::from_str(&entry.image) {
            Ok(flag) => flags.push(flag),
            Err(_) => segments.push(serde_json::from_str(&entry.image).unwrap()),
        }
    }
    Snapshot::build(flags, segments)
}

#[test]
fn eight_flags_are_on_and_two_segments_are_there() {
    let workspace = workspace();
    let outcome = apply(&workspace, &demo::change_set().unwrap());
    assert!(outcome.warnings.is_empty(), "{:?}", outcome.warnings);
    let snapshot = snapshot(&outcome);
    assert_eq!(snapshot.warnings().count(), 0);
    assert_eq!(snapshot.flags().len(), 8);
    assert_eq!(snapshot.segments().len(), 2);
    let mut lines = diff::words(&workspace, &outcome);
    lines.retain(|line| line.ends_with("turned on"));
    assert_eq!(lines.len(), 8);
    assert!(lines.contains(&"demo/prod: theme turned on".to_owned()));
}

#[test]
fn every_flag_answers_each_of_its_ways() {
    let outcome = apply(&workspace(), &demo::change_set().unwrap());
    let snapshot = snapshot(&outcome);
    let value = |flag: &str, user: &User<'_>| {
        let flag = snapshot.flag(flag).unwrap();
        let outcome = flag.outcome(flag.evaluate(user).unwrap()).unwrap();
        flag.flag().variations[outcome.variation].value.clone()
    };
    let user =
        |key: &'static str, name: &'static str, properties: &[(&'static str, &'static str)]| User {
            key: key.into(),
            name: name.into(),
            properties: properties
                .iter()
                .map(|(n, v)| ((*n).into(), (*v).into()))
                .collect(),
            ..User::default()
        };
    let anybody = user("somebody", "", &[]);
    assert_eq!(value("returns-true", &anybody), "true");
    assert_eq!(
        value("individual-targeting", &user("off-3", "", &[])),
        "false"
    );
    assert_eq!(
        value("individual-targeting", &user("on-10", "", &[])),
        "true"
    );
    assert_eq!(value("page-size", &anybody), "25");
    assert_eq!(
        value("page-size", &user("a", "", &[("device", "phone")])),
        "10"
    );
    assert_eq!(value("custom-rule-with-segment", &anybody), "true");
    assert_eq!(
        value("custom-rule-with-segment", &user("a", "", &[("age", "41")])),
        "false"
    );
    let tester = user("a", "ann_test", &[("age", "22"), ("country", "de")]);
    assert_eq!(value("two-custom-rules", &tester), "true");
    let of_thousand = |flag: &str, properties: &[(&'static str, &'static str)]| {
        let keys = (0..1000).map(|n| format!("user-{n}"));
        keys.filter(|key| {
            let mut user = user("", "", properties);
            user.key = key.into();
            value(flag, &user) == "true"
        })
        .count()
    };
    assert!((70..130).contains(&of_thousand("return-10p-true", &[])));
    assert!((160..240).contains(&of_thousand("two-custom-rules", &[("country", "jp")])));
    let adopter = [("age", "20"), ("country", "fr"), ("isMember", "TRUE")];
    assert!((70..130).contains(&of_thousand("custom-rule-with-segment", &adopter)));
}

#[test]
fn making_it_twice_changes_nothing() {
    let mut workspace = workspace();
    let commands = demo::change_set().unwrap();
    let outcome = apply(&workspace, &commands);
    workspace.advance(&outcome);
    assert_eq!(apply(&workspace, &commands), Outcome::default());
}
