//! Commands made from states: they lead where they are said to, from anywhere.

use std::collections::BTreeMap;

use burgee_domain::change;
use burgee_domain::command::Command;
use burgee_domain::id::Id;
use burgee_domain::model::{Flag, Life, Segment, SegmentScope, Targeting};
use burgee_domain::outcome::{Facet, Outcome};
use burgee_domain::plan::{
    self, Collision, FlagPlan, FlagTouched, SegmentPlan, Steps, TargetingPlan, Touched,
};
use burgee_domain::workspace::{FlagState, ProjectState, Workspace};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::kit::{NOW, after, apply, on, people, ready};
use crate::properties::{absolute, workspace};
use crate::vocabulary::one_of_each;

/// Any good command, imports apart: they are no part of the vocabulary that leads anywhere.
fn any_command() -> impl Strategy<Value = Value> {
    let known = one_of_each()
        .into_iter()
        .filter(|it| !it["kind"].as_str().unwrap().starts_with("import"));
    prop_oneof![3 => absolute(), 2 => prop::sample::select(known.collect::<Vec<_>>())]
}

/// A state that is reached by those of some commands that can be applied.
fn reached(from: &Workspace, list: &[Value]) -> Workspace {
    let mut workspace = from.clone();
    for command in list {
        if let Ok(outcome) = apply(&workspace, json!([command])) {
            workspace.advance(&outcome);
        }
    }
    workspace
}

/// Applies what was planned.
fn run(workspace: &Workspace, commands: &[Command]) -> Outcome {
    let checked = change::well_formed(commands).unwrap();
    let mut count = 0;
    let outcome = change::apply(workspace, checked, NOW, &mut || {
        count += 1;
        format!("planned-{count}")
    });
    outcome.unwrap_or_else(|why| panic!("{why}: {commands:?}"))
}

/// A targeting without what cannot be put back: stamps, and the order of lists of users.
fn settled(targeting: &Targeting) -> Value {
    let lists: BTreeMap<&str, std::collections::BTreeSet<&String>> = targeting
        .target_users
        .iter()
        .map(|list| (list.variation_id.as_str(), list.key_ids.iter().collect()))
        .collect();
    let mut value = json!(targeting);
    value["targetUsers"] = json!(lists);
    value["stamp"] = Value::Null;
    value
}

fn settled_flag(flag: &Flag) -> Value {
    let mut value = json!(flag);
    // One that is made again is made then.
    value["createdAt"] = Value::Null;
    value
}

fn settled_segment(segment: &Segment) -> Value {
    let mut value = json!(segment);
    value["createdAt"] = Value::Null;
    for list in ["included", "excluded"] {
        let keys = value[list].as_array().unwrap().iter();
        let keys: std::collections::BTreeSet<String> = keys.map(Value::to_string).collect();
        value[list] = json!(keys);
    }
    value
}

/// The targeting of a flag that was released and shall not be.
fn as_new(flag: &Flag) -> Targeting {
    let fallthrough = json!({"includedInExpt": false,
        "variations": [{"id": flag.default_on, "rollout": [0.0, 1.0], "exptRollout": 1.0}]});
    serde_json::from_value(json!({"isEnabled": false, "targetUsers": [], "rules": [],
        "fallthrough": fallthrough, "offVariation": flag.default_off,
        "exptIncludeAllTargets": false, "tracked": false,
        "stamp": json!(burgee_eval::time::Millis(0))}))
    .unwrap()
}

fn assert_flag(found: Option<&FlagState>, wanted: Option<&FlagState>) {
    let Some((found, wanted)) = found.zip(wanted) else {
        assert_eq!(found.is_some(), wanted.is_some());
        return;
    };
    assert_eq!(settled_flag(&found.flag), settled_flag(&wanted.flag));
    for (environment, targeting) in &found.targetings {
        let fresh = as_new(&wanted.flag);
        let wanted = wanted.targetings.get(environment).unwrap_or(&fresh);
        assert_eq!(settled(targeting), settled(wanted), "{environment}");
    }
    for environment in wanted.targetings.keys() {
        assert!(found.targetings.contains_key(environment));
    }
}

fn assert_same(found: &Workspace, wanted: &Workspace) {
    for (key, project) in &wanted.projects {
        let of = &found.projects[key];
        let keys: std::collections::BTreeSet<&String> =
            project.flags.keys().chain(of.flags.keys()).collect();
        for flag in keys {
            assert_flag(of.flags.get(flag), project.flags.get(flag));
        }
    }
    let live = |workspace: &Workspace| -> BTreeMap<String, Value> {
        let segments = workspace.segments.values().map(|it| &it.segment);
        let segments = segments.filter(|it| it.life != Life::Deleted);
        segments
            .map(|it| (it.id.to_string(), settled_segment(it)))
            .collect()
    };
    assert_eq!(live(found), live(wanted));
}

/// What an outcome touched, by flag.
fn flags_touched(outcome: &Outcome) -> BTreeMap<String, FlagTouched> {
    let mut touched: BTreeMap<String, FlagTouched> = BTreeMap::new();
    for edit in &outcome.flags {
        let flag = touched.entry(edit.after.id.to_string()).or_default();
        flag.definition = Some(Touched {
            before: edit.before.clone(),
            after: Some(edit.after.clone()),
        });
    }
    for edit in &outcome.targetings {
        let flag = touched.entry(edit.flag.to_string()).or_default();
        let targeting = Touched {
            before: edit.before.clone(),
            after: Some(edit.after.clone()),
        };
        flag.targetings.insert(edit.environment.clone(), targeting);
    }
    touched
}

fn find<'w>(workspace: &'w Workspace, id: &str) -> Option<&'w FlagState> {
    let mut flags = workspace.projects.values().flat_map(|it| it.flags.values());
    flags.find(|state| state.flag.id.as_str() == id)
}

fn web(workspace: &Workspace) -> &ProjectState {
    &workspace.projects["web"]
}

fn scope_keys(workspace: &Workspace, scope: &SegmentScope) -> (Option<String>, Option<String>) {
    let project = |id: &str| {
        let found = workspace.projects.values();
        let mut found = found.filter(|it| it.project.id.as_str() == id);
        found.next().unwrap()
    };
    match scope {
        SegmentScope::Organization => (None, None),
        SegmentScope::Project(id) => (Some(project(id.as_str()).project.key.to_string()), None),
        SegmentScope::Environment(of, id) => {
            let project = project(of.as_str());
            let mut environments = project.environments.values();
            let environment = environments.find(|it| it.id == *id).unwrap();
            let key = environment.key.to_string();
            (Some(project.project.key.to_string()), Some(key))
        }
    }
}

/// What undoes an outcome in the state that came of it; segments that go away go last.
fn undo(before: &Workspace, now: &Workspace, outcome: &Outcome) -> (Vec<Command>, Vec<Collision>) {
    let mut collisions = Vec::new();
    let (mut first, mut last) = (Steps::default(), Steps::default());
    for edit in &outcome.segments {
        let touched = Touched {
            before: edit.before.clone(),
            after: Some(edit.after.clone()),
        };
        let (project, environment) = scope_keys(before, &edit.after.scope);
        let present = now.segments.get(&edit.after.id).map(|it| &it.segment);
        let undone = plan::undo_segment(
            project.as_deref(),
            environment.as_deref(),
            &touched,
            present.filter(|it| it.life != Life::Deleted),
        );
        collisions.extend(undone.collisions);
        match edit.before {
            Some(_) => first.extend(undone.steps),
            None => last.extend(undone.steps),
        }
    }
    for (id, touched) in flags_touched(outcome) {
        let undone = plan::undo_flag(web(now), &touched, find(now, &id));
        collisions.extend(undone.collisions);
        first.extend(undone.steps);
    }
    first.extend(last);
    (first.commands, collisions)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..Default::default() })]

    #[test]
    fn what_was_done_can_be_undone(
        before in prop::collection::vec(any_command(), 0..6),
        list in prop::collection::vec(any_command(), 1..8),
    ) {
        let before = reached(&workspace(), &before);
        let mut good = Vec::new();
        for command in list {
            let mut longer = good.clone();
            longer.push(command);
            if apply(&before, json!(longer)).is_ok() {
                good = longer;
            }
        }
        let outcome = apply(&before, json!(good)).unwrap();
        let mut now = before.clone();
        now.advance(&outcome);
        let (commands, collisions) = undo(&before, &now, &outcome);
        prop_assert_eq!(collisions, vec![]);
        let undone = run(&now, &commands);
        now.advance(&undone);
        assert_same(&now, &before);
    }

    #[test]
    fn any_state_leads_to_any_other(
        one in prop::collection::vec(any_command(), 0..10),
        other in prop::collection::vec(any_command(), 0..10),
    ) {
        let mut now = reached(&workspace(), &one);
        let then = reached(&workspace(), &other);
        // One that was deleted never comes back under its id: rules that ask it cannot.
        let id = Id::<Segment>::new("in-prod");
        prop_assume!(now.segments.contains_key(&id) || !then.segments.contains_key(&id));
        let mut steps = Steps::default();
        for (key, wanted) in &web(&then).flags {
            let present = web(&now).flags.get(key);
            if present.is_some_and(|it| it.flag.id != wanted.flag.id) {
                continue;
            }
            steps.extend(plan_flag(&now, present, Some(wanted)));
        }
        let undone = run(&now, &steps.commands);
        now.advance(&undone);
        for (key, wanted) in &web(&then).flags {
            let found = web(&now).flags.get(key);
            if found.is_some_and(|it| it.flag.id == wanted.flag.id) {
                assert_flag(found, Some(wanted));
            }
        }
        if let Some((present, wanted)) = now.segments.get(&id).zip(then.segments.get(&id)) {
            let steps = plan::segment(&SegmentPlan {
                project: Some("web"),
                environment: Some("prod"),
                now: Some(&present.segment),
                then: Some(&wanted.segment),
            });
            let outcome = run(&now, &steps.commands);
            now.advance(&outcome);
            let found = now.segments.get(&id).map(|it| settled_segment(&it.segment));
            prop_assert_eq!(found, Some(settled_segment(&wanted.segment)));
        }
    }
}

fn plan_flag(of: &Workspace, now: Option<&FlagState>, then: Option<&FlagState>) -> Steps {
    let targetings = web(of).environments.values().map(|environment| {
        let at = |state: Option<&'_ FlagState>| {
            state.and_then(|it| it.targetings.get(&environment.id).cloned())
        };
        (environment.key.as_str(), at(now), at(then))
    });
    let targetings: Vec<_> = targetings.collect();
    let plans = targetings.iter().map(|(key, now, then)| TargetingPlan {
        environment: key,
        now: now.as_ref(),
        then: then.as_ref(),
    });
    plan::flag(&FlagPlan {
        project: "web",
        now: now.map(|it| &it.flag),
        then: then.map(|it| &it.flag),
        targetings: plans.collect(),
    })
}

/// The kinds of the commands that undo a set, and what collides, where something was done since.
fn undone_after(set: Value, since: Value) -> (Vec<String>, Vec<Collision>) {
    let before = workspace();
    let outcome = apply(&before, set).unwrap();
    let mut now = before.clone();
    now.advance(&outcome);
    let now = after(now, since);
    let (commands, collisions) = undo(&before, &now, &outcome);
    let kinds = commands.iter().map(|command| {
        let value = serde_json::to_value(command).unwrap();
        value["kind"].as_str().unwrap().to_owned()
    });
    (kinds.collect(), collisions)
}

#[test]
fn who_may_do_a_thing_may_undo_it_with_its_like() {
    let cases = [
        (on("text", "turnOff", json!({})), "turnOn"),
        (on("text", "removeRule", json!({"rule": "r"})), "addRule"),
        (
            on("text", "addRule", json!({"rule": {"variation": "a"}})),
            "removeRule",
        ),
        (
            on(
                "text",
                "addTargets",
                json!({"variation": "a", "keys": ["u7"]}),
            ),
            "removeTargets",
        ),
        (
            on(
                "text",
                "updateVariation",
                json!({"variation": "a", "value": "AA"}),
            ),
            "updateVariation",
        ),
        (on("text", "moveRule", json!({"rule": "r"})), "setRules"),
        (on("text", "archiveFlag", json!({})), "restoreFlag"),
        (
            people("renameSegment", json!({"name": "N"})),
            "renameSegment",
        ),
    ];
    for (command, expected) in cases {
        let (kinds, collisions) = undone_after(json!([command]), json!([]));
        assert_eq!(kinds, [expected], "{command}");
        assert_eq!(collisions, []);
    }
}

#[test]
fn what_was_changed_again_since_collides_and_the_rest_does_not() {
    let set = json!([
        on("text", "turnOff", json!({})),
        on("text", "setOffVariation", json!({"variation": "a"}))
    ]);
    let since = json!([on("text", "setOffVariation", json!({"variation": "b"}))]);
    let (_, collisions) = undone_after(set.clone(), since);
    assert_eq!(collisions.len(), 1);
    assert_eq!(collisions[0].facets, [Facet::OffVariation]);
    // Another part of the same flag.
    let since = json!([on("text", "removeRule", json!({"rule": "r"}))]);
    let (kinds, collisions) = undone_after(set, since);
    assert_eq!(collisions, []);
    assert_eq!(kinds, ["setOffVariation", "turnOn"]);
}

#[test]
fn what_is_as_it_was_already_needs_nothing() {
    let (kinds, collisions) = undone_after(
        json!([on("text", "turnOff", json!({}))]),
        json!([on("text", "turnOn", json!({}))]),
    );
    assert_eq!(collisions, []);
    assert!(kinds.is_empty(), "{kinds:?}");
}

#[test]
fn a_flag_that_is_gone_or_archived_since_collides_in_its_life() {
    let set = json!([on("text", "turnOff", json!({}))]);
    for since in [
        json!([on("text", "archiveFlag", json!({}))]),
        json!([
            on("text", "archiveFlag", json!({})),
            on("text", "deleteFlag", json!({}))
        ]),
    ] {
        let (_, collisions) = undone_after(set.clone(), since);
        assert_eq!(collisions[0].facets, [Facet::Life]);
    }
}

#[test]
fn what_a_set_made_goes_only_while_nobody_built_on_it() {
    let set = json!([{"kind": "createFlag", "project": "web", "flag": "new", "type": "boolean"}]);
    let (kinds, collisions) = undone_after(set.clone(), json!([]));
    assert_eq!(kinds, ["archiveFlag", "deleteFlag"]);
    assert_eq!(collisions, []);
    let since = json!([on("new", "turnOn", json!({}))]);
    let (_, collisions) = undone_after(set, since);
    assert_eq!(collisions.len(), 1);
    assert!(collisions[0].environment.is_some());
}

#[test]
fn a_user_who_is_in_another_list_since_is_not_taken_from_there() {
    let of = |variation: &str, keys: Value| json!({"variation": variation, "keys": keys});
    let set = json!([on("text", "removeTargets", of("a", json!(["u0"])))]);
    let since = json!([on("text", "addTargets", of("b", json!(["u0"])))]);
    let (_, collisions) = undone_after(set, since);
    assert_eq!(collisions[0].facets, [Facet::Targets("b".into())]);
}

#[test]
fn a_flag_that_cannot_be_unreleased_is_left_off_and_the_author_told() {
    let now = after(ready(), json!([on("bool", "turnOn", json!({}))]));
    let (old, new) = (ready(), now);
    let steps = plan_flag(
        &new,
        web(&new).flags.get("bool"),
        web(&old).flags.get("bool"),
    );
    assert_eq!(steps.warnings[0].code, "staysReleased");
    let command =
        json!({"kind": "turnOff", "project": "web", "environment": "prod", "flag": "bool"});
    assert_eq!(json!(steps.commands), json!([command]));
}

#[test]
fn a_clone_is_another_flag_like_it() {
    let list = json!([on(
        "text",
        "setTargets",
        json!({"variation": "a", "keys": ["ann"]})
    )]);
    let mut now = after(workspace(), list);
    let of = web(&now).flags["text"].clone();
    let prod = &web(&now).environments["prod"].id;
    let key = burgee_domain::key::Key::new("twin").unwrap();
    let plan = TargetingPlan {
        environment: "prod",
        now: None,
        then: of.targetings.get(prod),
    };
    let steps = plan::clone_flag("web", &of.flag, &key, Some("Twin"), &[plan]);
    let outcome = run(&now, &steps.commands);
    now.advance(&outcome);
    let twin = &web(&now).flags["twin"];
    assert_ne!(twin.flag.id, of.flag.id);
    assert_eq!(twin.flag.name, "Twin");
    assert_eq!(twin.flag.variations, of.flag.variations);
    let prod = &web(&now).environments["prod"].id;
    assert_eq!(
        settled(&twin.targetings[prod]),
        settled(&of.targetings[prod])
    );
}
