//! Who may give which policies to others.

use burgee_domain::access::{ActionPattern, GIVE, OWN, Pattern, Rights, builtin, may_give};
use serde_json::{Value, json};

use super::{allow, deny, policy, rights};

/// Whether `given` may be given by somebody who has `own`.
fn may_be_given(own: Value, given: Value) -> bool {
    may_give(&rights(own), &[policy("given", given)], &[]).is_ok()
}

#[test]
fn nobody_gives_more_than_they_may_do() {
    let web = || json!([allow(&["flag.*"], &["project/web"])]);
    assert!(may_be_given(web(), web()));
    let cases = [
        (
            json!([allow(&["flag.turnOn"], &["project/web:env/prod:flag/x"])]),
            true,
        ),
        (
            json!([allow(&["flag.turnOn"], &["project/web:env/*@protected"])]),
            true,
        ),
        (
            json!([allow(&["flag.turnOn"], &["project/web:flag/*;payment"])]),
            true,
        ),
        (json!([deny(&["*"], &["*"])]), true),
        (json!([allow(&["flag.turnOn"], &["project/w*"])]), false),
        (json!([allow(&["flag.turnOn"], &["*"])]), false),
        (json!([allow(&["segment.read"], &["project/web"])]), false),
        (json!([allow(&["*.read"], &["project/web"])]), false),
    ];
    for (given, may) in cases {
        assert_eq!(may_be_given(web(), given.clone()), may, "{given}");
    }
    // What the giver is denied is not theirs to give, wherever the two meet.
    let but = |place: &str| json!([allow(&["*"], &["project/*"]), deny(&["*"], &[place])]);
    assert!(!may_be_given(but("project/web:env/prod"), web()));
    assert!(!may_be_given(but("project/*b:env/*@protected"), web()));
    assert!(may_be_given(but("project/shop"), web()));
    let tagged = json!([allow(&["flag.*"], &["project/web:flag/*;payment"])]);
    assert!(may_be_given(tagged.clone(), tagged.clone()));
    assert!(!may_be_given(
        tagged,
        json!([allow(&["flag.*"], &["project/web:flag/*"])])
    ));
}

#[test]
fn each_layer_must_be_able_to_give() {
    let wide = || policy("wide", json!([allow(&["flag.*"], &["*"])]));
    let narrow = policy("narrow", json!([allow(&["flag.read"], &["*"])]));
    let token = Rights::new(vec![wide()]).within(Rights::new(vec![narrow.clone()]));
    assert!(may_give(&token, std::slice::from_ref(&narrow), &[]).is_ok());
    assert!(may_give(&token, &[wide()], &[]).is_err());
}

#[test]
fn what_denies_is_taken_by_whom_it_would_not_bind() {
    let bound = policy(
        "bound",
        json!([deny(&["flag.turnOn"], &["project/web:env/prod"])]),
    );
    let taken = std::slice::from_ref(&bound);
    let own = json!([allow(&["flag.*"], &["project/web"])]);
    let free = rights(own.clone());
    assert!(may_give(&free, &[], taken).is_ok());
    let themself = Rights::new(vec![policy("mine", own), bound.clone()]);
    let refused = may_give(&themself, &[], taken).unwrap_err();
    assert_eq!(refused.policy, "bound");
    assert_eq!(refused.action, GIVE);
    let what = ("flag.turnOn", "project/web:env/prod".to_owned());
    assert_eq!(refused.what, Some(what));
}

#[test]
fn a_permission_lets_somebody_give_more_but_nobody_else_makes_owners() {
    let developer = builtin("developer").unwrap();
    let hires = json!([allow(&["policy.give"], &["policy/developer"])]);
    assert!(
        may_give(
            &rights(hires.clone()),
            std::slice::from_ref(&developer),
            &[]
        )
        .is_ok()
    );
    let administrator = builtin("administrator").unwrap();
    let all = [developer, administrator.clone()];
    assert_eq!(
        may_give(&rights(hires), &all, &[]).unwrap_err().policy,
        "administrator"
    );

    let given = [administrator.clone()];
    let by_administrator = Rights::new(vec![administrator]);
    assert!(may_give(&by_administrator, &given, &[]).is_ok());
    let chief = [policy("chief", json!([allow(&["organization.*"], &["*"])]))];
    for (given, taken) in [(&chief[..], &[][..]), (&[], &chief)] {
        let refused = may_give(&by_administrator, given, taken).unwrap_err();
        assert_eq!(refused.action, OWN);
        assert!(may_give(&Rights::everything(), given, taken).is_ok());
    }
}

#[test]
fn more_than_can_be_compared_is_not_given() {
    let places: Vec<String> = (0..100).map(|it| format!("project/p{it}")).collect();
    let places: Vec<&str> = places.iter().map(String::as_str).collect();
    let many = json!(vec![allow(&["flag.read"], &places); 11]);
    assert!(!may_be_given(many.clone(), many.clone()));
    assert!(may_be_given(
        json!([allow(&["flag.read"], &["project/*"])]),
        many
    ));
}

#[test]
fn what_is_allowed_everywhere_is_allowed_in_what_is_made_later() {
    let action = ActionPattern::new("sdkKey.reveal").unwrap();
    let everywhere = Pattern::new("project/*:env/*").unwrap();
    let all = |list: Value| rights(list).allow_all(&action, &everywhere);
    let reveal = |pattern: &str| allow(&["sdkKey.*"], &[pattern]);
    assert!(all(json!([reveal("*")])) && all(json!([reveal("project/*")])));
    assert!(!all(json!([allow(&["flag.*"], &["*"])])));
    for less in [
        "project/web",
        "project/w*:env/*",
        "project/*:env/p*",
        "project/*:env/*@unprotected",
        "organization",
    ] {
        assert!(!all(json!([reveal(less)])), "{less}");
        let but = json!([reveal("*"), deny(&["sdkKey.reveal"], &[less])]);
        assert_eq!(all(but), less == "organization", "{less}");
    }
    let owner = Rights::everything();
    assert!(owner.allow_all(&action, &everywhere));
    let bound = owner.within(rights(json!([reveal("project/web")])));
    assert!(!bound.allow_all(&action, &everywhere));
}
