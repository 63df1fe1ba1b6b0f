//! What an explanation tells of a user, in the words and numbers that people read.

use burgee_eval::explain::{Explanation, Membership, StepKind, StepResult};
use burgee_eval::snapshot::Snapshot;
use burgee_eval::user::User;
use serde_json::{Value, json};

use crate::build::{self, flag, in_segment, rule};

fn explain(over: Value, segments: Vec<Value>, user: &User<'_>) -> Explanation {
    let segments = segments.into_iter().map(|it| build::segment("s", it));
    let snapshot = Snapshot::build(vec![flag("flag", over)], segments.collect());
    snapshot.explain(snapshot.flag("flag").unwrap(), user)
}

fn ana() -> User<'static> {
    build::user("ana", "country", "de")
}

#[test]
fn a_rule_says_what_it_asked_and_what_the_user_has() {
    let conditions = json!([
        {"property": "country", "op": "IsOneOf", "value": r#"["de","at"]"#},
        {"property": "plan", "op": "Equal", "value": "pro"},
        {"property": "country", "op": "BiggerThan", "value": "many"},
    ]);
    let over = json!({"rules": [rule(conditions, "b"), rule(json!([]), "b")]});
    let explained = explain(over, vec![], &ana());
    let kinds: Vec<_> = explained
        .steps
        .iter()
        .map(|it| (it.kind, it.result))
        .collect();
    assert_eq!(
        kinds,
        [
            (StepKind::Off, StepResult::Passed),
            (StepKind::Targets, StepResult::Passed),
            (StepKind::Rule, StepResult::Passed),
            (StepKind::Rule, StepResult::Taken),
            (StepKind::Default, StepResult::NotReached),
        ]
    );
    let [first, second, third] = &explained.steps[2].conditions[..] else {
        panic!("{explained:?}");
    };
    assert!(first.holds);
    assert_eq!(first.actual.as_deref(), Some("de"));
    // Never sent, which is not the empty text to those who read it.
    assert_eq!((second.holds, second.actual.as_deref()), (false, None));
    assert_eq!(third.broken.as_deref(), Some("notANumber"));
    assert_eq!(explained.reason.code, "rule");
    assert_eq!(explained.reason.params["index"], "1");
    assert_eq!(explained.reason.text, "rule 2 (rule) takes the user");
}

#[test]
fn a_split_says_where_the_user_falls() {
    let half = |dispatch: Option<&str>| {
        json!({"fallthrough": {"dispatchKey": dispatch, "variations": [
            {"id": "a", "rollout": [0, 0.5]}, {"id": "b", "rollout": [0.5, 1]}]}})
    };
    let by_key = explain(half(None), vec![], &ana());
    let split = by_key.steps.last().unwrap().split.as_ref().unwrap();
    let bucket = burgee_eval::bucket::bucket(&["flag", "ana"]);
    assert_eq!(split.bucket, Some(bucket));
    assert_eq!(
        (split.by.as_str(), split.value.as_deref()),
        ("keyId", Some("ana"))
    );
    let taken: Vec<bool> = split.parts.iter().map(|part| part.taken).collect();
    assert_eq!(taken, [bucket <= 0.5, bucket > 0.5]);
    assert!(by_key.reason.text.contains("by keyId they fall at"));

    let by_plan = explain(half(Some("plan")), vec![], &ana());
    let split = by_plan.steps.last().unwrap().split.as_ref().unwrap();
    assert_eq!((split.by.as_str(), split.value.as_deref()), ("plan", None));
}

#[test]
fn what_leads_to_nothing_says_why() {
    let gap = json!({"fallthrough": {"variations": [{"id": "a", "rollout": [0, 0]}]}});
    let explained = explain(gap, vec![], &ana());
    assert_eq!(explained.outcome, None);
    assert_eq!(explained.reason.params["nothing"], "uncovered");
    let off = json!({"isEnabled": false, "disabledVariationId": "nope"});
    let explained = explain(off, vec![], &ana());
    assert_eq!(explained.reason.code, "off");
    assert_eq!(explained.reason.params["nothing"], "variationUnknown");
    let archived = explain(json!({"isArchived": true}), vec![], &ana());
    assert_eq!(archived.steps[0].kind, StepKind::Archived);
    assert_eq!(archived.reason.code, "archived");
}

#[test]
fn a_segment_says_why_the_user_is_in_it() {
    let nested = json!({"conditions": in_segment("other")});
    let of_country = json!({"conditions": [{"property": "country", "op": "Equal", "value": "de"}]});
    let cases = [
        (
            json!({"excluded": ["ana"], "included": ["ana"]}),
            Membership::Excluded,
            None,
        ),
        (json!({"included": ["ana"]}), Membership::Included, None),
        (
            json!({"rules": [nested, of_country]}),
            Membership::Rule,
            Some(1),
        ),
        (json!({}), Membership::NoMatch, None),
        (
            json!({"included": ["ana"], "isArchived": true}),
            Membership::Archived,
            None,
        ),
    ];
    for (of, why, index) in cases {
        let over = json!({"rules": [rule(in_segment("s"), "b")]});
        let explained = explain(over, vec![of.clone()], &ana());
        let asked = &explained.steps[2].conditions[0];
        let [found] = &asked.segments[..] else {
            panic!("{asked:?}");
        };
        assert_eq!((found.why, found.rule), (why, index), "{of}");
        assert_eq!(found.member, asked.holds, "{of}");
    }
    let over = json!({"rules": [rule(in_segment("nowhere"), "b")]});
    let explained = explain(over, vec![], &ana());
    assert_eq!(
        explained.steps[2].conditions[0].segments[0].why,
        Membership::Unknown
    );
}
