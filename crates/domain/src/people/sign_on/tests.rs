use serde_json::{Value, json};

use super::*;

fn rules() -> SignOnRules {
    SignOnRules {
        scopes: vec!["email".into()],
        claims: ClaimNames {
            email: "email".into(),
            email_verified: "email_verified".into(),
            name: "name".into(),
            groups: Some("roles".into()),
        },
        groups: vec![
            mapping("Engineering", "developers"),
            mapping("Ops", "pilots"),
        ],
        domains: vec!["example.com".into()],
        newcomer_policies: vec!["reader".into()],
        newcomer_groups: Vec::new(),
    }
}

fn mapping(value: &str, group: &str) -> GroupMapping {
    GroupMapping {
        value: value.into(),
        group: group.into(),
    }
}

fn read(claims: Value) -> Claimed {
    rules().read(claims.as_object().unwrap())
}

fn texts(of: &[&str]) -> Vec<String> {
    of.iter().map(ToString::to_string).collect()
}

#[test]
fn an_address_counts_only_where_the_provider_made_sure_of_it() {
    let said = |verified: Value| read(json!({"email": "Ann@x.org", "email_verified": verified}));
    for yes in [json!(true), json!("true"), json!(1), json!("1")] {
        assert_eq!(said(yes).email.unwrap().as_str(), "Ann@x.org");
    }
    for no in [
        json!(false),
        json!("false"),
        json!(0),
        json!("yes"),
        Value::Null,
        json!([true]),
    ] {
        assert_eq!(said(no.clone()).email, None, "{no}");
    }
    assert_eq!(read(json!({"email": "Ann@x.org"})).email, None);
    assert_eq!(
        read(json!({"email": "nobody", "email_verified": true})).email,
        None
    );
    assert_eq!(
        read(json!({"email": ["a@x.org"], "email_verified": true})).email,
        None
    );
}

#[test]
fn groups_are_a_list_or_one_text() {
    assert_eq!(read(json!({"roles": "Ops"})).groups, ["Ops"]);
    assert_eq!(
        read(json!({"roles": ["Ops", 7, "Law"]})).groups,
        ["Ops", "Law"]
    );
    assert!(
        read(json!({"groups": ["Ops"]})).groups.is_empty(),
        "another claim"
    );
    assert!(read(json!({"roles": {"Ops": true}})).groups.is_empty());
}

#[test]
fn only_addresses_of_the_very_domain_join() {
    let joins = |email: &str| rules().lets_join(&Email::new(email).unwrap());
    assert!(joins("ann@example.com") && joins("Ann@EXAMPLE.com"));
    for other in [
        "a@sub.example.com",
        "a@example.com.evil.org",
        "a@notexample.com",
        "a@x",
    ] {
        assert!(!joins(other), "{other}");
    }
}

#[test]
fn the_mapping_decides_on_the_groups_that_it_speaks_of_and_on_no_others() {
    let rules = rules();
    let after =
        |present: &[&str], claimed: &[&str]| rules.groups_of(&texts(present), &texts(claimed));
    assert_eq!(after(&[], &["Ops", "Other"]), ["pilots"]);
    assert_eq!(
        after(&["guests", "pilots"], &["Engineering"]),
        ["guests", "developers"]
    );
    assert_eq!(after(&["guests", "pilots"], &[]), ["guests"]);
    assert!(
        after(&[], &["ops"]).is_empty(),
        "values are compared exactly"
    );
}

#[test]
fn what_no_provider_means_is_refused_with_its_place() {
    let refused = |change: &dyn Fn(&mut SignOnRules)| {
        let mut rules = rules();
        change(&mut rules);
        rules.check().unwrap_err().pointer
    };
    assert_eq!(rules().check(), Ok(()));
    assert_eq!(refused(&|it| it.scopes[0] = "a b".into()), "/scopes/0");
    assert_eq!(refused(&|it| it.claims.name.clear()), "/claims/name");
    assert_eq!(refused(&|it| it.claims.groups = None), "/claims/groups");
    assert_eq!(
        refused(&|it| it.groups[1].value = "x".repeat(256)),
        "/groups/1/value"
    );
    assert_eq!(
        refused(&|it| it.domains.push("@x.org".into())),
        "/domains/1"
    );
    assert_eq!(
        refused(&|it| it.domains = vec!["x".into(); MAX_DOMAINS + 1]),
        "/domains"
    );
}
