//! Flags that need flags.

use burgee_domain::diff;
use burgee_domain::outcome::{Facet, Outcome};
use burgee_domain::workspace::Workspace;
use serde_json::{Value, json};

use crate::kit::{after, apply, on, ready, step, targeting};

/// That `flag` needs these, each a flag with its variation, in prod.
fn needs(flag: &str, needed: &[(&str, &str)]) -> Value {
    let needed = needed.iter();
    let needed = needed.map(|(flag, variation)| json!({"flag": flag, "variation": variation}));
    let needed: Vec<Value> = needed.collect();
    on(flag, "setPrerequisites", json!({"prerequisites": needed}))
}

fn of_flag(kind: &str, flag: &str) -> Value {
    json!({"kind": kind, "project": "web", "flag": flag})
}

fn words(before: &Workspace, outcome: &Outcome) -> Vec<String> {
    let lines = diff::lines(before, outcome).into_iter();
    lines.map(|line| line.text).collect()
}

/// The index of the command, the pointer and the code.
fn refused(workspace: &Workspace, list: Value) -> (usize, String, String) {
    let rejected = apply(workspace, list).unwrap_err();
    (rejected.command, rejected.pointer, rejected.code)
}

fn refusal(command: usize, pointer: &str, code: &str) -> (usize, String, String) {
    (command, pointer.to_owned(), code.to_owned())
}

#[test]
fn a_flag_is_given_what_it_needs() {
    let list = json!([needs("text", &[("BOOL", "t")])]);
    let outcome = apply(&ready(), list.clone()).unwrap();
    assert_eq!(
        step(&outcome, "web-prod").entries[0].facets,
        [Facet::Prerequisites]
    );
    assert_eq!(
        words(&ready(), &outcome),
        ["web/prod: text serves its targeting only where bool serves ‘true’"]
    );
    let workspace = after(ready(), list.clone());
    // In the spelling of the flag, as evaluation compares keys exactly.
    let [needed] = &targeting(&workspace, "prod", "text").prerequisites[..] else {
        panic!("one is needed");
    };
    assert_eq!(
        (needed.flag.as_str(), needed.variation.as_str()),
        ("bool", "t")
    );
    assert!(apply(&workspace, list).unwrap().steps.is_empty());
    let cleared = apply(&workspace, json!([needs("text", &[])])).unwrap();
    assert_eq!(
        words(&workspace, &cleared),
        ["web/prod: text needs no other flag"]
    );
}

#[test]
fn what_is_needed_has_to_be_there() {
    let cases = [
        (
            needs("text", &[("nowhere", "t")]),
            "/prerequisites/0/flag",
            "flagNotFound",
        ),
        (
            needs("text", &[("old", "t")]),
            "/prerequisites/0/flag",
            "flagArchived",
        ),
        (
            needs("text", &[("number", "n"), ("bool", "a")]),
            "/prerequisites/1/variation",
            "variationUnknown",
        ),
        (
            needs("text", &[("TEXT", "a")]),
            "/prerequisites/0/flag",
            "prerequisiteCircular",
        ),
        (
            needs("text", &[("bool", "t"), ("Bool", "f")]),
            "/prerequisites/1/flag",
            "prerequisiteTwice",
        ),
    ];
    for (command, pointer, code) in cases {
        let list = json!([on("bool", "turnOn", json!({})), command]);
        assert_eq!(refused(&ready(), list), refusal(1, pointer, code));
    }
    let many: Vec<String> = (0..11).map(|n| format!("f{n}")).collect();
    let many: Vec<(&str, &str)> = many.iter().map(|it| (it.as_str(), "t")).collect();
    let found = refused(&ready(), json!([needs("text", &many)]));
    assert_eq!(found, refusal(0, "/prerequisites", "tooManyPrerequisites"));
}

#[test]
fn a_circle_is_refused_with_its_path() {
    let workspace = after(
        ready(),
        json!([
            needs("text", &[("bool", "t")]),
            needs("bool", &[("number", "n")])
        ]),
    );
    let rejected = apply(&workspace, json!([needs("number", &[("text", "a")])])).unwrap_err();
    assert_eq!(
        (rejected.code.as_str(), rejected.pointer.as_str()),
        ("prerequisiteCircular", "/prerequisites")
    );
    assert_eq!(
        rejected.message,
        "flags would need each other in a circle: number needs text needs bool needs number"
    );
    // Two who need each other at the end of a set, whoever comes first.
    let turned = json!([needs("number", &[("text", "a")]), needs("text", &[])]);
    assert_eq!(apply(&workspace, turned).unwrap().steps.len(), 1);
    // What is needed in one environment is no matter of another.
    let mut elsewhere = needs("number", &[("text", "a")]);
    elsewhere["environment"] = json!("dev");
    assert!(apply(&workspace, json!([elsewhere])).is_ok());
}

#[test]
fn flags_that_were_not_loaded_count_for_circles_too() {
    let mut workspace = after(ready(), json!([needs("text", &[("bool", "t")])]));
    let web = workspace.projects.get_mut("web").unwrap();
    let (state, environment) = (web.flags.remove("text").unwrap(), "web-prod");
    let id = burgee_domain::id::Id::new(environment);
    let needed = state.targetings[&id].prerequisites.clone();
    web.prerequisites
        .insert(id, [("text".to_owned(), needed)].into());
    let found = refused(&workspace, json!([needs("bool", &[("text", "a")])]));
    // The other flag has to be loaded to be named, and that it is not there is said first.
    assert_eq!(found.2, "flagNotFound");
    let found = refused(&workspace, json!([of_flag("archiveFlag", "bool")]));
    assert_eq!(found, refusal(0, "/flag", "flagNeeded"));
}

#[test]
fn rows_of_flags_are_bounded() {
    let names: Vec<String> = (0..13).map(|n| format!("f{n:02}")).collect();
    let create = names.iter().map(|name| {
        json!({"kind": "createFlag", "project": "web", "flag": name, "type": "boolean",
            "variations": [{"id": "t", "value": "true"}, {"id": "f", "value": "false"}]})
    });
    let workspace = after(ready(), create.collect());
    let chain = |last: usize| -> Value {
        let pairs = (1..=last).map(|n| needs(&names[n], &[(&names[n - 1], "t")]));
        pairs.collect()
    };
    assert!(apply(&workspace, chain(10)).is_ok());
    assert_eq!(refused(&workspace, chain(11)).2, "prerequisitesTooDeep");
    // Also where it is the one in front that needs more.
    let workspace = after(workspace, chain(10));
    let more = json!([needs("f00", &[("f11", "t")])]);
    assert_eq!(refused(&workspace, more).2, "prerequisitesTooDeep");
}

/// Sound rows, joined to one of thousands by a single set: it is not gone to its end to be refused.
#[test]
fn a_row_of_thousands_takes_no_stack() {
    const ROWS: usize = 200;
    let last = ROWS * 11 - 1;
    let name = |n: usize| format!("f{n:05}");
    let create = (0..=last).map(|n| {
        json!({"kind": "createFlag", "project": "web", "flag": name(n), "id": name(n), "type": "boolean",
            "variations": [{"id": "t", "value": "true"}, {"id": "f", "value": "false"}]})
    });
    let needs_next = |n: usize| needs(&name(n), &[(&name(n + 1), "t")]);
    let within = (0..last).filter(|n| n % 11 != 10).map(needs_next);
    let made: Vec<Value> = create.chain(within).collect();
    let workspace = made
        .chunks(500)
        .fold(ready(), |workspace, some| after(workspace, json!(some)));
    let between = (0..last).filter(|n| n % 11 == 10);
    let found = refused(&workspace, between.map(needs_next).collect());
    assert_eq!(found.2, "prerequisitesTooDeep");
}

#[test]
fn what_is_needed_cannot_go() {
    let workspace = after(ready(), json!([needs("text", &[("bool", "t")])]));
    let archive = of_flag("archiveFlag", "bool");
    let rejected = apply(&workspace, json!([archive.clone()])).unwrap_err();
    assert_eq!(rejected.code, "flagNeeded");
    assert_eq!(
        rejected.message,
        "the flag 'bool' is a prerequisite of 'text' in prod"
    );
    let without = |gone: &str| {
        let all = [("t", "true"), ("f", "false"), ("m", "true")];
        let kept = all.iter().filter(|(id, _)| *id != gone);
        let kept: Vec<Value> = kept
            .map(|(id, value)| json!({"id": id, "value": value}))
            .collect();
        let mut command = of_flag("setVariations", "bool");
        command["variations"] = json!(kept);
        let other = json!({"variation": "m"});
        json!([
            {"kind": "setVariations", "project": "web", "flag": "bool",
                "variations": [{"id": "t", "value": "true"}, {"id": "f", "value": "false"},
                    {"id": "m", "value": "true"}]},
            on("bool", "setDefaultRule", other.clone()),
            on("bool", "setOffVariation", other),
            command
        ])
    };
    assert_eq!(refused(&workspace, without("t")).2, "variationNeeded");
    assert!(apply(&workspace, without("f")).is_ok());
    // Who needs it may go with it, in any order, and one that is archived needs nothing.
    let both = json!([archive.clone(), of_flag("archiveFlag", "text")]);
    assert!(apply(&workspace, both).is_ok());
    let workspace = after(workspace, json!([of_flag("archiveFlag", "text")]));
    assert!(apply(&workspace, json!([archive])).is_ok());
}

#[test]
fn who_is_restored_finds_no_circle() {
    let workspace = after(
        ready(),
        json!([
            needs("text", &[("bool", "t")]),
            of_flag("archiveFlag", "text")
        ]),
    );
    let found = refused(&workspace, json!([needs("bool", &[("text", "a")])]));
    assert_eq!(found.2, "flagArchived");
    let both = json!([
        of_flag("restoreFlag", "text"),
        needs("bool", &[("text", "a")])
    ]);
    assert_eq!(refused(&workspace, both).2, "prerequisiteCircular");
}

#[test]
fn the_command_from_which_on_it_is_no_good_is_named() {
    let needs_bool = || needs("text", &[("bool", "t")]);
    let other = || on("number", "turnOn", json!({}));
    let list = json!([needs_bool(), of_flag("archiveFlag", "bool"), other()]);
    assert_eq!(refused(&ready(), list), refusal(1, "/flag", "flagNeeded"));
    let list = json!([of_flag("archiveFlag", "bool"), needs_bool(), other()]);
    assert_eq!(refused(&ready(), list), refusal(1, "", "flagNeeded"));
    let circle = json!([needs("bool", &[("text", "a")]), needs_bool(), other()]);
    assert_eq!(refused(&ready(), circle).0, 1);
    // What is put right before the end is no matter.
    let free = needs("bool", &[]);
    let list = json!([needs("bool", &[("text", "a")]), needs_bool(), free]);
    assert!(apply(&ready(), list).is_ok());
}

#[test]
fn of_harm_that_is_undone_and_done_again_the_last_is_named() {
    let workspace = after(ready(), json!([needs("text", &[("bool", "t")])]));
    let archive = || of_flag("archiveFlag", "bool");
    let mut list = vec![archive(), of_flag("restoreFlag", "bool")];
    list.extend((0..20).map(|_| on("number", "turnOn", json!({}))));
    list.push(archive());
    let last = list.len() - 1;
    for _ in 0..20 {
        let found = refused(&workspace, json!(list));
        assert_eq!(found, refusal(last, "/flag", "flagNeeded"));
        list.push(on("number", "turnOff", json!({})));
    }
}

#[test]
fn who_is_restored_and_needs_what_is_gone_is_told_so() {
    let list = json!([
        needs("text", &[("bool", "t")]),
        of_flag("archiveFlag", "text"),
        of_flag("archiveFlag", "bool")
    ]);
    let workspace = after(ready(), list);
    let restored = |also: &[&str]| -> Vec<String> {
        let flags = ["text"].iter().chain(also);
        let list: Vec<Value> = flags.map(|it| of_flag("restoreFlag", it)).collect();
        let outcome = apply(&workspace, json!(list)).unwrap();
        let about = outcome.warnings.iter();
        let about = about.filter(|it| it.code == "prerequisiteUnknown");
        about.map(|it| it.message.clone()).collect()
    };
    let said = "in prod nobody meets a prerequisite of 'text': the flag 'bool' is archived; \
        restore it first";
    assert_eq!(restored(&[]), [said]);
    assert!(restored(&["bool"]).is_empty());
}
