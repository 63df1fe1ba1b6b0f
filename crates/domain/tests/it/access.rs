//! Policies: what patterns mean, who decides, and what each command needs.

mod giving;

use std::sync::Arc;

use burgee_domain::access::{
    ACTIONS, ActionPattern, Decision, Effect, Kind, OWN, Pattern, Policy, Resource, Rights,
    Statement, StatementInput, builtin, builtins, needs, statements,
};
use burgee_domain::change;
use burgee_domain::command::Command;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::kit::{NOW, commands, on, people, ready, with};
use crate::vocabulary::one_of_each;

fn flag_in(environment: &str, flag: &str, tags: &[&str]) -> Resource {
    let tags: Vec<String> = tags.iter().map(ToString::to_string).collect();
    let place = Resource::environment("web", environment, None);
    place.with(Kind::Flag, flag).tagged(&tags)
}

fn policy(key: &str, list: Value) -> Arc<Policy> {
    let inputs: Vec<StatementInput> = serde_json::from_value(list).unwrap();
    Arc::new(Policy {
        key: key.into(),
        statements: statements(&inputs).unwrap(),
    })
}

fn rights(list: Value) -> Rights {
    Rights::new(vec![policy("mine", list)])
}

fn allow(actions: &[&str], resources: &[&str]) -> Value {
    json!({"effect": "allow", "actions": actions, "resources": resources})
}

fn deny(actions: &[&str], resources: &[&str]) -> Value {
    json!({"effect": "deny", "actions": actions, "resources": resources})
}

#[test]
fn a_pattern_matches_part_by_part() {
    let checkout = flag_in("prod", "checkout", &["payment", "Web", "Groß"]);
    let cases = [
        ("*", true),
        ("project/web", true),
        ("project/WEB:env/Prod", true),
        ("project/*:env/p*d:flag/*out", true),
        ("project/w*b:env/*:flag/c*k*t", true),
        ("project/web:env/prod:flag/checkout;payment", true),
        ("project/web:env/prod:flag/*;search,pay*", true),
        ("project/web:env/prod:flag/*;PayMent", true),
        ("project/web:env/prod:flag/*;groß", true),
        ("project/web:env/prod:flag/*;search", false),
        ("project/web:env/dev", false),
        ("project/web:env/pro", false),
        ("project/web:flag/checkout", false),
        ("project/web:env/prod:segment/checkout", false),
        ("segment/*", false),
        ("organization", false),
    ];
    for (text, expected) in cases {
        assert_eq!(
            Pattern::new(text).unwrap().matches(&checkout),
            expected,
            "{text}"
        );
    }
    let project = Resource::project("web");
    assert!(
        !Pattern::new("project/web:env/*").unwrap().matches(&project),
        "what is inside does not give what it is in"
    );
}

#[test]
fn what_is_no_pattern_is_refused_where_it_is_written() {
    for text in [
        "",
        "everything",
        "project",
        "project/",
        "project/web:",
        "project/a b",
        "env/prod",
        "flag/checkout",
        "project/web:project/app",
        "project/web:member/x",
        "project/web;tag",
        "project/web:flag/x;",
        "project/web:flag/x;a,,b",
        "*;tag",
        "organization/x",
    ] {
        assert!(Pattern::new(text).is_err(), "{text:?}");
    }
    let refused = |list: Value| {
        let inputs: Vec<StatementInput> = serde_json::from_value(list).unwrap();
        let (pointer, code, _) = statements(&inputs).unwrap_err();
        (pointer, code)
    };
    let of = |pointer: &str, code: &str| (pointer.to_owned(), code.to_owned());
    assert_eq!(refused(json!([])), of("", "listEmpty"));
    assert_eq!(
        refused(json!([
            allow(&["*"], &["*"]),
            allow(&["flag.*", "flag.fly"], &["*"])
        ])),
        of("/1/actions/1", "actionUnknown")
    );
    assert_eq!(
        refused(json!([deny(&["*"], &["*", "env/x"])])),
        of("/0/resources/1", "resourceInvalid")
    );
    assert_eq!(
        refused(json!([allow(&[], &["*"])])),
        of("/0/actions", "listEmpty")
    );
    assert_eq!(
        refused(json!([allow(&["*"], &["*"; 101])])),
        of("/0/resources", "listTooLong")
    );
}

#[test]
fn a_resource_is_read_from_what_it_is_shown_as() {
    for text in [
        "organization",
        "member/7",
        "segment/beta;x",
        "project/Web:env/prod:flag/checkout;payment,web",
        "project/web:flag/checkout",
    ] {
        assert_eq!(text.parse::<Resource>().unwrap().to_string(), text);
    }
    assert!("*".parse::<Resource>().is_err() && "flag/x".parse::<Resource>().is_err());
}

#[test]
fn deny_wins_whatever_the_order_and_nothing_said_is_denied() {
    let prod = flag_in("prod", "x", &[]);
    let mut list = vec![
        allow(&["flag.*"], &["project/web"]),
        deny(&["flag.turnOff"], &["project/*:env/prod"]),
    ];
    for _ in 0..2 {
        let rights = rights(Value::Array(list.clone()));
        assert!(rights.allow("flag.turnOn", &prod));
        assert!(matches!(
            rights.decide("flag.turnOff", &prod),
            Decision::Denied(by) if by.policy == "mine"
        ));
        assert!(rights.allow("flag.turnOff", &flag_in("dev", "x", &[])));
        assert_eq!(
            rights.decide("project.delete", &Resource::project("web")),
            Decision::Unmentioned
        );
        list.reverse();
    }
}

#[test]
fn a_service_token_has_what_both_it_and_its_maker_may() {
    let maker = rights(json!([allow(&["flag.*"], &["project/web:env/dev"])]));
    let own = rights(json!([allow(&["flag.turnOn"], &["*"])]));
    let token = own.within(maker);
    assert!(token.allow("flag.turnOn", &flag_in("dev", "x", &[])));
    assert!(!token.allow("flag.turnOn", &flag_in("prod", "x", &[])));
    assert!(!token.allow("flag.turnOff", &flag_in("dev", "x", &[])));
}

#[test]
fn each_builtin_policy_allows_what_its_name_says() {
    let may = |key: &str, action: &str| {
        let resource = match action.split_once('.').unwrap().0 {
            "flag" => flag_in("prod", "x", &[]),
            _ => Resource::environment("web", "prod", None),
        };
        Rights::new(vec![builtin(key).unwrap()]).allow(action, &resource)
    };
    for action in ACTIONS {
        assert!(may("owner", action.name), "{}", action.name);
        // Who names the provider that people sign in by decides who comes in as an owner.
        let of_owners = [OWN, "organization.setSignIn"].contains(&action.name);
        assert_eq!(
            may("Administrator", action.name),
            !of_owners,
            "{}",
            action.name
        );
        let reading = action.name.ends_with(".read");
        assert!(!may("reader", action.name) || reading, "{}", action.name);
    }
    assert!(may("developer", "flag.setRules") && may("developer", "sdkKey.reveal"));
    assert!(!may("developer", "sdkKey.write") && !may("developer", "project.create"));
    assert!(may("reader", "flag.read") && !may("reader", "sdkKey.reveal"));
    assert!(
        builtins()
            .iter()
            .all(|policy| !policy.statements.is_empty())
    );
    assert!(builtin("nobody").is_none());
}

#[test]
fn every_command_needs_an_action_that_a_policy_can_name() {
    for command in commands(Value::Array(one_of_each())) {
        let action = command.permission();
        assert!(
            ACTIONS.iter().any(|it| it.name == action),
            "{action} is not in the list"
        );
    }
}

fn needed(list: Value) -> Vec<String> {
    let workspace = ready();
    let commands: Vec<Command> = commands(list);
    let mut count = 0;
    let outcome = change::apply(
        &workspace,
        change::well_formed(&commands).unwrap(),
        NOW,
        &mut || {
            count += 1;
            format!("new-{count}")
        },
    );
    let needs = needs(&workspace, &commands, &outcome.unwrap());
    let line = |need: &burgee_domain::access::Need| {
        format!("{} {} {}", need.command, need.action, need.resource)
    };
    needs.iter().map(line).collect()
}

#[test]
fn a_command_needs_what_it_names() {
    assert_eq!(
        needed(json!([
            on("text", "turnOff", json!({})),
            on("bool", "turnOn", json!({}))
        ])),
        [
            "0 flag.turnOff project/web:env/prod:flag/text",
            "1 flag.turnOn project/web:env/prod:flag/bool",
        ]
    );
    assert_eq!(
        needed(json!([on("text", "turnOn", json!({}))])),
        ["0 flag.turnOn project/web:env/prod:flag/text"],
        "also where it changes nothing"
    );
}

#[test]
fn a_command_needs_its_permission_wherever_it_changes_what_is_served() {
    let value = json!({"variation": "a", "value": "other"});
    assert_eq!(
        needed(json!([on("text", "updateVariation", value)])),
        [
            "0 flag.updateVariation project/web:flag/text",
            "0 flag.updateVariation project/web:env/prod:flag/text",
        ],
        "released in prod alone"
    );
    let shared = json!({"kind": "addIncluded", "segment": "shared", "keys": ["anna"]});
    assert_eq!(
        needed(json!([shared])),
        [
            "0 segment.addIncluded segment/shared",
            "0 segment.addIncluded project/app:env/dev:segment/shared",
            "0 segment.addIncluded project/app:env/prod:segment/shared",
            "0 segment.addIncluded project/web:env/dev:segment/shared",
            "0 segment.addIncluded project/web:env/prod:segment/shared",
        ]
    );
    assert_eq!(
        needed(json!([people("addIncluded", json!({"keys": ["anna"]}))])),
        ["0 segment.addIncluded project/web:env/prod:segment/in-prod"]
    );
}

#[test]
fn names_and_tags_need_the_flag_only_and_tags_count_as_they_were_and_will_be() {
    assert_eq!(
        needed(json!([on("text", "renameFlag", json!({"name": "New"}))])),
        ["0 flag.rename project/web:flag/text"]
    );
    let tag = |tags: Value| on("text", "setFlagTags", json!({ "tags": tags }));
    assert_eq!(
        needed(json!([
            tag(json!(["mine"])),
            on("text", "turnOff", json!({}))
        ])),
        [
            "0 flag.setTags project/web:flag/text",
            "0 flag.setTags project/web:flag/text;mine",
            "1 flag.turnOff project/web:env/prod:flag/text",
            "1 flag.turnOff project/web:env/prod:flag/text;mine",
        ],
        "nobody tags a flag into reach"
    );
    let new = json!({"kind": "createFlag", "project": "web", "flag": "new", "type": "boolean", "tags": ["mine"]});
    assert_eq!(
        needed(json!([new])),
        ["0 flag.create project/web:flag/new;mine"]
    );
    let segment = with(
        json!({"kind": "setSegmentTags", "segment": "shared"}),
        json!({"tags": ["s"]}),
    );
    assert_eq!(
        needed(json!([segment])),
        [
            "0 segment.setTags segment/shared",
            "0 segment.setTags segment/shared;s"
        ]
    );
}

#[test]
fn statements_are_read_and_written_as_the_same_json() {
    let list = json!([
        {"effect": "allow", "actions": ["flag.*", "*.read"], "resources": ["project/Web:env/*"]},
        {"effect": "deny", "actions": ["flag.delete"], "resources": ["*"]},
    ]);
    let statements: Vec<Statement> = serde_json::from_value(list.clone()).unwrap();
    assert_eq!(statements[1].effect, Effect::Deny);
    assert_eq!(serde_json::to_value(&statements).unwrap(), list);
    let inputs: Vec<StatementInput> = statements.iter().map(Into::into).collect();
    assert_eq!(serde_json::to_value(inputs).unwrap(), list);
    assert!(ActionPattern::new("flag.*").is_some() && ActionPattern::new("flags.*").is_none());
}

/// The meaning of a pattern by definition: a star is any text.
fn by_definition(pattern: &[u8], text: &[u8]) -> bool {
    match pattern.split_first() {
        None => text.is_empty(),
        Some((b'*', rest)) => (0..=text.len()).any(|from| by_definition(rest, &text[from..])),
        Some((byte, rest)) => text.first() == Some(byte) && by_definition(rest, &text[1..]),
    }
}

proptest! {
    #[test]
    fn stars_mean_any_text(pattern in "[ab*]{1,8}", key in "[ab]{1,10}") {
        let matches = Pattern::new(format!("project/{pattern}")).unwrap().matches(&Resource::project(key.as_str()));
        prop_assert_eq!(matches, by_definition(pattern.as_bytes(), key.as_bytes()));
    }

    #[test]
    fn no_text_makes_reading_a_pattern_panic(text in "\\PC{0,40}|[a-z/:;,*]{0,40}") {
        let _ = Pattern::new(text);
    }
}

#[test]
fn a_pattern_names_environments_by_their_protection() {
    let place = |protected| Resource::environment("web", "prod", protected);
    let cases = [
        ("project/*:env/*@protected", Some(true)),
        ("project/*:env/*@unprotected", Some(false)),
        ("project/web:env/prod@protected", Some(true)),
    ];
    for (text, meant) in cases {
        let pattern = Pattern::new(text).unwrap();
        for is in [true, false] {
            let resource = place(Some(is)).with(Kind::Flag, "checkout");
            assert_eq!(pattern.matches(&resource), meant == Some(is), "{text}");
            assert_eq!(pattern.may_match(&resource), meant == Some(is), "{text}");
        }
        // What is not known is denied, and not allowed.
        assert!(!pattern.matches(&place(None)) && pattern.may_match(&place(None)));
    }
    for text in [
        "project/web@protected",
        "env/*@protected",
        "project/web:env/@protected",
    ] {
        assert!(Pattern::new(text).is_err(), "{text}");
    }
}

#[test]
fn what_is_served_in_a_protected_environment_takes_what_policies_say_of_it() {
    let open = rights(json!([allow(
        &["flag.*"],
        &["project/*:flag/*", "project/*:env/*@unprotected"]
    ),]));
    let guarded = rights(json!([
        allow(&["flag.*"], &["*"]),
        deny(&["*"], &["project/*:env/*@protected"]),
    ]));
    for (environment, may) in [("prod", false), ("dev", true)] {
        let there = json!({"environment": environment});
        let set = commands(json!([on("bool", "turnOn", there)]));
        let mut workspace = ready();
        let web = workspace.projects.get_mut("web").unwrap();
        web.environments.get_mut("prod").unwrap().protected = true;
        let checked = change::well_formed(&set).unwrap();
        let outcome = change::apply(&workspace, checked, NOW, &mut || "id".into()).unwrap();
        let found = needs(&workspace, &set, &outcome);
        for rights in [&open, &guarded] {
            let mut all = found.iter();
            let allowed = all.all(|need| rights.allow(need.action, &need.resource));
            assert_eq!(allowed, may, "{environment}");
        }
    }
}
