//! What holds for any flag whatever.

use std::sync::Arc;

use burgee_eval::bucket::bucket;
use burgee_eval::compile::{self, CompiledFlag, Segments};
use burgee_eval::explain::{Explanation, StepKind, StepResult};
use burgee_eval::flag::Flag;
use burgee_eval::outcome::{Outcome, Reason};
use burgee_eval::segment::Segment;
use burgee_eval::snapshot::Snapshot;
use burgee_eval::user::{Item, Kind, User};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::build::{self, flag};

fn compiled(over: Value) -> CompiledFlag {
    compile::flag(Arc::new(flag("flag", over)), &Segments::default())
}

fn served(flag: &CompiledFlag, user: &User<'_>) -> Option<Outcome> {
    flag.evaluate(user)
        .map(|index| flag.outcome(index).unwrap())
}

/// Bounds of a rollout that leaves nobody out: 0, some in between, 1.
fn bounds() -> impl Strategy<Value = Vec<f64>> {
    proptest::collection::vec(0.0..1.0_f64, 0..6).prop_map(|mut inner| {
        inner.extend([0.0, 1.0]);
        inner.sort_by(f64::total_cmp);
        inner
    })
}

/// Texts that operators make something of, among others.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-c]{0,2}",
        ".{0,8}",
        any::<f64>().prop_map(|number| number.to_string()),
        r"[0-9]{1,3}(\.[0-9]{1,3}){0,3}(-[a-z.0-9]{0,4})?(/[0-9]{1,3})?",
        r#"\[("[a-c]{0,2}"(,"[a-c]")?|null|1|\[\])?\]"#,
        r"[\[\](){}*+?|^$a-c\\wd0-9,]{0,10}",
        r"-?[0-9]{4,5}-[0-9]{2}-[0-9]{2}(T[0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,9})?)?)?Z?",
    ]
}

fn property() -> impl Strategy<Value = String> {
    let known = [
        "keyId",
        "name",
        "p",
        "q",
        "User is in segment",
        "User is not in segment",
    ];
    prop_oneof![
        proptest::sample::select(known.to_vec()).prop_map(str::to_owned),
        text()
    ]
}

fn condition() -> impl Strategy<Value = Value> {
    let known = burgee_eval::operator::OPERATORS.iter();
    let names: Vec<&str> = known.map(|operator| operator.name).chain(["Foo"]).collect();
    let op = proptest::option::of(proptest::sample::select(names));
    (property(), op, proptest::option::of(text()))
        .prop_map(|(property, op, value)| json!({"property": property, "op": op, "value": value}))
}

fn conditions() -> impl Strategy<Value = Vec<Value>> {
    proptest::collection::vec(condition(), 0..4)
}

fn variation_id() -> impl Strategy<Value = &'static str> {
    proptest::sample::select(&["a", "b", "nope", ""][..])
}

/// Parts of a rollout that may overlap, leave gaps, run backwards, or lie anywhere.
fn parts() -> impl Strategy<Value = Value> {
    let number = || prop_oneof![-2.0..2.0, Just(0.0), Just(1.0), proptest::num::f64::NORMAL];
    let part = (variation_id(), number(), number(), number()).prop_map(
        |(id, from, to, share)| json!({"id": id, "rollout": [from, to], "exptRollout": share}),
    );
    proptest::collection::vec(part, 0..4).prop_map(Value::from)
}

fn wild_rule() -> impl Strategy<Value = Value> {
    let dispatch = proptest::option::of(property());
    (text(), dispatch, any::<bool>(), conditions(), parts()).prop_map(
        |(name, dispatch, included, conditions, parts)| {
            json!({"name": name, "dispatchKey": dispatch, "includedInExpt": included,
                   "conditions": conditions, "variations": parts})
        },
    )
}

fn wild_flag() -> impl Strategy<Value = Flag> {
    let targets = (
        proptest::collection::vec("[a-c]{0,2}", 0..4),
        variation_id(),
    )
        .prop_map(|(keys, id)| json!({"keyIds": keys, "variationId": id}));
    let targets = proptest::collection::vec(targets, 0..3);
    let rules = proptest::collection::vec(wild_rule(), 0..4);
    let switches = (
        proptest::bool::weighted(0.9),
        proptest::bool::weighted(0.1),
        any::<bool>(),
    );
    let key = || prop_oneof![3 => "[a-c]", 1 => text()];
    let needs =
        (key(), variation_id()).prop_map(|(flag, id)| json!({"flag": flag, "variation": id}));
    let needs = prop_oneof![Just(Vec::new()), proptest::collection::vec(needs, 0..3),];
    let targeting = (targets, rules, wild_rule());
    (key(), needs, targeting, switches, any::<i64>()).prop_map(
        |(key, needs, (targets, rules, default), (on, archived, all), stamp)| {
            build::flag(
                &key,
                json!({"targetUsers": targets, "rules": rules, "fallthrough": default,
                       "prerequisites": needs, "isEnabled": on, "isArchived": archived, "updatedAt": stamp,
                       "exptIncludeAllTargets": all}),
            )
        },
    )
}

fn wild_segment() -> impl Strategy<Value = Segment> {
    let keys = || proptest::collection::vec("[a-c]{0,2}", 0..4);
    let rules = proptest::collection::vec(conditions(), 0..3);
    ("[a-c]{0,2}", keys(), keys(), rules, any::<bool>()).prop_map(
        |(id, included, excluded, rules, archived)| {
            let rules: Vec<Value> = rules
                .into_iter()
                .map(|list| json!({"conditions": list}))
                .collect();
            build::segment(
                &id,
                json!({"included": included, "excluded": excluded, "rules": rules,
                       "isArchived": archived}),
            )
        },
    )
}

fn wild_user() -> impl Strategy<Value = User<'static>> {
    let item = (text(), any::<bool>()).prop_map(|(text, is_number)| Item {
        text: text.into(),
        is_number,
    });
    let kind = prop_oneof![
        Just(Kind::Text),
        Just(Kind::Number),
        proptest::collection::vec(item, 0..3).prop_map(|items| Kind::List(items.into())),
    ];
    let properties = proptest::collection::vec((property(), text(), kind), 0..4);
    let key = prop_oneof!["[a-c]{0,2}", text()];
    (key, text(), properties).prop_map(|(key, name, properties)| {
        let mut user = User {
            key: key.into(),
            name: name.into(),
            ..User::default()
        };
        for (name, value, kind) in properties {
            user.push(name.into(), value.into(), kind);
        }
        user
    })
}

proptest! {
    #[test]
    fn a_rollout_without_gaps_takes_everybody_exactly_once(
        bounds in bounds(), keys in proptest::collection::vec(".{0,12}", 1..50),
    ) {
        let variations: Vec<Value> = (0..bounds.len() - 1)
            .map(|n| json!({"id": n.to_string(), "value": "v"}))
            .collect();
        let parts: Vec<Value> = bounds
            .windows(2)
            .enumerate()
            .map(|(n, pair)| json!({"id": n.to_string(), "rollout": pair}))
            .collect();
        let flag = compiled(json!({
            "variations": variations, "disabledVariationId": "0",
            "fallthrough": {"variations": parts},
        }));
        prop_assert!(flag.warnings().is_empty(), "{:?}", flag.warnings());
        for key in keys {
            let n = bucket(&["flag", &key]);
            let user = User { key: key.into(), ..User::default() };
            let outcome = served(&flag, &user);
            prop_assert!(outcome.is_some(), "{n} is in no part");
            let part = outcome.unwrap().variation;
            prop_assert!(bounds[part] <= n && n <= bounds[part + 1]);
            // On a shared bound the first part wins; elsewhere there is only one.
            let first = bounds.windows(2).position(|pair| {
                pair != [0.0, 0.0] && pair[0] <= n && n <= pair[1]
            });
            prop_assert_eq!(Some(part), first);
        }
    }

    #[test]
    fn no_flag_that_parses_can_panic(
        flags in proptest::collection::vec(wild_flag(), 1..4),
        segments in proptest::collection::vec(wild_segment(), 0..4),
        users in proptest::collection::vec(wild_user(), 1..4),
    ) {
        let snapshot = Snapshot::build(flags.clone(), segments.clone());
        let (again, _) = snapshot.apply(flags, segments);
        for (flag, same) in snapshot.flags().iter().zip(again.flags()) {
            for user in &users {
                let index = flag.evaluate(user);
                prop_assert_eq!(index, same.evaluate(user));
                let Some(index) = index else { continue };
                let outcome = flag.outcome(index);
                let known = outcome.map(|outcome| outcome.variation < flag.flag().variations.len());
                prop_assert_eq!(known, Some(true));
            }
        }
    }

    #[test]
    fn an_explanation_says_what_is_served(
        flags in proptest::collection::vec(wild_flag(), 1..4),
        segments in proptest::collection::vec(wild_segment(), 0..4),
        users in proptest::collection::vec(wild_user(), 1..4),
    ) {
        let snapshot = Snapshot::build(flags, segments);
        for flag in snapshot.flags() {
            for user in &users {
                let explained = snapshot.explain(flag, user);
                let served = served(flag, user);
                prop_assert_eq!(explained.outcome, served, "{:?}", explained);
                check_steps(flag, &explained)?;
            }
        }
    }

    /// `docs/evaluation.md`, "Prerequisites", said once more by the flags without them.
    #[test]
    fn a_flag_is_off_to_whom_its_prerequisites_are_not_met(
        flags in proptest::collection::vec(wild_flag(), 1..5),
        users in proptest::collection::vec(wild_user(), 1..4),
    ) {
        let snapshot = Snapshot::build(flags, vec![]);
        for (flag, user) in snapshot.flags().iter().flat_map(|flag| users.iter().map(move |it| (flag, it))) {
            let broken = flag.warnings().iter().any(|it| it.pointer.starts_with("/prerequisites/"));
            let wanted = |it: &burgee_eval::flag::Prerequisite| {
                let needed = snapshot.flag(&it.flag)?;
                let outcome = served(needed, user)?;
                Some(needed.flag().variations[outcome.variation].id == it.variation)
            };
            let met = !broken && flag.flag().prerequisites.iter().all(|it| wanted(it) == Some(true));
            let mut without = Flag::clone(flag.flag());
            without.prerequisites.clear();
            without.is_enabled &= met;
            let without = compile::flag(Arc::new(without), &Segments::default());
            let of = |outcome: Option<Outcome>| outcome.map(|it| (it.variation, it.send_to_experiment));
            prop_assert_eq!(of(served(flag, user)), of(served(&without, user)));
        }
    }

    #[test]
    fn whoever_is_told_last_comes_to_the_same(
        flags in proptest::collection::vec(wild_flag(), 1..6),
        segments in proptest::collection::vec(wild_segment(), 0..3),
        users in proptest::collection::vec(wild_user(), 1..4),
    ) {
        let whole = Snapshot::build(flags.clone(), segments.clone());
        let mut stepped = Snapshot::default().apply(vec![], segments).0;
        for flag in flags {
            let (next, affected) = stepped.apply(vec![flag], vec![]);
            let told: Vec<usize> = affected.results().collect();
            for (place, after) in next.flags().iter().enumerate() {
                let Some(before) = stepped.flag(&after.flag().key) else { continue };
                let moved = users.iter().any(|user| served(before, user) != served(after, user));
                let gone = after.flag().is_archived;
                prop_assert!(!moved || gone || told.contains(&place), "{}", after.flag().key);
            }
            stepped = next;
        }
        for (one, other) in whole.flags().iter().zip(stepped.flags()) {
            prop_assert_eq!(one.timestamp(), other.timestamp());
            prop_assert_eq!(one.warnings(), other.warnings());
            for user in &users {
                prop_assert_eq!(served(one, user), served(other, user));
            }
        }
    }

    #[test]
    fn an_sdk_never_serves_more_than_the_prerequisites_allow(
        flags in proptest::collection::vec(wild_flag(), 1..5),
        segments in proptest::collection::vec(wild_segment(), 0..3),
        users in proptest::collection::vec(wild_user(), 1..4),
    ) {
        let snapshot = Snapshot::build(flags, segments.clone());
        for flag in snapshot.flags() {
            let mut sent = Flag::clone(flag.for_sdks().flag());
            sent.prerequisites.clear();
            let sdk = Snapshot::build(vec![sent], segments.clone());
            let sdk = &sdk.flags()[0];
            let exact = !flag.warnings().iter().any(|it| it.code.as_str() == "prerequisiteUnknownToSdks");
            for user in &users {
                let of = |outcome: Option<Outcome>| outcome.map(|it| (it.variation, it.send_to_experiment));
                let (ours, theirs) = (of(served(flag, user)), of(served(sdk, user)));
                if exact {
                    prop_assert_eq!(ours, theirs, "{:?}", sdk.flag());
                } else {
                    let variations = &flag.flag().variations;
                    let off = variations.iter().position(|it| it.id == flag.flag().disabled_variation_id);
                    prop_assert!(theirs == ours || theirs == off.map(|off| (off, false)));
                }
            }
        }
    }

    /// Flags that SDKs could be sent, each needing those before it, with halves among them.
    #[test]
    fn an_sdk_never_serves_more_however_flags_stand_in_a_row(
        sides in proptest::collection::vec(
            (0..3_usize, any::<bool>(), any::<bool>(), proptest::collection::vec((0..4_usize, any::<bool>()), 0..3)),
            2..6,
        ),
    ) {
        let id = |b: bool| if b { "b" } else { "a" };
        let flags = sides.iter().enumerate().map(|(number, (default, off, rule, needs))| {
            let whole = |b| json!([{"id": id(b), "rollout": [0, 1]}]);
            let half = json!([{"id": "a", "rollout": [0, 0.5]}, {"id": "b", "rollout": [0.5, 1]}]);
            let default = [whole(false), whole(true), half][*default].clone();
            let country = json!([{"property": "country", "op": "Equal", "value": "de"}]);
            let rules = if *rule { json!([build::rule(country, id(!off))]) } else { json!([]) };
            let needs = needs.iter().filter(|(back, _)| *back < number);
            let needs = needs.map(|(back, b)| {
                json!({"flag": format!("f{}", number - 1 - back), "variation": id(*b)})
            });
            flag(&format!("f{number}"), json!({"disabledVariationId": id(*off), "rules": rules,
                "fallthrough": {"variations": default}, "prerequisites": needs.collect::<Vec<_>>()}))
        });
        let snapshot = Snapshot::build(flags.collect(), vec![]);
        let keys: Vec<String> = (0..16).map(|n| format!("u{n}")).collect();
        for flag in snapshot.flags() {
            let mut sent = Flag::clone(flag.for_sdks().flag());
            sent.prerequisites.clear();
            let sdk = compile::flag(Arc::new(sent), &Segments::default());
            let exact = flag.warnings().is_empty();
            let variations = &flag.flag().variations;
            let off = variations.iter().position(|it| it.id == flag.flag().disabled_variation_id);
            for (key, country) in keys.iter().flat_map(|key| [(key, "de"), (key, "fr")]) {
                let user = build::user(key, "country", country);
                let of = |outcome: Option<Outcome>| outcome.map(|it| it.variation);
                let (ours, theirs) = (of(served(flag, &user)), of(served(&sdk, &user)));
                prop_assert!(theirs == ours || !exact && theirs == off, "{:?}", sdk.flag());
            }
        }
    }

    #[test]
    fn any_json_that_is_a_flag_can_be_evaluated(json in any_flag_json(), user in wild_user()) {
        if let Ok(flag) = serde_json::from_value::<Flag>(json) {
            let flag = compile::flag(Arc::new(flag), &Segments::default());
            let _ = flag.evaluate(&user);
            for outcome in flag.outcomes() {
                let _ = flag.match_reason(outcome.reason);
            }
        }
    }

    #[test]
    fn the_order_of_conditions_and_keys_and_properties_does_not_count(
        conditions in conditions(), user in wild_user(),
        mut keys in proptest::collection::vec("[a-c]{0,2}", 0..4),
    ) {
        let build = |conditions: &[Value], keys: &[String]| compiled(json!({
            "targetUsers": [{"keyIds": keys, "variationId": "b"}],
            "rules": [build::rule(json!(conditions), "b")],
        }));
        let forwards = build(&conditions, &keys);
        keys.reverse();
        let conditions: Vec<Value> = conditions.into_iter().rev().collect();
        let backwards = build(&conditions, &keys);
        let mut turned = user.clone();
        turned.properties.sort();
        turned.properties.dedup_by(|a, b| a.0 == b.0);
        let sorted = turned.clone();
        turned.properties.reverse();
        prop_assert_eq!(served(&forwards, &sorted), served(&backwards, &turned));
    }

    #[test]
    fn a_negated_operator_is_the_opposite_where_it_compiles(
        (positive, negated) in proptest::sample::select(OPPOSITES.to_vec()),
        value in text(), found in text(),
    ) {
        let user = build::user("u", "p", &found);
        let holds = |op: &str| {
            let conditions = json!([{"property": "p", "op": op, "value": value}]);
            let flag = compiled(json!({"rules": [build::rule(conditions, "b")]}));
            let broken = flag.warnings().iter().any(|warning| warning.pointer.ends_with("/value"));
            let outcome = served(&flag, &user).unwrap();
            (broken, outcome.reason == Reason::Rule(0))
        };
        match (holds(positive), holds(negated)) {
            ((true, a), (true, b)) => prop_assert!(!a && !b, "what is broken never matches"),
            ((false, a), (false, b)) => prop_assert!(a != b),
            (a, b) => prop_assert!(false, "{a:?} {b:?}"),
        }
    }
}

/// Exactly one step decided, it is the one that the reason names, what came before was asked and
/// let the user pass, and what comes after was not asked.
fn check_steps(flag: &CompiledFlag, explained: &Explanation) -> Result<(), TestCaseError> {
    let steps = &explained.steps;
    let taken = steps
        .iter()
        .position(|step| step.result == StepResult::Taken);
    prop_assert!(taken.is_some());
    let taken = taken.unwrap();
    for (place, step) in steps.iter().enumerate() {
        let expected = match place.cmp(&taken) {
            std::cmp::Ordering::Less => StepResult::Passed,
            std::cmp::Ordering::Equal => StepResult::Taken,
            std::cmp::Ordering::Greater => StepResult::NotReached,
        };
        prop_assert_eq!(step.result, expected);
        let holds = step.conditions.iter().all(|condition| condition.holds);
        if step.kind == StepKind::Rule && expected != StepResult::NotReached {
            prop_assert_eq!(holds, expected == StepResult::Taken);
        }
        for condition in &step.conditions {
            prop_assert!(condition.broken.is_none() || !condition.holds);
            let member = condition.segments.iter().any(|segment| segment.member);
            if condition.property == "User is in segment" && condition.broken.is_none() {
                prop_assert_eq!(condition.holds, member);
            }
        }
    }
    let code = match steps[taken].kind {
        StepKind::Archived => "archived",
        StepKind::Prerequisite => "prerequisite",
        StepKind::Off => "off",
        StepKind::Targets => "targeted",
        StepKind::Rule => "rule",
        StepKind::Default => "default",
    };
    prop_assert_eq!(&explained.reason.code, code);
    let nothing = explained.reason.params.contains_key("nothing");
    let served = explained.outcome.is_some() || flag.flag().is_archived;
    prop_assert_eq!(nothing, !served);
    Ok(())
}

const OPPOSITES: [(&str, &str); 8] = [
    ("Equal", "NotEqual"),
    ("Contains", "NotContain"),
    ("MatchRegex", "NotMatchRegex"),
    ("IsOneOf", "NotOneOf"),
    ("SemverEqual", "SemverNotEqual"),
    ("IsSet", "IsNotSet"),
    ("EqualIgnoreCase", "NotEqualIgnoreCase"),
    ("InCidr", "NotInCidr"),
];

/// JSON of a flag in which any one value has been replaced by something else.
fn any_flag_json() -> impl Strategy<Value = Value> {
    let other = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        proptest::num::f64::NORMAL.prop_map(Value::from),
        text().prop_map(Value::from),
        Just(json!([])),
        Just(json!([0, 1])),
        Just(json!({})),
    ];
    (wild_flag(), any::<prop::sample::Index>(), other).prop_map(|(flag, place, other)| {
        let mut json = serde_json::to_value(flag).unwrap();
        let places = pointers(&json);
        let place = &places[place.index(places.len())];
        *json.pointer_mut(place).unwrap() = other;
        json
    })
}

/// Where the values of a document are.
fn pointers(json: &Value) -> Vec<String> {
    let inner: Vec<(String, &Value)> = match json {
        Value::Array(list) => list
            .iter()
            .enumerate()
            .map(|(n, value)| (n.to_string(), value))
            .collect(),
        Value::Object(fields) => fields
            .iter()
            .map(|(name, value)| (name.clone(), value))
            .collect(),
        _ => Vec::new(),
    };
    let nested = inner.into_iter().flat_map(|(name, value)| {
        let prefix = format!("/{name}");
        let nested = pointers(value)
            .into_iter()
            .map(move |rest| format!("{prefix}{rest}"));
        nested.collect::<Vec<_>>()
    });
    std::iter::once(String::new()).chain(nested).collect()
}
