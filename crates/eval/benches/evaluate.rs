//! What one evaluation costs: `cargo bench -p burgee-eval`.
//!
//! A plain loop: the median of 101 batches over 64 users, in nanoseconds. It answers one question,
//! is evaluation still far cheaper than a packet, and needs no more statistics for that.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    clippy::print_stdout,
    reason = "a program that measures and prints"
)]

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use burgee_eval::compile::{self, CompiledFlag, CompiledSegment, Segments};
use burgee_eval::user::User;
use serde_json::{Value, json};

const BATCHES: usize = 101;
const ROUNDS: usize = 200;

fn main() {
    // cargo test --all-targets runs this too; then once through is enough.
    let rounds = if std::env::args().any(|arg| arg == "--bench") {
        ROUNDS
    } else {
        1
    };
    let users: Vec<User<'static>> = (0..64).map(user).collect();
    println!("{:<28} {:>8}", "flag", "ns");
    for (name, flag) in cases() {
        let mut times: Vec<f64> = (0..BATCHES).map(|_| batch(&flag, &users, rounds)).collect();
        times.sort_by(f64::total_cmp);
        println!("{name:<28} {:>8.1}", times[BATCHES / 2]);
    }
}

/// Nanoseconds an evaluation took, over all users.
fn batch(flag: &CompiledFlag, users: &[User<'_>], rounds: usize) -> f64 {
    let start = Instant::now();
    for _ in 0..rounds {
        for user in users {
            black_box(black_box(flag).evaluate(black_box(user)));
        }
    }
    start.elapsed().as_nanos() as f64 / (rounds * users.len()) as f64
}

fn user(n: usize) -> User<'static> {
    let property = |name: &'static str, value: String| (name.into(), value.into());
    User {
        key: format!("5f3c9b1e-user-{n}").into(),
        name: format!("user {n}").into(),
        properties: vec![
            property("country", ["de", "fr", "us", "cn"][n % 4].to_owned()),
            property("age", (n % 60).to_string()),
            property("email", format!("user{n}@example.com")),
        ],
        ..User::default()
    }
}

fn cases() -> Vec<(&'static str, CompiledFlag)> {
    let condition = |property: &str, op: &str, value: &str| json!({"property": property, "op": op, "value": value});
    let split = json!([{"id": "a", "rollout": [0, 0.2]}, {"id": "b", "rollout": [0.2, 1]}]);
    let fixed = json!([{"id": "b", "rollout": [0, 1]}]);
    let age = json!([
        condition("age", "BiggerThan", "30"),
        condition("email", "EndsWith", ".org")
    ]);
    let countries = json!([condition("country", "IsOneOf", r#"["de","fr","us","cn"]"#)]);
    let pattern = json!([condition(
        "email",
        "MatchRegex",
        r"^[a-z]+\d+@example\.com$"
    )]);
    let segment = json!([condition("User is in segment", "", r#"["s"]"#)]);
    let rule =
        |conditions: &Value, parts: &Value| json!({"conditions": conditions, "variations": parts});
    let targets = |count: usize| {
        let keys: Vec<String> = (0..count)
            .map(|n| format!("5f3c9b1e-user-{}", n * 2))
            .collect();
        json!({"targetUsers": [{"keyIds": keys, "variationId": "b"}]})
    };
    vec![
        ("static", flag(json!({}))),
        ("off", flag(json!({"isEnabled": false}))),
        ("15 targets", flag(targets(15))),
        ("100,000 targets", flag(targets(100_000))),
        (
            "one rule, one condition",
            flag(json!({"rules": [rule(&countries, &fixed)]})),
        ),
        (
            "one rule, pattern",
            flag(json!({"rules": [rule(&pattern, &fixed)]})),
        ),
        (
            "one rule, segment rules",
            flag(json!({"rules": [rule(&segment, &fixed)]})),
        ),
        (
            "percentage split",
            flag(json!({"fallthrough": {"variations": split}})),
        ),
        (
            "two rules and a split",
            flag(json!({"rules": [rule(&age, &fixed), rule(&countries, &split)]})),
        ),
    ]
}

fn flag(over: Value) -> CompiledFlag {
    let mut flag = json!({
        "id": "bench", "key": "a-flag-of-usual-length", "variationType": "boolean",
        "isEnabled": true, "disabledVariationId": "b",
        "variations": [{"id": "a", "value": "true"}, {"id": "b", "value": "false"}],
        "fallthrough": {"variations": [{"id": "a", "rollout": [0, 1]}]},
    });
    let fields = over.as_object().unwrap().clone();
    flag.as_object_mut().unwrap().extend(fields);
    let segments: Segments = [segment()].into_iter().collect();
    compile::flag(Arc::new(serde_json::from_value(flag).unwrap()), &segments)
}

fn segment() -> Arc<CompiledSegment> {
    let segment = json!({
        "id": "s", "included": ["someone", "else"], "excluded": ["nobody"],
        "rules": [
            {"conditions": [{"property": "age", "op": "LessThan", "value": "10"},
                            {"property": "country", "op": "NotEqual", "value": "cn"}]},
            {"conditions": [{"property": "email", "op": "StartsWith", "value": "user1"}]},
        ],
    });
    Arc::new(compile::segment(Arc::new(
        serde_json::from_value(segment).unwrap(),
    )))
}
