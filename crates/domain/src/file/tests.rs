//! Round trips: a file that is planned, applied and exported again is the same.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};

use burgee_eval::time::Millis;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::change::Draft;
use crate::colour::Colour;
use crate::command::references;
use crate::decision_log::Sample;
use crate::id::Id;
use crate::key::Key;
use crate::model::{Environment, Organization, Project, Segment, SegmentScope};
use crate::position::Position;
use crate::staleness::StaleDays;
use crate::workspace::{ProjectState, SegmentState, Workspace};

const NOW: Millis = Millis(1_800_000_000_000);

/// A project with `prod` and `dev`, and nothing in it.
fn empty(key: &str) -> Workspace {
    let id = Id::new(format!("id-{key}"));
    let environment = |name: &str| Environment {
        id: Id::new(format!("{key}-{name}")),
        project: id.clone(),
        key: Key::new(name).unwrap(),
        name: name.to_uppercase(),
        description: "a\nb".into(),
        protected: false,
        colour: Colour::given(&Key::new(name).unwrap(), &[]),
        decisions: Sample::NONE,
        sort: 0,
        position: Position::default(),
        chain: [0; 32],
        last_stamp: Millis(0),
        created_at: NOW,
    };
    let environments = ["prod", "dev"].map(|it| (it.to_owned(), environment(it)));
    let project = Project {
        id: id.clone(),
        organization: Id::new("org"),
        key: Key::new("web").unwrap(),
        name: "Web".into(),
        version: 0,
        stale_days: StaleDays::default(),
        created_at: NOW,
    };
    let state = ProjectState {
        project,
        environments: BTreeMap::from(environments),
        flags: BTreeMap::new(),
        prerequisites: BTreeMap::new(),
    };
    let shared = Segment {
        id: Id::new("shared"),
        scope: SegmentScope::Organization,
        key: Key::new("All.Of-us").unwrap(),
        name: "All".into(),
        description: String::new(),
        tags: Vec::new(),
        included: Vec::new(),
        excluded: Vec::new(),
        rules: Vec::new(),
        life: Default::default(),
        created_at: NOW,
    };
    let shared = SegmentState {
        segment: shared,
        stamps: BTreeMap::new(),
    };
    Workspace {
        organization: Organization {
            id: Id::new("org"),
            key: Key::new("org").unwrap(),
            name: "Org".into(),
            version: 0,
        },
        projects: BTreeMap::from([("web".to_owned(), state)]),
        segments: BTreeMap::from([(shared.segment.id.clone(), shared)]),
        segment_uses: BTreeMap::new(),
    }
}

fn present(workspace: &Workspace) -> Present {
    Present {
        project: workspace.projects["web"].clone(),
        segments: workspace
            .segments
            .values()
            .map(|it| it.segment.clone())
            .collect(),
        taken_flags: BTreeSet::new(),
        taken_segments: workspace.segments.keys().map(ToString::to_string).collect(),
    }
}

/// Ids that were not made before.
fn ids() -> impl FnMut() -> String {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    || format!("made-{}", COUNT.fetch_add(1, Ordering::Relaxed))
}

/// The workspace as it is when a file was applied to it.
fn applied(workspace: &Workspace, file: &ProjectFile, prune: bool) -> Workspace {
    let mut new_id = ids();
    let plan = plan(file, &present(workspace), prune, &mut new_id).unwrap();
    let mut state = workspace.clone();
    let project = state.projects.get_mut("web").unwrap();
    for planned in plan.environments.iter().cloned() {
        let environment = planned.wanted;
        let key = environment.key.folded();
        project.environments.insert(key, environment);
    }
    for commands in plan.change_sets() {
        let _loaded = references(&commands);
        crate::change::well_formed(&commands).unwrap();
        let mut draft = Draft::new(&state, NOW, &mut new_id);
        for (index, command) in commands.iter().enumerate() {
            let run = draft.run(index, command.edit());
            run.unwrap_or_else(|fault| panic!("{command:?}: {fault:?}"));
        }
        state = draft.state.clone();
    }
    state
}

fn exported(workspace: &Workspace) -> ProjectFile {
    export(&present(workspace))
}

/// Any text that a name, a value or a user's key may be, also one that YAML could take for
/// something else.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::sample::select(vec![
            "true",
            "no",
            "On",
            "null",
            "~",
            "1",
            "0x1F",
            "1e3",
            ".5",
            "1_000",
            "-",
            "- a",
            "a: b",
            "#c",
            "&a",
            "*a",
            "!t",
            "%d",
            "@x",
            "`",
            "'",
            "\"",
            "{",
            "[a]",
            "a #b",
            "|",
            ">",
            "?",
            "2026-11-22",
            "12:30",
            "\u{1F600}",
            "é",
            "a\\nb",
            "<<",
            "=",
            "y",
            "NaN",
            "---",
            "...",
        ])
        .prop_map(str::to_owned),
        "[a-zA-Z0-9 :#'\"{}\\[\\],&*!|>%@`~äß-]{1,20}".prop_filter_map("blank", |text| {
            let text = text.trim().to_owned();
            (!text.is_empty()).then_some(text)
        }),
    ]
}

fn texts(most: usize) -> impl Strategy<Value = Vec<String>> {
    prop::collection::btree_set(text(), 0..=most).prop_map(|it| it.into_iter().collect())
}

/// Tags have none of the characters that mean something in policies.
fn tags(most: usize) -> impl Strategy<Value = Vec<String>> {
    let is_tag = |it: &String| !it.contains([',', ';', '*']);
    texts(most).prop_map(move |it| it.into_iter().filter(is_tag).collect::<Vec<_>>())
}

fn condition() -> impl Strategy<Value = Value> {
    prop_oneof![
        (text(), text()).prop_map(
            |(property, value)| json!({"property": property, "op": "Equal", "value": value})
        ),
        (text(), texts(3)).prop_map(|(property, values)| {
            json!({"property": property, "op": "IsOneOf", "values": values})
        }),
        prop::sample::select(vec![
            "project/beta",
            "environment/own",
            "organization/all.OF-us"
        ])
        .prop_map(|it| json!({"inSegments": [it]})),
        Just(json!({"notInSegments": ["project/beta", "organization/All.Of-us"]})),
    ]
}

fn serve() -> impl Strategy<Value = Value> {
    prop_oneof![
        (0..3_usize).prop_map(|it| json!(format!("v{it}"))),
        (1..999_u32, prop::option::of(0.0..1.0_f64)).prop_map(|(cut, share)| {
            let cut = f64::from(cut) / 1_000.0;
            json!([
                {"variation": "v0", "rollout": [0.0, cut], "exptRollout": share},
                {"variation": "v2", "rollout": [cut, 1.0]},
            ])
        }),
    ]
}

fn rule() -> impl Strategy<Value = Value> {
    let conditions = prop::collection::vec(condition(), 0..3);
    (
        prop::option::of(text()),
        conditions,
        serve(),
        prop::option::of(text()),
        any::<bool>(),
    )
        .prop_map(|(name, conditions, serve, dispatch, expt)| {
            json!({"name": name, "if": conditions, "serve": serve, "dispatchKey": dispatch,
                "includedInExpt": expt})
        })
}

fn targeting() -> impl Strategy<Value = Value> {
    let rules = prop::collection::vec(rule(), 0..3);
    let default = prop::option::of((serve(), any::<bool>()));
    let off = prop::option::of(0..3_usize);
    (any::<[bool; 3]>(), texts(4), rules, default, off).prop_map(
        |([enabled, tracked, all], users, rules, default, off)| {
            let half = users.len() / 2;
            json!({
                "enabled": enabled, "tracked": tracked, "exptIncludeAllTargets": all,
                "targets": [{"serve": "v1", "keys": users[..half]},
                    {"serve": "v0", "keys": users[half..]}],
                "rules": rules,
                "default": default.map(|(serve, expt)| json!({"serve": serve,
                    "includedInExpt": expt})),
                "offVariation": off.map(|it| format!("v{it}")),
            })
        },
    )
}

fn flag() -> impl Strategy<Value = Value> {
    let names = prop::option::of(text());
    let about = (prop::option::of(text()), text(), tags(3));
    let targetings = [(); 3].map(|()| prop::option::of(targeting()));
    (
        about,
        names,
        targetings,
        any::<bool>(),
        prop::option::of(0..3_usize),
    )
        .prop_map(
            |((name, description, tags), label, targetings, archived, on)| {
                let keys = ["prod", "dev", "stage"].map(str::to_owned);
                let environments = keys.into_iter().zip(targetings);
                let environments = environments.filter_map(|(key, it)| Some((key, it?)));
                let environments: serde_json::Map<String, Value> = environments.collect();
                json!({
                    "name": name, "description": description, "tags": tags, "type": "string",
                    "variations": [{"id": "v0", "value": "a", "name": label},
                        {"id": "v1", "value": "b"}, {"id": "v2", "value": "c"}],
                    "onVariation": on.map(|it| format!("v{it}")),
                    "archived": archived, "environments": environments,
                })
            },
        )
}

fn segment() -> impl Strategy<Value = Value> {
    let conditions = (text(), text());
    (
        prop::option::of(text()),
        texts(3),
        texts(2),
        conditions,
        any::<bool>(),
    )
        .prop_map(|(name, included, excluded, (property, value), archived)| {
            json!({"name": name, "included": included, "excluded": excluded,
                "archived": archived,
                "rules": [{"if": [{"property": property, "op": "StartsWith", "value": value}]}]})
        })
}

fn environment() -> impl Strategy<Value = Value> {
    let about = [(); 2].map(|()| prop::option::of(text()));
    (about, segment()).prop_map(|([name, description], own)| {
        json!({"name": name, "description": description, "segments": {"own": own}})
    })
}

fn project() -> impl Strategy<Value = ProjectFile> {
    let keys = prop::collection::btree_map("[a-c][a-zA-Z0-9._-]{0,6}", flag(), 0..4);
    let environments = [(); 3].map(|()| environment());
    (keys, segment(), environments).prop_map(|(flags, shared, [prod, dev, stage])| {
        let mut seen = BTreeSet::new();
        let flags = flags.into_iter();
        let flags: BTreeMap<_, _> = flags
            .filter(|(key, _)| seen.insert(key.to_ascii_lowercase()))
            .collect();
        let file = json!({
            "burgee": 1, "project": "web", "flags": flags, "segments": {"Beta": shared},
            "environments": {"prod": prod, "dev": dev, "stage": stage},
        });
        serde_json::from_value(without_nulls(file)).unwrap()
    })
}

fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(map) => {
            let kept = map.into_iter().filter(|(_, it)| !it.is_null());
            kept.map(|(key, it)| (key, without_nulls(it))).collect()
        }
        Value::Array(list) => list.into_iter().map(without_nulls).collect(),
        other => other,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn what_is_exported_and_imported_elsewhere_is_exported_the_same(file in project()) {
        let here = applied(&empty("here"), &file, false);
        let once = exported(&here);
        for format in [Format::Yaml, Format::Json] {
            let text = write(&once, format).unwrap();
            let back = read(&text).unwrap_or_else(|fault| panic!("{fault}\n{text}"));
            prop_assert_eq!(&back, &once, "{}", text);
        }
        let there = applied(&empty("there"), &once, false);
        prop_assert_eq!(&exported(&there), &once);
        let again = plan(&once, &present(&there), true, &mut ids()).unwrap();
        prop_assert!(again.is_empty(), "{:?}", again);
    }

    #[test]
    fn one_project_becomes_another(from in project(), to in project()) {
        let before = applied(&empty("web"), &from, false);
        let after = applied(&before, &to, true);
        // Nothing is left to be done, and nothing that the file does not know is live.
        let again = plan(&to, &present(&after), true, &mut ids()).unwrap();
        prop_assert!(again.is_empty(), "{:?}", again);
    }
}

#[test]
fn a_file_by_hand_needs_no_ids() {
    let text = "\
burgee: 1
project: web
segments:
  beta:
    included: [ada]
flags:
  checkout:
    type: boolean
    variations:
      - value: 'true'
      - value: 'false'
    environments:
      prod:
        enabled: true
        rules:
          - name: Beta
            if: [{ inSegments: [project/beta] }]
            serve: 'true'
        default: { serve: 'false' }
";
    let file = read(text).unwrap();
    let state = applied(&empty("web"), &file, false);
    let flag = &state.projects["web"].flags["checkout"];
    let targeting = flag.targetings.values().next().unwrap();
    let segments = flag.segment_ids();
    assert_eq!(segments.len(), 1);
    assert!(state.segments.contains_key(segments.first().unwrap()));
    assert_eq!(
        targeting.rules[0].variations[0].id,
        flag.flag.variations[0].id
    );
    // The second time it means what is there.
    let again = plan(&file, &present(&state), false, &mut ids()).unwrap();
    assert!(again.is_empty(), "{again:?}");
}

#[test]
fn what_is_pruned_is_archived_and_what_is_not_named_stays() {
    let file = |flags: Value| {
        let file = json!({"burgee": 1, "project": "web", "flags": flags});
        serde_json::from_value::<ProjectFile>(file).unwrap()
    };
    let flag = json!({"type": "string", "variations": [{"value": "a"}]});
    let both = applied(&empty("web"), &file(json!({"a": flag, "b": flag})), false);
    let one = file(json!({"a": flag}));
    assert!(
        plan(&one, &present(&both), false, &mut ids())
            .unwrap()
            .is_empty()
    );
    let pruned = plan(&one, &present(&both), true, &mut ids()).unwrap();
    let last = pruned.groups.last().unwrap();
    assert_eq!((last.key.as_str(), last.done), ("b", Done::Archived));
}

#[test]
fn large_files_come_to_sets_within_the_limit_that_keep_a_flag_together() {
    let flags = (0..1_200).map(|number| {
        let flag = json!({"type": "boolean", "variations": [{"value": "true"}, {"value": "false"}],
            "environments": {"prod": {"enabled": true}, "dev": {"enabled": false}}});
        (format!("flag-{number}"), flag)
    });
    let flags: serde_json::Map<String, Value> = flags.collect();
    let file = json!({"burgee": 1, "project": "web", "flags": flags});
    let file: ProjectFile = serde_json::from_value(file).unwrap();
    let plan = plan(&file, &present(&empty("web")), false, &mut ids()).unwrap();
    let sets = plan.change_sets();
    assert_eq!(sets.iter().map(Vec::len).sum::<usize>(), 3_600);
    assert!(
        sets.iter()
            .all(|set| set.len() <= 500 && set.len() % 3 == 0)
    );
}

#[test]
fn what_a_flag_begins_with_is_what_the_file_says() {
    let file = |on: &str, off: &str| {
        let variations = json!([{"id": "x", "value": "a"}, {"id": "y", "value": "b"}]);
        let flag = json!({"type": "string", "variations": variations, "onVariation": on,
            "offVariation": off});
        let file = json!({"burgee": 1, "project": "web", "flags": {"f": flag}});
        serde_json::from_value::<ProjectFile>(file).unwrap()
    };
    let before = applied(&empty("web"), &file("a", "b"), false);
    let wanted = file("b", "a");
    let after = applied(&before, &wanted, false);
    let flag = &after.projects["web"].flags["f"].flag;
    assert_eq!((&*flag.default_on, &*flag.default_off), ("y", "x"));
    let again = plan(&wanted, &present(&after), false, &mut ids()).unwrap();
    assert!(again.is_empty(), "{again:?}");
}

#[test]
fn lists_of_segments_are_labels_however_they_are_written() {
    let condition = json!({"property": "User is in segment", "value": "[ \"shared\" ]"});
    let rule = json!({"if": [condition], "serve": "a"});
    let flag = json!({"type": "string", "variations": [{"value": "a"}],
        "environments": {"prod": {"enabled": true, "rules": [rule]}}});
    let file = json!({"burgee": 1, "project": "web", "flags": {"f": flag}});
    let file: ProjectFile = serde_json::from_value(file).unwrap();
    let state = applied(&empty("web"), &file, false);
    let out = exported(&state);
    let condition = &out.flags["f"].environments["prod"].rules[0].conditions[0];
    let labels = condition.in_segments.as_deref();
    assert_eq!(
        labels,
        Some(["organization/All.Of-us".to_owned()].as_slice())
    );
    for file in [&file, &out] {
        let again = plan(file, &present(&state), false, &mut ids()).unwrap();
        assert!(again.is_empty(), "{again:?}");
    }
}

#[test]
fn environments_are_made_and_described_and_stay_where_the_file_is_silent() {
    let file = json!({"burgee": 1, "project": "web", "environments": {
        "prod": {}, "Dev": {"description": " For us "}, "stage": {"name": "Stage"}}});
    let file: ProjectFile = serde_json::from_value(file).unwrap();
    let before = empty("web");
    let planned = plan(&file, &present(&before), true, &mut ids()).unwrap();
    let done: Vec<_> = planned.environments.iter().map(|it| it.done).collect();
    // In the order of the keys, of which `Dev` is the first.
    assert_eq!(done, [Done::Updated, Done::Unchanged, Done::Created]);
    let after = applied(&before, &file, true);
    let of = |key: &str| &after.projects["web"].environments[key];
    assert_eq!(
        (&*of("dev").name, &*of("dev").description),
        ("DEV", "For us")
    );
    assert_eq!(of("prod"), &before.projects["web"].environments["prod"]);
    assert_eq!(
        (&*of("stage").name, &*of("stage").description),
        ("Stage", "")
    );
    for (environments, pointer) in [
        (json!({"a b": {}}), "/environments/a b"),
        (json!({"new": {"name": " "}}), "/environments/new/name"),
        (
            json!({"prod": {"description": "x".repeat(9_000)}}),
            "/environments/prod/description",
        ),
    ] {
        let file = json!({"burgee": 1, "project": "web", "environments": environments});
        let file: ProjectFile = serde_json::from_value(file).unwrap();
        let refused = plan(&file, &present(&before), false, &mut ids());
        assert_eq!(refused.unwrap_err().pointer, pointer);
    }
}

#[test]
fn the_type_of_a_flag_never_changes() {
    let file = |kind: &str, value: &str| {
        let flag = json!({"type": kind, "variations": [{"value": value}]});
        let file = json!({"burgee": 1, "project": "web", "flags": {"f": flag}});
        serde_json::from_value::<ProjectFile>(file).unwrap()
    };
    let state = applied(&empty("web"), &file("string", "a"), false);
    let refused = plan(&file("number", "1"), &present(&state), false, &mut ids());
    assert_eq!(refused.unwrap_err().pointer, "/flags/f/type");
}

#[test]
fn a_file_of_another_version_is_told_whatever_else_it_has() {
    for text in [
        "burgee: 2\n",
        "burgee: 2\nproject: web\nplanets: {earth: 1}\n",
        "{\"burgee\": 2, \"flags\": []}",
        "burgee: 2\nproject: web\n",
        "burgee: 5000000000\nproject: web\n",
    ] {
        let fault = read(text).unwrap_err();
        assert_eq!(
            (&*fault.pointer, fault.code),
            ("/burgee", "fileVersion"),
            "{text}"
        );
    }
    // It is of the version, but has not the shape.
    assert_eq!(read("burgee: 1\n").unwrap_err().code, "fileInvalid");
}

#[test]
fn a_key_twice_is_refused_whatever_its_case() {
    for text in [
        "burgee: 1\nproject: web\nsegments: {a: {}, A: {}}\n",
        "{\"burgee\": 1, \"project\": \"web\", \"segments\": {\"a\": {}, \"a\": {}}}",
    ] {
        assert!(read(text).is_err(), "{text}");
    }
}

#[test]
fn flags_that_need_flags_are_made_after_those_and_come_back_the_same() {
    let bool = |targeting: Value| {
        json!({"type": "boolean", "variations": [{"id": "t", "value": "true"},
        {"id": "f", "value": "false", "name": "No"}], "environments": {"prod": targeting}})
    };
    let needing = |flag: &str, serves: &str| {
        bool(json!({"enabled": true, "prerequisites": [{"flag": flag, "serves": serves}]}))
    };
    let flags = json!({"a": needing("B", "true"), "b": needing("c", "No"),
        "c": bool(json!({"enabled": true}))});
    let file = json!({"burgee": 1, "project": "web", "flags": flags});
    let file: ProjectFile = serde_json::from_value(file).unwrap();
    let after = applied(&empty("web"), &file, false);
    let again = plan(&file, &present(&after), false, &mut ids()).unwrap();
    assert!(again.is_empty(), "{again:?}");
    let exported = serde_json::to_value(export(&present(&after))).unwrap();
    let needs =
        |flag: &str| exported["flags"][flag]["environments"]["prod"]["prerequisites"].clone();
    assert_eq!(needs("a"), json!([{"flag": "b", "serves": "true"}]));
    assert_eq!(needs("b"), json!([{"flag": "c", "serves": "No"}]));

    let file = json!({"burgee": 1, "project": "web", "flags": {"a": needing("nowhere", "true")}});
    let file: ProjectFile = serde_json::from_value(file).unwrap();
    let fault = plan(&file, &present(&empty("web")), false, &mut ids()).unwrap_err();
    let at = "/flags/a/environments/prod/prerequisites/0/flag";
    assert_eq!((fault.code, fault.pointer.as_str()), ("flagNotFound", at));
}

#[test]
fn what_goes_goes_when_nobody_needs_it_and_what_is_gone_may_stay_needed() {
    let bool = |archived: bool, needed: Option<&str>| {
        let needed = needed.map(|flag| json!({"flag": flag, "serves": "true"}));
        let needed: Vec<Value> = needed.into_iter().collect();
        json!({"type": "boolean", "archived": archived, "variations":
            [{"id": "t", "value": "true"}, {"id": "f", "value": "false"}],
            "environments": {"prod": {"enabled": true, "prerequisites": needed}}})
    };
    let file = |flags: Value| -> ProjectFile {
        serde_json::from_value(json!({"burgee": 1, "project": "web", "flags": flags})).unwrap()
    };
    let some = file(json!({"a": bool(false, None), "b": bool(false, Some("a")),
        "c": bool(false, Some("b")), "d": bool(false, Some("a"))}));
    let state = applied(&empty("web"), &some, false);
    // Two are archived by the file, one since the file does not name it, one needs no other any more.
    let fewer = file(json!({"a": bool(true, None), "b": bool(true, Some("a")),
        "d": bool(false, None)}));
    let plan_of = |file| plan(file, &present(&state), true, &mut ids()).unwrap();
    let planned = plan_of(&fewer);
    let groups = planned.groups.iter().map(|it| (it.key.as_str(), it.done));
    let order = [
        ("d", Done::Updated),
        ("c", Done::Archived),
        ("b", Done::Archived),
        ("a", Done::Archived),
    ];
    assert_eq!(groups.collect::<Vec<_>>(), order);

    // `a` is gone, and `b`, which needs it, is archived: that is as it was.
    let mut state = applied(&state, &fewer, true);
    let flags = &mut state.projects.get_mut("web").unwrap().flags;
    flags.remove("a");
    let exported = export(&present(&state));
    let again = plan(&exported, &present(&state), false, &mut ids()).unwrap();
    assert!(again.is_empty(), "{again:?}");
}
