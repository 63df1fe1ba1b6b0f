//! Runs every file of `spec/` (its README explains the format).

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use burgee_eval::bucket::bucket;
use burgee_eval::compile::{self, CompiledFlag};
use burgee_eval::flag::{Condition, Flag};
use burgee_eval::segment::Segment;
use burgee_eval::snapshot::Snapshot;
use burgee_eval::user::User;
use serde::Deserialize;
use serde_json::json;

use crate::{build, context};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Spec {
    #[serde(rename = "about")]
    _about: String,
    #[serde(default)]
    flags: Vec<Flag>,
    #[serde(default)]
    segments: Vec<Segment>,
    #[serde(default)]
    cases: Vec<Case>,
    #[serde(default)]
    conditions: Vec<ConditionCase>,
    #[serde(default)]
    buckets: Vec<BucketCase>,
    /// Connection tokens are the edge's to test.
    #[serde(default, rename = "tokens")]
    _tokens: Vec<serde_json::Value>,
}

#[derive(Deserialize)]
struct Case {
    flag: String,
    user: SpecUser,
    expect: Option<Expected>,
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Expected {
    value: String,
    variation_id: String,
    reason: String,
    send_to_experiment: bool,
}

#[derive(Deserialize)]
struct ConditionCase {
    #[serde(flatten)]
    condition: Condition,
    #[serde(flatten)]
    who: Who,
    holds: bool,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
enum Who {
    User(SpecUser),
    Context(serde_json::Value),
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct BucketCase {
    flag_key: String,
    user_key: String,
    bucket: f64,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct SpecUser {
    key_id: String,
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    customized_properties: Vec<Property>,
}

#[derive(Debug, Deserialize)]
struct Property {
    name: String,
    value: String,
}

impl SpecUser {
    /// Where the file gives no name, the name is the key.
    fn user(&self) -> User<'_> {
        let properties = self.customized_properties.iter();
        User {
            key: self.key_id.as_str().into(),
            name: self.name.as_deref().unwrap_or_default().into(),
            properties: properties
                .map(|p| (p.name.as_str().into(), p.value.as_str().into()))
                .collect(),
            ..User::default()
        }
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the cases are files, so that others can run them"
)]
fn specs() -> BTreeMap<String, Spec> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../spec");
    let files = std::fs::read_dir(folder)
        .unwrap()
        .map(|file| file.unwrap().path());
    let files = files.filter(|path| path.extension().is_some_and(|end| end == "json"));
    files
        .map(|path| {
            let text = std::fs::read_to_string(&path).unwrap();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let spec = serde_json::from_str(&text).unwrap_or_else(|why| panic!("{name}: {why}"));
            (name, spec)
        })
        .collect()
}

#[test]
fn flags_answer_as_the_cases_say() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for (file, spec) in specs() {
        let snapshot = Snapshot::build(spec.flags, spec.segments);
        for (number, case) in spec.cases.iter().enumerate() {
            let flag = snapshot
                .flag(&case.flag)
                .unwrap_or_else(|| panic!("{file}: {}", case.flag));
            let answer = answer(flag, &case.user.user());
            let explained = snapshot.explain(flag, &case.user.user());
            let outcome = flag.evaluate(&case.user.user());
            let outcome = outcome.and_then(|index| flag.outcome(index));
            assert_eq!(explained.outcome, outcome, "{file} cases/{number}");
            count += 1;
            if answer != case.expect {
                wrong.push(format!("{file} cases/{number} {}: {answer:?}", case.flag));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count >= 100, "only {count} cases were found");
}

fn answer(flag: &CompiledFlag, user: &User<'_>) -> Option<Expected> {
    let outcome = flag.outcome(flag.evaluate(user)?).unwrap();
    let variation = &flag.flag().variations[outcome.variation];
    Some(Expected {
        value: variation.value.clone(),
        variation_id: variation.id.clone(),
        reason: flag.match_reason(outcome.reason).to_owned(),
        send_to_experiment: outcome.send_to_experiment,
    })
}

#[test]
fn conditions_hold_as_the_cases_say() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for (file, spec) in specs() {
        let snapshot = Snapshot::build(Vec::new(), spec.segments);
        let segments = snapshot.segments().iter().cloned().collect();
        for (number, case) in spec.conditions.iter().enumerate() {
            let rule = build::rule(json!([case.condition]), "b");
            let flag = build::flag("flag", json!({"rules": [rule]}));
            let flag = compile::flag(Arc::new(flag), &segments);
            let answer = match &case.who {
                Who::User(user) => answer(&flag, &user.user()),
                Who::Context(json) => answer(
                    &flag,
                    &context::user(&json.to_string(), &context::ROOMY).unwrap(),
                ),
            };
            count += 1;
            if (answer.unwrap().value == "B") != case.holds {
                let (condition, user) = (&case.condition, &case.who);
                wrong.push(format!("{file} conditions/{number} {condition:?} {user:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count >= 500, "only {count} cases were found");
}

#[test]
fn buckets_are_those_of_the_sdks() {
    let cases = specs().into_values().flat_map(|spec| spec.buckets);
    let cases: Vec<BucketCase> = cases.collect();
    assert!(cases.len() >= 100);
    for case in cases {
        let bucket = bucket(&[&case.flag_key, &case.user_key]);
        assert_eq!(bucket, case.bucket, "{}{}", case.flag_key, case.user_key);
    }
}
