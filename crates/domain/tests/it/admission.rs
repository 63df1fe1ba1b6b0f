//! What environments ask of a change set, and whose approval counts.

use std::collections::BTreeMap;
use std::sync::Arc;

use burgee_domain::access::{DEVELOPER, Marks, OWNER, Policy, READER, Resource, Rights, builtin};
use burgee_domain::admission::{
    Ask, EnvironmentRules, Place, Verdict, Voice, asks, places, standing, together, vouched,
};
use burgee_domain::id::Id;
use serde_json::{Value, json};

use crate::kit::{apply, commands, on, people, ready};

fn rules(json: Value) -> EnvironmentRules {
    let rules: EnvironmentRules = serde_json::from_value(json).unwrap();
    rules.checked().unwrap()
}

/// Rules that ask for so many approvals.
fn approvals(required: u8) -> Value {
    json!({"approvals": {"required": required}})
}

#[test]
fn looser_is_what_lets_something_through() {
    let of = |required: u8, members: &[&str], groups: &[&str], exempt: &[&str]| {
        json!({"approvals": {"required": required, "exempt": exempt,
            "reviewers": {"members": members, "groups": groups}}})
    };
    let two = || of(2, &["a", "b"], &[], &[]);
    let cases = [
        (json!({}), json!({}), false),
        (json!({}), approvals(1), false),
        (approvals(1), json!({}), true),
        (approvals(1), approvals(2), false),
        (approvals(2), approvals(1), true),
        (json!({"comment": "required"}), json!({}), true),
        (json!({}), json!({"comment": "required"}), false),
        (approvals(1), of(1, &["a"], &[], &[]), false),
        (of(1, &["a"], &[], &[]), approvals(1), true),
        (two(), of(2, &["a", "b", "c"], &[], &[]), true),
        (two(), of(2, &["a", "b"], &["core"], &[]), true),
        (of(2, &["a", "b"], &["core"], &[]), two(), false),
        (approvals(1), of(1, &[], &[], &["turnOff"]), true),
        (of(1, &[], &[], &["turnOff"]), approvals(1), false),
        // Where nothing was asked for, nothing is loosened.
        (
            of(0, &["a"], &[], &[]),
            of(0, &[], &[], &["turnOff"]),
            false,
        ),
        (
            of(0, &["a"], &[], &[]),
            of(1, &[], &["core"], &["turnOff"]),
            false,
        ),
    ];
    for (before, after, looser) in cases {
        let found = rules(after.clone()).are_looser_than(&rules(before.clone()));
        assert_eq!(found, looser, "{before} → {after}");
    }
}

#[test]
fn a_reviewer_is_named_by_account_or_group_where_approvals_are_asked_for() {
    let of = |required: u8, reviewers: Value| {
        rules(json!({"approvals": {"required": required, "reviewers": reviewers}}))
    };
    let named = || json!({"members": ["a"], "groups": ["core"]});
    let (core, others) = (["core".to_owned()], ["others".to_owned()]);
    let one = of(1, named());
    assert!(one.name_reviewer(Some("a"), &[]));
    assert!(one.name_reviewer(None, &core));
    assert!(one.name_reviewer(Some("b"), &core));
    assert!(!one.name_reviewer(Some("b"), &others));
    assert!(!of(0, named()).name_reviewer(Some("a"), &core));
    let anybody = of(1, json!({}));
    assert!(!anybody.name_reviewer(Some("a"), &core), "nobody is named");
}

#[test]
fn what_are_no_rules_is_refused() {
    let few = json!({"required": 3, "reviewers": {"members": ["a", "b"]}});
    let many: Vec<String> = (0..101).map(|it| it.to_string()).collect();
    for (approvals, pointer, code) in [
        (json!({"required": 11}), "/approvals/required", "range"),
        (few, "/approvals/required", "tooFewReviewers"),
        (
            json!({"reviewers": {"groups": many}}),
            "/approvals/reviewers/groups",
            "listTooLong",
        ),
        (
            json!({"reviewers": {"members": ["a", "b\u{0}"]}}),
            "/approvals/reviewers/members/1",
            "idInvalid",
        ),
    ] {
        let rules: EnvironmentRules =
            serde_json::from_value(json!({ "approvals": approvals })).unwrap();
        let refused = rules.checked().unwrap_err();
        assert_eq!((&*refused.pointer, &*refused.code), (pointer, code));
    }
    for unknown in [
        json!({"approval": {}}),
        json!({"approvals": {"exempt": ["turnOn"]}}),
    ] {
        assert!(serde_json::from_value::<EnvironmentRules>(unknown).is_err());
    }
}

/// What `commands` must ask, where these environments have rules.
fn asked(list: Value, of: &[(&str, Value)]) -> Vec<String> {
    let workspace = ready();
    let outcome = apply(&workspace, list.clone()).unwrap();
    let of = of.iter();
    let rules: BTreeMap<_, _> = of
        .map(|(id, json)| (Id::new(*id), rules(json.clone())))
        .collect();
    let places = places(&workspace, &commands(list), &outcome);
    let asks = asks(&places, &rules, &Marks::of(&workspace));
    let line = |ask: &Ask| {
        let approvals = ask.approvals.as_ref().map_or(0, |it| it.required);
        let comment = if ask.comment { " comment" } else { "" };
        format!("{}/{} {approvals}{comment}", ask.project, ask.key)
    };
    asks.iter().map(line).collect()
}

#[test]
fn every_environment_is_asked_whose_answers_change() {
    let both = [
        (
            "web-prod",
            json!({"comment": "required", "approvals": {"required": 2}}),
        ),
        ("web-dev", approvals(1)),
    ];
    let ask = |list: Value| asked(list, &both);
    assert_eq!(
        ask(json!([on("text", "turnOff", json!({}))])),
        ["web/prod 2 comment"]
    );
    assert!(
        ask(json!([on("text", "turnOn", json!({}))])).is_empty(),
        "it is on"
    );
    let value = json!({"variation": "a", "value": "other"});
    assert_eq!(
        ask(json!([on("text", "updateVariation", value.clone())])),
        ["web/prod 2 comment"],
        "released in prod alone"
    );
    assert!(ask(json!([on("bool", "setFlagTags", json!({"tags": ["x"]}))])).is_empty());
    let name = on("text", "renameFlag", json!({"name": "New"}));
    assert!(
        ask(json!([name])).is_empty(),
        "a name changes nobody's answer"
    );
    assert_eq!(
        ask(json!([name, on("text", "updateVariation", value)])),
        ["web/prod 2 comment"]
    );
    let shared = json!({"kind": "addIncluded", "segment": "shared", "keys": ["anna"]});
    assert_eq!(ask(json!([shared])), ["web/dev 1", "web/prod 2 comment"]);
    let anna = json!({"keys": ["anna"]});
    assert_eq!(
        ask(json!([people("addIncluded", anna)])),
        ["web/prod 2 comment"]
    );
    assert!(
        asked(json!([on("text", "turnOff", json!({}))]), &both[1..]).is_empty(),
        "prod has no rules"
    );
}

#[test]
fn turning_off_is_exempt_only_alone() {
    let exempt = json!({"approvals": {"required": 1, "exempt": ["turnOff"]}});
    let ask = |list: Value| asked(list, &[("web-prod", exempt.clone())]);
    let off = || on("text", "turnOff", json!({}));
    assert!(ask(json!([off()])).is_empty());
    assert!(
        ask(json!([on("bool", "turnOff", json!({}))])).is_empty(),
        "also where that releases it"
    );
    let named = json!({"kind": "renameFlag", "project": "web", "flag": "text", "name": "Text"});
    assert!(
        ask(json!([off(), named])).is_empty(),
        "its name asks nobody, here too"
    );
    let others = [
        on("text", "setOffVariation", json!({"variation": "a"})),
        on(
            "text",
            "updateVariation",
            json!({"variation": "a", "value": "x"}),
        ),
        on("bool", "turnOn", json!({})),
        people("addIncluded", json!({"keys": ["anna"]})),
    ];
    for other in others {
        assert_eq!(ask(json!([off(), other])), ["web/prod 1"], "{other}");
    }
    let silent =
        json!({"comment": "required", "approvals": {"required": 1, "exempt": ["turnOff"]}});
    assert_eq!(
        asked(json!([off()]), &[("web-prod", silent)]),
        ["web/prod 0 comment"],
        "it goes without approval, not without a comment"
    );
}

fn voice(account: &str, verdict: Verdict) -> Voice {
    Voice {
        name: account.to_owned(),
        account: Some(account.to_owned()),
        groups: Vec::new(),
        rights: Some(Rights::new(builtin(DEVELOPER).into_iter().collect())),
        verdict,
        is_author: false,
    }
}

fn yes(account: &str) -> Voice {
    voice(account, Verdict::Approve)
}

fn ask(approvals: Value) -> Ask {
    let rules = rules(json!({ "approvals": approvals }));
    Ask {
        environment: Id::new("web-prod"),
        project: "web".to_owned(),
        key: "prod".to_owned(),
        resource: Resource::environment("web", "prod", Some(true)),
        comment: false,
        approvals: Some(rules.approvals),
    }
}

#[test]
fn the_author_and_who_may_not_review_are_not_counted() {
    let ask = ask(json!({"required": 2}));
    let of = |policy: &str| Some(Rights::new(builtin(policy).into_iter().collect()));
    let author = Voice {
        is_author: true,
        rights: of(OWNER),
        ..yes("author")
    };
    let reader = Voice {
        rights: of(READER),
        ..yes("reader")
    };
    let gone = Voice {
        rights: None,
        ..yes("gone")
    };
    let elsewhere: Policy = serde_json::from_value(json!([{"effect": "allow",
        "actions": ["change.review"], "resources": ["project/web:env/dev"]}]))
    .map(|statements| Policy {
        key: "dev".to_owned(),
        statements,
    })
    .unwrap();
    let elsewhere = Voice {
        rights: Some(Rights::new(vec![Arc::new(elsewhere)])),
        ..yes("elsewhere")
    };
    let needs = ask.count(&[author, reader, gone, elsewhere, yes("ann")]);
    assert_eq!((needs.missing, needs.are_met()), (1, false));
    assert_eq!(needs.approved_by, ["ann"]);
    assert_eq!(standing(&[needs]), None);
    let needs = ask.count(&[yes("ann"), yes("bob"), yes("cem")]);
    assert_eq!(
        (needs.missing, standing(&[needs])),
        (0, Some(Verdict::Approve))
    );
}

#[test]
fn only_named_reviewers_are_counted_by_account_or_by_group() {
    let ask = ask(json!({"required": 2, "reviewers": {"members": ["ann"], "groups": ["Core"]}}));
    let of_core = Voice {
        groups: vec!["core".to_owned()],
        ..yes("bob")
    };
    let token = Voice {
        account: None,
        ..yes("token")
    };
    let needs = ask.count(&[yes("ann"), of_core, yes("cem"), token]);
    assert_eq!(needs.approved_by, ["ann", "bob"]);
    assert!(needs.are_met());
}

#[test]
fn one_who_declines_holds_it() {
    let ask = ask(json!({"required": 1}));
    let stranger = Voice {
        rights: None,
        ..voice("stranger", Verdict::Decline)
    };
    let needs = ask.count(&[yes("ann"), stranger]);
    assert!(needs.are_met(), "only who may review");
    let needs = ask.count(&[yes("ann"), voice("bob", Verdict::Decline)]);
    assert_eq!((needs.missing, needs.are_met()), (0, false));
    assert_eq!(standing(&[needs]), Some(Verdict::Decline));
    assert_eq!(
        standing(&[]),
        Some(Verdict::Approve),
        "nothing asked, nothing missing"
    );
}

fn place(environment: &str, by: &[&str]) -> Place {
    Place {
        environment: Id::new(format!("web-{environment}")),
        project: "web".to_owned(),
        key: environment.to_owned(),
        by: by.iter().map(|it| (*it).to_owned()).collect(),
    }
}

#[test]
fn others_vouch_where_every_place_asks_them_and_has_them() {
    let prod = place("prod", &["flag.turnOn"]);
    let asks = [ask(json!({"required": 1}))];
    let vouched = |places: &[Place], voices: &[Voice]| vouched(places, &asks, voices);
    let prod_alone = std::slice::from_ref(&prod);
    assert!(vouched(prod_alone, &[yes("ann")]));
    assert!(!vouched(prod_alone, &[]));
    let declined = voice("bob", Verdict::Decline);
    assert!(!vouched(prod_alone, &[yes("ann"), declined]));
    // Nobody was asked about dev.
    let both = [prod, place("dev", &["flag.turnOn"])];
    assert!(!vouched(&both, &[yes("ann")]));
    assert!(!vouched(&[], &[yes("ann")]));
}

#[test]
fn a_series_is_exempt_where_all_of_it_is() {
    let (on, off) = (["flag.turnOn"], ["flag.turnOff"]);
    let steps = [
        place("prod", &off),
        place("dev", &on),
        place("prod", &on),
        place("dev", &on),
    ];
    let all = together(steps);
    let keys: Vec<&str> = all.iter().map(|it| it.key.as_str()).collect();
    assert_eq!(keys, ["dev", "prod"]);
    let rules = rules(json!({"approvals": {"required": 1, "exempt": ["turnOff"]}}));
    let of = |places: &[Place]| {
        let rules = [(Id::new("web-prod"), rules.clone())].into();
        asks(places, &rules, &Marks::default()).len()
    };
    assert_eq!(of(&[place("prod", &off)]), 0);
    assert_eq!(of(&all), 1);
}
