//! What holds for any change set.

use burgee_domain::command;
use burgee_domain::model::Life;
use burgee_domain::outcome::{Item, Outcome, Scope, Step};
use burgee_domain::served::{self, LoggedFlag, LoggedSegment};
use burgee_domain::workspace::Workspace;
use burgee_domain::{Rejected, change};
use burgee_eval::compile::{self, Code};
use burgee_eval::snapshot::Snapshot;
use burgee_eval::time::Millis;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::kit::{NOW, after, on, people, ready, with};
use crate::vocabulary::one_of_each;

/// [`ready`] with two rules, targets and members to change.
pub(crate) fn workspace() -> Workspace {
    let rule = |id: &str| {
        on(
            "text",
            "addRule",
            json!({"rule": {"id": id, "variation": "a"}}),
        )
    };
    after(
        ready(),
        json!([
            rule("r"),
            rule("s"),
            on(
                "text",
                "setTargets",
                json!({"variation": "a", "keys": ["u0", "u1"]})
            ),
            people("setIncluded", json!({"keys": ["u0", "u1"]}))
        ]),
    )
}

fn apply(workspace: &Workspace, list: &[Value], now: Millis) -> Result<Outcome, Rejected> {
    let mut count = 0;
    let mut new_id = || {
        count += 1;
        format!("made-{count}")
    };
    command::parse(list.to_vec(), None).and_then(|commands| {
        let checked = change::well_formed(&commands)?;
        change::apply(workspace, checked, now, &mut new_id)
    })
}

fn user_keys() -> impl Strategy<Value = Value> {
    prop::collection::vec((0..4u8).prop_map(|n| format!("u{n}")), 0..4).prop_map(|keys| json!(keys))
}

fn variation() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["a", "b", "c"])
}

/// Tiles [0, 1] at random cuts, with parts for nobody in between.
fn rollout() -> impl Strategy<Value = Value> {
    prop::collection::vec((1..100u32, variation(), any::<bool>()), 1..5).prop_map(|parts| {
        let total: u32 = parts.iter().map(|(width, _, _)| width).sum();
        let mut list = Vec::new();
        let mut from = 0.0;
        for (width, id, nobody) in parts {
            let to: f64 = from + f64::from(width) / f64::from(total);
            list.push(json!({"id": id, "rollout": [from, to.min(1.0)]}));
            if nobody {
                list.push(json!({"id": id, "rollout": [0, 0]}));
            }
            from = to;
        }
        json!(list)
    })
}

/// Commands that set things, any list of which can be repeated. Rules are added at the end and moved
/// before others: a place is relative, so adding between two that also move is another matter.
pub(crate) fn absolute() -> impl Strategy<Value = Value> {
    let text = |kind: &'static str| move |fields: Value| on("text", kind, fields);
    let targets = (variation(), user_keys())
        .prop_map(|(variation, keys)| json!({"variation": variation, "keys": keys}));
    let targets = targets.boxed();
    let segment = (
        prop::sample::select(vec!["set", "add", "remove"]),
        prop::sample::select(vec!["Included", "Excluded"]),
        user_keys(),
    );
    prop_oneof![
        prop::sample::select(vec![
            on("text", "turnOn", json!({})),
            on("text", "turnOff", json!({})),
            on("bool", "turnOn", json!({})),
            on("number", "turnOff", json!({})),
            on("bool", "turnOn", json!({"environment": "dev"})),
            with(
                json!({"kind": "renameSegment", "segment": "shared"}),
                json!({"name": "x"})
            )
        ]),
        targets.clone().prop_map(text("setTargets")),
        targets.clone().prop_map(text("addTargets")),
        targets.prop_map(text("removeTargets")),
        rollout().prop_map(|parts| on("text", "setDefaultRule", json!({"variations": parts}))),
        rollout().prop_map(|parts| on(
            "text",
            "addRule",
            json!({"rule": {"id": "x", "name": "X", "variations": parts}})
        )),
        prop::sample::select(vec![("r", "s"), ("s", "r")]).prop_map(|(rule, before)| on(
            "text",
            "moveRule",
            json!({"rule": rule, "before": before})
        )),
        rollout().prop_map(|parts| on(
            "text",
            "updateRule",
            json!({"rule": {"id": "r", "variations": parts}})
        )),
        Just(on("text", "removeRule", json!({"rule": "x"}))),
        variation().prop_map(|id| on("text", "setOffVariation", json!({"variation": id}))),
        "[a-z]{1,3}".prop_map(|name| on("text", "renameFlag", json!({"name": name}))),
        "[a-z]{1,3}".prop_map(|value| on(
            "text",
            "updateVariation",
            json!({"variation": "b", "value": value})
        )),
        segment
            .prop_map(|(verb, list, keys)| people(&format!("{verb}{list}"), json!({"keys": keys}))),
    ]
}

/// Any command, right or wrong.
fn anything() -> impl Strategy<Value = Value> {
    let sample = prop::sample::select(one_of_each());
    let odd = prop::sample::select(vec![
        json!(null),
        json!(""),
        json!(-1),
        json!([]),
        json!({}),
        json!("\u{0}"),
        json!([0.5, 0.1]),
        json!("a"),
        json!({"id": "a"}),
        json!(["a", null]),
    ]);
    let bent =
        (sample.clone(), any::<prop::sample::Index>(), odd).prop_map(|(mut command, at, odd)| {
            let fields = command.as_object_mut().unwrap();
            let name = fields.keys().nth(at.index(fields.len())).unwrap().clone();
            fields.insert(name, odd);
            command
        });
    prop_oneof![4 => absolute(), 2 => sample, 1 => bent]
}

fn environment_steps(outcome: &Outcome) -> impl Iterator<Item = &Step> {
    outcome
        .steps
        .iter()
        .filter(|step| matches!(step.scope, Scope::Environment(_)))
}

fn environments(workspace: &Workspace) -> impl Iterator<Item = &burgee_domain::model::Environment> {
    workspace
        .projects
        .values()
        .flat_map(|project| project.environments.values())
}

/// An entry's image as the state says it must be.
fn image(workspace: &Workspace, step: &Step, item: &Item) -> Option<String> {
    let Scope::Environment(id) = &step.scope else {
        return None;
    };
    let environment = environments(workspace).find(|it| it.id == *id).unwrap();
    match item {
        Item::Flag(flag, _) => {
            let mut flags = workspace.projects.values().flat_map(|it| it.flags.values());
            let state = flags.find(|it| it.flag.id == *flag)?;
            let logged = LoggedFlag::new(&state.flag, &state.targetings[id], environment);
            Some(serde_json::to_string(&logged).unwrap())
        }
        Item::Segment(segment, _) => {
            let state = workspace.segments.get(segment)?;
            let logged = LoggedSegment::new(&state.segment, state.stamps[id], environment);
            Some(serde_json::to_string(&logged).unwrap())
        }
    }
}

fn snapshot(workspace: &Workspace, of: &burgee_domain::model::Environment) -> Snapshot {
    let flags = workspace
        .projects
        .values()
        .flat_map(|project| project.flags.values());
    let flags = flags
        .filter_map(|state| Some(served::flag(&state.flag, state.targetings.get(&of.id)?, of)));
    let segments = workspace
        .segments
        .values()
        .filter(|state| state.segment.life == Life::Live);
    let segments = segments.map(|state| served::segment(&state.segment, Millis(0), of));
    Snapshot::build(flags.collect(), segments.collect())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..Default::default() })]

    #[test]
    fn the_first_bad_command_is_named_and_those_before_it_are_good(
        mut list in prop::collection::vec(anything(), 0..10),
    ) {
        // What can be read, and is well-formed: the rest is refused before anything is applied.
        list.retain(|command| {
            let read = command::parse(vec![command.clone()], None);
            read.is_ok_and(|commands| change::well_formed(&commands).is_ok())
        });
        if let Err(rejected) = apply(&workspace(), &list, NOW) {
            let good = apply(&workspace(), &list[..rejected.command], NOW);
            prop_assert!(good.is_ok(), "{good:?}");
            let alone = apply(&workspace(), &list[..=rejected.command], NOW).unwrap_err();
            prop_assert_eq!(alone, rejected);
        }
    }

    #[test]
    fn stamps_are_distinct_and_rise_past_the_last_whatever_the_clock_says(
        sets in prop::collection::vec((prop::collection::vec(absolute(), 1..8), -5_000..5_000i64), 1..5),
    ) {
        let mut workspace = workspace();
        for (list, skew) in sets {
            let Ok(outcome) = apply(&workspace, &list, Millis(NOW.0 + skew)) else { continue };
            for step in environment_steps(&outcome) {
                let Scope::Environment(id) = &step.scope else { unreachable!() };
                let mut last = environments(&workspace).find(|it| it.id == *id).unwrap().last_stamp;
                for entry in &step.entries {
                    let value: Value = serde_json::from_str(&entry.image).unwrap();
                    let stamp: Millis = serde_json::from_value(value["updatedAt"].clone()).unwrap();
                    prop_assert!(stamp > last);
                    last = stamp;
                }
                prop_assert_eq!(step.last_stamp, last);
            }
            workspace.advance(&outcome);
        }
    }

    #[test]
    fn repeating_a_set_changes_nothing(list in prop::collection::vec(absolute(), 1..10)) {
        let mut workspace = workspace();
        if let Ok(outcome) = apply(&workspace, &list, NOW) {
            workspace.advance(&outcome);
            match apply(&workspace, &list, NOW) {
                Ok(again) => prop_assert_eq!(again.steps, vec![]),
                // One id for two different rules, one after the other, is told apart.
                Err(rejected) => prop_assert_eq!(rejected.code, "duplicateId"),
            }
        }
    }

    #[test]
    fn the_log_says_what_the_state_is(list in prop::collection::vec(anything(), 1..10)) {
        let mut workspace = workspace();
        for command in &list {
            let Ok(outcome) = apply(&workspace, std::slice::from_ref(command), NOW) else { continue };
            workspace.advance(&outcome);
            for step in &outcome.steps {
                prop_assert!(!step.entries.is_empty());
                for entry in &step.entries {
                    prop_assert!(!entry.facets.is_empty());
                    prop_assert_eq!(&entry.commands, &[0]);
                    if let Some(image) = image(&workspace, step, &entry.item) {
                        prop_assert_eq!(&entry.image, &image);
                    }
                }
            }
        }
    }

    #[test]
    fn what_is_accepted_compiles(list in prop::collection::vec(anything(), 1..10)) {
        let mut workspace = workspace();
        for command in &list {
            // A flag may go on using a segment that is archived: that is a warning, said then.
            if command["kind"] == "archiveSegment" {
                continue;
            }
            let Ok(outcome) = apply(&workspace, std::slice::from_ref(command), NOW) else { continue };
            workspace.advance(&outcome);
            for environment in environments(&workspace) {
                let snapshot = snapshot(&workspace, environment);
                // What is needed may not be released here yet, or not be sayable to SDKs: both are
                // warnings.
                let of_needs = |it: &compile::Warning| {
                    matches!(it.code, Code::UnknownPrerequisite | Code::PrerequisiteUnknownToSdks)
                };
                let warnings = snapshot.warnings().filter(|(_, it)| !of_needs(it));
                let warnings: Vec<String> = warnings.map(|(_, it)| it.to_string()).collect();
                prop_assert!(warnings.is_empty(), "{command}: {warnings:?}");
            }
        }
    }
}
