//! Contexts read as users: what they become, and what is refused. (What operators make of them is
//! in `spec/contexts.json`.)

use burgee_eval::context::{Context, Limits, Refused, shortest};
use burgee_eval::user::{Item, Kind, User};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::build;

/// Limits that nothing here comes near.
pub(crate) const ROOMY: Limits = Limits {
    key: 1_000,
    name: 1_000,
    attributes: 1_000,
    attribute: 10_000,
};

/// As small as shows what they do.
const NARROW: Limits = Limits {
    key: 4,
    name: 3,
    attributes: 2,
    attribute: 8,
};

pub(crate) fn user<'a>(json: &'a str, limits: &Limits) -> Result<User<'a>, Refused> {
    let context: Context<'a> = serde_json::from_str(json).unwrap();
    context.user(limits)
}

fn refusal(context: Value, limits: &Limits) -> String {
    user(&context.to_string(), limits).unwrap_err().to_string()
}

#[test]
fn attributes_become_properties_by_their_paths() {
    let json = r#"{"n":4.20e1,"targetingKey":"k\u0041","t":true,"none":null,
        "address":{"city":"O\"slo","geo":{"lat":-0.50}},"name":"Ann","l":["a",1.0,null,[2],{"b":3}]}"#;
    let user = user(json, &ROOMY).unwrap();
    assert_eq!((&*user.key, &*user.name), ("kA", "Ann"));
    let properties: Vec<_> = user.properties.iter().map(|(n, v)| (&**n, &**v)).collect();
    assert_eq!(
        properties,
        [
            ("n", "42"),
            ("t", "true"),
            ("address.city", "O\"slo"),
            ("address.geo.lat", "-0.5"),
            ("l", r#"["a",1.0,null,[2],{"b":3}]"#),
        ]
    );
    let item = |text: &'static str, is_number| Item {
        text: text.into(),
        is_number,
    };
    let list = [
        item("a", false),
        item("1", true),
        item("[2]", false),
        item(r#"{"b":3}"#, false),
    ];
    let kinds = [
        Kind::Number,
        Kind::Text,
        Kind::Text,
        Kind::Number,
        Kind::List(list.into()),
    ];
    assert_eq!(user.kinds, kinds);
}

#[test]
fn a_context_of_texts_is_a_user_like_any_other() {
    let user = user(r#"{"targetingKey":"k","a":"1","b":true}"#, &ROOMY).unwrap();
    assert_eq!(user.kinds, []);
}

#[test]
fn numbers_are_written_the_shortest_way() {
    for (number, text) in [
        ("0", "0"),
        ("-0", "0"),
        ("-0.0", "0"),
        ("42", "42"),
        ("42.0", "42"),
        ("4.2E+1", "42"),
        ("0.10", "0.1"),
        ("1e-7", "0.0000001"),
        ("18446744073709551617", "18446744073709551617"),
        ("1e400", "inf"),
    ] {
        assert_eq!(shortest(number), text, "{number}");
    }
}

#[test]
fn a_context_has_a_targeting_key() {
    for context in [
        json!({}),
        json!({"targetingKey": ""}),
        json!({"targetingKey": " "}),
        json!({"targetingKey": null}),
    ] {
        let refused = user(&context.to_string(), &ROOMY).unwrap_err();
        assert_eq!(refused, Refused::NoKey);
    }
    let said = refusal(json!({"targetingKey": 7}), &ROOMY);
    assert_eq!(said, "context.targetingKey: it must be a string");
}

#[test]
fn what_is_over_a_limit_is_refused_by_name() {
    let fits = json!({"targetingKey": "1234", "name": "123", "a": "1234567", "b": 1});
    assert!(user(&fits.to_string(), &NARROW).is_ok());
    for (context, said) in [
        (
            json!({"targetingKey": "12345"}),
            "context.targetingKey: it has at most 4 bytes",
        ),
        (
            json!({"targetingKey": "k", "name": "1234"}),
            "context.name: it has at most 3 bytes",
        ),
        (
            json!({"targetingKey": "k", "a": {"b": "123456"}}),
            "context.a.b: an attribute has at most 8 bytes, path and value together",
        ),
        (
            json!({"targetingKey": "k", "a": {"b": 1, "c": 2}, "d": 3}),
            "context.d: it is one too many, a context has at most 2 attributes",
        ),
    ] {
        assert_eq!(refusal(context, &NARROW), said);
    }
    let deep = (0..9).fold(json!(1), |inner, _| json!({ "o": inner }));
    let said = refusal(json!({"targetingKey": "k", "o": deep}), &ROOMY);
    assert_eq!(
        said,
        "context.o.o.o.o.o.o.o.o: objects lie in each other at most 8 deep"
    );
    let long = "x".repeat(200);
    let said = refusal(json!({"targetingKey": "k", long: "12345678"}), &NARROW);
    assert!(said.len() < 160, "{said}");
}

proptest! {
    /// Whatever the operator and the texts: where a context has texts alone, it holds for it what
    /// holds for the user of a FeatBit SDK.
    #[test]
    fn texts_mean_the_same_in_a_context_and_in_a_message(
        op in prop_oneof![
            Just("Equal"), Just("NotEqual"), Just("Contains"), Just("NotContain"),
            Just("StartsWith"), Just("LessThan"), Just("BiggerEqualThan"), Just("IsTrue"),
            Just("Before"), Just("SemverLessThan"), Just("IsSet"), Just("EqualIgnoreCase"),
        ],
        asked in "[ 01.aA-]{0,4}",
        has in "[ 01.aA-]{0,4}",
    ) {
        let rule = build::rule(json!([{"property": "p", "op": op, "value": asked}]), "b");
        let flag = build::flag("flag", json!({"rules": [rule]}));
        let flag = burgee_eval::snapshot::Snapshot::build(vec![flag], vec![]);
        let flag = flag.flag("flag").unwrap();
        let context = json!({"targetingKey": "u", "p": has}).to_string();
        let typed = user(&context, &ROOMY).unwrap();
        prop_assert_eq!(flag.evaluate(&typed), flag.evaluate(&build::user("u", "p", &has)));
    }
}
